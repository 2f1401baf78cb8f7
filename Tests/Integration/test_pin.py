"""The rules of policy for passphrases, what too many wrong ones cost, and how they end."""
import errno
import unittest

from enrolling import DAY, EnrollmentCase
from terminal import Terminal
from workspace import ANN, CLOSED, NO, REFUSED, WRONG_PASSPHRASE, wait_until

PIN = {"pinRequired": True, "minimumPinLength": 6, "simplePinBlocked": True, "maximumPinRetries": 3}


class Pins(EnrollmentCase):
    def change(self, old, new, status=0):
        return self.workspace.serving(
            "account passphrase", ANN, "--passfile", self.workspace.secret("old", old),
            "--new-passfile", self.workspace.secret("new", new), status=status)

    def test_a_new_passphrase_must_be_what_policy_wants(self):
        self.set_policy(**PIN)
        self.workspace.mount()
        result = self.workspace.serving("account register", ANN, "--no-passphrase", status=REFUSED)
        self.assertIn("pinRequired", result.stderr)
        self.assertIn("try: mamctl policy show", result.stderr)
        for bad, rule in (
                ("15937", "minimumPinLength"), ("159123", "simplePinBlocked"),
                ("111593", "simplePinBlocked")):
            result = self.workspace.serving(
                "account register", ANN, "--passfile", self.workspace.secret("bad", bad),
                status=REFUSED)
            self.assertIn(rule, result.stderr)
            self.assertIn("try: mamctl policy show", result.stderr)
            self.assertNotIn(bad, result.stderr)
        self.assertIsNone(self.workspace.account())
        self.workspace.register(passfile=self.workspace.secret("good", "159371"))
        self.change("159371", "12", status=REFUSED)
        self.workspace.serving(
            "account passphrase", ANN, "--passfile", self.workspace.secret("good", "159371"),
            "--no-passphrase",
            status=REFUSED)
        self.change("159371", "951735")

    def test_words_may_have_sequences_where_policy_counts_the_rest(self):
        words = self.workspace.secret("words", "my first student is federal weapons expert")
        self.set_policy(**PIN)
        self.workspace.mount()
        result = self.workspace.serving(
            "account register", ANN, "--passfile", words, status=REFUSED)
        self.assertIn("its characters 6 to 8 are equal or neighbours", result.stderr)
        self.workspace.unmount()
        self.set_policy(**PIN, mamdLongPinLength=16)
        self.workspace.mount()
        self.workspace.serving("account register", ANN, "--passfile", words)

    def test_earlier_ones_cannot_be_taken_again(self):
        self.set_policy(**PIN, previousPinBlockCount=2)
        self.workspace.mount().register(passfile=self.workspace.secret("alpha", "alpha words"))
        self.change("alpha words", "alpha words", status=REFUSED)
        self.change("alpha words", "gamma words")
        self.workspace.unmount()
        self.workspace.mount()
        told = self.change("gamma words", "alpha words", status=REFUSED).stderr
        self.assertIn("previousPinBlockCount", told)
        # As of any other that is not good enough: so a terminal asks for another.
        self.assertIn("try: mamctl policy show", told)
        self.change("gamma words", "omega words")
        # Two back is too new, three back is not.
        self.change("omega words", "gamma words", status=REFUSED)
        self.change("omega words", "alpha words")

    def test_too_many_wrong_ones_lock_out_until_login(self):
        self.begin(**PIN)
        self.workspace.lock()
        for number in range(3):
            told = self.wrong(number)
            self.assertEqual(told.returncode, WRONG_PASSPHRASE)
            self.assertEqual(self.block(), "lockedOut" if number == 2 else None)
            self.assertEqual("enter it again" in told.stderr, number < 2)
        self.assertIn("the account is closed until a login", told.stderr)
        self.assertIn(f"mamctl account login {ANN}", told.stderr)
        self.assertIn(f"if it is forgotten: mamctl account passphrase {ANN} --export", told.stderr)
        self.assert_closed("lockedOut", errno.ENOKEY)
        self.advance(3600)
        self.workspace.unlock(status=CLOSED)
        self.workspace.unmount()
        self.workspace.mount()
        self.workspace.unlock(status=CLOSED)
        self.change("correct horse battery staple", "something else", status=CLOSED)
        self.advance(3600)
        self.assertEqual(self.wrong(9, "account login").returncode, WRONG_PASSPHRASE)
        self.assertEqual(self.block(), "lockedOut")
        self.advance(3600)
        self.workspace.serving("account login", ANN, "--passfile", self.workspace.passfile)
        self.assert_open()

    def test_or_wipe(self):
        self.begin(**PIN, appActionIfMaximumPinRetriesExceeded="wipe")
        self.workspace.lock()
        told = [self.wrong(number).stderr for number in range(3)]
        self.assertIn("2 more wrong passphrases destroy the account's keys and files", told[0])
        self.assertIn("the next wrong passphrase destroys the account's keys and files", told[1])
        self.assertIn("its keys and files are destroyed", told[2])
        self.assertNotIn("enter it again", told[2])
        self.assertIsNone(self.workspace.account())
        self.assertFalse(self.file.exists() or self.always.exists())

    def begin_last_try(self, **rules):
        """Locked, and one more wrong passphrase has its consequence."""
        self.begin(**{**PIN, "maximumPinRetries": 2, **rules})
        self.workspace.lock()
        self.assertIsNone(self.workspace.account()["lastTry"])
        self.wrong(1)
        self.advance(self.workspace.account()["retryAfterSeconds"])

    def unlock_on_terminal(self, *words):
        return Terminal(["mamctl", *words, ANN], self.workspace.environment, columns=200)

    def test_the_last_try_is_told_before_it_is_made(self):
        self.begin_last_try(appActionIfMaximumPinRetriesExceeded="wipe")
        self.assertEqual(self.workspace.account()["lastTry"], "wiped")
        warning = f"One more wrong passphrase wipes {ANN}: its files here are destroyed."
        # Nobody is asked where nobody answers: the right one is to open it.
        wrong = self.workspace.secret("wrong", "not it, 2")
        told = self.workspace.serving(
            "unlock", ANN, "--no-last-try", "--passfile", wrong, status=REFUSED).stderr
        self.assertIn(f"{warning} No passphrase was tried.", told)
        self.assertIn(f"try: mamctl unlock {ANN}", told)
        self.assertIn(f"mamctl: {warning}\n", self.workspace.unlock().stderr)
        self.assertIsNone(self.workspace.account()["lastTry"])
        self.assertEqual(self.workspace.unlock().stderr, "")

    def test_a_terminal_asks_before_the_last_try(self):
        self.begin_last_try(appActionIfMaximumPinRetriesExceeded="wipe")
        question = f"wipes {ANN}: its files here are destroyed. Type yes to continue: ".encode()
        for words in (
                ("unlock",), ("account", "login"), ("account", "passphrase"),
                ("account", "export", "-o", self.workspace.root / "out.keys"),
                ("unlock", "--passfile", self.workspace.secret("wrong", "not it, 2"))):
            terminal = self.unlock_on_terminal(*words)
            terminal.read(until=question)
            terminal.type("y\n")
            status, shown = terminal.finish()
            self.assertEqual(status, REFUSED, shown)
            self.assertIn(f"{ANN}: no passphrase was tried", shown)
            self.assertNotIn("Passphrase of", shown)
        terminal = self.unlock_on_terminal("unlock")
        terminal.read(until=question)
        terminal.type("\x04")
        status, shown = terminal.finish()
        self.assertEqual(status, NO, shown)
        self.assertNotIn("Passphrase of", shown)
        self.assertEqual(self.workspace.account()["lastTry"], "wiped")
        terminal = self.unlock_on_terminal("unlock")
        terminal.read(until=question)
        terminal.type("yes\n")
        terminal.read(until=b"Passphrase of")
        wait_until(terminal.hides_typing)
        terminal.type("not it, 3\n")
        status, shown = terminal.finish()
        self.assertEqual(status, WRONG_PASSPHRASE)
        self.assertIn("once too often: its keys and files are destroyed", shown)
        self.assertIsNone(self.workspace.account())

    def test_a_last_try_before_a_lock_out(self):
        self.begin_last_try()
        self.assertEqual(self.workspace.account()["lastTry"], "lockedOut")
        self.assertIn(
            f"One more wrong passphrase closes {ANN} until mamctl account login.\n",
            self.wrong(2).stderr)
        self.assertEqual(self.block(), "lockedOut")
        # A login has as many as anybody likes.
        self.assertIsNone(self.workspace.account()["lastTry"])
        self.assertNotIn("One more", self.wrong(3, "account login").stderr)

    def test_one_that_is_not_good_enough_any_more_is_changed_at_the_next_unlock(self):
        self.begin()
        self.set_policy(**PIN, pinCharacterSet="alphanumericAndSymbol")
        self.workspace.serving("account check-in")
        # Nobody has seen it yet.
        self.assert_open()
        self.workspace.lock()
        result = self.workspace.unlock(status=CLOSED)
        self.assertIn("mamctl account passphrase", result.stderr)
        self.assert_closed("passphrase", errno.ENOKEY)
        self.change("correct horse battery staple", "1 correct-horse")
        self.workspace.unlock(passfile=self.workspace.secret("now", "1 correct-horse"))
        self.assert_open()

    def test_an_account_without_one_is_blocked_until_it_has_one(self):
        self.set_policy()
        self.workspace.mount().register(extra=["--no-passphrase"])
        self.file = self.workspace.path("file")
        self.file.write_bytes(b"content")
        self.set_policy(**PIN)
        self.workspace.serving("account check-in")
        self.assertEqual(self.block(), "passphrase")
        with self.refused(errno.ENOKEY):
            self.file.read_bytes()
        self.workspace.serving("account passphrase", ANN, "--new-passfile", self.workspace.passfile)
        self.workspace.unlock()
        self.assertEqual(self.file.read_bytes(), b"content")

    def test_it_expires(self):
        self.begin(**PIN, periodBeforePinReset="P90D")
        self.advance(90 * DAY - 60)
        self.assertIsNone(self.block())
        self.advance(60)
        self.assert_closed("passphrase", errno.ENOKEY)
        self.change("correct horse battery staple", "another horse")
        self.workspace.unlock(passfile=self.workspace.secret("now", "another horse"))
        self.assert_open()

    def test_unused_for_long_it_is_asked_for_anew(self):
        self.begin(**PIN, periodOnlineBeforeAccessCheck="PT30M")
        self.advance(1740)
        self.assert_open()
        self.advance(1740)
        # Was used meanwhile.
        self.assert_open()
        self.answer("AdvanceClock", seconds=1)
        self.advance(1800)
        self.assert_closed("recheck", errno.EKEYEXPIRED)
        self.workspace.unlock()
        self.assert_open()


if __name__ == "__main__":
    unittest.main()
