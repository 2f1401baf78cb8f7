"""Writes somewhere into a file, again and again: write_anywhere.py FILE."""
import os
import random
import sys

file = os.open(sys.argv[1], os.O_RDWR)
size = os.fstat(file).st_size
print(flush=True)
while True:
    os.pwrite(file, b"later " * 700, random.randrange(size - 5000))
