"""What the kernel's cache has taken has room under a quota of btrfs, whose size the store does not
show. Root only."""
import errno
import subprocess
import unittest

from disk_image import CACHED_MEBIBYTES, DiskCase, DiskImage, run
from filling import Logger, Stream, Wal

NEEDS = ("btrfs-progs",)
MIB = 1 << 20


class QuotaImage(DiskImage):
    def make(self, features):
        run("mkfs.btrfs", "-q", *features, self.image)


class Quota(DiskCase):
    image_kind = QuotaImage
    mebibytes = 2 * CACHED_MEBIBYTES
    left = 36 * MIB

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
