"""Writes numbered lines into a new file until that is refused: write_until_refused.py FILE.

It prints `started` after a thousand, and at the end how many were taken, and the errno.
"""
import itertools
import os
import sys

file = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)
for number in itertools.count():
    try:
        os.write(file, b"%07d\n" % number)
    except OSError as problem:
        print(number, problem.errno, flush=True)
        break
    if number == 1000:
        print("started", flush=True)
