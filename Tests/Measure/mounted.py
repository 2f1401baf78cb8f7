"""One file system that a daemon serves, from its creation to its end."""
import os
import signal
import subprocess
import time

from subject import Attempt, Unlock, must, timed
from workspace import PASSPHRASE


class Mounted:
    """The daemon runs in the foreground, so that its process is known.

    `create` and `serve`: commands, to which the backing directory and the mount point are added.
    """

    def __init__(self, directory, serve, create=None):
        self.backing, self.mount_point = directory / "backing", directory / "mount"
        self.passfile = directory / "passphrase"
        self.serve, self.create = serve, create
        self.daemon = None

    def start(self):
        self.backing.mkdir(parents=True)
        self.mount_point.mkdir()
        self.passfile.write_text(PASSPHRASE + "\n")
        if self.create:
            must([*self.create, "-passfile", self.passfile, self.backing])
        self.mount()

    def mount(self):
        # Those that take no file for the passphrase read it from standard input.
        with open(self.passfile, "rb") as passphrase:
            self.daemon = subprocess.Popen(
                [*map(str, self.command())], stdin=passphrase, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not os.path.ismount(self.mount_point):
            if self.daemon.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"{self.serve[0]} did not mount")
            time.sleep(0.001)

    def command(self):
        return [
            *self.serve, *(["-passfile", self.passfile] if self.create else []), self.backing,
            self.mount_point]

    def unmount(self, *options):
        return timed(["fusermount3", "-u", *options, str(self.mount_point)])

    def kill(self):
        start = time.monotonic()
        self.daemon.send_signal(signal.SIGKILL)
        self.daemon.wait()
        return Attempt(time.monotonic() - start, None, "killed")

    def end(self):
        """Unmounts whatever is there, and waits for the daemon."""
        # A dead daemon's mount is no ismount() any more, so this is tried in any case.
        self.unmount("-z")
        if self.daemon:
            try:
                self.daemon.wait(20)
            except subprocess.TimeoutExpired:
                # Something else on this machine keeps the mount, in a mount name space of its own
                # say.
                self.kill()

    def as_unlock(self):
        return Unlock(self.mount_point, self.end, self.mount)
