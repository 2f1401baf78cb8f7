"""A forgotten passphrase: an export of the account's keys gives it a new one, in place."""
import errno
import unittest

from audit_files import records
from enrolling import EnrollmentCase
from socket_client import Client, Refusal
from terminal import Terminal
from workspace import (
    ANN, BOB, CLOSED, DONE, NOT_FOUND, REFUSED, USAGE, WRONG_PASSPHRASE, Workspace, tree_digest,
    wait_until)

PIN = {"pinRequired": True, "minimumPinLength": 6, "maximumPinRetries": 3}
WORDS = "the words for the export"
NEW = "other words than before"


class Forgotten(EnrollmentCase):
    def setUp(self):
        super().setUp()
        self.keys = self.workspace.root / "ann.keys"
        self.strong = self.workspace.secret("strong", WORDS)
        self.new = self.workspace.secret("new", NEW)

    def begin(self, **rules):
        super().begin(**rules)
        self.export(self.keys)
        self.workspace.lock()

    def export(self, path, account=ANN, *options):
        self.workspace.serving(
            "account export", account, "-o", path, "--passfile", self.workspace.passfile,
            "--export-passfile", self.strong, *options)

    def reset(self, *options, keys=None, status=DONE, new=None):
        return self.workspace.serving(
            "account passphrase", "--export", keys or self.keys, "--export-passfile",
            self.strong, "--new-passfile", new or self.new, *options, status=status)

    def unlock_old(self):
        wait_until(lambda: self.workspace.account()["retryAfterSeconds"] == 0)
        return self.workspace.unlock(status=WRONG_PASSPHRASE)

    def test_files_and_keys_stay_and_wrong_ones_are_forgotten(self):
        self.begin()
        before = tree_digest(self.workspace.backing)
        account = self.workspace.account()["id"]
        self.assertEqual(self.wrong(1).returncode, WRONG_PASSPHRASE)
        told = self.reset().stdout
        self.assertEqual(
            told, f"{ANN}: passphrase reset; mamctl unlock opens it with the new one\n")
        self.assertEqual(self.workspace.account()["state"], "locked")
        self.assertEqual(self.workspace.account()["retryAfterSeconds"], 0)
        self.unlock_old()
        wait_until(lambda: self.workspace.account()["retryAfterSeconds"] == 0)
        self.workspace.unlock(passfile=self.new)
        self.assert_open()
        self.assertEqual(self.workspace.account()["id"], account)
        self.workspace.lock()
        self.assertEqual(tree_digest(self.workspace.backing), before)
        self.workspace.unmount()
        self.workspace.mount().unlock(passfile=self.new)
        self.assert_open()
        (record,) = records(self.workspace, "--event", "passphrase-changed")
        self.assertEqual((record["account"], record["reason"]), (ANN, "reset with an export"))
        # The export is as good as before.
        self.reset(new=self.workspace.passfile)
        self.workspace.unlock()

    def test_another_accounts_and_an_older_export_are_refused_by_name(self):
        self.set_policy()
        self.workspace.mount().register(extra=["--no-passphrase"])
        older = self.workspace.root / "older.keys"
        self.workspace.serving(
            "account export", ANN, "-o", older, "--export-passfile", self.strong)
        self.workspace.serving("account passphrase", ANN, "--new-passfile", self.workspace.passfile)
        self.workspace.register(BOB)
        bobs = self.workspace.root / "bob.keys"
        self.export(bobs, BOB)
        self.workspace.lock()
        state = tree_digest(self.workspace.state / "keybags")
        self.assertIn(
            f"older.keys: it is older than the keys that {ANN}",
            self.reset(keys=older, status=REFUSED).stderr)
        self.assertIn(
            f"bob.keys has the keys of {BOB}", self.reset(ANN, keys=bobs, status=REFUSED).stderr)
        other = Workspace().init().mount().register()
        self.addCleanup(other.close)
        strange = other.root / "strange.keys"
        other.serving(
            "account export", ANN, "-o", strange, "--passfile", other.passfile,
            "--export-passfile", self.strong)
        told = self.reset(keys=strange, status=NOT_FOUND).stderr
        self.assertIn(f"strange.keys has the keys of {ANN}", told)
        self.assertIn("mamctl account import", told)
        with Client(self.workspace.socket) as client, open(strange, "rb") as file:
            with self.assertRaisesRegex(Refusal, "and not those of"):
                client.call(
                    "Recovery.ResetPassphrase", [file.fileno()], account=ANN, fileDescriptor=0,
                    exportPassphrase=WORDS, passphrase=NEW)
        self.assertEqual(tree_digest(self.workspace.state / "keybags"), state)
        self.workspace.unlock()

    def test_a_wrong_passphrase_of_the_export_counts_nowhere(self):
        self.begin(**{**PIN, "maximumPinRetries": 1})
        wrong = self.workspace.secret("wrong", "no such words")
        for _ in range(2):
            self.assertEqual(
                self.workspace.serving(
                    "account passphrase", "--export", self.keys, "--export-passfile", wrong,
                    "--new-passfile", self.new, status=WRONG_PASSPHRASE).stderr,
                f"mamctl: {self.keys}: wrong passphrase\n  try: enter it again\n")
        self.assertEqual(self.workspace.account()["retryAfterSeconds"], 0)
        self.workspace.unlock()
        self.assert_open()

    def test_a_person_types_a_better_one(self):
        self.begin(**PIN)
        terminal = Terminal(
            ["mamctl", "account", "passphrase", "--export", self.keys, "--export-passfile",
             self.strong], self.workspace.environment, columns=200)
        for words in ("short", NEW):
            for question in (f"New passphrase of {ANN}", "Again"):
                terminal.read(until=question.encode())
                terminal.shown = b""
                wait_until(terminal.hides_typing)
                terminal.type(words + "\n")
        status, shown = terminal.finish(60)
        self.assertEqual(status, DONE, shown)
        self.workspace.unlock(passfile=self.new)

    def test_policys_rules_hold_and_a_lock_out_takes_a_login(self):
        self.begin(**PIN)
        weak = self.workspace.secret("weak", "short")
        self.assertIn("minimumPinLength", self.reset(new=weak, status=REFUSED).stderr)
        for number in range(3):
            self.wrong(number)
        self.assert_closed("lockedOut", errno.ENOKEY)
        self.assertIn("reset; mamctl account login opens it with the new one", self.reset().stdout)
        self.assert_closed("lockedOut", errno.ENOKEY)
        self.workspace.unlock(passfile=self.new, status=CLOSED)
        self.workspace.serving("account login", ANN, "--passfile", self.new)
        self.assert_open()

    def test_one_that_the_organisation_can_open(self):
        key, record = (self.workspace.root / name for name in ("org.key", "records"))
        public = self.workspace.ctl(
            "recovery", "keygen", "-o", key, "--no-passphrase").stdout.strip()
        self.begin(mamdRecoveryPublicKey=public)
        (record,) = (self.workspace.backing / ".mamd" / "recovery").iterdir()
        new = ("--new-passfile", self.new)
        self.workspace.serving(
            "account passphrase", ANN, "--export", record, "--recovery-key", key, *new)
        self.workspace.unlock(passfile=self.new)
        self.assert_open()

    def test_what_excludes_each_other(self):
        super().begin()
        self.reset("--passfile", self.new, status=USAGE)
        told = self.workspace.serving(
            "account passphrase", "--export-passfile", self.strong, status=USAGE).stderr
        self.assertIn("--export-passfile needs --export", told)


if __name__ == "__main__":
    unittest.main()
