"""Renames a file until SIGTERM, then prints what the three slowest took: time_renames.py PATH."""
import os
import signal
import sys
import time

path, end = sys.argv[1], []
signal.signal(signal.SIGTERM, lambda *_: end.append(1))
os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
print(flush=True)
names, late = [path, path + "-"], []
while not end:
    start = time.monotonic()
    os.rename(*names)
    late.append(time.monotonic() - start)
    names.reverse()
    time.sleep(0.001)
print(*sorted(late)[-3:], flush=True)
