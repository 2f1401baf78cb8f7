"""What tests of an administrator's verbs share: an organisation's directory, and no daemon."""
import json
import unittest

from fleet_directory import Directory
from workspace import DONE, Workspace


class FleetCase(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        self.organization = Directory(self.workspace.root / "org")

    def fleet(self, *words, status=DONE, **options):
        return self.workspace.ctl(
            "fleet", words[0], *words[1:], "--organization", self.organization.path,
            status=status, **options)

    def json(self, *words, status=DONE):
        return json.loads(self.fleet(*words, "--json", status=status).stdout)

    def machines(self):
        return {found["name"]: found for found in self.json("status", "--all")["machines"]}

    def why(self, name):
        """The kinds and the texts of what its line tells."""
        found = self.machines()[name]
        return (
            found["state"], [reason["kind"] for reason in found["attention"]],
            " ".join(reason["text"] for reason in found["attention"]))
