"""What the kernel has cached of a file: cachestat(2) and mincore(2), neither of which Python
offers."""
import ctypes
import mmap

from running import call

SYS_CACHESTAT = 451


class Range(ctypes.Structure):
    _fields_ = [("offset", ctypes.c_uint64), ("length", ctypes.c_uint64)]


class Pages(ctypes.Structure):
    """The answer of cachestat(2), all in pages."""
    _fields_ = [
        (name, ctypes.c_uint64)
        for name in ("cached", "dirty", "writeback", "evicted", "recently_evicted")]


def cachestat(descriptor):
    """Of the whole file. Counts pages too that were made for a read which then failed, and hold
    nothing."""
    pages = Pages()
    call("syscall", SYS_CACHESTAT, descriptor, ctypes.byref(Range(0, 0)), ctypes.byref(pages), 0)
    return pages


def readable_pages(descriptor, size):
    """How many pages hold content that a mapping would show at once. Looking brings nothing into
    the cache."""
    with mmap.mmap(descriptor, size, prot=mmap.PROT_READ) as mapping:
        flags = (ctypes.c_ubyte * -(-size // mmap.PAGESIZE))()
        # Python refuses the address of a read-only buffer: ask its export instead.
        start = ctypes.c_void_p(address_of(mapping))
        call("mincore", start, ctypes.c_size_t(size), flags)
        return sum(flag & 1 for flag in flags)


def address_of(mapping):
    """Where a mapping lies."""
    buffer = (ctypes.c_ssize_t * 20)()  # a Py_buffer, whose first word is the address
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(mapping), buffer, 0)
    try:
        return buffer[0]
    finally:
        ctypes.pythonapi.PyBuffer_Release(buffer)


# Of <linux/kernel-page-flags.h>, and of /proc/PID/pagemap.
LRU, SWAPBACKED, FRAME = 1 << 5, 1 << 14, (1 << 55) - 1


def are_mostly(count, pages):
    """Whether so many of these pages are cached as ours left them: the kernel takes clean ones back
    whenever it likes, some kernels every few seconds with most of the memory free
    (DAMON_RECLAIM)."""
    return count > pages * 3 // 4


def frames(descriptor, size):
    """The page frames that the file's cached pages lie in: how to watch them when nobody has the
    file open. Root only."""
    with mmap.mmap(descriptor, size, prot=mmap.PROT_READ) as mapping:
        for offset in range(0, size, mmap.PAGESIZE):
            mapping[offset]
        entries = words(
            "/proc/self/pagemap", address_of(mapping) // mmap.PAGESIZE, size // mmap.PAGESIZE)
        return [entry & FRAME for entry in entries]


def frames_in_use(numbers):
    """How many of these frames hold a cached page, of whichever file; a freed one does not, nor
    one that is a program's memory by now."""
    flags = (words("/proc/kpageflags", number, 1)[0] for number in numbers)
    return sum(each & (LRU | SWAPBACKED) == LRU for each in flags)


def words(path, start, count):
    with open(path, "rb", buffering=0) as file:
        file.seek(8 * start)
        return list(memoryview(file.read(8 * count)).cast("Q"))
