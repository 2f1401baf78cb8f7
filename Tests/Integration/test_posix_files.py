"""What POSIX asks of an open file: appending, sharing, mapping, direct and synchronous writes, advisory locks."""
import ctypes
import errno
import fcntl
import mmap
import os
import resource
import signal
import stat
import struct
import subprocess
import sys
import unittest

from posix_calls import EXCHANGE, rename2
from workspace import PERSONAL, WorkspaceCase, pattern

F_OFD_SETLK = 37
KINDS = ("managed", "unmanaged", "foreign")


def in_children(count, work):
    """Runs work(number) in so many processes at once; all must end well."""
    children = []
    for number in range(count):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                work(number)
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def lock_record(descriptor, command, kind, start=0, length=0):
    fcntl.fcntl(descriptor, command, struct.pack("hhqqi", kind, os.SEEK_SET, start, length, 0))


class OpenFiles(WorkspaceCase):

    def make(self, kind, content=b""):
        path = self.directory / kind
        if kind == "managed":
            self.write(path, content)
        elif kind == "unmanaged":
            self.workspace.write_as(PERSONAL, path, "")
            with open(path, "r+b") as file:
                file.write(content)
        else:
            self.backing_of(path).write_bytes(content or b"-")
        return path

    def test_appends_of_many_processes_neither_tear_nor_overwrite(self):
        for kind in KINDS:
            path = self.make(kind)
            os.truncate(path, 0)

            def append(number):
                with open(path, "ab", buffering=0) as file:
                    for line in range(300):
                        file.write(b"%d:%06d:" % (number, line) + bytes([65 + number]) * (line % 90) + b"\n")

            self.assertEqual(in_children(6, append), [0] * 6)
            found = {number: [] for number in range(6)}
            for line in path.read_bytes().splitlines():
                number, count, rest = line.split(b":")
                found[int(number)].append(int(count))
                self.assertEqual(rest, bytes([65 + int(number)]) * (int(count) % 90))
            self.assertEqual(found, {number: list(range(300)) for number in range(6)})

    def test_one_of_many_creates_exclusively(self):
        for attempt in range(20):
            path = self.directory / f"one-{attempt}"

            def create(number):
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))

            with open(os.devnull, "w") as null:
                saved = os.dup(2)
                os.dup2(null.fileno(), 2)
                results = in_children(5, create)
                os.dup2(saved, 2)
                os.close(saved)
            self.assertEqual(sorted(results), [0, 1, 1, 1, 1])

    def test_direct_and_cached_handles_see_each_other(self):
        for kind in KINDS:
            path = self.make(kind, pattern(40_960))
            memory = mmap.mmap(-1, 8_192)
            direct, cached = os.open(path, os.O_RDWR | os.O_DIRECT), os.open(path, os.O_RDWR)
            expected = bytearray(pattern(40_960))
            for offset in (0, 4_096, 16_384, 36_864):
                os.pwrite(cached, b"cached", offset + 100)
                expected[offset + 100 : offset + 106] = b"cached"
                self.assertEqual(os.preadv(direct, [memory], offset), min(8_192, 40_960 - offset))
                self.assertEqual(memory[:4_096], expected[offset : offset + 4_096])
                memory[:] = bytes([offset >> 12]) * 8_192
                os.pwritev(direct, [memory], offset)
                expected[offset : offset + 8_192] = memory[:]
                self.assertEqual(os.pread(cached, 8_192, offset), memory[:])
            os.close(direct)
            os.close(cached)
            self.assertEqual(path.read_bytes(), expected)

    def test_a_synchronous_write_is_on_disk_when_it_returns(self):
        for flag in (os.O_SYNC, os.O_DSYNC):
            path = self.directory / str(flag)
            descriptor = os.open(path, os.O_CREAT | os.O_RDWR | flag)
            os.write(descriptor, pattern(9_000))
            self.assertEqual(self.workspace.decode(self.backing_of(path)), pattern(9_000))
            os.close(descriptor)

    def test_mappings_and_handles_see_each_other(self):
        for kind in KINDS:
            path = self.make(kind, pattern(30_000))
            with open(path, "r+b", buffering=0) as file, open(path, "r+b", buffering=0) as other, \
                    mmap.mmap(file.fileno(), 0) as shared, mmap.mmap(other.fileno(), 0) as second, \
                    mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) as private:
                shared[5_000:5_006] = b"shared"
                private[6_000:6_007] = b"private"
                os.pwrite(other.fileno(), b"written", 7_000)
                for view in (second[:], os.pread(other.fileno(), 30_000, 0), shared[:]):
                    self.assertEqual(view[5_000:5_006], b"shared")
                    self.assertEqual(view[6_000:6_007], pattern(30_000)[6_000:6_007])
                    self.assertEqual(view[7_000:7_007], b"written")
                self.assertEqual(private[6_000:6_007], b"private")
                os.ftruncate(file.fileno(), 20_000)
                os.ftruncate(file.fileno(), 30_000)
                self.assertEqual(shared[20_000:], bytes(10_000))
            self.assertEqual(path.read_bytes()[20_000:], bytes(10_000))

    def test_a_mapping_outlives_its_handle_and_its_name(self):
        path = self.write(self.directory / "file", bytes(10_000))
        with open(path, "r+b") as file:
            mapping = mmap.mmap(file.fileno(), 0)
        kept = self.directory / "kept"
        os.link(path, kept)
        os.unlink(path)
        mapping[9_000:9_005] = b"after"
        mapping.close()
        self.assertEqual(kept.read_bytes(), bytes(9_000) + b"after" + bytes(995))

    def test_rename_over_an_open_file_and_exchange_under_handles(self):
        one, two = self.write(self.directory / "one", b"1" * 9_000), self.write(self.directory / "two", b"2" * 5_000)
        with open(one, "r+b", buffering=0) as first, open(two, "r+b", buffering=0) as second:
            rename2(one, two, EXCHANGE)
            os.pwrite(first.fileno(), b"first", 0)
            os.pwrite(second.fileno(), b"second", 0)
            self.assertEqual((one.read_bytes()[:6], two.read_bytes()[:5]), (b"second", b"first"))
            os.rename(one, two)
            os.pwrite(first.fileno(), b"gone", 0)
            self.assertEqual(os.fstat(first.fileno()).st_nlink, 0)
            self.assertEqual(os.pread(first.fileno(), 9_000, 0), b"gonet" + b"1" * 8_995)
        self.assertEqual(two.read_bytes(), b"second" + b"2" * 4_994)
        self.assertFalse(one.exists())

    def test_hard_links_are_one_file(self):
        one, two = self.write(self.directory / "one", b"x"), self.directory / "two"
        os.link(one, two)
        with open(one, "ab", buffering=0) as file:
            file.write(pattern(5_000))
            os.chmod(two, 0o604)
            for path in (one, two):
                status = path.stat()
                self.assertEqual((status.st_size, status.st_nlink, stat.S_IMODE(status.st_mode)), (5_001, 2, 0o604))
            self.assertEqual(two.read_bytes(), b"x" + pattern(5_000))
        self.assertEqual(self.workspace.owner(one), self.workspace.owner(two))

    def test_advisory_locks_keep_others_out(self):
        path = self.write(self.directory / "file", bytes(100))
        program = (
            "import fcntl, os, struct, sys\n"
            "fd, how = os.open(sys.argv[1], os.O_RDWR), sys.argv[2]\n"
            "record = struct.pack('hhqqi', fcntl.F_WRLCK, 0, int(sys.argv[3]), 10, 0)\n"
            "try: fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB) if how == 'flock' else "
            "fcntl.fcntl(fd, fcntl.F_SETLK if how == 'posix' else 37, record)\n"
            "except OSError as problem: sys.exit(problem.errno)\n")

        def other(how, start=0):
            return subprocess.run([sys.executable, "-c", program, path, how, str(start)]).returncode

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

    def test_the_file_system_is_described(self):
        mounted, backing = os.statvfs(self.directory), os.statvfs(self.workspace.backing)
        for field in ("f_bsize", "f_frsize", "f_blocks", "f_files", "f_namemax"):
            self.assertEqual(getattr(mounted, field), getattr(backing, field), field)
        self.assertLess(abs(mounted.f_bavail - backing.f_bavail), mounted.f_blocks // 50)

    def test_extended_attributes_of_every_size(self):
        path = self.write(self.directory / "file", b"x")
        os.setxattr(path, "user.empty", b"")
        os.setxattr(path, b"user." + b"n" * 250, pattern(1_000))
        self.assertEqual(os.getxattr(path, "user.empty"), b"")
        self.assertEqual(os.getxattr(path, b"user." + b"n" * 250), pattern(1_000))
        for name, value, number in (
                (b"user." + b"n" * 251, b"", errno.ERANGE), (b"user.big", bytes(65_537), errno.E2BIG)):
            with self.refused(number):
                os.setxattr(path, name, value)
        room = ctypes.create_string_buffer(3)
        os.setxattr(path, "user.long", b"12345")
        libc = ctypes.CDLL(None, use_errno=True)
        self.assertEqual(libc.getxattr(os.fsencode(path), b"user.long", room, 3), -1)
        self.assertEqual(ctypes.get_errno(), errno.ERANGE)
