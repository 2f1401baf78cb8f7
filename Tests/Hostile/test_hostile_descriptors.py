"""Users that ask for all descriptors, look-ups and renames. Nobody else waits for it."""
import functools
import os
import subprocess
import sys
import unittest

from hostile import ATTACKER, STRANGER, VICTIM, as_user, in_background
from shares_case import SharesCase

# It times answers.
ALONE = True

# Has a directory full of files renamed, back and forth.
RENAMES = """
import os, sys
os.nice(19)
os.chdir(sys.argv[1])
mine = str(os.getpid())
open(mine, "w").close()
print("begun", flush=True)
while True:
    os.rename(mine, mine + "-other")
    os.rename(mine + "-other", mine)
"""

# Opens a file, or as many files as there are numbers, until it may open no more; says how many, and
# why.
OPENS = """
import errno, os, resource, sys
path, most, way = sys.argv[1], int(sys.argv[2]), sys.argv[3]
resource.setrlimit(resource.RLIMIT_NOFILE, (most + 100, most + 100))
held = []
flags = os.O_RDWR | os.O_CREAT if way == "files" else os.O_RDONLY
try:
    for number in range(most):
        held.append(os.open(f"{path}/{number}" if way == "files" else path, flags))
    print(len(held), "none", flush=True)
except OSError as problem:
    print(len(held), errno.errorcode[problem.errno], flush=True)
sys.stdin.read()
"""


class Descriptors(SharesCase):
    """A daemon that may have few descriptors."""

    LIMIT = 3000

    @classmethod
    def prepare(cls):
        few = (
            "prlimit", f"--nofile={cls.LIMIT}:{cls.LIMIT}", "setpriv", "--inh-caps=-sys_resource",
               "--bounding-set=-sys_resource", "--")
        cls.workspace.mount = functools.partial(cls.workspace.mount, prefix=few)

    def holder(self, uid, way, most):
        """A program of that user's that holds what it could open; how many, and the error that
        ended it."""
        program = subprocess.Popen(
            ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", sys.executable, "-B",
             "-c", OPENS, self.home(uid), str(most), way],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: program.communicate(timeout=60))
        count, error = program.stdout.readline().split()
        return int(count), error

    def test_files_of_two_users(self):
        total = self.LIMIT * 2 // 5
        self.assertEqual(self.holder(ATTACKER, "files", 2500), (total // 2, "EMFILE"))
        count, error = self.holder(STRANGER, "files", 2500)
        self.assertEqual(error, "EMFILE")
        self.assertLessEqual(count, total // 4 + 1)
        self.assert_bounded(self.quiet)
        # A victim that needs many finds some.
        self.assertEqual(self.holder(VICTIM, "files", 100), (100, "none"))

    def test_directories(self):
        count, error = self.holder(ATTACKER, "directory", 2500)
        self.assertEqual((count, error), (2048, "EMFILE"))
        self.assert_bounded(self.quiet)

    def test_look_ups_of_many_files(self):
        def make():
            for number in range(6000):
                os.mknod(self.home(ATTACKER, f"known-{number}"))
        self.assertEqual(as_user(ATTACKER, make), 0)
        script = (
            "import os, sys\nos.nice(19)\nprint('begun', flush=True)\n"
            "while True:\n"
            "    for entry in os.scandir(sys.argv[1]): entry.stat()\n")
        with in_background(ATTACKER, script, self.home(ATTACKER), count=2):
            self.assert_bounded(self.quiet)
            self.assertEqual(self.holder(VICTIM, "files", 200), (200, "none"))

    def test_renames(self):
        with in_background(ATTACKER, RENAMES, self.home(ATTACKER), count=4):
            self.assert_bounded(self.quiet)


if __name__ == "__main__":
    unittest.main()
