"""The figures as pictures: each workload against gocryptfs, and what more clients bring."""
import math

from svg import FAINT, INK, Picture
from workloads import CLIENTS, WORKLOADS

BASE = "gocryptfs"
COLOURS = {
    "mamd": "#0b5cad", "mamd+ring": "#58a6e8", "gocryptfs": "#222222", "passthrough_ll": "#9a9a9a",
    "securefs": "#e08a1e",
    "encfs": "#a5b52b", "cryfs": "#b5476b", "bare": "#d0d0d0"}
OTHER = "#3cb8a8"

LEFT, RIGHT, TOP, BAR, GAP = 300, 60, 76, 9, 10
TICKS = (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20)


def write_plots(results, directory):
    """The names of the files that were written."""
    directory.mkdir(parents=True, exist_ok=True)
    pictures = {}
    for store in results.figures:
        pictures[f"bench-{store}.svg"] = ratios(results, store)
        pictures[f"bench-clients-{store}.svg"] = clients(results, store)
    written = [name for name, picture in pictures.items() if picture]
    for name in written:
        (directory / name).write_text(str(pictures[name]))
    return written


def ratios(results, store):
    """Bars to the right of 1 are faster than gocryptfs. The scale is a logarithm's, so that half is
    as far as double."""
    rows = [row for row in WORKLOADS.values() if results.median(store, row.key, BASE)]
    places = [place for place in results.places if place not in (BASE, "bare")]
    found = {
        (row.key, place): results.ratio(store, row.key, place, BASE) for row in rows
        for place in places}
    values = [ratio for ratio in found.values() if ratio]
    if not values:
        return None
    step = BAR * len(places) + GAP
    width, bottom = 960, TOP + step * len(rows)
    low, high = min(0.5, *values) / 1.1, max(2, *values) * 1.1

    def across(ratio):
        return LEFT + (width - LEFT - RIGHT) * math.log(ratio / low) / math.log(high / low)

    picture = Picture(width, bottom + 40, f"Times as fast as {BASE}, on {store}")
    picture.legend(16, 52, places, colours(places))
    for tick in (tick for tick in TICKS if low <= tick <= high):
        picture.line([(across(tick), TOP - 6), (across(tick), bottom)], INK if tick == 1 else FAINT)
        picture.text(across(tick), bottom + 16, f"{tick:g}", anchor="middle")
    for number, row in enumerate(rows):
        y = TOP + step * number
        picture.text(LEFT - 12, y + step / 2, row.title, anchor="end")
        for place in places:
            ratio = found[row.key, place]
            if ratio:
                start, end = sorted((across(1), across(ratio)))
                picture.bar(start, y, max(end - start, 1), BAR - 1, colours(places)[place])
                picture.text(end + 3 if ratio >= 1 else start - 3, y + 8, f"{ratio:.2f}", size=8,
                             anchor="start" if ratio >= 1 else "end")
            y += BAR
    return picture


def clients(results, store):
    """Requests of all clients together, by their number."""
    places = [
        place for place in results.places if place != "bare"
        and results.median(store, f"clients-{CLIENTS[0]}", place)]
    if not places:
        return None
    lines = {
        place: [(count, rate) for count in CLIENTS
        if (rate := results.median(store, f"clients-{count}", place))]
        for place in places}
    width, height, left, right, bottom = 960, 460, 90, 30, 420
    high = 1.08 * max(rate for line in lines.values() for _, rate in line)

    def at(count, rate):
        return (left + (width - left - right) * CLIENTS.index(count) / (len(CLIENTS) - 1),
                bottom - (bottom - TOP) * rate / high)

    picture = Picture(
        width, height, f"Files read, written and asked for in a second, by clients, on {store}")
    picture.legend(16, 52, places, colours(places))
    step = nice_step(high / 5)
    for number in range(int(high / step) + 1):
        _, y = at(CLIENTS[0], number * step)
        picture.line([(left, y), (width - right, y)])
        picture.text(left - 8, y + 4, f"{number * step:,.0f}", anchor="end")
    for count in CLIENTS:
        picture.text(at(count, 0)[0], bottom + 20, str(count), anchor="middle")
    for place, line in lines.items():
        points = [at(*point) for point in line]
        picture.line(points, colours(places)[place], 2.5 if place.startswith("mamd") else 1.5)
        for point in points:
            picture.dot(*point, colours(places)[place])
    return picture


def nice_step(least):
    """The next of 1, 2 and 5 times a power of ten."""
    power = 10 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least)


def colours(places):
    return {place: COLOURS.get(place, OTHER) for place in places}
