"""What the mount is held to: so many times as fast as gocryptfs, and as libfuse's own example all
in all. On tmpfs."""
from workloads import WORKLOADS

STORE = "tmpfs"
COLUMNS = ("mamd", "mamd+ring")

# By workload: without and with the ring.
TARGETS = {
    "write": (2.0, 2.0), "read-cold": (1.7, 1.6), "read-warm": (3.5, 3.5),
    "random-read": (1.3, 2.0),
    "random-read-2": (2.0, 3.5), "random-write": (5.0, 6.0), "random-sync": (1.4, 1.8),
    "create": (1.6, 2.0),
    "stat": (1.3, 1.3), "read-files": (1.4, 2.0), "delete": (1.2, 1.7), "untar": (2.2, 2.8),
    "grep": (1.3, 2.0),
    "rm": (1.4, 2.0), "sqlite": (2.2, 2.8),
}
MEAN = (1.0, 1.4)


def check(results):
    """The lines of a report, and how many targets were missed. What was not measured is missed
    too."""
    lines, missed = [f"{'':52} {'target':>7} {'is':>7}"], 0
    for column, place in enumerate(COLUMNS):
        if place not in results.places:
            continue
        rows = [
            (f"{place}: {row.title}", TARGETS[key][column],
            results.ratio(STORE, key, place, "gocryptfs"))
                for key, row in WORKLOADS.items()]
        rows.append(
            (f"{place}: mean against passthrough_ll", MEAN[column],
            results.mean_ratio(STORE, place, "passthrough_ll")))
        for title, target, ratio in rows:
            met = ratio is not None and ratio >= target
            missed += not met
            found = "–" if ratio is None else f"{ratio:.2f}"
            lines.append(f"{title:52} {target:7.2f} {found:>7}  {'met' if met else 'MISSED'}")
    return lines, missed
