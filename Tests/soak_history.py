"""What a file may hold that several programs change at once. Used by soak_crowd.py.

Each change is written down before it is made and after it is done, with the time. At any byte one
of the changes must be found that cover it, and none of those after whose end another one began that
is done. So nothing has to wait for anything, and yet each byte is known.
"""
import collections
import contextlib
import fcntl
import os
import random
import time

from soak_model import Mismatch

NEVER, ALWAYS = float("-inf"), float("inf")


def content(seed, count):
    return random.Random(seed).randbytes(count)


class Change:
    """A write or append (`data`), a truncation or a hole (zeros). `end` is ALWAYS until it is
    over."""

    def __init__(self, name, start, kind, place, count, seed):
        self.name, self.start, self.kind, self.place, self.count, self.seed = (
            name, start, kind, place, count, seed)
        self.end, self.is_sure = ALWAYS, False
        self.data = content(seed, count) if kind in "wa" else None

    @property
    def stop(self):
        return ALWAYS if self.kind == "t" else self.place + self.count

    def covers(self, place):
        return self.place is not None and self.place <= place < self.stop

    def bytes(self, start, stop):
        return self.data[start - self.place : stop - self.place] if self.data else bytes(
            stop - start)

    def locate(self, found, first):
        """An append that is under way, or failed: where it is, if its bytes are found anywhere."""
        for part in range(0, max(1, self.count - 16), 16):
            place = found.find(self.data[part : part + 16])
            if place >= 0:
                self.place = max(0, first + place - part)
                return

    def __repr__(self):
        return f"{self.kind}{self.place}+{self.count} by {self.name}{'' if self.is_sure else '?'}"


class History:
    """The book of one file: what it held at the last check, and what has been done since."""

    def __init__(self, directory, name):
        self.path, self.base_path = os.path.join(directory, name), os.path.join(
            directory, name + ".base")

    @staticmethod
    def begin(directory, name):
        history = History(directory, name)
        for path in (history.base_path, history.path + ".gate", history.path):
            with open(path, "xb"):
                pass
        return history

    @contextlib.contextmanager
    def taking_part(self, alone=False):
        """Many make changes at once; one that is alone checks what there is. The gate keeps it from
        waiting for ever."""
        with open(self.path + ".gate", "rb") as gate, open(self.path, "ab") as book:
            fcntl.flock(gate, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
            fcntl.flock(book, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
            if not alone:
                fcntl.flock(gate, fcntl.LOCK_UN)
            yield

    def note(self, *words):
        with open(self.path, "ab", buffering=0) as book:
            book.write((" ".join(map(str, words)) + "\n").encode())

    @contextlib.contextmanager
    def change(self, name, kind, place, count, seed=0):
        """Yields a list; the block puts into it where an append went, and how much of a write was
        taken."""
        self.note(
            "begin", name, time.monotonic_ns(), kind, "-" if place is None else place, count, seed)
        result = {}
        try:
            yield result
            how = "done"
        except BaseException:
            how = "failed"
            raise
        finally:
            self.note(
                how, name, time.monotonic_ns(), result.get("place", "-"),
                result.get("count", count))

    def load(self):
        with open(self.base_path, "rb") as file:
            base = file.read()
        changes = collections.OrderedDict()
        with open(self.path, "rb") as book:
            for line in book.read().decode().splitlines():
                word, name, time_, *rest = line.split(" ")
                if word == "begin":
                    kind, place, count, seed = rest
                    changes[name] = Change(
                        name, int(time_), kind, None if place == "-" else int(place), int(count),
                        int(seed))
                    continue
                change, (place, count) = changes[name], rest
                change.end, change.is_sure = int(time_), word == "done"
                change.count = int(count)
                change.place = change.place if place == "-" else int(place)
        return base, list(changes.values())

    def check_read(self, found, first, begin, end):
        """Others may go on meanwhile. `begin` and `end` are the times around the read."""
        base, changes = self.load()
        check_bytes(base, [change for change in changes if change.start < end], found, first, begin)

    def check_all(self, found):
        """To be called alone; what was found is what there is from now on."""
        base, changes = self.load()
        check_bytes(base, changes, found, 0, ALWAYS)
        check_size(base, changes, len(found))
        with open(self.base_path, "wb") as file:
            file.write(found)
        os.truncate(self.path, 0)

    def base(self):
        return self.load()[0]


def check_bytes(base, changes, found, first, begin):
    for change in changes:
        if change.place is None:
            change.locate(found, first)
    last = first + len(found)
    edges = {first, last, len(base)}.union(
        *({change.place, change.stop} for change in changes if change.place is not None))
    edges = sorted(edge for edge in edges if first <= edge <= last)
    for start, stop in zip(edges, edges[1:]):
        covering = [change for change in changes if change.covers(start)]
        # Whatever was over before this is gone: a change that is done began after it.
        newest = max(
            (change.start for change in covering if change.is_sure and change.end < begin),
            default=NEVER)
        allowed = [change.bytes(start, stop) for change in covering if change.end >= newest]
        if newest == NEVER:
            allowed.append(base[start:stop].ljust(stop - start, b"\0"))
        part = found[start - first : stop - first]
        if part not in allowed and not all(
                byte in {text[index] for text in allowed} for index, byte in enumerate(part)):
            raise Mismatch(
                f"bytes {start} to {stop} are none of {len(allowed)} that they may be; found "
                f"{bytes(part[:24])}; "
                f"changes there: {covering[-12:]}; the base has {len(base)} bytes")


def check_size(base, changes, size):
    cuts = [change for change in changes if change.kind == "t"]
    writes = [
        change for change in changes if change.kind in "wa" and change.place is not None
        and change.count]
    newest = max((cut.start for cut in cuts if cut.is_sure), default=NEVER)
    legal = set()
    for cut_size, start, end in [(cut.place, cut.start, cut.end) for cut in cuts] + [
            (len(base), NEVER, NEVER)]:
        if end < newest:
            continue
        least = max(
            [cut_size] + [write.stop for write in writes if write.is_sure and write.start > end])
        legal |= {least} | {
            write.stop for write in writes if write.end > start and write.stop > least}
    if size not in legal:
        raise Mismatch(
            f"a size of {size}, which is none of {sorted(legal)[:12]}; cuts {cuts[-6:]}, writes "
            f"{writes[-6:]}")
