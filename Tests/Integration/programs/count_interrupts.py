"""Prints how many interrupts came, a moment after the first one: count_interrupts.py."""
import signal
import time

count = []
signal.signal(signal.SIGINT, lambda *_: count.append(1))
print("ready", flush=True)
end = time.monotonic() + 60
while not count and time.monotonic() < end:
    time.sleep(0.01)
time.sleep(0.3)
print("interrupts", len(count), flush=True)
