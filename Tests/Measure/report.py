"""The figures as tables in Markdown."""
import collections
import functools
import os
import platform
import statistics

from content import MIB, PAGE


def print_report(figures, subjects, options):
    print(
        f"\n{os.cpu_count()} processors, Linux {platform.release()}, load "
        f"{os.getloadavg()[2]:.1f}; "
          f"{options.times} rounds, large file of {options.size} MiB. Seconds: median (worst).")
    ways = [(f"{subject.name}: {way}", functools.partial(figures.of, subject.name, way))
            for subject in subjects for way in subject.ways()]
    # To kill something takes no time worth telling, and says nothing.
    commands = [(name, of) for name, of in ways if None not in of("idle: status")]
    what_is_left(ways)
    how_long(commands, options.size)
    first_reads(figures, subjects)
    what_was_said(commands)


def what_is_left(ways):
    table = Table(
        "What is left", "way to lock", "exit status: closed, open", "handle reads", "mapping reads",
        "opened anew",
        "MiB cached: before, after", "lost of 4 MiB written", "lost of 4 MiB mapped")
    for name, of in ways:
        table.row(
            name, pair(
                counted, of("idle: status") + of("closed: status"), while_open(of, "status")),
            counted(flat(of("handle"))), counted(flat(of("mapping"))), counted(of("path")),
            pair(mebibytes, while_open(of, "cached before"), while_open(of, "cached after")),
            mebibytes(of("lost, written"), 1), mebibytes(of("lost, mapped"), 1))
    table.show()


def how_long(ways, size):
    table = Table(
        "How long it takes", "way to lock", "nothing cached", f"{size} MiB cached, closed",
        "open and read",
        "open, just written", "of these not yet stored, MiB")
    for name, of in ways:
        table.row(
            name, *(seconds(of(f"{title}: seconds"))
            for title in ("idle", "closed", "clean", "dirty")),
            mebibytes(of("dirty: unwritten before")))
    table.show()


def first_reads(figures, subjects):
    table = Table("Unlocking", "from locked to the first bytes read", "seconds")
    for subject in subjects:
        for title in [*subject.unlocks(), *subject.other_costs()]:
            table.row(title, seconds(figures.of(subject.name, title)))
    table.show()


def what_was_said(ways):
    print("\nWhat the commands said, with the file open:\n")
    for name, of in ways:
        for text, count in collections.Counter(while_open(of, "message")).most_common():
            print(f"- {name}: {count} times {text!r}")


class Table:
    def __init__(self, name, *titles):
        self.name = name
        self.rows = [titles, ["---"] + ["---:"] * (len(titles) - 1)]

    def row(self, *cells):
        self.rows.append(cells)

    def show(self):
        print(f"\n{self.name}:\n")
        for row in self.rows:
            print(f"| {' | '.join(row)} |")


def while_open(of, title):
    return of(f"clean: {title}") + of(f"dirty: {title}")


def pair(form, first, second):
    return f"{form(first)}, {form(second)}"


def flat(lists):
    return [one for inner in lists for one in inner]


def seconds(values):
    return f"{statistics.median(values):.3f} ({max(values):.3f})"


def mebibytes(values, unit=PAGE):
    """The range of some sizes in this unit; one number when it is the same at that precision."""
    low, high = (f"{value * unit / MIB:.4g}" for value in (min(values), max(values)))
    return low if low == high else f"{low}–{high}"


def counted(values):
    """Each value with its share; alone when there is no other."""
    counts = collections.Counter("–" if value is None else str(value) for value in values)
    if len(counts) == 1:
        return next(iter(counts))
    return ", ".join(
        f"{value} {100 * count / len(values):.0f} %" for value, count in counts.most_common())
