"""Measures starts, and the memory of a daemon that has nothing to do.

    measure_start.py --programs NAME=DIRECTORY… [--runs N] [--files N] [--json] [--check]

A start is timed from spawning the process to its end, or for a daemon to its being ready. The first
row is a program that does nothing: what it takes is in all the others. Memory is told by the kernel
(smaps_rollup). scripts/measure start runs it.
"""
import argparse
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Integration"))

from mounted import Mounted
from start_figures import IDLE_MIB, OWNER_MS, READY_MS, Figures
from start_runs import Daemon, make_files, read_all, run_to_end, settle, walk
from running import remove_dead_runs
from workspace import Workspace

# As `init` has it: an unlock at its default cost.
COST = {"KeyDerivation": {"Passes": 3, "MemoryMiB": 256}}


def measure_mamd(figures, name, programs, options):
    os.environ["PATH"] = f"{programs}:{options.path}"
    workspace = Workspace(settings=COST)
    mamctl, mamd = f"mamctl, {name}", f"mamd, {name}"
    try:
        workspace.init().mount().register()
        letter = workspace.path("letter")
        letter.write_text("for Ann\n")
        for words in (["version"], ["owner", letter], ["status"]):
            what = f"mamctl {words[0]}" + (" FILE" if len(words) > 1 else "")
            figures.time(mamctl, what, options.runs, lambda w=words: run_to_end(
                "mamctl", *w, environment=workspace.environment))
        workspace.unmount()
        daemon = Daemon(workspace)
        figures.time(mamd, "mamd to ready, one account", options.runs, daemon.once)
        weigh_mamd(figures, mamd, workspace, daemon, options)
        figures.time(mamd, "mamd to ready, 1,000 files", options.runs, daemon.once)
    finally:
        workspace.close()
        shutil.rmtree(workspace.root, ignore_errors=True)


def weigh_mamd(figures, name, workspace, daemon, options):
    daemon.start()
    settle()
    figures.weigh(name, "ready", daemon.process.pid)
    workspace.unlock()
    settle()
    figures.weigh(name, "after an unlock (Argon2id, 256 MiB)", daemon.process.pid)
    make_files(workspace.mount_point, 1000)
    daemon.stop()

    daemon.start()
    workspace.unlock()
    walk(workspace.mount_point)
    settle()
    figures.weigh(name, "after 1,000 files were walked", daemon.process.pid)
    daemon.stop()

    more = workspace.path("more")
    daemon.start()
    workspace.unlock()
    more.mkdir()
    make_files(more, options.files)
    daemon.stop()
    daemon.start()
    workspace.unlock()
    walk(more)
    settle()
    figures.weigh(name, f"after {options.files:,} files were walked", daemon.process.pid)
    read_all(more)
    settle()
    figures.weigh(name, f"after {options.files:,} files were read", daemon.process.pid)
    workspace.lock()
    settle()
    figures.weigh(name, "after a lock", daemon.process.pid)
    shutil.rmtree(more)
    daemon.stop()


def measure_gocryptfs(figures, options):
    if not shutil.which("gocryptfs"):
        return
    with tempfile.TemporaryDirectory() as place:
        # Hardly any derivation: what is left is the start.
        mounted = Mounted(
            pathlib.Path(place) / "cheap", ["gocryptfs", "-fg", "-q"],
            ["gocryptfs", "-init", "-q", "-scryptn", "10"])
        mounted.start()
        make_files(mounted.mount_point, options.files)
        mounted.end()

        def once():
            start = time.perf_counter()
            mounted.mount()
            taken = time.perf_counter() - start
            mounted.end()
            return taken

        figures.time("gocryptfs", "to its mount, `-scryptn 10`", options.runs, once)
        mounted.mount()
        settle()
        figures.weigh("gocryptfs", "ready", mounted.daemon.pid)
        walk(mounted.mount_point)
        settle()
        figures.weigh("gocryptfs", f"after {options.files:,} files were walked", mounted.daemon.pid)
        read_all(mounted.mount_point)
        settle()
        figures.weigh("gocryptfs", f"after {options.files:,} files were read", mounted.daemon.pid)
        mounted.end()


def measure_commands(figures, options):
    for command in (
            ["true"], ["git", "--version"], ["age", "--version"], ["gocryptfs", "-version"]):
        if shutil.which(command[0]):
            figures.time(
                command[0], " ".join(command), options.runs, lambda c=command: run_to_end(*c))


def parsed():
    parser = argparse.ArgumentParser(
        description="how fast the programs start, and what an idle daemon weighs")
    parser.add_argument("--programs", action="append", metavar="NAME=DIRECTORY", required=True)
    parser.add_argument("--runs", type=int, default=40, help="of each start (40)")
    parser.add_argument("--files", type=int, default=10_000, help="that are walked (10000)")
    parser.add_argument("--json", action="store_true", help="print JSON, not tables")
    parser.add_argument("--check", action="store_true", help=(
        f"status 1 if `mamctl owner` takes more than {OWNER_MS} ms, mamd more than {READY_MS} ms "
        f"or {IDLE_MIB} MiB"))
    options = parser.parse_args()
    options.path = os.environ["PATH"]
    return options


def main():
    options, figures = parsed(), Figures()
    remove_dead_runs()
    measure_commands(figures, options)
    for entry in options.programs:
        name, _, directory = entry.partition("=")
        measure_mamd(figures, name, directory, options)
    os.environ["PATH"] = options.path
    measure_gocryptfs(figures, options)
    if options.json:
        print(
            json.dumps(
                {"milliseconds": figures.milliseconds, "mebibytes": figures.memory}, indent=1))
    else:
        figures.show()
    failures = figures.failures() if options.check else []
    for failure in failures:
        print(f"measure-start: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
