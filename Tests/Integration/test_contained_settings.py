"""What settings take from contained programs: terminals, the session's display."""
import contextlib
import errno
import os
import pty
import socket
import subprocess
import sys

from test_contained import CONNECT, RESTRICTED, Contained
from workspace import DONE, REFUSED


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


class CopyingIsRestricted(CopyingIsFree):
    policy = {**RESTRICTED, "allowedOutboundClipboardSharingLevel": "managedApps"}
    may_copy = False


class NotSet(CopyingIsFree):
    """The defaults."""

    settings = Contained.settings
    policy = CopyingIsRestricted.policy


if __name__ == "__main__":
    import unittest

    unittest.main()
