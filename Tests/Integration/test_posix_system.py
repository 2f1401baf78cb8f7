"""What POSIX asks around files: advisory locks, programs that run, limits, devices, statfs,
extended attributes."""
import ctypes
import errno
import fcntl
import os
import resource
import signal
import stat
import struct
import subprocess
import sys
import time
import unittest

from children import in_children
from workspace import PROGRAMS, WorkspaceCase, pattern, wait_until

F_OFD_SETLK = 37


def lock_record(descriptor, command, kind, start=0, length=0):
    fcntl.fcntl(descriptor, command, struct.pack("hhqqi", kind, os.SEEK_SET, start, length, 0))


class AroundFiles(WorkspaceCase):
    def test_advisory_locks_keep_others_out(self):
        path = self.write(self.directory / "file", bytes(100))

        def other(how, start=0):
            return subprocess.run(
                [sys.executable, "-B", PROGRAMS / "lock_range.py", path, how,
                 str(start)]).returncode

        with open(path, "r+b") as file:
            for how, command in (("posix", fcntl.F_SETLK), ("ofd", F_OFD_SETLK)):
                lock_record(file.fileno(), command, fcntl.F_WRLCK, 20, 10)
                for asked in ("posix", "ofd"):
                    self.assertIn(other(asked, 25), (errno.EAGAIN, errno.EACCES))
                    self.assertEqual(other(asked, 30), 0)
                lock_record(file.fileno(), command, fcntl.F_UNLCK, 20, 10)
                self.assertEqual(other(how, 25), 0)
            fcntl.flock(file, fcntl.LOCK_SH)
            self.assertEqual(other("flock"), errno.EAGAIN)
            fcntl.flock(file, fcntl.LOCK_UN)
            self.assertEqual(other("flock"), 0)
        self.assertEqual(other("posix", 25), 0)

    def test_programs_can_be_run_and_not_written_meanwhile(self):
        path = self.directory / "program"
        path.write_bytes(open("/bin/sleep", "rb").read())
        path.chmod(0o755)
        with subprocess.Popen([path, "30"]) as process:
            with self.refused(errno.ETXTBSY):
                os.open(path, os.O_WRONLY)
            process.kill()
        script = self.directory / "script"
        script.write_text("#!/bin/sh\necho ran\n")
        script.chmod(0o755)
        self.assertEqual(subprocess.run([script], capture_output=True, check=True).stdout, b"ran\n")

    def test_a_limit_on_sizes_ends_a_write(self):
        path = self.directory / "limited"

        def write(number):
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
            with open(path, "wb", buffering=0) as file:
                assert file.write(bytes(20_000)) == 10_000
                try:
                    file.write(b"x")
                except OSError as problem:
                    assert problem.errno == errno.EFBIG

        self.assertEqual(in_children(1, write), [0])
        self.assertEqual(path.stat().st_size, 10_000)

    @unittest.skipUnless(os.getuid() == 0, "makes devices, which only root can")
    def test_devices_are_kept_and_not_opened(self):
        path = self.directory / "null"
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        self.assertEqual(path.stat().st_rdev, os.makedev(1, 3))
        self.assertEqual(self.backing_of(path).stat().st_rdev, os.makedev(1, 3))
        with self.refused(errno.EACCES):
            path.open("rb")

    def test_times_outlive_the_daemon(self):
        path = self.directory / "file"
        for make in (
                lambda: self.write(path, pattern(10_000)),
                lambda: self.write(path, b"again", durable=False),
                lambda: os.truncate(path, 3),
                lambda: os.utime(path, ns=(1_000_000_001, 1_600_000_000_123_456_789)),
                lambda: path.chmod(0o600)):
            make()
            time.sleep(0.02)
            before = path.stat()
            self.workspace.unmount()
            ended = time.time_ns()
            self.workspace.mount().unlock()
            after = path.stat()
            self.assertEqual(before.st_mtime_ns, after.st_mtime_ns)
            self.assertGreaterEqual(after.st_ctime_ns, before.st_ctime_ns)
            self.assertLessEqual(after.st_ctime_ns, ended)

    def test_the_time_of_a_new_file_is_that_of_its_write(self):
        """Also when the kernel's clock has not moved in between."""
        for number in range(100):
            path = self.write(self.directory / str(number), pattern(5_000), durable=False)
            shown = path.stat().st_mtime_ns
            wait_until(
                lambda: self.backing_of(path).stat().st_mtime_ns == shown,
                message="another time on disk")

    def test_the_file_system_is_described(self):
        def described(place):
            state = os.statvfs(place)
            return state.f_bsize, state.f_frsize, state.f_blocks, state.f_files, state.f_namemax

        # Others change the file system meanwhile.
        wait_until(lambda: described(self.directory) == described(self.workspace.backing))
        mounted, backing = os.statvfs(self.directory), os.statvfs(self.workspace.backing)
        self.assertLess(abs(mounted.f_bavail - backing.f_bavail), mounted.f_blocks // 50)

    def test_extended_attributes_of_every_size(self):
        path = self.write(self.directory / "file", b"x")
        os.setxattr(path, "user.empty", b"")
        os.setxattr(path, b"user." + b"n" * 250, pattern(1_000))
        self.assertEqual(os.getxattr(path, "user.empty"), b"")
        self.assertEqual(os.getxattr(path, b"user." + b"n" * 250), pattern(1_000))
        for name, value, number in (
                (b"user." + b"n" * 251, b"", errno.ERANGE),
                (b"user.big", bytes(65_537), errno.E2BIG)):
            with self.refused(number):
                os.setxattr(path, name, value)
        room = ctypes.create_string_buffer(3)
        os.setxattr(path, "user.long", b"12345")
        libc = ctypes.CDLL(None, use_errno=True)
        self.assertEqual(libc.getxattr(os.fsencode(path), b"user.long", room, 3), -1)
        self.assertEqual(ctypes.get_errno(), errno.ERANGE)
