"""Identities of a user without an account: as many as it gets, for threads, children and long
families. Nobody else's calls wait while the daemon finds out who is who."""
import contextlib
import os
import signal
import subprocess
import unittest

from hostile import STRANGER, HostileCase, command_as

THREADS = 5000
# Of one process, docs/PROTOCOL.md.
THREADS_OF_PROCESS = 256


class Identities(HostileCase):
    def setUp(self):
        self.file = self.home(STRANGER, "small")
        self.write_as(STRANGER, self.file, b"small\n")
        self.quiet = self.quiet_times()

    @contextlib.contextmanager
    def attack(self, *numbers):
        """Yields how many threads got one."""
        child = subprocess.Popen(
            command_as(
                STRANGER, "many_identities", self.workspace.socket, *map(str, numbers), self.file),
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            yield int(child.stdout.readline())
        finally:
            # With its descendants.
            os.killpg(child.pid, signal.SIGKILL)
            child.stdout.close()
            child.wait(60)

    def test_threads_with_identities_hold_up_nobody(self):
        with self.attack(THREADS, 40, 0) as given:
            self.assert_bounded(self.quiet)
            self.assertEqual(given, THREADS_OF_PROCESS)
        self.assert_small()

    def test_long_families_hold_up_nobody(self):
        with self.attack(THREADS, 4, 1000):
            self.assert_bounded(self.quiet)
        self.assert_small()

    def test_families_longer_than_any_hold_up_nobody(self):
        with self.attack(1, 4, 1100):
            self.assert_bounded(self.quiet)


if __name__ == "__main__":
    unittest.main()
