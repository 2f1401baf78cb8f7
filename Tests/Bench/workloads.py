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
    Workload("write", "sequential write, 1 MiB requests, fsync", "MB/s"),
    Workload("read-cold", "sequential read, cold", "MB/s"),
    Workload("read-warm", "sequential read, warm", "MB/s"),
    Workload("random-read", "random read, 4 KiB, cold", "1/s"),
    Workload("random-read-2", "the same with two threads", "1/s"),
    Workload("random-write", "random write, 4 KiB, fsync at the end", "1/s"),
    Workload("random-sync", "random write, 4 KiB, fdatasync after each", "1/s"),
    Workload("create", "create files of 4 KiB", "1/s"),
    Workload("stat", "list and stat them, cold", "1/s"),
    Workload("read-files", "read them, cold", "1/s"),
    Workload("delete", "delete them", "1/s"),
    Workload("untar", "tar -x of a source tree", "s"),
    Workload("grep", "grep -r in it, cold", "s"),
    Workload("rm", "rm -r of it", "s"),
    Workload("sqlite", "SQLite, 200 transactions", "s"),
)}

CLIENTS = (1, 2, 4, 8, 16)

EXTRAS = {row.key: row for row in (
    Workload("write-512", "sequential write, 512-byte requests", "MB/s"),
    Workload("write-64k", "the same with 64 KiB requests", "MB/s"),
    Workload("writers-1", "one writer of a file", "MB/s"),
    Workload("writers-2", "two writers of the same file", "MB/s"),
    *(Workload(f"clients-{count}", f"clients that read, write and stat files: {count}", "1/s") for count in CLIENTS),
)}

ALL = {**WORKLOADS, **EXTRAS}
