"""One source on each release of Debian: scripts/dev systems runs it, and says how."""
import argparse
import pathlib
import re
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Integration"))

import fresh_debian
from packages import check_packages
from system_root import SOURCE, SystemRoot, Unsuccessful

SUITES = ("bookworm", "trixie")


def run_tests(system, patterns):
    """The counts of scripts/test, of each pattern or of all there is."""
    total = [0, 0, 0]
    for arguments in [("integration", one) for one in patterns] or [()]:
        said = system.run(f"{SOURCE}/scripts/test", *arguments, check=False)
        found = re.search(r"(\d+) passed, (\d+) failed, (\d+) skipped\n$", said)
        counts = [int(word) for word in found.groups()] if found else [0, 1, 0]
        total = [sum(pair) for pair in zip(total, counts)]
    return total


def check_suite(suite, options):
    """Its line, and whether all is well."""
    start = time.monotonic()
    system = SystemRoot(suite, options.directory / suite)
    system.clone()
    system.run(f"{SOURCE}/scripts/setup", "--tests")
    done, is_well = [], True
    if not options.packages:
        passed, failed, skipped = run_tests(system, options.tests)
        done.append(f"{passed} passed, {failed} failed, {skipped} skipped")
        is_well = failed == 0 and passed > 0
    if not options.tests:
        done.append(check_packages(system))
    return f"{suite}: {'; '.join(done)}; {time.monotonic() - start:.0f} s", is_well


def main():
    parser = argparse.ArgumentParser(prog="scripts/dev systems")
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    parser.add_argument("--tests", action="append", default=[], metavar="PATTERN")
    parser.add_argument("--packages", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument(
        "--directory", type=pathlib.Path, default=fresh_debian.ROOT / ".build" / "systems")
    options = parser.parse_args()
    if sum((bool(options.tests), options.packages, options.all)) > 1:
        parser.error("--tests, --packages and --all exclude one another")
    unknown = set(options.suites) - set(SUITES)
    if unknown:
        parser.error(f"no suite {', '.join(sorted(unknown))}: one of {', '.join(SUITES)}")
    is_well = True
    for suite in options.suites or SUITES:
        try:
            line, suite_is_well = check_suite(suite, options)
        except (Unsuccessful, RuntimeError) as problem:
            line, suite_is_well = f"{suite}: {problem}", False
        print(line, flush=True)
        is_well &= suite_is_well
    sys.exit(not is_well)


main()
