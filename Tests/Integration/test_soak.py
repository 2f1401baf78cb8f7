"""Tests/soak.py for six seconds; with MAMD_LONG=1 for ten minutes. It can run for as long as one
likes by itself.

And that its judge of files that many change at once finds what is wrong."""
import subprocess
import sys
import tempfile
import unittest

from workspace import LONG, ROOT

sys.path.insert(0, str(ROOT / "Tests"))
from soak_history import History, content
from soak_model import Mismatch


class Soak(unittest.TestCase):
    def test_nothing_is_lost_and_nothing_hangs(self):
        seconds = 600 if LONG else 6
        result = subprocess.run(
            [sys.executable, "-B", ROOT / "Tests" / "soak.py", "--seconds", str(seconds)],
            capture_output=True, text=True, timeout=seconds + 300)
        self.assertEqual(result.returncode, 0, result.stderr[-8000:] + result.stdout)
        print(result.stdout.strip(), flush=True)


class Histories(unittest.TestCase):
    """Changes with times given by hand: (name, begin, end, kind, place, count); an end of None: it
    failed at 99."""

    def judge(self, found, *changes):
        with tempfile.TemporaryDirectory() as directory:
            history = History.begin(directory, "file")
            for name, begin, end, kind, place, count in changes:
                history.note("begin", name, begin, kind, place, count, name)
                how = "failed" if end is None else "done"
                history.note(how, name, 99 if end is None else end, "-", count)
            history.check_all(found)

    def accepts(self, found, *changes):
        self.judge(found, *changes)

    def refuses(self, found, *changes):
        with self.assertRaises(Mismatch):
            self.judge(found, *changes)

    def test_of_two_writes_the_later_one_counts(self):
        changes = ("1", 10, 20, "w", 0, 100), ("2", 30, 40, "w", 0, 100)
        self.accepts(content(2, 100), *changes)
        self.refuses(content(1, 100), *changes)
        self.refuses(b"", *changes)

    def test_of_two_at_the_same_time_either_may(self):
        changes = ("1", 10, 30, "w", 0, 100), ("2", 20, 40, "w", 0, 100)
        self.accepts(content(1, 100), *changes)
        self.accepts(content(2, 100), *changes)
        self.refuses(bytes(100), *changes)

    def test_one_that_failed_may_be_there_or_not(self):
        changes = ("1", 10, 20, "w", 0, 100), ("2", 30, None, "w", 0, 100)
        self.accepts(content(1, 100), *changes)
        self.accepts(content(2, 100), *changes)

    def test_what_was_cut_off_is_gone(self):
        changes = ("1", 10, 20, "w", 0, 100), ("2", 30, 40, "t", 50, 0), ("3", 50, 60, "t", 80, 0)
        self.accepts(content(1, 100)[:50] + bytes(30), *changes)
        self.refuses(content(1, 100)[:80], *changes)
        self.refuses(content(1, 100)[:50], *changes)

    def test_a_hole_keeps_the_size(self):
        changes = ("1", 10, 20, "w", 0, 100), ("2", 30, 40, "z", 10, 200)
        self.accepts(content(1, 100)[:10] + bytes(90), *changes)
        self.refuses(content(1, 100)[:10], *changes)

    def test_an_append_that_failed_may_be_anywhere(self):
        changes = ("1", 10, 20, "w", 0, 100), ("2", 30, None, "a", "-", 40)
        self.accepts(content(1, 100), *changes)
        self.accepts(content(1, 100) + content(2, 40), *changes)
        self.refuses(content(1, 100) + bytes(40), *changes)
