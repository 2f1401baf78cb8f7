"""A stolen `engine/`, as docs/FIRST-DAY.md answers it: a new one, which machines join again."""
import json
import subprocess
import unittest

from carrier import Organization, Servers, with_clients
from fleet_service import Service
from workspace import DONE, REFUSED, Workspace, wait_until

NEEDS = ("nats-server",)


@with_clients
class Stolen(unittest.TestCase):
    def setUp(self):
        self.office = Workspace()
        self.addCleanup(self.office.close)
        self.organization = Organization(self.office)
        policies = self.office.root / "policies"
        policies.mkdir()
        (policies / "first.json").write_text('{"displayName": "First", "printBlocked": true}')
        self.organization.fleet(
            "push", policies, "--key", self.organization.keys["ann"], "--local", "--yes")
        self.organization.fleet(
            "time", self.organization.path / "signed", "--root", self.organization.root, "--key",
            self.organization.keys["server"], "-o", self.organization.path / "time.json")
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        self.workspace.init().mount().register()
        self.file = self.workspace.path("plan")
        self.file.write_bytes(b"plan")
        self.service = Service(self.workspace)
        self.addCleanup(self.service.kill)

    def start_engine(self):
        """A new one, with servers that know nothing."""
        if (self.organization.path / "engine").exists():
            (self.organization.path / "engine").rename(self.organization.path / "engine.stolen")
        servers = Servers(self.organization)
        self.addCleanup(servers.close)
        self.carry("push")
        return servers

    def carry(self, verb, status=DONE):
        done = subprocess.run(
            ["mamfleet", verb, self.organization.path], capture_output=True, text=True, timeout=120,
            check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def join(self):
        """From a code to a machine that is connected. Returns the register's entry."""
        code = self.organization.fleet("invite").stdout
        self.workspace.ctl(
            "fleet", "join", "-", "--workspace", self.workspace.name, "--wait", "1",
            input=code.encode())
        (admitted,) = self.organization.json("admit", "--exchange", "--yes")["admitted"]
        before = self.service.text.count("connected as") if self.service.log.exists() else 0
        self.service.kill()
        self.service.start()
        wait_until(lambda: self.service.text.count("connected as machine") > before)
        return admitted

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
        self.assertEqual(json.loads(self.workspace.serving(
            "fleet show", "--json").stdout)["organization"]["id"], self.organization.id)


if __name__ == "__main__":
    unittest.main()
