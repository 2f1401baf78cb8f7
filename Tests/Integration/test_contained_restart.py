"""Contained programs stay so whatever becomes of the daemon and of the processes that it knew.
MAMD_LONG=1: 20 programs, 50 restarts of each kind."""
import collections
import contextlib
import os
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
import unittest

from socket_client import Client
from test_contained import Contained
from workspace import LONG, PROGRAMS, wait_until

ASK = PROGRAMS / "ask_again.py"
COUNT, ROUNDS = (20, 50) if LONG else (8, 2)


class Asking:
    """A contained program on a terminal of its own. `told`: its lines."""

    def __init__(self, words, environment):
        self.told = []
        self.master, slave = pty.openpty()
        self.child = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env=environment)
        os.close(slave)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        rest = b""
        with contextlib.suppress(OSError):  # the last one that had it open has ended
            while True:
                select.select([self.master], [], [])
                *lines, rest = (rest + os.read(self.master, 65536)).split(b"\r\n")
                self.told += [line.decode() for line in lines]

    def has_ended(self):
        return self.child.poll() is not None

    def close(self):
        if self.reader is None:
            return
        self.child.kill()
        self.child.wait()
        self.reader.join()
        self.reader = None
        os.close(self.master)


class Restarts(Contained):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # Programs of the workspace's own, to be exchanged; what runs already came from elsewhere.
        cls.programs = cls.workspace.root / "programs"
        cls.programs.mkdir()
        path = cls.workspace.environment["PATH"]
        cls.installed = [shutil.which(name, path=path) for name in ("mamd", "mamctl")]
        cls.workspace.environment["PATH"] = f"{cls.programs}:{path}"
        cls.install()

    @classmethod
    def install(cls):
        """As a package manager does: other bytes, by rename(2) over those that run."""
        for program in cls.installed:
            new = cls.programs / "new"
            shutil.copy(program, new)
            with open(new, "ab") as file:
                file.write(os.urandom(16))
            new.rename(cls.programs / os.path.basename(program))

    def asking(self, *words):
        asking = Asking(self.words(*words), self.workspace.environment)
        self.addCleanup(asking.close)
        return asking

    def restart(self, how):
        """Returns the device and number of the new daemon's program."""
        if how == "upgraded":
            self.install()
        daemon = self.workspace.daemon()
        os.kill(daemon, signal.SIGKILL if how == "killed" else signal.SIGTERM)
        wait_until(lambda: not os.path.exists(f"/proc/{daemon}"), message="it lives")
        self.workspace.mount()
        return self.program_of_daemon()

    def program_of_daemon(self):
        # The daemon lets nobody but root see its program: to others it is the one in its place.
        status = os.stat(
            f"/proc/{self.workspace.daemon()}/exe" if os.getuid() == 0 else self.programs / "mamd")
        return status.st_dev, status.st_ino

    def test_no_program_gains_a_call(self):
        self.restart("ended")
        self.addCleanup(self.workspace.unlock)
        programs = [self.asking(sys.executable, ASK, self.workspace.socket) for _ in range(COUNT)]
        done, program_of_daemon = collections.Counter(), self.program_of_daemon()
        for how in (None, *["ended", "killed", "upgraded"] * ROUNDS):
            if how:
                new = self.restart(how)
                self.assertEqual(new != program_of_daemon, how == "upgraded")
                program_of_daemon = new
                done[how] += 1
            refused = f"{self.workspace.daemon()} refused"
            for program in programs:
                wait_until(
                    lambda told=program.told, refused=refused: refused in told,
                    message=f"{done}: {program.told[-3:]}")
            self.assertEqual(self.workspace.account()["containedPrograms"], COUNT)
        # mamctl says first what an older kernel lacks.
        told = [line for program in programs for line in program.told if line[0].isdigit()]
        self.assertEqual([line for line in told if not re.fullmatch(r"\d+ refused", line)], [])
        print(f"{COUNT} programs, {dict(done)}, {len(told)} daemons asked", flush=True)

    @unittest.skipUnless(os.getuid() == 0, "mounts other file systems")
    def test_the_next_mount_with_the_number_is_another_one(self):
        place = self.directory / "place"
        place.mkdir()
        # What others mount meanwhile may take the number.
        for _ in range(20):
            program = self.asking(sys.executable, PROGRAMS / "count_signals.py")
            wait_until(lambda told=program.told: "0" in told, message="it did not begin")
            if self.mounts_with_the_same_number():
                break
            program.close()
        else:
            self.fail("the number did not recur")
        self.addCleanup(subprocess.run, ["umount", place], check=True)
        subprocess.run(["mount", "-t", "tmpfs", "none", place], check=True)
        # A supervisor that takes that for its own workspace ends the program between the two.
        for count in "1", "2":
            program.child.send_signal(signal.SIGUSR1)
            wait_until(
                lambda told=program.told, count=count: count in told or program.has_ended(),
                message="it was not told")
            self.assertIn(count, program.told)

    def mounts_with_the_same_number(self):
        """The kernel gives the lowest number that is free: others take those below."""
        number = os.stat(self.workspace.mount_point).st_dev
        others = self.workspace.root / "others"
        others.mkdir(exist_ok=True)
        self.workspace.unmount()
        taken = 0
        try:
            while not taken or os.stat(others).st_dev < number:
                subprocess.run(["mount", "-t", "tmpfs", "none", others], check=True)
                taken += 1
            subprocess.run(["umount", others], check=True)
            taken -= 1
            self.workspace.mount()
            self.addCleanup(self.workspace.unlock)
        finally:
            for _ in range(taken):
                subprocess.run(["umount", others], check=True)
        return os.stat(self.workspace.mount_point).st_dev == number

    def test_an_open_connection_whose_supervisor_was_killed(self):
        """What the command left in the background outlives them both."""
        program = self.asking(
            "sh", "-c", '"$@" "$PPID" & wait', "sh", sys.executable, ASK, self.workspace.socket)
        wait_until(lambda: "connected" in program.told, message="it did not connect")
        (supervisor,) = subprocess.run(
            ["pgrep", "-P", str(program.child.pid)], capture_output=True, check=True,
        ).stdout.split()
        os.kill(int(supervisor), signal.SIGKILL)
        refused = f"{self.workspace.daemon()} refused"
        def answers():
            return [line for line in program.told if line[0].isdigit()]

        wait_until(lambda: len(answers()) >= 2, message="it was not answered")
        self.assertEqual(answers(), [refused, refused])

    def test_a_program_that_has_ended_has_a_contained_ones_calls(self):
        ours, theirs = socket.socketpair()
        child = os.fork()
        if child == 0:
            try:
                client = Client(self.workspace.socket)
                socket.send_fds(theirs, [b"x"], [client.socket.fileno()])
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        theirs.close()
        client = Client.__new__(Client)
        _, (descriptor,), _, _ = socket.recv_fds(ours, 1, 1)
        ours.close()
        client.socket, client._received = socket.socket(fileno=descriptor), b""
        client.socket.settimeout(60)
        self.addCleanup(client.socket.close)
        self.assertIn("parameters", client.ask("Identity.GetIdentity"))
        told = client.ask("Policy.Import", document="{}")
        self.assertIn("has ended may not call", str(told.get("parameters")))


if __name__ == "__main__":
    unittest.main()
