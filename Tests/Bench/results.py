"""All figures of a run: kept one by one, shown as medians."""
import dataclasses
import json
import math
import statistics

from meter import Cost
from workloads import ALL, WORKLOADS

FORMAT = 2


@dataclasses.dataclass
class Results:
    """`figures`: by store, workload and place, one a round; `costs` the same, each the fields of a
    Cost, of the whole machine. `reasons`: why there is none.

    `places`: the columns. `machine` and `settings`: for those who read it later.
    """

    places: list
    machine: dict = dataclasses.field(default_factory=dict)
    settings: dict = dataclasses.field(default_factory=dict)
    figures: dict = dataclasses.field(default_factory=dict)
    costs: dict = dataclasses.field(default_factory=dict)
    reasons: dict = dataclasses.field(default_factory=dict)

    def add(self, store, key, place, figure, cost):
        for table, value in ((self.figures, figure), (self.costs, [*dataclasses.astuple(cost)])):
            table.setdefault(store, {}).setdefault(key, {}).setdefault(place, []).append(value)

    def explain(self, store, key, place, reason):
        self.reasons.setdefault(store, {}).setdefault(key, {})[place] = reason

    def median(self, store, key, place):
        figures = self.figures.get(store, {}).get(key, {}).get(place)
        return statistics.median(figures) if figures else None

    def cost(self, store, key, place):
        """The medians."""
        costs = self.costs.get(store, {}).get(key, {}).get(place)
        return Cost(*(
            None if None in column else statistics.median(column) for column in zip(*costs)
        )) if costs else None

    def mean_cost_ratio(self, store, ours, theirs):
        """The geometric mean of the main rows: above 1, ours takes more processor time."""
        pairs = [
            (self.cost(store, key, ours), self.cost(store, key, theirs)) for key in WORKLOADS]
        logs = [math.log(one.processor / other.processor) for one, other in pairs if one and other]
        return math.exp(statistics.fmean(logs)) if logs else None

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

    def save(self, file):
        medians = {
            store: {key: {place: self.median(store, key, place) for place in places} for key,
            places in rows.items()}
            for store, rows in self.figures.items()}
        units = {key: row.unit for key, row in ALL.items()}
        whole = {"format": FORMAT, **dataclasses.asdict(self), "medians": medians, "units": units}
        file.write_text(json.dumps(whole) + "\n")

    @classmethod
    def load(cls, file):
        whole = json.loads(file.read_text())
        if whole.get("format") != FORMAT:
            raise SystemExit(f"bench: {file} is not of format {FORMAT}")
        return cls(**{field.name: whole[field.name] for field in dataclasses.fields(cls)})
