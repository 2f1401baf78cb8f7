"""The rows of the table: what is measured, in which unit, and which way is better."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Workload:
    key: str
    title: str
    unit: str

    @property
    def is_rate(self):
        return self.unit.endswith("/s")

    def speed_of(self, ours, theirs):
        """How many times as fast as theirs ours is."""
        return ours / theirs if self.is_rate else theirs / ours


WORKLOADS = {row.key: row for row in (
    Workload("write", "sequential write, 1 MiB, fsync", "MB/s"),
    Workload("read-cold", "sequential read, cold", "MB/s"),
    Workload("read-warm", "sequential read, warm", "MB/s"),
    Workload("random-read", "random read, 4 KiB, cold", "1/s"),
    Workload("random-read-2", "the same, two threads", "1/s"),
    Workload("random-write", "random write, 4 KiB, fsync once", "1/s"),
    Workload("random-sync", "random write, fdatasync each", "1/s"),
    Workload("create", "create small files", "1/s"),
    Workload("stat", "list and stat small files, cold", "1/s"),
    Workload("read-files", "read small files, cold", "1/s"),
    Workload("delete", "delete small files", "1/s"),
    Workload("untar", "tar -x of a tree", "s"),
    Workload("grep", "grep -r in the tree, cold", "s"),
    Workload("rm", "rm -r of the tree", "s"),
    Workload("sqlite", "SQLite, 200 transactions", "s"),
)}

CLIENTS = (1, 2, 4, 8, 16)

EXTRAS = {row.key: row for row in (
    Workload("write-512", "write, 512-byte requests", "MB/s"),
    Workload("write-64k", "write, 64 KiB requests", "MB/s"),
    Workload("writers-1", "one writer of a file", "MB/s"),
    Workload("writers-2", "two writers of the same file", "MB/s"),
    *(
        Workload(f"clients-{count}", f"{count} client{'s' * (count > 1)}, small files", "1/s")
        for count in CLIENTS),
)}

ALL = {**WORKLOADS, **EXTRAS}

# What the extra rows are for: one figure over another, of the same place.
WITHIN = (
    ("512-byte requests against 64 KiB", "write-64k", "write-512"),
    ("two writers against one", "writers-2", "writers-1"),
    (f"{CLIENTS[-1]} clients against one", f"clients-{CLIENTS[-1]}", "clients-1"),
)
