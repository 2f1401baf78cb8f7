"""What a step costs the whole machine: processor time of all tasks, and context switches."""
import dataclasses
import glob
import os
import pathlib
import re
import resource

from tracepoints import happened

KERNEL_THREAD = 0x00200000  # PF_KTHREAD of <linux/sched.h>


@dataclasses.dataclass(frozen=True)
class Cost:
    """Of one operation. `processor`: microseconds. `requests` to a FUSE daemon that were answered,
    and `wakeups` of any task: None where the kernel does not count them."""

    processor: float
    switches: float
    requests: float | None = None
    wakeups: float | None = None


class Meter:
    """Starts counting when it is made. `processes`: a function that tells which processes alone
    count, with the kernel's threads and this program's children, on a machine where others work.
    `mount_point`: whose requests are counted."""

    def __init__(self, processes=None, mount_point=None):
        self.processes, self.connection = processes, connection_of(mount_point)
        self.counts = self.count()
        self.tasks, self.children = self.running(), ended()

    def cost(self, count):
        """Of each of `count` operations since then."""
        now, children = self.running(), ended()
        nanoseconds = sum(time - self.tasks.get(task, 0) for task, time in now.items())
        return Cost((nanoseconds / 1e3 + (children - self.children) * 1e6) / count, *(
            None if before is None else (after - before) / count
            for before, after in zip(self.counts, self.count())))

    def running(self):
        return running(self.processes and self.processes())

    def count(self):
        """Context switches, requests and wake-ups."""
        requests = None if self.connection is None else happened(
            "fuse/fuse_request_end", f"connection == {self.connection}")
        return switches(), requests, happened("sched/sched_wakeup")


def connection_of(mount_point):
    """The kernel's number of a FUSE mount; None of anything else. Asks no daemon."""
    found = None
    # A name in it may be any bytes.
    for line in pathlib.Path("/proc/self/mountinfo").read_bytes().splitlines():
        fields = line.split()
        if fields[4] == os.fsencode(mount_point or b"") and fields[
                fields.index(b"-") + 1].startswith(b"fuse"):
            found = int(fields[2].partition(b":")[2])
    return found


def running(processes):
    """Nanoseconds on a processor of each task that there is, the kernel's too."""
    times = {}
    for path in glob.iglob("/proc/[0-9]*/task/*/schedstat"):
        try:
            process = int(path.split("/")[2])
            if processes is None or process in processes or is_kernels(process):
                with open(path) as file:
                    times[path] = int(file.read().split()[0])
        except (FileNotFoundError, ProcessLookupError):
            continue
    return times


def is_kernels(process):
    with open(f"/proc/{process}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[6]) & KERNEL_THREAD


def ended():
    """Seconds of this program's children that have come to an end."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def switches():
    with open("/proc/stat") as file:
        return int(re.search(r"^ctxt (\d+)", file.read(), re.MULTILINE)[1])
