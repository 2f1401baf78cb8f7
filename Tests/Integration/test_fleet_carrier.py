"""What the user of the service that carries documents and reports may do."""
import json
import os
import pathlib
import unittest

from fleet_reports import TRANSPORT_KEY, Reports
from socket_client import Client, Refusal
from test_fleet import RULES, Fleet
from workspace import ANN

NOBODY, DAEMON = 65534, 1


@unittest.skipUnless(os.geteuid() == 0, "acts as several users, which only root can")
class Carrier(Reports):
    """The user of the service that carries documents and reports."""

    settings = {**Fleet.settings, "FleetUser": "nobody"}

    CALLS = (
        ("Status", {}), ("Records", {}), ("Audit", {"after": 0, "limit": 10}))

    def setUp(self):
        super().setUp()
        place = pathlib.Path(self.workspace.socket)
        place.chmod(0o666)
        while (place := place.parent) != self.workspace.root.parent:
            place.chmod(0o711)

    def as_user(self, user, method, **parameters):
        with Client(self.workspace.socket, user) as client:
            return client.call(method, **parameters)

    def test_it_carries(self):
        status = self.opened(self.as_user(NOBODY, "Fleet.Status")["report"], "status")
        self.assertEqual(status["machine"], self.machine)
        self.assertEqual(self.as_user(NOBODY, "Fleet.Records")["records"], [])
        self.assertTrue(self.as_user(NOBODY, "Fleet.Audit", after=0, limit=10)["report"])
        self.assertTrue(self.as_user(NOBODY, "Fleet.Show")["organization"]["documents"])
        policy = self.contoso.policy({**RULES, "printBlocked": True}).decode()
        self.assertEqual(
            self.as_user(NOBODY, "Fleet.Deliver", document=policy)["effect"], "documents")
        self.assertTrue(self.rule("printBlocked"))

    def test_it_does_nothing_else(self):
        for method, parameters in (
                ("Fleet.Join", {"root": "{}", "fingerprint": "0" * 64}), ("Fleet.Leave", {}),
                ("Fleet.Enrol", {"invitation": "i1", "transportKey": TRANSPORT_KEY}),
                ("Workspace.Wipe", {"account": ANN, "confirmed": True}),
                ("Workspace.Unlock", {"account": ANN, "passphrase": "x"}),
                ("Enrollment.CheckIn", {}), ("Policy.Import", {"document": "{}", "name": "x.json"}),
                ("Report.LastVerify", {})):
            with self.subTest(method), self.assertRaisesRegex(Refusal, "only root|belongs to uid"):
                self.as_user(NOBODY, method, **parameters)
        with self.assertRaises(Refusal):
            self.as_user(NOBODY, "Fleet.Deliver", document="{}")

    def test_others_do_not(self):
        for method, parameters in (*self.CALLS, ("Deliver", {"document": "{}"})):
            with self.subTest(method), self.assertRaisesRegex(Refusal, "FleetUser"):
                self.as_user(DAEMON, f"Fleet.{method}", **parameters)
        told = self.as_user(DAEMON, "Fleet.Show")["organization"]
        self.assertEqual((told["documents"], told["groups"], told["pending"]), ([], [], 0))

    def test_nobody_does_unless_settings_say_so(self):
        settings = self.workspace.policies.parent / "settings.json"
        for user in (None, "", "no-such-user"):
            self.workspace.unmount()
            members = json.loads(settings.read_text())
            members.pop("FleetUser", None)
            settings.write_text(json.dumps(
                members if user is None else {**members, "FleetUser": user}))
            self.workspace.mount()
            pathlib.Path(self.workspace.socket).chmod(0o666)
            for method, parameters in self.CALLS:
                with self.assertRaisesRegex(Refusal, "FleetUser"):
                    self.as_user(NOBODY, f"Fleet.{method}", **parameters)


if __name__ == "__main__":
    unittest.main()
