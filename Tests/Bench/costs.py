"""What an operation on the mount, above an ext4, costs the daemon: requests, system calls,
allocations and time. By counting: strace counts the calls, probes in libc the allocations, the
kernel the time on a processor."""
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from filesystems import Mamd
from machine import in_words, machine
from measuring import mounted, scratch
from output import DOCUMENT
from stores import STORES, forget
from tables import aligned, filled, into_document
from running import daemons

COUNT = 400
# The least of them counts: whatever else runs only adds to it.
ROUNDS = 5
MARKS = "<!-- costs -->", "<!-- /costs -->"
PROBES = ("malloc", "calloc")
LIBC = "/lib/x86_64-linux-gnu/libc.so.6"
# The daemon's threads asking for the next request, or for nothing, are no work.
WAITING = {"clock_nanosleep", "futex", "poll", "sched_yield", "restart_syscall", "total"}


def written(path, flags):
    file = os.open(path, flags | os.O_WRONLY, 0o600)
    os.write(file, bytes(4096))
    return file


def create(root):
    for number in range(COUNT):
        os.close(written(root / f"f{number}", os.O_CREAT | os.O_EXCL))


def overwrite(root):
    for number in range(COUNT):
        os.close(written(root / f"f{number}", os.O_TRUNC))


def save(root):
    """As editors do."""
    for number in range(COUNT):
        file = written(root / "new", os.O_CREAT | os.O_EXCL)
        os.fsync(file)
        os.close(file)
        os.rename(root / "new", root / f"f{number}")


def stat(root):
    for number in range(COUNT):
        os.stat(root / f"f{number}")


def listing(root):
    for entry in os.scandir(root):
        entry.stat()


def read_small(root):
    for number in range(COUNT):
        file = os.open(root / f"f{number}", os.O_RDONLY)
        os.read(file, 4096)
        os.close(file)


def delete(root):
    for number in range(COUNT):
        os.unlink(root / f"f{number}")


def blocks(root, flags, action):
    """Far from each other, so that nothing is gathered or read ahead."""
    file = os.open(root / "large", flags)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
    for number in range(COUNT):
        action(file, (number * 7919 % COUNT) * (1 << 20))
    os.close(file)


def read(file, at):
    os.pread(file, 4096, at)


def write_through(file, at):
    os.pwrite(file, bytes(4096), at)
    os.fdatasync(file)


# In an order in which each finds what it needs; the kernel has forgotten everything before each.
OPERATIONS = {
    "create a file of 4 KiB": create,
    "stat": stat,
    "list with attributes": listing,
    "open, read 4 KiB, close": read_small,
    "overwrite it, truncated": overwrite,
    "save it: fsync, rename": save,
    "unlink": delete,
    "read 4 KiB": lambda root: blocks(root, os.O_RDONLY, read),
    "write 4 KiB, fdatasync": lambda root: blocks(root, os.O_RDWR, write_through),
}


def seconds(process):
    return sum(
        int((task / "schedstat").read_text().split()[0])
        for task in pathlib.Path(f"/proc/{process}/task").iterdir()) / 1e9


def ended(counter):
    counter.send_signal(signal.SIGINT)
    return counter.communicate()[1]


def calls(process, action):
    """System calls of the daemon's threads while something runs."""
    counter = subprocess.Popen(
        ["strace", "-f", "-c", "-U", "calls,name", "-p", str(process)], stderr=subprocess.PIPE,
        text=True)
    time.sleep(1)
    action()
    found = collections.Counter()
    for line in ended(counter).splitlines():
        match = re.fullmatch(r"\s*(\d+)\s+(\w+)", line)
        if match and match[2] not in WAITING:
            found[match[2]] += int(match[1])
    return found


def allocations(process, action):
    events = ",".join(f"probe_libc:{name}" for name in PROBES)
    counter = subprocess.Popen(
        ["perf", "stat", "-x", ";", "-e", events, "-p", str(process)], stderr=subprocess.PIPE,
        text=True)
    time.sleep(1)
    action()
    return sum(
        int(line.split(";")[0]) for line in ended(counter).splitlines() if line[:1].isdigit())


def costs(place):
    root = place.files / "costs"
    root.mkdir()
    (root / "large").write_bytes(bytes(COUNT << 20))
    (process,) = daemons(str(place.workspace.root))
    figures = {}
    for name, operation in OPERATIONS.items():
        def run():
            operation(root)
            os.sync()

        def again():
            # What an operation makes or takes away must be as it was.
            if operation is create:
                delete(root)
            elif operation is delete:
                create(root)
            forget(place)

        spent = []
        for _ in range(ROUNDS):
            forget(place)
            before = seconds(process)
            run()
            spent.append(seconds(process) - before)
            again()
        counted = calls(process, run)
        again()
        made = allocations(process, run)
        replies = counted.pop("writev", 0)
        # Each request is read; what is read beyond that was there for nobody.
        counted["read"] = replies
        calls_in_all = sum(counted.values()) + replies
        figures[name] = {
            "requests": replies / COUNT, "system calls": calls_in_all / COUNT,
            "of the store": (calls_in_all - 2 * replies) / COUNT,
            "allocations": made / COUNT, "microseconds": 1e6 * min(spent) / COUNT,
            "calls": {
                call: round(count / COUNT, 2) for call,
                count in counted.most_common() if count >= COUNT / 20}}
    return figures


def table(figures):
    counts = ("requests", "system calls", "of the store", "allocations")
    rows = [[name, *(f"{one[count]:.1f}" for count in counts)] for name, one in figures.items()]
    return aligned([["operation", *counts], *rows])


def all_calls(figures):
    """Which system calls each operation makes."""
    return "\n".join(
        filled(f"- *{name}*: "
        f"{', '.join(f'{call} {count:g}' for call, count in one['calls'].items())}")
        .replace("\n", "\n  ")
        for name, one in figures.items())


def measure_costs(options):
    """The exit status."""
    for name in PROBES:
        subprocess.run(["perf", "probe", "-q", "-x", LIBC, name], check=False)
    with scratch(options) as (_, disk), mounted([Mamd], STORES["ext4"], disk) as (
            places, missing):
        if not places:
            print(f"bench: {missing}", file=sys.stderr)
            return 1
        figures = costs(places[0])
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")
    text = "\n\n".join((filled(in_words(machine())), table(figures), all_calls(figures)))
    print(text)
    if options.write_docs:
        DOCUMENT.write_text(into_document(DOCUMENT.read_text(), text, MARKS))
    return 0
