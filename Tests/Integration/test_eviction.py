"""A file that the kernel changed and forgot while a reply about it was still under way."""
import os
import pathlib
import subprocess
import unittest

from tracing import is_traced, strace
from workspace import WorkspaceCase, make_the_kernel_forget, wait_until

NEEDS = ("strace",)
CONTENT = b"before" * 100
MORE = b"an hour's work" * 500


@unittest.skipUnless(os.getuid() == 0, "only root can have the kernel forget")
class Late(WorkspaceCase):
    """The reply to a listing has a file's size; a look-up of a name before it, which the daemon
    has not answered, holds it up in the kernel."""

    def setUp(self):
        super().setUp()
        for number in range(6):
            (self.directory / str(number)).write_bytes(CONTENT)
        self.workspace.remount()
        backing = pathlib.Path(self.workspace.on_disk(self._testMethodName))
        names = os.listdir(backing)
        self.first, self.last = self.directory / names[0], self.directory / names[-1]
        self.backing_of_first = backing / names[0]

    def start(self, *command):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        self.addCleanup(process.wait, 60)
        return process

    def list_late(self, change):
        """Runs it after the daemon's reply, and before the kernel takes the file from it."""
        record = self.workspace.root / "reads"
        with strace(
                "-f", "-p", str(self.workspace.daemon()), "-o", record,
                "-P", self.backing_of_first, "-e", "trace=pread64",
                "-e", "inject=pread64:delay_enter=60000000"):
            wait_until(lambda: is_traced(self.workspace.daemon()))
            self.start("stat", "--format=", self.first)
            wait_until(record.read_text, message="no header is read")
            lister = self.start("ls", "-l", self.directory)
            waits = pathlib.Path(f"/proc/{lister.pid}/wchan")
            wait_until(lambda: "d_alloc_parallel" in waits.read_text(), message="nothing waits")
            change()
            for _ in range(3):
                make_the_kernel_forget()
        self.assertEqual(lister.wait(60), 0)

    def append(self):
        # Not with O_CREAT: that waits until nobody lists the directory.
        with open(os.open(self.last, os.O_WRONLY | os.O_APPEND), "wb") as file:
            file.write(MORE)

    def test_an_append_overwrites_nothing(self):
        self.list_late(self.append)
        self.assertEqual(self.last.stat().st_size, len(CONTENT + MORE))
        self.append()
        self.assertEqual(self.last.read_bytes(), CONTENT + MORE + MORE)

    def test_nothing_is_seen_of_what_was_cut(self):
        self.list_late(lambda: os.truncate(self.last, 10))
        self.assertEqual(self.last.read_bytes(), CONTENT[:10])
        self.append()
        self.assertEqual(self.last.read_bytes(), CONTENT[:10] + MORE)

    def test_its_time_is_the_change_s(self):
        self.list_late(lambda: os.utime(self.last, ns=(10**9, 10**9)))
        self.assertEqual(self.last.stat().st_mtime_ns, 10**9)
