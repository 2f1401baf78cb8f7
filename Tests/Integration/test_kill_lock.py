"""A daemon that is killed while a lock of its own waits for it: the next one frees the mount.
Root only."""
import contextlib
import ctypes
import os
import signal
import subprocess
import unittest

from tracing import injecting, tasks
from workspace import ANN, PROGRAMS, UNREACHABLE, Workspace, wait_until

SIZE = 4 << 20


def abort(mount_point):
    """umount(8) would look at it first, and wait."""
    MNT_FORCE = 1
    ctypes.CDLL(None).umount2(os.fsencode(mount_point), MNT_FORCE)


@unittest.skipUnless(os.getuid() == 0, "only root can end any mount's connection")
class KilledInALock(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        self.workspace.init().mount().register()
        self.path = self.workspace.path("file")
        self.path.write_bytes(b"before")
        self.workspace.ctl("class", "--set", "A", self.path)
        self.pid = self.workspace.daemon()
        self.kill_while_it_waits()

    def kill_while_it_waits(self):
        """For pages that it takes from the kernel slowly, and then not at all."""
        # In a process of its own: each other one that had the file too would store it when it
        # closes it.
        writer = subprocess.Popen(
            ["/usr/bin/python3", PROGRAMS / "write_when_told.py", self.path, str(SIZE)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(writer.communicate)
        self.addCleanup(writer.kill)
        # Before those: until then the writer cannot end either.
        self.addCleanup(abort, self.workspace.mount_point)
        writer.stdout.readline()
        with injecting(self.pid, "pwrite64,pwritev,pwritev2", "delay_enter=500000"):
            writer.stdin.write(b"\n")
            writer.stdin.flush()
            writer.stdout.readline()
            lock = subprocess.Popen(
                ["mamctl", "lock", ANN, "--now", "--workspace", self.workspace.name],
                env=self.workspace.environment)
            self.addCleanup(lock.wait)
            self.addCleanup(lock.kill)
            wait_until(lambda: self.waits("purge"), message="the lock does not wait")
            os.kill(self.pid, signal.SIGKILL)
        # One thread stays, and with it the mount.
        wait_until(lambda: len(tasks(self.pid)) <= 2, message="its other threads do not end")
        self.assertTrue(self.waits("purge"))

    def waits(self, name):
        for number in tasks(self.pid, name):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                with open(f"/proc/{self.pid}/task/{number}/stat") as file:
                    if file.read().rpartition(")")[2].split()[0] == "D":
                        return True
        return False

    def ends(self):
        return not any(self.waits(name) for name in ("purge", "mamd"))

    def test_the_next_mount_takes_its_place(self):
        self.workspace.mount()
        self.assertTrue(self.ends())
        self.workspace.unlock()
        self.assertEqual(self.workspace.ctl("owner", self.path).returncode, 0)
        # What was not stored when it was killed is lost, and nothing else.
        self.assertEqual(self.path.read_bytes().removeprefix(b"before").strip(b"x\0"), b"")

    def test_an_unmount_ends_it(self):
        self.workspace.ctl("unmount", self.workspace.mount_point)
        wait_until(self.ends, message="it does not end")
        self.workspace.mount()

    def test_nobody_waits_for_its_socket(self):
        result = subprocess.run(
            ["mamctl", "account", "list"], env=self.workspace.environment, capture_output=True,
            text=True, timeout=60)
        self.assertEqual(result.returncode, UNREACHABLE, result.stderr)
