"""Reads the first 64 MiB of a file past the kernel's cache, again and again: read_directly.py
FILE."""
import mmap
import os
import sys

file = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
print(flush=True)
buffer = mmap.mmap(-1, 1 << 20)
while True:
    for piece in range(64):
        os.preadv(file, [buffer], piece << 20)
