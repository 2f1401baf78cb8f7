"""Tests/soak.py for ten seconds; with MAMD_LONG=1 for ten minutes. It can run for as long as one likes by itself."""
import subprocess
import sys
import unittest

from workspace import LONG, ROOT


class Soak(unittest.TestCase):
    def test_nothing_is_lost_and_nothing_hangs(self):
        seconds = 600 if LONG else 10
        result = subprocess.run(
            [sys.executable, "-B", ROOT / "Tests" / "soak.py", "--seconds", str(seconds)],
            capture_output=True, text=True, timeout=seconds + 300)
        self.assertEqual(result.returncode, 0, result.stderr[-8000:] + result.stdout)
        print(result.stdout.strip(), flush=True)
