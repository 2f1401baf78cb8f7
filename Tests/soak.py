#!/usr/bin/python3
"""Locks and unlocks a mount at random under programs that do everything to files, and compares.

    soak.py [--seconds 60] [--workers 8] [--crowd 4] [--seed N] [--build DIRECTORY]

Each worker (soak_worker.py) has files of its own, knows what they must hold and compares after
every lock. The crowd (soak_crowd.py) works on the same files all together, and compares with what
everybody did (soak_history.py). At the end all files are compared again, after a new mount. A
dead-lock ends the run: where all threads are is then printed. The last line has the figures. Exit
status 1: something was lost, refused without need, or hung; or a sanitizer reported something. mamd
and mamctl are the release build's, or the path's; a mamd in `--build`, made by scripts/dev, comes
before it.
"""
import argparse
import collections
import contextlib
import json
import os
import pathlib
import pickle
import random
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "Integration"))
import soak_crowd
import running
import workspace
from sanitizers import Sanitized
from soak_shared import Shared
from soak_watchdog import Watchdog, describe

BUILD = HERE.parent / ".build" / "release"

# Every class can be had, and a busy machine has its time: nothing may be discarded.
SETTINGS = {
    "DeviceDefaultProtectionLevel": "NSFileProtectionNone", "LockGraceSeconds": 1,
    "LockDeadlineSeconds": 60}
POLICY = {"appDataEncryptionType": "useDeviceSettings"}


class Locker(threading.Thread):
    """Locks and unlocks in all ways until told to end; unlocked at the end."""

    def __init__(self, place, shared):
        super().__init__(daemon=True)
        self.place, self.shared = place, shared
        self.over = threading.Event()
        self.counts, self.longest, self.failure = collections.Counter(), 0.0, None

    def run(self):
        try:
            while not self.over.wait(random.uniform(0, 0.6)):
                self.shared.locking()
                self.lock_somehow()
                self.place.unlock()
                self.shared.unlocked()
        except Exception as problem:
            self.failure = problem

    def lock_somehow(self):
        way = random.choice(("now", "now", "now", "twice", "grace", "cancel"))
        self.counts[way] += 1
        start = time.monotonic()
        if way in ("now", "twice"):
            threads = [
                threading.Thread(target=self.place.lock) for _ in range(1 if way == "now" else 2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.longest = max(self.longest, time.monotonic() - start)
            time.sleep(random.uniform(0, 0.3))
        else:
            self.place.serving("lock", workspace.ANN)
            if way == "grace":  # and in the middle of the lock at its end, now and then
                time.sleep(random.uniform(0.9, 1.3))

    def end(self):
        self.over.set()
        self.join(120)
        if self.is_alive():
            raise AssertionError("a lock or an unlock does not end")
        if self.failure:
            raise AssertionError(f"a lock or an unlock failed: {self.failure}")


class Soak:
    def __init__(self, options):
        self.options = options
        self.place = workspace.Workspace("soak", SETTINGS, POLICY)
        self.sanitized = Sanitized(options.build, self.place.root) if options.build else None
        if self.sanitized:
            self.place.environment = self.sanitized.environment(self.place.environment)
        self.shared = Shared.create(self.place.root / "shared")
        self.workers, self.deadlocks, self.mismatches = [], 0, []
        self.done, self.refused = collections.Counter(), collections.Counter()

    def start(self):
        self.place.init().mount().register()
        for index in range(self.options.workers):
            directory = self.place.path(str(index))
            for letter in "ABCD":
                (directory / letter).mkdir(parents=True)
                self.place.ctl("class", "--set", letter, directory / letter)
            self.run_program(
                "soak_worker.py", directory, self.place.root / "shared", index, self.model(index))
        if self.options.crowd:
            self.start_crowd()
        self.locker = Locker(self.place, self.shared)
        self.locker.start()

    def start_crowd(self):
        directory = self.place.path("crowd")
        for letter in soak_crowd.LETTERS:
            (directory / letter).mkdir(parents=True)
            self.place.ctl("class", "--set", letter, directory / letter)
        soak_crowd.create(directory, self.books)
        for index in range(self.options.workers, self.members):
            self.run_program(
                "soak_crowd.py", directory, self.books, self.place.root / "shared", index)

    def run_program(self, name, *arguments):
        """The program's arguments, with the seed after its number."""
        words = [
            os.fspath(word) if isinstance(word, os.PathLike) else str(word) for word in arguments]
        self.workers.append(subprocess.Popen(
            [sys.executable, "-B", HERE / name, *words], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
            env={**self.place.environment,
            "MAMD_SOAK_SEED": str(self.options.seed + len(self.workers))}))

    @property
    def members(self):
        return self.options.workers + self.options.crowd

    @property
    def books(self):
        return self.place.root / "books"

    def model(self, index):
        return self.place.root / f"model-{index}"

    def pids(self):
        return [worker.pid for worker in self.workers if worker.poll() is None] + list(
            running.daemons(str(self.place.root)))

    def watch(self, is_over):
        """Until it is over. False after a dead-lock, or when a worker ended early or the locker
        failed."""
        watchdog = Watchdog(self.shared, self.members)
        while not is_over():
            problem = watchdog.problem(self.pids())
            if problem:
                self.deadlocks += 1
                print(f"dead-lock: {problem}\n{describe(self.pids())}", file=sys.stderr)
                return False
            if self.locker.failure or any(worker.poll() for worker in self.workers):
                return False
            time.sleep(0.5)
        return True

    def run(self):
        self.start()
        end = time.monotonic() + self.options.seconds
        if not self.watch(lambda: time.monotonic() > end):
            return self.give_up()
        self.locker.end()
        self.shared.end()
        if not self.watch(lambda: all(worker.poll() is not None for worker in self.workers)):
            return self.give_up()
        for worker in self.workers:
            self.collect(worker)
        if not self.remount():
            return None
        for index in range(self.options.workers):
            self.compare(pickle.loads(self.model(index).read_bytes()), self.place.path(str(index)))
        if self.options.crowd:
            self.mismatches += soak_crowd.compare_all(self.place.path("crowd"), self.books)
        self.place.unmount()

    def remount(self):
        """False if the daemon does not end, which is a dead-lock too."""
        pids = self.pids()
        try:
            self.place.remount()
            return True
        except AssertionError as problem:
            self.deadlocks += 1
            print(f"dead-lock: {problem}\n{describe(pids)}", file=sys.stderr)
            return False

    def collect(self, worker):
        output, errors = worker.communicate(timeout=60)
        if worker.returncode != 0:
            self.mismatches.append(errors.strip() or f"a worker ended with {worker.returncode}")
            return
        figures = json.loads(output)
        self.done.update(figures["done"])
        self.refused.update(figures["refused"])

    def compare(self, model, directory):
        found = {path for path in directory.rglob("*") if path.is_file()}
        if found != {directory / name for name in model}:
            self.mismatches.append(f"{directory}: other names after a new mount")
        for name, content in model.items():
            if (directory / name).read_bytes() != content:
                self.mismatches.append(f"{directory / name}: other content after a new mount")

    def give_up(self):
        """What is known is printed; the rest is ended with the mount."""
        if self.locker.failure:
            self.mismatches.append(str(self.locker.failure))
        for worker in self.workers:
            if worker.poll() is None:
                worker.kill()
            elif worker.returncode != 0:
                self.collect(worker)
        if not self.deadlocks and not self.mismatches:
            self.mismatches.append("stopped, and nobody says why")

    def summary(self):
        counts = ", ".join(f"{name} {count}" for name, count in sorted(self.locker.counts.items()))
        return (
            f"{sum(self.done.values())} operations, {sum(self.refused.values())} refused; "
            f"{sum(self.locker.counts.values())} locks ({counts}; the longest "
            f"{self.locker.longest:.2f} s); "
            f"{len(self.mismatches)} mismatches, {self.deadlocks} dead-locks")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument(
        "--workers", type=int, default=8, choices=range(1, Shared.MOST_WORKERS + 1), metavar="N")
    parser.add_argument("--crowd", type=int, default=4)
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    random.seed(options.seed)
    if BUILD.is_dir():
        os.environ["PATH"] = f"{BUILD}:{os.environ['PATH']}"
    soak = Soak(options)
    try:
        soak.run()
        if soak.mismatches and soak.place.daemon_log.exists():
            print(soak.place.daemon_log.read_text(errors="replace")[-2000:], file=sys.stderr)
    finally:
        if soak.sanitized:
            soak.mismatches += soak.sanitized.reports()
        soak.place.close()
        for worker in soak.workers:
            with contextlib.suppress(OSError):
                worker.kill()
    print(*soak.mismatches, sep="\n", file=sys.stderr)
    print(
        f"seed {options.seed}: done {dict(soak.done)}; refused {dict(soak.refused)}",
        file=sys.stderr)
    print(soak.summary(), flush=True)
    sys.exit(bool(soak.mismatches or soak.deadlocks))


if __name__ == "__main__":
    main()
