"""Which FUSE requests an operation on the mount takes, and how long the caller waits for each: the
kernel's own trace, once through each transport."""
import collections
import contextlib
import json
import re
import statistics
import subprocess
import sys

from archive import Archive
from costs import COUNT, create, delete, read_small
from filesystems import Mamd, Ringed
from machine import in_words, machine
from measuring import mounted, scratch
from meter import connection_of
from output import DOCUMENT
from stores import STORES, forget
from tables import aligned, filled, into_document
from tracepoints import TRACING, counters

MARKS = "<!-- requests -->", "<!-- /requests -->"
INSTANCE = TRACING / "instances" / "mamd-bench"
EVENTS = "fuse_request_send", "fuse_request_end"
LINE = re.compile(
    r"\s(?P<time>\d+\.\d+): (?P<event>fuse_request_\w+): .*?req (?P<number>\d+)"
    r"(?: opcode \d+ \(FUSE_(?P<name>\w+)\))?")


@contextlib.contextmanager
def traced(connection):
    """Yields a function that returns what was traced."""
    counters("fuse/fuse_request_end")  # mounts tracefs
    INSTANCE.mkdir()
    try:
        (INSTANCE / "buffer_size_kb").write_text("65536")
        for event in EVENTS:
            place = INSTANCE / "events" / "fuse" / event
            (place / "filter").write_text(f"connection == {connection}")
            (place / "enable").write_text("1")
        yield lambda: (INSTANCE / "trace").read_text()
    finally:
        INSTANCE.rmdir()


def waits(text):
    """Of each request, by its name: seconds from its start to its end."""
    begun, found = {}, collections.defaultdict(list)
    for match in LINE.finditer(text):
        if match["event"] == "fuse_request_send":
            begun[match["number"]] = match["name"], float(match["time"])
        elif match["number"] in begun:
            name, start = begun.pop(match["number"])
            found[name].append(float(match["time"]) - start)
    return found


def requests_of(place, archive):
    """By operation and request: how many, and the median of their microseconds."""
    root, figures = place.files / "requests", {}
    root.mkdir()

    def untar(root):
        with open(archive.path, "rb") as file:
            subprocess.run(["tar", "-x", "-C", root], stdin=file, check=True)

    for name, count, operation in (
            ("create a file of 4 KiB", COUNT, create),
            ("open, read, close", COUNT, read_small), ("unlink", COUNT, delete),
            ("an entry of tar -x", archive.entries, untar)):
        forget(place)
        with traced(connection_of(place.files)) as read:
            operation(root)
            found = waits(read())
        figures[name] = {
            request: (len(times) / count, 1e6 * statistics.median(times))
            for request, times in found.items() if len(times) >= count / 20}
    return figures


def table(figures):
    """Both transports side by side."""
    lines = [["", "", *(text for place in figures for text in (place, ""))],
             ["operation", "request", *["number", "µs"] * len(figures)]]
    for operation in next(iter(figures.values())):
        names = {name: None for place in figures.values() for name in place[operation]}
        for position, name in enumerate(names):
            cells = [f"{value:.{digits}f}" if name in place[operation] else "–"
                     for place in figures.values()
                     for value, digits in zip(place[operation].get(name, (0, 0)), (1, 0))]
            lines.append([operation if position == 0 else "", name, *cells])
    return aligned(lines)


def measure_requests(options):
    """The exit status."""
    figures = {}
    with scratch(options) as (memory, disk):
        archive = Archive(options.sizes.tree, disk / "tree.tar")
        with mounted([Mamd, Ringed], STORES["tmpfs"], memory) as (places, missing):
            for place in places:
                figures[place.name] = requests_of(place, archive)
    for name, reason in missing.items():
        print(f"bench: {name}: left out: {reason}", file=sys.stderr)
    if not figures:
        return 1
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")
    text = "\n\n".join((filled(in_words(machine())), table(figures)))
    print(text)
    if options.write_docs:
        DOCUMENT.write_text(into_document(DOCUMENT.read_text(), text, MARKS))
    return 0
