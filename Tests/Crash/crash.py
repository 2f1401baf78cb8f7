"""Power cuts: random work on a mount, every change below it recorded, and what a disk may hold
after a cut mounted again.

    scripts/dev crash [--points 10000] [--steps 400] [--seed N] [--program mamd] [--tears]
                      [--jobs 2] [--on ext4|xfs] [--in-order]
    scripts/dev crash --again .build/crash/mamd-SEED [--only POINT [--disk DIR]]

Prints figures; exit status 1 if anything was violated. Then the recording is kept, and any point of
it can be looked at again; --disk leaves what the cut left of the backing directory.
"""
import argparse
import concurrent.futures
import multiprocessing
import os
import pathlib
import pickle
import random
import shutil
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "Integration")]
# In memory where there is room: every point is a tree that is written and read once.
if os.access("/dev/shm", os.W_OK):
    tempfile.tempdir = "/dev/shm"

import running
from crash_check import Point, Report, check
from model import Model
from crash_programs import PROGRAMS, Program
from real_disk import MAKE, DiskRecorder, DiskRecording
from recorder import Recorder
from recording import Recording

BUILD = HERE.parents[1] / ".build" / "release"
# Points of one recording; the next ones are of another, with the next seed.
ROUND = 500


class Run:
    """One workload of one program, recorded, and its points."""

    def __init__(self, program, seed, steps, tears=False, disk=None, in_order=False):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix=running.PREFIX))
        self.name, self.seed, self.steps, self.tears = program, seed, steps, tears
        self.kind, self.in_order, self.base = disk, in_order, None
        self.model = Model()

    def recorder(self, mount):
        """Of calls to a file system, or of what reaches the disk of the kind asked for."""
        if self.kind is None:
            return Recorder(self.place / "source", mount, self.place / "log")
        running.go_apart()
        recorder = DiskRecorder(self.kind, self.place, mount, self.place / "log")
        self.base = recorder.base
        return recorder

    def read(self, log):
        if self.kind is None:
            self.recording = Recording(log)
        else:
            self.recording = DiskRecording(self.kind, self.base, log)

    def record(self):
        program = PROGRAMS[self.name](self.place / "recorded")
        recorder = self.recorder(program.disk)
        try:
            program.create()
            try:
                work = program.workload(program, self.model, recorder, self.seed)
                work.run(self.steps)
            finally:
                work.finish()
                program.stop()
        finally:
            recorder.stop()
        program.save(self.place / "settings")
        self.read(self.place / "log")

    def keep(self, directory):
        """What a later run needs to check the same points."""
        place = directory / f"{self.name}-{self.seed}"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        shutil.copy(self.place / "log", place)
        shutil.copytree(self.place / "settings", place / "settings")
        (place / "run").write_bytes(pickle.dumps(
            (self.name, self.seed, self.tears, self.model, self.kind, self.in_order, self.base)))
        return place

    def load(self, kept):
        (self.name, self.seed, self.tears, self.model, self.kind, self.in_order,
         self.base) = pickle.loads((kept / "run").read_bytes())
        shutil.copytree(kept / "settings", self.place / "settings")
        self.read(kept / "log")

    def check(self, numbers, jobs):
        """All points of these numbers, some at a time."""
        report = Report()
        # Forked: the recording is large, and is there already.
        context = multiprocessing.get_context("fork")
        with concurrent.futures.ProcessPoolExecutor(jobs, context, prepare, (self,)) as pool:
            for one in pool.map(check_one, numbers, chunksize=4):
                report.add(one)
        return report

    def point(self, number):
        return Point(self.recording, number, self.seed, self.tears, self.in_order)

    def close(self):
        running.remove_leftovers(running.PREFIX)


worker_run: Run
worker_program: Program


def prepare(run):
    """In a worker: an instance of its own."""
    global worker_run, worker_program
    worker_run = run
    worker_program = PROGRAMS[run.name](run.place / f"worker-{os.getpid()}")
    worker_program.restore(run.place / "settings")


def check_one(number):
    return check(worker_run.point(number), worker_run.model, worker_program)


def print_report(report, seconds, seed):
    figures = report.figures
    for kind, text in report.faults[:40]:
        print(f"VIOLATION {kind}: {text}", file=sys.stderr)
    words = ["points", "files", "old", "new", "between", "unfinished", "unmade"]
    words += sorted(word for word in figures if word.startswith("violation"))
    print(f"seed {seed}: " + ", ".join(f"{word} {figures[word]}" for word in words)
          + f"; {len(report.faults)} violations in {figures['bad points']} points, "
          f"{figures['points with losses']} with acknowledged bytes lost, "
          f"{figures['bad points, prefix']} of {figures['points, prefix']} prefixes among them; "
          f"{seconds:.0f} s")


def play(run, numbers, options):
    """Records, or takes what was kept, and checks the points."""
    try:
        if options.again:
            run.load(options.again)
        else:
            run.record()
        if options.disk:
            run.point(options.only).disk.write_out(options.disk)
        report = run.check(numbers, options.jobs)
        if report.faults and not options.again:
            print(f"kept: {run.keep(BUILD.parent / 'crash')}", file=sys.stderr)
        return report
    finally:
        run.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=500)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--program", choices=PROGRAMS, default="mamd")
    parser.add_argument(
        "--tears", action="store_true", help="blocks torn at 512 bytes; reported, not required")
    parser.add_argument("--on", choices=MAKE, help="a real file system, and what reaches its disk")
    parser.add_argument(
        "--in-order", action="store_true", help="cuts that leave all that was written before them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--again", type=pathlib.Path, metavar="KEPT")
    parser.add_argument("--only", type=int, metavar="POINT")
    parser.add_argument("--disk", type=pathlib.Path, metavar="DIR")
    options = parser.parse_args()
    if options.on and not shutil.which(MAKE[options.on][0]):
        parser.error(f"{MAKE[options.on][0]} is missing: apt-get install e2fsprogs xfsprogs")
    if BUILD.is_dir():
        os.environ["PATH"] = f"{BUILD}:{os.environ['PATH']}"
    report, start = Report(), time.monotonic()
    if options.again:
        numbers = range(options.points) if options.only is None else [options.only]
        report.add(play(Run(options.program, options.seed, options.steps), numbers, options))
    else:
        for index in range(0, options.points, ROUND):
            run = Run(
                options.program, options.seed + index // ROUND, options.steps, options.tears,
                options.on, options.in_order)
            report.add(play(run, range(min(ROUND, options.points - index)), options))
    print_report(report, time.monotonic() - start, options.seed)
    sys.exit(bool(report.faults))


if __name__ == "__main__":
    main()
