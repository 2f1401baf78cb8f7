"""A disk that takes less than it promised: each program that syncs is told, though another has
synced before. Root only."""
import errno
import os
import subprocess
import unittest

from disk_image import DiskCase, DiskImage
from workspace import pattern

SIZE = 40 << 20
LOST = (errno.ENOSPC, errno.EIO)


class WithoutJournal(DiskImage):
    """A journal that cannot be written makes the disk read-only, sooner or later: EROFS."""

    def make(self, features):
        super().make(("-b", "4096", "-O", "^has_journal"))


@unittest.skipUnless(os.getuid() == 0, "mounts a small file system, which only root can")
class ThinDisk(DiskCase):
    """An ext4 of 64 MiB in a file for which there is no such room: writes succeed, and are lost
    when they are stored."""

    image_kind = WithoutJournal

    def place_of_image(self):
        self.thin = self.workspace.root / "thin"
        self.thin.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "none", self.thin], check=True)
        self.addCleanup(subprocess.run, ["umount", "--lazy", self.thin])
        return self.thin

    def opened(self):
        descriptor = os.open(self.workspace.path("file"), os.O_RDWR | os.O_CREAT)
        self.addCleanup(os.close, descriptor)
        return descriptor

    def is_told(self, descriptor):
        with self.assertRaises(OSError) as caught:
            os.fsync(descriptor)
        self.assertIn(caught.exception.errno, LOST)

    def test_a_lock_that_syncs_first_does_not_take_the_error_away(self):
        """Not even where there is room again by the time that the program asks."""
        filler = self.thin / "filler"
        filler.write_bytes(bytes(8 << 20))
        writer = self.opened()
        self.assertEqual(os.pwrite(writer, pattern(SIZE), 0), SIZE)
        self.workspace.lock()
        self.assertIn("could not be synced before the lock", self.workspace.daemon_log.read_text())
        filler.unlink()
        self.workspace.unlock()
        self.is_told(writer)
        os.fsync(writer)

    def test_every_handle_is_told(self):
        handles = [self.opened() for _ in range(3)]
        os.pwrite(handles[0], pattern(SIZE), 0)
        for descriptor in handles:
            self.is_told(descriptor)
