"""A list of random file calls and events, from a seed alone: each is a tuple of its name and what
it takes, so that any part of the list can be done again."""
import os

NAMES = tuple(
    directory + name for directory in ("", "", "d/", "e/", "d/e/") for name in "abc")
DIRECTORIES = ("d", "e", "d/e", "d/c")
SLOTS = range(4)  # of open files
PAGE, FURTHEST = 4096, 400_000
# Always with all of its owner's rights: test_posix is about those.
FILE_MODES = (0o600, 0o640, 0o644, 0o755, 0o777)
DIRECTORY_MODES = (0o700, 0o750, 0o755)
KEEP_SIZE, PUNCH_HOLE, ZERO_RANGE = 1, 2, 0x10  # of <linux/falloc.h>
ALLOCATIONS = (0, KEEP_SIZE, PUNCH_HOLE | KEEP_SIZE, ZERO_RANGE, ZERO_RANGE | KEEP_SIZE)
NO_REPLACE, EXCHANGE = 1, 2  # of renameat2(2)
OPEN_FLAGS = (
    os.O_RDWR, os.O_RDWR | os.O_CREAT, os.O_RDWR | os.O_CREAT, os.O_RDWR | os.O_CREAT | os.O_EXCL,
    os.O_RDWR | os.O_CREAT | os.O_TRUNC, os.O_RDONLY, os.O_WRONLY | os.O_CREAT,
    os.O_RDWR | os.O_APPEND | os.O_CREAT,
    os.O_RDWR | os.O_NOFOLLOW, os.O_RDONLY | os.O_DIRECTORY)
EDGES = (0, 1, 3039, 3040, 4063, 4064, 4096, 7104, 8192, 65536, 131072, 262144)


class Plan:
    """`chance`: a random.Random."""

    def __init__(self, chance, events):
        self.chance, self.events = chance, events

    def steps(self, count):
        return [self.step() for _ in range(count)]

    def step(self):
        if self.events and self.chance.random() < 1 / 150:
            event = self.chance.choice(self.events)
            return (event, self.name(), self.number())
        kind = self.chance.choices(list(CALLS), [weight for weight, _ in CALLS.values()])[0]
        return (kind, *(getattr(self, what)() for what in CALLS[kind][1]))

    def name(self):
        return self.chance.choice(NAMES)

    def directory(self):
        return self.chance.choice(DIRECTORIES)

    def slot(self):
        return self.chance.choice(SLOTS)

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

    def mode(self):
        return self.chance.choice(FILE_MODES)

    def directory_mode(self):
        return self.chance.choice(DIRECTORY_MODES)

    def allocation(self):
        return self.chance.choice(ALLOCATIONS)

    def attribute(self):
        return "user." + self.chance.choice("xy")

    def bits(self):
        return self.chance.choice((0, 0, NO_REPLACE, EXCHANGE))

    def whence(self):
        return self.chance.choice((os.SEEK_DATA, os.SEEK_HOLE))


# Call to how often it is made, and what each of its arguments is.
CALLS = {
    "open": (14, ("slot", "name", "flags", "mode")),
    "temporary": (2, ("slot", "directory", "mode")),
    "give_name": (2, ("slot", "name")),
    "close": (3, ("slot",)),
    "write": (10, ("slot", "length", "number")),
    "pwrite": (14, ("slot", "offset", "length", "number")),
    "direct_write": (5, ("name", "pages", "some_pages", "number")),
    "store": (6, ("slot", "offset", "length", "number")),
    "replace": (4, ("name", "length", "number")),
    "read": (6, ("slot", "offset", "length")),
    "direct_read": (4, ("name", "pages", "some_pages")),
    "read_mapped": (3, ("slot", "offset", "length")),
    "seek": (2, ("slot", "offset", "whence")),
    "truncate": (5, ("name", "offset")),
    "ftruncate": (6, ("slot", "offset")),
    "allocate": (6, ("slot", "allocation", "offset", "length")),
    "copy": (6, ("slot", "slot", "offset", "offset", "length")),
    "rename": (8, ("name", "name", "bits")),
    "rename_directory": (2, ("directory", "directory", "bits")),
    "link": (4, ("name", "name")),
    "symlink": (3, ("name", "name")),
    "unlink": (5, ("name",)),
    "mkdir": (6, ("directory", "directory_mode")),
    "rmdir": (2, ("directory",)),
    "chmod": (3, ("name", "mode")),
    "set_attribute": (4, ("name", "attribute", "length")),
    "remove_attribute": (2, ("name", "attribute")),
    "chown": (2, ("name", "mode")),
    "fsync": (3, ("slot",)),
    "fdatasync": (2, ("slot",)),
    "list": (2, ("directory",)),
    "look": (4, ("name",)),
    "look_open": (4, ("slot",)),
}
