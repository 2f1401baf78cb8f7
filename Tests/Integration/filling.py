"""Programs that fill a disk, and what each of them was told is there: the word is the return of
write(2), of a commit, of fsync or of msync."""
import contextlib
import functools
import mmap
import os
import sqlite3

from workspace import pattern

ROW = 20_000


@functools.cache
def tile_of(number):
    return pattern(1 << 20, number)


def take_all_but(left, path):
    """A foreign program's file that takes the disk but for `left` bytes."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    step, offset = 1 << 28, 0
    while step >= 4096:
        state = os.fstatvfs(descriptor)
        room = (state.f_bfree if os.getuid() == 0 else state.f_bavail) * state.f_frsize - left
        if room < step:
            step //= 2
            continue
        try:
            os.posix_fallocate(descriptor, offset, step)
            offset += step
        except OSError:
            step //= 2
    os.close(descriptor)
    return path


class Writer:
    """`write` until the disk is full, or `most` bytes; `check` what was acknowledged, later."""

    name = "writer"

    def __init__(self, directory, number=0, most=400 << 20):
        self.path, self.number, self.most = directory / f"{self.name}-{number}", number, most
        self.acknowledged = 0
        self.told = None

    def run(self):
        try:
            self.write()
        except (OSError, sqlite3.Error) as problem:
            self.told = problem
        return self

    def write(self):
        raise NotImplementedError

    def lost(self):
        """How much of what was acknowledged is not there."""
        with contextlib.suppress(FileNotFoundError):
            found = self.path.read_bytes()
            want = self.content(0, self.acknowledged)
            if found[:len(want)] == want:
                return 0
            same = next((at for at in range(0, len(want), 4096)
                         if found[at:at + 4096] != want[at:at + 4096]), 0)
            return len(want) - same
        return self.acknowledged

    def content(self, start, end):
        """The same bytes each time."""
        tile = tile_of(self.number)
        first, last = start >> 20, -(-end >> 20)
        return (tile * (last - first))[start - (first << 20):end - (first << 20)]


class Database(Writer):
    """SQLite; rows are counted."""

    mode = "wal"

    def write(self):
        with contextlib.closing(sqlite3.connect(self.path, isolation_level=None)) as base:
            base.execute(f"pragma journal_mode={self.mode}")
            base.execute("pragma synchronous=normal")
            base.execute("create table if not exists rows (number integer, bytes blob)")
            for number in range(self.most // ROW):
                base.execute("insert into rows values (?, ?)", (number, pattern(ROW, number)))
                self.acknowledged += 1

    def lost(self):
        if self.acknowledged == 0:
            return 0
        with contextlib.closing(sqlite3.connect(self.path)) as base:
            try:
                (state, *_), = base.execute("pragma integrity_check(1)").fetchall()
                (found,), = base.execute("select count(*) from rows").fetchall()
            except sqlite3.Error as problem:
                state = str(problem)
            return self.acknowledged - found if state == "ok" else f"all: {state[:60]}"


class Wal(Database):
    name = mode = "wal"


class Delete(Database):
    name = mode = "delete"


class Truncate(Database):
    name = mode = "truncate"


class Persist(Database):
    name = mode = "persist"


class InMemory(Database):
    name = mode = "memory"


class Stream(Writer):
    """write(2) after write(2), as `dd`; no sync, and close does not count."""

    name, step, flags = "stream", 1 << 20, os.O_CREAT | os.O_WRONLY

    def write(self):
        descriptor = os.open(self.path, self.flags, 0o600)
        try:
            while self.acknowledged < self.most:
                end = min(self.acknowledged + self.step, self.most)
                self.acknowledged += os.write(
                    descriptor, self.content(self.acknowledged, end))
        finally:
            with contextlib.suppress(OSError):
                os.close(descriptor)


class Logger(Stream):
    """Appends short lines."""

    name, step, flags = "logger", 200, os.O_CREAT | os.O_WRONLY | os.O_APPEND


class Gulp(Stream):
    """All in one write(2), then fsync: that one counts."""

    name = "gulp"

    def write(self):
        data = self.content(0, self.most)
        descriptor = os.open(self.path, self.flags, 0o600)
        try:
            done = 0
            while done < len(data):
                done += os.write(descriptor, data[done:])
            os.fsync(descriptor)
            self.acknowledged = len(data)
        finally:
            with contextlib.suppress(OSError):
                os.close(descriptor)


class Mapped(Writer):
    """Grows by a mebibyte of space, changes it through a mapping, and syncs: msync counts."""

    name, step = "mapped", 1 << 20

    def write(self):
        descriptor = os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            while self.acknowledged < self.most:
                start, end = self.acknowledged, self.acknowledged + self.step
                os.posix_fallocate(descriptor, start, self.step)
                with mmap.mmap(descriptor, self.step, offset=start) as window:
                    window[:] = self.content(start, end)
                    window.flush()
                self.acknowledged = end
        finally:
            with contextlib.suppress(OSError):
                os.close(descriptor)


DATABASES = (Wal, Delete, Truncate, Persist, InMemory)
STREAMS = (Stream, Logger, Gulp, Mapped)
