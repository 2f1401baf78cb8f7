"""Tests/leaks.py for so many operations that a descriptor lost in 1,000 of them is noticed for
certain, and 100 bytes in each, however fast the machine is. With MAMD_LONG=1 ten million
operations."""
import os
import subprocess
import sys
import unittest

from workspace import LONG, ROOT


class Leaks(unittest.TestCase):
    @unittest.skipUnless(os.getuid() == 0, "the daemon shows its memory to root alone")
    def test_the_daemon_does_not_grow(self):
        amount = 10_000_000 if LONG else 200_000
        result = subprocess.run(
            [sys.executable, "-B", ROOT / "Tests" / "leaks.py", "--operations", str(amount)],
            capture_output=True, text=True, timeout=7200)
        self.assertEqual(result.returncode, 0, result.stderr[-8000:] + result.stdout)
        print(result.stdout.strip(), flush=True)
