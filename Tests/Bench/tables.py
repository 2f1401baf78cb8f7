"""The figures as tables in Markdown."""
from workloads import EXTRAS, WORKLOADS

FUSE_ONLY, NO_PEERS = "passthrough_ll", ("passthrough_ll", "bare")


def tables(results, store, places):
    """Two: the workloads that are compared, and the extra ones."""
    return "\n\n".join(filter(None, (
        table(results, store, places, WORKLOADS), table(results, store, places, EXTRAS), reasons(results, store))))


def table(results, store, places, rows):
    rows = [row for row in rows.values() if row.key in results.figures.get(store, {})]
    if not rows:
        return ""
    ours = [place for place in places if place.startswith("mamd")]
    others = [place for place in ("gocryptfs", "passthrough_ll") if place in places]
    peers = [place for place in places if place not in ours and place not in NO_PEERS]
    ratios = [(one, other) for one in ours for other in others]
    heads = [f"on {store}", "unit", *places, *(f"{one} / {other}" for one, other in ratios), "fastest peer"]
    lines = [heads, ["---", "---", *["---:"] * (len(places) + len(ratios)), "---"]]
    for row in rows:
        lines.append([
            row.title, row.unit, *(cell(results.median(store, row.key, place)) for place in places),
            *(times(results.ratio(store, row.key, *pair)) for pair in ratios),
            results.fastest(store, row.key, peers) or "–"])
    if rows[0].key in WORKLOADS:
        lines.append([
            "geometric mean", "", *[""] * len(places), *(times(results.mean_ratio(store, *pair)) for pair in ratios), ""])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cell(figure):
    if figure is None:
        return "–"
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.3g}"


def times(ratio):
    return "–" if ratio is None else f"{ratio:.2f}"


def reasons(results, store):
    """Why cells are empty."""
    return "\n".join(
        f"- {place}, {key}: {reason}"
        for key, places in results.reasons.get(store, {}).items() for place, reason in places.items())
