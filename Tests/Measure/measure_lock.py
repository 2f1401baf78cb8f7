#!/usr/bin/python3
"""Measures what a lock takes and leaves: mamd, and what else is installed of the file systems like
it.

    measure_lock.py [--times N] [--size MIB] [--only NAME,NAME]

Prints tables in Markdown. scripts/measure lock runs it with the programs that were just built.
"""
import argparse
import os
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Integration"))

import running
from content import MIB
from fscrypt import Fscrypt
from fuse_peers import Encfs, Gocryptfs
from mamd import Mamd
from report import print_report
from scenarios import Figures, Round, first_read, other_cost

SUBJECTS = (Mamd, Gocryptfs, Encfs, Fscrypt)


def arguments():
    parser = argparse.ArgumentParser(
        description="what a lock takes and leaves, in mamd and its peers")
    parser.add_argument("--times", type=int, default=10, help="rounds (10)")
    parser.add_argument("--size", type=int, default=1024, help="MiB in the large file (1024)")
    parser.add_argument(
        "--only", default="", help="these alone: " + ",".join(kind.name for kind in SUBJECTS))
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else [kind.name for kind in SUBJECTS]
    unknown = set(wanted) - {kind.name for kind in SUBJECTS}
    if unknown or options.times < 1 or options.size < 1:
        parser.error(
            f"unknown: {', '.join(unknown)}" if unknown else "--times and --size begin at 1")
    return options, [kind for kind in SUBJECTS if kind.name in wanted]


def why_not(kind):
    """Why this one cannot be measured here, or None."""
    missing = [program for program in kind.programs if not shutil.which(program)]
    if missing:
        return f"not installed: {', '.join(missing)}"
    if kind.needs_root and os.geteuid() != 0:
        return "only root can mount it"
    return None


def start(kind, directory):
    """The subject, or None and a line that says why not."""
    reason = why_not(kind)
    if reason is None:
        subject = kind(directory / kind.name)
        try:
            subject.start()
            return subject
        except (OSError, RuntimeError, AssertionError) as problem:
            subject.close()
            reason = problem
    print(f"{kind.name}: skipped, {reason}")
    return None


def measure(subjects, options):
    """All subjects in every round, so that what else the machine does falls on all of them."""
    figures = Figures()
    for number in range(options.times):
        print(f"round {number + 1} of {options.times}", file=sys.stderr)
        for subject in subjects:
            for way in subject.ways():
                one = Round(figures, subject, way, options.size * MIB)
                one.nothing_open()
                one.closed_file()
                one.clean_pages()
                one.dirty_pages()
                one.unwritten()
            for title, unlock in subject.unlocks().items():
                first_read(figures, subject, title, unlock)
            for title, action in subject.other_costs().items():
                other_cost(figures, subject, title, action)
    return figures


def main():
    options, kinds = arguments()
    running.remove_dead_runs()
    subjects = []
    with tempfile.TemporaryDirectory(prefix=running.PREFIX) as directory:
        try:
            for kind in kinds:
                subject = start(kind, pathlib.Path(directory))
                subjects += [subject] if subject else []
            if not subjects:
                sys.exit("nothing to measure")
            print_report(measure(subjects, options), subjects, options)
        finally:
            for subject in subjects:
                subject.close()


if __name__ == "__main__":
    main()
