"""`mamctl run`: the command's status, signals and terminal are as if nothing stood before it."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
from unittest import mock

from terminal import Terminal
from running import has_ended, open_files, parent
from workspace import ANN, PERSONAL, PROGRAMS, WorkspaceCase, wait_until


class Run(WorkspaceCase):
    def start(self, *command, **options):
        child = subprocess.Popen(
            self.words(*command), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=self.workspace.environment, **options)

        def end():
            child.kill()
            child.communicate()
        self.addCleanup(end)
        return child

    def words(self, *command):
        return [
            "mamctl", "run", "--workspace", self.workspace.name, "--identity", PERSONAL,
            "--unmanaged", "--", *map(os.fspath, command)]

    def sh(self, script, *arguments, check=False):
        return self.workspace.run_as(PERSONAL, "sh", "-c", script, "sh", *arguments, check=check)

    def test_it_ends_as_the_command_does(self):
        for status in (0, 3, 255):
            self.assertEqual(self.sh(f"exit {status}").returncode, status)
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGABRT):
            self.assertEqual(self.sh(f"kill -{int(number)} $$").returncode, -number)
        # env(1) says 126, too, where a directory of PATH is another user's.
        found = f"{pathlib.Path(shutil.which('mamctl')).parent}:/usr/bin:/bin"
        with mock.patch.dict(self.workspace.environment, PATH=found):
            self.assertEqual(
                self.workspace.run_as(PERSONAL, "no-such-command", check=False).returncode, 127)
        self.assertEqual(self.workspace.run_as(PERSONAL, "/", check=False).returncode, 126)

    def test_it_hands_on_signals(self):
        for number in (
                signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGCONT):
            child = self.start(
                "sh", "-c",
                f"trap 'echo got; exit 7' {int(number)}; echo ready; while :; do sleep 0.05; done")
            self.assertEqual(child.stdout.readline(), b"ready\n")
            child.send_signal(number)
            self.assertEqual(child.communicate(timeout=60)[0], b"got\n")
            self.assertEqual(child.returncode, 7)

    def test_signals_that_are_ignored_stay_ignored_and_none_is_blocked(self):
        result = self.start(
            "grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status",
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        lines = dict(line.split() for line in result.communicate()[0].decode().splitlines())
        self.assertEqual(int(lines["SigBlk:"], 16), 0)
        self.assertTrue(int(lines["SigIgn:"], 16) & 1)

    def test_the_command_dies_with_a_program_that_is_killed(self):
        for victim in (lambda child: child.pid, lambda child: parent(self.command)):
            child = self.start("sh", "-c", "echo $$; while :; do sleep 0.05; done")
            self.command = int(child.stdout.readline())
            os.kill(victim(child), signal.SIGKILL)
            wait_until(lambda: has_ended(self.command))
            self.assertIn(child.wait(60), (-signal.SIGKILL, 126))

    def test_the_standard_streams_are_the_commands_alone(self):
        child = self.start("cat")
        self.assertEqual(child.communicate(b"to and fro", timeout=60)[0], b"to and fro")
        # What it leaves behind keeps no pipe open, but for its own.
        child = self.start("sh", "-c", "sleep 600 < /dev/null > /dev/null 2>&1 & echo $!")
        self.addCleanup(lambda: os.kill(sleeper, signal.SIGKILL))
        output, _ = child.communicate(timeout=60)
        sleeper = int(output)

    def test_the_supervisor_uses_nothing_of_the_callers_and_ends_with_the_last(self):
        child = self.start(
            "sh", "-c", "sleep 600 < /dev/null > /dev/null 2>&1 & echo $!", cwd=self.directory)
        sleeper = int(child.communicate(timeout=60)[0])
        supervisor = parent(sleeper)
        with open(f"/proc/{supervisor}/comm") as file:
            self.assertEqual(file.read(), "mamctl-run\n")
        held = open_files(supervisor)
        self.assertFalse({name for name in held if name.startswith(str(self.workspace.root))})
        self.assertEqual(os.readlink(f"/proc/{supervisor}/cwd"), "/")
        os.kill(sleeper, signal.SIGKILL)
        wait_until(lambda: has_ended(supervisor))

    def test_a_shell_stops_and_continues_it(self):
        # No program is started between the two: a shell in the middle of vfork(2) does not stop,
        # with `mamctl run` or without.
        shell = Terminal(
            ["bash", "--norc", "--noprofile", "-i"], {**self.workspace.environment, "PS1": "$ "})
        try:
            words = " ".join(
                self.words("sh", "-c", "'echo begun; read line; echo \"$line ended\"'"))
            shell.type(words + "\n")
            shell.read(b"begun\r\n")
            shell.type("\x1a")
            shell.read(b"Stopped")
            shell.type("fg\nall\n")
            shell.read(b"all ended")
            shell.type("exit\n")
        finally:
            shell.process.kill()
            shell.process.wait()

    def test_the_interrupt_key_reaches_the_command_once(self):
        terminal = Terminal(
            self.words(sys.executable, "-B", PROGRAMS / "count_interrupts.py"),
            self.workspace.environment)
        terminal.read(b"ready")
        terminal.type("\x03")
        terminal.read(b"interrupts 1")
        terminal.process.wait(60)

    def test_nothing_is_added_to_the_environment(self):
        result = self.workspace.run_as(PERSONAL, "env").stdout.decode().splitlines()
        self.assertFalse([line for line in result if line.startswith("MAMD_IDENTITY")])

    def test_one_run_within_another(self):
        inner = self.words("sh", "-c", ': > "$1"', "sh", self.directory / "inner")
        self.workspace.run_as(ANN, "sh", "-c", '"$@"; : > "$0"', self.directory / "outer", *inner)
        self.assertEqual(self.workspace.owner(self.directory / "inner"), PERSONAL)
        self.assertEqual(self.workspace.owner(self.directory / "outer"), ANN)
