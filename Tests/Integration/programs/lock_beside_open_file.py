"""Locks the workspace beside a temporary file that it holds: lock_beside_open_file.py WORKSPACE.

Prints whether the file's name is gone, and that the file is still open.
"""
import os
import subprocess
import sys
import time

path = os.environ["TMPDIR"] + "/open"
file = open(path, "w")
file.write("x")
file.flush()
subprocess.run(["mamctl", "lock", "--now", "--workspace", sys.argv[1]], check=True)
end = time.monotonic() + 60
while os.path.exists(path) and time.monotonic() < end:
    time.sleep(0.05)
print("there" if os.path.exists(path) else "gone", file.fileno() > 0, flush=True)
# Its account is locked: closing the file would fail.
os._exit(0)
