"""Random file calls with locks, kills, remounts and changes of owners, beside ext4: short forms of
`scripts/dev random-calls`."""
import collections
import os
import random
import subprocess
import sys
import tempfile
import unittest

from ordinary_user import AS_NOBODY, programs_for_all, with_fuse_device
from random_calls import Pair, compare, told
from random_crowd import compare_together
from random_place import RandomPlace
from random_plan import CALLS, Plan
from running import PREFIX, remove_leftovers

NEEDS = ("e2fsprogs",)
STEPS = 600  # of each test
SEED = 7  # the same each time: what is red here, a change has done; the long form looks for more


class Random(unittest.TestCase):
    def test_as_the_directory_beside(self):
        self.check(Pair())

    def test_on_a_disk_that_becomes_full(self):
        self.check(Pair(disk=True))

    def test_three_processes_at_once(self):
        pair = Pair()
        self.addCleanup(pair.close)
        _, found = compare_together(pair, SEED, 3, 2 * STEPS)
        self.assertIsNone(found)

    def check(self, pair):
        self.addCleanup(pair.close)
        done, found = compare(pair, SEED, pair.events(), STEPS)
        if found:
            self.fail(told(SEED, done, found))

    @unittest.skipUnless(os.getuid() == 0, "becomes nobody, which only root can")
    def test_as_nobody(self):
        prefix = f"{PREFIX}nobody-"
        with programs_for_all() as place:
            command = (
                *AS_NOBODY, sys.executable, "-B", "random_calls.py", "--seed", str(SEED),
                "--steps", str(STEPS))
            if os.stat("/dev/fuse").st_mode & 0o666 != 0o666:
                command = with_fuse_device(0o666, place, command)
            try:
                result = subprocess.run(
                    command, capture_output=True, text=True, timeout=600,
                    cwd=place / "Tests" / "Integration",
                    env={**os.environ, "PATH": f"{place}/bin:{os.environ['PATH']}",
                         "MAMD_TEST_PREFIX": prefix})
            finally:
                remove_leftovers(prefix)
        if "unshare failed" in result.stderr or "mknod:" in result.stderr:
            self.skipTest("/dev/fuse is not open to all, and no name space can change that")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


class Generator(unittest.TestCase):
    def test_each_call_is_made_on_what_it_needs(self):
        tried, succeeded = collections.Counter(), collections.Counter()
        for seed in range(10):
            with tempfile.TemporaryDirectory(prefix=PREFIX) as root:
                for name in ("d", "e"):
                    os.mkdir(os.path.join(root, name))
                place = RandomPlace(root)
                for step in Plan(random.Random(seed), ()).steps(400):
                    place.outcome(step)
                place.close_all()
            tried.update(place.tried)
            succeeded.update(place.succeeded)
        for call in CALLS:
            with self.subTest(call):
                self.assertGreater(succeeded[call], 0.3 * tried[call])


if __name__ == "__main__":
    unittest.main()
