"""Opens a file by its handle, and by its path: open_by_handle.py FILE HANDLE MOUNT.

HANDLE is a `struct file_handle` as hexadecimal digits. Prints both errno values, 0 for none.
"""
import ctypes
import os
import sys

path, handle, mount = sys.argv[1], bytes.fromhex(sys.argv[2]), os.open(sys.argv[3], os.O_RDONLY)
libc = ctypes.CDLL(None, use_errno=True)
by_handle = ctypes.get_errno() if libc.open_by_handle_at(mount, handle, os.O_RDONLY) < 0 else 0
try:
    os.open(path, os.O_RDONLY)
    by_path = 0
except OSError as problem:
    by_path = problem.errno
print(by_handle, by_path)
