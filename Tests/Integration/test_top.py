"""`top`: what it draws on a terminal, and the terminal as it was afterwards."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

from running import PREFIX
from workspace import ANN, USAGE, WorkspaceCase, wait_until

NEEDS = ("tmux",)


class Once(WorkspaceCase):
    def test_once(self):
        result = self.workspace.serving("top", "--once", "--interval", "0.2")
        self.assertIn("opens", result.stdout)
        self.assertIn(f"● {ANN}  unlocked", result.stdout)
        self.assertNotIn("\x1b", result.stdout)
        shown = json.loads(
            self.workspace.serving("top", "--once", "--interval", "0.2", "--json").stdout)
        self.assertEqual(shown["status"]["name"], "work")
        self.assertIn("opens", shown["perSecond"])

    def test_counters_that_are_off(self):
        settings = self.workspace.policies.parent / "settings.json"
        before = settings.read_text()
        settings.write_text(json.dumps({**json.loads(before), "MAMTelemetryDisabled": True}))
        try:
            self.workspace.remount()
            self.assertIn(
                "nothing is counted",
                self.workspace.serving("top", "--once", "--interval", "0.1").stdout)
        finally:
            settings.write_text(before)
            self.workspace.remount()

    def test_no_terminal(self):
        for options in ((), ("--json",)):
            result = self.workspace.serving("top", *options, status=USAGE)
            self.assertIn("mamctl status --json", result.stderr)
        for bad in ("0", "x", "1e9", "-1", "nan"):
            self.workspace.serving("top", "--once", "--interval", bad, status=USAGE)


@unittest.skipUnless(shutil.which("tmux"), "tmux is not installed")
class Live(WorkspaceCase):
    def setUp(self):
        super().setUp()
        self.server = tempfile.mkdtemp(prefix=PREFIX + "tmux-")
        self.addCleanup(shutil.rmtree, self.server, ignore_errors=True)
        self.addCleanup(self.tmux, "kill-server", check=False)
        self.after = pathlib.Path(self.server) / "after"
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "20", "sh")
        self.keys(
            "stty -a > %s.before; mamctl top --interval 0.3; echo ended=$?; stty -a > %s" % (
                self.after, self.after))
        self.wait_for(f"● {ANN}  unlocked")

    def tmux(self, *words, check=True):
        environment = {**self.workspace.environment, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        return subprocess.run(
            ["tmux", "-u", "-S", os.path.join(self.server, "s"), *words], env=environment,
            capture_output=True, encoding="utf-8", check=check).stdout

    def keys(self, text, *names):
        self.tmux("send-keys", "-l", text)
        self.tmux("send-keys", *(names or ("Enter",)))

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def wait_for(self, text):
        wait_until(lambda: text in self.screen(), message=f"the screen never shows {text!r}")

    def ended(self):
        wait_until(
            lambda: self.after.exists() and "ended=0" in self.screen(), message="top has not ended")
        before = self.settings_in(pathlib.Path(f"{self.after}.before"))
        wait_until(
            lambda: self.settings_in(self.after) == before, message="the terminal is not as it was")
        self.assertEqual(
            self.tmux("display", "-p", "#{alternate_on} #{cursor_flag}").strip(), "0 1")

    @staticmethod
    def settings_in(file):
        """Without the first line: the size may be another."""
        return file.read_text().split("\n")[1:]

    def test_events_and_the_end(self):
        self.assertEqual(self.tmux("display", "-p", "#{alternate_on}").strip(), "1")
        path = self.directory / "file"
        self.workspace.write_as(ANN, path, "x")
        self.workspace.lock()
        self.wait_for(f"○ {ANN}  locked")
        self.wait_for(f"{ANN}  unavailable")
        self.wait_for(f"next mamctl unlock {ANN}")
        self.workspace.unlock()
        self.wait_for(f"● {ANN}  unlocked")
        self.tmux("resize-window", "-x", "50", "-y", "12")
        self.wait_for("q ends")
        self.assertLessEqual(max(map(len, self.screen().split("\n"))), 50)
        self.tmux("send-keys", "q")
        self.ended()

    def test_control_c(self):
        self.tmux("send-keys", "C-c")
        self.ended()

    def test_terminated(self):
        shell = self.tmux("display", "-p", "#{pane_pid}").strip()
        child = pathlib.Path(f"/proc/{shell}/task/{shell}/children").read_text().split()[0]
        os.kill(int(child), signal.SIGTERM)
        self.ended()
