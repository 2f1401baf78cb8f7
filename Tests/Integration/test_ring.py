"""Requests through io_uring: when they are, when not, that nothing is lost or kept by it, and how it ends."""
import errno
import hashlib
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import test_hygiene
from kernel_ring import kernel_ring
from ordinary_user import AS_NOBODY, programs_for_all, with_fuse_device
from systemd_machine import MachineCase
from workspace import LONG, PREFIX, WorkspaceCase, daemons, mounts, pattern, remove_leftovers, wait_until

WORKER = pathlib.Path(__file__).with_name("ring_worker.py")
SECONDS, FILES = (60, 10_000) if LONG else (6, 2000)
# A daemon that stops locks first.
GONE = {errno.ENOTCONN, errno.ECONNABORTED, errno.ECANCELED, errno.ENOKEY}

# Read a file for ever, past the kernel's cache.
READER = """
import os, sys
file = os.open(sys.argv[1], os.O_RDONLY)
while True:
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    os.pread(file, 1 << 20, 0)
"""


class Ring(WorkspaceCase):
    """Its mount has the option; `setUpClass` may skip it."""

    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(kernel_ring())
        cls.mounted = False
        super().setUpClass()
        cls.mounted = True
        cls.workspace.mount("-o", "io_uring").register()

    def status(self):
        (status,) = json.loads(self.workspace.serving("status", "--json").stdout)
        return status

    def daemon(self):
        (pid,) = daemons(str(self.workspace.root))
        return pid

    def threads(self):
        tasks = pathlib.Path(f"/proc/{self.daemon()}/task")
        return [(task / "comm").read_text().strip() for task in tasks.iterdir()]


@unittest.skipUnless(os.getuid() == 0, "turns FUSE through io_uring on, which only root can")
class Asked(Ring):
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

    def test_not_used_where_it_is_not_asked_for(self):
        self.remount()
        self.workspace.unlock()
        self.check_device(None)

    def test_not_used_where_the_kernel_does_not_offer_it(self):
        with kernel_ring("N"):
            self.remount("-o", "io_uring")
        self.workspace.unlock()
        self.check_device("does not offer")

    def test_not_used_where_its_rings_cannot_be_made(self):
        self.remount()
        # Each ring is a descriptor, and there are 20 at least.
        room = len(os.listdir(f"/proc/{self.daemon()}/fd")) + 12
        self.remount("-o", "io_uring", prefix=("prlimit", f"--nofile={room}"))
        self.workspace.unlock()
        self.check_device("Too many open files")

    def test_a_mount_lives_on_when_the_switch_is_turned_off(self):
        with kernel_ring("N"):
            self.check_use()
        self.assertEqual(self.status()["transport"], "io_uring")


@unittest.skipUnless(os.getuid() == 0, "turns FUSE through io_uring on, which only root can")
class Content(Ring):
    def test_several_programs_and_a_copy(self):
        with tempfile.TemporaryDirectory(prefix=PREFIX) as copies:
            workers = [
                subprocess.Popen(
                    [sys.executable, "-B", WORKER, str(number), str(SECONDS), self.directory / str(number),
                     f"{copies}/{number}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                for number in range(4)]
            counts = []
            for worker in workers:
                out, error = worker.communicate(timeout=SECONDS + 60)
                self.assertEqual(worker.returncode, 0, error)
                counts.append(int(out))
        print(f"{counts} steps", flush=True)

    def test_many_files_after_the_cache_is_dropped(self):
        hashes = {}
        for number in range(FILES):
            path = self.directory / str(number % 50) / str(number)
            path.parent.mkdir(exist_ok=True)
            content = pattern(number * 7 % 9000, number)
            path.write_bytes(content)
            hashes[path] = hashlib.sha256(content).digest()
        os.sync()
        pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")
        wrong = [path for path, found in hashes.items() if hashlib.sha256(path.read_bytes()).digest() != found]
        self.assertEqual(wrong, [])

    def test_a_repository_and_a_database(self):
        source, clone = self.directory / "source", self.directory / "clone"

        def git(*words, cwd=None):
            subprocess.run(
                ["git", "-c", "user.name=A", "-c", "user.email=a@b", *words], cwd=cwd, check=True, capture_output=True)

        git("init", source)
        for number in range(200):
            (source / str(number)).write_bytes(pattern(5000, number))
        git("add", "-A", cwd=source)
        git("commit", "-m", "all", cwd=source)
        git("clone", "--no-hardlinks", source, clone)
        git("fsck", "--full", "--strict", cwd=clone)
        with sqlite3.connect(self.directory / "database") as database:
            database.execute("create table numbers (n integer, square integer)")
            for start in range(0, 2000, 100):
                database.executemany("insert into numbers values (?, ?)", ((n, n * n) for n in range(start, start + 100)))
                database.commit()
            self.assertEqual(database.execute("pragma integrity_check").fetchone(), ("ok",))
            self.assertEqual(database.execute("select sum(square) from numbers").fetchone(), (sum(n * n for n in range(2000)),))
        database.close()

    def test_a_lock_under_readers_and_writers(self):
        files = [self.directory / str(number) for number in range(4)]
        for path in files:
            self.write(path, pattern(2 << 20))
        over, odd = threading.Event(), []

        def use(path, writes):
            with open(path, "r+b", buffering=0) as file:
                while not over.is_set():
                    try:
                        if writes:
                            os.pwrite(file.fileno(), pattern(100_000), 50_000)
                        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                        os.pread(file.fileno(), 1 << 20, 0)
                    except OSError as problem:
                        if problem.errno != errno.ENOKEY:
                            odd.append(problem)

        users = [threading.Thread(target=use, args=(path, number % 2)) for number, path in enumerate(files * 2)]
        for user in users:
            user.start()
        try:
            for _ in range(5):
                time.sleep(0.3)
                start = time.monotonic()
                self.workspace.lock()
                self.assertLess(time.monotonic() - start, 4)
                for path in files:
                    with self.refused(errno.ENOKEY):
                        path.read_bytes()
                self.workspace.unlock()
        finally:
            over.set()
            for user in users:
                user.join(30)
        self.assertEqual(odd, [])

    def test_signals_to_who_waits(self):
        """The daemon stands still, programs wait for a READ, and are told to end: they do, once it goes on."""
        path = self.write(self.directory / "file", pattern(4 << 20))
        readers = [subprocess.Popen([sys.executable, "-c", READER, path], stderr=subprocess.DEVNULL) for _ in range(25)]
        time.sleep(1)
        os.kill(self.daemon(), signal.SIGSTOP)
        try:
            time.sleep(0.3)
            for reader in readers:
                reader.send_signal(signal.SIGINT)
            time.sleep(0.3)
        finally:
            os.kill(self.daemon(), signal.SIGCONT)
        for reader in readers:
            self.assertEqual(reader.wait(10), -signal.SIGINT)
        self.assertEqual(path.read_bytes(), pattern(4 << 20))


@unittest.skipUnless(os.getuid() == 0, "turns FUSE through io_uring on, which only root can")
@unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "one processor")
class Processors(Ring):
    """On which processors the threads of a queue may run."""

    def affinities(self):
        """Of the threads of queues: processor time in nanoseconds, and where each may run."""
        found = {}
        for task in pathlib.Path(f"/proc/{self.daemon()}/task").iterdir():
            name = (task / "comm").read_text().strip()
            if name.startswith("ring-") and name != "ring-helper":
                used = int((task / "schedstat").read_text().split()[0])
                found[int(task.name)] = used, os.sched_getaffinity(int(task.name))
        return found

    def roaming(self):
        return sum(len(allowed) > 1 for _, allowed in self.affinities().values())

    def test_what_is_written_back_has_all_processors_and_callers_their_own(self):
        self.assertEqual(self.roaming(), 0)
        path, content = self.directory / "scattered", bytearray(32 << 20)
        path.write_bytes(content)
        seen = 0
        with open(path, "rb+", buffering=0) as file:
            for number in range(20):
                # No two neighbours: each page is a request.
                for page in range(number % 2, 8192, 2):
                    content[page << 12] = number + 1
                    os.pwrite(file.fileno(), content[page << 12:(page + 1) << 12], page << 12)
                sync = threading.Thread(target=os.fsync, args=[file.fileno()])
                sync.start()
                while sync.is_alive():
                    seen = max(seen, self.roaming())
                sync.join()
        self.assertGreater(seen, 0)

        before = self.affinities()
        for number in range(2_000):
            os.mkdir(self.directory / f"{number}")
        after = self.affinities()
        # The kernel gives what comes next to whoever was free last; the others may wait wherever they did.
        busiest = max(after, key=lambda task: after[task][0] - before[task][0])
        self.assertEqual(len(after[busiest][1]), 1)
        self.assertEqual(path.read_bytes(), bytes(content))


@unittest.skipUnless(os.getuid() == 0, "turns FUSE through io_uring on, which only root can")
class Ends(Ring):
    """With requests under way, in each way that a mount ends."""

    def setUp(self):
        super().setUp()
        self.path = self.write(self.directory / "file", pattern(4 << 20))
        with open(self.path, "rb") as file:
            os.fsync(file.fileno())
        self.programs = []
        for number in range(6):
            self.programs.append(
                subprocess.Popen([sys.executable, "-c", READER, self.path], stderr=subprocess.PIPE, text=True))
        time.sleep(0.7)

    def check_end(self):
        for program in self.programs:
            said = program.communicate(timeout=20)[1]
            self.assertEqual(program.returncode, 1, said)
            self.assertTrue(any(f"Errno {number}]" in said for number in GONE), said)
        wait_until(lambda: not list(daemons(str(self.workspace.root))), 20, "mamd still runs")

    def check_again(self):
        self.workspace.mount("-o", "io_uring").unlock()
        self.assertEqual(self.path.read_bytes(), pattern(4 << 20))
        self.assertEqual(self.status()["transport"], "io_uring")

    def test_killed(self):
        os.kill(self.daemon(), signal.SIGKILL)
        self.check_end()
        self.check_again()

    def test_told_to_stop(self):
        os.kill(self.daemon(), signal.SIGTERM)
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
        time.sleep(0.5)
        self.assertEqual([program.poll() for program in self.programs], [None] * len(self.programs))
        self.stop_programs()
        wait_until(lambda: not list(daemons(str(self.workspace.root))), 20, "mamd still runs")
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


class Memory(Ring, test_hygiene.Hygiene):
    """As there, and what is read and written leaves no plaintext, without any lock."""

    def test_what_is_read_and_written_leaves_nothing(self):
        for letter in "AB":
            path = self.directory / letter / f"{letter}, closed"
            with open(path, "r+b", buffering=0) as file:
                whole = len(test_hygiene.CONTENTS[letter])
                for count in (4096, 100_000, whole):
                    os.pwrite(file.fileno(), test_hygiene.CONTENTS[letter][:count], 0)
                    os.fsync(file.fileno())
                # Last, for what is written may come to lie over what was read.
                for count in (whole, 4096):
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                    os.pread(file.fileno(), count, 0)
        found = {name for name in self.in_memory() if name.startswith("plaintext")}
        self.assertEqual(found, set())


class OfOrdinaryUser(WorkspaceCase):
    """Runs as whoever runs it, where the switch is on already."""

    @classmethod
    def setUpClass(cls):
        cls.mounted = False
        super().setUpClass()
        cls.mounted = True
        cls.workspace.mount("-o", "io_uring").register()

    def test_use(self):
        (status,) = json.loads(self.workspace.serving("status", "--json").stdout)
        self.assertEqual(status["transport"], "io_uring")
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
        self.machine.run("sh", "-c", 'echo text > "$1/file" && grep -q text "$1/file"', "sh", mount_point)
        self.machine.run("systemctl", "stop", "mamd@rings")


@unittest.skipUnless(os.getuid() == 0, "acts as another user, which only root can")
class AsOrdinaryUser(unittest.TestCase):
    def test_as_nobody(self):
        prefix = PREFIX + "nobody-"
        with kernel_ring(), programs_for_all() as place:
            command = (*AS_NOBODY, sys.executable, "-B", "-m", "unittest", "-v", "test_ring.OfOrdinaryUser")
            if os.stat("/dev/fuse").st_mode & 0o666 != 0o666:
                command = with_fuse_device(0o666, place, command)
            try:
                result = subprocess.run(
                    command, cwd=place / "Tests" / "Integration", capture_output=True, text=True, timeout=120,
                    env={**os.environ, "PATH": f"{place}/bin:{os.environ['PATH']}", "MAMD_TEST_PREFIX": prefix})
            finally:
                remove_leftovers(prefix)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("skipped", result.stderr)


def load_tests(loader, standard_tests, pattern):
    """What an ordinary user does is run by root."""
    left_out = OfOrdinaryUser if os.getuid() == 0 else ()
    chosen = (case for case in (Asked, Content, Ends, Memory, InTheSandbox, AsOrdinaryUser, OfOrdinaryUser) if case is not left_out)
    return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in chosen)
