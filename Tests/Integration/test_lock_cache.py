"""What the kernel still holds of a file after a lock: nothing. MAMD_LONG=1 takes 1 GiB and prints
the times."""
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from page_cache import are_mostly, cachestat, frames, frames_in_use, readable_pages
from workspace import ANN, LONG, WorkspaceCase, pattern, wait_until

# Others would take the page frames that it watches.
ALONE = True

USERS = pathlib.Path(__file__).with_name("file_users.py")
PAGE = os.sysconf("SC_PAGESIZE")
MEBIBYTE = pattern(1 << 20)
FILE_SIZE = (128 if LONG else 8) << 20  # of eight files

# How each file is in use when the lock comes: the ways of file_users.py.
IN_USE = {
    "held open": [],
    "mapped shared": ["map-shared"],
    "mapped privately": ["map-private"],
    "mapped and stored into": ["store"],
    "read by two programs": ["read", "read"],
    "written": ["write"],
    "removed": ["read", "map-shared"],
}
MAPPING = {"map-shared", "map-private", "store"}


class FileUsers:
    """The programs of one test."""

    def __init__(self):
        self.programs = []

    def start(self, way, path):
        program = subprocess.Popen(
            [sys.executable, "-B", USERS, way, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True)
        self.programs.append(program)
        if program.stdout.readline() != "ready\n":
            raise AssertionError(f"{way} {path}: not ready")
        return program

    def tell(self, program):
        with contextlib.suppress(BrokenPipeError):  # it may have ended by SIGBUS
            program.stdin.write("go\n")
            program.stdin.flush()

    def end(self):
        """Their exit statuses, in the order of their start."""
        for program in self.programs:
            with contextlib.suppress(BrokenPipeError):
                program.stdin.close()
        statuses = [program.wait(60) for program in self.programs]
        for program in self.programs:
            program.stdout.close()
        self.programs = []
        return statuses

    def kill(self):
        for program in self.programs:
            program.kill()
        self.end()


class CacheCase(WorkspaceCase):
    def setUp(self):
        super().setUp()
        self.users = FileUsers()
        self.addCleanup(self.workspace.unlock)
        self.addCleanup(self.users.kill)

    def large_file(self, name, size=FILE_SIZE):
        path = self.directory / name
        with open(path, "wb") as file:
            for _ in range(size >> 20):
                file.write(MEBIBYTE)
        return path

    def held(self, path, size=FILE_SIZE):
        """A descriptor to ask about the file's pages, which are cached now."""
        descriptor = os.open(path, os.O_RDWR)
        self.addCleanup(os.close, descriptor)
        for offset in range(0, size, 1 << 20):
            os.pread(descriptor, 1 << 20, offset)
        for cached in (cachestat(descriptor).cached, readable_pages(descriptor, size)):
            self.assertTrue(are_mostly(cached, size // PAGE), cached)
        return descriptor

    def has_content(self, path):
        with open(path, "rb") as file:
            return all(
                file.read(1 << 20) == MEBIBYTE for _ in range(FILE_SIZE >> 20)) and not file.read(1)


class Complete(CacheCase):
    def test_no_page_stays_of_files_in_use(self):
        held = {}
        for name, ways in IN_USE.items():
            path = self.large_file(name)
            held[name] = self.held(path)
            for way in ways:
                self.users.start(way, path)
        os.unlink(self.directory / "removed")
        closed = self.large_file("closed")
        lock_time = self.timed(self.workspace.lock)
        for name, descriptor in held.items():
            with self.subTest(name):
                self.assertEqual(readable_pages(descriptor, FILE_SIZE), 0)
                self.assertEqual(cachestat(descriptor).dirty, 0)
                # A read that is refused leaves empty pages, which go a moment later.
                wait_until(lambda held=descriptor: cachestat(held).cached == 0)
        self.nothing_comes_back(held)
        ways = [program.args[3] for program in self.users.programs]
        self.assertEqual(
            self.users.end(), [-signal.SIGBUS if way in MAPPING else 0 for way in ways], ways)
        self.workspace.unlock()
        read_time = self.timed(lambda: os.pread(held["held open"], 1, 0))
        self.no_page_was_kept(closed)
        for name in (
                "held open", "mapped shared", "mapped privately", "read by two programs", "closed"):
            self.assertTrue(self.has_content(self.directory / name), name)
        self.print_times(lock_time, read_time)

    def nothing_comes_back(self, held):
        """The programs go on for a while, and what they try brings no content back."""
        for program in (program for program in self.users.programs if program.args[3] in MAPPING):
            self.users.tell(program)
        end = time.monotonic() + 1
        while time.monotonic() < end:
            for name, descriptor in held.items():
                self.assertEqual(readable_pages(descriptor, FILE_SIZE), 0, name)

    def no_page_was_kept(self, closed):
        """Of a file that was not open: pages are kept over open(2), so a new descriptor would show
        old ones."""
        with open(closed, "rb") as file:
            self.assertEqual(cachestat(file.fileno()).cached, 0)

    def test_no_page_stays_of_many_small_files(self):
        held = []
        for number in range(300):
            descriptor = os.open(self.directory / str(number), os.O_RDWR | os.O_CREAT)
            self.addCleanup(os.close, descriptor)
            os.pwrite(descriptor, MEBIBYTE[: 5 * PAGE], 0)
            held.append(descriptor)
        cached = sum(cachestat(descriptor).cached for descriptor in held)
        self.assertTrue(are_mostly(cached, 5 * len(held)), cached)
        self.workspace.lock()
        self.assertEqual({cachestat(descriptor).cached for descriptor in held}, {0})
        self.workspace.unlock()
        for descriptor in held:
            self.assertEqual(os.pread(descriptor, 6 * PAGE, 0), MEBIBYTE[: 5 * PAGE])

    def timed(self, action):
        start = time.monotonic()
        action()
        return time.monotonic() - start

    def print_times(self, lock_time, read_time):
        if not LONG:
            return
        self.workspace.lock()
        unlock_time = self.timed(self.workspace.unlock)
        print(
            f"{(len(IN_USE) + 1) * FILE_SIZE >> 20} MiB cached and in use: locked in "
            f"{lock_time:.2f} s, "
            f"first read after the unlock in {read_time * 1000:.1f} ms; unlock {unlock_time:.2f} s",
            flush=True)


class NothingOpen(CacheCase):
    def test_a_lock_with_nothing_open(self):
        start = time.monotonic()
        self.workspace.lock()
        if LONG:
            print(f"nothing open: locked in {time.monotonic() - start:.3f} s", flush=True)
        self.assertEqual(self.workspace.account()["state"], "locked")


class CompleteUnlessOpen(CacheCase):
    settings = {"DeviceDefaultProtectionLevel": "NSFileProtectionCompleteUnlessOpen"}
    policy = {"appDataEncryptionType": "useDeviceSettings"}

    def test_pages_stay_until_the_file_is_closed(self):
        path = self.large_file("file")
        held = self.held(path)
        mapper = self.users.start("map-shared", path)
        closed = self.large_file("closed")
        self.assertEqual(self.workspace.info(path)["class"], "B")
        self.workspace.lock()
        cached = cachestat(held).cached
        self.assertTrue(are_mostly(cached, FILE_SIZE // PAGE), cached)
        self.users.tell(mapper)
        self.assertEqual(self.users.end(), [0])
        self.assertEqual(os.pread(held, 1 << 20, 1 << 20), MEBIBYTE)
        self.workspace.unlock()
        with open(closed, "rb") as file:
            self.assertEqual(cachestat(file.fileno()).cached, 0)

    def test_the_pages_of_a_file_closed_under_the_lock_go(self):
        # Other programs' files may take the frames as soon as they are free.
        self.assertTrue(
            any(self.pages_go(f"file{number}") for number in range(5)),
            "pages of a closed file stay")

    def pages_go(self, name):
        path = self.large_file(name)
        descriptor = os.open(path, os.O_RDWR)
        os.fsync(descriptor)
        page_frames = frames(descriptor, FILE_SIZE) if os.getuid() == 0 else []
        in_use = frames_in_use(page_frames)
        self.assertTrue(not page_frames or are_mostly(in_use, len(page_frames)), in_use)
        self.workspace.lock()
        os.pwrite(descriptor, b"last words", FILE_SIZE)
        os.close(descriptor)
        have_gone = self.are_free(page_frames)
        self.workspace.unlock()
        with open(path, "rb") as file:
            if not page_frames:
                self.assertEqual(cachestat(file.fileno()).cached, 0)
            file.seek(FILE_SIZE)
            self.assertEqual(file.read(), b"last words")
        return have_gone

    def are_free(self, page_frames):
        try:
            wait_until(lambda: frames_in_use(page_frames) <= len(page_frames) // 2, seconds=10)
        except AssertionError:
            return False
        return True


@unittest.skipUnless(
    os.getuid() == 0, "makes a page that the kernel has to wait for, which only root can")
class SlowWriter(CacheCase):
    DEADLINE = 2
    settings = {"LockDeadlineSeconds": DEADLINE}

    def test_a_writer_that_waits_for_its_own_memory_does_not_hold_the_lock_up(self):
        path, other = self.large_file("file", 1 << 20), self.large_file("other", 1 << 20)
        held = self.held(path, 1 << 20), self.held(other, 1 << 20)
        writer = self.users.start("write-slowly", path)
        # The writer would wait for ever.
        answer = self.workspace.serving("lock", ANN, "--now", status=None)
        for text in (answer.stdout + answer.stderr, self.workspace.daemon_log.read_text()):
            with self.subTest("the process is named"):
                self.assertIn(str(writer.pid), text)
        self.assertEqual(self.workspace.account()["state"], "locked")
        self.assertEqual([cachestat(descriptor).dirty for descriptor in held], [0, 0])
        self.assertEqual(cachestat(held[1]).cached, 0)
        self.users.tell(writer)
        written, synced = (writer.stdout.readline().strip() for _ in range(2))
        self.assertLessEqual({written, synced}, {"done", "ENOKEY"})
        self.users.end()
        self.workspace.unlock()
        # Its page is there or not. It must be there if the writer was told so.
        allowed = [b"slow" * (PAGE // 4)] + (
            [MEBIBYTE[:PAGE]] if "ENOKEY" in (written, synced) else [])
        self.assertTrue(path.read_bytes() in [page + MEBIBYTE[PAGE:] for page in allowed])
        self.still_works(path)

    def still_works(self, path):
        path.write_bytes(b"new content")
        self.workspace.lock()
        self.workspace.unlock()
        self.assertEqual(path.read_bytes(), b"new content")

    def test_a_writer_that_waits_for_another_over_the_whole_lock_is_refused(self):
        """It has passed all that the kernel asks before it takes the file's lock, and takes that
        when the keys are gone."""
        self.check_late_writers(count=3)

    def test_programs_that_ask_for_capabilities_do_not_hide_a_late_writer(self):
        self.check_late_writers(count=12, askers=2)

    def check_late_writers(self, count, askers=0):
        path = self.large_file("file", 1 << 20)
        late = [self.users.start("write-once", path) for _ in range(count)]
        slow = self.users.start("write-slowly", path)
        for _ in range(askers):
            self.users.start("ask", path)
        for writer in late:
            self.users.tell(writer)
            wait_until(
                lambda: self.is_waiting_for_a_lock(writer.pid), message="the writer does not wait")
        self.workspace.serving("lock", ANN, "--now", status=None)
        self.users.tell(slow)
        self.assertEqual([writer.stdout.readline().strip() for writer in late], ["ENOKEY"] * count)
        self.users.end()
        self.workspace.unlock()
        self.assertEqual(path.read_bytes()[PAGE:], MEBIBYTE[PAGE:])

    def is_waiting_for_a_lock(self, pid):
        """It sleeps without a signal to wake it, and not for an answer of the daemon's."""
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]
        return state == "D" and "request_wait_answer" not in pathlib.Path(
            f"/proc/{pid}/stack").read_text()

    def test_the_daemon_can_be_stopped_after_a_slow_writer(self):
        path = self.large_file("file", 1 << 20)
        self.users.start("write-slowly", path)
        self.workspace.serving("lock", ANN, "--now", status=None)
        self.users.kill()
        self.workspace.remount()
        self.assertEqual(path.read_bytes(), MEBIBYTE)
