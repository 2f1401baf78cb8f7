"""Has the lock of a workspace, and ends: the first thread at once, the other a second later:
slow_death.py LOCK."""
import ctypes
import fcntl
import os
import sys
import threading
import time

EXIT = 60 if os.uname().machine == "x86_64" else 93

lock = open(sys.argv[1], "w")
fcntl.flock(lock, fcntl.LOCK_EX)
print(f"process {os.getpid()}, at /nowhere", file=lock, flush=True)
threading.Thread(target=lambda: (time.sleep(1), os._exit(0))).start()
# exit(2), of this thread alone.
ctypes.CDLL(None).syscall(EXIT, 0)
