"""Saves in several ways, whatever comes of it, until there is a file: save_on.py PLACE STOP TRIES.

TRIES grows by a byte with each round.
"""
import os
import pathlib
import sys
import time

place, stop, tries = map(pathlib.Path, sys.argv[1:])


def write(number):
    (place / f"plain{number}").write_text("secret")


def make_directories(number):
    os.makedirs(place / f"new{number}" / "below", exist_ok=True)


def write_beside(number):
    (place / ".draft~").write_text("secret")
    (place / ".draft~").rename(place / f"saved{number}")


with open(tries, "wb", buffering=0) as count:
    number = 0
    while not stop.exists():
        number += 1
        for save in (write, make_directories, write_beside):
            try:
                save(number)
            except OSError:
                continue
            # Only what fails is tried without rest: while a file is open there is no unmount.
            time.sleep(0.005)
        count.write(b".")
