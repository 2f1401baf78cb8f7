"""One power cut: the disk that it leaves, mounted, compared with what the driver knows."""
import collections
import os
import random
import shutil

from model import PAGE, judge
from crash_programs import Found

SECTOR = 512
# What is gone although a sync had acknowledged it. Other violations may be of what no sync did.
LOSSES = {"lost", "lost name", "missing", "size", "stale", "unopenable", "unreadable"}


class Point:
    """One cut and one choice of what reached the disk, told by a number."""

    def __init__(self, recording, number, seed, tears=False, in_order=False):
        self.number, self.name = number, f"{seed} {number}"
        dice = self.dice("point")
        begin = next(index for index, text in recording.marks if text == "b 1")
        cut = dice.randrange(begin, recording.count + 1)
        self.style = dice.choice(("prefix", "uniform", "uniform", "least", "most", "mixed"))
        if in_order:
            self.style = "prefix"
        if self.style == "prefix":
            self.disk = recording.after(cut, cut, lambda inode, page, versions: versions[-1])
        else:
            metadata = dice.randrange(recording.least_metadata(cut), cut + 1)
            if dice.random() < 0.3:
                metadata = cut
            self.disk = recording.after(cut, metadata, self.torn if tears else self.choice)
        self.done = {
            int(text[2:]) for index, text in recording.marks if text[0] == "e" and index < cut}
        self.last = max(
            int(text[2:]) for index, text in recording.marks if text[0] == "b" and index <= cut)

    def dice(self, *what):
        """The same for the same page, whatever was asked before."""
        return random.Random(f"{self.name} {what}")

    def choice(self, inode, page, versions):
        style = self.style
        if style == "mixed":
            # By file: one is written back, another is not.
            style = self.dice(inode.number).choice(("least", "most", "uniform"))
        if style == "uniform":
            return self.dice(inode.number, page).choice(versions)
        return versions[0 if style == "least" else -1]

    def torn(self, inode, page, versions):
        """The beginning of one version, the rest of another."""
        dice = self.dice(inode.number, page)
        first, second = (dice.choice(versions) or bytes(PAGE) for _ in range(2))
        place = SECTOR * dice.randrange(PAGE // SECTOR)
        return first[:place] + second[place:]

    def __str__(self):
        return (
            f"point {self.number}: {self.style}, cut {self.disk.cut}, metadata "
            f"{self.disk.metadata}, step {self.last}")


class Report:
    """Figures, and what was wrong."""

    def __init__(self):
        self.figures, self.faults = collections.Counter(), []

    def add(self, other):
        self.figures.update(other.figures)
        self.faults += other.faults


def check(point, model, program):
    """Rebuilds the disk of a point in a program's place, and looks at everything."""
    report = Report()
    report.figures["points"] += 1
    faults = []
    # What recorded it, if this program did.
    shutil.rmtree(program.disk, ignore_errors=True)
    try:
        point.disk.write_out(program.disk)
        # The others are repaired while they are mounted.
        program.is_repaired = False
        program.moved = set()
        if point.number % 2 == 0:
            faults += program.repair()
        program.start()
        try:
            faults += Comparison(point, model, program, report.figures).run()
            faults += program.final_faults()
        finally:
            program.stop()
    except Exception as problem:
        faults.append(("program", f"{type(problem).__name__}: {problem}"))
    point.disk.put_away(program.disk)
    report.figures[f"points, {point.style}"] += 1
    if faults:
        report.figures.update(("bad points", f"bad points, {point.style}"))
    if any(kind in LOSSES for kind, _ in faults):
        report.figures["points with losses"] += 1
    for kind, text in faults:
        report.figures["violation: " + kind] += 1
        report.faults.append((kind, f"{point}: {text}"))
    return report


class Comparison:
    def __init__(self, point, model, program, figures):
        self.model, self.program, self.figures = model, program, figures
        self.done, self.last = point.done, point.last
        self.faults, self.good = [], collections.defaultdict(set)

    def run(self):
        self.faults += self.program.unlock(self.model, self.done, self.last)
        if not self.program.is_repaired:
            self.faults += self.program.repair()
        found = self.names()
        for path in sorted(found - self.model.names.keys()):
            self.faults.append(("name", f"{path}: nobody made it"))
        for path in sorted(self.model.names):
            self.compare(path, path in found)
        for node, paths in self.model.wanted(self.done, self.last):
            if not any(node in self.good[path] for path in paths):
                self.faults.append(("lost", f"none of {sorted(paths)} has what was acknowledged"))
        return self.faults

    def names(self):
        found = set()
        for directory, below, files in os.walk(self.program.mount):
            inside = os.path.relpath(directory, self.program.mount)
            prefix = "" if inside == "." else "/" + inside
            found.update(f"{prefix}/{name}" for name in below + files)
        return found

    def compare(self, path, is_there):
        """A name is fine if what it leads to is fine as one of the files that it may lead to."""
        candidates = self.model.candidates(path, self.done, self.last)
        # Steps that had not begun are unknown to the disk.
        nodes = [node for node in candidates if node is not None]
        if not is_there:
            if None in candidates:
                return
            if path in self.program.moved and self.is_unmade(nodes, path):
                self.figures["unmade"] += 1
            else:
                self.faults.append(("lost name", path))
            return
        if not nodes:
            self.faults.append(("name", f"{path}: it was removed, or not made yet"))
            return
        verdicts = [(node, self.look(node, path)) for node in reversed(dict.fromkeys(nodes))]
        fine = [(node, verdict) for node, verdict in verdicts if not verdict.faults]
        self.good[path].update(node for node, _ in fine)
        if not fine and self.is_unmade(nodes, path):
            self.figures["unmade"] += 1
            return
        _, best = (fine or verdicts)[0]
        self.figures["files"] += 1
        for word in ("old", "new", "between", "unfinished"):
            self.figures[word] += getattr(best, word)
        self.faults += ((kind, f"{path}: {text}") for kind, text in best.faults)

    def is_unmade(self, nodes, path):
        """A new file that no sync was asked for, of which its size is there and its beginning is
        not: the disk's doing, where it puts a size before its data."""
        new = any(not node.syncs or node.syncs[0][0] not in self.done for node in nodes)
        return new and not nodes[0].is_directory and self.program.is_unmade(path)

    def look(self, node, path):
        place = f"{self.program.mount}{path}"
        if node.is_directory:
            found = None
        else:
            try:
                found = Found(place)
            except OSError as problem:
                return Unopened(problem)
        verdict = judge(
            node, found, self.done, self.last, self.program.edges) if found else Nothing()
        verdict.faults += self.program.label_faults(node, place, self.done, self.last)
        return verdict


class Nothing:
    """A directory has no content."""

    old = new = between = unfinished = 0

    def __init__(self):
        self.faults = []


class Unopened(Nothing):
    def __init__(self, problem):
        self.faults = [("unopenable", str(problem))]
