"""A tree of a million files on mamd: do look-ups get slower as it grows, and what does the daemon
remember of it?"""
import json
import pathlib
import sys

from machine import in_words
from measuring import alone
from report import Table
from start_figures import weight
from stores import forget
from work import demand, run, work
from running import daemons

EACH = 1_000
LOOK_UPS = 10_000


def measure_million(options):
    """The exit status."""
    with alone(options) as (place, facts):
        figures = {**facts, **Million(place, options.million).measure()}
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")
    show(figures)
    return 0


class Million:
    def __init__(self, place, count):
        self.place, self.count, self.root = place, count, place.files / "million"

    def measure(self):
        self.root.mkdir()
        stages = {}
        made = 0
        for size in sorted({max(EACH, self.count // 100), max(EACH, self.count // 10), self.count}):
            seconds, new = work("grow", self.root, made, size, EACH, timeout=7200)
            print(f"{size} files: {new / seconds:.0f} made a second", file=sys.stderr, flush=True)
            made = size
            stages[size] = {
                "made a second": new / seconds, "microseconds of a look-up": self.look_up(size)}
        return {"stages": stages, "walks": self.walks(), "memory": self.memory()}

    def cold(self):
        self.place.remount()
        forget(self.place)

    def look_up(self, size):
        """Each of a file that nothing is known of yet."""
        self.cold()
        seconds, count = work(
            "look-up", self.root, size, EACH, min(LOOK_UPS, size), 1, timeout=3600)
        return 1e6 * seconds / count

    def walks(self):
        """Seconds of programs that walk the whole tree, cold."""
        directories = -(-self.count // EACH)
        self.cold()
        found, find = run(["find", self.root, "-type", "f"], timeout=7200)
        demand(found.count("\n") == self.count, f"find found {found.count(chr(10))} files")
        self.cold()
        listed, listing = run(["ls", "-lR", self.root], timeout=7200)
        lines = sum(line.startswith("-") for line in listed.splitlines())
        demand(lines == self.count, f"ls listed {lines} files in {directories} directories")
        return {"find": find, "ls -lR": listing}

    def memory(self):
        """What the daemon has grown by for each inode that the kernel remembers, and what is left
        when it forgets them."""
        self.cold()
        before, none = self.own(), remembered()
        run(["find", self.root, "-size", "+1"], timeout=7200)
        full, inodes = self.own(), remembered() - none
        forget(self.place)
        run(["sleep", "5"])
        return {
            "inodes that the kernel remembers": inodes, "MiB before": before, "MiB with them": full,
            "MiB after it forgot them": self.own(),
            "bytes an inode": (full - before) * (1 << 20) / max(inodes, 1)}

    def own(self):
        """MiB that nobody else has."""
        if hasattr(self.place, "workspace"):
            (process,) = daemons(str(self.place.workspace.root))
        else:
            process = self.place.mounted.daemon.pid
        return weight(process)["own"]


def remembered():
    """Of all mounts with a daemon: nobody else should have any that work meanwhile."""
    lines = pathlib.Path("/proc/slabinfo").read_text().splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("fuse_inode ")), 0)


def show(figures):
    print(
        in_words(figures["machine"]),
        f"{figures['place']} on {figures['store']}, {EACH} files a directory.")
    table = Table("Growth", "files", "made a second", "look-up, µs")
    for size, row in figures["stages"].items():
        table.row(
            f"{size:,}", f"{row['made a second']:,.0f}", f"{row['microseconds of a look-up']:.1f}")
    table.show()
    for title in ("walks", "memory"):
        table = Table(title.capitalize(), "", "s" if title == "walks" else "")
        for name, figure in figures[title].items():
            table.row(name, f"{figure:,.1f}")
        table.show()
