"""A mount whose requests come through io_uring, for the tests of that."""
import contextlib
import pathlib

from kernel_ring import kernel_ring
from tracing import tasks
from workspace import PROGRAMS, WorkspaceCase, wait_until

READER = PROGRAMS / "read_uncached.py"


def bytes_read(program):
    figures = pathlib.Path(f"/proc/{program.pid}/io").read_text()
    return int(figures.split("rchar: ")[1].split()[0])


def await_reading(programs):
    """Until each of them has read several MiB more."""
    before = {program: bytes_read(program) for program in programs}
    wait_until(
        lambda: all(bytes_read(program) > count + (4 << 20) for program, count in before.items()),
        30, "the programs do not read")


class RingMount(WorkspaceCase):
    """Its mount has the option."""

    @classmethod
    def setUpClass(cls):
        cls.mounted = False
        super().setUpClass()
        cls.mounted = True
        cls.workspace.mount("-o", "io_uring").register()

    def status(self):
        return self.workspace.status()

    def threads(self):
        """Their names."""
        pid, names = self.workspace.daemon(), []
        for task in tasks(pid):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                names.append(pathlib.Path(f"/proc/{pid}/task/{task}/comm").read_text().strip())
        return names


class Ring(RingMount):
    """Turns the kernel's switch on first; `setUpClass` may skip it."""

    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(kernel_ring())
        super().setUpClass()
