"""Programs that write until the daemon dies under them, and what their files must hold afterwards.

    kill_writers.py WRITER DIRECTORY LOG SEED

LOG lies outside the mount. Before a step its line `> …` is there, and after it, when the step is
promised to last, `< …`. So the log says what must be there and what may be: `check` compares,
after the next mount.
"""
import errno
import mmap
import os
import pathlib
import random
import sqlite3
import subprocess
import sys

from workspace import FIRST, PAYLOAD, pattern

# What a program sees of a daemon that dies while it asks, or has died; and one that goes by names
# and meets the next daemon, before the account is unlocked. The last: one name was looked up on the
# dead mount, and the other on the next.
DEAD = (errno.ENOTCONN, errno.ECONNABORTED, errno.ECANCELED, errno.EIO, errno.ENOKEY, errno.EXDEV)
PAGE = 4096


def is_uncovered(problem):
    """An ordinary user's dead mount goes before the next one comes: between them a name is looked
    for in the directory below."""
    return problem.errno == errno.ENOENT and os.getuid() != 0


def is_dead(directory):
    try:
        os.listdir(directory)
    except OSError as problem:
        return problem.errno in DEAD
    return False


class Wrong(AssertionError):
    """A file holds what no order of events explains."""


class Writer:
    """One kind of writer: `run` works until an error, `check` looks at the files by the log."""

    process: subprocess.Popen

    def __init__(self, directory, log, seed=0):
        self.directory, self.log, self.random = directory, log, random.Random(seed)

    def run(self):
        raise NotImplementedError

    def intend(self, *words):
        self.say(">", *words)

    def done(self, *words):
        self.say("<", *words)

    def say(self, *words):
        os.write(self.output, (" ".join(map(str, words)) + "\n").encode())

    def write_until_death(self):
        self.output = os.open(self.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        held = os.open(self.directory, os.O_RDONLY)
        try:
            self.run()
        except OSError as problem:
            if problem.errno not in DEAD and not (is_uncovered(problem) and is_dead(held)):
                raise
        except sqlite3.OperationalError:
            # SQLite does not tell the number. Any other mistake of ours shows in `check`.
            pass

    def size(self):
        """Of the log: it grows while the writer gets on."""
        return self.log.stat().st_size if self.log.exists() else 0

    def lines(self):
        """The log: pairs of the mark and the words after it."""
        for line in self.log.read_text().splitlines():
            mark, *words = line.split(" ")
            yield mark, words

    def last(self, mark, default):
        """The last number that stands behind the mark."""
        return int(
            next((words[0] for found, words in reversed(list(self.lines())) if found == mark),
            default))

    def demand(self, condition, *words):
        if not condition:
            raise Wrong(f"{type(self).__name__} in {self.directory}: {' '.join(map(str, words))}")


class Records(Writer):
    """Appends records, and syncs after some of them."""

    SIZE = 700

    def run(self):
        file = os.open(self.directory / "records", os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        count = 0
        while True:
            batch = self.random.randrange(1, 20)
            self.intend(count + batch)
            for number in range(count, count + batch):
                os.write(file, self.record(number))
            count += batch
            os.fsync(file)
            self.done(count)

    def record(self, number):
        return pattern(self.SIZE, number)

    def check(self):
        found = (self.directory / "records").read_bytes()
        synced, written = self.last("<", 0) * self.SIZE, self.last(">", 0) * self.SIZE
        self.demand(synced <= len(found) <= written, f"{len(found)} bytes of {synced} to {written}")
        expected = b"".join(map(self.record, range(written // self.SIZE)))
        self.demand(found[:synced] == expected[:synced], "what was synced differs")
        # Pages reach the daemon in any order: one that did not is zeros.
        strange = [at for at in range(synced, len(found)) if found[at] not in (0, expected[at])]
        self.demand(not strange, f"after {synced}, bytes that nobody wrote at {strange[:3]}")


class Save(Writer):
    """Saves a document as editors do: a new file, synced and renamed over the old one."""

    def run(self):
        number = 0
        while True:
            number += 1
            self.intend(number)
            with open(self.directory / "new", "wb") as file:
                file.write(self.version(number))
                file.flush()
                os.fsync(file.fileno())
            os.rename(self.directory / "new", self.directory / "document")
            self.done(number)

    def version(self, number):
        return b"%d\n" % number + pattern(random.Random(number).randrange(20_000), number)

    def check(self):
        last = self.last("<", 0)
        if last == 0 and not (self.directory / "document").exists():
            return
        found = (self.directory / "document").read_bytes()
        number = int(found.split(b"\n")[0])
        self.demand(number in (last, self.last(">", 0)), f"version {number} after {last} was saved")
        self.demand(found == self.version(number), f"version {number} is not whole")


class Sizes(Writer):
    """Cuts a file and lets it grow again."""

    LARGEST = 50_000

    def run(self):
        file = os.open(self.directory / "sizes", os.O_RDWR | os.O_CREAT, 0o600)
        while True:
            size = self.random.choice(
                (0, FIRST, FIRST + 1, FIRST + PAYLOAD, self.random.randrange(self.LARGEST)))
            self.intend("size", size)
            os.ftruncate(file, size)
            self.done("size", size)
            seed = self.random.randrange(1 << 30)
            if size < 20_000:
                self.intend("fill", seed)
                os.pwrite(file, pattern(20_000, seed), 0)
                os.fsync(file)
                self.done("fill", seed)

    def check(self):
        content, found = b"", (self.directory / "sizes").read_bytes()
        for mark, (what, number) in self.lines():
            before, content = content, self.after(
                content, what, int(number)) if mark == ">" else content
        if mark == "<":
            before = content
        shortest, longest = sorted((before, content), key=len)
        self.demand(
            len(shortest) <= len(found) <= len(longest),
            f"{len(found)} bytes of {len(shortest)} to {len(longest)}")
        one, other = (state.ljust(len(found), b"\0") for state in (before, content))
        strange = [
            at for at, byte in enumerate(found)
            if byte not in (one[at], other[at], 0 if what == "fill" else one[at])]
        self.demand(not strange, f"{what} {number}: bytes that nobody wrote at {strange[:3]}")

    def after(self, content, what, number):
        if what == "size":
            return content[:number].ljust(number, b"\0")
        return pattern(20_000, number) + content[20_000:]


class Slots(Writer):
    """Overwrites places of a file at random. What was written before a sync must last."""

    SIZE, COUNT = 1000, 80

    def run(self):
        file = os.open(self.directory / "slots", os.O_RDWR | os.O_CREAT, 0o600)
        os.pwrite(file, b"".join(self.content(slot, 0) for slot in range(self.COUNT)), 0)
        os.fsync(file)
        self.done("all")
        self.prepare(file)
        version = 0
        while True:
            for _ in range(self.random.randrange(1, 8)):
                version += 1
                slot = self.random.randrange(self.COUNT)
                self.intend(slot, version)
                self.put(file, slot, self.content(slot, version))
            self.sync(file)
            self.done("all")

    def content(self, slot, version):
        return pattern(self.SIZE, slot << 32 | version)

    def prepare(self, file):
        pass

    def put(self, file, slot, data):
        os.pwrite(file, data, slot * self.SIZE)

    def sync(self, file):
        os.fdatasync(file)

    def check(self):
        # For each slot the versions that may be there: the last that was synced, and all after it.
        possible = [[0] for _ in range(self.COUNT)]
        for mark, words in self.lines():
            if mark == "<":
                possible = [versions[-1:] for versions in possible]
            else:
                possible[int(words[0])].append(int(words[1]))
        allowed = [
            [self.content(slot, version) for version in versions]
            for slot, versions in enumerate(possible)]
        found = (self.directory / "slots").read_bytes()
        self.demand(len(found) == self.SIZE * self.COUNT, f"{len(found)} bytes")
        for start, end in self.pieces(len(found)):
            slot, place = divmod(start, self.SIZE)
            if not any(found[start:end] == one[place : place + end - start]
                       for one in allowed[slot]):
                self.demand(
                    False, f"slot {slot}, bytes {start} to {end}: none of {possible[slot]}")

    def pieces(self, length):
        """What is old or new as a whole: it lies in one slot, in one page of the kernel's and in
        one block."""
        edges = {
            0, length, *range(0, length, self.SIZE), *range(0, length, PAGE),
            *range(FIRST, length, PAYLOAD)}
        edges = sorted(edges)
        return zip(edges, edges[1:])


class Mapped(Slots):
    """The same through a shared mapping."""

    def prepare(self, file):
        self.mapping = mmap.mmap(file, self.SIZE * self.COUNT)

    def put(self, file, slot, data):
        self.mapping[slot * self.SIZE : (slot + 1) * self.SIZE] = data

    def sync(self, file):
        self.mapping.flush()

    def pieces(self, length):
        # A page may be sent while it is being changed: then each of its bytes is old or new.
        return ((at, at + 1) for at in range(length))


class Names(Writer):
    """Makes, renames, links and removes files and directories: what has returned has happened."""

    def run(self):
        number = 0
        while True:
            number += 1
            step = self.random.choice(
                ("make", "make", "folder", "rename", "rename", "link", "remove"))
            have = sorted(self.model)
            chosen = self.random.choice(have) if have else None
            if step in ("make", "folder"):
                words = (step, f"{number}")
            elif chosen is None or (step == "link" and self.model[chosen] == "folder"):
                continue
            else:
                words = (step, chosen, f"{number}")
            self.intend(*words)
            self.do(*words)
            self.done(*words)
            self.apply(self.model, *words)

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.model = {}

    def do(self, step, name, new=None):
        path = self.directory / name
        if step == "make":
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        elif step == "folder":
            os.mkdir(path)
        elif step == "rename":
            os.rename(path, self.directory / new)
        elif step == "link":
            os.link(path, self.directory / new)
        else:
            os.rmdir(path) if self.model[name] == "folder" else os.unlink(path)

    def apply(self, model, step, name, new=None):
        if step in ("make", "folder"):
            model[name] = step
        elif step == "rename":
            model[new] = model.pop(name)
        elif step == "link":
            model[new] = model[name]
        else:
            del model[name]

    def check(self):
        before, after = {}, {}
        for mark, words in self.lines():
            if mark == ">":
                before = dict(after)
                self.apply(after, *words)
        if mark == "<":
            before = after
        found = {
            entry.name: "folder" if entry.is_dir() else "make"
            for entry in os.scandir(self.directory)}
        self.demand(found in (before, after), f"names {sorted(found.items())} after {mark} {words}")
        for name, kind in found.items():
            self.demand(
                kind == "folder" or (self.directory / name).read_bytes() == b"",
                f"{name} is not empty")


class Database(Writer):
    """Commits rows to SQLite."""

    MODE = "delete"

    def run(self):
        database = sqlite3.connect(self.directory / "rows.db", isolation_level=None, timeout=30)
        database.execute(f"pragma journal_mode={self.MODE}")
        database.execute("pragma synchronous=full")
        database.execute("create table if not exists rows(id integer primary key, value blob)")
        # It may be the second to write here: what it finds is from then on what must last.
        (number,) = database.execute("select coalesce(max(id), 0) from rows").fetchone()
        self.done(number)
        while True:
            batch = self.random.randrange(1, 5)
            self.intend(number + batch)
            database.execute("begin")
            for _ in range(batch):
                number += 1
                database.execute("insert into rows values(?, ?)", (number, self.value(number)))
            database.execute("commit")
            self.done(number)

    def value(self, number):
        return pattern(number * 37 % 6000, number)

    def check(self):
        committed, intended = self.last("<", 0), self.last(">", 0)
        if max(committed, intended) == 0:
            return
        database = sqlite3.connect(self.directory / "rows.db")
        try:
            answer = database.execute("pragma integrity_check").fetchall()
            self.demand(answer == [("ok",)], answer)
            rows = database.execute("select id, value from rows order by id").fetchall()
        finally:
            database.close()
        self.demand(
            len(rows) in (committed, intended), f"{len(rows)} rows of {committed} or {intended}")
        self.demand(
            rows == [(number, self.value(number)) for number in range(1, len(rows) + 1)],
            "a row differs")


class WriteAhead(Database):
    MODE = "wal"


WRITERS = {
    writer.__name__: writer
    for writer in (Records, Save, Sizes, Slots, Mapped, Names, Database, WriteAhead)}

if __name__ == "__main__":
    name, directory, log, seed = sys.argv[1:]
    WRITERS[name](pathlib.Path(directory), pathlib.Path(log), int(seed)).write_until_death()
