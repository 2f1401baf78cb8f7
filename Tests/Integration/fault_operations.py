"""What is done while calls on the disk below fail: a table. Used by test_faults.py."""
import ctypes
import mmap
import os

from running import call
from workspace import ANN, BOB, PERSONAL, pattern

OLD, NEW = pattern(30_000, 1), pattern(20_000, 2)
FAR = 6 << 20
KEEP_SIZE, PUNCH_HOLE, ZERO_RANGE = 1, 2, 16
EXCHANGE = 2


def on_file(change):
    """Opens the file, changes it, syncs and closes it: each may say what failed."""
    def operation(place):
        descriptor = os.open(place.path("file"), os.O_RDWR)
        try:
            change(descriptor)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    return operation


def allocate(mode, start, count):
    return on_file(
        lambda file: call("fallocate", file, mode, ctypes.c_long(start), ctypes.c_long(count)))


def store(descriptor):
    with mmap.mmap(descriptor, 0) as memory:
        memory[5000:6000] = NEW[:1000]
        memory.flush()


def copy_inside(descriptor):
    other = os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY)
    try:
        done = 0
        while done < 9000:
            done += os.copy_file_range(other, descriptor, 9000 - done, 1000 + done, 15_000 + done)
    finally:
        os.close(other)


def create(place, name="new"):
    descriptor = os.open(place.path(name), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o640)
    try:
        os.pwrite(descriptor, NEW, 0)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def rewrite(place):
    descriptor = os.open(place.path("file"), os.O_RDWR | os.O_TRUNC)
    try:
        os.pwrite(descriptor, NEW, 0)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def exchange(place):
    call(
        "renameat2", -100, os.fsencode(place.path("file")), -100, os.fsencode(place.path("other")),
        EXCHANGE)


def on_path(function, *arguments):
    return lambda place: function(place.path("file"), *arguments)


def asked(method, **parameters):
    return lambda place: place.call(method, **parameters)


CONTENT = {
    "overwrite inside blocks": on_file(lambda file: os.pwrite(file, NEW[:5000], 3000)),
    "overwrite all": on_file(lambda file: os.pwrite(file, pattern(30_000, 3), 0)),
    "append": on_file(lambda file: os.pwrite(file, NEW, 30_000)),
    "append in the last block": on_file(lambda file: os.pwrite(file, NEW[:100], 30_000)),
    "write far behind the end": on_file(lambda file: os.pwrite(file, NEW, FAR)),
    "store into a mapping": on_file(store),
    "copy inside the mount": on_file(copy_inside),
    "cut": on_file(lambda file: os.ftruncate(file, 12_345)),
    "cut inside the last block": on_file(lambda file: os.ftruncate(file, 29_900)),
    "cut to nothing": on_file(lambda file: os.ftruncate(file, 0)),
    "grow": on_file(lambda file: os.ftruncate(file, 100_000)),
    "punch": allocate(KEEP_SIZE | PUNCH_HOLE, 5000, 15_000),
    "punch inside a block": allocate(KEEP_SIZE | PUNCH_HOLE, 5000, 1000),
    "zero a range": allocate(ZERO_RANGE, 9000, 12_000),
    "reserve": allocate(KEEP_SIZE, 0, 60_000),
    "reserve and grow": allocate(0, 0, 60_000),
    "rewrite": rewrite,
}
NAMES = {
    "create": create,
    "make a directory": lambda place: os.mkdir(place.path("new")),
    "make a pipe": lambda place: os.mkfifo(place.path("new")),
    "make a symbolic link": lambda place: os.symlink("target", place.path("new")),
    "link": lambda place: os.link(place.path("file"), place.path("new")),
    "rename": lambda place: os.rename(place.path("file"), place.path("new")),
    "rename over": lambda place: os.rename(place.path("file"), place.path("other")),
    "exchange": exchange,
    "remove": on_path(os.unlink),
    "remove a directory": lambda place: os.rmdir(place.path("directory")),
    "change the mode": on_path(os.chmod, 0o600),
    "change the user": on_path(os.chown, 12, 34),
    "change times": on_path(os.utime, (1, 2)),
    "set an attribute": on_path(os.setxattr, "user.x", b"value"),
    "remove an attribute": on_path(os.removexattr, "user.old"),
}
WORKSPACE = {
    "give to nobody": asked("SetOwner", owner=PERSONAL, unmanaged=True),
    "give to another account": asked("SetOwner", owner=BOB),
    "change the class": asked("SetClass", **{"class": "A"}),
    "change a directory's class": asked("SetClass", name="directory", **{"class": "A"}),
}
UNMANAGED = {
    "take from nobody": asked("SetOwner", owner=ANN),
    "retag": asked("SetOwner", owner="someone@example.org", unmanaged=True),
    "overwrite plain": CONTENT["overwrite all"],
    "append plain": CONTENT["append"],
    "cut plain": CONTENT["cut"],
}

# Made of several changes, each of which may be the last: every byte is old or new.
IN_PARTS = {"punch", "zero a range", "reserve and grow", "rewrite", "create"}
