"""Opens a file, writes so many bytes when it is told to, and has it open until it is told again:
write_when_told.py FILE SIZE. It prints `ready` and `written`."""
import os
import sys

path, size = sys.argv[1:]
file = os.open(path, os.O_WRONLY | os.O_APPEND)
print("ready", flush=True)
sys.stdin.readline()
os.write(file, b"x" * int(size))
print("written", flush=True)
sys.stdin.readline()
