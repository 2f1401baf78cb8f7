"""Giving a file to another owner, both ways, while programs have it open; and a daemon that is
killed in the middle."""
import collections
import concurrent.futures
import contextlib
import mmap
import os
import random
import struct
import subprocess
import threading
import time
import unittest

from page_cache import cachestat
from socket_client import Client
from tracing import calls_by_thread, injecting, is_traced, killing, tasks
from running import has_ended
from workspace import (
    ANN, CLOSED, DONE, LONG, NO, PERSONAL, REFUSED, UNREACHABLE, WorkspaceCase,
    make_the_kernel_forget, pattern, wait_until)

NEEDS = ("strace",)

OTHER = "other@example.org"

# All that a conversion changes the disk with, once the new file is there.
CALLS = "pwrite64,ftruncate,fsync,fdatasync,renameat2,unlinkat,fchown,fchmod,utimensat"


class ConvertCase(WorkspaceCase):
    settings = {"MultiIdentity": True}

    def protect(self, path, owner=ANN, status=DONE):
        return self.workspace.ctl("protect", path, "--owner", owner, "--unmanaged", status=status)

    def personal(self, name, data):
        """A file of nobody's, and a handle on it."""
        return self.write(self.directory / name, data)

    @contextlib.contextmanager
    def meanwhile(self, function, *arguments, **more):
        """The block runs beside the function. What that fails with the test fails with."""
        with concurrent.futures.ThreadPoolExecutor(1) as thread:
            work = thread.submit(function, *arguments, **more)
            yield
            work.result()

    def check_on_disk(self, path, data, is_managed):
        self.assertEqual(self.workspace.is_managed_on_disk(self.backing_of(path)), is_managed)
        if is_managed:
            self.assertEqual(self.workspace.decode(self.backing_of(path)), data)


class Open(ConvertCase):
    def test_handles_that_were_open_before_see_the_new_file(self):
        for owner, is_managed in ((ANN, True), (PERSONAL, False), (ANN, True)):
            path = self.directory / "file"
            if not path.exists():
                self.personal("file", pattern(300_000))
            with self.subTest(owner=owner), open(path, "r+b", buffering=0) as file:
                before = os.fstat(file.fileno())
                data = bytearray(path.read_bytes())
                os.pwrite(file.fileno(), b"not synced", 5000)
                data[5000:5010] = b"not synced"
                self.protect(path, owner)
                self.assertEqual(os.pread(file.fileno(), 1 << 20, 0), bytes(data))
                os.pwrite(file.fileno(), b"later", 250_000)
                data[250_000:250_005] = b"later"
                os.ftruncate(file.fileno(), len(data) + 10_000)
                data += bytes(10_000)
                os.fsync(file.fileno())
                after = os.fstat(file.fileno())
                self.assertEqual(
                    (after.st_ino, after.st_size, after.st_nlink), (before.st_ino, len(data), 1))
                self.assertEqual(os.stat(path).st_ino, before.st_ino)
                self.assertEqual(path.read_bytes(), bytes(data))
                self.assertEqual(self.workspace.owner(path), owner)
            self.check_on_disk(path, bytes(data), is_managed)

    def test_a_file_in_the_making_is_not_converted_under_its_maker(self):
        making, made = self.directory / "making", self.directory / "made"
        making.mkdir()
        made.mkdir()
        walks = (
            "while [ -d making ]; do mamctl protect making --owner $0; mamctl protect making "
            "--owner '' --unmanaged; done")
        count = 0
        with subprocess.Popen(
                ["sh", "-c", walks, ANN], cwd=self.directory, env=self.workspace.environment,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
            # Until the walks have met them, which a loaded machine takes longer for.
            for _ in range(90):
                end = time.monotonic() + 1
                while time.monotonic() < end:
                    count += 1
                    (making / "file").write_bytes(b"%d" % count)
                    os.rename(making / "file", made / str(count))
                kinds = self.kinds(made)
                if min(kinds[True], kinds[False]) > 20:
                    break
            making.rmdir()
        self.workspace.remount()
        self.workspace.unlock()
        lost = [
            number for number in range(1, count + 1)
            if (made / str(number)).read_bytes() != b"%d" % number]
        self.assertEqual(lost, [], f"of {count}")
        # That the walks met them.
        kinds = self.kinds(made)
        self.assertGreater(min(kinds[True], kinds[False]), 10)

    def kinds(self, directory):
        """How many of its files are managed, and are not."""
        return collections.Counter(
            self.workspace.is_managed_on_disk(self.backing_of(path))
            for path in directory.iterdir())

    def test_attributes_and_mappings_stay(self):
        path = self.personal("file", pattern(100_000))
        os.chmod(path, 0o640)
        os.setxattr(path, "user.note", b"kept")
        os.utime(path, ns=(10**18, 10**18))
        with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
            self.protect(path)
            memory[50_000:50_006] = b"mapped"
            memory.flush()
        status = os.stat(path)
        self.assertEqual((status.st_mode & 0o777, os.getxattr(path, "user.note")), (0o640, b"kept"))
        expected = bytearray(pattern(100_000))
        expected[50_000:50_006] = b"mapped"
        self.check_on_disk(path, bytes(expected), True)

    @unittest.skipUnless(os.getuid() == 0, "gives capabilities and files to others")
    def test_capabilities_and_another_users_files_stay_so(self):
        path, value = self.personal("file", b"program"), struct.pack(
            "<IIIII", 0x02000001, 1 << 13, 0, 0, 0)
        os.chown(path, 4711, 4712)
        os.chmod(path, 0o6755)
        for owner in (ANN, PERSONAL):
            os.setxattr(path, "security.capability", value)
            self.protect(path, owner)
            status = os.stat(path)
            self.assertEqual(
                (status.st_uid, status.st_gid, status.st_mode & 0o7777), (4711, 4712, 0o6755))
            self.assertEqual(os.getxattr(path, "security.capability"), value)

    def test_after_a_remount_it_is_all_there(self):
        path = self.personal("file", pattern(50_000))
        with open(path, "r+b", buffering=0) as file:
            self.protect(path)
            os.pwrite(file.fileno(), b"end", 49_990)
        self.workspace.remount()
        data = bytearray(pattern(50_000))
        data[49_990:49_993] = b"end"
        self.assertEqual(path.read_bytes(), bytes(data))
        self.assertEqual(list(self.workspace.on_disk(".mamd", "work").iterdir()), [])

    def test_writers_lose_nothing(self):
        """Four writers of their own parts, while the owner goes back and forth."""
        path, size, rounds = self.directory / "file", 8 << 20, 12 if LONG else 6
        self.write(path, bytes(size))
        stop, errors, model = threading.Event(), [], [None] * 4

        def work(number):
            part, share = bytearray(size // 4), size // 4
            chooser = random.Random(number)
            try:
                with open(path, "r+b", buffering=0) as file:
                    while not stop.is_set():
                        at, count = chooser.randrange(share - 20_000), chooser.randrange(1, 20_000)
                        data = chooser.randbytes(count)
                        if os.pwrite(file.fileno(), data, number * share + at) != count:
                            raise OSError("short")
                        part[at : at + count] = data
                        if chooser.random() < 0.1:
                            os.fdatasync(file.fileno())
                        if chooser.random() < 0.2 and os.pread(
                                file.fileno(), count, number * share + at) != data:
                            raise OSError("read something else")
            except OSError as problem:
                errors.append(problem)
            model[number] = bytes(part)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for number in range(rounds):
            time.sleep(0.2)
            self.protect(path, (ANN, PERSONAL)[number % 2])
        stop.set()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])
        self.assertEqual(path.read_bytes(), b"".join(model))
        self.protect(path)
        self.workspace.remount()
        self.check_on_disk(path, b"".join(model), True)

    def test_programs_that_open_it_meanwhile_wait_for_nothing_they_notice(self):
        path, stop, errors = self.personal("file", pattern(4 << 20)), threading.Event(), []

        def look():
            while not stop.is_set():
                try:
                    if len(path.read_bytes()) != 4 << 20:
                        errors.append("another size")
                except OSError as problem:
                    errors.append(problem)

        thread = threading.Thread(target=look)
        thread.start()
        for owner in (ANN, PERSONAL) * 4:
            self.protect(path, owner)
        stop.set()
        thread.join()
        self.assertEqual(errors, [])

    def test_who_begins_it_anew_meanwhile_keeps_it(self):
        path, work = self.personal("file", pattern(96 << 20)), self.workspace.on_disk(
            ".mamd", "work")
        with Client(self.workspace.socket) as client:
            try:
                with self.meanwhile(self.protect, path, status=REFUSED):
                    wait_until(lambda: list(work.iterdir()))
                    client.call("Identity.SetProcessIdentity", identity=OTHER)
                    path.write_bytes(b"begun anew")
            finally:
                client.call("Identity.SetProcessIdentity", identity=None)
        self.assertEqual((self.workspace.owner(path), path.read_bytes()), (OTHER, b"begun anew"))

    def test_a_closed_window_refuses_and_changes_nothing(self):
        path = self.directory / "file"
        self.workspace.write_as(ANN, path, "content")
        before = self.backing_of(path).read_bytes()
        self.workspace.lock()
        try:
            self.protect(path, PERSONAL, status=CLOSED)
            other = self.personal("other", b"other")
            self.protect(other, status=CLOSED)
            self.assertEqual(other.read_bytes(), b"other")
        finally:
            self.workspace.unlock()
        self.assertEqual(self.backing_of(path).read_bytes(), before)
        self.assertEqual(list(self.workspace.on_disk(".mamd", "work").iterdir()), [])

    def test_numbers_of_former_files_are_not_mixed_up(self):
        """The number that the mount shows stays; no new file may get it."""
        path = self.personal("file", b"first")
        with open(path, "rb"):
            number = os.stat(path).st_ino
            for owner in (ANN, PERSONAL) * 3:
                self.protect(path, owner)
            others = [self.write(self.directory / f"other {i}", f"{i}".encode()) for i in range(50)]
            self.assertNotIn(number, [os.stat(other).st_ino for other in others])
            self.assertEqual(
                [other.read_bytes() for other in others], [f"{i}".encode() for i in range(50)])
            self.assertEqual((path.read_bytes(), os.stat(path).st_ino), (b"first", number))


class Killed(WorkspaceCase):
    settings = {"MultiIdentity": True}
    number = 0

    @unittest.skipUnless(os.getuid() == 0, "the daemon lets nobody but root trace it")
    def test_at_each_call(self):
        """Old or new, whole, with what was synced before; and nothing is left over."""
        outcomes = collections.Counter()
        for is_managed in (False, True):
            calls = []
            self.assertEqual(self.protected(is_managed, calls), DONE)
            renaming = calls.index("renameat2")
            points = range(len(calls)) if LONG else sorted(
                {*range(0, renaming, 3), *range(renaming - 1, len(calls), 2), len(calls) - 1})
            for point in points:
                outcome = self.killed_at(calls[: point + 1], is_managed)
                self.assertEqual(outcome, "old" if point <= renaming else "new", calls[: point + 1])
                outcomes[outcome] += 1
        print(outcomes, flush=True)
        self.workspace.serving("verify")

    def killed_at(self, calls, is_managed):
        """What is there, "old" or "new", after a daemon was killed as it entered the last of these
        calls, which one thread makes."""
        made = []
        self.assertEqual(self.protected(is_managed, made, "-e", killing(calls)), UNREACHABLE, calls)
        self.assertEqual(made, calls)
        self.workspace.mount()
        self.workspace.unlock()
        self.assertEqual(self.path.read_bytes(), self.data, calls)
        self.assertEqual(list(self.workspace.on_disk(".mamd", "work").iterdir()), [])
        return "old" if self.workspace.is_managed_on_disk(
            self.backing_of(self.path)) == is_managed else "new"

    def protected(self, is_managed, calls, *faults):
        """Gives a file to another owner; the status. Adds the calls of the thread that does it."""
        self.number += 1
        self.path, self.data = self.directory / str(self.number), pattern(70_000, self.number)
        if is_managed:
            self.workspace.run_as(ANN, "cp", self.plain(self.data), self.path)
        else:
            self.write(self.path, self.data)
        # No other thread's calls are to be counted: after a kill one mends the files' ends.
        with open(self.path, "rb") as file:
            os.fsync(file.fileno())
        self.workspace.await_closed()
        wait_until(
            lambda: not tasks(self.workspace.daemon(), "recovery"),
            message="not all files are checked")
        record = self.workspace.root / "calls"
        status = self.protect_under(
            PERSONAL if is_managed else ANN, "-o", record, "-e", f"trace={CALLS}", *faults)
        (made,) = (made for made in calls_by_thread(record) if "ftruncate" in made)
        calls += made
        return status

    def plain(self, data):
        path = self.workspace.root / "plain"
        path.write_bytes(data)
        return path

    def protect_under(self, owner, *options):
        pid, status = self.workspace.daemon(), None
        tracer = subprocess.Popen(
            ["strace", "-qq", "-f", "-p", str(pid), *options], stderr=subprocess.PIPE)
        try:
            wait_until(lambda: is_traced(pid), message="strace does not attach")
            status = self.workspace.ctl(
                "protect", self.path, "--owner", owner, "--unmanaged",
                status=(DONE, UNREACHABLE)).returncode
            if status:
                # It ends by itself, and the record is whole then.
                tracer.communicate(timeout=60)
                wait_until(lambda: has_ended(pid), message="the daemon lives")
        finally:
            # Asked to end, it may wait for the killed daemon for ever.
            tracer.terminate() if status == DONE else tracer.kill()
            tracer.communicate()
        return status


@unittest.skipUnless(os.getuid() == 0, "the daemon lets nobody but root trace it")
class Slow(ConvertCase):
    """What comes in between, with the time for it."""

    def test_a_look_up_that_began_before_finds_the_new_file(self):
        """It has the old one's status, and asks for its inode when that is converted and
        forgotten."""
        for number, seconds in enumerate((0.2, 0.6, 1.0)):
            directory = self.directory / str(number)
            directory.mkdir()
            path = self.personal(f"{number}/file", pattern(16_000))
            make_the_kernel_forget()
            directory.stat()
            with (
                injecting(
                    self.workspace.daemon(), "newfstatat", "delay_exit=400000", thread_name="mamd"),
                self.meanwhile(self.overwrite_start, path),
            ):
                time.sleep(seconds)
                self.protect(directory)
            make_the_kernel_forget()
            self.assertEqual(path.read_bytes(), b"written" + pattern(16_000)[7:])
            self.check_on_disk(path, b"written" + pattern(16_000)[7:], is_managed=True)

    def test_a_mode_that_is_set_in_the_moment_of_the_exchange_holds(self):
        """The file has its new name, and the daemon does not know that yet."""
        path = self.personal("file", pattern(5000))
        path.chmod(0o666)
        with (
            injecting(self.workspace.daemon(), "renameat2", "delay_exit=500000"),
            self.meanwhile(self.protect, path),
        ):
            wait_until(lambda: self.workspace.is_managed_on_disk(self.backing_of(path)))
            path.chmod(0o600)
            os.setxattr(path, "user.late", b"value")
        self.assertEqual(self.backing_of(path).stat().st_mode & 0o7777, 0o600)
        self.assertEqual(os.getxattr(self.backing_of(path), "user.late"), b"value")

    @contextlib.contextmanager
    def while_converted(self, path, status=DONE):
        """The block runs when the copy has been made, and before it is put in place."""
        said = []
        with (
            injecting(self.workspace.daemon(), "fsync", "delay_enter=700000"),
            self.meanwhile(lambda: said.append(self.protect(path, status=status).stderr)),
        ):
            wait_until(lambda: list(self.workspace.on_disk(".mamd", "work").iterdir()))
            yield said

    def test_a_file_that_is_renamed_meanwhile_is_converted_where_it_is(self):
        path, other = self.personal("file", pattern(5000)), pattern(100)
        with self.while_converted(path):
            path.rename(self.directory / "renamed")
            self.write(path, other, durable=False)
        self.check_on_disk(self.directory / "renamed", pattern(5000), is_managed=True)
        self.assertEqual(path.read_bytes(), other)

    def test_a_file_that_is_removed_meanwhile_is_said_to_be(self):
        path = self.personal("file", pattern(5000))
        with self.while_converted(path, status=NO) as said:
            path.unlink()
        self.assertIn("file: No such file or directory", said[0])

    def overwrite_start(self, path):
        with open(path, "r+b", buffering=0) as file:
            file.write(b"written")
            os.fsync(file.fileno())

    def test_a_lock_directly_after_the_exchange_drops_the_pages_of_before(self):
        path = self.personal("file", pattern(44_000))
        self.assertEqual(path.read_bytes(), pattern(44_000))
        with (
            injecting(self.workspace.daemon(), "fsync", "delay_enter=700000"),
            self.meanwhile(self.protect, path),
        ):
            wait_until(lambda: self.workspace.is_managed_on_disk(self.backing_of(path)))
            self.workspace.lock()
        self.workspace.unlock()
        with open(path, "rb") as file:
            self.assertEqual(cachestat(file.fileno()).cached, 0)
            self.assertEqual(file.read(), pattern(44_000))


if __name__ == "__main__":
    unittest.main()
