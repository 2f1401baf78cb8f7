"""Random changes of a file that is converted to and fro, against a model; the daemon is killed."""
import contextlib
import ctypes
import mmap
import os
import random
import signal
import threading
import time
import unittest

from test_classes import OPEN_POLICY, set_policy
from running import has_ended
from workspace import ANN, DONE, LONG, PERSONAL, Workspace, WorkspaceCase, wait_until

ROUNDS = 60 if LONG else 3
LIMIT = 1 << 20
KEEP_SIZE, PUNCH_HOLE, ZERO_RANGE = 1, 2, 0x10
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.fallocate.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_long, ctypes.c_long)


def fallocate(file, mode, start, count):
    if LIBC.fallocate(file, mode, start, count) != 0:
        raise OSError(ctypes.get_errno(), "fallocate")


class Model:
    """What a file holds, and the changes that are made to both."""

    def __init__(self, path, seed):
        self.path, self.chance, self.data = path, random.Random(seed), bytearray()
        self.file = os.open(path, os.O_RDWR)

    def close(self):
        with contextlib.suppress(OSError):
            os.close(self.file)

    def place(self, limit):
        """Edges of blocks, most of the time."""
        edge = 3040 + 4064 * self.chance.randrange(120) + self.chance.choice((-1, 0, 1))
        return min(limit, self.chance.choice((edge, self.chance.randint(0, limit), 0, limit)))

    def resize(self, size):
        del self.data[size:]
        self.data += bytes(size - len(self.data))

    def put(self, at, new):
        self.resize(max(len(self.data), at + len(new)))
        self.data[at : at + len(new)] = new

    def step(self):
        start = self.place(min(LIMIT, len(self.data) + 9000))
        count = self.chance.choice((1, 100, 4064, 9000, 70_000))
        self.chance.choice((
            self.write, self.write, self.write, self.append, self.direct, self.mapped, self.cut,
            self.punch, self.zero, self.reserve, self.copy, self.sync, self.look))(start, count)

    def write(self, start, count):
        new = self.chance.randbytes(count)
        assert os.pwrite(self.file, new, start) == count
        self.put(start, new)

    def append(self, _, count):
        self.other(os.O_WRONLY | os.O_APPEND, os.write, len(self.data), count)

    def direct(self, start, count):
        self.other(
            os.O_WRONLY | os.O_DIRECT, lambda file, new: os.pwrite(file, new, start), start, count)

    def other(self, flags, write, start, count):
        new = self.chance.randbytes(count)
        file = os.open(self.path, flags)
        try:
            assert write(file, new) == count
        finally:
            os.close(file)
        self.put(start, new)

    def mapped(self, start, count):
        if start >= len(self.data):
            return
        new = self.chance.randbytes(min(count, len(self.data) - start))
        with mmap.mmap(self.file, len(self.data)) as pages:
            pages[start : start + len(new)] = new
        self.put(start, new)

    def cut(self, start, _):
        os.ftruncate(self.file, start)
        self.resize(start)

    def punch(self, start, count):
        fallocate(self.file, PUNCH_HOLE | KEEP_SIZE, start, count)
        self.clear(start, count)

    def zero(self, start, count):
        fallocate(self.file, ZERO_RANGE, start, count)
        self.resize(max(len(self.data), start + count))
        self.clear(start, count)

    def clear(self, start, count):
        end = min(len(self.data), start + count)
        if start < end:
            self.data[start:end] = bytes(end - start)

    def reserve(self, start, count):
        keeps = self.chance.choice((0, KEEP_SIZE))
        fallocate(self.file, keeps, start, count)
        if not keeps:
            self.resize(max(len(self.data), start + count))

    def copy(self, start, count):
        count = min(count, len(self.data) // 2)
        target = self.chance.randint(count, count + 20_000)
        if count:
            done = os.copy_file_range(self.file, self.file, count, 0, target)
            self.put(target, bytes(self.data[:done]))

    def sync(self, *_):
        os.fdatasync(self.file)

    def look(self, start, count):
        wanted = self.data[start : start + count]
        assert os.pread(self.file, count, start) == wanted, f"read at {start}"


class RandomChanges(WorkspaceCase):
    @classmethod
    def setUpClass(cls):
        cls.workspace = Workspace(settings={"MultiIdentity": True, **OPEN_POLICY}).init()
        set_policy(cls.workspace, "useDeviceSettings")
        cls.workspace.mount().register()

    def test_what_was_synced_is_there_after_a_kill_and_all_of_it_without_one(self):
        for seed in range(ROUNDS):
            with self.subTest(seed=seed):
                self.one_round(seed)

    def one_round(self, seed):
        path, stop, done = self.directory / f"file {seed}", threading.Event(), []
        self.write(path, b"")
        model = Model(path, seed)
        self.addCleanup(model.close)
        converter = threading.Thread(target=self.convert, args=(path, seed, stop, done))
        converter.start()
        try:
            # For about as long as some conversions take, here and now.
            start = time.monotonic()
            while time.monotonic() < start + (3 if LONG else 1.5) or (
                    len(done) < 3 and time.monotonic() < start + 90):
                model.step()
            os.fsync(model.file)
            if seed % 2 == 0:
                time.sleep(model.chance.uniform(0, 0.1))
                self.kill()
        finally:
            stop.set()
            converter.join()
        model.close()
        print(f"seed {seed}: {len(done)} conversions, {len(model.data)} bytes", flush=True)
        self.assertGreater(len(done), 1)
        if seed % 2 == 0:
            self.workspace.mount()
            self.workspace.unlock()
        self.check(path, model.data)
        self.workspace.remount()
        self.check(path, model.data)
        self.assertEqual(list(self.workspace.on_disk(".mamd", "work").iterdir()), [])

    def check(self, path, data):
        found = path.read_bytes()
        self.assertEqual(len(found), len(data))
        different = (at for at, byte in enumerate(data) if found[at] != byte)
        self.assertIsNone(next(different, None))

    def convert(self, path, seed, stop, done):
        """To the account, to laxer and stricter classes there, and away from it."""
        chance = random.Random(seed)
        while not stop.is_set():
            for words in chance.choice((
                    (("protect", path, "--owner", PERSONAL, "--unmanaged"),),
                    (("protect", path, "--owner", ANN),),
                    (("class", "--set", "D", path), ("class", "--set", "A", path)))):
                if self.workspace.ctl(*words, status=None).returncode == DONE:
                    done.append(words)

    def kill(self):
        daemon = self.workspace.daemon()
        os.kill(daemon, signal.SIGKILL)
        wait_until(lambda: has_ended(daemon), message="the daemon lives")


if __name__ == "__main__":
    unittest.main()
