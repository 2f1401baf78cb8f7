"""Opens files in turn, for so many seconds; prints how many opens were refused.

    refused_opens.py SECONDS FILE…
"""
import sys
import time

end, count = time.monotonic() + float(sys.argv[1]), 0
while time.monotonic() < end:
    for path in sys.argv[2:]:
        try:
            open(path).close()
        except OSError:
            count += 1
print(count)
