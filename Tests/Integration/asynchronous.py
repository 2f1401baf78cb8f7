"""Direct writes through the kernel's asynchronous interface, as libaio makes them."""
import contextlib
import ctypes
import mmap
import os
import struct

from running import libc

PAGE = mmap.PAGESIZE
# <asm/unistd.h> and <linux/aio_abi.h>
IO_SETUP, IO_DESTROY, IO_GETEVENTS, IO_SUBMIT = {
    "x86_64": (206, 207, 208, 209), "aarch64": (0, 1, 4, 2)}[os.uname().machine]
PWRITE = 1


def system_call(number, *arguments):
    result = libc.syscall(number, *arguments)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


class DirectWriter:
    """One page in memory, and a queue of one."""

    def __init__(self, path):
        self.file = os.open(path, os.O_RDWR | os.O_DIRECT)
        self.page = mmap.mmap(-1, PAGE)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.page))
        self.queue = ctypes.c_ulong(0)
        system_call(IO_SETUP, 1, ctypes.byref(self.queue))

    def write(self, offset):
        """Writes the page; returns when the kernel says that the write has ended."""
        block = ctypes.create_string_buffer(struct.pack(
            "<QIIHhIQQqQII", 0, 0, 0, PWRITE, 0, self.file, self.address, PAGE, offset, 0, 0, 0))
        blocks = (ctypes.c_void_p * 1)(ctypes.addressof(block))
        if system_call(IO_SUBMIT, self.queue, ctypes.c_long(1), blocks) != 1:
            raise OSError("not submitted")
        event = ctypes.create_string_buffer(32)
        system_call(IO_GETEVENTS, self.queue, ctypes.c_long(1), ctypes.c_long(1), event, None)
        _, _, result, _ = struct.unpack("<QQqq", event.raw)
        if result != PAGE:
            raise OSError(-result, os.strerror(-result))

    def close(self):
        system_call(IO_DESTROY, self.queue)
        os.close(self.file)


@contextlib.contextmanager
def direct_writer(path):
    writer = DirectWriter(path)
    try:
        yield writer
    finally:
        writer.close()
