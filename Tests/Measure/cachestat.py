"""What the kernel's page cache holds of an open file: cachestat(2), in Linux 6.5 and newer."""
import ctypes
import os

# The same number on all architectures that have it.
CACHESTAT = 451
FIELDS = ("cached", "dirty", "writeback", "evicted", "recently_evicted")

libc = ctypes.CDLL(None, use_errno=True)


class Range(ctypes.Structure):
    _fields_ = [("offset", ctypes.c_uint64), ("length", ctypes.c_uint64)]


class Answer(ctypes.Structure):
    _fields_ = [(field, ctypes.c_uint64) for field in FIELDS]


def cachestat(descriptor):
    """Numbers of pages, by name. It reads no page and asks no file system, so no daemon either."""
    everything, answer = Range(0, 0), Answer()
    if libc.syscall(CACHESTAT, descriptor, ctypes.byref(everything), ctypes.byref(answer), 0) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"cachestat: {os.strerror(number)}")
    return {field: getattr(answer, field) for field in FIELDS}
