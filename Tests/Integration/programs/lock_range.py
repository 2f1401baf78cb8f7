"""Locks a file, or ten bytes of it from START on: lock_range.py FILE flock|posix|ofd START.

The exit status is 0, or the errno.
"""
import fcntl
import os
import struct
import sys

F_OFD_SETLK = 37

file, how, start = os.open(sys.argv[1], os.O_RDWR), sys.argv[2], int(sys.argv[3])
record = struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, start, 10, 0)
try:
    if how == "flock":
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    else:
        fcntl.fcntl(file, fcntl.F_SETLK if how == "posix" else F_OFD_SETLK, record)
except OSError as problem:
    sys.exit(problem.errno)
