"""Random changes to files through a mount, each a step that the model and the recorder know."""
import contextlib
import ctypes
import mmap
import os
import random

from model import PAGE
from running import call

KEEP_SIZE, PUNCH_HOLE = 1, 2
LARGEST = 200_000
# Beyond what mamd fills with sealed zeros.
FAR = 5 << 20


class Workload:
    """`program` has the mount; `model` and `recorder` are told everything."""

    ACTIONS = {
        "create": 6, "overwrite": 14, "append": 8, "write_synchronously": 5, "store": 5,
        "truncate": 7, "punch": 4,
        "write_far": 1, "replace": 8, "rename": 3, "unlink": 2, "make_directory": 2, "sync": 10,
        "sync_directory": 5,
        "close": 6}
    MOST_FILES = 10

    def __init__(self, program, model, recorder, seed):
        self.program, self.model, self.recorder = program, model, recorder
        self.random = random.Random(seed)
        self.directories, self.open_files = [""], {}
        self.number = 0
        # Some programs sync often, and some never do.
        self.sync_chance = self.random.choice((0.02, 0.1, 0.3))

    def run(self, steps):
        actions, weights = zip(*self.ACTIONS.items())
        while self.model.step < steps:
            action = self.random.choices(actions, weights)[0]
            if not action.startswith("sync") or self.random.random() < 3 * self.sync_chance:
                getattr(self, action)()

    def finish(self):
        for descriptor in self.open_files.values():
            os.close(descriptor)

    @contextlib.contextmanager
    def step(self):
        self.model.step += 1
        self.recorder.mark(f"b {self.model.step}")
        yield self.model.step
        self.recorder.mark(f"e {self.model.step}")

    # Choices

    def files(self):
        return [node for node in self.model.live.values() if not node.is_directory]

    def pick(self):
        """A file; made if there is none."""
        return self.random.choice(self.files()) if self.files() else self.create()

    def data(self, most=20_000):
        """Bytes that are nowhere else, and no block of them is like another one."""
        count = self.random.choice((1, 100, PAGE, self.random.randrange(1, most)))
        return self.random.randbytes(count)

    def new_path(self):
        self.number += 1
        return f"{self.random.choice(self.directories)}/f{self.number}"

    def at(self, path):
        return f"{self.program.mount}{path}"

    def descriptor(self, node):
        if node not in self.open_files:
            self.open_files[node] = os.open(self.at(node.path), os.O_RDWR)
        return self.open_files[node]

    def maybe_sync(self, node):
        if self.random.random() < self.sync_chance:
            self.sync(node)

    def drop(self, node):
        """Closes a file; what is written to it is sent by the kernel then."""
        with contextlib.suppress(KeyError):
            os.close(self.open_files.pop(node))

    # Actions: content

    def create(self, path=None):
        path = path or self.new_path()
        if len(self.files()) >= self.MOST_FILES:
            self.unlink()
        with self.step():
            node = self.model.create(path)
            self.open_files[node] = os.open(
                self.at(path), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
        self.label(node)
        self.put(node, 0, self.data())
        self.maybe_sync(node)
        return node

    def label(self, node):
        """For programs that say more of a file than its content."""

    def put(self, node, offset, data):
        with self.step() as step:
            node.write(step, offset, data)
            os.pwrite(self.descriptor(node), data, offset)

    def overwrite(self):
        node = self.pick()
        pages = max(1, node.size // PAGE)
        for _ in range(self.random.randrange(1, 5)):
            if self.random.random() < 0.7:
                self.put(node, self.random.randrange(pages) * PAGE, self.random.randbytes(PAGE))
            else:
                self.put(node, self.random.randrange(max(1, min(node.size, LARGEST))), self.data())
        self.maybe_sync(node)

    def append(self):
        node = self.pick()
        if node.size < LARGEST:
            self.put(node, node.size, self.data())
            self.maybe_sync(node)

    def write_synchronously(self):
        node = self.pick()
        offset, data = self.random.randrange(min(node.size, LARGEST) + 1), self.data()
        flag = self.random.choice((os.O_SYNC, os.O_DSYNC))
        with self.step() as step:
            node.write(step, offset, data)
            self.model.synced(
                node, set(range(offset // PAGE, (offset + len(data) - 1) // PAGE + 1)),
                with_name=flag == os.O_SYNC)
            descriptor = os.open(self.at(node.path), os.O_WRONLY | flag)
            os.pwrite(descriptor, data, offset)
            os.close(descriptor)

    def store(self):
        """Into a mapping, one page at a time."""
        node = self.pick()
        if node.size < PAGE:
            return
        number = self.random.randrange(min(node.size, LARGEST) // PAGE)
        data = self.random.randbytes(PAGE)
        with self.step() as step:
            node.write(step, number * PAGE, data)
            with mmap.mmap(self.descriptor(node), PAGE, offset=number * PAGE) as memory:
                memory[:] = data
                if self.random.random() < 0.5:
                    memory.flush()
                    self.model.synced(node, {number})

    def truncate(self):
        node = self.pick()
        size = self.random.choice(
            (0, self.random.randrange(node.size + 1), min(node.size, LARGEST) + 30_000))
        with self.step() as step:
            node.truncate(step, size)
            if self.random.random() < 0.5:
                os.ftruncate(self.descriptor(node), size)
            else:
                os.truncate(self.at(node.path), size)
        self.maybe_sync(node)

    def punch(self):
        node = self.pick()
        start = self.random.randrange(min(node.size, LARGEST) + 1)
        count = self.random.randrange(1, 40_000)
        with self.step() as step:
            node.zero(step, start, min(start + count, node.size))
            self.program.punch(self.descriptor(node), start, count)
        self.maybe_sync(node)

    def write_far(self):
        node = self.pick()
        if node.size < FAR:
            self.put(node, FAR + self.random.randrange(PAGE), self.data())
            self.maybe_sync(node)

    # Actions: names

    def replace(self):
        """As an editor saves: a new file, synced, renamed over the old one."""
        old = self.pick()
        path = old.path
        with self.step() as step:
            new = self.model.create(path + ".new")
            new.write(step, 0, self.data(60_000))
            descriptor = os.open(self.at(path + ".new"), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
            os.pwrite(
                descriptor,
                b"".join(new.page(number) for number in range(new.size // PAGE + 1))[: new.size], 0)
        self.label(new)
        self.open_files[new] = descriptor
        if self.random.random() < 0.8:
            self.sync(new)
        self.drop(new)
        self.drop(old)
        with self.step():
            self.model.rename(path + ".new", path)
            os.rename(self.at(path + ".new"), self.at(path))
        if self.random.random() < 0.5:
            self.sync_directory(path.rpartition("/")[0])

    def rename(self):
        node, path = self.pick(), self.new_path()
        with self.step():
            old = node.path
            self.model.rename(old, path)
            os.rename(self.at(old), self.at(path))

    def unlink(self):
        node = self.pick()
        self.drop(node)
        with self.step():
            path = node.path
            self.model.bind(path, None)
            os.unlink(self.at(path))

    def make_directory(self):
        if len(self.directories) > 3:
            return
        path = f"/d{len(self.directories)}"
        with self.step():
            self.model.create(path, is_directory=True)
            os.mkdir(self.at(path))
        self.directories.append(path)
        self.sync_directory("")

    # Actions: syncs

    def sync(self, node=None):
        node = node or self.pick()
        with self.step():
            call = self.random.choice((os.fsync, os.fdatasync))
            self.model.synced(node, with_name=call is os.fsync)
            call(self.descriptor(node))

    def sync_directory(self, path=None):
        path = self.random.choice(self.directories) if path is None else path
        with self.step():
            self.model.synced_directory(path)
            descriptor = os.open(self.at(path) or "/", os.O_RDONLY | os.O_DIRECTORY)
            os.fsync(descriptor)
            os.close(descriptor)

    def close(self):
        if self.open_files:
            self.drop(self.random.choice(list(self.open_files)))


def punch(descriptor, start, count):
    call(
        "fallocate", descriptor, KEEP_SIZE | PUNCH_HOLE, ctypes.c_long(start), ctypes.c_long(count))


def punch_is_zeros(descriptor, start, count):
    """For programs without holes: zeros are written."""
    end = min(start + count, os.fstat(descriptor).st_size)
    if start < end:
        os.pwrite(descriptor, bytes(end - start), start)
