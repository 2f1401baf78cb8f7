"""Saves as editors do, beside the target and then over it: save_beside.py SOURCE TARGET.

The exit status is 0, or the errno of what failed.
"""
import os
import sys

source, target = sys.argv[1:]
with open(source, "rb") as file:
    content = file.read()
try:
    with open(target + ".part", "wb") as file:
        file.write(content)
    os.rename(target + ".part", target)
except OSError as error:
    sys.exit(error.errno)
