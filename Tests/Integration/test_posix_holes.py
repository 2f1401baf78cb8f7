"""Data and holes: what SEEK_DATA and SEEK_HOLE tell, and that a program that believes them loses
nothing."""
import contextlib
import errno
import mmap
import os
import random
import signal
import subprocess
import threading

from posix_calls import PUNCH, allocate, link_open
from running import daemons, has_ended
from workspace import LONG, PERSONAL, WorkspaceCase, pattern, wait_until

TIB = 1 << 40


def data_of(descriptor):
    """The runs of data as (start, end)."""
    runs, offset, size = [], 0, os.fstat(descriptor).st_size
    while offset < size:
        try:
            start = os.lseek(descriptor, offset, os.SEEK_DATA)
        except OSError as problem:
            if problem.errno != errno.ENXIO:
                raise
            break
        offset = os.lseek(descriptor, start, os.SEEK_HOLE)
        assert start < offset <= size, (start, offset, size)
        runs.append((start, offset))
    return runs


class Holes(WorkspaceCase):
    def make(self, kind):
        """An empty file: encrypted, of an owner that is not managed, or none of ours."""
        path = self.directory / kind
        if kind == "managed":
            path.touch()
        elif kind == "unmanaged":
            self.workspace.write_as(PERSONAL, path, "")
        else:
            self.backing_of(path).write_bytes(b"foreign")
        return path

    def settled(self, path):
        """Opened to read, once the kernel has let go of all handles that may write."""
        descriptor = os.open(path, os.O_RDONLY)
        self.addCleanup(os.close, descriptor)
        wait_until(
            lambda: data_of(descriptor) != [(0, os.fstat(descriptor).st_size)],
            message="no hole is told of")
        return descriptor

    def test_holes_of_a_closed_file_are_told(self):
        for kind in ("managed", "unmanaged", "foreign"):
            path = self.make(kind)
            with open(path, "r+b") as file:
                for offset in (0, 1_000_000, 5_000_000):
                    file.seek(offset)
                    file.write(b"data" * 1_000)
                file.truncate(9_000_000)
            with self.subTest(kind):
                runs = data_of(self.settled(path))
                self.assertEqual(len(runs), 4 if kind == "managed" else 3, runs)
                for offset, (start, end) in zip((0, 1_000_000, 5_000_000), runs):
                    self.assertTrue(
                        offset - 8192 < start <= offset and offset + 4_000 <= end < offset + 16_384,
                        runs)
                expected = bytearray(9_000_000)
                for offset in (0, 1_000_000, 5_000_000):
                    expected[offset : offset + 4_000] = b"data" * 1_000
                self.assertEqual(path.read_bytes(), expected)

    def test_a_file_is_told_of_by_whatever_name_it_was_opened(self):
        """Or by none: while it can be written all of it is data, up to the size that the kernel
        knows."""
        one, two, three = (self.directory / name for name in ("one", "two", "three"))

        def check(descriptor):
            os.pwrite(descriptor, b"x", 99_999)
            self.assertEqual(data_of(descriptor), [(0, 100_000)])

        temporary = os.open(self.directory, os.O_TMPFILE | os.O_RDWR, 0o600)
        self.addCleanup(os.close, temporary)
        check(temporary)
        link_open(temporary, one)
        check(temporary)
        os.link(one, two)
        opened = os.open(two, os.O_RDWR)
        self.addCleanup(os.close, opened)
        two.unlink()
        check(opened)
        os.rename(one, three)
        check(opened)
        three.unlink()
        check(opened)

    def test_runs_begin_and_end_at_pages(self):
        for seed in range(20):
            rng, path = random.Random(seed), self.directory / f"pages-{seed}"
            with open(path, "w+b", buffering=0) as file:
                for _ in range(rng.randrange(1, 6)):
                    os.pwrite(
                        file.fileno(), b"x" * rng.randrange(1, 9_000), rng.randrange(40_000_000))
            size = path.stat().st_size
            for edge in {edge for run in data_of(self.settled(path)) for edge in run} - {size}:
                self.assertEqual(edge % 4096, 0, (seed, edge))

    def test_tar_finds_what_stands_behind_a_sparse_file(self):
        path, last = self.directory / "sparse", self.write(self.directory / "last", b"last")
        with open(path, "wb") as file:
            file.write(b"head")
            file.seek(30_000_000)
            file.write(b"tail")
        self.settled(path)
        for form in ("gnu", "posix"):
            archive, out = self.workspace.root / f"{form}.tar", self.workspace.root / form
            subprocess.run(
                ["tar", "-C", self.directory, "-S", "-H", form, "-cf", archive, path.name,
                 last.name], check=True)
            said = subprocess.run(["tar", "-tf", archive], capture_output=True, text=True)
            self.assertEqual(
                (said.returncode, said.stdout.split(), said.stderr),
                (0, [path.name, last.name], ""))
            self.assertLess(archive.stat().st_size, 1 << 20)
            out.mkdir()
            subprocess.run(["tar", "-C", out, "-xf", archive], check=True)
            self.assertEqual((out / path.name).read_bytes(), path.read_bytes())
            self.assertEqual((out / last.name).read_bytes(), b"last")

    def test_what_is_not_written_back_is_data(self):
        for kind in ("managed", "unmanaged", "foreign"):
            path = self.make(kind)
            with open(path, "r+b", buffering=0) as writer, open(path, "rb") as reader, self.subTest(
                    kind):
                os.pwrite(writer.fileno(), b"x" * 1_000, 3_000_000)
                self.assertEqual(data_of(reader.fileno()), [(0, 3_001_000)])
                self.assertEqual(data_of(writer.fileno()), [(0, 3_001_000)])
                with mmap.mmap(writer.fileno(), 0) as mapping:
                    mapping[1_000_000] = 65
                    self.assertEqual(data_of(reader.fileno()), [(0, 3_001_000)])

    def test_beyond_the_end(self):
        path = self.write(self.directory / "file", pattern(10_000))
        for flags in (os.O_RDONLY, os.O_RDWR):
            descriptor = os.open(path, flags)
            for whence in (os.SEEK_DATA, os.SEEK_HOLE):
                for offset in (10_000, 10_001, 1 << 50, -1):
                    with self.refused(errno.ENXIO):
                        os.lseek(descriptor, offset, whence)
                self.assertEqual(
                    os.lseek(descriptor, 9_999, whence),
                    9_999 if whence == os.SEEK_DATA else 10_000)
            os.close(descriptor)

    def test_copies_of_a_file_that_is_being_written_hold_what_was_written(self):
        path, copy = self.directory / "growing", self.workspace.root / "copy"
        with open(path, "wb", buffering=0) as writer:
            for number in range(40):
                writer.seek(number * 100_000)
                writer.write(bytes([number + 1]) * 30_000)
                subprocess.run(["cp", "--sparse=auto", path, copy], check=True)
                self.assertEqual(copy.stat().st_size, number * 100_000 + 30_000)
                data = copy.read_bytes()
                for past in range(number + 1):
                    self.assertEqual(
                        data[past * 100_000 : past * 100_000 + 30_000], bytes([past + 1]) * 30_000)

    def test_copies_right_after_the_last_writer_closed(self):
        path, copy = self.directory / "closed", self.workspace.root / "copied"
        for number in range(60):
            data = bytes(number * 7_000) + pattern(50_000, seed=number) + bytes(200_000)
            with open(path, "wb") as file:
                file.seek(number * 7_000)
                file.write(data[number * 7_000 : number * 7_000 + 50_000])
                file.truncate(len(data))
            subprocess.run(["cp", "--sparse=auto", path, copy], check=True)
            self.assertEqual(copy.read_bytes(), data, number)

    def test_any_changes(self):
        """Whatever was done to a file, no byte of it but a zero lies in a hole."""
        for seed in range(100 if LONG else 8):
            rng = random.Random(seed)
            path, model = self.directory / f"any-{seed}", bytearray()
            with open(path, "w+b", buffering=0) as file:
                for _ in range(30):
                    offset, count = rng.randrange(400_000), rng.randrange(1, 60_000)
                    self.change(
                        rng.choice(("write", "write", "punch", "truncate")), file.fileno(), model,
                        offset, count)
            descriptor = os.open(path, os.O_RDONLY)
            shown = bytearray(len(model))
            for start, end in data_of(descriptor):
                shown[start:end] = os.pread(descriptor, end - start, start)
            os.close(descriptor)
            self.assertEqual(shown, model, seed)

    def change(self, what, descriptor, model, offset, count):
        if what == "write":
            model.extend(bytes(max(0, offset + count - len(model))))
            model[offset : offset + count] = b"d" * count
            os.pwrite(descriptor, b"d" * count, offset)
        elif what == "punch":
            kept = max(0, min(count, len(model) - offset))
            model[offset : offset + kept] = bytes(kept)
            allocate(descriptor, PUNCH, offset, count)
        else:
            del model[offset:]
            model.extend(bytes(offset - len(model)))
            os.ftruncate(descriptor, offset)

    def test_many_ask_at_once(self):
        """More than the daemon has threads, on files that are being written: nobody waits for
        ever."""
        stop, failures = threading.Event(), []

        def ask(number):
            path = self.directory / f"busy-{number % 3}"
            try:
                with open(path, "r+b", buffering=0) as file:
                    while not stop.is_set():
                        os.pwrite(file.fileno(), b"y" * 10_000, random.randrange(1_000_000))
                        os.lseek(file.fileno(), 0, os.SEEK_HOLE)
                        os.lseek(file.fileno(), 0, os.SEEK_DATA)
            except OSError as problem:
                failures.append(problem)

        for number in range(3):
            (self.directory / f"busy-{number}").touch()
        threads = [
            threading.Thread(target=ask, args=(number,), daemon=True) for number in range(30)]
        for thread in threads:
            thread.start()
        stop.wait(20 if LONG else 2)
        stop.set()
        for thread in threads:
            thread.join(60)
        self.assertFalse(any(thread.is_alive() for thread in threads))
        self.assertEqual(failures, [])

    def test_asking_while_the_daemon_stops(self):
        path = self.write(self.directory / "file", pattern(10_000))
        pid = next(daemons(str(self.workspace.root)))

        descriptor = os.open(path, os.O_RDWR)

        def ask():
            with contextlib.suppress(OSError):
                while True:
                    os.lseek(descriptor, 0, os.SEEK_HOLE)

        threads = [threading.Thread(target=ask, daemon=True) for _ in range(20)]
        for thread in threads:
            thread.start()
        os.kill(pid, signal.SIGTERM)
        for thread in threads:
            thread.join(60)
        self.assertFalse(any(thread.is_alive() for thread in threads))
        with contextlib.suppress(OSError):
            os.close(descriptor)
        wait_until(lambda: has_ended(pid))
        self.assertNotRegex(
            self.workspace.daemon_log.read_text(errors="replace"), "(?i)fatal|crash|lost")
        self.workspace.mount().unlock()
        self.assertEqual(path.read_bytes(), pattern(10_000))

    def test_locked(self):
        path = self.write(self.directory / "file", pattern(10_000))
        for flags in (os.O_RDONLY, os.O_RDWR):
            descriptor = os.open(path, flags)
            self.addCleanup(os.close, descriptor)
            self.workspace.lock()
            try:
                with self.refused(errno.ENOKEY):
                    os.lseek(descriptor, 0, os.SEEK_DATA)
            finally:
                self.workspace.unlock()
            self.assertEqual(os.lseek(descriptor, 0, os.SEEK_HOLE), 10_000)

    def test_an_unlinked_file(self):
        path = self.directory / "file"
        with open(path, "w+b", buffering=0) as file:
            file.write(pattern(10_000))
            os.unlink(path)
            try:
                self.assertEqual(data_of(file.fileno()), [(0, 10_000)])
            except OSError as problem:
                # An ordinary user's daemon cannot look at it.
                self.assertEqual((problem.errno, os.getuid() != 0), (errno.EINVAL, True))

    def test_eight_tebibytes(self):
        for kind in ("managed", "unmanaged"):
            path = self.make(kind)
            with open(path, "r+b", buffering=0) as file:
                os.ftruncate(file.fileno(), 8 * TIB)
                os.pwrite(file.fileno(), b"end", 8 * TIB - 3)
                os.pwrite(file.fileno(), b"middle", 4 * TIB)
            descriptor = self.settled(path)
            runs = data_of(descriptor)
            self.assertEqual(os.fstat(descriptor).st_size, 8 * TIB)
            self.assertTrue(any(start <= 4 * TIB < end for start, end in runs), runs)
            self.assertEqual(runs[-1][1], 8 * TIB)
            for place in (8 * TIB - 2, 4 * TIB + 1):
                self.assertEqual(os.lseek(descriptor, place, os.SEEK_DATA), place)
            self.assertEqual(os.lseek(descriptor, 2 * TIB, os.SEEK_HOLE), 2 * TIB)
            self.assertLess(sum(end - start for start, end in runs), 100_000)
            self.assertEqual(os.pread(descriptor, 6, 4 * TIB), b"middle")
            self.assertEqual(os.pread(descriptor, 10, 8 * TIB - 3), b"end")
            self.assertEqual(os.pread(descriptor, 5_000, 2 * TIB), bytes(5_000))
            self.assertLess(path.stat().st_blocks * 512, 1 << 20)


class Damaged(WorkspaceCase):
    def test_a_lost_last_block_is_no_hole(self):
        path = self.directory / "file"
        with open(path, "wb") as file:
            file.write(b"data" * 1_000)
            file.seek(20_000_000)
            file.write(b"data" * 1_000)
        self.workspace.remount()
        # Opened before: afterwards it is refused.
        with open(path, "rb", buffering=0) as file:
            with open(self.backing_of(path), "r+b") as stored:
                size = os.fstat(stored.fileno()).st_size
                allocate(stored.fileno(), PUNCH, 4 * 4096, size)
            runs = data_of(file.fileno())
            self.assertEqual(runs[-1][1], 20_004_000, runs)
            with self.assertRaises(OSError) as caught:
                os.pread(file.fileno(), 1, runs[-1][0])
            self.assertEqual(caught.exception.errno, errno.EBADMSG)
