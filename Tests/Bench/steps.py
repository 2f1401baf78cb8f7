"""One place in one round: the steps of each group, those that were asked for measured."""
import shutil

from sizes import MIB
from stores import forget, store
from work import demand, run, warm, work
from workloads import CLIENTS

REQUEST = MIB
PROGRAMS = ("work", "tar", "grep", "rm", "sqlite3")


class Steps:
    """`record`: takes a workload's key and its figure. `wanted`: keys; what they need is done as
    well."""

    def __init__(self, place, sizes, archive, wanted, record, seed):
        self.place, self.sizes, self.archive = place, sizes, archive
        self.wanted, self.record, self.seed = wanted, record, seed

    def wants(self, *keys):
        return any(key in self.wanted for key in keys)

    def keep(self, key, figure):
        if key in self.wanted:
            self.record(key, figure)

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
        self.keep("write", size / 1e6 / work("write", path, size, REQUEST)[0])
        if self.wants("read-cold", "read-warm"):
            self.cold()
            self.keep("read-cold", size / 1e6 / work("read", path, size, REQUEST, "stamps")[0])
            # The one that compares every byte warms the cache too.
            work("read", path, size, REQUEST, "whole")
            self.keep("read-warm", size / 1e6 / work("read", path, size, REQUEST, "stamps")[0])
        for key, threads in (("random-read", 1), ("random-read-2", 2)):
            if self.wants(key):
                self.cold()
                self.keep(
                    key, self.rate(
                        "random-read", path, self.sizes.random_reads, self.sizes.seconds, threads))
        if self.wants("random-write", "random-sync"):
            self.cold()
            self.keep(
                "random-write",
                self.rate(
                    "random-write", path, self.sizes.random_writes, self.sizes.seconds, "end"))
            self.keep(
                "random-sync",
                self.rate(
                    "random-write", path, self.sizes.synced_writes, self.sizes.seconds, "each"))
        path.unlink()

    def rate(self, name, *words):
        self.seed += 1
        seconds, count = work(name, *words, self.seed)
        return count / seconds

    def small(self):
        """Many small files."""
        path, count = self.place.files / "small", self.sizes.files
        self.keep("create", count / work("create", path, count)[0])
        for key in ("stat", "read-files"):
            if self.wants(key):
                self.cold()
                self.keep(key, count / work(key, path, count)[0])
        self.keep("delete", count / work("delete", path, count)[0])

    def tree(self):
        """A source tree, as programs make, search and remove it."""
        path = self.place.files / "tree"
        path.mkdir()
        _, seconds = run(["tar", "-xf", self.archive.path, "-C", path])
        self.keep("untar", seconds)
        self.cold()
        found, seconds = run(["grep", "-rhF", self.archive.word, path])
        self.keep("grep", seconds)
        demand(
            found.count("\n") == self.archive.lines,
            f"grep found {found.count(chr(10))} lines, not {self.archive.lines}")
        entries = sum(1 for _ in path.rglob("*"))
        demand(entries == self.archive.entries, f"{entries} entries, not {self.archive.entries}")
        _, seconds = run(["rm", "-r", path])
        self.keep("rm", seconds)
        demand(not path.exists(), "rm left something")

    def sqlite(self):
        """Each row is a transaction of its own, with SQLite's own settings."""
        path, count = self.place.files / "database", self.sizes.transactions
        run(["sqlite3", path, "CREATE TABLE facts (number INTEGER PRIMARY KEY, text TEXT)"])
        rows = "".join(f"INSERT INTO facts VALUES ({one}, '{one:0200}');\n" for one in range(count))
        _, seconds = run(["sqlite3", path], input=rows)
        self.keep("sqlite", seconds)
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
                self.keep(key, size / 1e6 / work("write", path, size, request)[0])
                work("read", path, size, REQUEST, "whole")
        for writers in (1, 2):
            if self.wants(f"writers-{writers}"):
                self.keep(
                    f"writers-{writers}",
                    shared / 1e6 / work("writers", path, shared, 64 << 10, writers)[0])
                work("read", path, shared, REQUEST, "whole")

    def clients(self):
        """Processes that each do a bit of everything."""
        path, files = self.place.files / "clients", self.sizes.clients_files
        work("create", path, files)
        for count in CLIENTS:
            if self.wants(f"clients-{count}"):
                seconds, done = work("clients", path, files, count, self.sizes.clients_milliseconds)
                self.keep(f"clients-{count}", done / seconds)


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
