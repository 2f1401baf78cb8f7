#!/usr/bin/python3
"""What a redo journal against torn sectors would cost synced writes at the least (adr 42).

    Tests/Measure/redo_journal.py [DIRECTORY] [--rounds 7] [--writes 100]

Today a block is written in its place, and fdatasync ends the write. With a journal each block is
appended to a preallocated journal first; fdatasync of the journal ends the write, the block goes
to its place behind it, and the file itself is synced when 256 blocks have gathered. No daemon, no
cipher and no check takes part: this is the disk's own price, the lower bound. Rounds alternate, and
the median of their ratios is printed.
"""
import argparse
import os
import random
import statistics
import tempfile
import time

BLOCK, FILE_BLOCKS, JOURNAL_BLOCKS = 4096, 4096, 256
# Blocks that are written before each sync.
WORKLOADS = {"one block": 1, "16 blocks in 16 places": 16, "256 blocks in a row": -256}


class Place:
    def __init__(self, directory):
        self.file = self.make(directory, "file", FILE_BLOCKS)
        self.journal = self.make(directory, "journal", JOURNAL_BLOCKS)
        self.gathered = 0

    @staticmethod
    def make(directory, name, blocks):
        file = os.open(os.path.join(directory, name), os.O_RDWR | os.O_CREAT, 0o600)
        os.pwrite(file, os.urandom(blocks * BLOCK), 0)
        os.fsync(file)
        return file

    def in_place(self, blocks, data):
        for block in blocks:
            os.pwrite(self.file, data, block * BLOCK)
        os.fdatasync(self.file)

    def through_journal(self, blocks, data):
        if self.gathered + len(blocks) > JOURNAL_BLOCKS:
            os.fdatasync(self.file)
            self.gathered = 0
        for _ in blocks:
            os.pwrite(self.journal, data, self.gathered * BLOCK)
            self.gathered += 1
        os.fdatasync(self.journal)
        for block in blocks:
            os.pwrite(self.file, data, block * BLOCK)


def choose(count, dice):
    if count > 0:
        return dice.sample(range(FILE_BLOCKS), count)
    first = dice.randrange(FILE_BLOCKS + count)
    return range(first, first - count)


def seconds(write, count, writes, dice):
    data = os.urandom(BLOCK)
    start = time.perf_counter()
    for _ in range(writes):
        write(choose(count, dice), data)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", nargs="?", default=".build")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--writes", type=int, default=100)
    options = parser.parse_args()
    dice = random.Random(1)
    with tempfile.TemporaryDirectory(dir=options.directory) as directory:
        place = Place(directory)
        for name, count in WORKLOADS.items():
            ratios = []
            for _ in range(options.rounds):
                plain = seconds(place.in_place, count, options.writes, dice)
                ratios.append(seconds(place.through_journal, count, options.writes, dice) / plain)
            shown = f"{min(ratios):.2f} to {max(ratios):.2f}"
            print(f"{name}: {statistics.median(ratios):.2f} times as long ({shown})", flush=True)


if __name__ == "__main__":
    main()
