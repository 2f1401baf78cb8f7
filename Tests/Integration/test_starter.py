"""What a daemon keeps of the program that starts it: no descriptor, no directory, no limit that it
may raise, and the others are named."""
import fcntl
import os
import subprocess
import unittest

from workspace import WorkspaceCase, wait_until


class Starter(WorkspaceCase):
    def setUp(self):
        super().setUp()
        self.workspace.unmount()
        self.addCleanup(self.workspace.mount)

    def start(self, prefix=(), **options):
        self.addCleanup(self.workspace.unmount)
        subprocess.run(
            [*prefix, "mamctl", "mount", self.workspace.backing, self.workspace.mount_point],
            env=self.workspace.environment, check=True, timeout=90, stdin=subprocess.DEVNULL,
            **{"stderr": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, **options})

    def test_a_lock_of_the_starters_ends_with_it(self):
        path = self.workspace.root / "locked"
        with open(path, "w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            # No number that mamctl has a use for.
            inherited = fcntl.fcntl(held, fcntl.F_DUPFD, 40)
            self.start(pass_fds=[inherited])
            os.close(inherited)
        with open(path) as other:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def test_a_check_keeps_none_either(self):
        path = self.workspace.root / "locked"
        with open(path, "w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            reader, writer = os.pipe()
            daemon = subprocess.Popen(
                ["mamd", "--ready-fd", str(writer), "-o", "ro", "--no-mount",
                 self.workspace.backing], cwd=self.workspace.root,
                env=self.workspace.environment, pass_fds=[writer, held.fileno()])
            self.addCleanup(daemon.wait)
            self.addCleanup(daemon.kill)
            self.addCleanup(os.close, reader)
            os.close(writer)
            self.assertEqual(os.read(reader, 1), b"+")
        with open(path) as other:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.getuid() == 0:
            self.assertEqual(os.readlink(f"/proc/{daemon.pid}/cwd"), "/")

    @unittest.skipUnless(os.getuid() == 0, "the daemon lets nobody but root see its directory")
    def test_the_starters_directory_is_free(self):
        place = self.workspace.root / "somewhere"
        place.mkdir()
        self.start(cwd=place)
        self.assertEqual(os.readlink(f"/proc/{self.workspace.daemon()}/cwd"), "/")

    def test_relative_paths_still_count(self):
        daemon = subprocess.Popen(
            ["mamd", "-f", "backing", "mount"], cwd=self.workspace.root,
            env=self.workspace.environment, stderr=subprocess.DEVNULL)
        wait_until(lambda: os.path.ismount(self.workspace.mount_point))
        self.workspace.unlock()
        self.workspace.unmount()
        self.assertEqual(daemon.wait(), 0)

    def limits(self):
        text = open(f"/proc/{self.workspace.daemon()}/limits").read()
        return {line[:26].strip(): line[26:].split()[:2] for line in text.splitlines()}

    def test_limits_are_raised_as_far_as_they_may_be(self):
        self.start(("prlimit", "--fsize=1000000:unlimited", "--cpu=100:unlimited"))
        found = self.limits()
        self.assertEqual(found["Max file size"][0], "unlimited")
        self.assertEqual(found["Max cpu time"][0], "unlimited")

    def test_those_that_may_not_be_are_named(self):
        said = self.workspace.root / "said"
        with open(said, "w") as stream:
            self.start(("prlimit", "--fsize=100000000"), stderr=stream)
        self.assertIn("the size of files (ulimit -f) is at most 100000000", said.read_text())
