"""An ext4 of a test's own on a loop device. Root only."""
import contextlib
import os
import shutil
import subprocess
import unittest

from workspace import Workspace

NEEDS = ("e2fsprogs",)

# From here on a store has room for a reserve, and the kernel caches writes to its mount: sixteen
# times a 250th of the memory.
CACHED_MEBIBYTES = 1024 + os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") // (15 << 20)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=90)


class DiskImage:
    """Mounted at `root`/disk; skips the test where that cannot be."""

    def __init__(self, root, mebibytes=64, options=(), features=()):
        if os.getuid() != 0:
            raise unittest.SkipTest("mounts a disk image, which only root can")
        self.image, self.path = root / "image", root / "disk"
        self.path.mkdir()
        with open(self.image, "wb") as file:
            file.truncate(mebibytes << 20)
        self.make(features)
        try:
            self.mount(self.image, self.path, *options)
        except subprocess.CalledProcessError as problem:
            if "loop" not in problem.stderr:
                raise AssertionError(problem.stderr) from problem
            raise unittest.SkipTest(
                f"this machine has no loop devices: {problem.stderr}") from problem

    def make(self, features):
        # Smaller than 512 MiB it would have blocks of 1024 bytes, which `init` refuses.
        run("/sbin/mkfs.ext4", "-q", *(features or ("-b", "4096")), self.image)

    def mount(self, image, path, *options):
        run("mount", "-o", ",".join(["loop", *options]), image, path)

    @contextlib.contextmanager
    def after_power_cut(self):
        """What is on the disk now, whatever the kernel has not written yet: a copy, mounted
        elsewhere."""
        copy, path = self.image.with_name("copy"), self.path.with_name("after")
        shutil.copy(self.image, copy)
        path.mkdir(exist_ok=True)
        self.mount(copy, path)
        try:
            yield path
        finally:
            run("umount", "-l", path)

    def close(self):
        run("umount", "-l", self.path)


class DiskCase(unittest.TestCase):
    """A mounted workspace whose backing directory lies on such a disk."""

    image_kind = DiskImage
    mebibytes = 64

    def setUp(self):
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        self.disk = self.image_kind(self.place_of_image(), self.mebibytes)
        self.addCleanup(self.disk.close)
        self.workspace.backing = self.disk.path / "backing"
        self.workspace.backing.mkdir()
        self.prepare()
        self.workspace.init().mount().register()
        self.addCleanup(self.workspace.unmount)

    def place_of_image(self):
        return self.workspace.root

    def prepare(self):
        """Before the workspace is made."""
