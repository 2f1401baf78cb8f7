"""Programs that use a file, each in one way, for tests that close it under them.

    file_users.py WAY FILE      says "ready" once it is at it, and ends when its standard input does

WAY is one of those in WAYS. A refusal is waited out where the way is a loop; SIGBUS ends the
program.
"""
import ctypes
import errno
import fcntl
import mmap
import os
import random
import select
import struct
import sys
import threading

PAGE = mmap.PAGESIZE


def ready():
    print("ready", flush=True)


def is_over(seconds=0.0):
    return bool(select.select([sys.stdin], [], [], seconds)[0])


def wait_for_a_word():
    return bool(sys.stdin.readline())


def repeat(step):
    """Does the step until told to end; it may be refused while the file is locked, or once it is
    wiped."""
    step()
    ready()
    while not is_over():
        try:
            step()
        except OSError as problem:
            if problem.errno not in (errno.ENOKEY, errno.EKEYREVOKED):
                raise


def touch_all(mapping):
    for offset in range(0, len(mapping), PAGE):
        mapping[offset]


def map_it(path, flags):
    """Touches every page, and again at each word from the test."""
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0, flags=flags) as mapping:
        touch_all(mapping)
        ready()
        while wait_for_a_word():
            touch_all(mapping)


def store(path):
    """Stores into a mapping all the time."""
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as mapping:
        def step():
            place = random.randrange(0, len(mapping), PAGE)
            # Never what was there.
            mapping[place] = (mapping[place] + 1) % 256

        touch_all(mapping)
        repeat(step)


def read(path):
    file = os.open(path, os.O_RDONLY)
    size = os.fstat(file).st_size

    def step():
        for offset in range(0, size, 1 << 20):
            os.pread(file, 1 << 20, offset)

    repeat(step)


def write(path):
    file = os.open(path, os.O_RDWR)
    size, page = os.fstat(file).st_size, bytes(PAGE)
    repeat(lambda: os.pwrite(file, page, random.randrange(0, size - PAGE)))


# Of <linux/userfaultfd.h>.
SYS_USERFAULTFD = {"x86_64": 323, "aarch64": 282}
UFFDIO_API, UFFDIO_REGISTER, UFFDIO_COPY = 0xC018AA3F, 0xC020AA00, 0xC028AA03


def memory_that_waits():
    """A page that is not there until it is put there, and the descriptor that tells that a thread
    waits for it."""
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.syscall(SYS_USERFAULTFD[os.uname().machine], os.O_CLOEXEC)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "userfaultfd")
    fcntl.ioctl(descriptor, UFFDIO_API, bytearray(struct.pack("QQQ", 0xAA, 0, 0)))
    page = mmap.mmap(-1, PAGE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    fcntl.ioctl(descriptor, UFFDIO_REGISTER, bytearray(struct.pack("QQQQ", address, PAGE, 1, 0)))
    return page, address, descriptor


def write_and_sync(file, content, offset):
    """Says what became of the write(2), and of an fsync(2) after it."""
    for step in (lambda: os.pwrite(file, content, offset), lambda: os.fsync(file)):
        try:
            step()
            print("done", flush=True)
        except OSError as problem:
            print(errno.errorcode[problem.errno], flush=True)
    wait_for_a_word()


def write_slowly(path):
    """One write(2) of a page that comes with the first word from the test."""
    page, address, descriptor = memory_that_waits()

    def serve():
        os.read(descriptor, 32)  # the write has come to the page
        ready()
        wait_for_a_word()
        content = ctypes.create_string_buffer(b"slow" * (PAGE // 4), PAGE)
        fcntl.ioctl(
            descriptor, UFFDIO_COPY,
            bytearray(struct.pack("QQQQq", address, ctypes.addressof(content), PAGE, 0, 0)))

    threading.Thread(target=serve, daemon=True).start()
    file = os.open(path, os.O_RDWR)
    write_and_sync(file, page, 0)


def write_once(path):
    """One write(2), at the first word from the test."""
    file = os.open(path, os.O_RDWR)
    ready()
    wait_for_a_word()
    write_and_sync(file, b"late" * (PAGE // 4), PAGE)


def ask(path):
    """Asks for the file's capabilities all the time, as getcap(8) does."""
    def step():
        try:
            os.getxattr(path, "security.capability")
        except OSError as problem:
            if problem.errno not in (errno.ENODATA, errno.ERANGE):
                raise

    repeat(step)


WAYS = {
    "map-shared": lambda path: map_it(path, mmap.MAP_SHARED),
    "map-private": lambda path: map_it(path, mmap.MAP_PRIVATE),
    "store": store,
    "read": read,
    "write": write,
    "ask": ask,
    "write-slowly": write_slowly,
    "write-once": write_once,
}

if __name__ == "__main__":
    WAYS[sys.argv[1]](sys.argv[2])
