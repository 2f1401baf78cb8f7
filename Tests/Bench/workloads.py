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
    Workload("write", "write 1 MiB, fsync", "MB/s"),
    Workload("read-cold", "read 1 MiB, cold", "MB/s"),
    Workload("read-warm", "read 1 MiB, warm", "MB/s"),
    Workload("random-read", "random read, cold", "1/s"),
    Workload("random-read-2", "the same, 2 threads", "1/s"),
    Workload("random-write", "random write, fsync", "1/s"),
    Workload("random-sync", "the same, fdatasync", "1/s"),
    Workload("create", "create small files", "1/s"),
    Workload("stat", "list and stat, cold", "1/s"),
    Workload("read-files", "read them, cold", "1/s"),
    Workload("delete", "delete them", "1/s"),
    Workload("untar", "tar -x", "s"),
    Workload("grep", "grep -r, cold", "s"),
    Workload("rm", "rm -r", "s"),
    Workload("sqlite", "SQLite", "s"),
)}

CLIENTS = (1, 2, 4, 8, 16)

EXTRAS = {row.key: row for row in (
    Workload("write-512", "write 512 bytes", "MB/s"),
    Workload("write-64k", "write 64 KiB", "MB/s"),
    Workload("writers-1", "one writer of a file", "MB/s"),
    Workload("writers-2", "two writers of one file", "MB/s"),
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
