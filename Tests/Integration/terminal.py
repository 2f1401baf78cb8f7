"""A program on a terminal of its own: what it prints there, and what it does when keys are
typed."""
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time


class Terminal:
    """Runs a command with a new terminal as its standard error, and as standard output and input
    unless told otherwise."""

    def __init__(self, command, environment, columns=80, stdin=None, stdout=None):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

        def own_terminal():
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            [os.fspath(word) for word in command], stdin=slave if stdin is None else stdin,
            stdout=slave if stdout is None else stdout, stderr=slave,
            env={"TERM": "xterm", **environment}, preexec_fn=own_terminal)
        os.close(slave)
        self.shown = b""

    def type(self, text):
        os.write(self.master, text.encode())

    def interrupt(self):
        os.write(self.master, b"\x03")

    def hides_typing(self):
        return not termios.tcgetattr(self.master)[3] & termios.ECHO

    def read(self, until=None, seconds=90):
        """All that is shown until the program ends, or until some bytes are."""
        end = time.monotonic() + seconds
        while until is None or until not in self.shown:
            if time.monotonic() > end:
                raise AssertionError(f"nothing more on the terminal: {self.shown!r}")
            if not select.select([self.master], [], [], 0.05)[0]:
                if self.process.poll() is not None and not select.select([self.master], [], [], 0)[
                        0]:
                    break
                continue
            try:
                data = os.read(self.master, 1 << 16)
            except OSError:
                break
            if not data:
                break
            self.shown += data
        return self.shown

    def finish(self, seconds=90):
        """The exit status, and all that was shown."""
        self.read(seconds=seconds)
        status = self.process.wait(seconds)
        os.close(self.master)
        return status, self.shown.decode(errors="surrogateescape").replace("\r\n", "\n")


def on_terminal(command, environment, **options):
    return Terminal(command, environment, **options).finish()
