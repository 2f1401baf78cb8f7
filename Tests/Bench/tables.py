"""The figures as tables of plain text, for a terminal and, indented, for Markdown."""
import textwrap

from machine import in_words
from workloads import EXTRAS, WITHIN, WORKLOADS

COMPARED = ("gocryptfs", "passthrough_ll")
NO_PEERS = ("passthrough_ll", "bare")
BEGIN, END = "<!-- table -->", "<!-- /table -->"
COLUMNS = 100
SHORT = {"mamd+ring": "+ring", "gocryptfs": "gocrypt", "passthrough_ll": "pass"}


def all_tables(results):
    """The machine; for each store a table of what is compared, one of the rest, and why cells are
    empty."""
    parts = [filled(in_words(results.machine))] if results.machine else []
    if results.settings.get("cipher"):
        parts.append(f"mamd was told to use the cipher {results.settings['cipher']}.")
    for store in results.figures:
        for rows in (WORKLOADS, EXTRAS):
            parts += [
                table(results, store, rows), ratios(results, store, rows),
                costs(results, store, rows)]
        parts += [within(results, store), reasons(results, store)]
    return "\n\n".join(filter(None, parts))


def filled(text):
    return textwrap.fill(text, COLUMNS, break_long_words=False, break_on_hyphens=False)


def aligned(lines):
    """Columns of text: the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "    " + "  ".join(
            [line[0].ljust(widths[0]),
            *(text.rjust(width) for text, width in zip(line[1:], widths[1:]))]
        ).rstrip()
        for line in lines)


def short(place):
    return SHORT.get(place, place)


def measured(results, store, rows):
    return [row for row in rows.values() if row.key in results.figures[store]]


def table(results, store, rows):
    lines = [
        [row.title, row.unit,
        *(cell(results.median(store, row.key, place)) for place in results.places)]
        for row in measured(results, store, rows)]
    return aligned([[f"on {store}", "unit", *map(short, results.places)], *lines]) if lines else ""


def ratios(results, store, rows):
    """Of mamd's places to others: above 1 mamd is faster."""
    places = results.places
    ours = [place for place in places if place.startswith("mamd")]
    peers = [place for place in places if place not in ours and place not in NO_PEERS]
    pairs = [(one, other) for one in ours for other in COMPARED if other in places]
    rows = measured(results, store, rows)
    if not rows or not pairs:
        return ""
    lines = [
        [f"ratios on {store}", *(f"{short(one)}/{short(other)}" for one, other in pairs),
        "fastest"]]
    for row in rows:
        lines.append([
            row.title, *(times(results.ratio(store, row.key, *pair)) for pair in pairs),
            results.fastest(store, row.key, peers) or "–"])
    if rows[0].key in WORKLOADS:
        means = (times(results.mean_ratio(store, *pair)) for pair in pairs)
        lines.append(["geometric mean", *means, ""])
    return aligned(lines)


def costs(results, store, rows):
    """Processor time of one operation, of all that ran; and how often the processors switched."""
    there = [row for row in measured(results, store, rows) if row.key in results.costs[store]]
    if not there:
        return ""
    lines = [
        [row.title, *(
            "–" if cost is None else f"{cell(cost.processor)}/{cost.switches:.1f}"
            for cost in (results.cost(store, row.key, place) for place in results.places))]
        for row in there]
    if there[0].key in WORKLOADS and "passthrough_ll" in results.places:
        lines.append(["geometric mean to pass", *(
            times(results.mean_cost_ratio(store, place, "passthrough_ll"))
            for place in results.places)])
    return aligned([[f"us of processor/switches on {store}", *map(short, results.places)], *lines])


def within(results, store):
    """A table of each place against itself."""
    figures = results.figures[store]
    lines = [
        [title, *(
            times(quotient(results.median(store, over, place), results.median(store, under, place)))
            for place in results.places)]
        for title, over, under in WITHIN if {over, under} <= set(figures)]
    return aligned(
        [[f"within a place on {store}", *map(short, results.places)], *lines]) if lines else ""


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
        filled(f"- {place}, {key}: {reason}").replace("\n", "\n  ")
        for key, places in results.reasons.get(store, {}).items() for place,
        reason in places.items())


def into_document(text, new, marks=(BEGIN, END)):
    """The text with what stands between its two marks replaced."""
    before, begin, rest = text.partition(marks[0])
    _, end, after = rest.partition(marks[1])
    if not begin or not end:
        raise ValueError(f"no {marks[0]} … {marks[1]}")
    return f"{before}{begin}\n\n{new}\n\n{end}{after}"
