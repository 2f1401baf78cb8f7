"""A user whose programs are refused as often as they can ask: files of its locked account, and
calls. Each refusal is recorded or counted, and nobody else waits for it."""
import contextlib
import json
import unittest

from hostile import (
    ATTACKER, ATTACKERS_NAME, STRANGER, VICTIMS_NAME, as_user, in_background, wait_until)
from shares_case import SharesCase

# It times answers.
TIMED = True

# More than there are separate records of a user's, and than of all users': docs/adr/0036.
FILES, FILES_OF_PROGRAM = 4200, 600


class Refusals(SharesCase):
    settings = {"LockGraceSeconds": 0}

    def setUp(self):
        super().setUp()
        self.count, self.rate = 0, 0.0
        self.files = [self.home(ATTACKER, f"closed-{number}") for number in range(FILES)]

        def make():
            for file in self.files:
                file.touch()
        if not self.files[0].exists():
            self.assertEqual(as_user(ATTACKER, make), 0)
        with self.client(ATTACKER) as client:
            client.call("Workspace.Lock", account=ATTACKERS_NAME, now=True)
        self.addCleanup(self.unlock, ATTACKER, ATTACKERS_NAME)

    @contextlib.contextmanager
    def refused_opens(self):
        """The account's files, by programs that have some each. At the end `count` is how many
        were refused, and `rate` how many in a second."""
        with contextlib.ExitStack() as stack:
            programs = [
                stack.enter_context(in_background(
                    ATTACKER, "open_closed", *self.files[start : start + FILES_OF_PROGRAM]))[0]
                for start in range(0, FILES, FILES_OF_PROGRAM)]
            yield
            for program in programs:
                program.terminate()
            told = [program.stdout.read().split() for program in programs]
        self.count = sum(int(count) for count, _ in told)
        self.rate = sum(int(count) / float(seconds) for count, seconds in told)

    def refused_calls(self):
        return self.flood(STRANGER, self.frame("Workspace.Lock", account=VICTIMS_NAME), 64)

    def refused(self):
        """How many opens of the attacker's the audit has recorded or counted."""
        told = self.workspace.serving("audit", "--json", "--event", "refused").stdout.splitlines()
        return sum(
            record.get("count", 1) for record in map(json.loads, told)
            if record.get("uid") == ATTACKER)

    def test_of_opens_hold_up_nobody(self):
        before = self.refused()
        with self.refused_opens():
            self.assert_bounded()
        self.assertGreaterEqual(self.count, FILES)
        wait_until(
            lambda: self.refused() - before >= self.count, message="not all are in the audit")
        self.assert_small()

    def test_of_calls_hold_up_nobody(self):
        with self.refused_calls():
            self.assert_bounded()
        self.assert_small()


if __name__ == "__main__":
    unittest.main()
