"""Writes random bytes, the same in each MiB: fill.py FILE MIB."""
import os
import sys

data = os.urandom(1 << 20)
with open(sys.argv[1], "wb") as file:
    for _ in range(int(sys.argv[2])):
        file.write(data)
    os.fsync(file.fileno())
