"""A stolen `engine/`, as docs/FIRST-DAY.md answers it: a new one, which machines join again."""
import unittest

from fleet_trial import Trial
from workspace import REFUSED


class Stolen(Trial):
    def test_new_keys_shut_the_thief_out_and_keep_the_machines(self):
        self.start_engine()
        first = self.join()
        old = (self.organization.path / "engine" / "admin.creds").read_bytes()
        servers = self.start_engine()
        # The machine's own key is known here; a thief may have seen its token.
        (self.service.state / "transport.nk").unlink()
        second = self.join()
        self.assertEqual(first["machine"], second["machine"])
        self.assertNotEqual(first["transportKey"], second["transportKey"])
        account = self.workspace.account()
        self.assertEqual(account["state"], "unlocked")
        self.assertEqual(self.file.read_bytes(), b"plan")
        machine = self.organization.json("status", "--all")["machines"]
        self.assertEqual(len(machine), 1)
        # Who has the former credentials is nobody.
        (self.organization.path / "engine" / "admin.creds").write_bytes(old)
        (self.organization.path / "engine" / "admin.creds").chmod(0o600)
        self.carry("pull", status=REFUSED)
        self.assertTrue(servers.processes)
        self.assertEqual(self.show()["id"], self.organization.id)


if __name__ == "__main__":
    unittest.main()
