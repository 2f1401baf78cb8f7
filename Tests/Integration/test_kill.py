"""The daemon is killed under writers, again and again. MAMD_LONG=1: 200 times."""
import os
import pathlib
import platform
import random
import signal
import subprocess
import sys
import unittest

from kill_writers import DEAD, WRITERS
from ordinary_user import AS_NOBODY, programs_for_all, with_fuse_device
from running import PREFIX, daemons, mounts, remove_leftovers
from workspace import LONG, PERSONAL, PROGRAMS, WorkspaceCase, tree_digest, wait_until

NEEDS = ("strace",)

KILLS = int(os.environ.get("MAMD_KILLS", "200" if LONG else "8"))
KERNEL = tuple(int(number) for number in platform.release().split("-")[0].split(".")[:2])
PROGRAM = pathlib.Path(__file__).with_name("kill_writers.py")


class Killed(WorkspaceCase):
    """Runs as the user that runs it."""

    def setUp(self):
        super().setUp()
        self.logs = self.workspace.root / f"logs-{self._testMethodName}"
        self.logs.mkdir()

    def test_what_was_synced_lasts_and_the_mount_comes_back(self):
        seed = random.randrange(1 << 32)
        print(f"{KILLS} kills, seed {seed}", flush=True)
        chance, digests = random.Random(seed), {}
        for number in range(KILLS):
            directory = self.directory / str(number)
            try:
                self.one_kill(directory, chance, busy=number % 2 == 1)
            except Exception as problem:
                raise AssertionError(f"kill {number} of {KILLS}, seed {seed}") from problem
            digests[directory] = tree_digest(directory)
        self.workspace.remount()
        for directory, digest in digests.items():
            self.assertEqual(tree_digest(directory), digest)

    def one_kill(self, directory, chance, busy):
        writers = self.start(directory, chance)
        before = len(self.log())
        self.kill_under(writers, chance.uniform(0, 0.5), busy)
        for writer in writers:
            writer.check()
        self.check_recovery(directory, before)
        self.assertEqual(os.listdir(self.workspace.on_disk(".mamd", "work")), [])

    def log(self):
        return self.workspace.daemon_log.read_text()

    def check_recovery(self, directory, before):
        """What the kill left unfinished is mended without being asked, and told once of each
        file. `before`: the length that the log had."""
        wait_until(lambda: "all files checked" in self.log()[before:])
        self.workspace.ctl("verify", directory)
        recovery = self.log()[before:]
        lines = [line for line in recovery.splitlines() if "was left unfinished by a crash" in line]
        told = [(line.split("Z mamd: ")[1].split(",")[0], "sealed anew" in line) for line in lines]
        self.assertEqual(len(told), len(set(told)), told)
        print(f"{directory.name}: {len(told)} ends mended", flush=True)

    def start(self, directory, chance):
        """All kinds of writers, each in a process of its own, when all have begun."""
        writers = []
        for name, kind in [*WRITERS.items(), ("Records", WRITERS["Records"])]:
            # The second of the last kind is the person's own: its files are plain.
            owner = PERSONAL if len(writers) == len(WRITERS) else None
            place = directory / (name if owner is None else "personal")
            place.mkdir(parents=True)
            writer = kind(
                place, self.logs / f"{directory.name}-{place.name}", chance.randrange(1 << 32))
            # -S: it needs nothing but Python's own, and starts in half of the time.
            command = [
                sys.executable, "-S", "-B", PROGRAM, name, place, writer.log,
                str(writer.random.randrange(1 << 32))]
            prefix = [
                "mamctl", "run", "--workspace", self.workspace.name, "--identity", owner,
                "--unmanaged", "--"] if owner else []
            writer.process = subprocess.Popen(
                [*prefix, *command], stderr=subprocess.PIPE, env=self.workspace.environment)
            self.addCleanup(writer.process.kill)
            writers.append(writer)
        for writer in writers:
            wait_until(
                lambda: writer.process.poll() is not None or writer.size() > 0)
        return writers

    def kill_under(self, writers, seconds, busy):
        """Kills the daemon after so long, and mounts at once. `busy`: programs use the dead mount
        meanwhile."""
        daemon = self.workspace.daemon()
        held = os.open(self.directory, os.O_RDONLY)
        user = subprocess.Popen(["sleep", "infinity"], cwd=self.directory) if busy else None
        try:
            writers[0].process.wait(seconds)
            self.fail(f"a writer ended early: {writers[0].process.stderr.read().decode()}")
        except subprocess.TimeoutExpired:
            os.kill(daemon, signal.SIGKILL)
        try:
            if not busy:
                os.close(held)
            self.workspace.mount().unlock()
            self.assertEqual(len(mounts(str(self.workspace.root))), 1)
            if busy:
                with self.refused(*DEAD):
                    os.listdir(held)
        finally:
            if busy:
                user.kill()
                user.wait()
                os.close(held)
        for writer in writers:
            self.end(writer.process)

    def end(self, process):
        with process:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                # It goes by names, and met only the next daemon: it has noticed nothing.
                process.kill()
                process.wait()
            # A store to a page that can no longer be had is a SIGBUS.
            said = process.stderr.read().decode()
            self.assertIn(process.returncode, (0, -signal.SIGBUS, -signal.SIGKILL), said)


class DeadMount(WorkspaceCase):
    """The next command or daemon takes away what a killed daemon leaves behind."""

    def kill(self):
        daemon = self.workspace.daemon()
        os.kill(daemon, signal.SIGKILL)

    def test_a_daemon_that_takes_its_time_to_die_is_waited_for(self):
        self.workspace.unmount()
        lock = self.workspace.on_disk(".mamd", "lock")
        with subprocess.Popen([sys.executable, PROGRAMS / "slow_death.py", lock]) as holder:
            wait_until(lambda: ") Z " in pathlib.Path(f"/proc/{holder.pid}/stat").read_text())
            self.workspace.mount()

    @unittest.skipUnless(
        os.getuid() == 0, "an ordinary user's dead mount goes before the next one comes")
    @unittest.skipIf(KERNEL < (6, 5), "the kernel cannot mount beneath another mount")
    def test_nobody_gets_below_while_a_dead_mount_is_replaced(self):
        writer = subprocess.Popen(
            [sys.executable, PROGRAMS / "stubborn.py", self.workspace.mount_point])
        try:
            for _ in range(10):
                self.kill()
                self.workspace.mount()
                self.assertEqual(len(mounts(str(self.workspace.root))), 1)
        finally:
            writer.kill()
            writer.wait()
        self.workspace.unmount()
        self.assertEqual(os.listdir(self.workspace.mount_point), [])
        self.workspace.mount()

    def test_a_replaced_mount_has_the_same_options(self):
        for options in ((), ("-o", "ro,no_allow_other")):
            self.workspace.unmount()
            self.workspace.mount(*options)
            before = self.mount_options()
            self.kill()
            self.workspace.mount(*options)
            self.assertEqual(self.mount_options(), before)
        self.workspace.unmount()
        self.workspace.mount()

    def mount_options(self):
        lines = pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
        (line,) = (line.split(" ") for line in lines if f" {self.workspace.mount_point} " in line)
        # Options of the mount, and behind the dash type, source and options of the file system.
        return [set(field.split(",")) for field in (line[5], *line[line.index("-") + 1 :])]

    def test_unmount_takes_a_dead_mount_that_is_in_use(self):
        with subprocess.Popen(["sleep", "infinity"], cwd=self.directory) as user:
            self.kill()
            self.workspace.unmount()
            user.kill()
        self.workspace.mount()

    def test_a_dead_mount_is_found_through_a_link(self):
        link = self.workspace.root / "link"
        link.symlink_to(self.workspace.mount_point)
        self.kill()
        self.workspace.ctl("mount", self.workspace.backing, link)
        self.assertEqual(os.listdir(self.directory), [])

    def test_other_commands_say_what_to_do(self):
        self.kill()
        wait_until(lambda: not list(daemons(str(self.workspace.root))))
        answer = self.workspace.ctl("owner", self.directory / "file", status=8)
        self.assertIn("mamctl mount BACKING MOUNTPOINT", answer.stderr)
        self.workspace.mount()

    def kill_with_a_file_below(self):
        self.workspace.unmount()
        below = os.open(self.workspace.mount_point, os.O_RDONLY)
        self.addCleanup(os.close, below)
        self.workspace.mount()
        os.close(os.open("stray", os.O_CREAT | os.O_WRONLY, dir_fd=below))
        self.addCleanup(os.unlink, "stray", dir_fd=below)
        self.kill()

    def test_what_lies_below_keeps_no_killed_daemon_from_coming_back(self):
        self.kill_with_a_file_below()
        self.workspace.mount()

    @unittest.skipUnless(os.getuid() == 0, "an ordinary user's is never put beneath")
    def test_why_a_mount_cannot_be_put_beneath_is_told(self):
        self.kill_with_a_file_below()
        before = self.workspace.log.stat().st_size
        with open(self.workspace.log, "ab") as log:
            tracer = subprocess.Popen(
                ["strace", "-f", "-o", "/dev/null", "-e", "trace=move_mount",
                 "-e", "inject=move_mount:error=EINVAL:when=1", "mamd", "-f",
                 self.workspace.backing, self.workspace.mount_point],
                stderr=log, env=self.workspace.environment)
        try:
            wait_until(lambda: "hides stray" in self.workspace.log.read_text()[before:])
            os.listdir(self.directory)
            said = self.workspace.log.read_text()[before:]
            self.assertIn("cannot be placed below it: Invalid argument", said)
        finally:
            self.kill()
            tracer.wait()
        self.workspace.mount()

    @unittest.skipIf(os.getuid() == 0, "root's daemon hides nothing")
    def test_what_was_written_below_a_mount_is_named(self):
        self.workspace.unmount()
        stray = self.workspace.mount_point / "stray"
        stray.write_text("written while nothing was mounted")
        self.workspace.ctl("mount", self.workspace.backing, self.workspace.mount_point, status=1)
        # systemd starts mamd itself, and the workspace must come back.
        with open(self.workspace.log, "ab") as log:
            daemon = subprocess.Popen(
                ["mamd", "-f", self.workspace.backing, self.workspace.mount_point], stderr=log,
                env=self.workspace.environment)
        wait_until(lambda: mounts(str(self.workspace.root)))
        self.assertFalse(stray.exists())
        self.workspace.unmount()
        self.assertEqual(daemon.wait(60), 0)
        self.assertIn("was not empty: the mount hides stray", self.workspace.log.read_text())
        stray.unlink()
        self.workspace.mount()


@unittest.skipUnless(os.getuid() == 0, "only root can become nobody")
class AsOrdinaryUser(unittest.TestCase):
    """The same for nobody, whose daemon unmounts and mounts through fusermount3."""

    def test_as_nobody(self):
        prefix = PREFIX + "nobody-"
        with programs_for_all() as place:
            command = (
                *AS_NOBODY, sys.executable, "-B", "-m", "unittest", "-v", "test_kill.Killed",
                "test_kill.DeadMount")
            if os.stat("/dev/fuse").st_mode & 0o666 != 0o666:
                command = with_fuse_device(0o666, place, command)
            try:
                result = subprocess.run(
                    command, capture_output=True, text=True, cwd=place / "Tests" / "Integration",
                    timeout=3000,
                    env={
                        **os.environ, "PATH": f"{place}/bin:{os.environ['PATH']}",
                        "MAMD_TEST_PREFIX": prefix,
                        "MAMD_KILLS": "50" if LONG else "3"})
            finally:
                remove_leftovers(prefix)
        if "unshare failed" in result.stderr or "mknod" in result.stderr:
            self.skipTest(
                "/dev/fuse is not open to all, and there is no name space to change that in")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
