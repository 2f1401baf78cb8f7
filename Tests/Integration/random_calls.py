#!/usr/bin/python3
"""Random file calls on a mount and in a directory beside it, compared call by call; what differs
is made a short list.

    random_calls.py [--steps N] [--seconds N] [--seed N] [--calls-only] [--disk [DIRECTORY]]
                    [--processes N]

--seed repeats a run; --calls-only leaves locks, kills, remounts and changes of owners out; --disk
has the store on a disk that becomes full, which root makes and others name, mounted and theirs;
--processes has so many act at the same time (random_crowd.py). Status 1 if anything differs.
"""
import argparse
import contextlib
import pathlib
import random
import sys
import time

from disk_image import CACHED_MEBIBYTES, DiskImage
from random_crowd import compare_together
from random_events import Events, make_the_same
from random_place import RandomPlace
from random_plan import Plan
from random_state import differences, state
from workspace import Workspace

ROUND = 400  # steps in one directory
LOOK_EVERY = 20
SETTINGS = {"LockDeadlineSeconds": 60}  # a busy machine has its time: nothing is discarded
NO_ROOM = ("ENOSPC", "EDQUOT")


class Differs(Exception):
    """`at`: the step's number in its list."""

    def __init__(self, at, what):
        super().__init__(f"step {at}: {what}")
        self.at = at


class Pair:
    """A workspace, and a directory beside it. `disk`: true for one of its own, or where one is."""

    def __init__(self, disk=False):
        self.closing, self.number = contextlib.ExitStack(), 0
        self.workspace = Workspace(settings=SETTINGS)
        self.closing.callback(self.workspace.close)
        self.filler = None
        try:
            self.make(disk)
        except BaseException:
            self.close()
            raise

    def make(self, disk):
        if disk is True:
            image = DiskImage(self.workspace.root, CACHED_MEBIBYTES)
            self.closing.callback(image.close)
            disk = image.path
        if disk:
            self.workspace.backing = pathlib.Path(disk, "backing")
            self.workspace.backing.mkdir()
            self.filler = pathlib.Path(disk, "filler")
        self.beside = self.workspace.root / "beside"
        self.beside.mkdir()
        self.workspace.init().mount().register()
        self.closing.callback(self.workspace.unmount)

    def close(self):
        self.closing.close()

    def fresh(self):
        self.number += 1
        made = [
            root / str(self.number) for root in (self.workspace.mount_point, self.beside)]
        for path in made:
            for place in (path, path / "d", path / "e"):
                place.mkdir(mode=0o755)
        here, there = map(RandomPlace, made)
        return Events(self.workspace, here, there, self.filler)

    def events(self):
        return Events(self.workspace, None, None, self.filler).names()

    def do(self, steps):
        """All steps in fresh directories; raises Differs."""
        events = self.fresh()
        try:
            for at, step in enumerate(steps):
                try:
                    self.one(events, step)
                    if at % LOOK_EVERY == 0:
                        self.look(events)
                    if at == len(steps) - 1:
                        self.end(events)
                except (AssertionError, OSError) as problem:
                    raise Differs(at, f"{step}: {problem}") from problem
        finally:
            events.close_files()
            self.make_room()

    def end(self, events):
        """Until now the kernel's cache may have been read, and not the store."""
        self.look(events)
        self.make_room()
        events.remount(None)
        self.look(events)

    def make_room(self):
        if self.filler:
            self.filler.unlink(missing_ok=True)

    def one(self, events, step):
        if step[0] in events.names():
            known = events.happen(step[0], step[1])
            self.look(events, contents=known)
            if not known:
                make_the_same(events.here.root, events.there.root)
            return
        here = events.here.outcome(step)
        if self.filler and self.filler.exists() and here in NO_ROOM:
            self.settle(events)
            return
        there = events.there.outcome(step)
        full = self.filler and self.filler.exists()
        if full and here != there and isinstance(here, int) and here < there:
            self.settle(events)  # a part of it had room
            return
        assert here == there, f"{here!r} instead of {there!r}"

    def settle(self, events):
        """After a call without room: there is one content, whatever it is."""
        events.close_files()
        before = state(events.here.root)
        self.make_room()
        self.workspace.remount()
        after = state(events.here.root)
        assert before == after, f"after a remount: {differences(after, before)}"
        make_the_same(events.here.root, events.there.root)

    def look(self, events, contents=True):
        found = differences(
            state(events.here.root, contents), state(events.there.root, contents))
        assert not found, f"here and there: {found}"


def fails(pair, steps):
    """The steps up to the one that differs; None if none does."""
    try:
        pair.do(steps)
    except Differs as problem:
        return steps[:problem.at + 1]
    return None


def shrunk(pair, steps, seconds=60):
    """A short list that differs, too."""
    end, size = time.monotonic() + seconds, max(1, len(steps) // 2)
    while time.monotonic() < end:
        at, before = 0, len(steps)
        while at < len(steps) and time.monotonic() < end:
            shorter = fails(pair, steps[:at] + steps[at + size:])
            if shorter is None:
                at += size
            else:
                steps = shorter
        if size == 1 and len(steps) == before:
            break
        size = max(1, size // 2)
    return steps


def compare(pair, seed, events=(), steps=ROUND, seconds=None):
    """How many steps were done, and (what differs, a short list) or None."""
    chance, done = random.Random(seed), 0
    end = time.monotonic() + (seconds or 1 << 30)
    while done < steps and time.monotonic() < end:
        plan = Plan(chance, events).steps(ROUND)[:steps - done]
        try:
            pair.do(plan)
        except Differs as problem:
            done += problem.at
            return done, (problem, shrunk(pair, plan[:problem.at + 1]))
        done += len(plan)
        if seconds:
            print(f"{done} steps, none differs", flush=True)
    return done, None


def told(seed, done, found):
    problem, steps = found
    return "\n".join([
        f"seed {seed}, after {done} steps: {problem}", f"{len(steps)} steps show it:",
        *map(repr, steps)])


def main():
    words = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    words.add_argument("--steps", type=int, default=20_000)
    words.add_argument("--seconds", type=float, default=float(1 << 30))
    words.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    words.add_argument("--calls-only", action="store_true")
    words.add_argument(
        "--disk", nargs="?", const=True, metavar="DIRECTORY",
        help="one that becomes full; without a directory as root")
    words.add_argument("--processes", type=int, default=1, help="that act at the same time")
    options = words.parse_args()
    print(f"seed {options.seed}", flush=True)
    pair = Pair(options.disk)
    try:
        events = () if options.calls_only else pair.events()
        if options.processes > 1:
            done, found = compare_together(
                pair, options.seed, options.processes, options.steps, options.seconds)
        else:
            done, found = compare(pair, options.seed, events, options.steps, options.seconds)
            found = found and told(options.seed, done, found)
        if found:
            print(found, file=sys.stderr)
            log = pathlib.Path(pair.workspace.daemon_log)
            print(log.read_text(errors="replace")[-2000:] if log.exists() else "", file=sys.stderr)
        else:
            print(f"seed {options.seed}: {done} steps, none differs")
    finally:
        pair.close()
    sys.exit(found is not None)


if __name__ == "__main__":
    main()
