"""File systems that lack what mamd needs, which `init` and `mount` find out by trying; and one that
is read only."""
import errno
import os
import shutil
import subprocess
import unittest

from disk_image import run
from running import daemons
from workspace import ANN, DONE, NO, Workspace, pattern, wait_until

NEEDS = ("bindfs",)


@unittest.skipUnless(os.getuid() == 0, "only root mounts file systems")
class Store(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        self.place = self.workspace.root / "store"
        self.place.mkdir()
        self.workspace.backing = self.place / "backing"

    def mount(self, kind, *options, place=None):
        place = place or self.place
        try:
            run("mount", "-t", kind, "-o", ",".join(["rw", *options]), "none", place)
        except subprocess.CalledProcessError as problem:
            self.skipTest(f"no {kind}: {problem.stderr}")
        self.addCleanup(subprocess.run, ["umount", "-l", place])

    def overlay(self, *, lower, upper):
        """Of which each layer, if it is asked for, is a file system of its own."""
        for name in {lower, upper}:
            disk = self.workspace.root / name
            disk.mkdir()
            self.mount("tmpfs", place=disk)
        parts = [self.workspace.root / lower / "lower", *(
            self.workspace.root / upper / name for name in ("upper", "inner"))]
        for part in parts:
            part.mkdir(mode=0o755)
        self.mount(
            "overlay", f"lowerdir={parts[0]}", f"upperdir={parts[1]}", f"workdir={parts[2]}",
            "xino=off")

    def init(self, status=DONE):
        return self.workspace.ctl(
            "init", self.workspace.backing, "--name", self.workspace.name, "--settings",
            self.workspace.settings, status=status).stderr


class Overlay(Store):
    def test_two_disks_are_refused_by_name(self):
        self.overlay(lower="one", upper="two")
        self.assertIn("layers on two disks", self.init(status=NO))
        self.assertEqual(os.listdir(self.place), [])
        self.workspace.backing.mkdir()
        self.init(status=NO)
        self.assertEqual(os.listdir(self.workspace.backing), [])

    def test_no_mount_shows_files_that_do_not_open(self):
        self.workspace.backing = self.workspace.root / "backing"
        self.workspace.init()
        self.overlay(lower="one", upper="two")
        run("cp", "-a", self.workspace.backing, self.place / "backing")
        self.workspace.backing = self.place / "backing"
        for options in ((), ("-o", "ro")):
            self.workspace.mount("--name", self.workspace.name, *options, status=NO)
            self.assertIn("layers on two disks", self.workspace.log.read_text())
        said = self.workspace.ctl("verify", self.workspace.backing, status=NO).stderr
        self.assertIn("layers on two disks", said)

    def test_one_disk_works(self):
        self.overlay(lower="one", upper="one")
        self.init()
        self.addCleanup(self.workspace.unmount)
        self.workspace.mount().register()
        self.workspace.path("file").write_bytes(b"content")
        self.assertNotIn("file system", self.workspace.log.read_text())


class Lacking(Store):
    """What a file system is asked, and who hears of what it lacks."""

    def copy_to(self, place):
        """A workspace that was begun elsewhere, with a file."""
        elsewhere = self.workspace.root / "elsewhere"
        self.workspace.backing = elsewhere
        self.workspace.init().mount().register()
        self.workspace.path("file").write_bytes(pattern(20_000))
        # Not by Workspace.unmount(), which waits for the place's mount, too.
        self.workspace.ctl("unmount", self.workspace.mount_point)
        wait_until(lambda: not list(daemons(str(self.workspace.root))))
        run("cp", "-a", elsewhere, place / "backing")
        self.workspace.backing = place / "backing"
        self.addCleanup(subprocess.run, ["umount", "-l", self.workspace.mount_point])

    def test_ramfs_has_little_and_each_part_is_named(self):
        self.mount("ramfs")
        lacks = ("makes no holes", "keeps no extended attributes", "has no file handles")
        said = self.init()
        for lack in lacks:
            self.assertIn(lack, said)
        self.addCleanup(self.workspace.unmount)
        self.workspace.mount().register()
        for lack in lacks:
            self.assertIn(lack, self.workspace.daemon_log.read_text())
        self.workspace.path("file").write_bytes(pattern(20_000))
        self.workspace.remount()
        self.assertEqual(self.workspace.path("file").read_bytes(), pattern(20_000))

    def bindfs(self, *options):
        if not shutil.which("bindfs"):
            self.skipTest("bindfs is not installed")
        below = self.workspace.root / "below"
        below.mkdir()
        run("bindfs", *options, below, self.place)
        self.addCleanup(subprocess.run, ["umount", "-l", self.place])
        return below

    def test_renames_that_fail_are_refused(self):
        self.bindfs("--rename-deny")
        self.assertIn("renames no files", self.init(status=NO))
        self.assertEqual(os.listdir(self.place), [])

    def test_without_renames_a_workspace_is_read(self):
        self.bindfs("--rename-deny")
        self.copy_to(self.place)
        self.workspace.mount("--name", self.workspace.name, status=NO)
        said = self.workspace.log.read_text()
        self.assertIn("renames no files", said)
        self.assertIn("-o ro", said)
        self.workspace.mount("--name", self.workspace.name, "-o", "ro")
        self.workspace.unlock()
        self.assertEqual(self.workspace.path("file").read_bytes(), pattern(20_000))

    def test_where_nothing_can_be_made_it_is_said(self):
        place = self.workspace.root / "none"
        place.mkdir()
        self.workspace.backing = place / "backing"
        self.workspace.backing.mkdir()
        run("mount", "-t", "tmpfs", "-o", "nr_inodes=3", "none", self.workspace.backing)
        self.addCleanup(subprocess.run, ["umount", "-l", self.workspace.backing])
        said = self.init(status=NO)
        self.assertIn(os.strerror(errno.ENOSPC), said)
        self.assertEqual(os.listdir(self.workspace.backing), [])


class ReadOnly(Store):
    def test_files_are_read(self):
        self.mount("tmpfs")
        self.workspace.init().mount().register()
        self.workspace.path("file").write_bytes(pattern(20_000))
        self.workspace.unmount()
        run("mount", "-o", "remount,ro", self.place)
        self.workspace.mount(status=NO)
        self.assertIn("or the workspace with -o ro", self.workspace.log.read_text())
        self.workspace.mount("-o", "ro")
        self.workspace.unlock()
        self.assertEqual(self.workspace.owner(self.workspace.path("file")), ANN)
        self.assertEqual(self.workspace.path("file").read_bytes(), pattern(20_000))
        with self.assertRaises(OSError) as refused:
            self.workspace.path("new").write_bytes(b"x")
        self.assertEqual(refused.exception.errno, errno.EROFS)
        self.workspace.ctl("verify", self.workspace.mount_point)
        again = self.workspace.root / "again"
        again.mkdir()
        said = self.workspace.ctl(
            "mount", "-o", "ro", self.workspace.backing, again, status=NO).stderr
        self.assertIn("is used by another mamd", said)
        self.workspace.lock()
        self.workspace.unmount()
        run("mount", "-o", "remount,rw", self.place)
        self.workspace.mount()
        self.workspace.unlock()
        self.assertEqual(self.workspace.path("file").read_bytes(), pattern(20_000))
        self.workspace.unmount()
