#!/usr/bin/python3
"""Measures what containment costs: the start of a program, and an open in the mount.

    measure_contained.py [--rounds N] [--opens N]

Rounds take turns, so that what disturbs the machine disturbs all alike; medians are shown.
scripts/measure-contained runs it with the programs that were just built.
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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Integration"))

from start_runs import run_to_end  # noqa: E402
from workspace import ANN, SETTINGS, Workspace  # noqa: E402

POLICY = {
    "displayName": "sample", "pinRequired": False,
    "allowedOutboundDataTransferDestinations": "managedApps"}
# Microseconds for each of `count` opens, into a file: a contained program has no pipe.
OPENS = """
import os, sys, time
path, result, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
def opens(count):
    start = time.perf_counter()
    for _ in range(count):
        os.close(os.open(path, os.O_RDONLY))
    return 1e6 * (time.perf_counter() - start) / count
opens(200)
found = opens(count)
with open(result, "w") as file:
    file.write(str(found))
"""


@contextlib.contextmanager
def workspace(containment):
    made = Workspace(settings={**SETTINGS, "Containment": containment}, policy=POLICY)
    try:
        made.init().mount().register()
        (made.mount_point / "file").write_bytes(b"x" * 4096)
        yield made
    finally:
        made.close()


def run(workspace, *command, contained):
    """Seconds."""
    how = ["--contained"] if contained else ["--identity", ANN]
    return run_to_end(
        "mamctl", "run", "--workspace", workspace.name, *how, "--", *command,
        environment=workspace.environment)


def opens(workspace, count, contained):
    """Microseconds of one."""
    place = workspace.mount_point
    result = place / "result"
    run(workspace, "/usr/bin/python3", "-c", OPENS, place / "file", result, str(count),
        contained=contained)
    return float(read_contained(workspace, result) if contained else result.read_text())


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
    found = {"not contained": [], "contained": []}
    with workspace("off") as plain, workspace("required") as required:
        for _ in range(options.rounds):
            starts["alone"].append(run_to_end("true"))
            starts["run --identity"].append(run(required, "true", contained=False))
            starts["run --contained"].append(run(required, "true", contained=True))
            found["not contained"].append(opens(plain, options.opens, contained=False))
            found["contained"].append(opens(required, options.opens, contained=True))
    print(f"{platform.machine()}, {os.cpu_count()} processors, Linux {platform.release()}, load "
          f"{os.getloadavg()[0]:.1f}, {options.rounds} rounds\n")
    for name, seconds in starts.items():
        print(f"start of true, {name:16} {1e3 * statistics.median(seconds):7.2f} ms")
    for name, times in found.items():
        print(f"open and close, {name:15} {statistics.median(times):7.1f} us")
    ratio = statistics.median(
        one / other for one, other in zip(found["contained"], found["not contained"]))
    print(f"contained opens against the others, median of the rounds: {ratio:.3f}")


if __name__ == "__main__":
    main()
