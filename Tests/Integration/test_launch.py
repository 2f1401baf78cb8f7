"""Conditional launch through probes whose answers change while the daemon runs."""
import errno
import json
import os
import tempfile
import unittest

from enrolling import HOUR, EnrollmentCase
from running import PREFIX
from workspace import ANN, CLOSED, NO


class Probes(EnrollmentCase):
    def settings_of_test(self):
        self.answers = tempfile.mkdtemp(prefix=PREFIX)
        self.addCleanup(
            lambda: [os.unlink(entry) for entry in os.scandir(self.answers)]
            + [os.rmdir(self.answers)])
        names = ("ClockStatus", "Compliance", "DeviceModel")
        return {
            **self.settings,
            "Probes": {name: ["/bin/cat", os.path.join(self.answers, name)] for name in names}}

    def tell(self, name, word):
        with open(os.path.join(self.answers, name), "w") as file:
            file.write(f" {word}\n")

    def look(self):
        self.workspace.serving("account check-in")

    def test_clocked_out_after_its_grace(self):
        self.tell("ClockStatus", "in")
        self.begin(
            appActionIfAccountIsClockedOut="block",
            gracePeriodToBlockAppsDuringOffClockHours="PT10M")
        self.assertEqual(self.answer("UserStatus", account=ANN)["status"], 2)
        self.tell("ClockStatus", "out")
        self.look()
        self.advance(540)
        self.assert_open()
        self.assertEqual(self.answer("UserStatus", account=ANN)["status"], 3)
        # The grace is not given anew by a restart.
        self.workspace.unmount()
        self.workspace.mount()
        self.workspace.unlock()
        self.assert_open()
        self.advance(60)
        self.assert_closed("clockedOut", errno.EACCES)
        self.workspace.unlock(status=CLOSED)
        self.tell("ClockStatus", "in-stale")
        self.advance(HOUR)
        self.workspace.unlock()
        self.assert_open()
        self.assertEqual(self.answer("UserStatus", account=ANN)["status"], 4)

    def test_compliance(self):
        self.tell("Compliance", "compliant")
        self.begin(deviceComplianceRequired=True, appActionIfDeviceComplianceRequired="block")
        self.workspace.serving("compliance check", ANN)
        self.tell("Compliance", "noncompliant")
        result = self.workspace.serving("compliance check", ANN, "--json", status=NO)
        self.assertEqual(json.loads(result.stdout)["status"], 1)
        self.assert_closed("launch", errno.EACCES)
        # No login mends that by itself.
        refused = self.workspace.serving(
            "account login", ANN, "--passfile", self.workspace.passfile, status=CLOSED).stderr
        self.assertIn(
            f"correct that, or ask who manages the account; then mamctl account login {ANN}",
            refused)
        # A probe that says nothing sensible, or nothing at all, is no yes.
        for answer in ("perhaps", ""):
            self.tell("Compliance", answer)
            self.look()
            self.assert_closed("launch", errno.EACCES)
        self.tell("Compliance", "compliant")
        self.look()
        self.workspace.unlock()
        self.assert_open()
        self.workspace.lock()
        self.workspace.serving("account deregister", ANN, "--keep")
        self.assertEqual(self.answer("CheckCompliance", account=ANN)["status"], 4)

    def test_models(self):
        self.tell("DeviceModel", "ThinkPad X1")
        self.begin(
            allowedIosDeviceModels="Latitude; thinkpad x1",
            appActionIfIosDeviceModelNotAllowed="block")
        self.assert_open()
        self.tell("DeviceModel", "ThinkPad X2")
        self.look()
        self.assert_closed("launch", errno.EACCES)


if __name__ == "__main__":
    unittest.main()
