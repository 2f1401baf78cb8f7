"""A mount whose requests come through io_uring, for the tests of that."""
import json
import pathlib

from kernel_ring import kernel_ring
from workspace import WorkspaceCase

# Read a file for ever, past the kernel's cache.
READER = """
import os, sys
file = os.open(sys.argv[1], os.O_RDONLY)
while True:
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    os.pread(file, 1 << 20, 0)
"""


class RingMount(WorkspaceCase):
    """Its mount has the option."""

    @classmethod
    def setUpClass(cls):
        cls.mounted = False
        super().setUpClass()
        cls.mounted = True
        cls.workspace.mount("-o", "io_uring").register()

    def status(self):
        (status,) = json.loads(self.workspace.serving("status", "--json").stdout)
        return status

    def threads(self):
        tasks = pathlib.Path(f"/proc/{self.workspace.daemon()}/task")
        return [(task / "comm").read_text().strip() for task in tasks.iterdir()]


class Ring(RingMount):
    """Turns the kernel's switch on first; `setUpClass` may skip it."""

    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(kernel_ring())
        super().setUpClass()
