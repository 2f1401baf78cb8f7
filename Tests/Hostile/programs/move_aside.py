"""Renames `one` to `two` and back, again and again: move_aside.py DIRECTORY."""
import os
import sys

here = os.open(sys.argv[1], os.O_PATH)
print(flush=True)
while True:
    os.rename("one", "two", src_dir_fd=here, dst_dir_fd=here)
    os.rename("two", "one", src_dir_fd=here, dst_dir_fd=here)
