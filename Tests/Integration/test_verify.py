"""`mamctl verify`: what it finds, what `--repair` mends, and that it is clean afterwards."""
import os
import unittest

from verifying import PLAIN, VerifyCase, changed, zeroed
from workspace import BLOCK, CLOSED, DAMAGED, DONE, FIRST, PAYLOAD, sealed_size


class Mending(VerifyCase):
    """All of it twice: with the workspace mounted and not."""

    def both(self, files, found, repaired, content, status=DONE):
        for mounted in (False, True):
            with self.subTest(mounted=mounted):
                self.lay(**files)
                if mounted:
                    self.mount()
                before = {name: self.disk(name).read_bytes() for name in files}
                self.assertEqual(self.verify(status=DAMAGED), found)
                self.assertEqual({name: self.disk(name).read_bytes() for name in files}, before)
                self.assertEqual(self.verify("--repair", status=status), repaired)
                self.action = self.findings[0]["action"]
                self.assertEqual(self.verify(), {})
                if not mounted:
                    self.mount()
                self.check_tree(good=PLAIN, **content)
                for name in files:
                    self.assertEqual((self.directory / name).stat().st_size, len(content[name]))
                    self.workspace.decode(self.disk(name))
                self.workspace.unmount()

    def test_an_unfinished_tail_is_cut(self):
        self.both(
            {"one": zeroed(self.good, 5, 5), "three": zeroed(self.good, 3, 5)},
            {"one": [("end", "left", (4, 4)), ("tail", "left")],
            "three": [("end", "left", (2, 2)), ("tail", "left")]},
            {"one": [("end", "repaired", (4, 4)), ("tail", "repaired")],
             "three": [("end", "repaired", (2, 2)), ("tail", "repaired")]},
            {"one": PLAIN[:FIRST + 4 * PAYLOAD], "three": PLAIN[:FIRST + 2 * PAYLOAD]})

    def test_the_size_before_the_tail_is_that_of_the_end_mark(self):
        # A shorter file grows: its size is durable, and neither its new blocks nor its old last one
        # are.
        short = self.workspace_bytes("short", PLAIN[:10_000])
        grown = short[:3 * BLOCK].ljust(sealed_size(20_000), b"\0")
        self.both(
            {"grown": grown}, {"grown": [("tail", "left")]}, {"grown": [("tail", "repaired")]},
            {"grown": PLAIN[:10_000]})

    def workspace_bytes(self, name, data):
        self.mount()
        self.write(self.directory / name, data)
        self.workspace.unmount()
        return self.disk(name).read_bytes()

    def test_zero_blocks_in_the_middle_are_sealed_as_zeros(self):
        zeros = bytes(2 * PAYLOAD)
        self.both(
            {"zeros": zeroed(self.good, 2, 3)}, {"zeros": [("zeros", "left", (2, 3))]},
            {"zeros": [("zeros", "incomplete", (2, 3))]},
            {"zeros": changed(PLAIN, FIRST + PAYLOAD, zeros)}, status=DAMAGED)

    def test_end_marks_are_sealed_anew(self):
        """Of a file that was cut, by whomever, it is told that it is not whole."""
        for size in (4 * BLOCK, 4 * BLOCK + 300):
            block, rest = size // BLOCK - 1, size % BLOCK
            self.both(
                {"cut": self.good[:size]}, {"cut": [("end", "left", (block, block))]},
                {"cut": [("end", "incomplete", (block, block))]},
                {"cut": PLAIN[:FIRST + (block - 1) * PAYLOAD + rest]}, status=DAMAGED)
            self.assertIn("content behind it may be missing", self.action)

    def test_a_size_inside_the_last_block_becomes_what_that_says(self):
        for data in (self.good + bytes(10), self.good[:-1], self.good[:6 * BLOCK]):
            self.both(
                {"other": data}, {"other": [("end", "left", (5, 5))]},
                {"other": [("end", "repaired", (5, 5))]}, {"other": PLAIN})

    def test_without_the_key_no_mark_is_believed(self):
        self.lay(other=self.good[:-1])
        self.assertEqual(
            self.verify("--repair", "locked", status=DAMAGED), {"other": [("end", "left", (5, 5))]})
        self.assertEqual(self.disk("other").stat().st_size, len(self.good) - 1)

    def test_a_file_that_is_open_is_mended_in_place(self):
        self.lay(zeros=zeroed(self.good, 2, 3))
        self.mount()
        with open(self.directory / "zeros", "r+b", buffering=0) as file:
            self.assertEqual(
                self.verify("--repair", status=DAMAGED),
                {"zeros": [("zeros", "incomplete", (2, 3))]})
            self.assertEqual(file.read(), changed(PLAIN, FIRST + PAYLOAD, bytes(2 * PAYLOAD)))

    def test_the_tail_of_an_open_file_is_left_until_it_is_closed(self):
        self.lay(tail=self.good)
        self.mount()
        with open(self.directory / "tail", "rb"):
            self.lay(tail=zeroed(self.good, 5, 5))
            self.assertEqual(
                self.verify("--repair", status=DAMAGED),
                {"tail": [("end", "left", (4, 4)), ("tail", "left")]})
            self.assertIn("open", self.findings[0]["action"])
        self.workspace.await_closed()
        self.assertEqual(
            self.verify("--repair"), {"tail": [("end", "repaired", (4, 4)), ("tail", "repaired")]})
        self.check_tree(tail=PLAIN[:FIRST + 4 * PAYLOAD])

    def test_a_tail_is_cut_though_the_kernel_knows_the_size(self):
        self.lay(tail=zeroed(self.good, 5, 5))
        self.mount()
        path, second = self.directory / "tail", self.directory / "second name"
        os.link(path, second)
        self.assertEqual(path.stat().st_size, len(PLAIN))
        held = os.open(path, os.O_PATH)
        self.verify("--repair")
        os.close(held)
        for name in (path, second):
            self.assertEqual(name.stat().st_size, FIRST + 4 * PAYLOAD)
            self.assertEqual(name.read_bytes(), PLAIN[:FIRST + 4 * PAYLOAD])
        with open(path, "ab") as file:
            file.write(b"more")
        self.assertEqual(second.read_bytes(), PLAIN[:FIRST + 4 * PAYLOAD] + b"more")

    def test_without_the_key_a_tail_is_cut_and_the_rest_stays(self):
        self.lay(tail=zeroed(self.good, 5, 5), zeros=zeroed(self.good, 2, 2))
        found = self.verify("--repair", "locked", status=DAMAGED)
        self.assertEqual(found["zeros"], [("zeros", "left", (2, 2))])
        self.assertEqual(found["tail"], [("end", "left", (4, 4)), ("tail", "repaired")])
        self.assertEqual(
            self.verify("--repair", status=DAMAGED)["zeros"], [("zeros", "incomplete", (2, 2))])
        self.assertEqual(self.verify("locked", status=CLOSED), {})
        self.assertEqual(self.summary["uncheckedFiles"], 3)


if __name__ == "__main__":
    unittest.main()
