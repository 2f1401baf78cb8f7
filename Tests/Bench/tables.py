"""The figures as tables in Markdown."""
from machine import in_words
from workloads import EXTRAS, WITHIN, WORKLOADS

COMPARED = ("gocryptfs", "passthrough_ll")
NO_PEERS = ("passthrough_ll", "bare")
BEGIN, END = "<!-- table -->", "<!-- /table -->"


def all_tables(results):
    """What was measured where, and for each store a table of what is compared, one of the rest, and why cells are empty."""
    parts = [in_words(results.machine)] if results.machine else []
    for store in results.figures:
        parts += [table(results, store, WORKLOADS), table(results, store, EXTRAS), within(results, store), reasons(results, store)]
    return "\n\n".join(filter(None, parts))


def table(results, store, rows):
    rows = [row for row in rows.values() if row.key in results.figures[store]]
    if not rows:
        return ""
    places = results.places
    ours = [place for place in places if place.startswith("mamd")]
    peers = [place for place in places if place not in ours and place not in NO_PEERS]
    ratios = [(one, other) for one in ours for other in COMPARED if other in places]
    lines = [
        [f"on {store}", "unit", *places, *(f"{one} / {other}" for one, other in ratios), "fastest peer"],
        ["---", "---", *["---:"] * (len(places) + len(ratios)), "---"]]
    for row in rows:
        lines.append([
            row.title, row.unit, *(cell(results.median(store, row.key, place)) for place in places),
            *(times(results.ratio(store, row.key, *pair)) for pair in ratios),
            results.fastest(store, row.key, peers) or "–"])
    if rows[0].key in WORKLOADS and ratios:
        means = (f"**{times(results.mean_ratio(store, *pair))}**" for pair in ratios)
        lines.append(["geometric mean", "", *[""] * len(places), *means, ""])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def within(results, store):
    """A table of each place against itself."""
    rows = [
        [title, *(times(quotient(results.median(store, over, place), results.median(store, under, place)))
                  for place in results.places)]
        for title, over, under in WITHIN if {over, under} <= set(results.figures[store])]
    lines = [[f"on {store}, within a place", *results.places], ["---", *["---:"] * len(results.places)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) if rows else ""


def quotient(over, under):
    return None if over is None or under is None else over / under


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


def into_document(text, new, marks=(BEGIN, END)):
    """The text with what stands between its two marks replaced."""
    before, begin, rest = text.partition(marks[0])
    _, end, after = rest.partition(marks[1])
    if not begin or not end:
        raise ValueError(f"no {marks[0]} … {marks[1]}")
    return f"{before}{begin}\n\n{new}\n\n{end}{after}"
