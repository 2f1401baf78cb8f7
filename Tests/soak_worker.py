"""One worker of soak.py: changes files below a directory in random ways, and knows what they must
hold.

    soak_worker.py DIRECTORY SHARED INDEX MODEL

DIRECTORY has a directory for each class. At the end, when everything is unlocked, it compares all
its files, writes what they hold into MODEL, for a comparison after a new mount, and prints its
figures.
"""
import collections
import contextlib
import ctypes
import errno
import json
import mmap
import os
import pathlib
import pickle
import random
import resource
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).with_name("Integration")))
from soak_model import File, Mismatch, name_of
from soak_shared import Shared
from running import call

LARGEST, MOST_FILES = 256 << 10, 25
KEEP_SIZE, PUNCH_HOLE, ZERO_RANGE = 1, 2, 16


class Refused(Exception):
    """By a lock, as it may be."""


class Worker:
    def __init__(self, directory, shared, index):
        self.directory, self.shared, self.index = directory, shared, index
        self.folders = {letter: letter for letter in "ABCD"}
        self.files = []
        self.done, self.refused = collections.Counter(), collections.Counter()
        self.number, self.action = 0, "start"

    # Helpers

    def path(self, name):
        return os.path.join(self.directory, name)

    def new_name(self):
        self.number += 1
        return os.path.join(random.choice(list(self.folders)), str(self.number))

    def data(self):
        self.number += 1
        text = b"%d.%08d " % (self.index, self.number)
        count = random.choice((1, 100, 4096, random.randrange(1, 30_000)))
        return (text * (count // len(text) + 1))[:count]

    @contextlib.contextmanager
    def may_be_refused(self, *files, by_handle=True, doubt=None):
        """ENOKEY is fine in here while somebody locks, if the class of one of the files closes. The
        last file may have been changed then as `doubt` says."""
        phase = self.shared.unlocked_phase()
        step = (
            f"{self.action} {'by handle' if by_handle else 'by name'} in phase "
            f"{self.shared.page.phase}")
        try:
            yield
            files[-1].history.append(step)
        except OSError as problem:
            files[-1].history.append(f"{step}: {name_of(problem.errno)}")
            if problem.errno != errno.ENOKEY:
                raise Mismatch(
                    f"{self.action}: {problem}: {files[-1].names}: "
                    f"{files[-1].story()}") from problem
            if not any(file.may_be_refused(by_handle) for file in files):
                raise Mismatch(
                    f"{files[-1].names} of class {files[-1].letter} was refused") from problem
            if phase is not None and phase == self.shared.unlocked_phase():
                raise Mismatch(f"{files[-1].names} was refused while it was unlocked") from problem
            files[-1].doubt = doubt or files[-1].doubt
            raise Refused from problem

    def open(self, file, flags=0):
        """A handle; an old one if there is one and no special flags are asked for."""
        if file.handles and not flags and random.random() < 0.7:
            return random.choice(file.handles)
        with self.may_be_refused(file, by_handle=False):
            handle = os.open(self.path(random.choice(file.names)), os.O_RDWR | flags)
        if flags or len(file.handles) > 2:
            self.close_later = handle
        else:
            file.handles.append(handle)
        return handle

    def file(self):
        """Some file of which it is known what it holds."""
        if len(self.files) < 3:
            self.create()
        file = random.choice(self.files)
        if file.doubt:
            self.look(file)
        return file

    def close_all(self, file):
        while file.handles:
            os.close(file.handles.pop())
        file.is_mixed = False

    # Content

    def create(self):
        if len(self.files) >= MOST_FILES:
            return self.unlink()
        name = self.new_name()
        file = File(self.folders[os.path.dirname(name)], name)
        try:
            # Class B needs the public key alone.
            with self.may_be_refused(file, by_handle=True):
                handle = os.open(self.path(name), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except Refused:
            if os.path.lexists(self.path(name)):
                raise Mismatch(f"{name} was refused and is there") from None
            raise
        file.handles.append(handle)
        self.files.append(file)
        self.put(file, handle, 0, self.data())

    def put(self, file, handle, start, data):
        with self.may_be_refused(file, doubt=(start, data)):
            written = os.pwrite(handle, data, start)
        file.write(start, data[:written])

    def write(self):
        file = self.file()
        start = random.randrange(min(len(file.content) + 20_000, LARGEST))
        self.put(file, self.open(file), start, self.data())

    def append(self):
        file = self.file()
        if len(file.content) < LARGEST:
            self.put(file, self.open(file, os.O_APPEND), len(file.content), self.data())

    def look(self, file=None):
        file = file or self.file_for_names()
        handle = self.open(file)
        with self.may_be_refused(file):
            size = os.fstat(handle).st_size
            found = b""
            while part := os.pread(handle, 1 << 20, len(found)):
                found += part
        if len(found) != size:
            raise Mismatch(f"{file.names}: {len(found)} bytes, and its size is {size}")
        file.settle(found)

    def truncate(self):
        file, size = self.file(), random.randrange(LARGEST)
        if random.random() < 0.5:
            with self.may_be_refused(file, by_handle=False):
                os.truncate(self.path(random.choice(file.names)), size)
        else:
            handle = self.open(file)
            with self.may_be_refused(file):
                os.ftruncate(handle, size)
        file.truncate(size)

    def truncate_on_open(self):
        file = self.file()
        self.open(file, os.O_TRUNC)
        file.truncate(0)

    def allocate(self):
        file = self.file()
        handle = self.open(file)
        mode = random.choice(
            (0, KEEP_SIZE, PUNCH_HOLE | KEEP_SIZE, ZERO_RANGE, ZERO_RANGE | KEEP_SIZE))
        start, count = random.randrange(LARGEST), random.randrange(1, 50_000)
        with self.may_be_refused(file):
            call("fallocate", handle, mode, ctypes.c_long(start), ctypes.c_long(count))
        if mode == 0:
            file.truncate(max(len(file.content), start + count))
        elif mode != KEEP_SIZE:
            file.zero(start, count, mode & KEEP_SIZE)

    def copy_range(self):
        source, target = self.file(), self.file()
        if source is target or source.doubt or not source.content:
            return
        start, end = sorted(random.randrange(len(source.content) + 1) for _ in range(2))
        place, data = random.randrange(LARGEST), bytes(source.content[start:end])
        one, two = self.open(source), self.open(target)
        with self.may_be_refused(source, target, doubt=(place, data)):
            copied = os.copy_file_range(one, two, end - start, start, place) if data else 0
        target.write(place, data[:copied])

    def sync(self):
        file = self.file()
        handle = self.open(file)
        with self.may_be_refused(file):
            random.choice((os.fsync, os.fdatasync))(handle)

    def map(self):
        """Reads and stores through a mapping, in a child that SIGBUS may end."""
        file = self.file()
        if not file.content:
            return
        handle, data = self.open(file), self.data()[: len(file.content)]
        start = random.randrange(len(file.content) - len(data) + 1)
        with self.may_be_refused(file, doubt=(start, data)):
            child = os.fork()
            if child == 0:
                store(handle, start, data, bytes(file.content[start : start + len(data)]))
            _, status = os.waitpid(child, 0)
            if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGBUS:
                raise OSError(errno.ENOKEY, "SIGBUS")
            if status == OTHER_CONTENT << 8:
                raise Mismatch(
                    f"{file.names}: other content in a mapping, at {start}, {len(data)} bytes")
            if status != 0:
                raise OSError(
                    os.waitstatus_to_exitcode(status),
                    f"in a mapping, {start} to {start + len(data)}")
        file.write(start, data)

    def close(self):
        self.close_all(self.file_for_names())

    # Names, attributes, classes: a lock is no excuse

    def rename(self):
        file, name = self.file_for_names(), self.new_name()
        if random.random() < 0.3:
            other = self.file_for_names()
            name = random.choice(other.names)
            if other is file:
                return
            self.forget_name(other, name)
        old = random.choice(file.names)
        os.rename(self.path(old), self.path(name))
        file.names[file.names.index(old)] = name

    def file_for_names(self):
        if not self.files:
            self.create()
        return random.choice(self.files)

    def forget_name(self, file, name):
        file.names.remove(name)
        if not file.names:
            self.close_all(file)
            self.files.remove(file)

    def link(self):
        file, name = self.file_for_names(), self.new_name()
        if len(file.names) < 4:
            os.link(self.path(random.choice(file.names)), self.path(name))
            file.names.append(name)

    def unlink(self):
        file = self.file_for_names()
        name = random.choice(file.names)
        os.unlink(self.path(name))
        self.forget_name(file, name)

    def make_directory(self):
        name = self.new_name()
        if len(self.folders) < 12:
            os.mkdir(self.path(name))
            self.folders[name] = self.folders[os.path.dirname(name)]

    def remove_directory(self):
        name = random.choice([name for name in self.folders if len(name) > 1] or [None])
        if name and not self.names_in(name):
            os.rmdir(self.path(name))
            del self.folders[name]

    def names_in(self, folder):
        names = [name for file in self.files for name in file.names] + list(self.folders)
        return sorted(os.path.basename(name) for name in names if os.path.dirname(name) == folder)

    def list_directory(self):
        folder = random.choice(list(self.folders))
        found, expected = sorted(os.listdir(self.path(folder))), self.names_in(folder)
        if found != expected:
            raise Mismatch(f"{folder} lists {found}, expected {expected}")

    def change_attributes(self):
        path = self.path(random.choice(self.file_for_names().names))
        os.chmod(path, 0o600 | random.randrange(0o100))
        os.utime(path, (1, random.randrange(1 << 30)))
        os.setxattr(path, "user.x", b"value")

    def status(self):
        file = self.file_for_names()
        status = os.stat(self.path(random.choice(file.names)))
        if (not file.doubt and status.st_size != len(file.content)) or status.st_nlink != len(
                file.names):
            raise Mismatch(
                f"{file.names}: size {status.st_size}, links {status.st_nlink}; expected "
                f"{len(file.content)}")

    def change_class(self):
        file, letter = self.file_for_names(), random.choice("ABCD")
        if random.random() < 0.9:  # it costs a process
            return
        result = subprocess.run(
            ["mamctl", "class", "--set", letter, self.path(file.names[0])], capture_output=True,
            text=True)
        if result.returncode == 5:
            raise Refused
        if result.returncode != 0:
            raise Mismatch(f"mamctl class --set {letter} {file.names[0]}: {result.stderr}")
        file.is_mixed = file.is_mixed or bool(file.handles)
        file.letter = letter

    # All of it

    ACTIONS = (
        [create, write, write, append, truncate, truncate_on_open, allocate, copy_range, map, map,
        sync, close]
        + [look] * 4
        + [rename, link, unlink, make_directory, remove_directory, list_directory,
        change_attributes, status, change_class])

    def step(self):
        action, self.close_later = random.choice(self.ACTIONS), None
        self.action = action.__name__
        try:
            action(self)
            self.done[self.action] += 1
        except Refused:
            self.refused[self.action] += 1
        except OSError as problem:
            raise Mismatch(f"{self.action}: {name_of(problem.errno)}: {problem}") from problem
        finally:
            if self.close_later is not None:
                os.close(self.close_later)
            self.shared.progressed(self.index)

    def run(self):
        self.create_first()
        while not self.shared.is_over():
            self.step()
        for file in self.files:
            self.look(file)

    def create_first(self):
        while not self.files:
            with contextlib.suppress(Refused):
                self.create()


OTHER_CONTENT = 254


def store(handle, start, data, expected):
    """In the child: compares, stores, sometimes syncs. Its exit status tells an errno."""
    status = errno.EPROTO
    try:
        with mmap.mmap(handle, 0) as mapping:
            status = 0 if mapping[start : start + len(data)] == expected else OTHER_CONTENT
            if status == 0:
                mapping[start : start + len(data)] = data
                if random.random() < 0.3:
                    mapping.flush()
    except OSError as problem:
        status = problem.errno
    except ValueError as problem:  # the file is empty, or shorter than it must be
        print(
            f"mapping {start} to {start + len(data)} of {os.fstat(handle).st_size} bytes: "
            f"{problem}", file=sys.stderr)
    finally:
        sys.stderr.flush()
        os._exit(status)


def main():
    directory, shared, index, model = sys.argv[1:]
    random.seed(os.environ.get("MAMD_SOAK_SEED"))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    worker = Worker(directory, Shared(shared), int(index))
    try:
        worker.run()
    except Mismatch as problem:
        sys.exit(f"worker {index}: {problem}")
    with open(model, "wb") as file:
        pickle.dump(
            {name: bytes(entry.content) for entry in worker.files for name in entry.names}, file)
    print(json.dumps({"done": worker.done, "refused": worker.refused}))


if __name__ == "__main__":
    main()
