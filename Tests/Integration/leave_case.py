"""Runs `leave` of a mounted workspace, stops it on its way, and compares what it copied."""
import contextlib
import os
import pathlib
import signal
import subprocess

from workspace import DONE, PERSONAL, WorkspaceCase, pattern, wait_until

MARK, TEMPORARY = ".mamctl-leave", ".mamctl-leave.new"


def content(root):
    """Each name below, as bytes, with what it is."""
    found = {}
    top = os.fsencode(root)
    for place, folders, names in os.walk(top):
        for name in [*folders, *names]:
            path = os.path.join(place, name)
            key = os.path.relpath(path, top)
            if os.path.islink(path):
                found[key] = os.readlink(path)
            elif os.path.isdir(path):
                found[key] = None
            else:
                with open(path, "rb") as file:
                    found[key] = file.read()
    return found


class LeaveCase(WorkspaceCase):
    def setUp(self):
        super().setUp()
        self.source = self.backing_of(self.directory)
        self.place = self.workspace.root / f"place-{self._testMethodName}"
        self.place.mkdir()
        self.target = self.place / "files"

    def write(self, path, data, time=None):
        path = super().write(path, data)
        if time is not None:
            os.utime(path, ns=(time, time))
        return path

    def leave(self, status=DONE, source=None, target=None, **options):
        return self.workspace.serving(
            "leave", source or self.source, target or self.target, status=status, **options)

    def assert_whole(self):
        """All that the mount shows is there, and nothing else."""
        self.assertEqual(content(self.target), content(self.directory))

    def personal(self, name, data):
        """An unmanaged owner's file."""
        path = self.write(self.directory / name, data)
        self.workspace.ctl("protect", path, "--owner", PERSONAL, "--unmanaged", "--quiet")
        return path

    def files(self):
        self.write(self.directory / "sealed", pattern(100_000))
        self.personal("personal", pattern(50_000, 1))
        (self.source / "foreign").write_bytes(pattern(30_000, 2))

    def log(self, name):
        return (self.place / name).read_text()

    def stopped_before_the_name(self):
        return self.stopped_after("fsync", 1)

    @contextlib.contextmanager
    def stopped_after(self, calls, count):
        """A run that stands still after so many calls, until the block has ended."""
        with open(self.place / "err", "wb") as errors, subprocess.Popen(
                ["strace", "-qq", "-o", self.place / "trace", "-e", f"trace={calls}",
                 "-e", f"inject={calls}:signal=STOP:when={count}", "mamctl", "leave", self.source,
                 self.target, "--workspace", self.workspace.name],
                stdout=subprocess.DEVNULL, stderr=errors,
                env=self.workspace.environment) as process:
            trace = self.place / "trace"
            wait_until(lambda: trace.exists() and "--- stopped by SIGSTOP" in trace.read_text())
            (pid,) = pathlib.Path(
                f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            self.stopped = int(pid)
            try:
                yield process
            finally:
                os.kill(self.stopped, signal.SIGCONT)
                process.wait(90)
