"""A forgotten passphrase, with a real engine between the person and the office."""
import subprocess
import unittest

from carrier import Servers, with_clients
from fleet_service import Service
from reset_case import ResetCase
from workspace import wait_until

NEEDS = ("nats-server",)


@with_clients
class ByEngine(ResetCase):
    def join(self):
        self.addCleanup(Servers(self.organization).close)
        self.carry("push")
        self.service = Service(self.workspace)
        self.addCleanup(self.service.kill)
        code = self.organization.fleet("invite", "--note", "laptop").stdout
        self.workspace.ctl(
            "fleet", "join", "-", "--workspace", self.workspace.name, "--wait", "1",
            input=code.encode())
        self.organization.json("admit", "--exchange", "--yes")
        self.machine = self.show()["machine"]
        self.service.start()
        wait_until(lambda: "connected as" in self.service.text)
        records = self.organization.path / "reports" / "records" / self.machine
        wait_until(lambda: self.carry("pull") and any(records.glob("*.json")))

    def carry(self, verb):
        done = subprocess.run(
            ["mamfleet", verb, self.organization.path], capture_output=True, text=True, timeout=120,
            check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return True

    def test_the_request_and_the_order_travel(self):
        self.workspace.lock()
        code = self.ask()["code"]
        wait_until(lambda: self.carry("pull") and self.attention() == ["resetAsked"])
        self.order(code)
        self.carry("push")
        self.cosign()
        self.assertEqual(self.show()["pending"], 0)
        self.carry("push")
        wait_until(lambda: self.show()["pending"] == 1)
        self.choose()
        self.assert_only_the_new_one_opens()
        wait_until(lambda: self.carry("pull") and self.order_state() == "obeyed")
        self.assertEqual(self.attention(), [])


if __name__ == "__main__":
    unittest.main()
