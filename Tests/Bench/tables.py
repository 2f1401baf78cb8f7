"""The figures as tables of plain text, for a terminal and, indented, for Markdown."""
import textwrap

from machine import in_words, versions_in_words
from workloads import EXTRAS, WITHIN, WORKLOADS

COMPARED = ("gocryptfs", "passthrough_ll")
NO_PEERS = ("passthrough_ll", "fscrypt", "dm-crypt", "bare")
BEGIN, END = "<!-- table -->", "<!-- /table -->"
# A page has no room for them; `--from` shows them.
NOT_IN_DOCUMENTS = ("encfs", "cryfs", "random-read-2", "rm")
COLUMNS = 100
SHORT = {
    "mamd+ring": "+ring", "gocryptfs": "gocry", "securefs": "secur", "fscrypt": "fscry",
    "dm-crypt": "dm-cr", "passthrough_ll": "pass"}


def all_tables(results):
    """The run; for each store what operations cost and how fast they are, and why cells are
    empty."""
    parts = run_in_words(results)
    if results.machine:
        parts.insert(1, filled(versions_in_words(results.machine)))
    for store in results.figures:
        for rows in (WORKLOADS, EXTRAS):
            parts += [
                costs(results, store, rows), counts(results, store, rows),
                table(results, store, rows), ratios(results, store, rows)]
        parts += [within(results, store), reasons(results, store)]
    return "\n\n".join(filter(None, parts))


def main_tables(results, rows=WORKLOADS):
    """For a document: what these of the main rows cost, and the mean of all. Speeds are those of a
    machine and of an hour."""
    return "\n\n".join(filter(None, [
        *run_in_words(results),
        *(costs(results, store, rows, NOT_IN_DOCUMENTS) for store in results.figures)]))


def run_in_words(results):
    cipher = results.settings.get("cipher")
    words = [in_words(results.machine)] if results.machine else []
    if cipher:
        words.append(f"Cipher: {cipher}.")
    return [filled(" ".join(words))] if words else []


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


def there(results, store):
    """The places of which there is anything."""
    return [
        place for place in results.places
        if any(place in places for places in results.figures[store].values())]


def table(results, store, rows):
    places = there(results, store)
    lines = [
        [row.title, row.unit, *(cell(results.median(store, row.key, place)) for place in places)]
        for row in measured(results, store, rows)]
    return aligned([[f"speed on {store}", "", *map(short, places)], *lines]) if lines else ""


def ratios(results, store, rows):
    """Of mamd's places to others: above 1 mamd is faster."""
    places = there(results, store)
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


def costs(results, store, rows, without=()):
    """Microseconds of processor time that one operation takes, of all that ran."""
    places = [place for place in there(results, store) if place not in without]
    lines = [
        [row.title, *(
            cell(cost and cost.processor)
            for cost in (results.cost(store, row.key, place) for place in places))]
        for row in measured(results, store, rows) if row.key not in without]
    means = [results.mean_cost_ratio(store, place, "passthrough_ll") for place in places]
    if rows.keys() <= WORKLOADS.keys() and any(means):
        lines.append(["mean against pass", *map(times, means)])
    return aligned([[f"CPU us on {store}", *map(short, places)], *lines]) if lines else ""


def counts(results, store, rows):
    """How often the daemon was asked, a task was woken and the processors switched, for one
    operation."""
    places = [
        place for place in there(results, store)
        if place.startswith("mamd") or place in COMPARED]
    lines = [
        [row.title, *(
            "–" if cost is None else "/".join(
                "–" if count is None else f"{count:.1f}"
                for count in (cost.requests, cost.wakeups, cost.switches))
            for cost in (results.cost(store, row.key, place) for place in places))]
        for row in measured(results, store, rows)]
    return aligned([
        ["requests/wakes/switches", *map(short, places)], *lines
    ]) if lines and places else ""


def within(results, store):
    """A table of each place against itself."""
    figures, places = results.figures[store], there(results, store)
    lines = [
        [title, *(
            times(quotient(results.median(store, over, place), results.median(store, under, place)))
            for place in places)]
        for title, over, under in WITHIN if {over, under} <= set(figures)]
    return aligned(
        [[f"within a place on {store}", *map(short, places)], *lines]) if lines else ""


def quotient(over, under):
    return None if over is None or under is None else over / under


def cell(figure):
    """In five characters, if it is below a million."""
    if figure is None:
        return "–"
    if figure >= 10_000:
        return f"{figure / 1000:,.{0 if figure >= 100_000 else 1}f}k"
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.3g}" if figure >= 0.1 else (
        f"{figure:.3f}")


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
