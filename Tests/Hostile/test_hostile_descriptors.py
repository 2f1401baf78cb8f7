"""Users that ask for all descriptors, look-ups and renames. Nobody else waits for it."""
import functools
import os
import subprocess
import unittest

from hostile import ATTACKER, STRANGER, VICTIM, as_user, command_as, in_background
from shares_case import SharesCase

# It times answers.
TIMED = True


class Descriptors(SharesCase):
    """A daemon that may have few descriptors."""

    LIMIT = 3000

    @classmethod
    def prepare(cls, workspace):
        few = (
            "prlimit", f"--nofile={cls.LIMIT}:{cls.LIMIT}", "setpriv", "--inh-caps=-sys_resource",
            "--bounding-set=-sys_resource", "--")
        workspace.mount = functools.partial(workspace.mount, prefix=few)

    def holder(self, uid, way, most):
        """A program of that user's that holds what it could open; how many, and the error that
        ended it."""
        program = subprocess.Popen(
            command_as(uid, "open_many", self.home(uid), str(most), way), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: program.communicate(timeout=60))
        count, error = program.stdout.readline().split()
        return int(count), error

    def test_files_of_two_users(self):
        total = self.LIMIT * 2 // 5
        self.assertEqual(self.holder(ATTACKER, "files", 2500), (total // 2, "EMFILE"))
        count, error = self.holder(STRANGER, "files", 2500)
        self.assertEqual(error, "EMFILE")
        self.assertLessEqual(count, total // 4 + 1)
        self.assert_bounded()
        # A victim that needs many finds some.
        self.assertEqual(self.holder(VICTIM, "files", 100), (100, "none"))

    def test_directories(self):
        count, error = self.holder(ATTACKER, "directory", 2500)
        self.assertEqual((count, error), (2048, "EMFILE"))
        self.assert_bounded()

    def test_look_ups_of_many_files(self):
        def make():
            for number in range(6000):
                os.mknod(self.home(ATTACKER, f"known-{number}"))
        self.assertEqual(as_user(ATTACKER, make), 0)
        with in_background(ATTACKER, "look_up", self.home(ATTACKER), count=2):
            self.assert_bounded()
            self.assertEqual(self.holder(VICTIM, "files", 200), (200, "none"))

    def test_renames(self):
        with in_background(ATTACKER, "rename_often", self.home(ATTACKER), count=4):
            self.assert_bounded()


if __name__ == "__main__":
    unittest.main()
