"""One of many that work on the same files: writers, readers, truncaters, renamers. Started by
soak.py.

    soak_crowd.py DIRECTORY BOOKS SHARED INDEX

DIRECTORY has a directory for each class, with files `0`, `1`, … that are always there, though not
always the same ones: they are exchanged, and new ones are renamed over them, while others have them
open. BOOKS has a history of each file (soak_history.py); a file's name there is its attribute
`user.soak`.
"""
import collections
import contextlib
import ctypes
import errno
import json
import os
import pathlib
import random
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).with_name("Integration")))
from soak_history import History, content
from soak_model import Mismatch, name_of
from soak_shared import Shared
from running import call

LARGEST, MOST_HANDLES, NAMES, LETTERS = 64 << 10, 6, 2, "ABD"
KEEP_SIZE_AND_PUNCH, EXCHANGE, HERE = 3, 2, -100


class Refused(Exception):
    """By a lock, as it may be."""


class Handle:
    def __init__(self, number, letter, history):
        self.number, self.letter, self.history = number, letter, history

    def close(self):
        os.close(self.number)


class Crowd:
    def __init__(self, directory, books, shared, index):
        self.directory, self.books, self.shared, self.index = directory, books, shared, index
        self.handles, self.links = [], []
        self.done, self.refused = collections.Counter(), collections.Counter()
        self.number = 0

    # Helpers

    def next(self):
        self.number += 1
        return self.number

    def name(self, letter=None):
        return os.path.join(
            self.directory, letter or random.choice(LETTERS), str(random.randrange(NAMES)))

    @contextlib.contextmanager
    def may_be_refused(self, letter, by_handle):
        phase = self.shared.unlocked_phase()
        try:
            yield
        except OSError as problem:
            if problem.errno != errno.ENOKEY:
                raise Mismatch(f"class {letter}: {problem}") from problem
            if letter == "D" or (letter == "B" and by_handle):
                raise Mismatch(f"class {letter} was refused") from problem
            if phase is not None and phase == self.shared.unlocked_phase():
                raise Mismatch(f"class {letter} was refused while it was unlocked") from problem
            raise Refused from problem

    def open(self, path, flags=0):
        """By a name that is always there; nobody may find it missing while it is exchanged or
        replaced."""
        letter = os.path.basename(os.path.dirname(path))
        with self.may_be_refused(letter, False):
            number = os.open(path, os.O_RDWR | flags)
        return Handle(
            number, letter, History(self.books, os.getxattr(number, "user.soak").decode()))

    def handle(self):
        """An old one more often than not: of a file that may have no name any more."""
        if len(self.handles) < 2 or (len(self.handles) < MOST_HANDLES and random.random() < 0.1):
            self.handles.append(self.open(self.name()))
        return random.choice(self.handles)

    def change(self, handle, kind, place, count, make):
        """Makes one change, with its lines in the book around it."""
        number = self.next()
        seed = self.index << 32 | number
        with handle.history.taking_part():
            with handle.history.change(
                    f"{self.index}.{number}", kind, place, count, seed) as result:
                with self.may_be_refused(handle.letter, True):
                    make(content(seed, count) if kind in "wa" else None, result)

    # Content

    def write(self):
        handle, place = self.handle(), random.randrange(LARGEST)
        count = random.choice((1, 100, 4064, 4096, random.randrange(1, 12_000)))

        def make(data, result):
            result["count"] = os.pwrite(handle.number, data, place)

        self.change(handle, "w", place, count, make)

    def append(self):
        handle = self.open(self.name(), os.O_APPEND)

        def make(data, result):
            result["count"] = os.write(handle.number, data)
            result["place"] = os.lseek(handle.number, 0, os.SEEK_CUR) - result["count"]

        try:
            if os.fstat(handle.number).st_size < LARGEST:
                self.change(handle, "a", None, random.randrange(1, 5000), make)
        finally:
            handle.close()

    def truncate(self):
        handle, size = self.handle(), random.choice(
            (0, random.randrange(LARGEST), random.randrange(LARGEST)))
        self.change(handle, "t", size, 0, lambda *_: os.ftruncate(handle.number, size))

    def punch(self):
        handle, place, count = self.handle(), random.randrange(LARGEST), random.randrange(1, 20_000)
        self.change(handle, "z", place, count, lambda *_: call(
            "fallocate", handle.number, KEEP_SIZE_AND_PUNCH, ctypes.c_long(place),
            ctypes.c_long(count)))

    def read(self):
        handle, place, count = self.handle(), random.randrange(LARGEST), random.randrange(
            1, LARGEST)
        with handle.history.taking_part():
            with self.may_be_refused(handle.letter, True):
                begin = time.monotonic_ns()
                found = os.pread(handle.number, count, place)
                end = time.monotonic_ns()
            handle.history.check_read(found, place, begin, end)

    def sync(self):
        handle = self.handle()
        with self.may_be_refused(handle.letter, True):
            random.choice((os.fsync, os.fdatasync))(handle.number)

    def check(self, handle=None):
        """Alone: nobody changes the file meanwhile, and all of it is compared."""
        handle = handle or self.handle()
        with handle.history.taking_part(alone=True):
            with self.may_be_refused(handle.letter, True):
                found = b""
                # short, where a lock came between
                while part := os.pread(handle.number, 1 << 20, len(found)):
                    found += part
                size = os.fstat(handle.number).st_size
            if size != len(found):
                raise Mismatch(f"{len(found)} bytes, and the size is {size}")
            handle.history.check_all(found)

    # Names: a lock is no excuse

    def exchange(self):
        letter = random.choice(LETTERS)
        one, two = self.name(letter), self.name(letter)
        if one != two:
            call("renameat2", HERE, one.encode(), HERE, two.encode(), EXCHANGE)

    def replace(self):
        """A new file, written, renamed over one that others may have open."""
        path = self.name()
        letter, new = os.path.basename(os.path.dirname(path)), f"{path}.{self.index}.new"
        with self.may_be_refused(letter, letter == "B"):  # class B needs the public key alone
            number = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        name = f"{self.index}.{self.next()}"
        os.setxattr(number, "user.soak", name.encode())
        handle = Handle(number, letter, History.begin(self.books, name))
        self.handles.append(handle)
        os.rename(new, path)

    def link(self):
        path = self.name()
        name = f"{path}.{self.index}.{self.next()}"
        try:
            os.link(path, name)
        except FileNotFoundError:
            return  # replaced between the kernel's look-up and its link: any file system says that
        self.links.append(name)
        if len(self.links) > 3:
            self.open(name).close()
            os.unlink(self.links.pop(0))

    def status(self):
        os.stat(self.name())

    def close(self):
        if self.handles:
            self.handles.pop(random.randrange(len(self.handles))).close()

    # All of it

    ACTIONS = (
        [write] * 6 + [append, truncate, punch] * 2 + [read] * 6
        + [sync, check, exchange, replace, link, status, close])

    def step(self):
        action = random.choice(self.ACTIONS)
        try:
            action(self)
            self.done[f"crowd {action.__name__}"] += 1
        except Refused:
            self.refused[f"crowd {action.__name__}"] += 1
        except OSError as problem:
            raise Mismatch(f"{action.__name__}: {name_of(problem.errno)}: {problem}") from problem
        except Mismatch as problem:
            raise Mismatch(f"{action.__name__}: {problem}") from problem
        finally:
            while len(self.handles) > MOST_HANDLES:
                self.handles.pop(0).close()
            self.shared.progressed(self.index)

    def run(self):
        while not self.shared.is_over():
            self.step()
        for handle in self.handles:  # those without a name too: nobody sees them again
            self.check(handle)
        for name in self.links:
            os.unlink(name)


def create(directory, books):
    """The files that are always there; called once, by soak.py."""
    books.mkdir()
    for letter in LETTERS:
        for number in range(NAMES):
            name = f"{letter}{number}"
            path = directory / letter / str(number)
            path.touch()
            os.setxattr(path, "user.soak", name.encode())
            History.begin(books, name)


def compare_all(directory, books):
    """After a new mount, when all have ended: what is there is what each history knows. Returns
    what is wrong."""
    problems, seen = [], set()
    for letter in LETTERS:
        names = sorted(os.listdir(directory / letter))
        if names != [str(number) for number in range(NAMES)]:
            problems.append(f"{directory / letter}: {names}")
        for name in names:
            path = directory / letter / name
            own = os.getxattr(path, "user.soak").decode()
            try:
                if own in seen:
                    raise Mismatch("it is there twice")
                seen.add(own)
                History(books, own).check_all(path.read_bytes())
            except Mismatch as problem:
                problems.append(f"{path}, {own}, after a new mount: {problem}")
    return problems


def main():
    directory, books, shared, index = sys.argv[1:]
    random.seed(os.environ.get("MAMD_SOAK_SEED"))
    crowd = Crowd(directory, books, Shared(shared), int(index))
    try:
        crowd.run()
    except (Mismatch, OSError) as problem:
        sys.exit(f"crowd {index}: {problem}")
    print(json.dumps({"done": crowd.done, "refused": crowd.refused}))


if __name__ == "__main__":
    main()
