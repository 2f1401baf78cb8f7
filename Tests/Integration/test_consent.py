"""Changed policies and a CheckIn hook that has not agreed to them."""
import json
import os
import tempfile
import unittest

from enrolling import DEBUG, EnrollmentCase
from running import PREFIX
from workspace import ANN, REFUSED, wait_until


class ConsentCase(EnrollmentCase):
    def settings_of_test(self):
        # Outside the workspace, whose directory is not known before its settings are.
        with tempfile.NamedTemporaryFile("w", prefix=PREFIX, suffix="answer", delete=False) as file:
            self.answer_file = file.name
        self.addCleanup(os.unlink, self.answer_file)
        self.say(0)
        return {
            **self.settings,
            "Hooks": {"CheckIn": ["/bin/sh", "-c", 'exit $(cat "$0")', self.answer_file]}}

    def say(self, status):
        with open(self.answer_file, "w") as file:
            file.write(str(status))

    def put(self, name="default.json", **rules):
        """Whole: one that is half written would be a change, too."""
        new = self.workspace.root / "new"
        new.write_text(json.dumps({**self.policy, **rules}))
        new.rename(self.workspace.policies / name)

    def refused(self):
        shown = json.loads(self.workspace.serving("policy show", "--json").stdout)
        return {refused["file"]: refused for refused in shown["refused"]}

    def await_refused(self, reason, *names):
        wait_until(
            lambda: {name for name, file in self.refused().items() if reason in file["reason"]}
            == set(names), message=f"not held back: {names}")

    def assert_print(self, allowed):
        self.workspace.serving(
            "can print", "--account", ANN, status=0 if allowed else REFUSED)


class Consent(ConsentCase):
    def test_a_change_counts_once_the_hook_agrees(self):
        self.begin()
        self.say(1)
        self.put(printBlocked=True)
        self.await_refused("CheckIn hook", "default.json")
        self.assertTrue(self.refused()["default.json"]["lastGoodInForce"])
        self.assert_print(allowed=True)
        # A start has not asked it yet.
        self.workspace.remount()
        self.assert_print(allowed=True)
        self.await_refused("CheckIn hook", "default.json")
        self.assert_print(allowed=True)
        self.say(0)
        self.workspace.serving("account check-in")
        self.assert_print(allowed=False)
        self.assertEqual(self.refused(), {})
        # Agreed to once, it stays over a start whatever the hook says.
        self.say(1)
        self.workspace.remount()
        self.assert_print(allowed=False)

    def test_what_is_removed_stays_in_force_until_then(self):
        self.begin(printBlocked=True)
        self.say(75)
        (self.workspace.policies / "default.json").unlink()
        self.await_refused("removal", "default.json")
        self.assert_print(allowed=False)
        self.assertEqual(self.workspace.account()["stage"], "enrolled")
        self.say(0)
        self.workspace.serving("account check-in")
        self.assertEqual(self.workspace.account()["stage"], "registered")
        self.assertEqual(self.refused(), {})

    def test_a_change_that_is_taken_back_leaves_nothing(self):
        self.begin()
        self.say(1)
        self.put("more.json", printBlocked=True)
        self.await_refused("CheckIn hook", "more.json")
        self.assertFalse(self.refused()["more.json"]["lastGoodInForce"])
        (self.workspace.policies / "more.json").unlink()
        self.await_refused("")
        self.assert_print(allowed=True)

    def test_an_import_says_that_it_is_held_back(self):
        self.begin()
        export = self.workspace.root / "export.json"
        export.write_text(json.dumps({**self.policy, "printBlocked": True}))
        self.say(1)
        refusal = self.workspace.serving("policy import", export, status=REFUSED).stderr
        self.assertIn("held back", refusal)
        self.assert_print(allowed=True)
        self.say(0)
        self.workspace.serving("policy import", export)
        self.assert_print(allowed=False)

    def test_a_bad_document_beside_it_does_not_keep_the_hook_from_being_asked(self):
        self.begin()
        (self.workspace.root / "bad").write_text("{}{")
        (self.workspace.root / "bad").rename(self.workspace.policies / "bad.json")
        self.await_refused("not JSON", "bad.json")
        self.put(printBlocked=True)
        wait_until(lambda: self.workspace.serving(
            "can print", "--account", ANN, status=None).returncode == REFUSED)

    def test_an_order_to_wipe_does_not_wait(self):
        self.begin()
        self.say(1)
        order = {"@odata.type": "#mamd.wipeRequest", "id": "1", "account": ANN}
        (self.workspace.root / "order").write_text(json.dumps(order))
        (self.workspace.root / "order").rename(self.workspace.policies / "order.json")
        # The account goes first, its files after that.
        wait_until(lambda: self.workspace.account() is None and not self.file.exists())


class KnownAccounts(ConsentCase):
    settings = {
        **DEBUG, "AutoEnrollOnLaunch": True, "Groups": {"g": [ANN]},
        "AccountUsers": {ANN: os.getuid()}}

    def test_whom_the_change_covers_is_registered_then(self):
        document = self.workspace.policies / "default.json"
        aside = document.rename(self.workspace.root / "aside.json")
        self.workspace.mount()
        self.say(1)
        aside.rename(document)
        self.await_refused("CheckIn hook", "default.json")
        self.assertIsNone(self.workspace.account())
        self.say(0)
        self.workspace.serving("account check-in")
        wait_until(lambda: self.workspace.account() is not None)


if __name__ == "__main__":
    unittest.main()
