"""A store that is a program, bindfs, above a small ext4 that fills up: what was acknowledged is
there, and a link is refused as on a store with room. Root only."""
import contextlib
import errno
import os
import shutil
import subprocess
import unittest

from disk_image import DiskImage, run
from filling import Delete, Logger, Mapped, Stream, Wal, take_all_but
from running import daemons
from workspace import Workspace, pattern, wait_until

NEEDS = ("bindfs", "e2fsprogs")
MIB = 1 << 20


class FullBelow(unittest.TestCase):
    def setUp(self):
        if not shutil.which("bindfs"):
            self.skipTest("bindfs is not installed")
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        self.disk = DiskImage(self.workspace.root, 64)
        self.addCleanup(self.disk.close)
        store = self.workspace.root / "store"
        store.mkdir()
        run("bindfs", self.disk.path, store)
        self.addCleanup(subprocess.run, ["umount", "-l", store])
        self.workspace.backing = store / "backing"
        self.workspace.backing.mkdir()
        self.workspace.init().mount().register()
        # Before the store itself goes.
        self.addCleanup(subprocess.run, ["umount", "-l", self.workspace.mount_point])
        self.kept = self.workspace.path("kept")
        self.kept.write_bytes(pattern(MIB))

    def remount(self):
        """Not by Workspace.remount(), which waits for the store's mount, too."""
        self.workspace.ctl("unmount", self.workspace.mount_point)
        wait_until(lambda: not list(daemons(str(self.workspace.root))))
        self.workspace.mount()
        self.workspace.unlock()

    def check_links(self):
        """They fail, and nothing has two names or another content."""
        before = sorted(os.listdir(self.workspace.mount_point))
        with self.assertRaises(PermissionError):
            os.link(self.kept, self.workspace.path("linked"))
        self.assertEqual(sorted(os.listdir(self.workspace.mount_point)), before)
        self.assertEqual(self.kept.stat().st_nlink, 1)
        self.assertEqual(self.kept.read_bytes(), pattern(MIB))

    def test_what_was_acknowledged_is_there(self):
        self.check_links()
        filler = take_all_but(8 * MIB, self.disk.path / "filler")
        writers = [kind(self.workspace.mount_point)
                   for kind in (Wal, Delete, Logger, Stream, Mapped)]
        for writer in writers:
            writer.run()
            self.assertIsNotNone(writer.told, f"{writer.name} was told nothing")
            self.check_links()
        self.remount()
        self.check_links()
        # To read its log SQLite makes a file of its own.
        filler.unlink()
        for writer in writers:
            self.assertEqual(writer.lost(), 0, writer.name)
        self.workspace.ctl("verify", self.workspace.mount_point)

    def test_a_mount_without_an_inode_left_tells_in_each_call(self):
        self.workspace.path("open").write_bytes(pattern(5000))
        taken = self.take_inodes()
        self.remount()
        self.check_links()
        with self.assertRaises(OSError) as caught:
            self.workspace.path("new").write_bytes(b"x")
        self.assertEqual(caught.exception.errno, errno.ENOSPC)
        with open(self.workspace.path("open"), "r+b") as file:
            file.write(b"changed")
        os.replace(self.workspace.path("open"), self.kept)
        self.assertEqual(self.kept.read_bytes(), b"changed" + pattern(5000)[7:])
        self.kept.write_bytes(pattern(MIB))
        shutil.rmtree(taken)
        self.remount()
        self.check_links()
        self.workspace.path("new").write_bytes(pattern(MIB, 1))
        self.assertEqual(self.workspace.path("new").read_bytes(), pattern(MIB, 1))

    def take_inodes(self):
        place = self.disk.path / "names"
        place.mkdir()
        with contextlib.suppress(OSError):
            for number in range(1 << 20):
                name = place / str(number)
                os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
        return place


if __name__ == "__main__":
    unittest.main()
