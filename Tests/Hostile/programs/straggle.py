"""Is inside a write whose memory never comes, which is in the way of a lock: straggle.py SOURCE
TARGET."""
import ctypes
import mmap
import os
import sys
import threading

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
libc.write.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]
source = os.open(sys.argv[1], os.O_RDWR)
place = libc.mmap(None, mmap.PAGESIZE, mmap.PROT_READ, mmap.MAP_SHARED, source, 0)
target = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT, 0o600)
os.write(target, b"x" * 8192)
threading.Thread(target=libc.write, args=(target, place, 4096), daemon=True).start()
os.write(1, b"writes\n")
os.read(0, 1)
