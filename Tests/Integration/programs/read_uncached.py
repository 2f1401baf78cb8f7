"""Reads a file for ever, past the kernel's cache: read_uncached.py FILE."""
import os
import sys

file = os.open(sys.argv[1], os.O_RDONLY)
while True:
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    os.pread(file, 1 << 20, 0)
