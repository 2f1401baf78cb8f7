#!/usr/bin/python3
"""Runs the unit tests that are built, all in one process: parallel, each suite and case by itself.

    unit.py [--counts FILE] [--filter REGEX] [--width N] DIRECTORY

DIRECTORY has what `swift build --build-tests` made. The filter is for Module.Suite/test. With a
width, so many tests run at once. Prints what failed, and the counts of each module.
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

from Integration.run import write_counts

BUNDLE = "mamdPackageTests.xctest"
# Swift Testing's exit status where the filter matches nothing.
NONE_MATCHES = os.EX_UNAVAILABLE
# Of the hundreds of lines that it prints without a terminal, those that tell of a failure.
TELLING = re.compile(r"^✘|recorded an issue|^➜|error:|Fatal error|^↳|panicked|\*\*\* ")


def run(options, report):
    """Returns the exit status, and what was printed."""
    command = [
        pathlib.Path(options.directory).resolve() / BUNDLE, "--testing-library", "swift-testing",
        "--xunit-output", report]
    if options.filter:
        command += ["--filter", options.filter]
    if options.width:
        command += ["--experimental-maximum-parallelization-width", str(options.width)]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace", check=False,
        env={**os.environ, "SWIFT_BACKTRACE": "enable=yes,color=no,interactive=no"})
    return done.returncode, done.stdout


def counts_of(report):
    """The passed, failed and skipped tests of each module, and the names of those that failed."""
    modules, broken = collections.defaultdict(lambda: [0, 0, 0]), []
    for case in xml.parse(report).iter("testcase"):
        failed, skipped = (case.find(kind) is not None for kind in ("failure", "skipped"))
        modules[case.get("classname").split(".")[0]][1 if failed else 2 if skipped else 0] += 1
        if failed:
            broken.append(f"{case.get('classname')}/{case.get('name')}")
    return modules, broken


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--counts", help="write 'PASSED FAILED SKIPPED' into this file, and below it what failed")
    parser.add_argument("--filter", help="tests whose Module.Suite/test matches this only")
    parser.add_argument("--width", type=int, help="so many tests at once")
    parser.add_argument("directory")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mamd-unit-") as place:
        report = pathlib.Path(place, "unit.xml")
        status, said = run(options, report)
        try:
            modules, broken = counts_of(report)
        except (OSError, xml.ParseError) as problem:
            modules, broken = {}, []
            print(f"unit.py: no report: {problem}", file=sys.stderr)
    if options.filter and status == NONE_MATCHES and not modules:
        status = 0
    total = [sum(column) for column in zip(*modules.values(), strict=True)] or [0, 0, 0]
    if status != 0:
        lines = said.splitlines()
        print(*filter(TELLING.search, lines), *lines[-5:], sep="\n", file=sys.stderr)
        if total[1] == 0:  # the process itself failed
            total[1], broken = 1, ["the process of the unit tests"]
    for name, numbers in sorted(modules.items()):
        print("   {}: passed {}, failed {}, skipped {}".format(name, *numbers), file=sys.stderr)
    if options.counts:
        write_counts(options.counts, total, broken)
    sys.exit(total[1] > 0 or (total[0] == 0 and not options.filter))


if __name__ == "__main__":
    main()
