"""Which of a file's and its directory's times an operation moves."""
import ctypes
import mmap
import os
import struct
import time

from posix_calls import EXCHANGE, allocate, rename2
from posix_place import users
from running import call

# Set before the operation. Changes are told by comparison with what was there: the third time
# cannot be set.
LONG_AGO = (1_000_000_000, 2_000_000_000)

AT_SYMLINK_NOFOLLOW, AT_EMPTY_PATH, AT_STATX_FORCE_SYNC = 0x100, 0x1000, 0x2000
STATX_BASIC_STATS = 0x7FF


def opened(flags, action):
    def run():
        descriptor = os.open("folder/file", flags)
        try:
            action(descriptor)
        finally:
            os.close(descriptor)
    return run


def store(descriptor):
    with mmap.mmap(descriptor, 0) as mapping:
        mapping[0] = 65
        mapping.flush()


def allocating(mode, count=9_000):
    return lambda descriptor: allocate(descriptor, mode, 0, count)


OPERATIONS = {
    "nothing": lambda: None,
    "open to read": opened(os.O_RDONLY, lambda fd: None),
    "open to write": opened(os.O_WRONLY, lambda fd: None),
    "read": opened(os.O_RDONLY, lambda fd: os.read(fd, 10)),
    "read of nothing": opened(os.O_RDONLY, lambda fd: os.read(fd, 0)),
    "read without access time": opened(os.O_RDONLY | os.O_NOATIME, lambda fd: os.read(fd, 10)),
    "read through a handle that may write": opened(os.O_RDWR, lambda fd: os.read(fd, 10)),
    "write": opened(os.O_WRONLY, lambda fd: os.write(fd, b"x")),
    "write of nothing": opened(os.O_WRONLY, lambda fd: os.write(fd, b"")),
    "write and fsync": opened(os.O_WRONLY, lambda fd: (os.write(fd, b"x"), os.fsync(fd))),
    "synchronous write": opened(os.O_WRONLY | os.O_SYNC, lambda fd: os.write(fd, b"x")),
    "store through a mapping": opened(os.O_RDWR, store),
    "truncate": lambda: os.truncate("folder/file", 10),
    "truncate to grow": lambda: os.truncate("folder/file", 100_000),
    "truncate to the same size": lambda: os.truncate("folder/file", 10_000),
    "ftruncate": opened(os.O_RDWR, lambda fd: os.ftruncate(fd, 10)),
    "ftruncate to the same size": opened(os.O_RDWR, lambda fd: os.ftruncate(fd, 10_000)),
    "open truncating": opened(os.O_WRONLY | os.O_TRUNC, lambda fd: None),
    "open truncating what is empty": lambda: os.close(
        os.open("folder/empty", os.O_WRONLY | os.O_TRUNC)),
    "fallocate": opened(os.O_WRONLY, allocating(0, 20_000)),
    "fallocate keeping the size": opened(os.O_WRONLY, allocating(1, 20_000)),
    "punch a hole": opened(os.O_WRONLY, allocating(3)),
    "zero a range": opened(os.O_WRONLY, allocating(0x10)),
    "chmod": lambda: os.chmod("folder/file", 0o600),
    "chmod to the same": lambda: os.chmod("folder/file", 0o644),
    "chown": lambda: os.chown("folder/file", os.getuid(), os.getgid()),
    "chown of nothing": lambda: os.chown("folder/file", -1, -1),
    "set times to now": lambda: os.utime("folder/file"),
    "set times": lambda: os.utime("folder/file", ns=(5, 6)),
    "setxattr": lambda: os.setxattr("folder/file", "user.note", b"x"),
    "link": lambda: os.link("folder/file", "folder/new"),
    "unlink of one of two names": lambda: os.unlink("folder/second"),
    "rename": lambda: os.rename("folder/file", "folder/new"),
    "rename over another": lambda: os.rename("folder/empty", "folder/file"),
    "rename to itself": lambda: os.rename("folder/file", "folder/file"),
    "exchange": lambda: rename2("folder/file", "folder/empty", EXCHANGE),
    "move out": lambda: os.rename("folder/file", "new"),
    "create": lambda: os.close(os.open("folder/new", os.O_CREAT | os.O_WRONLY)),
    "create what is there": lambda: os.close(os.open("folder/file", os.O_CREAT | os.O_WRONLY)),
    "mkdir": lambda: os.mkdir("folder/new"),
    "rmdir": lambda: os.rmdir("folder/inner"),
    "symlink": lambda: os.symlink("x", "folder/new"),
    "unlink": lambda: os.unlink("folder/empty"),
    "list": lambda: os.listdir("folder"),
    "readlink": lambda: os.readlink("folder/link"),
    "stat": lambda: os.stat("folder/file"),
    "chmod of the directory": lambda: os.chmod("folder", 0o700),
    "setxattr of the directory": lambda: os.setxattr("folder", "user.note", b"x"),
    "rename of a directory": lambda: os.rename("folder/inner", "folder/new"),
}
WATCHED = ("folder", "file", "empty", "second", "inner", "link", "new")


def times(held):
    """(access, modification, change) of all that is watched, wherever it stands now."""
    return {name: times_now(descriptor) for name, descriptor in held.items()}


def times_now(descriptor, path=b""):
    """By statx(2), asked of the file system itself: the kernel may keep what it knows of a mount's
    files for a while. Of the descriptor's file, or of a path from there."""
    answer = ctypes.create_string_buffer(256)
    flags = AT_STATX_FORCE_SYNC | (AT_SYMLINK_NOFOLLOW if path else AT_EMPTY_PATH)
    call("statx", descriptor, path, flags, STATX_BASIC_STATS, answer)
    return tuple(struct.unpack_from("<qI", answer, place) for place in (0x40, 0x70, 0x60))


def prepare():
    os.mkdir("folder")
    os.mkdir("folder/inner")
    with open("folder/file", "wb") as file:
        file.write(b"c" * 10_000)
    os.chmod("folder/file", 0o644)
    open("folder/empty", "wb").close()
    os.link("folder/file", "folder/second")
    os.symlink("file", "folder/link")
    for name in ("file", "empty", "inner", "link", "."):
        os.utime(os.path.join("folder", name), ns=LONG_AGO, follow_symlinks=False)


def moved(before, after):
    """For each of the watched a letter for each time that moved: a, m, c."""
    return tuple(
        name + ": "
        + "".join(
            letter for letter, one, two in zip("amc", before[name], after[name]) if one != two)
        for name in before)


def run(place):
    for actor in users()[:1]:
        for name, action in OPERATIONS.items():
            with place.fresh():
                prepare()
                held = {"folder": os.open("folder", os.O_PATH)}
                for entry in ("file", "empty", "inner", "link"):
                    held[entry] = os.open(os.path.join("folder", entry), os.O_PATH | os.O_NOFOLLOW)
                before = times(held)
                time.sleep(0.012)
                outcome = place.attempt(action, actor)
                place.note(
                    name, (outcome if isinstance(outcome, str) else None,
                    *moved(before, times(held))))
                for descriptor in held.values():
                    os.close(descriptor)
