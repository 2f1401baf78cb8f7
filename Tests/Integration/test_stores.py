"""File systems that lack what mamd needs, which `init` and `mount` find out by trying; and one that
is read only."""
import errno
import os
import subprocess
import unittest

from disk_image import run
from workspace import ANN, DONE, NO, Workspace, pattern


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

    def test_a_mount_names_it(self):
        self.workspace.backing = self.workspace.root / "backing"
        self.workspace.init()
        self.overlay(lower="one", upper="two")
        run("cp", "-a", self.workspace.backing, self.place / "backing")
        self.workspace.backing = self.place / "backing"
        self.addCleanup(self.workspace.unmount)
        self.workspace.mount("--name", self.workspace.name)
        self.assertIn("nothing can be created", self.workspace.log.read_text())

    def test_one_disk_works(self):
        self.overlay(lower="one", upper="one")
        self.init()
        self.addCleanup(self.workspace.unmount)
        self.workspace.mount().register()
        self.workspace.path("file").write_bytes(b"content")
        self.assertNotIn("file system", self.workspace.log.read_text())


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
