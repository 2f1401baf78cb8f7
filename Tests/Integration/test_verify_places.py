"""What PATH of `verify` may be, which users may run it, and how it ends."""
import contextlib
import json
import os
import pathlib
import select
import signal
import subprocess
import unittest

from ordinary_user import NOBODY
from running import daemons
from socket_client import Client
from verifying import VerifyCase
from workspace import ANN, CLOSED, DONE, NOT_FOUND, USAGE, WRONG_PASSPHRASE, wait_until


class Places(VerifyCase):
    """What PATH may be."""

    def files(self, *arguments, status=DONE):
        result = self.workspace.ctl("verify", *arguments, "--json", status=status)
        return json.loads(result.stdout)["summary"]["files"]

    def test_paths_inside_the_mount_and_in_the_backing_directory(self):
        self.lay(one=self.good, two=self.good)
        (self.disk("deep") / "er").mkdir(parents=True)
        self.lay(**{"deep/er/three": self.good})
        self.assertEqual(
            self.files(
                self.workspace.backing, "--unlock", ANN, "--passfile", self.workspace.passfile), 4)
        for path, count in (("deep", 1), ("deep/er/three", 1), ("one", 1), (".", 4)):
            self.assertEqual(self.files(self.disk(path), status=CLOSED), count)
        self.mount()
        self.assertEqual(self.files(), 4)
        for top in (self.workspace.mount_point, self.workspace.backing):
            here = top / self._testMethodName
            self.assertEqual(self.files(top), 4)
            self.assertEqual(self.files(here), 4)
            self.assertEqual(self.files(here / "deep"), 1)
            self.assertEqual(self.files(here / "deep" / "er" / "three"), 1)
            self.assertEqual(self.files(here / "one"), 1)
        link = self.workspace.root / "link"
        link.symlink_to(self.directory / "deep")
        self.assertEqual(self.files(link), 1)

    def test_what_is_no_part_of_a_workspace(self):
        for path in (self.workspace.root, self.workspace.root / "missing"):
            self.workspace.ctl("verify", path, status=NOT_FOUND)

    def test_opening_an_account_for_the_check(self):
        wrong = self.workspace.secret("wrong", "not it")
        self.workspace.ctl(
            "verify", self.workspace.backing, "--unlock", ANN, "--passfile", wrong,
            status=WRONG_PASSPHRASE)
        self.workspace.ctl(
            "verify", self.workspace.backing, "--unlock", "who@example.org", status=NOT_FOUND)
        self.assertEqual(list(daemons(str(self.workspace.root))), [])
        self.workspace.mount()
        # Until the next passphrase is tried.
        wait_until(lambda: self.workspace.account()["retryAfterSeconds"] == 0)
        self.workspace.unlock()
        self.workspace.ctl(
            "verify", self.workspace.mount_point, "--unlock", ANN, "--passfile",
            self.workspace.passfile, status=USAGE)

    def is_locked(self):
        """Whoever tries the lock could keep it from the daemon."""
        inode = (self.workspace.backing / ".mamd" / "lock").stat().st_ino
        return f":{inode} " in pathlib.Path("/proc/locks").read_text()

    def test_the_daemon_of_a_check_ends_with_it_and_keeps_others_out(self):
        self.lay(foreign=b"x" * 4096)
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        # So the check does not come to its end: it tells of the file, and nobody reads.
        os.set_blocking(writer, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(writer, bytes(select.PIPE_BUF))
        os.set_blocking(writer, True)
        check = subprocess.Popen(
            ["mamctl", "verify", self.workspace.backing], stdout=writer,
            env=self.workspace.environment)
        os.close(writer)
        wait_until(self.is_locked)
        daemon = self.workspace.daemon()
        # A mount waits for a moment: until then the check is not to be done.
        os.kill(daemon, signal.SIGSTOP)
        self.workspace.mount(status=1)
        os.kill(daemon, signal.SIGCONT)
        check.send_signal(signal.SIGKILL)
        check.wait()
        wait_until(lambda: not list(daemons(str(self.workspace.root))))
        self.mount()

    @unittest.skipUnless(os.getuid() == 0, "needs another user")
    def test_only_root_and_the_daemon_s_user_may(self):
        self.mount()
        for path in (
                self.workspace.root, self.workspace.root / "runtime_dir",
                self.workspace.socket.parent):
            path.chmod(0o755)
        with Client(self.workspace.socket, NOBODY) as client:
            answer = client.ask("Workspace.Verify", more=True)
        self.assertEqual(answer.get("error"), "io.mamd.Workspace.Refused")

    def test_it_is_a_stream(self):
        self.mount()
        with Client(self.workspace.socket) as client:
            answer = client.ask("Workspace.Verify")
        self.assertEqual(answer.get("error"), "org.varlink.service.ExpectedMore")
