"""Reads a page of a file again and again: read_on.py FILE OFFSET."""
import os
import sys

file = os.open(sys.argv[1], os.O_RDONLY)
print("begun", flush=True)
while True:
    os.pread(file, 4096, int(sys.argv[2]))
