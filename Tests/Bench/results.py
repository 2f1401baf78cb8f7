"""All figures of a run: kept one by one, shown as medians."""
import math
import statistics

from workloads import ALL, WORKLOADS


class Results:
    """`figures`: by store, workload and place, one a round. `reasons`: why there is none."""

    def __init__(self, figures=None, reasons=None):
        self.figures, self.reasons = figures or {}, reasons or {}

    def add(self, store, key, place, figure):
        self.figures.setdefault(store, {}).setdefault(key, {}).setdefault(place, []).append(figure)

    def explain(self, store, key, place, reason):
        self.reasons.setdefault(store, {}).setdefault(key, {})[place] = reason

    def median(self, store, key, place):
        figures = self.figures.get(store, {}).get(key, {}).get(place)
        return statistics.median(figures) if figures else None

    def ratio(self, store, key, ours, theirs):
        """How many times as fast as theirs ours is, or None."""
        figures = self.median(store, key, ours), self.median(store, key, theirs)
        return None if None in figures else ALL[key].speed_of(*figures)

    def mean_ratio(self, store, ours, theirs):
        """The geometric mean of the main rows."""
        ratios = [self.ratio(store, key, ours, theirs) for key in WORKLOADS]
        ratios = [ratio for ratio in ratios if ratio]
        return math.exp(statistics.fmean(map(math.log, ratios))) if ratios else None

    def fastest(self, store, key, places):
        """Of these places, the one with the best median."""
        there = [place for place in places if self.median(store, key, place) is not None]
        first = max if ALL[key].is_rate else min
        return first(there, key=lambda place: self.median(store, key, place), default=None)
