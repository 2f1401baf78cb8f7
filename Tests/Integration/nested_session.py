"""A person's session on Wayland, for programs in a display of their own: Weston, on an X server
that shows nothing. Weston alone would have neither keyboard nor clipboard."""
import os
import pathlib
import signal
import subprocess
import tempfile

from running import PREFIX
from workspace import wait_until

NEEDS = ("fonts-dejavu-core", "weston", "wl-clipboard", "xvfb")


class Session:
    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix=PREFIX + "session-")
        self.runtime = pathlib.Path(self.directory.name)
        self.runtime.chmod(0o700)
        self.socket, self.display = self.runtime / "session", ""
        self.programs = []

    def start(self):
        reader, writer = os.pipe()
        self.run("Xvfb", "-displayfd", writer, "-nolisten", "tcp", "-noreset", pass_fds=[writer])
        os.close(writer)
        with open(reader) as told:
            self.display = f":{told.readline().strip()}"
        self.run("weston", "--backend=x11-backend.so", "--socket=session", "--no-config",
                 "--idle-time=0")
        wait_until(self.socket.exists, message="weston did not start")
        return self

    def run(self, *words, **options):
        self.programs.append(subprocess.Popen(
            [*map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            env=self.environment, **{"stderr": subprocess.DEVNULL, **options}))
        return self.programs[-1]

    @property
    def environment(self):
        return {**os.environ, "XDG_RUNTIME_DIR": str(self.runtime), **self.variables}

    @property
    def variables(self):
        """What programs of the session find its displays by."""
        return {"WAYLAND_DISPLAY": str(self.socket), "DISPLAY": self.display}

    def copy(self, text):
        """Another program of the person's has something in the clipboard."""
        copiers = [self.run("wl-copy", "--foreground", text)]

        def is_copied():
            if self.paste() == text:
                return True
            # It gives up where the compositor has no keyboard yet.
            if copiers[-1].poll() is not None:
                copiers.append(self.run("wl-copy", "--foreground", text))
            return False
        wait_until(is_copied, message="wl-copy has not copied")

    def paste(self):
        done = subprocess.run(
            ["wl-paste", "--no-newline"], capture_output=True, text=True, timeout=60,
            env=self.environment)
        return done.stdout

    def close(self):
        for program in reversed(self.programs):
            program.send_signal(signal.SIGTERM)
            try:
                program.wait(timeout=10)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()
        self.directory.cleanup()
