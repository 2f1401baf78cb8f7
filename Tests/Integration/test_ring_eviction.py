"""As test_eviction, through io_uring: what the kernel forgot is still unread in /dev/fuse when a
file that it takes from the late reply is opened."""
import os
import unittest

import test_eviction
from kernel_ring import kernel_ring
from tracing import is_traced, strace, tasks
from workspace import wait_until

NEEDS = ("strace",)

# The kernel module's parameter is the whole machine's.
ALONE = True

# A wait that strace has interrupted goes on as the last one.
WAITS = "poll,ppoll,read,restart_syscall"


@unittest.skipUnless(os.getuid() == 0, "turns FUSE through io_uring on, which only root can")
class Late(test_eviction.Late):
    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(kernel_ring())
        super().setUpClass()

    def setUp(self):
        super().setUp()
        self.assertEqual(self.workspace.status()["transport"], "io_uring")
        self.keep_from_reading()

    def keep_from_reading(self):
        """The threads of libfuse; not the first one, for list_late traces the rest with it."""
        daemon = self.workspace.daemon()
        readers = [str(task) for task in tasks(daemon, "mamd") if task != daemon]
        self.enterContext(strace(
            *[word for reader in readers for word in ("-p", reader)], "-o", "/dev/null",
            "-e", f"trace={WAITS}", "-e", f"inject={WAITS}:delay_enter=60000000"))
        wait_until(
            lambda: all(is_traced(daemon, task=reader) for reader in readers),
            message="strace does not attach")
