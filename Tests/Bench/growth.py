"""Does an operation on mamd cost more beside more files, clients, accounts and open files, or in a
larger file? Only the daemon's, the callers' and the kernel's own processor time counts."""
import contextlib
import dataclasses
import json
import os
import resource
import shutil
import sys
import time

from costs import seconds
from machine import in_words
from measuring import alone
from meter import Meter
from stores import forget
from tables import aligned, cell
from work import work
from running import daemons

EACH = 1_000  # files a directory
FLAT = 1.25  # what the last may cost, against the first
LONG = 7200
MIB = 1 << 20


@dataclasses.dataclass(frozen=True)
class Scale:
    count: int = 2_000
    rounds: int = 3
    trees: tuple = (1_000, 100_000, 1_000_000)
    clients: tuple = (1, 4, 16, 64)
    milliseconds: int = 1_000
    sizes: tuple = (MIB, 64 * MIB, 4096 * MIB, 65536 * MIB)
    accounts: tuple = (1, 10, 100, 1_000)
    held: tuple = (1, 100, 1_000, 10_000)


QUICK = Scale(
    count=100, rounds=1, trees=(1_000, 2_000), clients=(1, 4), milliseconds=50,
    sizes=(MIB, 64 * MIB), accounts=(1, 3), held=(1, 50))


def measure_growth(options):
    """The exit status."""
    with alone(options) as (place, facts):
        growth = Growth(place, QUICK if options.quick else Scale())
        growth.measure()
    if options.json:
        options.json.write_text(json.dumps({**facts, "growth": growth.figures}, indent=1) + "\n")
    print(in_words(facts["machine"]), f"{facts['place']} on {facts['store']}.\n")
    print(growth_tables(growth.figures))
    return 0


class Growth:
    """`figures`: by what grows, operation and size: microseconds of processor time and of the
    clock, for one operation; the least of the rounds."""

    def __init__(self, place, scale):
        self.place, self.scale, self.files = place, scale, place.files
        self.figures = {}

    def measure(self):
        for part in (
                self.trees, self.clients, self.sizes, self.open_files, self.accounts):
            part()

    @contextlib.contextmanager
    def metered(self, grows, operation, size):
        """Yields a list for the seconds and the count."""
        meter, done = Meter(self.processes), []
        yield done
        seconds, count = done
        found = (meter.cost(count).processor, 1e6 * seconds / count)
        sizes = self.figures.setdefault(grows, {}).setdefault(operation, {})
        sizes[size] = [*map(min, found, sizes.get(size, found))]
        print(
            f"{size:,} {grows}: {operation}: {found[0]:.1f} us of processor, {found[1]:.1f} us",
            file=sys.stderr, flush=True)

    def work(self, grows, operation, size, *words):
        with self.metered(grows, operation, size) as done:
            done += work(*words, timeout=LONG)

    def processes(self):
        return [*daemons(str(self.place.workspace.root))]

    def cold(self, root=None):
        """`root`: its directories are known, so that no look-up is two."""
        self.place.remount()
        forget(self.place)
        for directory in root.iterdir() if root else ():
            directory.stat()

    def rounds(self):
        return range(self.scale.rounds)

    def trees(self):
        """Files that nobody knows, and new ones, in directories at random."""
        root, count, made = self.files / "tree", self.scale.count, 0
        grows = "files in the tree"
        root.mkdir()
        for size in self.scale.trees:
            work("grow", root, made, size, EACH, timeout=LONG)
            made = size
            for number in self.rounds():
                self.cold(root)
                self.work(
                    grows, "look-up", size, "look-up", root, size, EACH, min(count, size), number)
                spread = "spread", root, size, EACH, count
                # The first file that is made in a directory costs more, and larger trees have more
                # directories.
                work(*spread, "create")
                work(*spread, "unlink")
                self.work(grows, "create", size, *spread, "create")
                for title, name in ("open, read, close", "read"), ("unlink", "unlink"):
                    self.cold(root)
                    self.work(grows, title, size, *spread, name)
        shutil.rmtree(root)

    def clients(self):
        """The time is that between two operations, whoever's they are."""
        path, count = self.files / "clients", self.scale.count
        work("create", path, count)
        for size in self.scale.clients:
            for _ in self.rounds():
                self.cold()
                self.work(
                    "clients", "small files, mixed", size, "clients", path, count, size,
                    self.scale.milliseconds)
        shutil.rmtree(path)

    def sizes(self):
        path = self.files / "large"
        for size in self.scale.sizes:
            path.touch()
            os.truncate(path, size)
            for _ in self.rounds():
                for name, title in (
                        ("write", "write 4 KiB, fdatasync"), ("read", "read 4 KiB")):
                    self.cold()
                    self.work(
                        "MiB in the file", title, size // MIB, "pages", path, self.scale.count,
                        name)
            path.unlink()

    def open_files(self):
        """What is done to other files."""
        held, small = self.files / "held", self.files / "small"
        # mamd opens so many, and its limit is ours where root may not raise it.
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[0] * 2 // 5 - 100
        sizes = [min(size, most) for size in self.scale.held]
        work("create", held, sizes[-1])
        for size in sizes:
            for _ in self.rounds():
                self.cold()
                with contextlib.ExitStack() as opened:
                    for number in range(size):
                        opened.enter_context(open(held / f"file{number:06}", "rb"))
                    for name in ("create", "read-files", "delete"):
                        self.work(
                            "open files", name, size, name, small, self.scale.count)
        shutil.rmtree(held)

    def accounts(self):
        """Files of the first account, while there are more; and each further account."""
        small, made = self.files / "small", 1
        work("create", small, self.scale.count)
        for size in self.scale.accounts:
            while made < size:
                made += 1
                self.register(f"user{made}@contoso.com", size, is_measured=size - made < 10)
            for _ in self.rounds():
                with self.metered("accounts", "unmount and mount", size) as done:
                    done += timed(self.place.remount)
                self.rest()
                with self.metered("accounts", "a second at rest", size) as done:
                    done += timed(lambda: time.sleep(1))
                forget(self.place)
                self.work(
                    "accounts", "open, read, close", size, "read-files", small, self.scale.count)
                self.work("accounts", "stat", size, "stat", small, self.scale.count)
        shutil.rmtree(small)

    def rest(self):
        """Until the daemon has done what it does after a mount; a minute at most."""
        (process,), end, used = self.processes(), time.monotonic() + 60, 1
        while used > 0.02 and time.monotonic() < end:
            before = seconds(process)
            time.sleep(0.5)
            used = seconds(process) - before

    def register(self, account, size, is_measured):
        """The cheapest of the last ten before a size counts."""
        def register():
            self.place.workspace.register(account, extra=["--no-passphrase"])

        if not is_measured:
            return register()
        with self.metered("accounts", "account register", size) as done:
            done += timed(register)


def timed(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start, 1


def slope(figures, column):
    """The last figure over the first."""
    found = [both[column] for both in figures.values()]
    return found[-1] / found[0]


def growth_tables(figures):
    return "\n\n".join(
        growth_table(grows, operations) for grows, operations in figures.items())


def growth_table(grows, operations):
    sizes = sorted({size for found in operations.values() for size in found})
    lines = [[grows, *(f"{size:,}" for size in sizes), "slope", ""]]
    for operation, found in operations.items():
        for column, unit in enumerate(("us of processor", "us")):
            steep = slope(found, column)
            lines.append([
                f"{operation}, {unit}",
                *(cell(found[size][column]) if size in found else "–" for size in sizes),
                f"{steep:.2f}", "NOT FLAT" if steep > FLAT else ""])
    return aligned(lines)
