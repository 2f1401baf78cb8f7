"""What was measured of starts and of idle daemons."""
import os
import pathlib
import platform
import statistics

from report import Table

# What the programs are held to.
OWNER_MS, READY_MS, IDLE_MIB = 15, 100, 25


class Figures:
    """Milliseconds by name and what was timed, MiB by name and when."""

    def __init__(self):
        self.milliseconds, self.memory = [], []

    def time(self, name, what, runs, once):
        """`once` gives the seconds of one run. The first one warms the caches."""
        once()
        taken = sorted(1000 * once() for _ in range(runs))
        self.milliseconds.append({
            "program": name, "what": what, "median": statistics.median(taken),
            "p90": taken[int(len(taken) * 0.9)],
            "best": taken[0]})

    def weigh(self, name, when, process):
        self.memory.append({"program": name, "when": when, **weight(process)})

    def show(self):
        print(
            f"{os.cpu_count()} processors, Linux {platform.release()}, load "
            f"{os.getloadavg()[0]:.1f}. Milliseconds.")
        table = Table("Starts", "program", "what", "median", "p90", "best")
        for row in self.milliseconds:
            table.row(
                row["program"], row["what"],
                *(f"{row[key]:.1f}" for key in ("median", "p90", "best")))
        table.show()
        table = Table("Memory in MiB", "program", "when", "resident", "its share", "its own")
        for row in self.memory:
            table.row(
                row["program"], row["when"],
                *(f"{row[key]:.1f}" for key in ("resident", "share", "own")))
        table.show()

    def failures(self):
        """What is over the limits."""
        return [
            f"{row['program']}, {row['what']}: {row['median']:.1f} ms, not {limit}"
            for what, limit in (("mamctl owner", OWNER_MS), ("mamd to ready", READY_MS))
            for row in self.milliseconds if row["what"].startswith(what) and row["median"] > limit
        ] + [
            f"{row['program']}, {row['when']}: {row['resident']:.1f} MiB, not {IDLE_MIB}"
            for row in self.memory
            if row["program"].startswith("mamd") and row["when"] == "ready"
            and row["resident"] > IDLE_MIB]


def weight(process):
    """Resident, with a share of what others have too, and what nobody else has, in MiB."""
    lines = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()[1:]
    kilobytes = {line.split()[0]: int(line.split()[1]) for line in lines}
    own = kilobytes["Private_Clean:"] + kilobytes["Private_Dirty:"]
    return {
        "resident": kilobytes["Rss:"] / 1024, "share": kilobytes["Pss:"] / 1024, "own": own / 1024}
