"""Compares a file that may be locked with another, for some seconds: compare_on.py FILE EXPECTED
SECONDS."""
import errno
import pathlib
import sys
import time

path, expected = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_bytes()
end = time.monotonic() + float(sys.argv[3])
while time.monotonic() < end:
    try:
        data = path.read_bytes()
    except OSError as problem:
        if problem.errno != errno.ENOKEY:
            raise
        continue
    if data != expected:
        sys.exit("read other bytes")
