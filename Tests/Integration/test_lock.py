"""Closing and opening an account's windows: nothing leaks, nothing is lost."""
import errno
import os
import signal
import subprocess
import sys
import time

from workspace import ANN, BOB, CLOSED, PERSONAL, PROGRAMS, WorkspaceCase, pattern, wait_until


class Lock(WorkspaceCase):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.workspace.unlock)

    def managed(self, name="file", data=None):
        path = self.write(self.directory / name, data or pattern(30_000))
        self.assertTrue(self.workspace.is_managed_on_disk(self.backing_of(path)))
        return path

    def test_opening_is_refused_with_enokey(self):
        path = self.managed()
        self.workspace.lock()
        for flags in (os.O_RDONLY, os.O_RDWR, os.O_WRONLY):
            with self.refused(errno.ENOKEY):
                os.close(os.open(path, flags))
        self.workspace.unlock()
        self.assertEqual(path.read_bytes(), pattern(30_000))

    def test_handles_opened_before_are_refused_too_and_work_again_after(self):
        path = self.managed()
        with open(path, "r+b", buffering=0) as file:
            self.assertEqual(os.pread(file.fileno(), 100, 0), pattern(30_000)[:100])
            self.workspace.lock()
            for offset in (0, 4_096, 20_000):
                with self.refused(errno.ENOKEY):
                    os.pread(file.fileno(), 100, offset)
            with self.refused(errno.ENOKEY):
                os.pwrite(file.fileno(), b"x" * 100, 50)
            with self.refused(errno.ENOKEY):
                os.pwrite(file.fileno(), b"x" * 4_096, 4_096)
            self.workspace.unlock()
            self.assertEqual(os.pread(file.fileno(), 30_000, 0), pattern(30_000))
            os.pwrite(file.fileno(), b"again", 0)
        self.assertEqual(path.read_bytes(), b"again" + pattern(30_000)[5:])

    def test_names_and_attributes_work_while_locked(self):
        path = self.managed()
        self.managed("second")
        with open(path, "rb") as held:
            self.workspace.lock()
            self.assertEqual(path.stat().st_size, 30_000)
            self.assertEqual(os.fstat(held.fileno()).st_size, 30_000)
            self.assertEqual(sorted(os.listdir(self.directory)), ["file", "second"])
            os.rename(path, self.directory / "renamed")
            self.assertEqual((self.directory / "renamed").stat().st_size, 30_000)
            os.unlink(self.directory / "second")
            (self.directory / "folder").mkdir()
            os.statvfs(self.directory)
            (self.directory / "renamed").chmod(0o600)
            self.assertEqual(self.workspace.owner(self.directory / "renamed"), ANN)
            self.assertEqual(self.workspace.info(self.directory / "renamed")["state"], "closed")
        self.workspace.unlock()
        self.assertEqual((self.directory / "renamed").read_bytes(), pattern(30_000))
        self.assertFalse((self.directory / "second").exists())

    def test_what_was_written_before_the_lock_is_there(self):
        path = self.directory / "file"
        with open(path, "wb", buffering=0) as file:
            for number in range(500):  # small writes, which the kernel still holds
                file.write(pattern(777, seed=number))
            self.workspace.lock()
            self.assertEqual(os.fstat(file.fileno()).st_size, 500 * 777)
        self.workspace.unlock()
        self.assertEqual(
            path.read_bytes(), b"".join(pattern(777, seed=number) for number in range(500)))

    def test_a_lock_while_writers_write_loses_nothing_that_was_accepted(self):
        path = self.directory / "file"
        writer = subprocess.Popen(
            [sys.executable, PROGRAMS / "write_until_refused.py", path],
            stdout=subprocess.PIPE, text=True)
        self.assertEqual(writer.stdout.readline(), "started\n")
        self.workspace.lock()
        number, code = map(int, writer.stdout.readline().split())
        writer.wait(60)
        writer.stdout.close()
        self.assertEqual(code, errno.ENOKEY)
        self.workspace.unlock()
        self.assertEqual(path.read_bytes(), b"".join(b"%07d\n" % line for line in range(number)))

    def test_a_mapping_gets_sigbus(self):
        path = self.managed()
        child = subprocess.Popen(
            [sys.executable, "-B", PROGRAMS / "touch_mapping.py", path, "20000"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.assertEqual(int(child.stdout.readline()), pattern(30_000)[20_000])
        self.workspace.lock()
        output, _ = child.communicate("go\n", timeout=60)
        self.assertEqual((child.returncode, output), (-signal.SIGBUS, ""))

    def test_a_dirty_mapping_is_flushed_before_the_lock(self):
        path = self.managed()
        child = subprocess.Popen(
            [sys.executable, "-B", PROGRAMS / "change_mapping.py", path, "9000", "dirty"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "ready\n")
        self.workspace.lock()
        child.kill()
        child.communicate()
        self.workspace.unlock()
        self.assertEqual(
            path.read_bytes()[8_990:9_010],
            pattern(30_000)[8_990:9_000] + b"dirty" + pattern(30_000)[9_005:9_010])

    def test_creating_is_refused_and_leaves_no_file(self):
        self.workspace.lock()
        with self.refused(errno.ENOKEY):
            os.open(self.directory / "file", os.O_CREAT | os.O_WRONLY)
        self.assertEqual(os.listdir(self.directory), [])
        self.assertEqual(list(self.backing_of(self.directory).iterdir()), [])

    def test_truncating_is_refused_and_changes_nothing(self):
        path = self.managed()
        self.workspace.lock()
        with self.refused(errno.ENOKEY):
            os.close(os.open(path, os.O_WRONLY | os.O_TRUNC))
        with self.refused(errno.ENOKEY):
            os.truncate(path, 10)
        self.workspace.unlock()
        self.assertEqual(path.read_bytes(), pattern(30_000))

    def test_unmanaged_and_foreign_files_do_not_notice(self):
        personal, foreign = self.directory / "personal", self.directory / "foreign"
        self.workspace.write_as(PERSONAL, personal, "personal")
        self.backing_of(foreign).write_bytes(b"foreign")
        with open(personal, "rb") as held:
            self.workspace.lock()
            self.assertEqual(held.read(), b"personal")
            self.assertEqual(personal.read_bytes(), b"personal")
            self.assertEqual(foreign.read_bytes(), b"foreign")
            self.workspace.write_as(PERSONAL, self.directory / "new", "new")
            self.assertEqual((self.directory / "new").read_bytes(), b"new")

    def test_a_removed_open_file_works_again_after_the_unlock(self):
        path = self.managed()
        with open(path, "rb", buffering=0) as file:
            path.unlink()
            self.workspace.lock()
            with self.refused(errno.ENOKEY):
                os.pread(file.fileno(), 10, 0)
            self.workspace.unlock()
            self.assertEqual(os.pread(file.fileno(), 30_000, 0), pattern(30_000))

    def test_locking_and_unlocking_many_times_under_readers(self):
        path = self.managed(data=pattern(2_000_000))
        expected = self.expected(2_000_000)
        readers = [subprocess.Popen(
            [sys.executable, "-B", PROGRAMS / "compare_on.py", path, expected, "6"])
            for _ in range(2)]
        while any(reader.poll() is None for reader in readers):
            self.workspace.lock()
            self.workspace.unlock()
        self.assertEqual([reader.returncode for reader in readers], [0, 0])

    def expected(self, size):
        path = self.workspace.root / "expected"
        path.write_bytes(pattern(size))
        return path


class Grace(WorkspaceCase):
    def test_a_lock_has_a_grace_period_that_an_unlock_ends(self):
        path = self.write(self.directory / "file", b"content")
        self.workspace.serving("lock", ANN)
        self.assertEqual(self.workspace.account()["state"], "grace")
        self.assertEqual(path.read_bytes(), b"content")
        self.workspace.unlock()
        self.assertEqual(self.workspace.account()["state"], "unlocked")
        start = time.monotonic()
        self.workspace.serving("lock", ANN)
        wait_until(
            lambda: self.workspace.account()["state"] == "locked",
            message="no lock after the grace period")
        self.assertGreater(time.monotonic() - start, 5)
        with self.refused(errno.ENOKEY):
            path.read_bytes()
        self.workspace.unlock()
        self.assertEqual(path.read_bytes(), b"content")


class TwoAccounts(WorkspaceCase):
    def test_a_lock_of_one_account_leaves_the_other_open(self):
        self.workspace.register(BOB)
        mine = self.write(self.directory / "mine", b"ann's")
        other = self.directory / "other"
        self.workspace.write_as(BOB, other, "bob's")
        self.assertEqual(self.workspace.owner(other), BOB)
        self.workspace.lock(ANN)
        with self.refused(errno.ENOKEY):
            mine.read_bytes()
        self.assertEqual(other.read_bytes(), b"bob's")
        self.workspace.lock(BOB)
        with self.refused(errno.ENOKEY):
            other.read_bytes()
        self.workspace.unlock(ANN)
        self.assertEqual(mine.read_bytes(), b"ann's")
        with self.refused(errno.ENOKEY):
            other.read_bytes()
        self.workspace.unlock(BOB)
        self.assertEqual(other.read_bytes(), b"bob's")


class FirstUnlock(WorkspaceCase):
    def test_everything_is_closed_until_the_first_unlock(self):
        path = self.write(self.directory / "file", b"content")
        self.workspace.unmount()
        self.workspace.mount()
        self.assertEqual(self.workspace.account()["state"], "beforeFirstUnlock")
        self.assertEqual(path.stat().st_size, 7)
        with self.refused(errno.ENOKEY):
            path.read_bytes()
        self.workspace.serving(
            "decrypt", self.backing_of(path), "-o", self.workspace.root / "no", status=CLOSED)
        self.workspace.serving("account login", ANN, "--passfile", self.workspace.passfile)
        self.assertEqual(path.read_bytes(), b"content")

    def test_an_account_without_a_passphrase_unlocks_with_the_device_alone(self):
        self.workspace.serving("account register", BOB, "--no-passphrase")
        path = self.directory / "file"
        self.workspace.write_as(BOB, path, "bob's")
        self.workspace.lock(BOB)
        with self.refused(errno.ENOKEY):
            path.read_bytes()
        self.workspace.serving("unlock", BOB)
        self.assertEqual(path.read_bytes(), b"bob's")
