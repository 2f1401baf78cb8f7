"""Prints the seconds of an open, a stat and an fsync, a line each, at each path in turn:
time_calls.py PATH…"""
import os
import sys
import time


def timed(call, *arguments):
    start = time.monotonic()
    found = call(*arguments)
    return time.monotonic() - start, found


def at_each(call, *arguments):
    """Its results."""
    seconds, found = zip(*(timed(call, *each) for each in zip(*arguments)))
    print(*seconds)
    return found


paths = sys.argv[1:]
files = at_each(lambda path: os.open(path, os.O_RDWR | os.O_CREAT, 0o600), paths)
at_each(os.stat, map(os.path.dirname, paths))
for file in files:
    os.write(file, b"x" * 5000)
at_each(os.fsync, files)
for file in files:
    os.close(file)
for path in paths:
    os.unlink(path)
