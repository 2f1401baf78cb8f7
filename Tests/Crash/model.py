"""What a driver knows of the files that it changed: all versions, and which it was told are safe.

Every change is a step with a number. A file's page has the versions that the steps gave it. A sync
that returned acknowledges what was done before it. After a power cut during step B, every piece of
a page must be one of the versions since the last acknowledged one, and not newer than B.
"""
import bisect

from recording import PAGE


def since(history, low, high):
    """The values that hold anywhere in low..high, oldest first."""
    start = bisect.bisect_right(history, low, key=lambda event: event[0])
    end = bisect.bisect_right(history, high, key=lambda event: event[0])
    return [value for _, value in history[max(start - 1, 0) : end]]


class Node:
    """A file or directory, whatever its names are."""

    def __init__(self, step, is_directory=False):
        self.born, self.is_directory = step, is_directory
        self.pages, self.sizes = {}, [(step, 0)]
        self.zeroed = []  # (step, offset): where zeros begin or end
        self.paths = []  # (step, path or None)
        self.labels = {}  # what is said of it: word -> [(step, value)]
        self.syncs = []  # (step, its pages, or None for all)
        self.named = []  # steps at which the name that it had was synced

    # Changes

    @property
    def size(self):
        return self.sizes[-1][1]

    @property
    def path(self):
        return self.paths[-1][1]

    def page(self, number):
        history = self.pages.get(number)
        return history[-1][1] if history else bytes(PAGE)

    def set_page(self, step, number, data):
        # Before its first change a page was zeros, from the start.
        self.pages.setdefault(number, [(self.born, bytes(PAGE))]).append((step, data))

    def write(self, step, offset, data):
        done = 0
        while done < len(data):
            number, start = divmod(offset + done, PAGE)
            part = data[done : done + PAGE - start]
            old = self.page(number)
            self.set_page(step, number, old[:start] + part + old[start + len(part) :])
            done += len(part)
        if offset + len(data) > self.size:
            self.sizes.append((step, offset + len(data)))

    def zero(self, step, start, end):
        self.zeroed += [(step, start), (step, end)]
        for number in list(self.pages):
            first, last = max(start - number * PAGE, 0), min(end - number * PAGE, PAGE)
            if first < last:
                old = self.page(number)
                self.set_page(step, number, old[:first] + bytes(last - first) + old[last:])

    def truncate(self, step, size):
        if size < self.size:
            self.zero(step, size, self.size)
        self.sizes.append((step, size))

    def label(self, step, word, value):
        self.labels.setdefault(word, []).append((step, value))

    def moved(self, step, path):
        self.paths.append((step, path))

    # Questions

    def acknowledged(self, done, page=None):
        """The last step that a sync which returned covers, for one page or for all; None."""
        steps = [step for step, pages in self.syncs
                 if step in done and (pages is None or (page is not None and page in pages))]
        return max(steps, default=None)


class Model:
    def __init__(self):
        self.step = 0
        self.nodes, self.live = [], {}
        self.names = {}  # path -> [(step, node or None)]
        self.safe_names = []  # (step, path): names that a sync covers
        self.labels = Node(0)  # what is said of the whole: accounts' passphrases

    def bind(self, path, node):
        self.names.setdefault(path, [(-1, None)]).append((self.step, node))
        before = self.live.pop(path, None)
        if before is not None:
            before.moved(self.step, None)
        if node is not None:
            self.live[path] = node
            node.moved(self.step, path)

    def create(self, path, is_directory=False):
        node = Node(self.step, is_directory)
        self.nodes.append(node)
        self.bind(path, node)
        return node

    def rename(self, old, new):
        node = self.live.pop(old)
        self.names[old].append((self.step, None))
        self.bind(new, node)

    def synced(self, node, pages=None, with_name=True):
        """This step syncs a file, or some pages of it. fdatasync(2) and O_DSYNC leave its name as
        it is: a rename before them changes nothing that is needed to read the data."""
        node.syncs.append((self.step, pages))
        if with_name and node.path is not None:
            self.safe_names.append((self.step, node.path))
            node.named.append(self.step)

    def synced_directory(self, directory):
        self.safe_names += [
            (self.step, path) for path in self.names if path.rpartition("/")[0] == directory]
        for path, node in self.live.items():
            if path.rpartition("/")[0] == directory:
                node.named.append(self.step)

    # After a power cut: `done` are the steps that returned, `last` is the last that began.

    def candidates(self, path, done, last):
        """What a name may lead to."""
        safe = max(
            (step for step, name in self.safe_names if name == path and step in done), default=-1)
        return since(self.names[path], safe, last)

    def wanted(self, done, last):
        """Files whose content was acknowledged and that nobody removed, with the paths where they
        may be."""
        for node in self.nodes:
            if node.acknowledged(done) is None:
                continue
            named = max((step for step in node.named if step in done), default=node.born)
            paths = since(node.paths, named, last)
            if None not in paths:
                yield node, set(paths)

    def said(self, word, done, last):
        """What may be said of the whole: what was said by a step that returned, or later."""
        history = self.labels.labels[word]
        safe = max((step for step, _ in history if step in done), default=-1)
        return since(history, safe, last)


class Verdict:
    """How one file's content compares with what it may be."""

    def __init__(self):
        self.old = self.new = self.between = self.unfinished = 0
        self.faults = []  # (kind, text)


def judge(node, found, done, last, edges):
    """Compares a file as it was found, a `Found`, with a node. `edges`: offsets inside a page at
    which the program's blocks may begin, for a page's number."""
    verdict = Verdict()
    safe = node.acknowledged(done)
    sizes = since(node.sizes, -1 if safe is None else safe, last)
    least = min(sizes) if safe is not None else 0
    if not least <= found.size <= max(sizes):
        verdict.faults.append(("size", f"size {found.size}, expected {least} to {max(sizes)}"))
    for number in sorted({*node.pages, *found.pages, *found.errors}):
        judge_page(node, found, number, done, last, edges(number), least, verdict)
    return verdict


def judge_page(node, found, number, done, last, edges, least, verdict):
    start = number * PAGE
    history = node.pages.get(number, [(node.born, bytes(PAGE))])
    safe = node.acknowledged(done, number)
    versions = since(history, node.born if safe is None else safe, last)
    if safe is not None:
        least = max(least, min(since(node.sizes, safe, last)))
    least = min(least, start + PAGE)
    end = min(found.size - start, PAGE)
    if start + max(end, 0) < least:
        verdict.faults.append(
            ("missing", f"page {number} ends at {end}, and {least} bytes were acknowledged"))
    if end <= 0:
        return
    if number in found.errors:
        if start < least:
            verdict.faults.append(
                ("unreadable", f"page {number}: {found.errors[number]}, below {least}"))
        else:
            verdict.unfinished += 1
        return
    data = found.pages.get(number, bytes(PAGE))
    # A truncation goes straight to the file, writes before it wait in the kernel's cache: the two
    # sides of it are told apart.
    edges = {*edges, *(offset - start for step, offset in node.zeroed if step <= last)}
    bounds = sorted({0, end, *(edge for edge in edges if 0 < edge < end)})
    for first, stop in zip(bounds, bounds[1:]):
        known = min(max(least - start, first), stop)
        fits = [version for version in versions
                if version[first:stop] == data[first:stop]
                or (version[first:known] == data[first:known] and not any(data[known:stop]))]
        if not fits:
            old = [step for step, version in history if version[first:stop] == data[first:stop]]
            verdict.faults.append((
                "stale" if old else "foreign",
                f"page {number}, bytes {first} to {stop}: none of {len(versions)} versions since "
                f"{safe}"
                + (f"; that of step {old[-1]}" if old
                else f"; zeros: {not any(data[first:stop])}")))
        elif fits[-1] is versions[-1]:
            verdict.new += 1
        elif fits[0] is versions[0]:
            verdict.old += 1
        else:
            verdict.between += 1
