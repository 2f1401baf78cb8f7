"""A workspace whose programs are contained, a home directory that they cannot write to, and a
display."""
import base64
import os
import re
import secrets
import shutil
import subprocess
import time

import contained_scan
from check import Failure
from contained_terminal import Terminal
from contained_watch import Watch
from workspace import ANN, Workspace, wait_until

RESTRICTED = {
    "@odata.type": "#microsoft.graph.iosManagedAppProtection", "displayName": "Restricted",
    "appDataEncryptionType": "whenDeviceLocked", "pinRequired": False,
    "allowedOutboundDataTransferDestinations": "managedApps"}


class Place:
    """`outside`: a directory that is not in the workspace, for programs to try. `files`: one that
    is. `phrase`: what the documents say, and nothing else on this machine does."""

    def __init__(self, contained=True):
        self.contained, self.display = contained, None
        self.workspace = Workspace(
            settings={"Containment": "required" if contained else "off"},
            policy=RESTRICTED if contained else None)

    def start(self):
        self.began = time.time()
        root = self.workspace.root
        self.home, self.outside = root / "home", root / "outside"
        # Firefox would make the last, and saves nothing without.
        for path in (self.home, self.outside, self.home / "Downloads"):
            path.mkdir()
        self.workspace.environment |= {
            "HOME": str(self.home), "LC_ALL": "C.UTF-8", "TERM": "xterm"}
        for variable in ("WAYLAND_DISPLAY", "DISPLAY"):
            self.workspace.environment.pop(variable, None)
        self.workspace.init().mount().register(extra=["--no-passphrase"])
        self.others = {self.workspace.daemon()}

    def begin(self, name):
        """A directory and a phrase for one program, and a look at all that it writes outside."""
        self.phrase = f"kittiwake{secrets.token_hex(6)}{name.lower()}"
        self.files = self.workspace.path(name)
        self.files.mkdir()
        self.began = time.time()
        self.watch = Watch(
            contained_scan.file_systems(self.workspace.mount_point), self.others)

    def finish(self):
        """What was written outside, and the files there that have the phrase."""
        time.sleep(0.5)
        self.watch.close()
        found = contained_scan.find(self.phrase, self.began, self.workspace.mount_point)
        # The daemon's about itself, and the keys of the display, whose server starts a program.
        known = (str(self.workspace.root / "state_home"), "/var/lib/xkb/")
        return {path for path in self.watch.seen if not path.startswith(known)}, found

    # Files

    def document(self, name, text=None):
        """A sealed file of the account's with the phrase."""
        path = self.files / name
        text = f"{self.phrase}\nsecond line\n" if text is None else text
        if self.contained:
            return self.workspace.write_contained(path, text.encode())
        path.write_text(text)
        return path

    def read(self, path):
        """What is in it: for contained programs alone."""
        text = self.run("base64", path).text
        return base64.b64decode(text)

    def says(self, path, *words):
        """The file has these words, and the phrase, be they packed."""
        data = self.read(path)
        for word in (self.phrase, *words):
            if not contained_scan.Phrase(word).is_in(data):
                raise Failure(f"{path.name} does not have {word!r}: {data[:200]!r}")

    # Programs

    def start_program(self, *command, network="none", environment=None):
        how = ["--contained", "--account", ANN, "--network", network] if self.contained else [
            "--identity", ANN]
        words = [
            "mamctl", "run", "--workspace", self.workspace.name, *how, "--", *map(str, command)]
        return Terminal(
            words, {**self.workspace.environment, **(environment or {})}, self.files)

    def run(self, *command, status=0, seconds=120, **options):
        """Runs it to its end. `status`: None for any."""
        terminal = self.start_program(*command, **options)
        try:
            found = terminal.end(seconds)
        finally:
            terminal.close()
        if status is not None and found != status:
            raise Failure(f"{' '.join(map(str, command))[:100]}: status {found}, "
                          f"not {status}: {terminal.text[-400:]!r}")
        return terminal

    def said(self, terminal, pattern):
        """The program's own words."""
        found = re.search(pattern, terminal.text)
        if not found:
            raise Failure(f"no {pattern!r} in {terminal.text[-600:]!r}")
        return found.group().strip()

    def demand(self, condition, text):
        if not condition:
            raise Failure(text)

    def kept_out(self):
        """Nothing has come to be outside."""
        there = [path.name for path in self.outside.iterdir()]
        if there:
            raise Failure(f"outside there is {there}")

    # The display

    def open_display(self):
        number = next(n for n in range(50, 100) if not os.path.exists(f"/tmp/.X{n}-lock"))
        self.server = subprocess.Popen(
            ["Xvfb", f":{number}", "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.others.add(self.server.pid)
        wait_until(lambda: os.path.exists(f"/tmp/.X11-unix/X{number}"), 20)
        self.display = f":{number}"
        self.workspace.environment["DISPLAY"] = self.display
        # Without a window manager dialogs are not typed into.
        self.manager = subprocess.Popen(
            ["openbox"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**self.workspace.environment, "HOME": str(self.workspace.root)})
        self.others.add(self.manager.pid)

    def xdotool(self, *words, seconds=60):
        done = subprocess.run(
            ["xdotool", *map(str, words)], capture_output=True, timeout=seconds, text=True,
            env=self.workspace.environment)
        return done.stdout.strip() if done.returncode == 0 else None

    def await_window(self, title, seconds=60):
        """Waits for a window whose title has this, and gives it what is typed."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = self.xdotool("search", "--onlyvisible", "--name", title)
            if found:
                window = found.split()[-1]
                self.xdotool("windowactivate", window)
                time.sleep(1)
                return window
            time.sleep(0.3)
        raise Failure(f"no window {title!r}: {self.titles()}")

    def titles(self):
        found = (self.xdotool("search", "--onlyvisible", "--name", ".") or "").split()
        return [self.xdotool("getwindowname", window) for window in found]

    def close(self):
        if self.display:
            for program in (self.manager, self.server):
                program.kill()
                program.wait()
        self.workspace.close()
        shutil.rmtree(self.workspace.root, ignore_errors=True)
