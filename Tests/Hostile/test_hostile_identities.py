"""Identities of a user without an account: as many as it gets, for threads, children and long
families. Nobody else's calls wait while the daemon finds out who is who. And the names that
others' programs need."""
import contextlib
import os
import signal
import subprocess
import unittest

from bounds import BoundedCase
from hostile import PROGRAMS, STRANGER, VICTIM, HostileCase, as_user, command_as

NEEDS = ("gcc", "libc6-dev")

THREADS = 5000
# Of one process, docs/PROTOCOL.md.
THREADS_OF_PROCESS = 256
# How many are read: docs/adr/0069. The attack's own come on top.
PARENTS = 1024


class Identities(BoundedCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.family = cls.workspace.root / "family"
        subprocess.run(
            ["gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-o", cls.family, PROGRAMS / "family.c"],
            check=True)

    def setUp(self):
        self.file = self.home(STRANGER, "small")
        self.write_as(STRANGER, self.file, b"small\n")

    @contextlib.contextmanager
    def attack(self, threads, children, depth, ends=1):
        """Yields how many threads got one."""
        numbers = map(str, (threads, children, depth, ends))
        child = subprocess.Popen(
            command_as(
                STRANGER, "many_identities", self.workspace.socket, *numbers, self.file,
                self.family),
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            yield int(child.stdout.readline())
        finally:
            # With its descendants.
            os.killpg(child.pid, signal.SIGKILL)
            child.stdout.close()
            child.wait(60)

    def test_threads_with_identities_hold_up_nobody(self):
        with self.threads() as given:
            self.assert_bounded()
            self.assertEqual(given, THREADS_OF_PROCESS)
        self.assert_small()

    def threads(self):
        return self.attack(THREADS, 40, 0)

    def test_long_families_hold_up_nobody(self):
        with self.families():
            self.assert_bounded()
        self.assert_small()

    def families(self):
        return self.attack(THREADS, 4, PARENTS - 24)

    def test_families_longer_than_any_hold_up_nobody(self):
        with self.longer_families():
            self.assert_bounded()
        self.assert_small()

    def longer_families(self):
        """Nothing is remembered of these: each child costs all that there is to read."""
        return self.attack(1, 4, PARENTS, ends=10)


class Homes(HostileCase):
    def test_nobody_takes_the_home_of_anothers_contained_programs(self):
        home = self.workspace.path(f".contained-{VICTIM}")
        mine = self.home(STRANGER)

        def tries():
            (mine / "directory").mkdir()
            taken = 0
            for take in (
                    lambda: home.mkdir(), lambda: home.touch(), lambda: home.symlink_to("/"),
                    lambda: os.rename(mine / "directory", home)):
                try:
                    take()
                    taken += 1
                except OSError:
                    pass
            return taken
        self.assertEqual(as_user(STRANGER, tries), 0)
        self.assertEqual(as_user(VICTIM, lambda: home.mkdir(mode=0o700)), 0)
        # Whoever may write the directory: it need not be sticky.
        os.chmod(self.workspace.mount_point, 0o777)
        self.addCleanup(os.chmod, self.workspace.mount_point, 0o1777)
        self.assertNotEqual(as_user(STRANGER, lambda: home.rmdir()), 0)
        self.assertNotEqual(as_user(STRANGER, lambda: home.rename(mine / "moved")), 0)
        self.assertTrue(home.is_dir())


if __name__ == "__main__":
    unittest.main()
