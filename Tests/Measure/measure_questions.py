"""Measures questions about many files: `mamctl owner` and `info`.

    measure_questions.py [--programs NAME=DIRECTORY]… [--files N] [--runs N] [--limit SECONDS]

One call asks about all the files, which were met before. Prints medians in seconds: of the whole
time, and of what mamctl and its daemon took of the processors. Several programs take turns, each
with a workspace of its own. With --limit the exit status is 1 if a median is above it.
scripts/measure questions runs it with the programs that were just built.
"""
import argparse
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Integration"))

from report import Table
from running import remove_dead_runs
from workspace import Workspace

# Below a header's size, and with room for one.
SIZES = 1, 5000
VERBS = ["owner"], ["info"], ["info", "--json"]
TICKS = os.sysconf("SC_CLK_TCK")


class Asked:
    """Mounted by the programs of one directory."""

    def __init__(self, name, programs, options):
        self.name = name
        os.environ["PATH"] = f"{programs}:{options.path}" if programs else options.path
        self.workspace = Workspace()
        self.workspace.init().mount().register()
        self.files = {size: self.make(size, options.files) for size in SIZES}

    def make(self, size, count):
        directory = self.workspace.path(str(size))
        directory.mkdir()
        files = [directory / str(number) for number in range(count)]
        for file in files:
            file.write_bytes(b"x" * size)
        return files

    def ask(self, verb, size):
        """Seconds: to the end, of mamctl, of the daemon."""
        before, start = self.daemon_seconds(), time.perf_counter()
        process = subprocess.Popen(
            ["mamctl", *verb, *self.files[size]], env=self.workspace.environment,
            stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        taken = time.perf_counter() - start
        if status:
            raise RuntimeError(f"{' '.join(verb)}: status {os.waitstatus_to_exitcode(status)}")
        return taken, usage.ru_utime + usage.ru_stime, self.daemon_seconds() - before

    def daemon_seconds(self):
        stat = pathlib.Path(f"/proc/{self.workspace.daemon()}/stat").read_text()
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / TICKS


def parsed():
    parser = argparse.ArgumentParser(description="how long questions about many files take")
    parser.add_argument("--programs", action="append", metavar="NAME=DIRECTORY", default=[])
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--limit", type=float, help="seconds that a median may be")
    options = parser.parse_args()
    options.path = os.environ["PATH"]
    return options


def measure(asked, options):
    """The longest median."""
    print(
        f"{os.cpu_count()} processors, Linux {platform.release()}, load "
        f"{os.getloadavg()[0]:.1f}; {options.files:,} files. Seconds.")
    table = Table(
        f"Medians of {options.runs}", "bytes", "verb", "programs", "time", "mamctl", "mamd")
    longest = 0.0
    for size in SIZES:
        for verb in VERBS:
            taken = {one.name: [] for one in asked}
            for _ in range(options.runs + 1):
                for one in asked:
                    taken[one.name].append(one.ask(verb, size))
            for name, runs in taken.items():
                # The first one warms the caches.
                medians = [statistics.median(column) for column in zip(*runs[1:])]
                longest = max(longest, medians[0])
                table.row(
                    f"{size:,}", " ".join(verb), name, *(f"{median:.2f}" for median in medians))
    table.show()
    return longest


def main():
    options, asked = parsed(), []
    remove_dead_runs()
    try:
        for entry in options.programs or ["built="]:
            name, _, directory = entry.partition("=")
            asked.append(Asked(name, directory, options))
        longest = measure(asked, options)
    finally:
        for one in asked:
            one.workspace.close()
    return 1 if options.limit is not None and longest > options.limit else 0


if __name__ == "__main__":
    sys.exit(main())
