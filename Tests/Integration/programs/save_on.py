"""Saves in several ways, whatever comes of it, until there is a file: save_on.py PLACE STOP TRIES.

TRIES grows by a byte with each round.
"""
import contextlib
import os
import pathlib
import sys

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
            with contextlib.suppress(OSError):
                save(number)
        count.write(b".")
