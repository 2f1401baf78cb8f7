"""Moves directories to and fro until it is killed: move_directories.py PLACE."""
import os
import sys

here, there = (os.path.join(sys.argv[1], name) for name in ("here", "there"))
names = os.listdir(here)
print("ready", flush=True)
while True:
    for name in names:
        os.rename(os.path.join(here, name), os.path.join(there, name))
    here, there = there, here
