"""A document that closes an account says so: before it is imported, and afterwards."""
import json
import unittest

from enrolling import EnrollmentCase
from terminal import Terminal
from workspace import ANN, NO


class Closes(EnrollmentCase):
    def setUp(self):
        super().setUp()
        self.set_policy()
        self.workspace.mount().register(extra=["--no-passphrase"])
        self.document = self.workspace.root / "level2.json"
        self.document.write_text(json.dumps({**self.policy, "pinRequired": True}))
        self.stored = self.workspace.policies / self.document.name

    def imported(self, *options):
        return self.workspace.serving("policy import", self.document, *options)

    def test_a_trial_and_the_import_tell_it(self):
        reason = "policy requires a passphrase (pinRequired)"
        told = self.imported("--dry-run").stderr
        self.assertIn(f"it would close {ANN}: {reason}", told)
        (closed,) = json.loads(self.imported("--dry-run", "--json").stdout)["closes"]
        self.assertEqual(closed["account"], ANN)
        self.assertEqual(self.block(), "")
        told = self.imported().stderr
        self.assertIn(f"it closes {ANN}: {reason}", told)
        self.assertIn(f"rm {self.stored}", told)
        self.assertEqual(self.block(), "passphrase")
        # What is closed already is not closed again.
        self.assertNotIn("it closes", self.imported().stderr)
        self.stored.unlink()
        self.workspace.serving("account check-in")
        self.assertEqual(self.block(), "")

    def test_a_person_is_asked(self):
        for answer, status in (("no", NO), ("yes", 0)):
            terminal = Terminal(
                ["mamctl", "policy", "import", self.document], self.workspace.environment,
                columns=300)
            terminal.read(until=b"Type yes to continue")
            self.assertIn(f"it would close {ANN}".encode(), terminal.shown)
            self.assertFalse(self.stored.exists())
            terminal.type(answer + "\n")
            self.assertEqual(terminal.finish()[0], status)
        self.assertTrue(self.stored.exists())

    def test_one_that_closes_nothing_asks_nothing(self):
        self.document.write_text(json.dumps({**self.policy, "printBlocked": True}))
        terminal = Terminal(
            ["mamctl", "policy", "import", self.document], self.workspace.environment)
        status, shown = terminal.finish()
        self.assertEqual(status, 0, shown)
        self.assertNotIn("would close", shown)


if __name__ == "__main__":
    unittest.main()
