"""A real disk that is full: what was acknowledged stays, and there is a way on once something is
deleted. Root only."""
import errno
import os
import random
import threading

from disk_image import DiskCase
from workspace import ANN, pattern, wait_until

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO)


class Writer(threading.Thread):
    """Makes, appends to, overwrites and replaces files until the disk is full; knows what was
    synced."""

    def __init__(self, directory, seed):
        super().__init__()
        self.directory, self.random = directory, random.Random(seed)
        self.safe, self.doubtful = {}, {}
        self.refusals = 0
        self.problem = None

    def run(self):
        try:
            while self.refusals < 30:
                self.step()
        except Exception as problem:
            self.problem = problem

    def step(self):
        action = self.random.choice((self.append, self.overwrite, self.replace, None))
        try:
            if action and self.safe:
                action(self.random.choice(list(self.safe)))
            else:
                self.create(self.directory / f"{self.random.randrange(1 << 60)}")
        except OSError as problem:
            if problem.errno not in FULL:
                raise
            self.refusals += 1

    def change(self, path, content, offset, data, flags=0):
        """Synced: `content` is safe. Failed: it may be there, and any part of it."""
        self.doubtful[path] = self.doubtful.get(path, []) + [content]
        descriptor = os.open(path, os.O_RDWR | flags, 0o644)
        try:
            done = 0
            while done < len(data):
                done += os.pwrite(descriptor, data[done:], offset + done)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self.safe[path] = content
        self.doubtful.pop(path)

    def create(self, path):
        data = self.random.randbytes(self.random.randrange(1, 400_000))
        self.change(path, data, 0, data, os.O_CREAT | os.O_TRUNC)

    def append(self, path):
        old, data = self.safe[path], self.random.randbytes(self.random.randrange(1, 100_000))
        if path not in self.doubtful:
            self.change(path, old + data, len(old), data)

    def overwrite(self, path):
        old, data = self.safe[path], self.random.randbytes(4096)
        if path in self.doubtful or len(old) < len(data):
            return
        offset = self.random.randrange(len(old) - len(data) + 1)
        self.change(path, old[:offset] + data + old[offset + len(data):], offset, data)

    def replace(self, path):
        new = path.with_name(path.name + ".new")
        self.create(new)
        os.rename(new, path)
        self.safe[path] = self.safe.pop(new)
        self.doubtful.pop(path, None)

    def remove_some(self):
        for path in list(self.safe)[::2]:
            os.unlink(path)
            del self.safe[path]
            self.doubtful.pop(path, None)


class FullDisk(DiskCase):
    def prepare(self):
        self.workspace.environment["XDG_STATE_HOME"] = str(self.disk.path / "state")

    def setUp(self):
        super().setUp()
        self.writers = []
        for number in range(4):
            directory = self.workspace.path(str(number))
            directory.mkdir()
            self.writers.append(Writer(directory, number))

    def fill(self):
        for writer in self.writers:
            writer.start()
        for writer in self.writers:
            writer.join(400)
            self.assertFalse(writer.is_alive(), "a writer hangs")
            self.assertIsNone(writer.problem)

    def take_the_rest(self):
        """To the last block, which a file system keeps for root."""
        with open(self.disk.path / "rest", "wb", buffering=0) as file, self.assertRaises(OSError):
            while True:
                file.write(bytes(4096))

    def again(self):
        """Threads run once."""
        for number, old in enumerate(self.writers):
            new = self.writers[number] = Writer(old.directory, number + 100)
            new.safe, new.doubtful = old.safe, old.doubtful

    def check(self):
        """Every byte of what was synced, or of what was written over it and then failed."""
        self.assertGreater(sum(len(writer.safe) for writer in self.writers), 20)
        for writer in self.writers:
            for path, content in writer.safe.items():
                found = path.read_bytes()
                others = writer.doubtful.get(path, [])
                if not others:
                    self.assertEqual(len(found), len(content), path)
                    self.assertTrue(found == content, path)
                for start in range(0, len(content), 512):
                    part = slice(start, start + 512)
                    if found[part] != content[part]:
                        self.assertTrue(all(
                            byte in (old, *(other[start + at] for other in others))
                            for at, (byte, old) in enumerate(zip(found[part], content[part]))),
                            path)

    def test_nothing_acknowledged_is_lost(self):
        self.fill()
        self.check()
        for writer in self.writers:
            writer.remove_some()
        self.again()
        self.fill()
        self.check()
        self.take_the_rest()
        self.workspace.unmount()
        self.workspace.mount().unlock()
        self.check()
        self.workspace.ctl("verify", self.workspace.mount_point)
        # And there is a way on, once the blocks are free: the daemon closes a file a moment after
        # its last reader did.
        self.workspace.await_closed()
        for writer in self.writers:
            writer.remove_some()
        wait_until(lambda: os.statvfs(self.disk.path).f_bfree > 1000, message="nothing is free")
        for writer in self.writers:
            path = writer.directory / "last"
            path.write_bytes(b"works")
            self.assertEqual(path.read_bytes(), b"works")
        self.assertEqual(self.workspace.owner(path), ANN)


class Leftover(DiskCase):
    """What an append left that failed: a part of a block behind the end, where what grows the file
    would leave a hole."""

    mebibytes = 32

    def take_all_but(self, count, path):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
        offset, step = 0, 1 << 20
        while step >= 1024:
            try:
                os.posix_fallocate(descriptor, offset, step)
                offset += step
            except OSError:
                step //= 2
        os.ftruncate(descriptor, offset - count)
        os.fsync(descriptor)
        os.close(descriptor)

    def test_it_does_not_damage_the_file(self):
        for number, grow in enumerate((
                lambda file: os.ftruncate(file, 300_000),
                lambda file: os.posix_fallocate(file, 250_000, 50_000),
                lambda file: os.pwrite(file, b"far", 6_000_000))):
            path, old = self.workspace.path(f"{number}"), pattern(10_000, number)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
            os.write(descriptor, old)
            os.fsync(descriptor)
            filler = self.disk.path / "filler"
            # What was freed before counts only now.
            os.sync()
            self.take_all_but(40 << 10, filler)
            with self.assertRaises(OSError):
                # What goes to the store at once may be a part.
                done = 0
                while done < 1_000_000:
                    done += os.pwrite(descriptor, pattern(1_000_000)[done:], len(old) + done)
                os.fsync(descriptor)
            filler.unlink()
            os.sync()
            os.ftruncate(descriptor, len(old))
            grow(descriptor)
            os.fsync(descriptor)
            os.close(descriptor)
            self.workspace.remount()
            self.workspace.ctl("verify", path)
            data = path.read_bytes()
            self.assertEqual(data[:len(old)], old)
            self.assertEqual(data[len(old):].strip(b"\0"), b"far" if number == 2 else b"")
