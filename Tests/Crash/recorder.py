"""The recording file system (recorder.c): built, mounted, spoken to."""
import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = HERE.parents[1] / ".build" / "recorder"
AS_ROOT = unittest.skipIf(
    os.getuid() != 0, "the recording file system gives files to other users, which only root can")
sys.path.insert(0, str(HERE.parent / "Integration"))
from running import mounts
from workspace import wait_until


def build():
    source = HERE / "recorder.c"
    if PROGRAM.exists() and PROGRAM.stat().st_mtime > source.stat().st_mtime:
        return
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "fuse3"], capture_output=True, text=True, check=True)
    # Under another name first: two runs may build at the same time.
    new = PROGRAM.with_name(f"recorder.{os.getpid()}")
    PROGRAM.parent.mkdir(exist_ok=True)
    subprocess.run(
        ["cc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-o", new, source,
        *flags.stdout.split()], check=True)
    new.rename(PROGRAM)


class Recorder:
    """SOURCE, seen at MOUNT; what happens there is in LOG when it is stopped."""

    def __init__(self, source, mount, log):
        build()
        self.mount, self.log = pathlib.Path(mount), pathlib.Path(log)
        for directory in (source, mount):
            pathlib.Path(directory).mkdir(parents=True, exist_ok=True)
        self.process = subprocess.Popen([PROGRAM, source, mount, log])
        wait_until(
            lambda: str(self.mount) in mounts(str(self.mount)),
            message="the recorder does not mount")

    def mark(self, text):
        os.setxattr(self.mount, "user.recorder.mark", text.encode())

    def fail(self, kinds, nth, error, times=1 << 40):
        """The `nth` call from now on that is one of `kinds` fails, and those after it. Error 0:
        half a write."""
        os.setxattr(self.mount, "user.recorder.fault", f"{kinds} {nth} {times} {error}".encode())

    def count(self, kinds="any"):
        """Counts calls of these kinds from now on, and lets all succeed."""
        self.fail(kinds, 1, 0, times=0)

    @property
    def calls(self):
        return int(os.getxattr(self.mount, "user.recorder.calls"))

    def stop(self):
        # A daemon that has ended may hold its files a moment longer.
        wait_until(
            lambda: subprocess.run(
                ["fusermount3", "-u", self.mount], capture_output=True).returncode == 0,
            message="the recorder's mount is busy")
        # A name space that was made meanwhile, such as another test's, has a copy of the mount.
        self.process.terminate()
        if self.process.wait(90) != 0:
            raise AssertionError(f"the recorder ended with {self.process.returncode}")
