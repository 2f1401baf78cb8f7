"""One place in one round: the steps of each group, those that were asked for measured."""
import shutil

from meter import Meter
from sizes import MIB
from stores import forget, store
from work import demand, run, warm, work
from workloads import CLIENTS

REQUEST = MIB
PROGRAMS = ("work", "tar", "grep", "rm", "sqlite3")


class Steps:
    """`record`: takes a workload's key, its figure and its cost. `wanted`: keys; what they need is
    done as well."""

    def __init__(self, place, sizes, archive, wanted, record, seed):
        self.place, self.sizes, self.archive = place, sizes, archive
        self.wanted, self.record, self.seed = wanted, record, seed

    def wants(self, *keys):
        return any(key in self.wanted for key in keys)

    def rate(self, key, name, *words):
        """One workload of work.c, in operations a second."""
        meter = Meter(mount_point=self.place.files)
        seconds, count = work(name, *words)
        self.keep(key, count / seconds, meter.cost(count))

    def speed(self, key, name, path, size, request, *words):
        """The same in MB/s; `request`: bytes of one operation."""
        meter = Meter(mount_point=self.place.files)
        seconds, _ = work(name, path, size, request, *words)
        self.keep(key, size / 1e6 / seconds, meter.cost(size / request))

    def time(self, key, count, command, **options):
        """A program's, in seconds, with its `count` operations; returns what it printed."""
        meter = Meter(mount_point=self.place.files)
        said, seconds = run(command, **options)
        self.keep(key, seconds, meter.cost(count))
        return said

    def keep(self, key, figure, cost):
        if key in self.wanted:
            self.record(key, figure, cost)

    def cold(self):
        """Neither the daemon nor the kernel has anything of the files left."""
        self.place.remount()
        self.settle()

    def settle(self):
        """All that was written is on the disk, and does not go there while something is
        measured."""
        forget(self.place)
        warm([*self.place.programs, *PROGRAMS])

    def clean(self):
        """Takes away what a group left, also after a failure."""
        for path in self.place.files.iterdir():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        store(self.place)

    def large(self):
        """One large file."""
        path, size = self.place.files / "large", self.sizes.large
        self.speed("write", "write", path, size, REQUEST)
        if self.wants("read-cold", "read-warm"):
            self.cold()
            self.speed("read-cold", "read", path, size, REQUEST, "stamps")
            # The one that compares every byte warms the cache too.
            work("read", path, size, REQUEST, "whole")
            self.speed("read-warm", "read", path, size, REQUEST, "stamps")
        for key, threads in (("random-read", 1), ("random-read-2", 2)):
            if self.wants(key):
                self.cold()
                self.random(key, "random-read", path, self.sizes.random_reads, threads)
        if self.wants("random-write", "random-sync"):
            self.cold()
            self.random("random-write", "random-write", path, self.sizes.random_writes, "end")
            self.random("random-sync", "random-write", path, self.sizes.synced_writes, "each")
        path.unlink()

    def random(self, key, name, path, count, how):
        self.seed += 1
        self.rate(key, name, path, count, self.sizes.seconds, how, self.seed)

    def small(self):
        """Many small files."""
        path, count = self.place.files / "small", self.sizes.files
        self.rate("create", "create", path, count)
        for key in ("stat", "read-files"):
            if self.wants(key):
                self.cold()
                self.rate(key, key, path, count)
        self.rate("delete", "delete", path, count)

    def tree(self):
        """A source tree, as programs make, search and remove it."""
        path, entries = self.place.files / "tree", self.archive.entries
        path.mkdir()
        self.time("untar", entries, ["tar", "-xf", self.archive.path, "-C", path])
        self.cold()
        found = self.time("grep", entries, ["grep", "-rhF", self.archive.word, path])
        demand(
            found.count("\n") == self.archive.lines,
            f"grep found {found.count(chr(10))} lines, not {self.archive.lines}")
        there = sum(1 for _ in path.rglob("*"))
        demand(there == entries, f"{there} entries, not {entries}")
        self.time("rm", entries, ["rm", "-r", path])
        demand(not path.exists(), "rm left something")

    def sqlite(self):
        """Each row is a transaction of its own, with SQLite's own settings."""
        path, count = self.place.files / "database", self.sizes.transactions
        run(["sqlite3", path, "CREATE TABLE facts (number INTEGER PRIMARY KEY, text TEXT)"])
        rows = "".join(f"INSERT INTO facts VALUES ({one}, '{one:0200}');\n" for one in range(count))
        self.time("sqlite", count, ["sqlite3", path], input=rows)
        said, _ = run(
            ["sqlite3", path, "SELECT count(*), sum(number) FROM facts; PRAGMA integrity_check"])
        demand(
            said.split() == [f"{count}|{count * (count - 1) // 2}", "ok"], f"SQLite says {said!r}")
        path.unlink()

    def requests(self):
        """The same bytes in small and in large requests; by one and by two writers."""
        path, size, shared = self.place.files / "pieces", self.sizes.pieces, self.sizes.shared
        for key, request in (("write-512", 512), ("write-64k", 64 << 10)):
            if self.wants(key):
                self.speed(key, "write", path, size, request)
                work("read", path, size, REQUEST, "whole")
        for writers in (1, 2):
            if self.wants(f"writers-{writers}"):
                self.speed(f"writers-{writers}", "writers", path, shared, 64 << 10, writers)
                work("read", path, shared, REQUEST, "whole")

    def clients(self):
        """Processes that each do a bit of everything."""
        path, files = self.place.files / "clients", self.sizes.clients_files
        work("create", path, files)
        for count in CLIENTS:
            if self.wants(f"clients-{count}"):
                self.rate(
                    f"clients-{count}", "clients", path, files, count,
                    self.sizes.clients_milliseconds)


GROUPS = {
    "large": (
        "write", "read-cold", "read-warm", "random-read", "random-read-2", "random-write",
        "random-sync"),
    "small": ("create", "stat", "read-files", "delete"),
    "tree": ("untar", "grep", "rm"),
    "sqlite": ("sqlite",),
    "requests": ("write-512", "write-64k", "writers-1", "writers-2"),
    "clients": tuple(f"clients-{count}" for count in CLIENTS),
}
