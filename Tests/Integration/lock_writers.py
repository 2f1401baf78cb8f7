"""A program that writes into a file while somebody locks and unlocks it, and remembers every byte
that was taken.

    lock_writers.py WAY HANDLE FILE MODEL [PART]

WAY: write, pwrite, share, append or map. HANDLE: keep goes on with the same handle after a lock,
reopen with a new one. Those that share a file have each their part of it. It says "ready", and
"refused" when a lock stops it for the first time, works until its standard input ends, writes what
the file must hold into MODEL and prints its figures.
After every unlock it reads its file, which the lock has driven out of the kernel's cache. Exit
status 1: a byte was lost, or something failed otherwise than by a lock.
"""
import ctypes
import errno
import json
import mmap
import os
import random
import select
import signal
import sys
import time

SIZE = 1 << 20


class Lost(Exception):
    pass


class Record(ctypes.Structure):
    """Shared with the child that stores into a mapping. The pending change is the one that nobody
    acknowledged yet."""
    _fields_ = [(name, ctypes.c_uint64) for name in (
        "size", "number", "pending_start", "pending_count", "bytes", "refusals", "checks")]

    def figures(self):
        return {name: getattr(self, name) for name in ("number", "bytes", "refusals", "checks")}


def is_over():
    return bool(select.select([sys.stdin], [], [], 0)[0])


def content(number, count):
    """The bytes of one change; they tell which it was."""
    text = b"%09d " % number
    return (text * (count // len(text) + 1))[:count]


class Writer:
    """Writes one after the other from the beginning of the file to its end, and again."""

    flags = 0
    first_size = SIZE

    def __init__(self, path, keeps_handle):
        self.path, self.keeps_handle = path, keeps_handle
        self.model = mmap.mmap(-1, SIZE)
        self.record = Record.from_buffer(mmap.mmap(-1, mmap.PAGESIZE))
        self.record.size = self.first_size
        self.file = self.open(os.O_CREAT)
        self.put(bytes(self.first_size), 0)

    def open(self, more=0):
        return os.open(self.path, os.O_RDWR | self.flags | more, 0o600)

    def place(self):
        """Where the next change goes, and how long it is."""
        count = 777
        return self.record.number * count % (SIZE - count), count

    def put(self, data, offset):
        os.lseek(self.file, offset, os.SEEK_SET)
        return os.write(self.file, data)

    def change(self):
        record = self.record
        offset, count = self.place()
        record.number += 1
        record.pending_start, record.pending_count = offset, count
        self.put_pending()
        record.pending_count = 0
        if random.random() < 0.01:
            os.fsync(self.file)

    def put_pending(self):
        record = self.record
        offset, data = record.pending_start, content(record.number, record.pending_count)
        written = self.put(data, offset)
        self.model[offset : offset + written] = data[:written]
        record.size = max(record.size, offset + written)
        record.bytes += written

    def work(self):
        self.change()

    def try_again(self):
        """The change that was refused; nothing must be taken now that is not there later."""
        if self.record.pending_count:
            self.put_pending()

    def run(self):
        print("ready", flush=True)
        while not is_over():
            try:
                self.work()
            except OSError as problem:
                self.refused(problem)
        self.check()

    def refused(self, problem):
        if problem.errno != errno.ENOKEY:
            raise problem
        if not self.record.refusals:
            print("refused", flush=True)
        self.record.refusals += 1
        if not self.keeps_handle:
            os.close(self.file)
            self.file = None
        while not self.is_open_again():
            time.sleep(0.01)

    def is_open_again(self):
        try:
            if self.file is None:
                self.file = self.open()
            self.try_again()
            self.check()
            return True
        except OSError as problem:
            if problem.errno != errno.ENOKEY:
                raise
            return False

    def check(self):
        """Compares. The change that was refused may be there or not, byte by byte, and then counts
        as it is."""
        record = self.record
        found = self.read()
        start, end = record.pending_start, record.pending_start + record.pending_count
        new = content(record.number, record.pending_count)
        expected = bytearray(self.model[: record.size].ljust(min(end, len(found)), b"\0"))
        for place in range(start, min(end, len(found))):
            if found[place] == new[place - start]:
                expected[place] = found[place]
        if not record.size <= len(found) <= max(record.size, end) or found != expected:
            self.fail(found, expected)
        self.model[: len(found)] = found
        record.size = len(found)
        record.pending_count = 0
        record.checks += 1

    def read(self):
        size = os.fstat(self.file).st_size
        data = self.read_from(0, SIZE + 4096)
        if len(data) != size:
            raise Lost(f"{self.path}: {len(data)} bytes, and its size is {size}")
        return data

    def read_from(self, start, count):
        data = b""
        while part := os.pread(self.file, count - len(data), start + len(data)):
            data += part
        return data

    def fail(self, found, expected):
        differing = [
            place for place in range(min(len(found), len(expected)))
            if found[place] != expected[place]]
        place = differing[0] if differing else min(len(found), len(expected))
        raise Lost(
            f"{self.path}: {len(differing)} bytes differ, from {place} to {differing[-1:]}; "
            f"size {len(found)}, expected {len(expected)}; "
            f"found {bytes(found[place : place + 40])}, expected "
            f"{bytes(expected[place : place + 40])}; "
            f"pending {self.record.pending_count} at {self.record.pending_start}, change "
            f"{self.record.number}")


class RandomWriter(Writer):
    def place(self):
        count = random.choice((1, 100, 4096, random.randrange(1, 20_000)))
        return random.randrange(SIZE - count), count

    def put(self, data, offset):
        return os.pwrite(self.file, data, offset)


class Sharer(RandomWriter):
    """One of several on one file: they wait for each other in the kernel, with what they were
    allowed before a lock."""

    def __init__(self, path, keeps_handle, part):
        self.base = part * SIZE
        super().__init__(path, keeps_handle)

    def put(self, data, offset):
        return os.pwrite(self.file, data, self.base + offset)

    def read(self):
        return self.read_from(self.base, SIZE)


class Appender(Writer):
    """Adds lines; begins anew when the file is full."""

    flags = os.O_APPEND
    first_size = 0

    def place(self):
        return self.record.size, 313

    def put(self, data, offset):
        return os.write(self.file, data)

    def try_again(self):
        """Not before the check: where it would go is not known."""

    def change(self):
        if self.record.size > SIZE - 1000:
            os.ftruncate(self.file, 0)
            self.record.size = 0
        super().change()


class Mapper(Writer):
    """Stores into a mapping, in a child: SIGBUS ends it. A store counts once the next instruction
    ran."""

    mapping = None

    def place(self):
        count = random.randrange(1, 5000)
        return random.randrange(SIZE - count), count

    def put(self, data, offset):
        if self.mapping is None:  # the beginning
            return os.write(self.file, data)
        self.mapping[offset : offset + len(data)] = data
        if random.random() < 0.01:
            self.mapping.flush()
        return len(data)

    def try_again(self):
        """Not in this process: it would end by SIGBUS."""

    def work(self):
        child = os.fork()
        if child == 0:
            self.store_until_told_to_end()
        _, status = os.waitpid(child, 0)
        is_bus_error = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGBUS
        if is_bus_error or status == errno.ENOKEY << 8:
            raise OSError(errno.ENOKEY, "SIGBUS, or refused")
        if status != 0:
            raise Lost(f"{self.path}: the child ended with {status:#x}")

    def store_until_told_to_end(self):
        code = 255
        try:
            self.mapping = mmap.mmap(self.file, SIZE)
            while not is_over():
                self.change()
            code = 0
        except OSError as problem:
            code = problem.errno
        finally:
            os._exit(code)


WAYS = {"write": Writer, "pwrite": RandomWriter, "share": Sharer, "append": Appender, "map": Mapper}


def main():
    way, handle, path, model, *part = sys.argv[1:]
    writer = WAYS[way](path, handle == "keep", *map(int, part))
    writer.run()
    with open(model, "wb") as file:
        file.write(writer.model[: writer.record.size])
    print(json.dumps(writer.record.figures()), flush=True)


if __name__ == "__main__":
    main()
