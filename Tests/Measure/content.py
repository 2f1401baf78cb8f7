"""Content that costs little to make, and that any part of can be told from anything else."""
import contextlib
import mmap
import os
import random

MIB = 1 << 20
PAGE = mmap.PAGESIZE
CHUNK = random.Random(4).randbytes(MIB)


def expected(offset, length=PAGE):
    """What the file has there; a page never crosses a chunk."""
    start = offset % MIB
    return CHUNK[start:start + length]


def fill(path, size):
    """Writes the file anew, in place, and has it stored."""
    try:
        write(path, "r+b", size)
    except OSError:
        # There is none, or the last daemon that was killed left one that cannot be used.
        path.unlink(missing_ok=True)
        write(path, "wb", size)


def write(path, mode, size):
    with open(path, mode, buffering=0) as file:
        for _ in range(size // MIB):
            file.write(CHUNK)
        os.fsync(file.fileno())


def store(path):
    """So that no lock pays for what an earlier round wrote."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def read_all(path):
    """Brings the whole file into the page cache."""
    with open(path, "rb", buffering=0) as file:
        while file.read(MIB):
            pass


def lost_bytes(path, size):
    """How many of the bytes that were written cannot be read, counted in pages."""
    found = 0
    with contextlib.suppress(OSError), open(path, "rb", buffering=0) as file:
        for offset in range(0, size, PAGE):
            found += PAGE * (file.read(PAGE) == expected(offset))
    return size - found


def is_whole(path, size):
    """Whether it is there with this content, as a few pages tell it."""
    try:
        with open(path, "rb", buffering=0) as file:
            return path.stat().st_size == size and all(
                os.pread(file.fileno(), PAGE, offset) == expected(offset)
                for offset in sample_offsets(size))
    except OSError:
        return False


def sample_offsets(size, count=16):
    """Pages spread over the file, the first and the last among them."""
    return [(size - PAGE) * index // (count - 1) // PAGE * PAGE for index in range(count)]
