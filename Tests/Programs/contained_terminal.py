"""A program at a terminal of its own, with somebody who types."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from check import Failure

ESCAPES = re.compile(
    rb"\x1b\[[0-9;?>=!]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[()][0-9A-B]|"
    rb"\x1b[=>78MPc]|[\x0e\x0f]")


class Terminal:
    def __init__(self, words, environment, cwd):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
        self.child = subprocess.Popen(
            words, stdin=slave, stdout=slave, stderr=slave, env=environment, cwd=cwd,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        self.raw, self.looked_at = b"", 0

    @property
    def text(self):
        """All that it wrote, without what moves the cursor and sets colours."""
        return ESCAPES.sub(b"", self.raw).replace(b"\r\n", b"\n").decode(errors="replace")

    def read(self, seconds):
        """Whether it wrote something; None at the end."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            self.raw += os.read(self.master, 1 << 16)
            return True
        except OSError:  # the last one that had it open has ended
            return None

    def type(self, keys):
        os.write(self.master, keys.encode())

    def expect(self, pattern, seconds=60):
        """Waits for it, after what was expected before."""
        end = time.monotonic() + seconds
        while not (found := re.compile(pattern).search(self.text, self.looked_at)):
            if time.monotonic() > end or self.read(0.2) is None:
                raise Failure(f"no {pattern!r} in {self.text[self.looked_at:][-300:]!r}")
        self.looked_at = found.end()
        return found.group()

    def quiet(self, seconds=0.7, most=20):
        """Waits until it has written nothing for so long."""
        end = time.monotonic() + most
        while self.read(seconds) and time.monotonic() < end:
            pass
        self.looked_at = len(self.text)

    def end(self, seconds):
        """Waits for its end: its status."""
        end = time.monotonic() + seconds
        while self.read(0.2) is not None and time.monotonic() < end:
            pass
        try:
            return self.child.wait(timeout=max(end - time.monotonic(), 1))
        except subprocess.TimeoutExpired:
            raise Failure(f"no end after {seconds} s: {self.text[-300:]!r}") from None

    def close(self):
        if self.child.poll() is None:
            os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()
        os.close(self.master)
