"""What the kernel's cache has taken has room on a full disk, and a file of which data was lost ends
where its data does. Root only, but for the limit on sizes."""
import errno
import os
import resource
import threading
import unittest

from disk_image import CACHED_MEBIBYTES, DiskCase
from filling import Gulp, Logger, Mapped, Stream, Wal, take_all_but
from tracing import recording
from workspace import Workspace, pattern, wait_until

NEEDS = ("e2fsprogs", "strace")
MIB = 1 << 20


class LargeStore(DiskCase):
    """So large that writes are cached."""

    mebibytes = CACHED_MEBIBYTES
    # ext4 keeps 16 MiB for itself.
    left = 36 * MIB

    def fill(self, *writers):
        """A foreign program takes the disk, and these find it full."""
        self.filler = take_all_but(self.left, self.disk.path / "filler")
        threads = [threading.Thread(target=writer.run) for writer in writers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(300)
            self.assertFalse(thread.is_alive(), "a writer hangs")

    def check(self, *writers):
        self.workspace.remount()
        for writer in writers:
            self.assertEqual(writer.lost(), 0, writer.path.name)
            self.assertIsNotNone(writer.told, f"{writer.path.name} was told nothing")
        self.workspace.ctl("verify", self.workspace.mount_point)


class Taken(LargeStore):
    def test_a_stream(self):
        stream = Stream(self.workspace.mount_point)
        self.fill(stream)
        self.assertEqual(stream.told.errno, errno.ENOSPC)
        self.check(stream)
        self.assertGreaterEqual(stream.acknowledged, 8 * MIB)

    def test_the_daemon_asks_its_own_mount_nothing(self):
        """The answer would come after all that the kernel writes back, and the writer, who is to be
        told, goes on meanwhile."""
        trace = self.workspace.root / "trace"
        stream = Stream(self.workspace.mount_point)
        with recording(self.workspace.daemon(), "statfs,fstatfs,fstat,newfstatat", trace,
                       "-P", self.workspace.mount_point):
            self.fill(stream)
        self.assertEqual(trace.read_text(), "")
        self.check(stream)

    def test_a_lock(self):
        """Which stores what the kernel holds before the keys go."""
        self.workspace.ctl("class", "--set", "A", self.workspace.mount_point)
        stream, logger = Stream(self.workspace.mount_point), Logger(self.workspace.mount_point)
        self.fill(stream, logger)
        self.workspace.lock()
        self.workspace.unlock()
        self.check(stream, logger)

    def test_eight_at_once(self):
        writers = [kind(self.workspace.mount_point, number)
                   for kind in (Stream, Logger, Wal, Mapped) for number in range(2)]
        self.fill(*writers)
        self.check(*writers)

    def test_beside_a_foreign_program_that_fills_the_disk(self):
        take_all_but(200 * MIB, self.disk.path / "filler")
        foreign = Stream(self.disk.path)
        writers = [kind(self.workspace.mount_point) for kind in (Stream, Wal, Logger)]
        threads = [threading.Thread(target=writer.run) for writer in (foreign, *writers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(300)
        self.check(*writers)

    def test_room_that_is_free_again_is_taken_again(self):
        stream = Stream(self.workspace.mount_point)
        path = self.workspace.path("open")
        with open(path, "wb", buffering=0) as old:
            old.write(b"before")
            self.fill(stream)
            self.filler.unlink()
            # Another writer that is told, and one that is not cached, are both content then.
            wait_until(lambda: self.writes(old), message="an open file stays refused")
            self.workspace.path("new").write_bytes(pattern(MIB))
        again = Stream(self.workspace.mount_point, 1)
        self.fill(again)
        self.check(stream, again)
        self.assertEqual(self.workspace.path("new").read_bytes(), pattern(MIB))

    def writes(self, file):
        try:
            return file.write(b"x")
        except OSError as problem:
            self.assertEqual(problem.errno, errno.ENOSPC)
            return 0

    def test_a_full_disk_can_be_changed_in_place_and_made_smaller(self):
        path = self.workspace.path("old")
        path.write_bytes(pattern(4 * MIB))
        self.fill(Stream(self.workspace.mount_point))
        with open(path, "r+b", buffering=0) as file:
            file.write(pattern(MIB, 1))
            os.fsync(file.fileno())
            file.truncate(2 * MIB)
        self.workspace.remount()
        self.assertEqual(path.read_bytes(), pattern(MIB, 1) + pattern(4 * MIB)[MIB:2 * MIB])


class AllAtOnce(LargeStore):
    """More than disk and reserve have, in one write(2)."""

    def test_the_file_ends_where_its_data_does(self):
        size = 2 * (self.left + self.reserve()) + 64 * MIB
        gulp = Gulp(self.workspace.mount_point, most=size)
        self.fill(gulp)
        self.assertEqual(gulp.told.errno, errno.ENOSPC)
        wait_until(lambda: gulp.path.stat().st_size < size, message="the size stays")
        length = gulp.path.stat().st_size
        with open(gulp.path, "rb") as file:
            self.assertTrue(file.read() == gulp.content(0, length))
        # `tail -c +N >>`, `rsync --append` and `curl -C -` go on there.
        self.filler.unlink()
        wait_until(lambda: self.appends(gulp.path, gulp.content(length, length + MIB)))
        self.workspace.remount()
        self.assertTrue(gulp.path.read_bytes() == gulp.content(0, length + MIB))

    def reserve(self):
        state = os.statvfs(self.disk.path)
        return (state.f_blocks - state.f_bfree) * state.f_frsize

    def appends(self, path, data):
        try:
            with open(path, "ab", buffering=0) as file:
                file.write(data)
                os.fsync(file.fileno())
        except OSError:
            return False
        return True


class SmallStore(DiskCase):
    """It has no room for a reserve: nothing is cached, and each write(2) is told."""

    mebibytes = 24

    def test_what_was_acknowledged_is_there(self):
        filler = take_all_but(6 * MIB, self.disk.path / "filler")
        writers = [Wal(self.workspace.mount_point), Logger(self.workspace.mount_point),
                   Stream(self.workspace.mount_point), Mapped(self.workspace.mount_point)]
        for writer in writers:
            writer.run()
        self.workspace.remount()
        # To read its log SQLite makes a file of its own.
        filler.unlink()
        for writer in writers:
            self.assertEqual(writer.lost(), 0, writer.path.name)
        self.assertIn("writes are not cached", self.workspace.daemon_log.read_text())


class LimitedSizes(unittest.TestCase):
    """A limit of the daemon's on the size of files stands for all that refuses what write(2) has
    taken, other than a full disk."""

    def mounted(self, *prefix):
        workspace = Workspace()
        self.addCleanup(workspace.close)
        workspace.init().mount(prefix=prefix)
        self.addCleanup(workspace.unmount)
        return workspace.register()

    def test_a_file_of_which_data_was_lost_ends_where_its_data_does(self):
        limit, data = 64 * MIB, pattern(16 * MIB)
        workspace, start = self.mounted(), limit - 8 * MIB
        path = workspace.path("file")
        # A daemon that starts with a limit has no writes cached.
        resource.prlimit(workspace.daemon(), resource.RLIMIT_FSIZE, (limit, limit))
        with open(path, "wb", buffering=0) as file:
            self.assertEqual(os.pwrite(file.fileno(), data, start), len(data))
            with self.assertRaises(OSError) as caught:
                os.fsync(file.fileno())
            self.assertEqual(caught.exception.errno, errno.EFBIG)
            wait_until(lambda: path.stat().st_size < limit, message="the size stays")
            with self.assertRaises(OSError) as caught:
                os.write(file.fileno(), b"told")
            self.assertEqual(caught.exception.errno, errno.EFBIG)
        size = path.stat().st_size
        self.assertGreater(size, start)
        with open(path, "rb") as file:
            file.seek(start)
            self.assertTrue(file.read() == data[:size - start])

    def test_a_daemon_that_starts_with_a_limit_tells_in_each_write(self):
        for limit in (8 * MIB, CACHED_MEBIBYTES * MIB):
            workspace = self.mounted("prlimit", f"--fsize={limit}:{limit}")
            # A sealed file is larger by a 128th.
            start, done = limit - limit // 64, 0
            with open(workspace.path("file"), "wb", buffering=0) as file:
                file.seek(start)
                with self.assertRaises(OSError) as caught:
                    while done < limit:
                        done += file.write(pattern(32 << 10, done))
                self.assertEqual(caught.exception.errno, errno.EFBIG)
            with open(workspace.path("file"), "rb") as file:
                file.seek(start)
                for offset in range(0, done, 32 << 10):
                    self.assertTrue(file.read(32 << 10) == pattern(32 << 10, offset))
