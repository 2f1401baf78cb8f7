"""What is done with each subject: one round, the same for all."""
import collections
import contextlib
import time

from content import MIB, fill, is_whole, lost_bytes, read_all, store
from holder import Holder
from open_files import reading, writing


class Figures:
    """What was found: lists of one value a round, by subject, way and title."""

    def __init__(self):
        self.found = collections.defaultdict(list)

    def add(self, value, *keys):
        self.found[keys].append(value)

    def of(self, *keys):
        return self.found[keys]


class Round:
    """One subject, one way to lock."""

    def __init__(self, figures, subject, way, size):
        self.figures, self.subject, self.way, self.size = figures, subject, way, size
        self.lock = subject.ways()[way]
        self.large = subject.files / "large"

    def note(self, title, value):
        self.figures.add(value, self.subject.name, self.way, title)

    def note_attempt(self, title, attempt):
        self.note(f"{title}: seconds", attempt.seconds)
        self.note(f"{title}: status", attempt.status)
        self.note(f"{title}: message", attempt.message)

    def nothing_open(self):
        """One small file was read and closed."""
        read_all(self.small_file())
        self.note_attempt("idle", self.lock())
        self.subject.open_again()

    def small_file(self):
        small = self.subject.files / "small"
        if not small.exists():
            fill(small, MIB)
        return small

    def closed_file(self):
        """A large file in the cache that nobody has open any more."""
        self.prepare_large()
        read_all(self.large)
        self.note_attempt("closed", self.lock())
        self.subject.open_again()

    def prepare_large(self):
        if not is_whole(self.large, self.size):
            fill(self.large, self.size)
        store(self.large)

    def clean_pages(self):
        """A large file in the cache, open, mapped and being read."""
        self.lock_while_read("clean", change=False)

    def dirty_pages(self):
        """The same file, just written anew, and its writer still there."""
        self.lock_while_read("dirty", change=True)

    def lock_while_read(self, title, change):
        self.prepare_large()
        with Holder(reading, self.large, self.size, change) as holder:
            before = holder.ask("pages")
            self.note(f"{title}: unwritten before", before["dirty"] + before["writeback"])
            self.note(f"{title}: cached before", before["cached"])
            self.note_attempt(title, self.lock())
            # In this order: reading brings pages back where it is possible.
            self.note(f"{title}: cached after", holder.ask("pages")["cached"])
            self.note("handle", holder.ask("handle"))
            self.note("mapping", holder.ask("mapping"))
            self.note("path", holder.ask("path"))
        self.subject.open_again()

    def unwritten(self):
        """What two files lose that were being written, through a handle and through a mapping."""
        plain, mapped = self.subject.files / "plain", self.subject.files / "mapped"
        size = 4 * MIB
        with Holder(writing, plain, mapped, size):
            self.lock()
        self.subject.open_again()
        for title, file in ("lost, written", plain), ("lost, mapped", mapped):
            self.note(title, lost_bytes(file, size))
            with contextlib.suppress(OSError):
                file.unlink()


def first_read(figures, subject, title, unlock):
    """From the start of the unlock to the first bytes of a file."""
    file = unlock.files / "first"
    fill(file, MIB)
    unlock.lock()
    start = time.monotonic()
    unlock.unlock()
    with open(file, "rb", buffering=0) as opened:
        opened.read(4096)
    figures.add(time.monotonic() - start, subject.name, title)


def other_cost(figures, subject, title, action):
    start = time.monotonic()
    action()
    figures.add(time.monotonic() - start, subject.name, title)
