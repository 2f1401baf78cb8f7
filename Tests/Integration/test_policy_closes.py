"""A document that would close an account says so and asks, before it is imported."""
import json
import unittest

from enrolling import EnrollmentCase
from terminal import Terminal
from workspace import ANN, CLOSED, DONE, NO, USAGE


class Closes(EnrollmentCase):
    def setUp(self):
        super().setUp()
        self.set_policy()
        self.workspace.mount().register(extra=["--no-passphrase"])
        self.document = self.workspace.root / "level2.json"
        self.document.write_text(json.dumps({**self.policy, "pinRequired": True}))
        self.stored = self.workspace.policies / self.document.name
        self.would_close = f"it would close {ANN}: policy requires a passphrase (pinRequired)"

    def imported(self, *options, status=DONE):
        return self.workspace.serving("policy import", self.document, *options, status=status)

    def assert_open(self):
        self.assertFalse(self.stored.exists())
        self.assertIsNone(self.block())

    def test_a_trial_tells_it(self):
        self.assertIn(self.would_close, self.imported("--dry-run").stderr)
        (closed,) = json.loads(self.imported("--dry-run", "--json").stdout)["closes"]
        self.assertEqual(closed["account"], ANN)
        self.assert_open()

    def test_a_script_gives_their_number(self):
        for options, status, words in (
                ((), USAGE, "add --confirm 1"), (("--json",), USAGE, "add --confirm 1"),
                (("--confirm", "2"), NO, "not imported"), (("--confirm", "yes"), NO, "--dry-run")):
            refused = self.imported(*options, status=status)
            self.assertIn(words, refused.stderr + refused.stdout)
            self.assertIn(self.would_close, refused.stderr)
            self.assert_open()
        told = self.imported("--confirm", "1").stderr
        self.assertIn(self.would_close, told)
        self.assertIn(f"rm {self.stored}", told)
        self.assertEqual(self.block(), "passphrase")
        refused = self.workspace.serving("unlock", ANN, status=CLOSED).stderr
        self.assertIn(f"try: mamctl account passphrase {ANN}", refused)
        # What is closed already is not closed again.
        self.assertNotIn("it would close", self.imported().stderr)
        self.stored.unlink()
        self.workspace.serving("account check-in")
        self.assertIsNone(self.block())

    def test_a_person_is_asked(self):
        for answer, status in (("no", NO), ("yes", 0)):
            terminal = Terminal(
                ["mamctl", "policy", "import", self.document], self.workspace.environment,
                columns=300)
            terminal.read(until=b"Type yes to continue")
            self.assertIn(self.would_close.encode(), terminal.shown)
            self.assert_open()
            terminal.type(answer + "\n")
            self.assertEqual(terminal.finish()[0], status)
        self.assertTrue(self.stored.exists())

    def test_a_passphrase_that_may_be_too_weak_is_announced(self):
        """Only the next unlock can tell, and closes the account then."""
        self.workspace.serving(
            "account passphrase", "--new-passfile", self.workspace.passfile)
        told = f"the next unlock of {ANN} checks its passphrase against other rules"
        self.document.write_text(
            json.dumps({**self.policy, "pinRequired": True, "minimumPinLength": 60}))
        self.assertIn(told, self.imported("--dry-run").stderr)
        self.assertIn(told, self.imported().stderr)
        self.assertNotIn(told, self.imported().stderr)
        self.assertIsNone(self.block())
        self.workspace.serving("lock", ANN, "--now")
        refused = self.workspace.serving(
            "unlock", ANN, "--passfile", self.workspace.passfile, status=CLOSED).stderr
        self.assertIn("it needs at least 60 characters", refused)
        self.assertIn(f"try: mamctl account passphrase {ANN}", refused)

    def test_one_that_closes_nothing_asks_nothing(self):
        self.document.write_text(json.dumps({**self.policy, "printBlocked": True}))
        terminal = Terminal(
            ["mamctl", "policy", "import", self.document], self.workspace.environment)
        status, shown = terminal.finish()
        self.assertEqual(status, 0, shown)
        self.assertNotIn("would close", shown)


if __name__ == "__main__":
    unittest.main()
