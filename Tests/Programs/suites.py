"""Runs other programs' own test suites on mamd, and what fails there on ext4 too.

    suites.py [--user NAME] [--tests PATTERN]... git|sqlite|tar ...

scripts/dev programs suites runs it with the programs that were just built. Sources and builds are
kept in .build/suites. --tests: only files of tests whose names fit, as `t00*`. Prints each test
that failed, and where. Exit status 1: one fails on mamd, each time, and not on ext4.
"""
import argparse
import collections
import fnmatch
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import programs
import running
import workspace
from check import Failure, Work
from places import PLACES
from suite_programs import FAILED, PASSED, SKIPPED, SUITES

KEPT = workspace.ROOT / ".build" / "suites"


def arguments():
    parser = argparse.ArgumentParser(description="other programs' test suites on mamd and on ext4")
    parser.add_argument("suites", nargs="+", choices=SUITES, metavar="|".join(SUITES))
    parser.add_argument("--user", help="who runs them; root unless a suite refuses it")
    parser.add_argument("--tests", action="append", help="files of tests whose names fit")
    return parser.parse_args()


class Run:
    """One suite, built, and the places to run it at."""

    def __init__(self, suite, directory, user):
        self.suite, self.directory, self.user = suite, directory, user
        self.runs = 0

    def build(self):
        sources, built = KEPT / "sources", KEPT / f"{self.suite.name}-{self.user}"
        sources.mkdir(parents=True, exist_ok=True)
        work = Work(None, built, self.directory, sources, False)
        if not (built / "done").exists():
            subprocess.run(["rm", "-rf", built], check=True)
            built.mkdir()
            self.suite.build(work, built / "tree")
            (built / "done").touch()
            subprocess.run(["chown", "-R", f"{self.user}:", built], check=True)
        # The user's way to it: the project's own directory may be closed to others.
        self.tree = self.directory / f"{self.suite.name}-built"
        self.tree.mkdir()
        subprocess.run(["mount", "--bind", built / "tree", self.tree], check=True)

    def at(self, place, names):
        """What came of each test of these files: {(file, test): outcome}."""
        self.runs += 1
        place.let_in(self.user)
        there = place.files / f"{self.suite.name}-{self.runs}"
        outside = self.directory / "outside" / there.name
        for path in (there, outside):
            path.mkdir(parents=True)
            subprocess.run(["chown", f"{self.user}:", path], check=True)
        work = Work(place, there, outside, None, False)
        user = None if self.user == "root" else self.user
        return self.suite.run(work, self.tree, names, user)


def failures(outcomes):
    return {test for test, outcome in outcomes.items() if outcome == FAILED}


def compare(run, mamd, ext4, names):
    """Runs the files on mamd; those with failures on ext4, and on mamd once more."""
    began = time.monotonic()
    first = run.at(mamd, names)
    counts = collections.Counter(first.values())
    print(f"{run.suite.name} {run.suite.version(run.tree)}, as {run.user}: {len(names)} files, "
          f"{counts[PASSED]} passed, {counts[FAILED]} failed, {counts[SKIPPED]} skipped on mamd "
          f"({time.monotonic() - began:.0f} s)", flush=True)
    if not failures(first):
        return False
    files = sorted({file for file, _ in failures(first)})
    beside, again = failures(run.at(ext4, files)), failures(run.at(mamd, files))
    for test in sorted(failures(first)):
        print(f"  {' '.join(test)}: " + told(test in beside, test in again))
    return bool((failures(first) & again) - beside)


def told(on_ext4, again):
    if on_ext4:
        return "fails on ext4 too"
    return "fails on mamd alone" if again else "failed on mamd once, and not again"


def run_suites(options, directory):
    places = [programs.start(PLACES[name], directory) for name in ("mamd", "ext4")]
    try:
        if None in places:
            return True
        differ = False
        for name in options.suites:
            run = Run(SUITES[name], directory, options.user or SUITES[name].user)
            run.build()
            names = [test for test in run.suite.files(run.tree) if not options.tests or any(
                fnmatch.fnmatch(test, pattern) for pattern in options.tests)]
            if not names:
                raise Failure(f"{name}: no file of tests has such a name: {options.tests}")
            differ |= compare(run, *places, names)
        return differ
    finally:
        for place in filter(None, places):
            place.close()


def main():
    options = arguments()
    running.remove_dead_runs()
    running.go_apart()
    with tempfile.TemporaryDirectory(prefix=running.PREFIX) as directory:
        directory = pathlib.Path(directory)
        directory.chmod(0o755)
        try:
            sys.exit(run_suites(options, directory))
        except Failure as problem:
            sys.exit(f"suites: {problem}")
        finally:
            for tree in directory.glob("*-built"):
                subprocess.run(["umount", "-l", tree], check=True)


if __name__ == "__main__":
    os.nice(10)
    main()
