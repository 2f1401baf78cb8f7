"""What a program does that knows nothing of locks: it has files open and mapped, reads and
writes."""
import errno
import mmap
import os
import signal
import time

from cachestat import cachestat
from content import CHUNK, MIB, PAGE, expected, sample_offsets


def reading(path, size, change):
    """The file open and mapped, and a second process that reads both without a pause.

    `change`: it is written anew first, through the handle that stays open, and not synced.
    """
    descriptor = os.open(path, os.O_RDWR)
    mapping = mmap.mmap(descriptor, size, mmap.MAP_SHARED, mmap.PROT_READ)
    for offset in range(0, size, MIB):
        # What is read is cached by this handle's open: some file systems drop the pages at each
        # open.
        os.pwrite(descriptor, CHUNK, offset) if change else os.pread(descriptor, MIB, offset)
    reader = os.fork()
    if reader == 0:
        read_for_ever(descriptor, mapping, size)

    def end():
        os.kill(reader, signal.SIGKILL)
        os.waitpid(reader, 0)

    return {
        "pages": lambda: cachestat(descriptor),
        "handle": lambda: [through_handle(descriptor, offset) for offset in sample_offsets(size)],
        "mapping": lambda: [through_mapping(mapping, offset) for offset in sample_offsets(size)],
        "path": lambda: through_path(path),
        "end": end,
    }


def read_for_ever(descriptor, mapping, size):
    while True:
        for offset in range(0, size, MIB):
            try:
                os.pread(descriptor, MIB, offset)
            except OSError:
                time.sleep(0.01)  # refused: a program would hardly ask again at once
            mapping[offset:offset + MIB]


def writing(plain, mapped, size):
    """One file written with write(2), one through a mapping, both stay open and are not synced."""
    descriptor = os.open(plain, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    other = os.open(mapped, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    os.ftruncate(other, size)
    mapping = mmap.mmap(other, size, mmap.MAP_SHARED)
    for offset in range(0, size, MIB):
        os.pwrite(descriptor, CHUNK, offset)
        mapping[offset:offset + MIB] = CHUNK
    # Named in an answer, so that it lives: unmapping would have it written.
    return {"end": lambda: mapping}


def verdict(found, offset):
    """Whether a read gave the plain content."""
    return "plain" if found == expected(offset) else "something else"


def through_handle(descriptor, offset):
    try:
        return verdict(os.pread(descriptor, PAGE, offset), offset)
    except OSError as problem:
        return errno.errorcode[problem.errno]


def through_path(path):
    """Opened anew."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError as problem:
        return errno.errorcode[problem.errno]
    try:
        return through_handle(descriptor, 0)
    finally:
        os.close(descriptor)


def through_mapping(mapping, offset):
    """Touched by a process that shares the mapping: a SIGBUS is that one's end."""
    child = os.fork()
    if child == 0:
        os._exit(0 if mapping[offset:offset + PAGE] == expected(offset) else 1)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return "plain" if os.WEXITSTATUS(status) == 0 else "something else"
