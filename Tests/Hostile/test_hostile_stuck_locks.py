"""A user whose program does not let go of a file holds up its own lock, and nobody else's."""
import pathlib
import subprocess
import sys
import threading
import time
import unittest

from hostile import ATTACKER, ATTACKERS_NAME, VICTIM, VICTIMS_NAME, wait_until
from shares_case import SharesCase

# It times answers.
TIMED = True

USERS = pathlib.Path(__file__).resolve().parents[1] / "Integration" / "file_users.py"


class Locks(SharesCase):
    """One user's program does not let go of one of its files."""

    settings = {"LockGraceSeconds": 0, "LockDeadlineSeconds": 6}

    def setUp(self):
        super().setUp()
        path = self.write_as(ATTACKER, self.home(ATTACKER, "stuck"), b"x" * 4096)
        # A user without userfaultfd has memory of a file system of its own: the same to the kernel.
        self.program = subprocess.Popen(
            ["setpriv", f"--reuid={ATTACKER}", f"--regid={ATTACKER}", "--clear-groups",
             "--inh-caps=+sys_ptrace", "--ambient-caps=+sys_ptrace",
             sys.executable, "-B", USERS, "write-slowly", path],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end)
        self.assertEqual(self.program.stdout.readline(), "ready\n")

    def end(self):
        self.program.kill()
        self.program.communicate()
        for uid, name in ((VICTIM, VICTIMS_NAME), (ATTACKER, ATTACKERS_NAME)):
            self.unlock(uid, name)

    def in_thread(self, client, method, **parameters):
        """A call that takes its time; returns when it took what it took."""
        took = []

        def run():
            start = time.monotonic()
            client.call(method, **parameters)
            took.append(time.monotonic() - start)

        thread = threading.Thread(target=run)
        thread.start()
        self.addCleanup(thread.join)
        return thread, took

    def test_its_own_lock_delays_no_other(self):
        thread, took = self.in_thread(
            self.client(ATTACKER), "Workspace.Lock", account=ATTACKERS_NAME, now=True)
        self.assert_bounded(count=1)
        self.assertTrue(thread.is_alive(), "the lock was not held up")
        thread.join()
        self.assertGreater(took[0], 2)

    def test_a_lock_of_all_locks_the_others_at_once(self):
        thread, took = self.in_thread(self.client(0), "Workspace.Lock", now=True)
        wait_until(lambda: self.state(VICTIMS_NAME) == "locked" or not thread.is_alive())
        # The one that is in the way is waited for still.
        self.assertTrue(thread.is_alive(), "the victim's account was open as long")
        thread.join()
        self.assertLess(took[0], 60)
        self.assertEqual(self.state(ATTACKERS_NAME), "locked")

    def test_its_wipe_delays_no_other(self):
        with self.client(ATTACKER) as client:
            # One of its own that stands in the way of none but itself.
            thread, _ = self.in_thread(client, "Workspace.Lock", account=ATTACKERS_NAME, now=True)
            self.assert_bounded(count=1)
            thread.join()


if __name__ == "__main__":
    unittest.main()
