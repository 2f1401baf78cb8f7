"""Damage stays local: what one bad byte costs, and what can still be done with the file."""
import errno
import mmap
import os
import subprocess
import sys

from verifying import PLAIN, VerifyCase, changed
from workspace import BLOCK, FIRST, PAYLOAD, PROGRAMS

PAGE = mmap.PAGESIZE
BAD = 3  # the damaged block, of 0 to 5


def span(block):
    """The plain bytes of a block."""
    return (0, FIRST) if block == 0 else (FIRST + (block - 1) * PAYLOAD, FIRST + block * PAYLOAD)


def pages(start, end):
    """The numbers of the pages that bytes lie in."""
    return set(range(start // PAGE, (end - 1) // PAGE + 1))


class DamagedBlock(VerifyCase):
    def setUp(self):
        super().setUp()
        self.lay(
            file=changed(self.good, BAD * BLOCK + 1000, bytes([self.good[BAD * BLOCK + 1000] ^ 1])))
        self.mount()
        self.path = self.directory / "file"
        self.start, self.end = span(BAD)

    def read_directly(self, start, end):
        """Without the page cache: just these bytes are asked for."""
        file = os.open(self.path, os.O_RDONLY | os.O_DIRECT)
        try:
            return os.pread(file, end - start, start)
        finally:
            os.close(file)

    def test_every_other_byte_is_read_directly(self):
        for block in range(6):
            start, end = span(block)
            end = min(end, len(PLAIN))
            with self.subTest(block=block):
                if block == BAD:
                    with self.refused(errno.EBADMSG):
                        self.read_directly(start, end)
                else:
                    self.assertEqual(self.read_directly(start, end), PLAIN[start:end])
        self.assertEqual(self.read_directly(0, self.start), PLAIN[:self.start])
        self.assertEqual(self.read_directly(self.end, len(PLAIN)), PLAIN[self.end:])
        for start, end in ((self.start - 1, self.start + 1), (self.end - 1, self.end + 1)):
            with self.refused(errno.EBADMSG):
                self.read_directly(start, end)

    def test_through_the_cache_it_costs_the_pages_that_it_lies_in(self):
        with open(self.path, "rb", buffering=0) as file:
            lost = set()
            for page in range(0, len(PLAIN), PAGE):
                try:
                    self.assertEqual(os.pread(file.fileno(), PAGE, page), PLAIN[page:page + PAGE])
                except OSError as problem:
                    self.assertEqual(problem.errno, errno.EBADMSG)
                    lost.add(page // PAGE)
        self.assertEqual(lost, pages(self.start, self.end))

    def test_through_a_mapping_too(self):
        result = subprocess.run(
            [sys.executable, PROGRAMS / "read_through_mapping.py", self.path],
            capture_output=True, text=True, check=True)
        lines = result.stdout.split()
        for page, line in enumerate(lines):
            if page in pages(self.start, self.end):
                self.assertEqual(line, "killed", page)
            else:
                self.assertEqual(bytes.fromhex(line), PLAIN[page * PAGE:(page + 1) * PAGE], page)
        self.assertEqual(len(lines), -(-len(PLAIN) // PAGE))

    def test_a_large_read_gives_what_comes_before(self):
        with open(self.path, "rb", buffering=0) as file:
            found = file.read(len(PLAIN))
        self.assertEqual(found, PLAIN[:len(found)])
        self.assertGreaterEqual(len(found), self.start // PAGE * PAGE)

    def test_it_is_listed_and_stated_renamed_and_removed(self):
        self.assertIn("file", os.listdir(self.directory))
        self.assertEqual(self.path.stat().st_size, len(PLAIN))
        other = self.directory / "other name"
        self.path.rename(other)
        self.assertEqual(other.stat().st_size, len(PLAIN))
        other.unlink()
        self.assertEqual(os.listdir(self.directory), ["good"])

    def test_it_is_cut_before_and_behind_the_damage_and_at_zero(self):
        for size in (self.end + 100, self.start, 5, 0):
            with self.subTest(size=size):
                os.truncate(self.path, size)
                self.assertEqual(self.path.stat().st_size, size)
                if size <= self.start:
                    self.assertEqual(self.path.read_bytes(), PLAIN[:size])
        self.workspace.remount()
        self.assertEqual(self.path.read_bytes(), b"")

    def test_it_grows(self):
        os.truncate(self.path, 30_000)
        self.assertEqual(
            self.read_directly(self.end, 30_000), PLAIN[self.end:].ljust(30_000 - self.end, b"\0"))

    def test_a_cut_inside_the_damage_is_refused_and_changes_nothing(self):
        before = self.disk("file").read_bytes()
        with self.refused(errno.EBADMSG):
            os.truncate(self.path, self.start + 10)
        self.assertEqual(self.path.stat().st_size, len(PLAIN))
        self.assertEqual(self.disk("file").read_bytes(), before)

    def test_overwriting_the_block_heals_it(self):
        new = bytes(PAYLOAD)
        file = os.open(self.path, os.O_WRONLY | os.O_DIRECT)
        try:
            with self.refused(errno.EBADMSG):
                os.pwrite(file, new[:-1], self.start)
            os.pwrite(file, new, self.start)
        finally:
            os.close(file)
        self.assertEqual(self.path.read_bytes(), changed(PLAIN, self.start, new))

    def test_overwriting_its_pages_heals_it(self):
        first, last = min(pages(self.start, self.end)), max(pages(self.start, self.end))
        new = bytes((last + 1 - first) * PAGE)
        with open(self.path, "r+b", buffering=0) as file:
            with self.refused(errno.EBADMSG):
                os.pwrite(file.fileno(), b"x", self.start + 100)
            os.pwrite(file.fileno(), new, first * PAGE)
            os.fsync(file.fileno())
        self.workspace.remount()
        self.assertEqual(
            self.path.read_bytes(),
            changed(PLAIN, first * PAGE, new)[:max(len(PLAIN), (last + 1) * PAGE)])

    def test_overwriting_all_of_it_heals_it(self):
        with open(self.path, "r+b") as file:
            file.write(PLAIN)
        self.workspace.remount()
        self.assertEqual(self.path.read_bytes(), PLAIN)

    def test_writing_it_anew_heals_it(self):
        self.path.write_bytes(b"new")
        self.workspace.remount()
        self.assertEqual(self.path.read_bytes(), b"new")

    def test_the_other_files_beside_it_are_whole(self):
        self.check_tree(good=PLAIN)


class DamagedHeader(VerifyCase):
    def setUp(self):
        super().setUp()
        broken = changed(self.good, 700, bytes([self.good[700] ^ 1]))
        self.lay(**dict.fromkeys(("listed", "truncated", "overwritten", "removed"), broken))
        self.mount()

    def test_what_can_still_be_done(self):
        listed, truncated, overwritten, removed = (
            self.directory / name for name in ("listed", "truncated", "overwritten", "removed"))
        self.assertEqual(len(os.listdir(self.directory)), 5)
        with self.refused(errno.EBADMSG):
            listed.read_bytes()
        with self.refused(errno.EBADMSG):
            listed.open("r+b")
        self.assertGreater(listed.stat().st_size, 0)
        moved = listed.rename(self.directory / "moved")
        self.assertTrue(moved.exists())
        with self.refused(errno.EBADMSG):
            os.truncate(truncated, 10)
        os.truncate(truncated, 0)
        overwritten.write_bytes(b"new")
        removed.unlink()
        self.workspace.remount()
        self.check_tree(truncated=b"", overwritten=b"new", good=PLAIN)
        truncated.write_bytes(b"and more")
        self.assertTrue(self.workspace.is_managed_on_disk(self.disk("truncated")))
        self.assertFalse(removed.exists())
