"""The exports of the three levels of the data protection framework, imported as a newcomer does."""
import json
import subprocess
import unittest

from enrolling import EnrollmentCase
from workspace import ANN, CLOSED, ROOT

LEVELS = ROOT / "Tests" / "Fixtures" / "policies"

# What a machine tells that the levels are content with.
PROBES = {
    "Probes": {
        "Compliance": ["/bin/echo", "compliant"], "OsVersion": ["/bin/echo", "18.0"],
        "ThreatLevel": "secured"}}

# Some rules of each level: what policy show has to give once it is imported. The policy of init
# stays beside it, and asks for longer passphrases than each of them.
SHOWN = {
    1: {"allowedOutboundDataTransferDestinations": "allApps", "minimumPinLength": 10,
        "printBlocked": False},
    2: {"allowedOutboundDataTransferDestinations": "managedApps", "minimumPinLength": 10,
        "printBlocked": False, "allowedInboundDataTransferSources": "allApps",
        "minimumRequiredOsVersion": "17.6"},
    3: {"allowedOutboundDataTransferDestinations": "managedApps", "minimumPinLength": 10,
        "printBlocked": True, "allowedInboundDataTransferSources": "managedApps",
        "minimumWipeOsVersion": "16.0"},
}


class Levels(EnrollmentCase):
    """Without any probe: closed, told why and what to do, and never wiped. With them: open."""

    settings = {}
    # What init writes.
    policy = None

    def try_level(self, level):
        ctl = self.workspace.serving
        self.workspace.mount().register()
        self.file = self.write(self.workspace.path("file"), b"content")
        imported = ctl("policy", "import", LEVELS / f"level-{level}.json", "--confirm", "1")
        self.assertIn("here it means to block: deviceComplianceRequired", imported.stderr)
        ctl("account", "check-in")
        shown = json.loads(ctl("policy", "show", ANN, "--json").stdout)["rules"]
        self.assertEqual({key: shown[key]["value"] for key in SHOWN[level]}, SHOWN[level])
        result = ctl("unlock", ANN, "--passfile", self.workspace.passfile, status=CLOSED)
        self.assertIn("Probes.", result.stderr)
        self.workspace.unmount()
        settings = self.workspace.policies.parent / "settings.json"
        settings.write_text(json.dumps({**json.loads(settings.read_text()), **PROBES}))
        self.workspace.mount()
        self.workspace.unlock()
        ctl("compliance", "check", ANN)
        if SHOWN[level]["allowedOutboundDataTransferDestinations"] == "allApps":
            self.assertNotIn("run --contained", imported.stderr)
            self.assertEqual(self.file.read_bytes(), b"content")
            return
        # The organisation keeps its data: only contained programs read it.
        self.assertIn("mamctl run --contained", imported.stderr)
        self.assertRaises(PermissionError, self.file.read_bytes)
        subprocess.run(
            ["mamctl", "run", "--workspace", self.workspace.name, "--contained", "--",
             "grep", "-qx", "content", self.file],
            env=self.workspace.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, check=True, timeout=60)

    def test_level_1(self):
        self.try_level(1)

    def test_level_2(self):
        self.try_level(2)

    def test_level_3(self):
        self.try_level(3)


if __name__ == "__main__":
    unittest.main()
