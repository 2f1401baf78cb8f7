"""A daemon that meets an older kernel's FUSE: MAMD_TEST_KERNEL, for any of these tests."""
import os

import preloaded

# Those that Tests/Kernels/older_kernel.c knows: of Debian 12 and of Debian 13.
KERNELS = ("6.1", "6.12")


def environment(build):
    """What each program is given; `build`: the directory for the library that is preloaded."""
    kernel = os.environ.get("MAMD_TEST_KERNEL")
    if not kernel:
        return {}
    if kernel not in KERNELS:
        raise ValueError(f"MAMD_TEST_KERNEL={kernel}: one of {', '.join(KERNELS)}")
    return {"LD_PRELOAD": preloaded.library("older_kernel", build)}


def version():
    """The kernel's, or that which the daemon meets."""
    return os.environ.get("MAMD_TEST_KERNEL") or os.uname().release
