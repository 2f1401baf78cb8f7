"""What happens to a workspace between random file calls."""
import os
import shutil
import signal
import stat
import subprocess

from filling import take_all_but
from random_state import paths, state
from workspace import wait_until

EVENTS = ("lock", "remount", "kill", "kill_synced", "owner", "forget", "full")


class Events:
    """A method for each. It returns False where contents are not known afterwards: then the
    directory beside is made the same."""

    def __init__(self, workspace, here, there, filler=None):
        self.workspace, self.here, self.there = workspace, here, there
        self.filler = filler

    def names(self):
        return [
            event for event in EVENTS if (event != "full" or self.filler)
            and (event != "forget" or os.getuid() == 0)]

    def happen(self, event, name):
        return getattr(self, event)(name)

    def close_files(self):
        self.here.close_all()
        self.there.close_all()

    def lock(self, _):
        self.workspace.lock()
        self.workspace.unlock()
        return True

    def remount(self, _):
        self.close_files()
        self.workspace.remount()
        return True

    def forget(self, _):
        with open("/proc/sys/vm/drop_caches", "w") as file:
            file.write("2")
        return True

    def owner(self, name):
        """Of the first file from that name on. Where it is refused nothing may change."""
        wanted = self.here.at(name)
        files = [
            path for path in paths(self.here.root) if stat.S_ISREG(os.lstat(path).st_mode)]
        if files:
            path = min(files, key=lambda path: (path < wanted, path))
            owner = "" if self.workspace.owner(path).startswith("ann") else "ann@contoso.com"
            self.workspace.ctl("protect", "--owner", owner, "--unmanaged", path, status=None)
        return True

    def kill_synced(self, name):
        for path in [self.here.root, *paths(self.here.root)]:
            if stat.S_IFMT(os.lstat(path).st_mode) in (stat.S_IFREG, stat.S_IFDIR):
                descriptor = os.open(path, os.O_RDONLY)
                os.fsync(descriptor)
                os.close(descriptor)
        self.kill(name)
        return True

    def kill(self, _):
        """What was not synced is not known afterwards; names and attributes are."""
        self.there.close_all()
        daemon = self.workspace.daemon()
        os.kill(daemon, signal.SIGKILL)
        wait_until(lambda: not os.path.exists(f"/proc/{daemon}"), message="killed, and there")
        self.here.close_all()
        self.mount_again()
        return False

    def mount_again(self):
        subprocess.run(
            ["fusermount3", "-u", "-z", self.workspace.mount_point], capture_output=True)
        self.workspace.mount()
        self.workspace.unlock()

    def full(self, _):
        """No room is left, until the next such event."""
        if self.filler.exists():
            self.filler.unlink()
        else:
            take_all_but(0, self.filler)
        return True


def make_the_same(here, there):
    """The directory beside becomes what the mount shows. Nothing may be open."""
    for path in os.scandir(there):
        shutil.rmtree(path) if path.is_dir(follow_symlinks=False) else os.unlink(path)
    subprocess.run(["cp", "-a", "--", os.path.join(here, "."), there], check=True)
    assert state(here) == state(there), "a copy is not what was copied"
