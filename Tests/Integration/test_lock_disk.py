"""A lock while the disk under the backing directory does not answer. Root only: it makes a disk of
its own."""
import contextlib
import fcntl
import os
import pathlib
import subprocess
import sys
import threading
import time
import unittest

from disk_image import CACHED_MEBIBYTES
from workspace import ANN, PROGRAMS, Workspace, pattern, wait_until

DEADLINE = 2
# Whatever a test waits for, it does not wait for ever.
THAW = 80

# Of <linux/fs.h>: what fsfreeze(8) calls, without a program that would have to be started.
FIFREEZE, FITHAW = 0xC0045877, 0xC0045878


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)


def blocked_threads(pid):
    """How many wait for the disk."""
    states = [
        path.read_text().rpartition(")")[2].split()[0]
        for path in pathlib.Path(f"/proc/{pid}/task").glob("*/stat")]
    return states.count("D")


class FrozenDisk(unittest.TestCase):
    def setUp(self):
        if os.getuid() != 0:
            self.skipTest("mounts a disk image, which only root can")
        self.workspace = Workspace(settings={"LockDeadlineSeconds": DEADLINE})
        self.addCleanup(self.workspace.close)
        image, self.disk = self.workspace.root / "image", self.workspace.root / "disk"
        self.disk.mkdir()
        with open(image, "wb") as file:
            file.truncate(CACHED_MEBIBYTES << 20)
        run("/sbin/mkfs.ext4", "-q", "-b", "4096", image)
        try:
            run("mount", "-o", "loop", image, self.disk)
        except subprocess.CalledProcessError as problem:
            self.skipTest(f"this machine has no loop devices: {problem.stderr}")
        self.addCleanup(run, "umount", "-l", self.disk)
        self.workspace.backing = self.disk / "backing"
        self.workspace.backing.mkdir()
        self.workspace.init().mount().register()
        self.addCleanup(self.workspace.unmount)

    def freeze(self):
        self.descriptor = os.open(self.disk, os.O_RDONLY | os.O_DIRECTORY)
        self.addCleanup(os.close, self.descriptor)
        fcntl.ioctl(self.descriptor, FIFREEZE)
        self.timer = threading.Timer(THAW, self.thaw)
        self.timer.start()
        self.addCleanup(self.timer.cancel)
        self.addCleanup(self.thaw)

    def thaw(self):
        with contextlib.suppress(OSError):  # it is thawed already
            fcntl.ioctl(self.descriptor, FITHAW)

    def write_while_frozen(self):
        """A file with data that the kernel keeps."""
        path = self.workspace.path("file")
        path.write_bytes(pattern(50_000))
        # A program of its own: a close waits for the file's content to be stored.
        writer = subprocess.Popen(
            [sys.executable, PROGRAMS / "write_when_told.py", path, "50000"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(writer.communicate)
        self.assertEqual(writer.stdout.readline(), "ready\n")
        self.freeze()
        writer.stdin.write("go\n")
        writer.stdin.flush()
        self.assertEqual(writer.stdout.readline(), "written\n")
        return path

    def test_the_lock_ends_and_what_is_stored_stays(self):
        self.check_lock(self.write_while_frozen())

    def test_a_file_whose_time_hangs_on_the_disk_is_named(self):
        path = self.write_while_frozen()
        pid = self.workspace.daemon()
        # What the kernel does by itself some time later: it stores data, and tells the time.
        with subprocess.Popen(["sync", "-f", self.workspace.mount_point]) as syncing:
            wait_until(
                lambda: blocked_threads(pid) > 1 or syncing.poll() is not None,
                message="the daemon does not wait for the disk")
            self.check_lock(path)

    def check_lock(self, path):
        start = time.monotonic()
        answer = self.workspace.serving("lock", ANN, "--now")
        self.assertLess(time.monotonic() - start, THAW - 10, "it waited for the disk")
        log = self.workspace.daemon_log
        self.assertIn(
            str(path), answer.stderr, log.read_text(errors="replace") if log.exists() else "")
        self.assertEqual(self.workspace.account()["state"], "locked")
        self.thaw()
        self.workspace.unlock()
        self.assertEqual(path.read_bytes()[:50_000], pattern(50_000))
