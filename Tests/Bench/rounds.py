"""The order of things: all places do one group of workloads, then the next group, and all of it
again."""
import sys
import time

from steps import GROUPS, Steps
from work import Failure
from workloads import ALL

PROBLEMS = (Failure, OSError, RuntimeError, AssertionError)


class Rounds:
    """What disturbs the machine for a minute then disturbs all places alike. `failed`: where that
    may not be."""

    def __init__(self, store, places, options, archive, results):
        self.store, self.places, self.options = store, places, options
        self.archive, self.results = archive, results
        self.failed, self.given_up = [], set()

    def leave_out(self, missing):
        """Places that did not start, and why."""
        for name, reason in missing.items():
            print(f"{name} on {self.store}: left out: {reason}", file=sys.stderr)
            self.results.explain(self.store, "all", name, reason)
            if name.startswith("mamd") or name == "bare":
                self.failed.append(f"{name} on {self.store}: {reason}")

    def run(self):
        for number in range(self.options.rounds):
            for group, keys in GROUPS.items():
                wanted = [key for key in keys if key in self.options.only]
                for place in self.in_turn(number) if wanted else ():
                    if number < place.most_rounds and (place.name, group) not in self.given_up:
                        self.one(number, group, wanted, place)

    def in_turn(self, number):
        """Another one is the first in each round: a virtual machine's memory is slow where nobody
        has written to it for a while."""
        first = number % len(self.places)
        return self.places[first:] + self.places[:first]

    def one(self, number, group, wanted, place):
        start, found = time.monotonic(), {}

        def record(key, figure, cost):
            found[key] = figure, cost

        steps = Steps(place, self.options.sizes, self.archive, wanted, record, seed=100 * number)
        try:
            steps.settle()
            getattr(steps, group)()
            steps.clean()
        except PROBLEMS as problem:
            self.give_up(group, [key for key in wanted if key not in found], place, str(problem))
            self.recover(steps)
        for key, (figure, cost) in found.items():
            self.results.add(self.store, key, place.name, figure, cost)
        figures = ", ".join(
            f"{key} {figure:.4g} {ALL[key].unit}" for key, (figure, _) in found.items())
        print(
            f"{self.store}, round {number + 1}, {place.name}: {figures} "
            f"({time.monotonic() - start:.1f} s)",
            file=sys.stderr, flush=True)

    def give_up(self, group, keys, place, reason):
        """A peer's rows stay empty; ours and the store's may not."""
        print(f"{place.name} on {self.store}, {group}: {reason}", file=sys.stderr, flush=True)
        self.given_up.add((place.name, group))
        for key in keys:
            self.results.explain(self.store, key, place.name, reason)
        if place.must_work:
            self.failed.append(f"{place.name} on {self.store}, {group}: {reason}")

    def recover(self, steps):
        """Whatever fell over serves the next group; what does not is left out from here on."""
        try:
            steps.place.come_back()
            steps.clean()
        except PROBLEMS as problem:
            for group, keys in GROUPS.items():
                self.give_up(
                    group, [key for key in keys if key in self.options.only], steps.place,
                    str(problem))
