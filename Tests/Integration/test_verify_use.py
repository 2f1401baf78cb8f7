"""`verify` while others work: no false alarm, nothing in anyone's way; who may run it, on what, and how it ends."""
import errno
import json
import mmap
import os
import random
import signal
import socket
import subprocess
import threading
import time
import unittest

from ordinary_user import AS_NOBODY
from page_cache import cachestat
from verifying import PLAIN, VerifyCase, changed
from workspace import (
    ANN, BLOCK, CLOSED, DAMAGED, DONE, LONG, NOT_FOUND, USAGE, WRONG_PASSPHRASE, daemons, pattern,
    wait_until)

SECONDS = 60 if LONG else 4


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
        """Each file holds one byte, many times: whoever reads it sees whether it is whole."""
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
        """A program writes a damaged file anew while a repair would move it away: what was written stays at its name."""
        self.workspace.unmount()
        broken = changed(self.good, 3 * BLOCK + 9, bytes([self.good[3 * BLOCK + 9] ^ 1]))
        names = [f"file-{number}" for number in range(60)]
        self.lay(**{name: broken for name in names})
        self.mount()
        start = threading.Barrier(2)

        def heal():
            start.wait()
            for name in names:
                try:
                    (self.directory / name).write_bytes(b"written anew")
                except OSError as problem:  # it is being moved in this moment
                    self.assertIn(problem.errno, (errno.EBUSY, errno.ESTALE))
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
        moved = [name for name, each in found.items() if each[0][1] == "quarantined"]
        print(f"{len(moved)} of {len(names)} moved away, {len(names_refused)} writers refused")

    def test_a_lock_comes_in_between(self):
        for number in range(4):
            self.write(self.directory / f"large-{number}", pattern(8_000_000, number))
        check = subprocess.Popen(
            ["mamctl", "verify", self.directory, "--json"], stdout=subprocess.PIPE, env=self.workspace.environment)
        time.sleep(0.01)
        begun = time.monotonic()
        self.workspace.lock()
        self.assertLess(time.monotonic() - begun, 3)
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
        for _ in range(20):
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
        """To be checked is not to be open: files of class B that are open keep their pages through a lock."""
        self.mount()
        size = 24 << 20
        path = self.write(self.directory / "large", pattern(size))
        self.assertEqual(self.workspace.info(path)["class"], "B")
        for _ in range(8):
            with open(path, "rb", buffering=0) as file:
                file.readall()
                self.assertEqual(cachestat(file.fileno()).cached, size // mmap.PAGESIZE)
            checks = [
                subprocess.Popen(["mamctl", "verify", path], stdout=subprocess.DEVNULL, env=self.workspace.environment)
                for _ in range(4)]
            time.sleep(0.03)
            self.workspace.lock()
            for check in checks:
                self.assertIn(check.wait(), (DONE, CLOSED))
            self.workspace.unlock()
            with open(path, "rb") as file:
                # Nothing has read it through the mount since the lock.
                self.assertEqual(cachestat(file.fileno()).cached, 0)


class Places(VerifyCase):
    """What PATH may be."""

    def files(self, *arguments, status=DONE):
        result = self.workspace.ctl("verify", *arguments, "--json", status=status)
        return json.loads(result.stdout)["summary"]["files"]

    def test_paths_inside_the_mount_and_in_the_backing_directory(self):
        self.lay(one=self.good, two=self.good)
        (self.disk("deep") / "er").mkdir(parents=True)
        self.lay(**{"deep/er/three": self.good})
        self.assertEqual(self.files(self.workspace.backing, "--unlock", ANN, "--passfile", self.workspace.passfile), 4)
        for path, count in (("deep", 1), ("deep/er/three", 1), ("one", 1), (".", 4)):
            self.assertEqual(self.files(self.disk(path), status=CLOSED), count)
        self.mount()
        self.assertEqual(self.files(), 4)
        for top in (self.workspace.mount_point, self.workspace.backing):
            here = top / self._testMethodName
            self.assertEqual(self.files(top), 4)
            self.assertEqual(self.files(here), 4)
            self.assertEqual(self.files(here / "deep"), 1)
            self.assertEqual(self.files(here / "deep" / "er" / "three"), 1)
            self.assertEqual(self.files(here / "one"), 1)
        link = self.workspace.root / "link"
        link.symlink_to(self.directory / "deep")
        self.assertEqual(self.files(link), 1)

    def test_what_is_no_part_of_a_workspace(self):
        for path in (self.workspace.root, self.workspace.root / "missing"):
            self.workspace.ctl("verify", path, status=NOT_FOUND)

    def test_opening_an_account_for_the_check(self):
        wrong = self.workspace.secret("wrong", "not it")
        self.workspace.ctl(
            "verify", self.workspace.backing, "--unlock", ANN, "--passfile", wrong, status=WRONG_PASSPHRASE)
        time.sleep(1.1)  # until the next passphrase is tried
        self.workspace.ctl("verify", self.workspace.backing, "--unlock", "who@example.org", status=NOT_FOUND)
        self.assertEqual(list(daemons(str(self.workspace.root))), [])
        self.mount()
        self.workspace.ctl(
            "verify", self.workspace.mount_point, "--unlock", ANN, "--passfile", self.workspace.passfile, status=USAGE)

    def test_the_daemon_of_a_check_ends_with_it_and_keeps_others_out(self):
        self.lay(large=self.good[:4096])
        with open(self.disk("large"), "r+b") as file:  # a foreign file that takes long
            file.write(b"x" * 4096)
            os.posix_fallocate(file.fileno(), 0, 400 << 20)
        check = subprocess.Popen(
            ["mamctl", "verify", self.workspace.backing], stdout=subprocess.DEVNULL, env=self.workspace.environment)
        wait_until(lambda: list(daemons(str(self.workspace.root))))
        self.workspace.mount(status=1)
        check.send_signal(signal.SIGKILL)
        check.wait()
        wait_until(lambda: not list(daemons(str(self.workspace.root))))
        self.mount()

    @unittest.skipUnless(os.getuid() == 0, "needs another user")
    def test_only_root_and_the_daemon_s_user_may(self):
        self.mount()
        script = (
            "import json, socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]);"
            's.sendall(json.dumps({"method": "io.mamd.Workspace.Verify", "more": True}).encode() + b"\\0");'
            'print(s.recv(65536).decode())')
        for path in (self.workspace.root, self.workspace.root / "runtime_dir", self.workspace.socket.parent):
            path.chmod(0o755)
        result = subprocess.run([*AS_NOBODY, "/usr/bin/python3", "-c", script, self.workspace.socket],
                                capture_output=True, text=True)
        self.assertIn("io.mamd.Workspace.Refused", result.stdout, result.stderr)

    def test_it_is_a_stream(self):
        self.mount()
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(self.workspace.socket))
            client.sendall(json.dumps({"method": "io.mamd.Workspace.Verify"}).encode() + b"\0")
            self.assertIn(b"ExpectedMore", client.recv(65536))
