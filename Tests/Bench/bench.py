#!/usr/bin/python3
"""Measures the mounted file system beside its peers, and prints tables. scripts/dev bench runs it.

Exit status 1: mamd, or the store alone, failed at something; or a target was missed, where they
were asked about.
"""
import os
import pathlib
import signal
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent / name) for name in ("Integration", "Measure", "Programs")]

from costs import measure_costs
from fuse_requests import measure_requests
from growth import measure_growth
from hours import measure_hours
from measuring import measure
from million import measure_million
from options import parse
from output import put_out
from results import Results


def main():
    # What ends it, timeout(1) say, leaves no mounts.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("bench: ended"))
    options = parse()
    if options.programs:
        os.environ["PATH"] = f"{options.programs.resolve()}:{os.environ['PATH']}"
    if options.processors:
        # All that is started from here inherits it.
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:options.processors])
    if options.costs:
        sys.exit(measure_costs(options))
    if options.requests:
        sys.exit(measure_requests(options))
    if options.growth:
        sys.exit(measure_growth(options))
    if options.hours:
        sys.exit(measure_hours(options))
    if options.million:
        sys.exit(measure_million(options))
    file = options.check or options.file
    results, failed = (Results.load(file), []) if file else measure(options)
    met = put_out(results, options)
    for problem in failed:
        print(f"bench: FAILED: {problem}", file=sys.stderr)
    sys.exit(bool(failed) or not met)


if __name__ == "__main__":
    main()
