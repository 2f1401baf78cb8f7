"""Does the same to two files, and compares them: ring_worker.py SEED SECONDS FILE COPY. The first
is in the mount."""
import mmap
import os
import random
import sys
import time

LARGEST = 3 << 20


class Pair:
    def __init__(self, chance, *paths):
        self.chance = chance
        self.files = [os.open(path, os.O_RDWR | os.O_CREAT, 0o600) for path in paths]

    def both(self, function, *arguments):
        results = [function(file, *arguments) for file in self.files]
        if results[0] != results[1]:
            raise AssertionError(f"{function.__name__}{str(arguments)[:60]} differs")
        return results[0]

    def place(self):
        size = os.fstat(self.files[1]).st_size
        return self.chance.randrange(size + 1), self.chance.choice((1, 100, 4096, 70_000, 400_000))

    def write(self):
        start, count = self.place()
        self.both(os.pwrite, self.chance.randbytes(count), min(start, LARGEST))

    def read(self):
        start, count = self.place()
        self.both(os.pread, count, start)

    def cut(self):
        self.both(os.ftruncate, self.chance.randrange(LARGEST))

    def store(self):
        """Through a mapping."""
        start, count = self.place()
        data = self.chance.randbytes(count)

        def store(file):
            size = os.fstat(file).st_size
            if size == 0:
                return
            with mmap.mmap(file, size) as memory:
                memory[start:start + count] = data[: max(0, size - start)]

        self.both(store)

    def sync(self):
        self.both(os.fsync)

    def drop(self):
        """What is read next comes from the daemon."""
        os.fsync(self.files[0])
        os.posix_fadvise(self.files[0], 0, 0, os.POSIX_FADV_DONTNEED)

    def compare(self):
        self.drop()
        self.both(lambda file: os.pread(file, 2 * LARGEST, 0))


def main():
    seed, seconds, *paths = sys.argv[1:]
    chance = random.Random(int(seed))
    pair = Pair(chance, *paths)
    end = time.monotonic() + float(seconds)
    count = 0
    while time.monotonic() < end:
        chance.choices(
            (pair.write, pair.read, pair.drop, pair.store, pair.cut, pair.sync, pair.compare),
            (8, 8, 4, 3, 1, 1, 1))[0]()
        count += 1
    pair.compare()
    print(count)


main()
