"""A mount point on which autofs waits for the first program, as with x-systemd.automount."""
import fcntl
import os
import select
import shutil
import struct
import subprocess
import unittest

from running import call
from workspace import ROOT, WorkspaceCase, pattern

READY = 0x9360  # AUTOFS_IOC_READY of <linux/auto_fs.h>
MNT_DETACH = 2


@unittest.skipUnless(os.getuid() == 0, "root alone mounts autofs")
class Automount(WorkspaceCase):
    def setUp(self):
        super().setUp()
        self.write(self.directory / "file", pattern(10_000))
        self.workspace.unmount()
        # After the autofs beneath has gone.
        self.addCleanup(self.workspace.mount)

    def wait_there(self):
        """As systemd does, whose own process group, and so that of its mount(8), may pass."""
        reader, writer = os.pipe()
        place = self.workspace.mount_point
        options = f"fd={writer},pgrp={os.getpgrp()},minproto=5,maxproto=5,direct"
        try:
            call("mount", b"systemd-1", os.fsencode(place), b"autofs", 0, options.encode())
        except OSError as problem:
            self.skipTest(f"no autofs: {problem}")
        self.addCleanup(call, "umount2", os.fsencode(place), MNT_DETACH)
        control = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
        for each in (reader, writer, control):
            self.addCleanup(os.close, each)
        return reader, control

    def test_the_first_program_mounts_it(self):
        reader, control = self.wait_there()
        first = subprocess.Popen(
            ["timeout", "60", "cat", self.directory / "file"], stdout=subprocess.PIPE,
            start_new_session=True)
        self.addCleanup(first.wait)
        self.addCleanup(first.kill)
        self.assertTrue(select.select([reader], [], [], 30)[0], "nobody waits")
        (token,) = struct.unpack_from("=I", os.read(reader, 512), 8)
        try:
            helper = shutil.copy2(ROOT / "systemd" / "mount.fuse.mamd", self.workspace.root)
            said = subprocess.run(
                ["sh", helper, self.workspace.backing, self.workspace.mount_point, "-o",
                 "rw,x-systemd.automount"], capture_output=True, text=True, timeout=60,
                env=self.workspace.environment, stdin=subprocess.DEVNULL)
            self.assertEqual(said.returncode, 0, said.stderr)
            self.workspace.ctl(
                "unlock", "--workspace", "work", "--passfile", self.workspace.passfile)
        finally:
            fcntl.ioctl(control, READY, token)
        self.assertEqual(first.communicate(timeout=60)[0], pattern(10_000))
        self.workspace.lock()
        self.workspace.unmount()
