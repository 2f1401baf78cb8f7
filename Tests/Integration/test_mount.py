"""The mount behaves as a file system: what programs do to a file."""
import ctypes
import errno
import mmap
import os
import pathlib
import stat
import time
import unittest

from running import call
from workspace import FIRST, PAYLOAD, WorkspaceCase, pattern


class Files(WorkspaceCase):
    def test_create_write_and_read_back(self):
        for size in (0, 1, FIRST, FIRST + 1, FIRST + PAYLOAD + 1, 300_000):
            path = self.write(self.directory / str(size), pattern(size))
            self.assertEqual(path.read_bytes(), pattern(size))
            self.assertEqual(path.stat().st_size, size)

    def test_create_refuses_an_existing_file_when_exclusive(self):
        path = self.write(self.directory / "file", b"here")
        with self.refused(errno.EEXIST):
            os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)

    def test_create_applies_mode_and_umask(self):
        old = os.umask(0o027)
        try:
            os.close(os.open(self.directory / "file", os.O_CREAT | os.O_WRONLY, 0o666))
            os.mkdir(self.directory / "folder", 0o777)
        finally:
            os.umask(old)
        self.assertEqual(stat.S_IMODE(os.stat(self.directory / "file").st_mode), 0o640)
        self.assertEqual(stat.S_IMODE(os.stat(self.directory / "folder").st_mode), 0o750)

    def test_write_at_any_offset_across_block_edges(self):
        expected = bytearray(pattern(40_000))
        path = self.write(self.directory / "file", expected)
        with open(path, "r+b", buffering=0) as file:
            for offset in (0, 1, FIRST - 1, FIRST, FIRST + 1, FIRST + PAYLOAD - 7, 20_000, 39_999):
                for length in (1, 2, 100, PAYLOAD, PAYLOAD + 1, 9_000):
                    data = pattern(length, seed=offset + length)
                    os.pwrite(file.fileno(), data, offset)
                    expected[offset : offset + length] = data
        self.assertEqual(path.read_bytes(), expected)
        self.workspace.remount()
        self.assertEqual(path.read_bytes(), expected)

    def test_append_goes_to_the_end_from_two_handles(self):
        path = self.directory / "log"
        with open(path, "ab", buffering=0) as one, open(path, "ab", buffering=0) as two:
            for number in range(200):
                (one if number % 2 else two).write(b"line %3d\n" % number)
        self.assertEqual(
            path.read_bytes(), b"".join(b"line %3d\n" % number for number in range(200)))

    def test_ftruncate_shrinks_and_grows_with_zeros(self):
        data = pattern(10_000)
        path = self.write(self.directory / "file", data)
        with open(path, "r+b", buffering=0) as file:
            for size in (9_999, 7_104, 7_103, 3_041, 3_040, 100, 0):
                os.ftruncate(file.fileno(), size)
                self.assertEqual(path.read_bytes(), data[:size])
            os.pwrite(file.fileno(), b"abc", 0)
            for size in (3, 100, 3_040, 3_041, 7_105, 50_000):
                os.ftruncate(file.fileno(), size)
                self.assertEqual(path.read_bytes(), b"abc" + bytes(size - 3))

    def test_truncate_then_grow_shows_no_old_bytes(self):
        path = self.write(self.directory / "file", b"s" * 20_000)
        os.truncate(path, 5_000)
        os.truncate(path, 20_000)
        self.assertEqual(path.read_bytes(), b"s" * 5_000 + bytes(15_000))

    def test_write_far_past_the_end_leaves_zeros(self):
        path = self.directory / "sparse"
        with open(path, "wb") as file:
            file.write(b"head")
            file.seek(1 << 20)
            file.write(b"tail")
        self.assertEqual(path.stat().st_size, (1 << 20) + 4)
        self.assertEqual(path.read_bytes(), b"head" + bytes((1 << 20) - 4) + b"tail")
        self.workspace.remount()
        self.assertEqual(path.read_bytes(), b"head" + bytes((1 << 20) - 4) + b"tail")

    def test_unlinked_open_file_lives_until_closed(self):
        path = self.directory / "file"
        with open(path, "w+b", buffering=0) as file:
            file.write(pattern(10_000))
            os.unlink(path)
            self.assertFalse(path.exists())
            file.write(b"more")
            self.assertEqual(os.pread(file.fileno(), 20_000, 0), pattern(10_000) + b"more")
            self.assertEqual(os.fstat(file.fileno()).st_nlink, 0)
        self.assertEqual(list(self.backing_of(self.directory).iterdir()), [])

    def test_shared_mapping_reaches_the_file(self):
        path = self.write(self.directory / "file", bytes(20_000))
        with open(path, "r+b") as file, mmap.mmap(file.fileno(), 20_000) as mapping:
            mapping[4_000:4_010] = b"0123456789"
            mapping[19_999:20_000] = b"!"
            mapping.flush()
        expected = bytes(4_000) + b"0123456789" + bytes(15_989) + b"!"
        self.assertEqual(path.read_bytes(), expected)
        self.workspace.remount()
        self.assertEqual(path.read_bytes(), expected)

    def test_mapping_and_read_agree(self):
        path = self.write(self.directory / "file", pattern(70_000))
        with open(path, "r+b", buffering=0) as file:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapping:
                self.assertEqual(mapping[:], pattern(70_000))
                os.pwrite(file.fileno(), b"changed", 50_000)
                self.assertEqual(mapping[50_000:50_007], b"changed")

    def test_copy_file_range(self):
        source = self.write(self.directory / "source", pattern(100_000))
        target = self.directory / "target"
        with open(source, "rb") as one, open(target, "wb") as two:
            done = 0
            while done < 90_000:
                done += os.copy_file_range(one.fileno(), two.fileno(), 90_000 - done)
        self.assertEqual(target.read_bytes(), pattern(100_000)[:90_000])

    def test_fallocate_grows_with_zeros(self):
        path = self.write(self.directory / "file", b"abc")
        with open(path, "r+b") as file:
            call("fallocate", file.fileno(), 0, ctypes.c_long(0), ctypes.c_long(30_000))
        self.assertEqual(path.read_bytes(), b"abc" + bytes(29_997))

    def test_fallocate_keeping_the_size_changes_nothing_or_is_refused(self):
        path = self.write(self.directory / "file", b"abc")
        with open(path, "r+b") as file:
            try:
                call("fallocate", file.fileno(), 1, ctypes.c_long(0), ctypes.c_long(30_000))
            except OSError as problem:
                self.assertEqual(problem.errno, errno.EOPNOTSUPP)
        self.assertEqual(path.read_bytes(), b"abc")

    def test_punched_hole_reads_as_zeros_or_is_refused(self):
        path = self.write(self.directory / "file", pattern(50_000))
        expected = bytearray(pattern(50_000))
        with open(path, "r+b") as file:
            try:
                call("fallocate", file.fileno(), 3, ctypes.c_long(5_000), ctypes.c_long(30_000))
                expected[5_000:35_000] = bytes(30_000)
            except OSError as problem:
                self.assertEqual(problem.errno, errno.EOPNOTSUPP)
        self.assertEqual(path.read_bytes(), expected)

    def test_lseek_finds_data_and_the_hole_at_the_end(self):
        path = self.write(self.directory / "file", pattern(20_000))
        with open(path, "rb") as file:
            self.assertEqual(os.lseek(file.fileno(), 0, os.SEEK_DATA), 0)
            self.assertEqual(os.lseek(file.fileno(), 0, os.SEEK_HOLE), 20_000)
            with self.refused(errno.ENXIO):
                os.lseek(file.fileno(), 20_000, os.SEEK_DATA)

    def test_lseek_never_calls_data_a_hole(self):
        path = self.directory / "file"
        with open(path, "wb") as file:
            file.seek(500_000)
            file.write(b"x" * 5_000)
            file.truncate(1_000_000)
        with open(path, "rb") as file:
            self.assertLessEqual(os.lseek(file.fileno(), 0, os.SEEK_DATA), 500_000)
            self.assertGreaterEqual(os.lseek(file.fileno(), 500_000, os.SEEK_HOLE), 505_000)

    @unittest.skipUnless(os.getuid() == 0, "only root may set it")
    def test_reads_ahead_by_a_request_for_each_processor(self):
        device = os.stat(self.workspace.mount_point).st_dev
        setting = pathlib.Path(
            f"/sys/class/bdi/{os.major(device)}:{os.minor(device)}/read_ahead_kb")
        os.listdir(self.workspace.mount_point)
        self.assertEqual(int(setting.read_text()), 1024 * min(4, os.cpu_count()))

    def test_fsync_and_fdatasync(self):
        with open(self.directory / "file", "wb", buffering=0) as file:
            file.write(b"data")
            os.fsync(file.fileno())
            os.fdatasync(file.fileno())
        directory = os.open(self.directory, os.O_DIRECTORY)
        os.fsync(directory)
        os.close(directory)

    def test_utimes_to_the_nanosecond(self):
        path = self.write(self.directory / "file", b"x")
        os.utime(path, ns=(1_000_000_001, 1_600_000_000_123_456_789))
        status = path.stat()
        self.assertEqual(
            (status.st_atime_ns, status.st_mtime_ns), (1_000_000_001, 1_600_000_000_123_456_789))

    def test_reading_moves_the_access_time_when_the_file_system_below_would(self):
        """By the rules of the mount below: with relatime once after each change."""
        below = self.workspace.backing.parent / "below"
        below.write_bytes(b"x")
        self.addCleanup(below.unlink)
        files = (self.write(self.directory / "file", b"x"), below)

        def moved(change):
            change()
            time.sleep(0.02)
            before = [path.stat().st_atime_ns for path in files]
            for path in files:
                path.read_bytes()
            return [path.stat().st_atime_ns != was for path, was in zip(files, before)]

        def each(change):
            return lambda: [change(path) for path in files]

        steps = {
            "made": lambda: None, "read": lambda: None, "read again": lambda: None,
            "written": each(lambda path: path.write_bytes(b"y")), "read after that": lambda: None,
            "another mode": each(lambda path: path.chmod(0o640)),
            "read after the mode": lambda: None,
        }
        for name, change in steps.items():
            ours, theirs = moved(change)
            self.assertEqual(ours, theirs, name)

    def test_writing_moves_the_modification_time(self):
        path = self.write(self.directory / "file", b"x")
        os.utime(path, (1, 1))
        with open(path, "ab") as file:
            file.write(b"y")
        self.assertGreater(path.stat().st_mtime, 1_000_000)

    def test_a_new_file_keeps_its_time_when_the_kernel_has_forgotten_it(self):
        """The header that the daemon writes is no change of the file's; what a program writes is
        one."""
        def made(name, action=lambda file: None):
            path = self.directory / name
            with open(path, "xb", buffering=0) as file:
                first = os.fstat(file.fileno()).st_mtime_ns
                time.sleep(0.02)
                action(file)
            return path, first, path.stat().st_mtime_ns

        def renamed_while_open(file):
            os.rename(file.name, file.name + "-2")
            os.rename(file.name + "-2", file.name)

        def mapped(file):
            os.truncate(file.name, 4096)
            # Within one step of its clock the kernel takes the time for unchanged.
            time.sleep(0.02)
            descriptor = os.open(file.name, os.O_RDWR)
            with mmap.mmap(descriptor, 4096) as memory:
                os.close(descriptor)
                memory[0] = 1

        changes = {
            "written": lambda file: file.write(b"x"),
            "synced": lambda file: (file.write(b"x"), os.fsync(file.fileno())),
            "cut": lambda file: os.ftruncate(file.fileno(), 5000), "mapped": mapped,
            "allocated": lambda file: os.posix_fallocate(file.fileno(), 0, 5000),
            "told": lambda file: os.utime(file.fileno(), ns=(5, 6)),
        }
        kept = {
            "empty": lambda file: None, "renamed": renamed_while_open,
            "mode": lambda file: os.fchmod(file.fileno(), 0o600),
            "read": lambda file: os.close(os.open(file.name, os.O_RDONLY)),
            "access": lambda file: os.utime(
                file.fileno(), ns=(5, os.fstat(file.fileno()).st_mtime_ns)),
        }
        files = {name: made(name, action) for name, action in (changes | kept).items()}
        os.mknod(self.directory / "node", 0o600 | stat.S_IFREG)
        files["node"] = self.directory / "node", *[(self.directory / "node").stat().st_mtime_ns] * 2
        for name, (_, first, last) in files.items():
            (self.assertNotEqual if name in changes else self.assertEqual)(first, last, name)
        self.workspace.remount()
        for name, (path, _, last) in files.items():
            self.assertEqual(path.stat().st_mtime_ns, last, name)

    def test_the_time_of_a_removed_file_is_told_while_somebody_has_it(self):
        path = self.write(self.directory / "file", b"x")
        holder = os.open(path, os.O_PATH)
        try:
            path.unlink()
            for when in (1_000, 2_000):
                os.utime(f"/proc/self/fd/{holder}", ns=(when, when))
                found = os.stat(f"/proc/self/fd/{holder}")
                self.assertEqual((found.st_atime_ns, found.st_mtime_ns), (when, when))
        finally:
            os.close(holder)

    def test_a_second_name_shows_the_time_that_is_set_after_the_first_is_gone(self):
        path = self.write(self.directory / "file", b"x")
        other = self.directory / "other"
        os.link(path, other)
        path.unlink()
        # The time of the last change alone, as the kernel tells it of a removed file.
        omit = (1 << 30) - 2
        times = (ctypes.c_long * 4)(0, omit, 0, 6)
        call("utimensat", ctypes.c_int(-100), os.fsencode(other), times, ctypes.c_int(0))
        self.workspace.remount()
        self.assertEqual(other.stat().st_mtime_ns, 6)

    def test_chmod_keeps_the_content(self):
        path = self.write(self.directory / "file", b"content")
        path.chmod(0o600)
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        self.assertEqual(path.read_bytes(), b"content")

    def test_a_file_without_write_permission_can_be_created_and_written(self):
        # The mode counts for later opens, not for the handle that created it.
        handle = os.open(self.directory / "file", os.O_CREAT | os.O_WRONLY, 0o400)
        os.write(handle, pattern(10_000))
        os.close(handle)
        self.assertEqual((self.directory / "file").read_bytes(), pattern(10_000))

    @unittest.skipUnless(os.getuid() == 0, "chown needs root")
    def test_chown(self):
        path = self.write(self.directory / "file", b"content")
        os.chown(path, 65534, 65534)
        self.assertEqual((path.stat().st_uid, path.stat().st_gid), (65534, 65534))
        self.assertEqual(path.read_bytes(), b"content")

    def test_statfs(self):
        answer = os.statvfs(self.directory)
        self.assertGreater(answer.f_blocks, 0)
        self.assertGreaterEqual(answer.f_namemax, 255)

    def test_flock_excludes_a_second_handle(self):
        import fcntl

        path = self.write(self.directory / "file", b"x")
        with open(path, "r+b") as one, open(path, "r+b") as two:
            fcntl.flock(one, fcntl.LOCK_EX)
            with self.refused(errno.EAGAIN):
                fcntl.flock(two, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def test_two_writers_of_different_parts(self):
        import threading

        path = self.write(self.directory / "file", bytes(400_000))

        def fill(number):
            with open(path, "r+b", buffering=0) as file:
                for offset in range(number * 1_000, 400_000, 4_000):
                    os.pwrite(file.fileno(), bytes([number + 1]) * 1_000, offset)

        threads = [threading.Thread(target=fill, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        expected = b"".join(bytes([number + 1]) * 1_000 for number in range(4)) * 100
        self.assertEqual(path.read_bytes(), expected)
        self.workspace.remount()
        self.assertEqual(path.read_bytes(), expected)
