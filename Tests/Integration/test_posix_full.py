"""A full disk: a program that asks is told, and nothing else is harmed."""
import ctypes
import errno
import json
import mmap
import os
import subprocess
import unittest

from running import call
from workspace import Workspace, pattern, wait_for_room

MIB = 1 << 20
ZERO_RANGE = 0x10  # of <linux/falloc.h>


@unittest.skipUnless(os.getuid() == 0, "mounts a small file system, which only root can")
class FullDisk(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=8m", "none", self.workspace.backing], check=True)
        self.addCleanup(subprocess.run, ["umount", "--lazy", self.workspace.backing])
        self.addCleanup(self.workspace.close)
        self.workspace.init().mount().register()
        self.kept = self.workspace.path("kept")
        self.kept.write_bytes(pattern(MIB))

    def still_sound(self):
        """With space again everything goes on, also for a daemon that comes anew."""
        for name in os.listdir(self.workspace.mount_point):
            if name != "kept":
                os.unlink(self.workspace.path(name))
        wait_for_room(self.workspace.backing, 5 * MIB)
        after = self.workspace.path("after")
        after.write_bytes(pattern(4 * MIB))
        self.workspace.remount()
        self.assertEqual(self.kept.read_bytes(), pattern(MIB))
        self.assertEqual(after.read_bytes(), pattern(4 * MIB))

    def test_a_write_tells(self):
        """The store is too small for a reserve: what write(2) has taken is there."""
        data, done = pattern(12 * MIB), 0
        path = self.workspace.path("big")
        with open(path, "wb", buffering=0) as file, self.assertRaises(OSError) as caught:
            while True:
                done += file.write(data[done:])
        self.assertEqual(caught.exception.errno, errno.ENOSPC)
        self.assertEqual(path.stat().st_size, done)
        self.assertTrue(path.read_bytes() == data[:done])
        self.still_sound()

    def test_programs_notice(self):
        source = self.workspace.root / "source"
        source.write_bytes(pattern(12 * MIB))
        for command in (
                ["cp", source, "copy"],
                ["dd", f"if={source}", "of=dd", "conv=fsync", "bs=64k", "status=none"]):
            result = subprocess.run(command, cwd=self.workspace.mount_point, capture_output=True)
            self.assertNotEqual(result.returncode, 0, command)
            self.assertIn(b"No space left", result.stderr)
        self.still_sound()

    def test_direct_and_synchronous_writes_tell_at_once(self):
        for flag in (os.O_SYNC, os.O_DIRECT):
            descriptor = os.open(self.workspace.path("big"), os.O_CREAT | os.O_WRONLY | flag)
            with self.assertRaises(OSError) as caught:
                for _ in range(200):
                    self.assertEqual(os.write(descriptor, self.page_aligned()), 1 << 16)
            self.assertEqual(caught.exception.errno, errno.ENOSPC)
            os.close(descriptor)
            os.unlink(self.workspace.path("big"))
        self.still_sound()

    def test_a_range_that_cannot_be_zeroed_for_want_of_space_stays(self):
        with open(self.kept, "r+b") as file, self.assertRaises(OSError) as caught:
            call(
                "fallocate", file.fileno(), ZERO_RANGE, ctypes.c_int64(0), ctypes.c_int64(16 * MIB))
        self.assertEqual(caught.exception.errno, errno.ENOSPC)
        self.still_sound()

    def test_sizes_that_add_up_to_more_than_a_number_holds(self):
        for number in range(3):
            with open(self.workspace.path(f"large {number}"), "wb") as file:
                file.truncate(3500 << 50)
        answer = json.loads(
            self.workspace.ctl("verify", self.workspace.mount_point, "--json").stdout)
        self.assertEqual(answer["findings"], [])
        self.still_sound()

    def test_no_file_is_made_larger_than_what_can_be_opened_again(self):
        largest, path = 3040 + ((1 << 50) - 2) * 4064, self.workspace.path("large")
        with open(path, "wb") as file:
            for call in (os.ftruncate, lambda file, size: os.pwrite(file, b"x", size - 1)):
                with self.assertRaises(OSError) as caught:
                    call(file.fileno(), largest + 1)
                    os.fsync(file.fileno())
                self.assertEqual(caught.exception.errno, errno.EFBIG)
            file.truncate(largest)
        self.workspace.remount()
        self.assertEqual(path.stat().st_size, largest)
        with open(path, "rb") as file:
            file.seek(-5, os.SEEK_END)
            self.assertEqual(file.read(), bytes(5))
        self.still_sound()

    def page_aligned(self):
        memory = mmap.mmap(-1, 1 << 16)
        memory[:] = pattern(1 << 16)
        return memory

    def fill(self, path):
        with self.assertRaises(OSError), open(path, "wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))

    def test_what_could_not_be_made_is_not_there(self):
        self.fill(self.workspace.on_disk("filler"))
        for make in (
                lambda path: os.close(os.open(path, os.O_CREAT | os.O_WRONLY)),
                lambda path: os.close(
                    os.open(self.workspace.mount_point, os.O_TMPFILE | os.O_RDWR))):
            with self.assertRaises(OSError) as caught:
                make(self.workspace.path("new"))
            self.assertEqual(caught.exception.errno, errno.ENOSPC)
        self.assertEqual(sorted(os.listdir(self.workspace.mount_point)), ["filler", "kept"])
        self.still_sound()
