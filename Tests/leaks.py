#!/usr/bin/python3
"""Does millions of operations to a mount, and looks whether its daemon grows.

    leaks.py [--operations 10000000] [--seconds N] [--workers 4] [--samples FILE]
             [--build DIRECTORY]

Samples the daemon's memory, descriptors and threads, and fits a line through each but for the
beginning. The last lines have the figures, and with each the leak that is noticed for certain after
so many operations; less may pass for what a daemon takes at its start. Exit status 1: a line rises
more than it may.

All lies on /dev/shm, where a sync costs nothing.
"""
import argparse
import contextlib
import csv
import mmap
import os
import pathlib
import signal
import struct
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "Integration"))
import workspace
from leaks_operations import Operations

BUILD = HERE.parent / ".build" / "release"
SETTINGS = {"LockGraceSeconds": 0, "LockDeadlineSeconds": 60}
QUESTIONS_EVERY, LOCK_EVERY = 100, 600  # rounds

# What a line may rise by in all, and what more for each operation. In each of the daemon's threads
# the allocator grows by some MiB until all have had the largest requests: a short run, whose first
# quarter does not count, ends before that; a long one, whose first half does not, must be flat.
LONG_RUN = 2_000_000
SHORT = {"anonymous": (12 << 20, 10), "descriptors": (20, 0.0005), "threads": (4, 0.0001)}
LONG = {"anonymous": (2 << 20, 0), "descriptors": (10, 0), "threads": (4, 0)}


def measure(pid):
    """Bytes of memory that are the daemon's own, open descriptors and threads."""
    rollup = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    kilobytes = {line.split(":")[0]: int(line.split()[1]) for line in rollup.splitlines()[1:]}
    return {
        "rss": kilobytes["Rss"] << 10, "pss": kilobytes["Pss"] << 10,
        "anonymous": kilobytes["Anonymous"] << 10,
        "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
        "threads": len(os.listdir(f"/proc/{pid}/task"))}


def slope(points):
    """Least squares: how much y rises with each x."""
    count = len(points)
    middle_x, middle_y = sum(x for x, _ in points) / count, sum(y for _, y in points) / count
    return sum((x - middle_x) * (y - middle_y) for x, y in points) / sum(
        (x - middle_x) ** 2 for x, _ in points)


class Run:
    def __init__(self, options):
        self.options = options
        tempfile.tempdir = "/dev/shm"
        self.place = workspace.Workspace("leaks", SETTINGS)
        self.counts = mmap.mmap(-1, 8 * options.workers)
        self.workers, self.samples = [], []

    def start(self):
        self.place.init().mount().register()
        self.pid = self.place.daemon()
        for index in range(self.options.workers):
            pid = os.fork()
            if pid == 0:
                self.work(index)
            self.workers.append(pid)

    def work(self, index):
        """In the child, until it is ended."""
        try:
            operations = Operations(
                self.place.path(str(index)), self.place.root / f"outside-{index}",
                self.place.socket)
            signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
            number = 0
            while True:
                number += 1
                operations.round()
                if number % QUESTIONS_EVERY == 0:
                    operations.questions()
                if index == 0 and number % LOCK_EVERY == 0:
                    operations.lock_and_unlock()
                struct.pack_into("<Q", self.counts, 8 * index, operations.count)
        except BaseException as problem:
            print(f"worker {index}: {problem!r}", file=sys.stderr, flush=True)
        finally:
            os._exit(1)

    def done(self):
        return sum(struct.unpack(f"<{self.options.workers}Q", self.counts[:]))

    def watch(self):
        """Until there are enough operations, or the time is over. A worker that ends early is a
        failure."""
        begin = time.monotonic()
        while (self.done() < self.options.operations
               and time.monotonic() - begin < self.options.seconds):
            time.sleep(0.2 if self.done() < LONG_RUN else 1)
            self.samples.append({"operations": self.done(), **measure(self.pid)})
            for worker in self.workers:
                if os.waitpid(worker, os.WNOHANG)[0]:
                    raise SystemExit("a worker ended early")
        self.seconds = time.monotonic() - begin

    def stop(self):
        for worker in self.workers:
            with contextlib.suppress(OSError):  # one that ended early
                os.kill(worker, signal.SIGTERM)

    def problems(self):
        """What rises more than it may; prints all lines."""
        found = []
        is_long = self.done() > LONG_RUN
        limits = LONG if is_long else SHORT
        begin = self.done() / (2 if is_long else 4)
        steady = [sample for sample in self.samples if sample["operations"] >= begin]
        operations = steady[-1]["operations"] - steady[0]["operations"]
        print(
            f"{self.done()} operations in {self.seconds:.0f} s; lines through {len(steady)} "
            f"samples:")
        for name in ("rss", "pss", "anonymous", "descriptors", "threads"):
            rise = slope([(sample["operations"], sample[name]) for sample in steady])
            line = (
                f"  {name:12} {steady[0][name]:>12} to {steady[-1][name]:>12}  {rise:+.6f} for "
                f"each operation")
            if name not in limits:
                print(line)
                continue
            in_all, each = limits[name]
            allowed = in_all / operations + each
            print(f"{line}; more than {allowed:.6f} is noticed")
            if rise > allowed:
                found.append(f"{name} grows by {rise:.4f} with each operation")
        return found

    def save(self, path):
        with open(path, "w", newline="") as file:
            table = csv.DictWriter(file, self.samples[0])
            table.writeheader()
            table.writerows(self.samples)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--operations", type=int, default=10_000_000)
    parser.add_argument("--seconds", type=float, default=float(24 * 3600))
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--samples", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=BUILD)
    options = parser.parse_args()
    if options.build.is_dir():
        os.environ["PATH"] = f"{options.build.resolve()}:{os.environ['PATH']}"
    run = Run(options)
    try:
        run.start()
        run.watch()
        problems = run.problems()
        if options.samples:
            run.save(options.samples)
    finally:
        run.stop()
        run.place.close()
    print(*problems, sep="\n", end="\n" if problems else "", file=sys.stderr)
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
