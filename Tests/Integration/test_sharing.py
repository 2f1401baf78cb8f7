"""Several programs and users on the same files, and a daemon that stops under them."""
import errno
import os
import pathlib
import signal
import stat
import subprocess
import sys
import time
import unittest

from ordinary_user import NOBODY
from running import has_ended
from socket_client import Client
from workspace import ANN, WorkspaceCase, pattern, wait_until

NEEDS = ("acl",)

AS = "import os, sys; os.setgroups([]); os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[1])); "


def run_as(user, group, code, *arguments):
    """Runs Python as another user; the exit status is an errno, or 0."""
    wrapped = AS + f"\ntry:\n    {code}\nexcept OSError as problem:\n    sys.exit(problem.errno)"
    return subprocess.run(
        [sys.executable, "-c", wrapped, str(user), str(group), *map(os.fspath, arguments)],
        timeout=60).returncode


def status(workspace):
    with Client(workspace.socket) as client:
        return client.call("Workspace.Status")


class Sharing(WorkspaceCase):
    def test_copying_a_file_while_it_is_written_copies_what_was_written(self):
        path, copy = self.directory / "dirty", self.workspace.root / "copy"
        with open(path, "wb", buffering=0) as writer:
            writer.write(pattern(4_000_000))
            subprocess.run(["cp", path, copy], check=True)
            self.assertEqual(copy.read_bytes(), pattern(4_000_000))

    def test_a_file_made_by_mknod_is_not_open(self):
        self.workspace.await_closed()
        for number in range(5):
            os.mknod(self.directory / f"node-{number}", stat.S_IFREG | 0o644)
        self.assertEqual(status(self.workspace)["openFiles"], 0)

    def test_encrypt_refuses_a_destination_that_appends(self):
        source, out = self.write(
            self.workspace.root / "plain", b"x"), self.workspace.root / "appended"
        with (
            open(source, "rb") as plain, open(out, "ab+") as appending,
            Client(self.workspace.socket) as client,
        ):
            answer = client.ask(
                "Workspace.Encrypt", [plain.fileno(), appending.fileno()],
                owner=ANN, sourceDescriptor=0, destinationDescriptor=1)
        self.assertEqual(answer["error"], "io.mamd.Workspace.InvalidInput")
        self.assertEqual(out.read_bytes(), b"")


@unittest.skipUnless(os.getuid() == 0, "acts as several users, which only root can")
class Users(WorkspaceCase):
    def setUp(self):
        super().setUp()
        os.chmod(self.workspace.root, 0o755)
        os.chmod(self.workspace.mount_point, 0o755)
        os.chmod(self.directory, 0o777)

    def test_a_truncating_open_by_another_user_leaves_an_open_managed_file_sealed(self):
        path = self.write(self.directory / "file", b"precious")
        path.chmod(0o666)
        with open(path, "rb+", buffering=0) as held:
            self.assertEqual(run_as(NOBODY, NOBODY, "open(sys.argv[3], 'w').close()", path), 0)
            os.pwrite(held.fileno(), b"top secret later write", 0)
        self.workspace.remount()
        self.assertEqual(path.read_bytes(), b"top secret later write")
        self.assertEqual(self.workspace.owner(path), ANN)
        self.assertNotIn(b"secret", self.backing_of(path).read_bytes())

    def test_a_truncating_open_clears_the_set_user_id_bit(self):
        path = self.write(self.directory / "file", b"program")
        path.chmod(0o4777)
        self.assertEqual(run_as(NOBODY, NOBODY, "open(sys.argv[3], 'w').close()", path), 0)
        self.assertEqual(path.stat().st_mode & 0o7777, 0o777)

    def test_access_control_lists_are_enforced(self):
        path = self.write(self.directory / "file", b"for one user only")
        os.chown(path, 0, 1234)
        subprocess.run(["setfacl", "-m", "u:777:rw,g::---,m::rw", path], check=True)
        read = "open(sys.argv[3]).read()"
        self.assertEqual(run_as(777, 777, read, path), 0)
        self.assertEqual(run_as(778, 1234, read, path), errno.EACCES)

    def test_another_user_may_not_decrypt_what_an_account_of_root_encrypted(self):
        path = self.write(self.directory / "file", b"precious")
        copy, out = self.workspace.root / "copy", self.workspace.root / "out"
        copy.write_bytes(self.backing_of(path).read_bytes())
        out.write_bytes(b"")
        for name in (copy, out):
            os.chown(name, NOBODY, NOBODY)
        # The system daemon's socket lets every user in.
        for folder in (
                pathlib.Path(self.workspace.socket).parent,
                pathlib.Path(self.workspace.socket).parent.parent):
            os.chmod(folder, 0o755)
        with (
            open(copy, "r+b") as source, open(out, "r+b") as sink,
            Client(self.workspace.socket, NOBODY) as client,
        ):
            answer = client.ask(
                "Workspace.Decrypt", [source.fileno(), sink.fileno()],
                sourceDescriptor=0, destinationDescriptor=1)
        self.assertEqual(answer.get("error"), "io.mamd.Workspace.Refused")
        self.assertEqual(out.read_bytes(), b"")


class Stopping(WorkspaceCase):
    def test_what_was_written_before_the_daemon_stops_is_there(self):
        for name, identity in (("managed", None), ("plain", "ann.personal@example.org")):
            path = self.directory / name
            if identity:
                self.workspace.write_as(identity, path, "")
            acknowledged, record = self.write_until_it_fails(path)
            self.workspace.mount().unlock()
            data = path.read_bytes()
            self.assertGreater(acknowledged, 0)
            for number in range(acknowledged):
                self.assertEqual(
                    data[number * 400 : number * 400 + 400], record(number), (name, number))

    def write_until_it_fails(self, path):
        """Appends records until the daemon, which is told to stop meanwhile, refuses."""
        def record(number):
            return f"{number:010}".encode() * 40

        done = 0
        pid = status(self.workspace)["pid"]
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
        end = time.monotonic() + 90
        try:
            while time.monotonic() < end:
                os.pwrite(descriptor, record(done), done * 400)
                done += 1
                # It goes on while the daemon comes to its end.
                if done == 1000:
                    os.kill(pid, signal.SIGTERM)
        except OSError:
            pass
        finally:
            try:
                os.close(descriptor)
            except OSError:
                pass
        wait_until(lambda: has_ended(pid), message="the daemon does not stop")
        return done, record
