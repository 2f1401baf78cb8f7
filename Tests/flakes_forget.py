"""Has the kernel forget names and inodes that nobody uses, of all file systems. Root only."""
import pathlib
import time

while True:
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("2")
    time.sleep(0.05)
