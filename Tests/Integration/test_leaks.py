"""Tests/leaks.py for some seconds: enough to see a descriptor lost in 1,000 operations, or 100 bytes in each. With
MAMD_LONG=1 ten million operations."""
import subprocess
import sys
import unittest

from workspace import LONG, ROOT


class Leaks(unittest.TestCase):
    def test_the_daemon_does_not_grow(self):
        amount = ["--operations", "10000000"] if LONG else ["--seconds", "15"]
        result = subprocess.run(
            [sys.executable, "-B", ROOT / "Tests" / "leaks.py", *amount], capture_output=True, text=True, timeout=7200)
        self.assertEqual(result.returncode, 0, result.stderr[-8000:] + result.stdout)
        print(result.stdout.strip(), flush=True)
