"""Opens files that are closed to it, as fast as it is refused: open_closed.py FILE…

At SIGTERM it prints how many were refused, and in how many seconds."""
import os
import signal
import sys
import time

# What a user's own programs take of the processors is the kernel's to share out: here it is what
# the daemon does for them.
os.nice(19)
end = []
signal.signal(signal.SIGTERM, lambda *_: end.append(1))
print(flush=True)
count, start = 0, time.monotonic()
while not end:
    for path in sys.argv[1:]:
        try:
            os.close(os.open(path, os.O_RDONLY))
        except OSError:
            count += 1
print(count, time.monotonic() - start, flush=True)
