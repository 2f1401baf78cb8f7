"""After a change that failed for want of space a file has one content: from the kernel's cache,
from the store, and when it becomes longer."""
import ctypes
import errno
import mmap
import os
import resource
import unittest

from disk_image import CACHED_MEBIBYTES, DiskCase, run
from filling import take_all_but
from running import call
from workspace import Workspace, pattern, wait_until

NEEDS = ("e2fsprogs",)
KIB, MIB = 1 << 10, 1 << 20
BLOCK = 4064  # bytes of content in a sealed block
KEEP_SIZE, PUNCH_HOLE, ZERO_RANGE = 1, 2, 0x10  # of <linux/falloc.h>


def allocate(descriptor, mode, start, count):
    call("fallocate", descriptor, mode, ctypes.c_int64(start), ctypes.c_int64(count))


def aligned(data):
    memory = mmap.mmap(-1, len(data))
    memory[:] = data
    return memory


class FullStore(DiskCase):
    """So large that writes are cached: the kernel takes neither sizes nor times from the daemon."""

    mebibytes = CACHED_MEBIBYTES

    def setUp(self):
        super().setUp()
        self.path = self.workspace.path("file")

    def make(self, owner):
        """Half a mebibyte, a hole, and an end."""
        with open(self.path, "wb") as file:
            file.write(pattern(512 * KIB))
            file.truncate(6 * MIB)
            os.pwrite(file.fileno(), b"end", 6 * MIB - 3)
        if owner == "":
            self.workspace.ctl("protect", "--owner", "", "--unmanaged", self.path)

    def fill(self):
        """The store to the last block, and the kernel's cache with the file."""
        self.reader = os.open(self.path, os.O_RDONLY)
        self.from_cache()
        self.filler = take_all_but(0, self.disk.path / "filler")

    def refused(self, function, *arguments):
        with self.assertRaises(OSError) as caught:
            function(*arguments)
        self.assertEqual(caught.exception.errno, errno.ENOSPC)

    def from_cache(self):
        return os.pread(self.reader, 8 * MIB, 0)

    def from_store(self):
        descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECT)
        try:
            memory = mmap.mmap(-1, 8 * MIB)
            return memory[:os.readv(descriptor, [memory])]
        finally:
            os.close(descriptor)

    def check(self):
        wait_until(lambda: self.from_cache() == self.from_store(),
                   message="cache and store differ")
        os.close(self.reader)

    def for_each_owner(self, change, size=None):
        for owner in ("managed", ""):
            with self.subTest(owner=owner):
                self.make(owner)
                self.fill()
                descriptor = os.open(self.path, os.O_RDWR)
                self.refused(change, descriptor)
                os.close(descriptor)
                self.check()
                self.filler.unlink()
                if size is not None:
                    os.truncate(self.path, size)
                    self.assertEqual(self.path.read_bytes()[6 * MIB:], bytes(size - 6 * MIB))
                self.path.unlink()

    def test_a_copy_into_the_file(self):
        source = self.workspace.path("source")
        source.write_bytes(pattern(2 * MIB, 1))
        with open(source, "rb") as file:
            self.for_each_owner(
                lambda target: os.copy_file_range(file.fileno(), target, 2 * MIB, 0, 0))

    def test_a_direct_write_into_the_file(self):
        def write(_):
            target = os.open(self.path, os.O_WRONLY | os.O_DIRECT)
            try:
                os.writev(target, [aligned(pattern(MIB, 1))])
            finally:
                os.close(target)
        self.for_each_owner(write)

    def test_a_direct_write_behind_the_end_that_becomes_longer(self):
        def write(_):
            # Some blocks are free, but not enough of them.
            os.truncate(self.filler, self.filler.stat().st_size - 512 * KIB)
            run("sync", "-f", self.filler)
            target = os.open(self.path, os.O_WRONLY | os.O_DIRECT)
            try:
                os.pwritev(target, [aligned(pattern(MIB, 1))], 6 * MIB)
            finally:
                os.close(target)
        self.for_each_owner(write, 7 * MIB)

    def test_space_behind_the_end_that_becomes_longer(self):
        self.for_each_owner(lambda target: allocate(target, 0, 0, 10 * MIB), 7 * MIB)

    def test_a_hole_whose_end_is_in_a_hole(self):
        self.make("managed")
        self.fill()
        with open(self.path, "r+b") as file:
            try:
                allocate(file.fileno(), PUNCH_HOLE | KEEP_SIZE,
                         512 * KIB - 100, 100 * BLOCK)
            except OSError as problem:
                self.assertEqual(problem.errno, errno.ENOSPC)
        self.check()

    def test_a_range_of_zeros(self):
        self.for_each_owner(
            lambda target: allocate(target, ZERO_RANGE, 100, 9 * MIB), 7 * MIB)


class Limited(unittest.TestCase):
    """By the size that the daemon's files may have."""

    limit = 64 * KIB

    def mounted(self, *prefix):
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        self.workspace.init().mount(prefix=prefix)
        self.addCleanup(self.workspace.unmount)
        self.workspace.register()
        self.path = self.workspace.path("file")
        self.path.write_bytes(b"begin")

    def refused(self, function, *arguments):
        with self.assertRaises(OSError) as caught:
            function(*arguments)
        self.assertEqual(caught.exception.errno, errno.EFBIG)

    def test_a_copy_of_what_was_lost_is_refused(self):
        """Without a name the file mostly keeps the kernel's size, and cp(1) takes an early end for
        the file's."""
        self.mounted()
        resource.prlimit(
            self.workspace.daemon(), resource.RLIMIT_FSIZE, (self.limit, self.limit))
        with open(self.path, "w+b", buffering=0) as file, \
                open(self.workspace.path("copy"), "wb", buffering=0) as copy:
            self.path.unlink()
            file.write(pattern(197_630))
            self.refused(os.fsync, file.fileno())
            try:
                copied = os.copy_file_range(file.fileno(), copy.fileno(), MIB, 0)
            except OSError as problem:
                self.assertEqual(problem.errno, errno.EFBIG)
            else:  # Its last lookup was late enough to end it where its data does.
                self.assertEqual(copied, os.fstat(file.fileno()).st_size)

    def test_a_write_that_failed_is_no_content_of_a_longer_file(self):
        """Where writes are not cached. A part of it was stored."""
        self.mounted("prlimit", f"--fsize={self.limit}:{self.limit}")
        for owner in ("ann@contoso.com", ""):
            with self.subTest(owner=owner):
                self.workspace.ctl("protect", "--owner", owner, "--unmanaged", self.path)
                with open(self.path, "r+b", buffering=0) as file:
                    self.refused(os.pwrite, file.fileno(), pattern(MIB), 4 * KIB)
                os.truncate(self.path, self.limit // 2)
                self.assertEqual(self.path.read_bytes(), b"begin".ljust(self.limit // 2, b"\0"))
                os.truncate(self.path, len(b"begin"))
