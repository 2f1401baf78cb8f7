"""A daemon that meets an older kernel's FUSE: MAMD_TEST_KERNEL, for any of these tests."""
import os
import subprocess
import tempfile

SOURCE = os.path.join(os.path.dirname(__file__), "..", "Kernels", "older_kernel.c")
# Those that Tests/Kernels/older_kernel.c knows: of Debian 12 and of Debian 13.
KERNELS = ("6.1", "6.12")


def environment(build):
    """What each program is given; `build`: the directory for the library that is preloaded."""
    kernel = os.environ.get("MAMD_TEST_KERNEL")
    if not kernel:
        return {}
    if kernel not in KERNELS:
        raise ValueError(f"MAMD_TEST_KERNEL={kernel}: one of {', '.join(KERNELS)}")
    return {"LD_PRELOAD": library(build)}


def version():
    """The kernel's, or that which the daemon meets."""
    return os.environ.get("MAMD_TEST_KERNEL") or os.uname().release


def library(build):
    path = build / "older_kernel.so"
    if not path.exists() or path.stat().st_mtime < os.stat(SOURCE).st_mtime:
        build.mkdir(exist_ok=True)
        # Several files of tests may come to this at once.
        with tempfile.NamedTemporaryFile(dir=build, delete=False) as new:
            subprocess.run(
                ["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", new.name,
                 SOURCE],
                check=True)
        os.chmod(new.name, 0o755)
        os.rename(new.name, path)
    return str(path)
