"""Makes files, whatever happens: stubborn.py DIRECTORY."""
import contextlib
import itertools
import os
import sys

for number in itertools.count():
    with contextlib.suppress(OSError):
        os.close(os.open(f"{sys.argv[1]}/stubborn-{number % 100}", os.O_CREAT | os.O_WRONLY))
