"""Changes a file in its mapping, and holds that until a line of standard input: change_mapping.py
FILE OFFSET TEXT."""
import mmap
import sys

path, offset, text = sys.argv[1], int(sys.argv[2]), sys.argv[3].encode()
with open(path, "r+b") as file:
    mapping = mmap.mmap(file.fileno(), 0)
mapping[offset:offset + len(text)] = text
print("ready", flush=True)
sys.stdin.readline()
