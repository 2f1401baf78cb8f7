"""Runs the integration tests: each file in a process of its own, three at once for each
processor, for most wait.

    run.py [--counts FILE] [--jobs N] [--seed N] [--times] [PATTERN…]
                        test_PATTERN.py, here and in Tests/Hostile; PATTERN may have wildcards
    run.py --list [PATTERN…]
                        the paths of those files

With a seed, files and the tests in each run in an order that it alone determines. With --times, as
root, each file's processor seconds are told.

A file that says `TIMED = True` compares what others wait for, with and without an attack, and runs
after those, one for each processor at once. A file that says `ALONE = True` changes or counts what
is the whole machine's, and runs after all others, with nothing beside it. A file that hangs is
ended after its time, what it left is removed, and it counts as a failure.
"""
import argparse
import concurrent.futures
import fnmatch
import os
import pathlib
import random
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
# What takes longest begins first, in this order, so that nothing waits for it at the end.
LONGEST = (
    "test_package", "test_fleet_failover", "test_user_files", "test_posix", "test_user",
    "test_desktop_session", "test_fleet_robust", "test_faults", "test_crash", "test_words",
    "test_desktop_nautilus", "test_fleet_servers", "test_fleet_carriers", "test_fleet_crowd",
    "test_setup", "test_fleet_scale", "test_desktop_giving", "test_budgets", "test_hostile_walks",
    "test_faults_verbs", "test_desktop_prompt", "test_full_cache", "test_fleet_people",
    "test_systemd_service", "test_fleet_nonce", "test_fleet_init", "test_fleet_thief",
    "test_events", "test_fleet_reset", "test_kill", "test_stores_real", "test_status",
    "test_recovery_keys", "test_older_kernels", "test_fleet_service", "test_setup_keyring",
    "test_fleet_authority", "test_convert", "test_fleet_clocks", "test_wipe_kill")


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


def tests_of(suite):
    """The tests of a suite and of the suites in it."""
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from tests_of(one)
        else:
            yield one


def shuffled(suite, seed):
    """Classes in a random order, and the tests of each: what a class has set up serves them all."""
    classes = {}
    for test in tests_of(suite):
        classes.setdefault(type(test), []).append(test)
    order = random.Random(seed)
    groups = list(classes.values())
    order.shuffle(groups)
    for group in groups:
        order.shuffle(group)
    return unittest.TestSuite(test for group in groups for test in group)


def run_one(name, options):
    """In the child: all tests of one file."""
    sys.path[:0] = map(str, FOLDERS)
    # nohup(1) ignores it, and children inherit that.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    suite = unittest.defaultTestLoader.loadTestsFromName(name)
    if options.seed is not None:
        suite = shuffled(suite, options.seed)
    result = unittest.TextTestRunner(verbosity=2, resultclass=Result).run(suite)
    assert isinstance(result, Result)
    # A subtest's failure fails the test that it belongs to.
    broken = {getattr(test, "test_case", test).id() for test, _ in result.failures + result.errors}
    failed = max(len(broken), int(not result.wasSuccessful()))
    write_counts(options.counts, [result.passed, failed, len(result.skipped)], broken)
    sys.exit(not result.wasSuccessful())


def write_counts(path, numbers, broken):
    """PASSED FAILED SKIPPED in the first line, then the name of each test that failed."""
    pathlib.Path(path).write_text("".join(f"{line}\n" for line in [
        " ".join(map(str, numbers)), *sorted(broken)]))


def await_end(child, output):
    """However long it takes, as long as it goes on telling what its tests do: a machine may be
    slow."""
    told = -1
    while child.poll() is None:
        try:
            child.wait(SECONDS)
        except subprocess.TimeoutExpired:
            size = os.fstat(output.fileno()).st_size
            if size == told:
                raise
            told = size


def run_file(file, seed, counter):
    """Runs one file. Returns its counts, what failed, how long it took, and what it printed.
    `counter`: of its processor time, or None."""
    import running

    prefix = f"mamd-test-{os.getpid()}-{file.stem}-"
    start = time.monotonic()
    with (
        tempfile.NamedTemporaryFile(mode="r") as counts,
        tempfile.TemporaryFile(mode="w+", errors="replace") as output,
    ):
        order = [] if seed is None else ["--seed", str(seed)]
        words = [
            sys.executable, "-B", __file__, "--one", file.stem, "--counts", counts.name, *order]
        counted = counter(prefix + "all") if counter else None
        child = subprocess.Popen(
            counted.command(words) if counted else words,
            env={**os.environ, "MAMD_TEST_PREFIX": prefix},
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        try:
            await_end(child, output)
        except subprocess.TimeoutExpired:
            line = f"{file.stem}: nothing new in {SECONDS} s: ended\n"
            os.write(output.fileno(), line.encode())
            child.kill()
            # What keeps the child is its mount: take that away, then it can go.
            running.remove_leftovers(prefix)
            child.wait()
        running.remove_leftovers(prefix)
        output.seek(0)
        # A child that was killed has written nothing.
        first, *broken = counts.read().splitlines() or ["0 1 0", file.stem]
        told = f"{time.monotonic() - start:.0f} s"
        if counted:
            told += f", {counted.end():.1f} s of processor time"
        return [int(word) for word in first.split()], broken, told, output.read()


def company(file):
    """What it says of the others that it can run beside."""
    said = re.search(r"^(ALONE|TIMED) = True", file.read_text(), re.MULTILINE)
    return said[1] if said else "ANY"


def place_in_order(file):
    return LONGEST.index(file.stem) if file.stem in LONGEST else len(LONGEST)


def chosen_files(patterns, seed):
    files = [
        file for folder in FOLDERS for file in sorted(folder.glob("test_*.py"))
        if any(fnmatch.fnmatch(file.stem, f"test_{pattern}") for pattern in patterns)]
    if seed is None:
        files.sort(key=place_in_order)
    else:
        random.Random(seed).shuffle(files)
    return files


def run_files(files, jobs, seed, counter):
    """Returns the counts, and the names of the tests that failed."""
    total, broken = [0, 0, 0], []
    for kind, at_once in (("ANY", jobs), ("TIMED", min(jobs, os.cpu_count())), ("ALONE", 1)):
        group = [file for file in files if company(file) == kind]
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            begun = {pool.submit(run_file, file, seed, counter): file for file in group}
            for done in concurrent.futures.as_completed(begun):
                numbers, names, took, output = done.result()
                total = [sum(pair) for pair in zip(total, numbers)]
                broken += names
                passed, failed, skipped = numbers
                print(
                    f"{output}   {begun[done].stem}: passed {passed}, failed {failed}, "
                    f"skipped {skipped}; {took}", file=sys.stderr, flush=True)
    return total, broken


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--counts", help="write 'PASSED FAILED SKIPPED' into this file, and below it what failed")
    parser.add_argument(
        "--jobs", type=int, default=3 * os.cpu_count(), help="so many files at once")
    parser.add_argument("--seed", type=int, help="in an order that this number determines")
    parser.add_argument(
        "--times", action="store_true", help="tell each file's processor seconds; as root")
    parser.add_argument("--list", action="store_true", help="print the files' paths")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    options = parser.parse_args()
    if options.one:
        run_one(options.one, options)

    sys.path.insert(0, str(HERE))
    import running

    files = chosen_files(options.patterns or ["*"], options.seed)
    if not files:
        print(f"no test_{options.patterns[0]}.py in {HERE.parent}", file=sys.stderr)
    if options.list:
        print(*files, sep="\n")
        return
    running.remove_dead_runs()
    counter = None
    if options.times:
        from processor_time import Counted as counter
    total, broken = run_files(files, options.jobs, options.seed, counter)
    if options.counts:
        write_counts(options.counts, total, broken)
    sys.exit(total[1] > 0 or total[0] == 0)


if __name__ == "__main__":
    main()
