"""Processes that make random file calls at the same time: each in a directory of its own, so that
what comes of a call is known, and with its neighbour's files open."""
import multiprocessing
import os
import pathlib
import random
import stat
import threading
import time
import traceback

from posix_place import shape
from random_place import RandomPlace, digest
from random_plan import Plan
from random_state import paths
from workspace import pattern

PHASES, STEPS = 4, 100  # of each process in a round, and in each of them
SECONDS = 300  # for a phase, and more than any takes
EVENTS = ("lock", "forget", "owner", None)


class Member:
    """`roots`: of the round, in the mount and beside it. `held`: pairs of descriptors of one file
    of the neighbour's."""

    def __init__(self, roots, number, count):
        self.places = [RandomPlace(root / str(number)) for root in roots]
        self.neighbours = [root / str((number + 1) % count) for root in roots]
        self.held, self.chance = [], random.Random(number)

    def do(self, steps):
        for step in steps:
            here, there = (place.outcome(step) for place in self.places)
            assert here == there, f"{step}: {here!r} instead of {there!r}"
            if self.held:
                # Its owner changes it at this moment: the content is not known, but there is one.
                os.pread(self.chance.choice(self.held)[0], 10_000, self.chance.randrange(200_000))

    def hold(self):
        here, there = self.neighbours
        for path in paths(here):
            if stat.S_ISREG(os.lstat(path).st_mode):
                beside = there / os.path.relpath(path, here)
                self.held.append([os.open(each, os.O_RDWR) for each in (path, beside)])

    def let_go(self):
        """Nobody else acts: what is held is the same, and can be written."""
        for number, pair in enumerate(self.held):
            for changes in (False, True):
                if changes:
                    for descriptor in pair:
                        os.pwrite(descriptor, pattern(5000, number), 3000)
                here, there = (
                    (shape(os.fstat(each)), digest(os.pread(each, 1 << 30, 0))) for each in pair)
                assert here == there, f"a held file: {here!r} instead of {there!r}"
            for descriptor in pair:
                os.close(descriptor)
        self.held = []

    def work(self, plan, barrier, problems):
        try:
            for phase in range(PHASES):
                barrier.wait(SECONDS)
                self.do(plan[phase * STEPS:(phase + 1) * STEPS])
                barrier.wait(SECONDS)
                # The others look, and something happens to the workspace.
                barrier.wait(SECONDS)
                self.let_go()
                barrier.wait(SECONDS)
                self.hold()
        except threading.BrokenBarrierError:
            pass  # another has told
        except (AssertionError, OSError) as problem:
            problems.put(f"{problem}\n{traceback.format_exc()}")
            barrier.abort()


def one_round(pair, seed, count):
    """What differs, or None."""
    events = pair.fresh()
    roots = [pathlib.Path(place.root) for place in (events.here, events.there)]
    for root in roots:
        for number in range(count):
            for name in ("d", "e"):
                (root / str(number) / name).mkdir(parents=True)
    context = multiprocessing.get_context("fork")
    barrier, problems = context.Barrier(count + 1), context.SimpleQueue()
    members = [
        context.Process(target=Member(roots, number, count).work, args=(
            Plan(random.Random(f"{seed} {number}"), ()).steps(PHASES * STEPS), barrier, problems))
        for number in range(count)]
    for member in members:
        member.start()
    try:
        conduct(pair, events, random.Random(seed), barrier)
        # What they have open keeps the mount.
        for member in members:
            member.join(SECONDS)
        pair.end(events)
    except threading.BrokenBarrierError:
        return "a process has ended" if problems.empty() else problems.get()
    except (AssertionError, OSError) as problem:
        return str(problem)
    finally:
        barrier.abort()
        for member in members:
            member.join()
    return None


def conduct(pair, events, chance, barrier):
    """The part of the process that is no member: it looks while they wait."""
    for _ in range(PHASES):
        barrier.wait(SECONDS)
        barrier.wait(SECONDS)
        pair.look(events)
        event = chance.choice(EVENTS)
        if event in events.names():
            events.happen(event, "0/a")
            pair.look(events)
        barrier.wait(SECONDS)
        barrier.wait(SECONDS)


def compare_together(pair, seed, count, steps, seconds=None):
    """How many steps were done, and what differs, or None."""
    done, number, end = 0, 0, time.monotonic() + (seconds or 1 << 30)
    while done < steps and time.monotonic() < end:
        problem = one_round(pair, f"{seed} {number}", count)
        if problem:
            return done, f"seed {seed}, round {number}: {problem}"
        done, number = done + count * PHASES * STEPS, number + 1
        if seconds:
            print(f"{done} steps, none differs", flush=True)
    return done, None
