"""What the inner parts cost, by count: allocations, system calls, memory and instructions beside their budgets."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from workspace import PREFIX, ROOT

BUDGETS = ROOT / "Tests" / "Bench" / "budgets.json"


class Budgets(unittest.TestCase):
    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.addCleanup(shutil.rmtree, self.place)

    def check(self, *options, budgets=BUDGETS):
        return subprocess.run(
            ["mambench", *options, "--check", budgets], capture_output=True, text=True,
            env={**os.environ, "TMPDIR": str(self.place)})

    def assert_within(self, said, counts):
        self.assertEqual((said.returncode, said.stderr), (0, ""), said.stdout)
        # What could not be counted has no column.
        self.assertIn("allocations", said.stdout)
        if counts not in said.stdout:
            self.skipTest(f"no {counts} here: they are counted on x86-64 alone")

    def test_allocations_and_system_calls(self):
        self.assert_within(self.check(), "system calls")

    @unittest.skipUnless(shutil.which("valgrind"), "no valgrind")
    def test_instructions(self):
        self.assert_within(self.check("--instructions"), "instructions")

    def test_each_count_that_is_too_high_is_told(self):
        budgets = json.loads(BUDGETS.read_text())
        counts = {"allocations": "allocations", "heldBytes": "bytes held", "systemCalls": "system calls"}
        expected = {"a part of long ago: it has a budget, and is not measured", "seal a block: it has no budget"}
        budgets["a part of long ago"] = budgets.pop("seal a block")
        for part, (count, words) in zip(["read 4 KiB", "make an inode known", "forget an inode"], counts.items()):
            budget = budgets[part][count] = budgets[part][count] - 1
            expected.add(f"{part}: {words}: {budget + 1:g}, 1 above the budget of {budget:g}")
        lowered = self.place / "budgets.json"
        lowered.write_text(json.dumps(budgets))
        said = self.check(budgets=lowered)
        self.assertEqual(said.returncode, 1, said.stdout)
        found = {line.removeprefix("mambench: ").partition(" (")[0] for line in said.stderr.splitlines()}
        self.assertLessEqual(expected, found)


if __name__ == "__main__":
    unittest.main()
