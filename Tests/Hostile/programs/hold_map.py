"""Has its memory map held: hold_map.py MAPPED [FILE…].

A page of MAPPED is changed, and another mapping put over it. The kernel writes the page back first,
under the lock of the map, and nobody takes it. Before that a thread for each FILE waits; they open
those, to write, once the first byte comes on standard input.
"""
import contextlib
import ctypes
import mmap
import os
import sys
import threading
import time

READ_WRITE = mmap.PROT_READ | mmap.PROT_WRITE
MAP_FIXED = 0x10

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
paths = [os.fsencode(path) for path in sys.argv[2:]]
gate, opener = os.pipe()


def work(path):
    os.read(gate, 1)
    with contextlib.suppress(OSError):
        os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


def map_over(place):
    libc.mmap(
        place, mmap.PAGESIZE, READ_WRITE, mmap.MAP_PRIVATE | MAP_FIXED | mmap.MAP_ANONYMOUS, -1, 0)


for path in paths:
    threading.Thread(target=work, args=(path,), daemon=True).start()
mapped = os.open(sys.argv[1], os.O_RDWR)
place = libc.mmap(None, mmap.PAGESIZE, READ_WRITE, mmap.MAP_SHARED, mapped, 0)
ctypes.memmove(place, b"x", 1)
threading.Thread(target=map_over, args=(place,), daemon=True).start()
time.sleep(0.2)
os.write(1, b"held\n")
os.read(0, 1)
os.write(opener, b"1" * len(paths))
os.read(0, 1)
