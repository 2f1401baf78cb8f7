"""Opens a file so many times; writes how many microseconds each took, and how many of them were its
own processor time, into another file: a contained program has no pipe.

    opens.py FILE RESULT COUNT one|any

With `one` it stays on the first processor.
"""
import os
import sys
import time


def opens(path, count):
    start, used = time.perf_counter(), time.process_time()
    for _ in range(count):
        os.close(os.open(path, os.O_RDONLY))
    return [1e6 * (time.perf_counter() - start) / count, 1e6 * (time.process_time() - used) / count]


path, result, count, processors = sys.argv[1:]
if processors == "one":
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
opens(path, 200)
found = opens(path, int(count))
with open(result, "w") as file:
    print(*found, file=file)
