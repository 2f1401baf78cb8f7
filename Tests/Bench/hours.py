"""Hours of mixed load on mamd: does it get slower, and what does the daemon gather?"""
import json
import pathlib
import statistics
import sys
import threading
import time

from machine import in_words
from measuring import alone
from meter import Meter
from tables import aligned, cell
from work import work
from running import daemons

FILES, CLIENTS = 1_000, 4
PERIOD, QUICK_PERIOD = 60, 1  # seconds
MIB = 1 << 20

# What the last tenth is compared with, what a difference is called, and how large it may be. Speed
# is compared with that of a new daemon: the machine's own differs by more in an hour.
COLUMNS = {
    "operations a second": ("new", "DRIFT", 0.9), "us of processor": ("new", "DRIFT", 1.1),
    "MiB resident": ("first", "LEAK", 1.1), "descriptors": ("first", "LEAK", 1.1),
    "threads": ("first", "LEAK", 1.1)}


def measure_hours(options):
    """The exit status."""
    with alone(options) as (place, facts):
        hours = Hours(place, QUICK_PERIOD if options.quick else PERIOD)
        hours.load(options.hours * 3600)
    if options.json:
        options.json.write_text(json.dumps(
            {**facts, "period": hours.period, "samples": hours.samples, "new": hours.new}) + "\n")
    print(
        in_words(facts["machine"]),
        f"{facts['place']} on {facts['store']}, {len(hours.samples)} samples.\n")
    text, went_wrong = judged(hours.samples, hours.new)
    print(text)
    return int(went_wrong)


class Hours:
    """`samples`: by column, one at the end of each period, when nothing works; `new`: those of a
    new daemon after it. `period`: seconds."""

    def __init__(self, place, period):
        self.place, self.period = place, period
        self.samples, self.new = [], []

    def load(self, seconds):
        work("create", self.place.files / "small", FILES)
        end = time.monotonic() + seconds
        while len(self.samples) < 2 or time.monotonic() < end:
            self.add(self.samples)
        self.place.remount()
        # The first fills the caches.
        while len(self.new) < 1 + tenth(self.samples):
            self.add(self.new)

    def add(self, samples):
        samples.append(self.sample())
        print(
            f"{len(samples)}:",
            ", ".join(f"{cell(figure)} {name}" for name, figure in samples[-1].items()),
            file=sys.stderr, flush=True)

    def sample(self):
        (process,) = daemons(str(self.place.workspace.root))
        over, cycles = threading.Event(), []
        others = threading.Thread(target=self.churn, args=[over, cycles])
        meter = Meter(lambda: [process])
        others.start()
        try:
            seconds, count = work(
                "clients", self.place.files / "small", FILES, CLIENTS, self.period * 1000)
        finally:
            over.set()
            others.join()
        count += sum(cycles)
        return {
            "operations a second": count / seconds,
            "us of processor": meter.cost(count).processor,
            **state(process)}

    def churn(self, over, cycles):
        """Files come and go, and a large one is written and read, beside what the clients do. Adds
        the operations of each cycle."""
        path, large = self.place.files / "churn", self.place.files / "large"
        while not over.is_set():
            for name in ("create", "stat", "delete"):
                work(name, path, 200)
            work("write", large, 16 * MIB, MIB)
            work("read", large, 16 * MIB, MIB, "whole")
            cycles.append(3 * 200 + 2 * 16)
            over.wait(0.1)


def state(process):
    """What the daemon has."""
    place = pathlib.Path(f"/proc/{process}")
    resident = int((place / "statm").read_text().split()[1]) * 4096 / MIB
    return {
        "MiB resident": resident, "descriptors": len([*(place / "fd").iterdir()]),
        "threads": len([*(place / "task").iterdir()])}


def tenth(samples):
    return max(1, (len(samples) - 1) // 10)


def judged(samples, new):
    """A table, and whether anything is marked."""
    count = tenth(samples)
    # Without those that fill the caches.
    parts = {"first": samples[1:1 + count], "last": samples[-count:], "new": new[1:]}
    lines, marked = [["", *parts, "", ""]], False
    for name, (other, mark, bound) in COLUMNS.items():
        medians = {
            part: statistics.median(sample[name] for sample in found)
            for part, found in parts.items()}
        change = medians["last"] / medians[other]
        wrong = change < bound if bound < 1 else change > bound
        marked |= wrong
        lines.append([
            name, *map(cell, medians.values()), f"last/{other} {change:.2f}",
            mark if wrong else ""])
    return aligned(lines), marked
