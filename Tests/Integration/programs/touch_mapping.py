"""Prints a byte of a file's mapping, and again after a line of standard input: touch_mapping.py
FILE OFFSET."""
import mmap
import sys

with open(sys.argv[1], "rb") as file:
    mapping = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
print(mapping[int(sys.argv[2])], flush=True)
sys.stdin.readline()
print(mapping[int(sys.argv[2])], flush=True)
