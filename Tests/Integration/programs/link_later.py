"""Has a file without a name, and links it when it is told to:
link_later.py open|path DIRECTORY PATH."""
import errno
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from posix_calls import link_open

kind, directory, path = sys.argv[1:]
descriptor = os.open(directory, os.O_TMPFILE | os.O_RDWR, 0o600)
os.write(descriptor, b"secret")
if kind == "path":
    other = os.open(f"/proc/self/fd/{descriptor}", os.O_PATH)
    os.close(descriptor)
    descriptor = other
print("ready", flush=True)
sys.stdin.readline()
try:
    link_open(descriptor, path)
    print("linked")
except OSError as error:
    print(errno.errorcode[error.errno])
