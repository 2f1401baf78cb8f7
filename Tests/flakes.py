#!/usr/bin/python3
"""Repeats the tests to find those that fail now and then: scripts/dev flakes.

    flakes.py --programs DIRECTORY [--runs N] [--beside LOAD] [--forgetting] [--as root|nobody]
              [--on disk|memory] [--unit | --integration] [--seed N] [PATTERN…]

DIRECTORY has the unit tests, too. Each run has a random order and other surroundings, which its
seed alone determines: locale, time zone, temporary directory (on the disk, or in memory), umask and
user. LOAD processes compute and write beside it; with --forgetting another drops the kernel's names
and inodes 20 times a second, as root. Without a pattern all tests run; with one, unit tests whose
Module.Suite contains it and the files test_PATTERN.py. Prints each failure as it comes, and at the
end how often each test failed and with which seeds; `--seed N --runs 1` repeats one. What a run
printed is kept below .build/flakes.
"""
import argparse
import collections
import contextlib
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parent
ROOT = TESTS.parent
NOBODY = 65534
LOCALES = ("C", "C.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8")
ZONES = ("UTC", "Pacific/Kiritimati", "America/St_Johns", "Pacific/Pago_Pago", "Asia/Kathmandu")
UMASKS = (0o022, 0o077, 0o002, 0o027)
SHARED_MEMORY = pathlib.Path("/dev/shm")


class Surroundings:
    """What one seed gives a run."""

    def __init__(self, seed, options):
        chance = random.Random(seed)
        self.seed = seed
        self.locale, self.zone = chance.choice(LOCALES), chance.choice(ZONES)
        self.umask = chance.choice(UMASKS)
        self.width = chance.choice((0, 0, 1, 2, 5))
        by_chance = "memory" if chance.random() < 0.25 else "disk"
        self.is_in_memory = (options.on or by_chance) == "memory"
        user = options.user or chance.choice(("root", "root", "nobody"))
        self.is_root = os.getuid() == 0 and user == "root"
        # Directories that only root may search make "no such command" a "permission denied".
        programs = pathlib.Path(options.programs).resolve()
        becomes_nobody = os.getuid() == 0 and not self.is_root
        system = "/usr/local/bin:/usr/bin:/usr/sbin" if becomes_nobody else os.environ["PATH"]
        self.path = f"{programs}:{system}"
        self.user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if becomes_nobody else {}
        # Short, for sockets, and open to the users that tests become.
        has_own = self.is_in_memory and os.getuid() == 0
        parent = SHARED_MEMORY if self.is_in_memory and not has_own else tempfile.gettempdir()
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="f-", dir=parent))
        # Services have a /dev of their own, without what others keep in /dev/shm.
        if has_own:
            subprocess.run(["mount", "-t", "tmpfs", "flakes", self.place], check=True)
        self.place.chmod(0o1777)

    def __str__(self):
        user = "root" if self.is_root else "an ordinary user"
        return (
            f"seed {self.seed}: {user}, {self.locale}, {self.zone}, umask {self.umask:03o}, "
            f"{'in memory' if self.is_in_memory else 'on the disk'}")

    def start(self, command, output):
        """The command in these surroundings; it ends with its children, as it is a session."""
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("LC_")},
            "LANG": self.locale, "LC_ALL": self.locale, "TZ": self.zone,
            "TMPDIR": str(self.place), "HOME": str(self.place), "PATH": self.path}
        return subprocess.Popen(
            command, cwd=ROOT, env=environment, umask=self.umask, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, **self.user)

    def remove(self):
        # Of a run that was broken off.
        for line in pathlib.Path("/proc/self/mounts").read_text().splitlines():
            if f" {self.place}/" in line:
                subprocess.run(["fusermount3", "-u", "-z", line.split()[1]], check=False)
        if os.path.ismount(self.place):
            subprocess.run(["umount", "--lazy", self.place], check=True)
        shutil.rmtree(self.place, ignore_errors=True)


@contextlib.contextmanager
def load(count, forgets):
    with tempfile.TemporaryDirectory(prefix="mamd-flakes-load-") as place:
        words = [[TESTS / "flakes_load.py", os.path.join(place, str(n))] for n in range(count)]
        if forgets:
            words.append([TESTS / "flakes_forget.py"])
        busy = [subprocess.Popen([sys.executable, "-B", *each]) for each in words]
        try:
            yield
        finally:
            for process in busy:
                process.kill()
                process.wait()


def commands(options, surroundings, counts):
    """What runs the unit tests and the integration tests, and writes counts and failures."""
    python = ["/usr/bin/python3", "-B"]
    if options.only != "integration":
        unit = [*python, TESTS / "unit.py", "--counts", counts]
        if surroundings.width:
            unit += ["--width", str(surroundings.width)]
        if options.patterns:
            unit += ["--filter", f"(?i)^[^/]*({'|'.join(options.patterns)})"]
        yield "unit", [*unit, options.programs]
    if options.only != "unit":
        yield "integration", [
            *python, TESTS / "Integration" / "run.py", "--counts", counts,
            "--seed", str(surroundings.seed), *options.patterns]


def run(options, surroundings, log):
    """Yields the counts of each kind of test, and the names of those that failed."""
    counts = surroundings.place / "counts"
    for kind, command in commands(options, surroundings, counts):
        counts.write_text("")
        if surroundings.user:
            os.chown(counts, NOBODY, NOBODY)
        child = surroundings.start(command, log)
        try:
            child.wait()
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
        first, *broken = counts.read_text().splitlines() or ["0 1 0", f"the {kind} tests' runner"]
        yield kind, [int(word) for word in first.split()], broken


def repeat(options):
    """All runs. Returns the seeds with which each test failed."""
    failures = collections.defaultdict(list)
    logs = ROOT / ".build" / "flakes"
    logs.mkdir(parents=True, exist_ok=True)
    for number in range(options.runs):
        surroundings = Surroundings(options.seed + number, options)
        print(f"{number + 1}/{options.runs} {surroundings}", flush=True)
        try:
            with open(logs / f"{os.getpid()}-{surroundings.seed}.log", "w") as log:
                start = time.monotonic()
                for kind, (passed, failed, skipped), broken in run(options, surroundings, log):
                    print(
                        f"    {kind}: {passed} passed, {failed} failed, {skipped} skipped; "
                        f"{time.monotonic() - start:.0f} s; load {os.getloadavg()[0]:.1f}",
                        *broken, sep="\n    ✘ ", flush=True)
                    start = time.monotonic()
                    for name in broken:
                        failures[name].append(surroundings.seed)
        finally:
            surroundings.remove()
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--beside", type=int, default=0, metavar="LOAD", help="so many processes")
    parser.add_argument("--forgetting", action="store_true", help="drop the kernel's caches, too")
    parser.add_argument("--as", dest="user", choices=("root", "nobody"), help="always, not by seed")
    parser.add_argument("--on", choices=("disk", "memory"), help="always, not by seed")
    parser.add_argument("--unit", dest="only", action="store_const", const="unit")
    parser.add_argument("--integration", dest="only", action="store_const", const="integration")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="the first run's")
    parser.add_argument("--programs", required=True, metavar="DIRECTORY", help=argparse.SUPPRESS)
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    options = parser.parse_intermixed_args()
    if options.forgetting and os.getuid() != 0:
        parser.error("--forgetting is for root")
    # As an interrupt does: what runs is ended, and its places removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with load(options.beside, options.forgetting):
        failures = repeat(options)
    for name, seeds in sorted(failures.items(), key=lambda one: (-len(one[1]), one[0])):
        print(f"{len(seeds)} of {options.runs}: {name}, seeds {' '.join(map(str, seeds))}")
    print(f"{options.runs} runs, {len(failures)} tests that failed in some")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
