"""One file system as test_posix.py sees it: steps are taken in a directory of it, and what came of
each is kept."""
import collections
import contextlib
import ctypes
import errno
import os
import shutil
import stat
import struct

from running import call

# `capabilities`: those in effect, as bits; None for what the user has anyway.
User = collections.namedtuple("User", "name uid gid groups capabilities", defaults=(None,))

# The users that act on root's mount. Ann and Bob share a group, by which Bob is a member and Cat
# has it among her others.
USERS = (
    User("root", 0, 0, ()),
    User("ann", 2001, 3000, ()),
    User("bob", 2002, 3000, ()),
    User("cat", 2003, 3003, (3000, 3004)),
    User("dan", 2004, 3004, ()),
)


def myself():
    """The only user that acts where we are not root."""
    return (User("self", os.getuid(), os.getgid(), tuple(os.getgroups())),)


def users():
    return USERS if os.getuid() == 0 else myself()


@contextlib.contextmanager
def acting(user):
    """Root's process as somebody else, for access(2) too."""
    if os.getuid() != 0 or user[1:] == USERS[0][1:]:
        yield
        return
    groups = os.getgroups()
    os.setgroups(user.groups)
    os.setresgid(user.gid, user.gid, 0)
    os.setresuid(user.uid, user.uid, 0)
    if user.capabilities is not None:
        take_effect(user.capabilities)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
        take_effect(None)
        os.setresgid(0, 0, 0)
        os.setgroups(groups)


def take_effect(wanted):
    """Makes these capabilities the effective ones; None: all that are permitted."""
    header, data = struct.pack("=Ii", 0x20080522, 0), ctypes.create_string_buffer(24)
    call("capget", header, data)
    low, permitted, kept, high, other_permitted, other_kept = struct.unpack("=6I", data)
    low, high = (
        (permitted, other_permitted) if wanted is None else (wanted & 0xFFFFFFFF, wanted >> 32))
    call("capset", header, struct.pack(
        "=6I", low, permitted, kept, high, other_permitted, other_kept))


def shape(status):
    """What must be the same on every file system. A directory's size is its file system's own
    affair."""
    kind = stat.S_IFMT(status.st_mode)
    size = None if kind == stat.S_IFDIR else status.st_size
    device = status.st_rdev if kind in (stat.S_IFCHR, stat.S_IFBLK) else None
    return (f"{status.st_mode:o}", status.st_nlink, status.st_uid, status.st_gid, size, device)


def remove(path):
    """With what is shut in it."""
    os.chmod(path, 0o700)
    for directory, folders, _ in os.walk(path):
        for name in folders:
            os.chmod(os.path.join(directory, name), 0o700)
    shutil.rmtree(path)


class Place:
    """Works below one directory. `results`: label to outcome, to be compared with those of another
    place."""

    def __init__(self, root):
        self.root = os.fspath(root)
        self.results = {}
        self._number = 0
        self.current = None

    @contextlib.contextmanager
    def fresh(self):
        """The working directory is a new, empty one that all may use."""
        self._number += 1
        path = os.path.join(self.root, str(self._number))
        os.mkdir(path)
        os.chmod(path, 0o777)
        before = os.open(".", os.O_PATH)
        self.current = path
        os.chdir(path)
        try:
            yield
        finally:
            os.fchdir(before)
            os.close(before)
            # As root it goes with the workspace: an ext4 without a journal searches for inodes that
            # were not removed just now, each time that one is made.
            if os.getuid() != 0:
                remove(path)

    def note(self, label, outcome):
        assert label not in self.results, f"{label}: twice"
        self.results[label] = outcome

    def attempt(self, action, user=None):
        """What an action returns, or the name of the errno that it raises."""
        try:
            with acting(user or users()[0]):
                return action()
        except OSError as problem:
            return errno.errorcode.get(problem.errno, str(problem.errno))

    def tree(self, directory=b"."):
        """Every name below the working directory, with the shape of what it stands for."""
        found = []
        with opened_to_us(self.current if directory == b"." else directory):
            for name in sorted(os.listdir(directory)):
                path = os.path.join(directory, name)
                status = os.lstat(path)
                target = os.readlink(path) if stat.S_ISLNK(status.st_mode) else None
                found.append((path, shape(status), target))
                if stat.S_ISDIR(status.st_mode):
                    found += self.tree(path)
        return tuple(found)


@contextlib.contextmanager
def opened_to_us(directory):
    """Gives its owner all rights for a moment, where it is not root."""
    mode = 0o700 if os.getuid() == 0 else stat.S_IMODE(os.stat(directory).st_mode)
    needs_more = mode & 0o500 != 0o500
    if needs_more:
        os.chmod(directory, mode | 0o700)
    yield
    if needs_more:
        os.chmod(directory, mode)


class Scene(contextlib.ExitStack):
    """A prepared directory for many steps, made anew only after those that changed it.

    `look`: tells what is there."""

    def __init__(self, place, prepare, look=None):
        super().__init__()
        self.place, self.prepare = place, prepare
        self.look = look or place.tree
        # What is there before a step is the same each time: it is looked at once.
        self.is_prepared, self.before = False, None

    def step(self, label, action, user, leaves_traces=False):
        """`leaves_traces`: changes something that does not show in the tree."""
        if not self.is_prepared:
            self.enter_context(self.place.fresh())
            self.prepare()
            self.is_prepared = True
        if self.before is None:
            self.before = self.look()
        self.place.note(label, (self.place.attempt(action, user),))
        after = self.look()
        self.place.note(label + ", after it", after)
        if after != self.before or leaves_traces:
            self.close()
            self.is_prepared = False


def differences(one, other):
    """(label, here, there) for every step whose outcome is not the same."""
    for label in sorted(one.results.keys() | other.results.keys()):
        here, there = one.results.get(label), other.results.get(label)
        if here != there:
            yield label, here, there


def shown(here, there):
    """Two outcomes, less the parts that agree."""
    if isinstance(here, tuple) and isinstance(there, tuple):
        return f"{tuple(set(here) - set(there))} instead of {tuple(set(there) - set(here))}"
    return f"{here!r} instead of {there!r}"
