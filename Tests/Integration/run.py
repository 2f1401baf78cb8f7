"""Runs the integration tests: each file in a process of its own, one more than there are
processors at once, for many wait.

    run.py [--counts FILE] [--jobs N] [PATTERN]
                        test_PATTERN.py, here and in Tests/Hostile; PATTERN may have wildcards

A file that says `ALONE = True` runs after the others, with nothing beside it: it measures, or it
changes what is the whole machine's. A file that hangs is ended after its time, what it left is
removed, and it counts as a failure.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
FOLDERS = (HERE, HERE.parent / "Hostile")
SECONDS = 7200 if os.environ.get("MAMD_LONG") == "1" else 900
# From so many seconds on a test's time is told.
SLOW = 4
# What takes longest begins first, so that nothing waits for it at the end.
LONGEST = ("test_user", "test_package", "test_setup_keyring", "test_faults", "test_crash")


class Result(unittest.TextTestResult):
    """Prints one line a test, and another for one that is slow. Counts each test once, however
    often it failed."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.passed = 0

    def startTest(self, test):
        self.start = time.monotonic()
        super().startTest(test)

    def stopTest(self, test):
        super().stopTest(test)
        took = time.monotonic() - self.start
        if took >= SLOW:
            self.stream.writeln(f"   {test.id()}: {took:.0f} s")

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def run_one(name, counts):
    """In the child: all tests of one file."""
    sys.path[:0] = map(str, FOLDERS)
    # nohup(1) ignores it, and children inherit that.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    suite = unittest.defaultTestLoader.loadTestsFromName(name)
    result = unittest.TextTestRunner(verbosity=2, resultclass=Result).run(suite)
    assert isinstance(result, Result)
    # A subtest's failure fails the test that it belongs to.
    broken = {getattr(test, "test_case", test).id() for test, _ in result.failures + result.errors}
    failed = max(len(broken), int(not result.wasSuccessful()))
    pathlib.Path(counts).write_text(f"{result.passed} {failed} {len(result.skipped)}")
    sys.exit(not result.wasSuccessful())


def run_file(file, environment):
    """Runs one file. Returns its counts, its seconds, and what it printed."""
    import running

    prefix = f"mamd-test-{os.getpid()}-{file.stem}-"
    start = time.monotonic()
    with (
        tempfile.NamedTemporaryFile(mode="r") as counts,
        tempfile.TemporaryFile(mode="w+", errors="replace") as output,
    ):
        child = subprocess.Popen(
            [sys.executable, "-B", __file__, "--one", file.stem, "--counts", counts.name],
            env={**environment, "MAMD_TEST_PREFIX": prefix},
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        try:
            child.wait(SECONDS)
        except subprocess.TimeoutExpired:
            os.write(output.fileno(), f"{file.stem}: no end after {SECONDS} s: ended\n".encode())
            child.kill()
            # What keeps the child is its mount: take that away, then it can go.
            running.remove_leftovers(prefix)
            child.wait()
        running.remove_leftovers(prefix)
        output.seek(0)
        numbers = [int(word) for word in counts.read().split()] or [0, 1, 0]
        return numbers, time.monotonic() - start, output.read()


def runs_alone(file):
    return re.search(r"^ALONE = True", file.read_text(), re.MULTILINE) is not None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--counts", help="write 'PASSED FAILED SKIPPED' into this file")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() + 1, help="so many files at once")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("pattern", nargs="?", default="*")
    options = parser.parse_args()
    if options.one:
        run_one(options.one, options.counts)

    sys.path.insert(0, str(HERE))
    import running

    running.remove_dead_runs()
    files = [
        file for folder in FOLDERS for file in sorted(folder.glob(f"test_{options.pattern}.py"))]
    files.sort(key=lambda file: file.stem not in LONGEST)
    if not files:
        print(f"no test_{options.pattern}.py in {HERE.parent}", file=sys.stderr)
    total = [0, 0, 0]
    groups = ([file for file in files if runs_alone(file) is alone] for alone in (False, True))
    for group, jobs in zip(groups, (options.jobs, 1)):
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            begun = {pool.submit(run_file, file, dict(os.environ)): file for file in group}
            for done in concurrent.futures.as_completed(begun):
                numbers, seconds, output = done.result()
                total = [sum(pair) for pair in zip(total, numbers)]
                passed, failed, skipped = numbers
                print(
                    f"{output}   {begun[done].stem}: passed {passed}, failed {failed}, "
                    f"skipped {skipped}; {seconds:.0f} s", file=sys.stderr, flush=True)
    if options.counts:
        pathlib.Path(options.counts).write_text("%d %d %d" % tuple(total))
    sys.exit(total[1] > 0 or total[0] == 0)


if __name__ == "__main__":
    main()
