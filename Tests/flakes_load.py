"""Computes, and now and then has the disk wait for what it wrote: flakes_load.py FILE."""
import os
import sys
import time

with open(sys.argv[1], "wb", buffering=0) as file:
    while True:
        end = time.monotonic() + 1
        while time.monotonic() < end:
            sum(range(10000))
        os.pwrite(file.fileno(), bytes(1 << 20), 0)
        os.fsync(file.fileno())
