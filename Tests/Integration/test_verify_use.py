"""`verify` while others work: no false alarm, and nothing in anyone's way."""
import errno
import json
import mmap
import os
import random
import subprocess
import threading
import time

from page_cache import are_mostly, cachestat
from verifying import VerifyCase, changed
from workspace import ANN, BLOCK, CLOSED, DAMAGED, DONE, LONG, pattern

SECONDS, CHANGES, LOCKS = (60, 20, 8) if LONG else (2, 8, 4)


class Busy(VerifyCase):
    """A check beside programs that write, and locks."""

    def work(self, body):
        """Runs a body with a random source again and again, on a thread, until the block ends."""
        def run():
            source = random.Random(id(body))
            try:
                while not self.ended.is_set():
                    body(source)
            except BaseException as problem:
                self.failures.append(problem)
        thread = threading.Thread(target=run)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.ended.set)

    def setUp(self):
        super().setUp()
        self.mount()
        self.ended, self.failures = threading.Event(), []

    def finish(self):
        self.ended.set()
        self.doCleanups()
        self.assertEqual(self.failures, [])

    def overwriting(self, source, path=None, size=3_000_000):
        path = path or self.directory / "overwritten"
        with open(path, "r+b" if path.exists() else "w+b", buffering=0) as file:
            for _ in range(40):
                data = source.randbytes(source.choice((10, 4064, 50_000)))
                file.seek(source.randrange(size))
                file.write(data)
                file.seek(source.randrange(size))
                file.read(10_000)
            os.ftruncate(file.fileno(), source.randrange(size))
            if source.random() < 0.3:
                os.fsync(file.fileno())

    def remaking(self, source):
        """Each file holds one byte, many times: a reader sees whether it is whole."""
        path = self.directory / f"remade-{source.randrange(8)}"
        if source.random() < 0.2:
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(bytes([source.randrange(256)]) * source.randrange(1, 30_000))

    def mapping(self, source):
        path = self.directory / "mapped"
        if not path.exists():
            path.write_bytes(bytes(200_000))
        with open(path, "r+b") as file, mmap.mmap(file.fileno(), 200_000) as area:
            for _ in range(50):
                area[source.randrange(200_000)] = source.randrange(256)

    def test_files_that_are_being_written_are_found_whole(self):
        for body in (self.overwriting, self.remaking, self.mapping):
            self.work(body)
        end, rounds = time.monotonic() + SECONDS, 0
        while time.monotonic() < end:
            for options in ((), ("--repair",)):
                self.assertEqual(self.verify(*options), {})
                rounds += 1
        self.finish()
        print(f"{rounds} checks beside writers")
        self.assertEqual(self.verify(), {})
        self.workspace.remount()
        self.assertEqual(self.verify(), {})

    def test_healing_beside_a_repair_is_never_undone(self):
        """A program writes a damaged file anew while a repair would move it away: what was written
        stays at its name."""
        self.workspace.unmount()
        broken = changed(self.good, 3 * BLOCK + 9, bytes([self.good[3 * BLOCK + 9] ^ 1]))
        names = [f"file-{number}" for number in range(60)]
        self.lay(**dict.fromkeys(names, broken))
        self.mount()
        start = threading.Barrier(2)

        def heal():
            start.wait()
            for name in names:
                try:
                    (self.directory / name).write_bytes(b"written anew")
                except OSError as problem:  # it is being mended in this moment
                    self.assertEqual(problem.errno, errno.EBUSY)
                    names_refused.append(name)

        names_refused = []
        thread = threading.Thread(target=heal)
        thread.start()
        start.wait()
        found = self.verify("--repair", status=(DONE, DAMAGED))
        thread.join()
        for name in names:
            if name not in names_refused:
                self.assertEqual((self.directory / name).read_bytes(), b"written anew", name)
        marked = [name for name, each in found.items() if each[0][1] == "incomplete"]
        print(f"{len(marked)} of {len(names)} marked, {len(names_refused)} writers refused")

    def test_a_lock_comes_in_between(self):
        for number in range(4):
            self.write(self.directory / f"large-{number}", pattern(8_000_000, number))
        check = subprocess.Popen(
            ["mamctl", "verify", self.directory, "--json"], stdout=subprocess.PIPE,
            env=self.workspace.environment)
        time.sleep(0.01)
        self.workspace.lock()
        answer = json.loads(check.communicate()[0])
        self.assertEqual(answer["findings"], [])
        self.assertEqual(check.returncode, CLOSED if answer["summary"]["uncheckedFiles"] else DONE)
        with self.refused(errno.ENOKEY):
            (self.directory / "good").read_bytes()
        self.workspace.unlock()
        self.assertEqual(self.verify(), {})

    def test_a_file_is_begun_anew_and_changes_hands_during_a_check(self):
        self.work(lambda source: self.verify())
        path = self.directory / "file"
        for _ in range(CHANGES):
            self.workspace.write_as("someone@example.org", path, "theirs")
            self.assertEqual(self.workspace.owner(path), "someone@example.org")
            self.workspace.ctl("owner", "--set", ANN, path)
            self.workspace.ctl("class", "--set", "B", path)
            self.assertEqual(path.read_bytes(), b"theirs")
            path.unlink()
        self.finish()


class ClassB(VerifyCase):
    settings = {"MaxFileProtectionLevel": "NSFileProtectionCompleteUnlessOpen"}

    def test_a_lock_drops_what_is_cached_of_files_that_are_only_checked(self):
        """To be checked is not to be open: files of class B that are open keep their pages through
        a lock."""
        self.mount()
        size = 24 << 20
        path = self.write(self.directory / "large", pattern(size))
        self.assertEqual(self.workspace.info(path)["class"], "B")
        for _ in range(LOCKS):
            with open(path, "rb", buffering=0) as file:
                file.readall()
                cached = cachestat(file.fileno()).cached
                self.assertTrue(are_mostly(cached, size // mmap.PAGESIZE), cached)
            self.workspace.await_closed()
            checks = [
                subprocess.Popen(
                    ["mamctl", "verify", path], stdout=subprocess.DEVNULL,
                    env=self.workspace.environment)
                for _ in range(4)]
            time.sleep(0.03)
            self.workspace.lock()
            for check in checks:
                self.assertIn(check.wait(), (DONE, CLOSED))
            self.workspace.unlock()
            with open(path, "rb") as file:
                # Nothing has read it through the mount since the lock.
                self.assertEqual(cachestat(file.fileno()).cached, 0)
