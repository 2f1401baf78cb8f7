"""The kernels of Debian 12 and 13, as far as FUSE's offers and system calls make them: what they
do not have is not needed."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from older_kernel import KERNELS

NEEDS = ("gcc", "libc6-dev")

HERE = pathlib.Path(__file__).parent
FILES = (
    "test_mount", "test_posix_tmpfile", "test_posix_limits", "test_lock_short",
    "test_contained.WaysOut", "test_contained.Signals", "test_contained_home.Covered")
OFFERED = {"6.1": (38, 0x00b), "6.12": (41, 0x1ff)}
PRUNE = "notification 9 refused"


@unittest.skipUnless(os.getuid() == 0, "looks for calls that only root's daemon makes")
class OlderKernels(unittest.TestCase):
    def check(self, kernel):
        with tempfile.NamedTemporaryFile(mode="r") as log:
            os.chmod(log.name, 0o666)
            said = subprocess.run(
                [sys.executable, "-B", "-m", "unittest", *FILES], cwd=HERE, capture_output=True,
                text=True, timeout=440,
                env={**os.environ, "MAMD_TEST_KERNEL": kernel, "OLDER_KERNEL_LOG": log.name})
            self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
            noted = log.read()
        print(f"{kernel}: {said.stderr.splitlines()[-3]}", flush=True)
        minor, more_flags = OFFERED[kernel]
        cut = re.findall(r"^init 7\.(\d+) (\w+) -> 7\.(\d+) (\w+)$", noted, re.MULTILINE)
        self.assertGreaterEqual(len(cut), len(FILES), noted)
        for _, _, left, flags in cut:
            self.assertLessEqual(int(left), minor)
            self.assertEqual(int(flags, 16) & ~more_flags, 0)
        # Asked for when descriptors run out, and done without.
        self.assertIn(PRUNE, noted)
        return noted

    def test_debian_12(self):
        # cachestat(2), with which a lock proves that no page is left.
        self.assertIn("system call 451 refused", self.check(KERNELS[0]))

    def test_debian_13(self):
        self.check(KERNELS[1])


if __name__ == "__main__":
    unittest.main()
