"""Under a quota of btrfs, whose size the store does not show, what the kernel's cache has taken has
room, and what is refused leaves files as they were. Root only."""
import errno
import os
import subprocess
import unittest

from disk_image import CACHED_MEBIBYTES, DiskCase, DiskImage, run
from filling import Logger, Stream, Wal
from workspace import pattern

NEEDS = ("btrfs-progs",)
MIB = 1 << 20


class QuotaImage(DiskImage):
    def make(self, features):
        run("mkfs.btrfs", "-q", *features, self.image)


class QuotaCase(DiskCase):
    image_kind = QuotaImage

    def prepare(self):
        self.workspace.backing.rmdir()
        run("btrfs", "subvolume", "create", self.workspace.backing)
        try:
            run("btrfs", "quota", "enable", self.disk.path)
        except subprocess.CalledProcessError as problem:
            raise unittest.SkipTest(f"no quota of btrfs: {problem.stderr}") from problem

    def leave(self, count):
        """All but `count` bytes of the quota are used."""
        run("sync", "-f", self.workspace.backing)
        used = run("btrfs", "qgroup", "show", "--raw", "-f", self.workspace.backing).stdout
        referenced = int(used.splitlines()[-1].split()[1])
        run("btrfs", "qgroup", "limit", str(referenced + count), self.workspace.backing)


class Quota(QuotaCase):
    mebibytes = 2 * CACHED_MEBIBYTES
    left = 36 * MIB

    def check(self, writer):
        self.leave(self.left)
        writer.run()
        self.assertIsNotNone(writer.told, "the quota is not there")
        self.workspace.unmount()
        self.workspace.mount()
        self.workspace.unlock()
        self.assertEqual(writer.lost(), 0)
        run("btrfs", "qgroup", "limit", "none", self.workspace.backing)
        self.workspace.ctl("verify", self.workspace.mount_point)

    def test_a_stream(self):
        stream = Stream(self.workspace.mount_point)
        self.check(stream)
        self.assertEqual(stream.told.errno, errno.EDQUOT)

    def test_a_database(self):
        self.check(Wal(self.workspace.mount_point))

    def test_a_log(self):
        self.check(Logger(self.workspace.mount_point))

    def test_a_full_one_is_mounted_and_a_file_removed(self):
        letter = self.workspace.path("letter")
        letter.write_bytes(b"for Ann\n" * 1000)
        self.workspace.unmount()
        self.leave(0)
        self.workspace.mount()
        self.workspace.unlock()
        self.assertEqual(letter.read_bytes(), b"for Ann\n" * 1000)
        letter.unlink()
        self.workspace.unmount()
        self.workspace.mount()
        self.assertFalse(letter.exists())


class Uncached(QuotaCase):
    """A store without room for a reserve: each write is stored before it is answered."""

    mebibytes = 128

    def test_growth_that_is_refused_leaves_a_file_that_opens(self):
        files = {}
        for number in range(60):
            path = self.workspace.path(f"file-{number}")
            files[path] = pattern(number % 3 * 2500, number)
            path.write_bytes(files[path])
        self.leave(MIB)
        with self.assertRaises(OSError), open(self.workspace.path("large"), "wb") as large:
            for _ in range(100):
                large.write(pattern(MIB // 4))
                large.flush()
        for size in (5, 20_000, 9_000_000):
            for path, content in files.items():
                with self.subTest(path=path.name, size=size):
                    try:
                        os.truncate(path, len(content) + size)
                        files[path] = content + bytes(size)
                    except OSError as problem:
                        self.assertEqual(problem.errno, errno.EDQUOT)
                    self.assertEqual(path.read_bytes(), files[path])
