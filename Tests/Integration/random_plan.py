"""A list of random file calls and events, from a seed alone: each is a tuple of its name and what
it takes, so that any part of the list can be done again."""
import ctypes
import fcntl
import os
import tempfile

from random_model import DIRECTORY, FILE, LINK, NO_REPLACE, Model
from running import call

NAMES = tuple(
    directory + name for directory in ("", "", "d/", "e/", "d/e/") for name in "abc")
DIRECTORIES = ("d", "e", "f", "d/e", "d/c", "e/f", "d/e/f")
SLOTS = range(4)  # of open files
PAGE, FURTHEST = 4096, 400_000
# Always with all of its owner's rights: test_posix is about those.
FILE_MODES = (0o600, 0o640, 0o644, 0o755, 0o777)
DIRECTORY_MODES = (0o700, 0o750, 0o755)
KEEP_SIZE, PUNCH_HOLE, ZERO_RANGE = 1, 2, 0x10  # of <linux/falloc.h>


def zeroes_ranges():
    """Whether the directory beside does, which tmpfs does not."""
    with tempfile.TemporaryFile() as file:
        try:
            call("fallocate", file.fileno(), ZERO_RANGE, ctypes.c_int64(0), ctypes.c_int64(1))
        except OSError:
            return False
    return True


ALLOCATIONS = (0, KEEP_SIZE, PUNCH_HOLE | KEEP_SIZE)
if zeroes_ranges():
    ALLOCATIONS += (ZERO_RANGE, ZERO_RANGE | KEEP_SIZE)
OPEN_FLAGS = (
    os.O_RDWR, os.O_RDWR | os.O_CREAT, os.O_RDWR | os.O_CREAT, os.O_RDWR | os.O_CREAT | os.O_EXCL,
    os.O_RDWR | os.O_CREAT | os.O_TRUNC, os.O_RDONLY, os.O_WRONLY | os.O_CREAT,
    os.O_RDWR | os.O_APPEND | os.O_CREAT,
    os.O_RDWR | os.O_NOFOLLOW, os.O_RDONLY | os.O_DIRECTORY)
EDGES = (0, 1, 3039, 3040, 4063, 4064, 4096, 7104, 8192, 65536, 131072, 262144)


USUALLY = 0.85  # a call is made on what it needs; otherwise on anything


class Plan:
    """`chance`: a random.Random."""

    def __init__(self, chance, events):
        self.chance, self.events, self.model = chance, events, Model()

    def steps(self, count):
        return [self.step() for _ in range(count)]

    def step(self):
        if self.events and self.chance.random() < 1 / 150:
            event = self.chance.choice(self.events)
            self.model.closed()
            return (event, self.name(), self.number())
        kind = self.chance.choices(list(CALLS), [weight for weight, _ in CALLS.values()])[0]
        step = (kind, *(getattr(self, what)() for what in CALLS[kind][1]))
        self.model.note(*step)
        return step

    def usually(self, wanted, others):
        if wanted and self.chance.random() < USUALLY:
            return self.chance.choice(wanted)
        return self.chance.choice(others)

    # Names

    def name(self):
        return self.chance.choice(NAMES)

    def file(self):
        return self.usually(self.model.names(FILE), NAMES)

    def entry(self):
        return self.usually(self.model.names(FILE, LINK), NAMES)

    def link(self):
        return self.usually(self.model.names(LINK), NAMES)

    def target(self):
        """Of a symbolic link."""
        return self.usually([os.path.basename(name) for name in self.model.names(FILE)], NAMES)

    def anything(self):
        return self.usually(self.model.names(FILE, DIRECTORY), NAMES)

    def free(self):
        return self.usually([name for name in NAMES if self.model.is_free(name)], NAMES)

    def place(self):
        """Where a file may be moved."""
        return self.usually(
            [name for name in NAMES
             if self.model.is_free(name) or self.model.entries.get(name) in (FILE, LINK)], NAMES)

    def directory(self):
        return self.usually(self.model.names(DIRECTORY), DIRECTORIES)

    def free_directory(self):
        return self.usually(
            [name for name in DIRECTORIES if self.model.is_free(name)], DIRECTORIES)

    def moved_directory(self):
        """One and its new name, which is not below it, as the two arguments of a call."""
        old, new = self.directory(), self.chance.choice(
            (self.free_directory, self.empty_directory))()
        return (new, old) if new.startswith(old + "/") else (old, new)

    def empty_directory(self):
        return self.usually(
            [name for name in self.model.names(DIRECTORY) if self.model.is_empty(name)],
            DIRECTORIES)

    # Open files

    def slot(self):
        return self.chance.choice(SLOTS)

    def open_slot(self):
        return self.usually(list(self.model.slots), SLOTS)

    def source(self):
        return self.usually(self.model.open_for(os.O_RDWR, os.O_RDONLY), SLOTS)

    def sink(self):
        return self.usually(self.model.open_for(os.O_RDWR, os.O_WRONLY), SLOTS)

    def both(self):
        return self.usually(self.model.open_for(os.O_RDWR), SLOTS)

    def unnamed(self):
        return self.usually(self.model.unnamed(), SLOTS)

    # Numbers

    def offset(self):
        if self.chance.random() < 0.5:
            return max(0, self.chance.choice(EDGES) + self.chance.randint(-2, 2))
        return self.chance.randrange(FURTHEST)

    def length(self):
        return self.chance.choice((1, 100, 4064, 4096, self.chance.randrange(1, 200_000)))

    def pages(self):
        return self.chance.randrange(60) * PAGE

    def some_pages(self):
        return self.chance.randrange(1, 20) * PAGE

    def number(self):
        return self.chance.randrange(1 << 30)

    def flags(self):
        return self.chance.choice(OPEN_FLAGS)

    def temporary_flags(self):
        return self.chance.choice((0, 0, 0, os.O_EXCL))

    def mode(self):
        return self.chance.choice(FILE_MODES)

    def directory_mode(self):
        return self.chance.choice(DIRECTORY_MODES)

    def allocation(self):
        return self.chance.choice(ALLOCATIONS)

    def attribute(self):
        return "user." + self.chance.choice("xy")

    def attribute_flags(self):
        return self.chance.choice((0, 0, 0, os.XATTR_CREATE, os.XATTR_REPLACE))

    def attributed(self):
        """A file and an attribute that it has, as the two arguments of a call."""
        return self.usually(
            sorted(self.model.attributes), [(name, "user.x") for name in NAMES])

    def bits(self):
        return self.chance.choice((0, 0, 0, NO_REPLACE))

    def whence(self):
        return self.chance.choice((os.SEEK_DATA, os.SEEK_HOLE))

    def flock(self):
        return self.chance.choice((fcntl.LOCK_SH, fcntl.LOCK_EX, fcntl.LOCK_UN))

    def record_lock(self):
        return self.chance.choice((fcntl.F_RDLCK, fcntl.F_WRLCK, fcntl.F_UNLCK))


# Call to how often it is made, and what each of its arguments is.
CALLS = {
    "open": (14, ("slot", "file", "flags", "mode")),
    "temporary": (3, ("slot", "directory", "temporary_flags", "mode")),
    "give_name": (3, ("unnamed", "free")),
    "close": (3, ("open_slot",)),
    "write": (10, ("sink", "length", "number")),
    "pwrite": (14, ("sink", "offset", "length", "number")),
    "direct_write": (5, ("file", "pages", "some_pages", "number")),
    "store": (6, ("both", "offset", "length", "number")),
    "replace": (4, ("entry", "length", "number")),
    "read": (6, ("source", "offset", "length")),
    "direct_read": (4, ("file", "pages", "some_pages")),
    "read_mapped": (3, ("source", "offset", "length")),
    "seek": (2, ("source", "offset", "whence")),
    "truncate": (5, ("file", "offset")),
    "ftruncate": (6, ("sink", "offset")),
    "allocate": (6, ("sink", "allocation", "offset", "length")),
    "copy": (6, ("source", "sink", "offset", "offset", "length")),
    "rename": (6, ("entry", "place", "bits")),
    "exchange": (3, ("anything", "anything")),
    "rename_directory": (3, ("moved_directory", "bits")),
    "link": (6, ("file", "free")),
    "symlink": (3, ("target", "free")),
    "read_link": (2, ("link",)),
    "unlink": (6, ("entry",)),
    "mkdir": (5, ("free_directory", "directory_mode")),
    "rmdir": (2, ("empty_directory",)),
    "chmod": (3, ("anything", "mode")),
    "fchmod": (2, ("open_slot", "mode")),
    "set_attribute": (6, ("anything", "attribute", "attribute_flags", "length")),
    "get_attribute": (4, ("attributed",)),
    "remove_attribute": (3, ("attributed",)),
    "list_attributes": (3, ("anything",)),
    "set_open_attribute": (2, ("open_slot", "attribute", "length")),
    "chown": (2, ("anything", "mode")),
    "set_times": (3, ("anything", "number", "number")),
    "flock": (3, ("open_slot", "flock")),
    "lock_range": (3, ("both", "record_lock", "offset", "length")),
    "fsync": (3, ("open_slot",)),
    "fdatasync": (2, ("open_slot",)),
    "list": (2, ("directory",)),
    "look": (4, ("anything",)),
    "look_open": (4, ("open_slot",)),
}
