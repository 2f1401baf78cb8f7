"""Requests through io_uring: when they are, when not, for which users, and how it ends."""
import contextlib
import errno
import json
import os
import pathlib
import signal
import subprocess
import sys
import unittest

from kernel_ring import kernel_ring
from ordinary_user import AS_NOBODY, programs_for_all, with_fuse_device
from ring_case import READER, Ring, RingMount, await_reading
from systemd_machine import MachineCase
from running import PREFIX, daemons, mounts, remove_leftovers
from workspace import pattern, wait_until

# The kernel module's parameter is the whole machine's.
ALONE = True

# 2 forbids all processes io_uring_setup(2).
SYSCTL = pathlib.Path("/proc/sys/kernel/io_uring_disabled")

# A daemon that stops locks first.
GONE = {errno.ENOTCONN, errno.ECONNABORTED, errno.ECANCELED, errno.ENOKEY}


@contextlib.contextmanager
def forbidden_rings():
    before = SYSCTL.read_text()
    SYSCTL.write_text("2")
    try:
        yield
    finally:
        SYSCTL.write_text(before)


@unittest.skipUnless(os.getuid() == 0, "turns FUSE through io_uring on, which only root can")
class Ways(Ring):
    def remount(self, *options, prefix=()):
        self.workspace.unmount()
        self.workspace.ctl(
            "mount", self.workspace.backing, self.workspace.mount_point, *options, prefix=prefix)

    def tearDown(self):
        self.remount("-o", "io_uring")
        self.workspace.unlock()

    def check_device(self, note):
        status = self.status()
        self.assertEqual(status["transport"], "device")
        if note is None:
            self.assertIsNone(status["transportNote"])
        else:
            self.assertIn(note, status["transportNote"])
        self.assertFalse([name for name in self.threads() if name.startswith("ring")])
        self.check_use()

    def check_use(self):
        path = self.write(self.directory / "file", pattern(300_000))
        with open(path, "rb", buffering=0) as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            self.assertEqual(file.readall(), pattern(300_000))

    def test_used_where_it_is_offered(self):
        status = self.status()
        self.assertEqual(status["transport"], "io_uring")
        queues = int(status["transportNote"].split(" ")[0])
        self.assertGreaterEqual(queues, os.cpu_count())
        threads = self.threads()
        for queue in range(queues):
            self.assertGreaterEqual(threads.count(f"ring-{queue}"), 4)
        self.assertIn("by io_uring", self.workspace.serving("status").stdout)
        self.assertIn("requests: by io_uring", self.workspace.daemon_log.read_text())
        self.check_use()

    def test_used_by_default(self):
        self.remount()
        self.assertEqual(self.status()["transport"], "io_uring")

    def test_not_used_where_it_is_not_wanted(self):
        self.remount("-o", "io_uring,no_io_uring")
        self.workspace.unlock()
        self.check_device(None)
        self.assertNotIn("requests", self.workspace.serving("status").stdout)

    def test_not_used_where_the_kernel_does_not_offer_it(self):
        """Who asked for it is told."""
        for options, note in (("-o", "io_uring"), "does not offer"), ((), None):
            with self.subTest(options):
                with kernel_ring("N"):
                    self.remount(*options)
                self.workspace.unlock()
                self.check_device(note)

    def test_not_used_where_rings_are_forbidden(self):
        with forbidden_rings():
            self.remount()
        self.workspace.unlock()
        self.check_device("Operation not permitted")
        self.assertIn(
            "requests: no io_uring: Operation not permitted",
            self.workspace.daemon_log.read_text())

    def test_not_used_where_its_rings_cannot_be_made(self):
        self.remount()
        # Each ring is a descriptor, and there are 20 at least.
        room = len(os.listdir(f"/proc/{self.workspace.daemon()}/fd")) + 12
        self.remount(prefix=("prlimit", f"--nofile={room}"))
        self.workspace.unlock()
        self.check_device("Too many open files")

    def test_a_mount_lives_on_when_the_switch_is_turned_off(self):
        with kernel_ring("N"):
            self.check_use()
        self.assertEqual(self.status()["transport"], "io_uring")


@unittest.skipUnless(os.getuid() == 0, "turns FUSE through io_uring on, which only root can")
class Ends(Ring):
    """With requests under way, in each way that a mount ends."""

    def setUp(self):
        super().setUp()
        self.path = self.write(self.directory / "file", pattern(4 << 20))
        with open(self.path, "rb") as file:
            os.fsync(file.fileno())
        self.programs = []
        for _ in range(6):
            self.programs.append(
                subprocess.Popen(
                    [sys.executable, "-B", READER, self.path], stderr=subprocess.PIPE, text=True))
        await_reading(self.programs)

    def check_end(self):
        for program in self.programs:
            said = program.communicate(timeout=60)[1]
            self.assertEqual(program.returncode, 1, said)
            self.assertTrue(any(f"Errno {number}]" in said for number in GONE), said)
        wait_until(lambda: not list(daemons(str(self.workspace.root))), message="mamd still runs")

    def check_again(self):
        self.workspace.mount("-o", "io_uring").unlock()
        self.assertEqual(self.path.read_bytes(), pattern(4 << 20))
        self.assertEqual(self.status()["transport"], "io_uring")

    def test_killed(self):
        os.kill(self.workspace.daemon(), signal.SIGKILL)
        self.check_end()
        self.check_again()

    def test_told_to_stop(self):
        os.kill(self.workspace.daemon(), signal.SIGTERM)
        self.check_end()
        wait_until(lambda: not mounts(str(self.workspace.root)))
        self.check_again()

    def test_unmounted_by_mamctl(self):
        self.workspace.ctl("unmount", self.workspace.mount_point, status=None)
        if mounts(str(self.workspace.root)):
            # Refused, for it is in use.
            self.stop_programs()
            self.workspace.unmount()
        else:
            self.check_end()
        self.check_again()

    def test_unmounted_lazily(self):
        subprocess.run(["umount", "-l", self.workspace.mount_point], check=True)
        # Those that have it open go on.
        await_reading(self.programs)
        self.assertEqual([program.poll() for program in self.programs], [None] * len(self.programs))
        self.stop_programs()
        wait_until(lambda: not list(daemons(str(self.workspace.root))), message="mamd still runs")
        self.check_again()

    def test_aborted(self):
        number = os.minor(os.stat(self.workspace.mount_point).st_dev)
        place = self.workspace.root / "connections"
        place.mkdir()
        subprocess.run(["mount", "-t", "fusectl", "none", place], check=True)
        self.addCleanup(subprocess.run, ["umount", place], check=True)
        (place / str(number) / "abort").write_text("1")
        self.check_end()
        subprocess.run(["umount", "-l", self.workspace.mount_point], capture_output=True)
        self.check_again()

    def stop_programs(self):
        for program in self.programs:
            program.kill()
            program.communicate()


class OfOrdinaryUser(RingMount):
    """Runs as the user that runs it, while AsOrdinaryUser keeps the switch on."""

    def test_use(self):
        self.assertEqual(self.status()["transport"], "io_uring")
        path = self.write(self.directory / "file", pattern(3 << 20))
        with open(path, "rb", buffering=0) as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            self.assertEqual(file.read(3 << 20), pattern(3 << 20))
            self.workspace.lock()
            with self.refused(errno.ENOKEY):
                os.pread(file.fileno(), 10, 0)


@unittest.skipUnless(os.getuid() == 0, "makes name spaces with a process 1 of their own")
class InTheSandbox(MachineCase):
    def test_a_unit_with_the_option(self):
        configuration, mount_point = self.make("rings")
        with open(configuration / "mount", "a") as file:
            file.write("OPTIONS=io_uring,noexec\n")
        self.addCleanup(self.machine.run, "systemctl", "stop", "mamd@rings", check=False)
        with kernel_ring():
            self.machine.run("systemctl", "start", "mamd@rings")
            (status,) = json.loads(self.machine.run("mamctl", "status", "--json").stdout)
        self.assertEqual(status["transport"], "io_uring", status)
        self.machine.run(
            "sh", "-c", 'echo text > "$1/file" && grep -q text "$1/file"', "sh", mount_point)
        self.machine.run("systemctl", "stop", "mamd@rings")


@unittest.skipUnless(os.getuid() == 0, "acts as another user, which only root can")
class AsOrdinaryUser(unittest.TestCase):
    def test_as_nobody(self):
        prefix = PREFIX + "nobody-"
        with kernel_ring(), programs_for_all() as place:
            command = (
                *AS_NOBODY, sys.executable, "-B", "-m", "unittest", "-v",
                "test_ring_ways.OfOrdinaryUser")
            if os.stat("/dev/fuse").st_mode & 0o666 != 0o666:
                command = with_fuse_device(0o666, place, command)
            try:
                result = subprocess.run(
                    command, cwd=place / "Tests" / "Integration", capture_output=True, text=True,
                    timeout=300,
                    env={**os.environ, "PATH": f"{place}/bin:{os.environ['PATH']}",
                    "MAMD_TEST_PREFIX": prefix})
            finally:
                remove_leftovers(prefix)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("skipped", result.stderr)


def load_tests(loader, standard_tests, pattern):
    """What an ordinary user does is run by root."""
    chosen = (Ways, Ends, InTheSandbox, AsOrdinaryUser)
    return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in chosen)
