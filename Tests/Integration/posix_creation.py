"""What mode and access control lists a new entry gets: umask, default lists, and both."""
import os
import stat
import struct

from posix_calls import O_TMPFILE, link_open
from posix_place import acting, shape, users

UMASKS = (0, 0o022, 0o077, 0o777)
MODES = (0o666, 0o640, 0o777, 0o000)
ACCESS, DEFAULT = "system.posix_acl_access", "system.posix_acl_default"
USER_OBJECT, USER, GROUP_OBJECT, GROUP, MASK, OTHER = 1, 2, 4, 8, 16, 32
NOBODY = 0xFFFFFFFF

# Lists as (tag, permissions, id).
LISTS = {
    "no default list": None,
    "a short default list": (
        (USER_OBJECT, 7, NOBODY), (GROUP_OBJECT, 5, NOBODY), (OTHER, 0, NOBODY)),
    "a default list for a user": (
        (USER_OBJECT, 7, NOBODY), (USER, 6, 2002), (GROUP_OBJECT, 5, NOBODY), (MASK, 7, NOBODY),
        (OTHER, 4, NOBODY)),
    "a default list of everything": (
        (USER_OBJECT, 7, NOBODY), (GROUP_OBJECT, 7, NOBODY), (GROUP, 7, 3004), (MASK, 7, NOBODY),
        (OTHER, 7, NOBODY)),
    "a default list of nothing": (
        (USER_OBJECT, 0, NOBODY), (GROUP_OBJECT, 0, NOBODY), (OTHER, 0, NOBODY)),
}


def encoded(entries):
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


def lists(path):
    found = []
    for name in (ACCESS, DEFAULT):
        try:
            found.append(os.getxattr(path, name, follow_symlinks=False).hex())
        except OSError as problem:
            found.append(problem.errno)
    return tuple(found)


def temporary(mode):
    descriptor = os.open("folder", O_TMPFILE | os.O_RDWR, mode)
    try:
        link_open(descriptor, "folder/new")
    finally:
        os.close(descriptor)


CREATIONS = {
    "open": lambda mode: os.close(os.open("folder/new", os.O_CREAT | os.O_WRONLY, mode)),
    "open exclusively": lambda mode: os.close(
        os.open("folder/new", os.O_CREAT | os.O_EXCL | os.O_RDONLY, mode)),
    "mkdir": lambda mode: os.mkdir("folder/new", mode),
    "mkfifo": lambda mode: os.mkfifo("folder/new", mode),
    "mknod": lambda mode: os.mknod("folder/new", stat.S_IFREG | mode),
    "mknod of a socket": lambda mode: os.mknod("folder/new", stat.S_IFSOCK | mode),
    "symlink": lambda mode: os.symlink("target", "folder/new"),
    "temporary file": temporary,
}


def create(action, mode, umask):
    """With a umask of its own."""
    before = os.umask(umask)
    try:
        action(mode)
    finally:
        os.umask(before)
    return shape(os.lstat("folder/new")), lists("folder/new")


def creation(place):
    for actor in [user for user in users() if user.name in ("root", "ann", "self")]:
        for what, entries in LISTS.items():
            for umask in UMASKS:
                for mode in MODES:
                    with place.fresh():
                        with acting(actor):
                            os.mkdir("folder")
                            if entries:
                                os.setxattr("folder", DEFAULT, encoded(entries))
                        for name, action in CREATIONS.items():
                            label = (
                                f"{name} of mode {mode:o} with umask {umask:o} under {what}, by "
                                f"{actor.name}")
                            place.note(
                                label, (place.attempt(lambda: create(action, mode, umask), actor),))
                            if os.path.lexists("folder/new"):
                                (os.rmdir if name == "mkdir" else os.unlink)("folder/new")


def access_lists(place):
    """Setting lists: what becomes of the mode, and the right to."""
    every = {what: entries for what, entries in LISTS.items() if entries}
    for actor in users():
        for what, entries in every.items():
            for mode in (0o644, 0o2775, 0o4711, 0o2711):
                for kind in (ACCESS, DEFAULT):
                    for name in ("file", "folder"):
                        with place.fresh():
                            os.mkdir("folder")
                            open("file", "wb").close()
                            if os.getuid() == 0:
                                os.chown(name, 2001, 3004)
                            os.chmod(name, mode)
                            outcome = place.attempt(
                                lambda: os.setxattr(name, kind, encoded(entries)), actor)
                            label = f"{kind}: {what} on a {name} of mode {mode:o}, by {actor.name}"
                            place.note(label, (outcome, shape(os.stat(name)), lists(name)))


