"""Reads a file through a mapping: read_through_mapping.py FILE.

Prints a line for each page: its bytes as hexadecimal digits, or `killed` if a process that touches
it is.
"""
import mmap
import os
import resource
import sys

resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
size = os.stat(sys.argv[1]).st_size
with open(sys.argv[1], "rb") as file:
    area = mmap.mmap(file.fileno(), size, prot=mmap.PROT_READ)
for page in range(0, size, mmap.PAGESIZE):
    child = os.fork()
    if child == 0:
        os.write(1, area[page:page + mmap.PAGESIZE].hex().encode() + b"\n")
        os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
        os.write(1, b"killed\n")
