#!/usr/bin/python3
"""Runs real programs on ext4, mamd, gocryptfs and securefs, and prints a table of what each can and
cannot.

    programs.py [--quick] [--only NAME,NAME] [--on PLACE,PLACE] [--results FILE]

scripts/dev programs runs it with the programs that were just built. With --results the table has
what earlier runs wrote into FILE too. Exit status 1: something fails on mamd.
"""
import argparse
import os
import pathlib
import shutil
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent / "Integration"), str(HERE.parent / "Measure")]

import running
from check import Failure, NotHere, Work
from places import PLACES
from table import Outcome, load, print_table, save

import run_build
import run_dbench
import run_fio
import run_git
import run_postgresql
import run_rsync
import run_sqlite
import run_stress

SCENARIOS = {
    "git": run_git, "sqlite": run_sqlite, "postgresql": run_postgresql, "rsync": run_rsync,
    "build": run_build,
    "fio": run_fio, "stress": run_stress, "dbench": run_dbench}


def arguments():
    parser = argparse.ArgumentParser(description="real programs on mamd and on other file systems")
    parser.add_argument("--quick", action="store_true", help="minutes instead of hours")
    parser.add_argument(
        "--only", default=",".join(SCENARIOS), help="these alone: " + ",".join(SCENARIOS))
    parser.add_argument(
        "--on", default=",".join(PLACES), help="on these alone: " + ",".join(PLACES))
    parser.add_argument("--results", type=pathlib.Path, help="a file to keep what was found in")
    options = parser.parse_args()
    options.only, options.on = options.only.split(","), options.on.split(",")
    unknown = set(options.only) - set(SCENARIOS) | set(options.on) - set(PLACES)
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}")
    return options


def start(kind, directory):
    """The place, or None and a line that says why not."""
    missing = [program for program in kind.programs if not shutil.which(program)]
    if missing:
        print(f"{kind.name}: skipped, not installed: {', '.join(missing)}")
        return None
    place = kind(directory / kind.name)
    try:
        place.start()
        return place
    except (OSError, RuntimeError, AssertionError) as problem:
        place.close()
        print(f"{kind.name}: skipped: {problem}")
        return None


def outcome_of(check, place, directory, options):
    """Runs one check in fresh directories."""
    name = "".join(letter if letter.isalnum() else "-" for letter in check.name)
    work = Work(
        place, place.files / name, directory / "outside" / f"{place.name}-{name}",
        directory / "sources", options.quick)
    began = time.monotonic()
    try:
        for path in (work.directory, work.outside):
            path.mkdir(parents=True, mode=0o755)
        work.sources.mkdir(exist_ok=True)
        figure = check.run(work) or ""
        exposed = place.exposed(work.directory)
        work.demand(not exposed, f"{len(exposed)} files are not sealed: {exposed[:5]}")
        return Outcome(True, figure, time.monotonic() - began)
    except NotHere as reason:
        return Outcome(None, str(reason), 0)
    except Failure as problem:
        return Outcome(False, str(problem), time.monotonic() - began)
    except Exception:
        # A check that breaks says something about the place too: nothing else differs.
        return Outcome(False, traceback.format_exc(limit=-3), time.monotonic() - began)
    finally:
        recover(place)
        for path in (work.directory, work.outside):
            shutil.rmtree(path, ignore_errors=True)


def recover(place):
    """A place whose daemon fell over serves the next check all the same."""
    try:
        os.statvfs(place.files)
    except OSError as problem:
        print(f"{place.name}: mounted anew: {problem}", file=sys.stderr)
        place.come_back()


def main():
    options = arguments()
    running.remove_dead_runs()
    running.go_apart()
    checks = [check for name in options.only for check in SCENARIOS[name].CHECKS]
    outcomes = load(options.results)
    with tempfile.TemporaryDirectory(prefix=running.PREFIX) as directory:
        directory = pathlib.Path(directory)
        directory.chmod(0o755)
        for kind in (PLACES[name] for name in options.on):
            place = start(kind, directory)
            if place is None:
                continue
            try:
                for check in checks:
                    outcome = outcomes[check.name, place.name] = outcome_of(
                        check, place, directory, options)
                    print(f"{place.name}: {check.name}: {outcome}", file=sys.stderr, flush=True)
                    save(outcomes, options.results)
            finally:
                place.close()
    print_table(
        [check for scenario in SCENARIOS.values() for check in scenario.CHECKS], PLACES, outcomes)
    sys.exit(
        any(outcome.passed is False for (_, place), outcome in outcomes.items() if place == "mamd"))


if __name__ == "__main__":
    main()
