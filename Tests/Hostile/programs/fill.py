"""Writes random bytes: fill.py FILE MIB."""
import os
import sys

with open(sys.argv[1], "wb") as file:
    for _ in range(int(sys.argv[2])):
        file.write(os.urandom(1 << 20))
    os.fsync(file.fileno())
