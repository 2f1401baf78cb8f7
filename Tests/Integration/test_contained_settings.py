"""What settings take from contained programs, or give them: terminals, the session's display,
names of hosts."""
import contextlib
import errno
import os
import pty
import socket
import subprocess
import sys
import unittest

from test_contained import CONNECT, RESTRICTED, Contained
from workspace import DONE, NO, PROGRAMS, REFUSED, wait_until

NEEDS = ("iproute2",)


class CopyingIsFree(Contained):
    """Policy restricts no copying: the settings change nothing."""

    settings = {
        **Contained.settings, "ContainedTerminalBlocked": True, "ContainedNestedRequired": True}
    may_copy = True

    def on_terminal(self, *command, options=()):
        """Status and text of a contained command whose terminal is its own."""
        words = list(map(str, self.words(*command, options=options)))
        child, master = pty.fork()
        if child == 0:
            os.execvpe(words[0], words, self.workspace.environment)
        text = b""
        with contextlib.suppress(OSError):  # the last one that had it open has ended
            while got := os.read(master, 65536):
                text += got
        os.close(master)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), b" ".join(text.split())

    def test_terminals(self):
        status, text = self.on_terminal("echo", "said")
        self.assertEqual(status, DONE if self.may_copy else REFUSED, text)
        self.assertEqual(b"said" in text, self.may_copy, text)
        self.assertEqual(
            b"standard input leads out of the workspace, to a terminal" in text,
            not self.may_copy, text)

    def test_the_terminal_of_its_session(self):
        status, text = self.on_terminal(
            "sh", "-c", "echo said > /dev/tty", options=("--discard-output",))
        self.assertEqual((status == 0, b"said" in text), (self.may_copy, self.may_copy), text)

    def test_the_sessions_display(self):
        address = str(self.workspace.root / "wayland")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(address)
            listener.listen()
            done = subprocess.run(
                self.words(sys.executable, CONNECT, address), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env={**self.workspace.environment, "WAYLAND_DISPLAY": address})
        self.assertEqual(done.returncode, 0 if self.may_copy else errno.EACCES)
        os.unlink(address)


class Exchanged(Contained):
    settings = {**Contained.settings, "ContainedNetwork": "any"}

    def listen(self, path):
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(str(path))
        listener.listen()
        listener.setblocking(False)
        return listener

    def exchange(self, path, **variables):
        """Between two connections of a contained program."""
        connected, again = self.directory / "connected", self.workspace.root / f"again-{path.name}"
        first = self.listen(path)
        child = subprocess.Popen(
            self.words(sys.executable, CONNECT, path, connected, again),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**self.workspace.environment, **variables})
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        wait_until(
            lambda: connected.exists() or child.poll() is not None, message="it did not connect")
        first.accept()
        os.unlink(path)
        second = self.listen(path)
        again.touch()
        self.assertEqual(child.wait(timeout=120), errno.EACCES)
        self.assertRaises(BlockingIOError, second.accept)
        os.unlink(path)

    def test_another_socket_in_the_place_of_the_displays(self):
        display = self.workspace.root / "wayland"
        self.exchange(display, WAYLAND_DISPLAY=str(display))

    def test_another_socket_in_the_place_of_the_sound_servers(self):
        place = self.workspace.root / "runtime_dir" / "pulse"
        place.mkdir()
        self.exchange(place / "native")


class CopyingIsRestricted(CopyingIsFree):
    policy = {**RESTRICTED, "allowedOutboundClipboardSharingLevel": "managedApps"}
    may_copy = False


class NotSet(CopyingIsFree):
    """The defaults."""

    settings = Contained.settings
    policy = CopyingIsRestricted.policy


@unittest.skipUnless(os.getuid() == 0, "makes a network with a name server")
class Names(Contained):
    settings = {**Contained.settings, "ContainedNetwork": [53, 443]}
    status = DONE

    def words(self, *command, options=()):
        files = []
        for name, text in (
                ("resolv.conf", "nameserver 127.0.0.1\noptions timeout:60\n"),
                ("nsswitch.conf", "hosts: files dns\n")):
            files.append(self.workspace.root / name)
            files[-1].write_text(text)
        script = (
            'ip link set lo up; ip address add 192.0.2.1/24 dev lo;'
            'mount --bind "$1" /etc/resolv.conf;'
            'mount --bind "$2" /etc/nsswitch.conf; shift 2; exec "$@"')
        return [
            "unshare", "--mount", "--net", "sh", "-ec", script, "sh", *map(str, files),
            sys.executable, str(PROGRAMS / "name_server.py"),
            *super().words(*command, options=options)]

    def test_they_are_found(self):
        text = self.contained("getent", "ahostsv4", "plan.example", status=self.status)
        self.assertEqual(b"192.0.2.7" in text, self.status == DONE, text)


class NoNames(Names):
    """A list without their port."""

    settings = {**Contained.settings, "ContainedNetwork": [443]}
    status = NO + 1


if __name__ == "__main__":
    unittest.main()
