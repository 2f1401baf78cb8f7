"""Prints the seconds of one open, stat and fsync each: time_calls.py PATH."""
import os
import sys
import time


def timed(call, *arguments):
    start = time.monotonic()
    found = call(*arguments)
    print(time.monotonic() - start)
    return found


path = sys.argv[1]
file = timed(os.open, path, os.O_RDWR | os.O_CREAT, 0o600)
timed(os.stat, os.path.dirname(path))
os.write(file, b"x" * 5000)
timed(os.fsync, file)
os.close(file)
os.unlink(path)
