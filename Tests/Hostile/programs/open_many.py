"""Opens a file, or as many files as there are numbers, until it may open no more; says how many,
and why: open_many.py PATH MOST files|directory."""
import errno
import os
import resource
import sys

path, most, way = sys.argv[1], int(sys.argv[2]), sys.argv[3]
resource.setrlimit(resource.RLIMIT_NOFILE, (most + 100, most + 100))
held = []
flags = os.O_RDWR | os.O_CREAT if way == "files" else os.O_RDONLY
try:
    for number in range(most):
        held.append(os.open(f"{path}/{number}" if way == "files" else path, flags))
    print(len(held), "none", flush=True)
except OSError as problem:
    print(len(held), errno.errorcode[problem.errno], flush=True)
sys.stdin.read()
