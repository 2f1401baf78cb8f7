"""Measures what containment costs: the start of a program, and an open in the mount.

    measure_contained.py [--rounds N] [--opens N]

Rounds take turns, so that what disturbs the machine disturbs all alike; medians are shown. Opens
are measured with the caller and the daemon on one processor, where the scheduler has no choice, and
wherever it puts them; and outside the mount, where what Landlock and the filter cost shows alone.
scripts/measure contained runs it with the programs that were just built.
"""
import argparse
import contextlib
import os
import pathlib
import platform
import pty
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Integration"))

from start_runs import run_to_end
from running import daemons, parent
from workspace import ANN, SETTINGS, Workspace

POLICY = {
    "displayName": "sample", "pinRequired": False,
    "allowedOutboundDataTransferDestinations": "managedApps"}
# Where the file is, and on which processors caller and daemon are.
PLACES = {
    "in the mount, on one processor": ("mount", "one"),
    "in the mount, wherever the scheduler puts them": ("mount", "any"),
    "outside the mount": ("outside", "one")}


@contextlib.contextmanager
def workspace(containment):
    made = Workspace(settings={**SETTINGS, "Containment": containment}, policy=POLICY)
    try:
        made.init().mount().register()
        write = made.write_contained if containment == "required" else pathlib.Path.write_bytes
        write(made.mount_point / "file", b"x" * 4096)
        yield made
    finally:
        made.close()


def run(workspace, *command, contained):
    """Seconds."""
    how = ["--contained"] if contained else ["--identity", ANN]
    return run_to_end(
        "mamctl", "run", "--workspace", workspace.name, *how, "--", *command,
        environment=workspace.environment)


def opens(workspace, count, contained, file, place):
    """Microseconds of one, and of processor time of the caller and the daemon."""
    path = workspace.mount_point / "file" if file == "mount" else "/usr/bin/python3"
    result = workspace.mount_point / "result"
    daemon, = (pid for pid in daemons(workspace.root.name) if parent(pid) == 1)
    put(daemon, place)
    before = processor_time(daemon)
    run(workspace, "/usr/bin/python3", HERE / "opens.py", path, result, str(count), place,
        contained=contained)
    served = (processor_time(daemon) - before) / count
    text = read_contained(workspace, result).decode() if contained else result.read_text()
    elapsed, used = map(float, text.split())
    return elapsed, used + served


def put(daemon, place):
    processors = os.sched_getaffinity(0)
    for thread in pathlib.Path(f"/proc/{daemon}/task").iterdir():
        os.sched_setaffinity(
            int(thread.name), {min(processors)} if place == "one" else processors)


def processor_time(process):
    """Microseconds, of all its threads."""
    return sum(
        int((thread / "schedstat").read_text().split()[0])
        for thread in pathlib.Path(f"/proc/{process}/task").iterdir()) / 1e3


def read_contained(workspace, path):
    """A terminal is the one way in which a contained program tells something outside."""
    master, slave = pty.openpty()
    try:
        subprocess.run(
            ["mamctl", "run", "--workspace", workspace.name, "--contained", "--", "cat", path],
            stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
            env=workspace.environment, check=True)
        return os.read(master, 100)
    finally:
        os.close(slave)
        os.close(master)


def main():
    parser = argparse.ArgumentParser(description="what containment costs")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--opens", type=int, default=3000)
    options = parser.parse_args()
    starts = {"alone": [], "run --identity": [], "run --contained": []}
    found = {where: {"not contained": [], "contained": []} for where in PLACES}
    with workspace("off") as plain, workspace("required") as required:
        for _ in range(options.rounds):
            starts["alone"].append(run_to_end("true"))
            starts["run --identity"].append(run(required, "true", contained=False))
            starts["run --contained"].append(run(required, "true", contained=True))
            for where, times in found.items():
                times["not contained"].append(opens(plain, options.opens, False, *PLACES[where]))
                times["contained"].append(opens(required, options.opens, True, *PLACES[where]))
    print(f"{platform.machine()}, {os.cpu_count()} processors, Linux {platform.release()}, load "
          f"{os.getloadavg()[0]:.1f}, {options.rounds} rounds\n")
    for name, seconds in starts.items():
        print(f"start of true, {name:16} {1e3 * statistics.median(seconds):7.2f} ms")
    for where, times in found.items():
        print(f"\nopen and close, {where}")
        for name, values in times.items():
            elapsed, used = (statistics.median(column) for column in zip(*values))
            print(f"{name:15} {elapsed:7.1f} us, {used:5.1f} us of processors")
        for column, what in enumerate(("time", "processor time")):
            ratio = statistics.median(
                one[column] / other[column]
                for one, other in zip(times["contained"], times["not contained"]))
            print(f"contained against the others, {what}, median of the rounds: {ratio:.3f}")


if __name__ == "__main__":
    main()
