"""Requests through io_uring: nothing is lost or kept by it, and which threads serve them where."""
import contextlib
import errno
import hashlib
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import test_hygiene
from ring_case import READER, Ring, await_reading
from tracing import tasks
from running import PREFIX
from workspace import LONG, pattern, wait_until

NEEDS = ("git",)

# The kernel module's parameter is the whole machine's.
ALONE = True

WORKER = pathlib.Path(__file__).with_name("ring_worker.py")
SECONDS, FILES = (60, 10_000) if LONG else (6, 2000)


def status_of(pid):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines)


@unittest.skipUnless(os.getuid() == 0, "turns FUSE through io_uring on, which only root can")
class Content(Ring):
    def test_several_programs_and_a_copy(self):
        with tempfile.TemporaryDirectory(prefix=PREFIX) as copies:
            workers = [
                subprocess.Popen(
                    [sys.executable, "-B", WORKER, str(number), str(SECONDS),
                     self.directory / str(number), f"{copies}/{number}"],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                for number in range(4)]
            counts = []
            for worker in workers:
                out, error = worker.communicate(timeout=SECONDS + 300)
                self.assertEqual(worker.returncode, 0, error)
                counts.append(int(out))
        print(f"{counts} steps", flush=True)

    def test_a_listing_ends_whose_entry_the_kernel_cannot_take(self):
        """A directory that was moved into one that was in it, by somebody else: the kernel has the
        one above the other, and sends a FORGET as a request, by a ring."""
        outer = self.directory / "outer"
        (outer / "inner").mkdir(parents=True)
        held = os.open(outer / "inner", os.O_RDONLY)
        self.addCleanup(os.close, held)
        below = self.workspace.on_disk(self.directory.relative_to(self.workspace.mount_point))
        os.rename(below / "outer" / "inner", below / "inner")
        os.rename(below / "outer", below / "inner" / "outer")
        with subprocess.Popen(["ls", "-f", f"/proc/self/fd/{held}"], pass_fds=[held],
                              stdout=subprocess.PIPE, text=True) as lister:
            try:
                wait_until(lambda: lister.poll() is not None, message="a listing hangs")
            except AssertionError:
                # Else nothing ends it.
                os.kill(self.workspace.daemon(), signal.SIGKILL)
                raise
            self.assertIn("outer", lister.stdout.read())

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
        wrong = [
            path for path, found in hashes.items()
            if hashlib.sha256(path.read_bytes()).digest() != found]
        self.assertEqual(wrong, [])

    def test_a_repository_and_a_database(self):
        source, clone = self.directory / "source", self.directory / "clone"

        def git(*words, cwd=None):
            subprocess.run(
                ["git", "-c", "user.name=A", "-c", "user.email=a@b", *words], cwd=cwd, check=True,
                capture_output=True)

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
                database.executemany(
                    "insert into numbers values (?, ?)",
                    ((n, n * n) for n in range(start, start + 100)))
                database.commit()
            self.assertEqual(database.execute("pragma integrity_check").fetchone(), ("ok",))
            self.assertEqual(
                database.execute("select sum(square) from numbers").fetchone(),
                (sum(n * n for n in range(2000)),))
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

        users = [
            threading.Thread(target=use, args=(path, number % 2))
            for number, path in enumerate(files * 2)]
        for user in users:
            user.start()
        try:
            for _ in range(5):
                time.sleep(0.3)  # they are to be in the middle of anything
                self.workspace.lock()
                for path in files:
                    with self.refused(errno.ENOKEY):
                        path.read_bytes()
                self.workspace.unlock()
        finally:
            over.set()
            for user in users:
                user.join(60)
        self.assertEqual(odd, [])

    def test_signals_to_programs_that_wait(self):
        """The daemon stands still, programs wait for a READ, and are told to end: they do, once it
        goes on."""
        path = self.write(self.directory / "file", pattern(4 << 20))
        readers = [
            subprocess.Popen([sys.executable, "-B", READER, path], stderr=subprocess.DEVNULL)
            for _ in range(25)]
        await_reading(readers)
        daemon = self.workspace.daemon()
        os.kill(daemon, signal.SIGSTOP)
        try:
            wait_until(lambda: status_of(daemon)["State"][0] == "T")
            wait_until(lambda: all(status_of(reader.pid)["State"][0] in "DS" for reader in readers))
            for reader in readers:
                reader.send_signal(signal.SIGINT)
            wait_until(lambda: all(map(self.has_noticed, readers)))
        finally:
            os.kill(daemon, signal.SIGCONT)
        for reader in readers:
            self.assertEqual(reader.wait(60), -signal.SIGINT)
        self.assertEqual(path.read_bytes(), pattern(4 << 20))

    def has_noticed(self, reader):
        """The signal: it has taken it, or waits without one to wake it."""
        if reader.poll() is not None:
            return True
        status = status_of(reader.pid)
        return status["State"][0] == "D" or int(status["ShdPnd"], 16) == 0


@unittest.skipUnless(os.getuid() == 0, "turns FUSE through io_uring on, which only root can")
@unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "one processor")
class Processors(Ring):
    """On which processors the threads of a queue may run."""

    def affinities(self):
        """Of the threads of queues: how often each has waited, and where it may run."""
        pid, found = self.workspace.daemon(), {}
        for task in tasks(pid):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                status = status_of(f"{pid}/task/{task}")
                if re.fullmatch(r"ring-\d+", status["Name"]):
                    waits = int(status["voluntary_ctxt_switches"])
                    found[task] = waits, os.sched_getaffinity(task)
        return found

    def roaming(self):
        return sum(len(allowed) > 1 for _, allowed in self.affinities().values())

    def test_what_is_written_back_has_all_processors_and_callers_their_own(self):
        self.assertEqual(self.roaming(), 0)
        path, content = self.directory / "scattered", bytearray(32 << 20)
        path.write_bytes(content)
        seen = 0
        with open(path, "rb+", buffering=0) as file:
            # The kernel need not write back by several threads each time.
            for number in range(200):
                # No two neighbours: each page is a request.
                for page in range(number % 2, 8192, 2):
                    content[page << 12] = number % 255 + 1
                    os.pwrite(file.fileno(), content[page << 12:(page + 1) << 12], page << 12)
                sync = threading.Thread(target=os.fsync, args=[file.fileno()])
                sync.start()
                while sync.is_alive():
                    seen = max(seen, self.roaming())
                sync.join()
                if seen:
                    break
        self.assertGreater(seen, 0)

        before = self.affinities()
        for number in range(2_000):
            os.mkdir(self.directory / f"{number}")
        after = self.affinities()
        # The kernel gives what comes next to the thread that was free last, which waits after each
        # request; the others may wait wherever they did.
        busiest = max(after, key=lambda task: after[task][0] - before[task][0])
        self.assertEqual(len(after[busiest][1]), 1)
        self.assertEqual(path.read_bytes(), bytes(content))


@unittest.skipUnless(os.getuid() == 0, "turns FUSE through io_uring on, which only root can")
@unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "one processor")
class Growth(Ring):
    """A daemon that may not run on a processor has one thread for its callers, until they come."""

    def workers(self, queue):
        return self.threads().count(f"ring-{queue}")

    def remount(self, prefix):
        self.workspace.unmount()
        self.workspace.ctl(
            "mount", self.workspace.backing, self.workspace.mount_point, prefix=prefix)
        self.workspace.unlock()

    def test_a_queue_grows_when_all_its_threads_are_busy(self):
        own, other, *_ = sorted(os.sched_getaffinity(0))
        self.remount(("taskset", "-c", f"{own}"))
        self.addCleanup(self.remount, ())
        self.assertEqual(self.workers(other), 1)
        most = self.workers(own)
        self.assertGreater(most, 1)
        path = self.write(self.directory / "file", pattern(4 << 20))
        readers = [
            subprocess.Popen(["taskset", "-c", f"{other}", sys.executable, "-B", READER, path])
            for _ in range(12)]
        try:
            await_reading(readers)
            wait_until(lambda: self.workers(other) > 1)
        finally:
            for reader in readers:
                reader.kill()
                reader.wait()
        self.assertLessEqual(self.workers(other), most)
        pid = self.workspace.daemon()
        places = [os.sched_getaffinity(task) for task in tasks(pid)]
        self.assertEqual(set().union(*places), {own})


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


if __name__ == "__main__":
    unittest.main()
