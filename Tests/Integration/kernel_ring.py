"""The kernel's switch for FUSE through io_uring, which is off unless root turns it on."""
import contextlib
import fcntl
import functools
import pathlib
import unittest

from workspace import MOUNT_OPTIONS

SWITCH = pathlib.Path("/sys/module/fuse/parameters/enable_uring")


@functools.cache
def for_us_alone():
    """Until this process ends: another run of the tests turns it, too."""
    file = SWITCH.open()
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


@contextlib.contextmanager
def kernel_ring(value="Y"):
    """The switch as it shall be, for the mounts that are made meanwhile; then as it was."""
    try:
        # All of `scripts/dev ring` has it.
        if not MOUNT_OPTIONS:
            for_us_alone()
        before = SWITCH.read_text().strip()
        if before != value:
            SWITCH.write_text(value)
    except FileNotFoundError:
        raise unittest.SkipTest("this kernel has no FUSE through io_uring") from None
    except PermissionError:
        raise unittest.SkipTest("only root can turn FUSE through io_uring on") from None
    try:
        yield
    finally:
        if SWITCH.read_text().strip() != before:
            SWITCH.write_text(before)
