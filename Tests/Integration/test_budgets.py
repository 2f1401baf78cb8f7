"""What the inner parts cost, by count: allocations, system calls, memory and instructions beside
their budgets."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from running import PREFIX
from workspace import ROOT

NEEDS = ("binutils", "valgrind")

# What is measured and how much is too much differ by a byte or two from run to run.
MEASURED = re.compile(r"[\d.]+, [\d.]+ (?=above the budget)")
BUDGETS = ROOT / "Tests" / "Bench" / "budgets.json"


def without_counts(line):
    return MEASURED.sub("", line.removeprefix("mambench: ").partition(" (")[0])


# Whose the identity of another user's thread is takes a system call more.
@unittest.skipUnless(os.getuid() == 0, "the budgets are of root's calls")
class Budgets(unittest.TestCase):
    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.addCleanup(shutil.rmtree, self.place)

    def ciphers(self):
        """Those that this processor can have: each has budgets of its own."""
        return subprocess.run(
            ["mambench", "--ciphers"], capture_output=True, text=True, check=True).stdout.split()

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
        for cipher in self.ciphers():
            with self.subTest(cipher=cipher):
                self.assert_within(self.check("--cipher", cipher), "system calls")

    @unittest.skipUnless(shutil.which("valgrind"), "no valgrind")
    def test_instructions(self):
        # valgrind knows no AVX-512.
        for cipher in set(self.ciphers()) - {"vaes"}:
            with self.subTest(cipher=cipher):
                self.assert_within(self.check("--cipher", cipher, "--instructions"), "instructions")

    def test_the_processor_chooses_one_of_those_with_budgets(self):
        self.assert_within(self.check(), "system calls")
        self.assertLessEqual(set(self.ciphers()), set(json.loads(BUDGETS.read_text())))

    def test_a_cipher_that_is_none_is_refused(self):
        self.assertEqual(self.check("--cipher", "rot13").returncode, 2)

    def test_each_count_that_is_too_high_is_told(self):
        file = json.loads(BUDGETS.read_text())
        budgets = file["openssl"]
        counts = {
            "allocations": "allocations", "heldBytes": "bytes held", "systemCalls": "system calls"}
        expected = {
            "a part of long ago: it has a budget, and is not measured",
            "seal a block: it has no budget"}
        budgets["a part of long ago"] = budgets.pop("seal a block")
        for part, (count, words) in zip(
                ["read 4 KiB", "make an inode known", "forget an inode"], counts.items()):
            budgets[part][count] = -1
            expected.add(f"{part}: {words}: above the budget of -1")
        lowered = self.place / "budgets.json"
        lowered.write_text(json.dumps(file))
        said = self.check("--cipher", "openssl", budgets=lowered)
        self.assertEqual(said.returncode, 1, said.stdout)
        found = {without_counts(line) for line in said.stderr.splitlines()}
        self.assertLessEqual(expected, found)


if __name__ == "__main__":
    unittest.main()
