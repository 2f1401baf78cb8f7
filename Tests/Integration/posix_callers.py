"""Every kind of caller, by user, group, other groups and capabilities, with every call whose
outcome depends on one of these."""
import itertools
import os
import stat

from posix_calls import PUNCH, WHITEOUT, allocate, link_open, rename2
from posix_creation import ACCESS, LISTS, encoded
from posix_permissions import CAPABILITY, NET_RAW, opened
from posix_place import Scene, User, users
from workspace import LONG

OWNER, GROUP = 2001, 3000
LONG_AGO = (1_000_000_000, 2_000_000_000)

# (user, group, other groups)
IDENTITIES = (
    (0, 0, ()), (0, 0, (GROUP,)), (0, GROUP, ()), (0, 3003, ()),
    (OWNER, GROUP, ()), (OWNER, 3003, ()), (2003, 3003, (GROUP, 3004)), (2004, 3004, ()),
)
CHOWN, DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER, FSETID = range(5)
SYS_ADMIN, MKNOD, SETFCAP = 21, 27, 31
CAPABILITIES = {
    "CHOWN": 1 << CHOWN, "DAC": 1 << DAC_OVERRIDE | 1 << DAC_READ_SEARCH, "FOWNER": 1 << FOWNER,
    "FSETID": 1 << FSETID, "MKNOD": 1 << MKNOD, "ADMIN": 1 << SYS_ADMIN | 1 << SETFCAP,
}
ALL = sum(CAPABILITIES.values())
SETS = {
    "its own": None, "all": ALL, "none": 0,
    **{f"all but {name}": ALL & ~bits for name, bits in CAPABILITIES.items()},
    **{f"only {name}": bits for name, bits in CAPABILITIES.items()},
}
# Of the directory and of the file in it; a set-group-ID bit without the group's right to execute
# is another case.
MODES = ((0o777, 0o6777), (0o3777, 0o2766), (0o755, 0o4755), (0o1777, 0o644))


def scenes():
    """(caller, modes): each identity and each set of capabilities meets all modes, and each pair of
    them one; in a long run all."""
    if os.getuid() != 0:
        yield from itertools.product(users(), MODES)
        return
    for (one, identity), (two, name) in itertools.product(enumerate(IDENTITIES), enumerate(SETS)):
        uid, gid, groups = identity
        what = f"{uid}:{gid} {list(groups)} with {name}"
        caller = User(what, *identity, SETS[name])
        for modes in MODES if LONG else (MODES[(one + two) % len(MODES)],):
            yield caller, modes


def copy_into(descriptor):
    with open("own", "rb") as own:
        return os.copy_file_range(own.fileno(), descriptor, 3)


def linked_temporary():
    descriptor = os.open("folder", os.O_TMPFILE | os.O_RDWR, 0o2775)
    try:
        link_open(descriptor, "folder/new")
    finally:
        os.close(descriptor)


def node(kind, device=0):
    return lambda: os.mknod("folder/new", kind | 0o2775, device)


def owner(path, user, group):
    return lambda: os.chown(path, user, group, follow_symlinks=False)


CALLS = {
    "write": opened(os.O_WRONLY, lambda fd: os.write(fd, b"x")),
    "append": opened(os.O_WRONLY | os.O_APPEND, lambda fd: os.write(fd, b"x")),
    "synchronous write": opened(os.O_WRONLY | os.O_SYNC, lambda fd: os.write(fd, b"x")),
    "truncate": lambda: os.truncate("folder/file", 2),
    "ftruncate": opened(os.O_WRONLY, lambda fd: os.ftruncate(fd, 50_000)),
    "open truncating": opened(os.O_WRONLY | os.O_TRUNC, lambda fd: None),
    "fallocate": opened(os.O_WRONLY, lambda fd: allocate(fd, 0, 0, 5_000)),
    "punch a hole": opened(os.O_WRONLY, lambda fd: allocate(fd, PUNCH, 0, 5_000)),
    "copy_file_range": opened(os.O_WRONLY, copy_into),
    "open without access time": opened(os.O_RDONLY | os.O_NOATIME, lambda fd: None),
    **{
        f"chown of the {path[7:]} to {user}:{group}": owner(path, user, group)
        for path in ("folder/file", "folder/link", "folder/inner")
        for user, group in ((OWNER, -1), (2003, -1), (-1, GROUP), (-1, 3003), (-1, 3004), (0, 0))
    },
    **{
        f"chmod of the {path[7:]} to {mode:o}": lambda path=path, mode=mode: os.chmod(path, mode)
        for path in ("folder/file", "folder/inner") for mode in (0o6777, 0o2766, 0o1644)
    },
    "setting an access list": lambda: os.setxattr(
        "folder/file", ACCESS, encoded(LISTS["a default list for a user"])),
    "setting a short access list": lambda: os.setxattr(
        "folder/file", ACCESS, encoded(LISTS["a short default list"])),
    "removing the access list": lambda: os.removexattr("folder/file", ACCESS),
    "setting a capability": lambda: os.setxattr("folder/file", CAPABILITY, NET_RAW),
    "setting a trusted attribute": lambda: os.setxattr("folder/file", "trusted.new", b"x"),
    "reading a trusted attribute": lambda: os.getxattr("folder/file", "trusted.old"),
    "removing a trusted attribute": lambda: os.removexattr("folder/file", "trusted.old"),
    "setting a user attribute of the directory": lambda: os.setxattr("folder", "user.new", b"x"),
    "list of attributes": lambda: tuple(sorted(os.listxattr("folder/file"))),
    "set times": lambda: os.utime("folder/file", ns=(1, 2)),
    "set times to now": lambda: os.utime("folder/file"),
    "set times of the link": lambda: os.utime("folder/link", ns=(1, 2), follow_symlinks=False),
    "create": lambda: os.close(os.open("folder/new", os.O_CREAT | os.O_WRONLY, 0o6775)),
    "temporary file, linked": linked_temporary,
    "mkdir": lambda: os.mkdir("folder/new", 0o2775),
    "symlink": lambda: os.symlink("x", "folder/new"),
    "mknod of a file": node(stat.S_IFREG),
    "mknod of a fifo": node(stat.S_IFIFO),
    "mknod of a socket": node(stat.S_IFSOCK),
    "mknod of a character device": node(stat.S_IFCHR, os.makedev(1, 3)),
    "mknod of a whiteout": node(stat.S_IFCHR),
    "mknod of a block device": node(stat.S_IFBLK, os.makedev(259, 70000)),
    "rename leaving a whiteout": lambda: rename2("folder/file", "folder/new", WHITEOUT),
    "link": lambda: os.link("folder/file", "folder/new"),
    "rename": lambda: os.rename("folder/file", "folder/new"),
    "unlink": lambda: os.unlink("folder/file"),
    "rmdir": lambda: os.rmdir("folder/inner"),
    "open creating what is there": lambda: os.close(
        os.open("folder/file", os.O_CREAT | os.O_WRONLY, 0o666)),
}


def begin(folder_mode, file_mode):
    os.makedirs("folder/inner")
    for name in ("folder/file", "own"):
        with open(name, "wb") as file:
            file.write(b"content")
    os.symlink("file", "folder/link")
    if os.getuid() == 0:
        for name in ("folder/file", "folder/inner", "folder/link"):
            os.lchown(name, OWNER, GROUP)
        os.chown("folder", 2004, GROUP)
        os.setxattr("folder/file", "trusted.old", b"value")
    os.chmod("folder/inner", 0o2775)
    os.chmod("folder/file", file_mode)
    for name in ("folder/file", "folder/link", "folder/inner", "folder"):
        os.utime(name, ns=LONG_AGO, follow_symlinks=False)
    os.chmod("folder", folder_mode)


def look(place):
    """The tree, with the modification times that moved and the attributes."""
    found = place.tree()
    return found, tuple(more(path) for path, _, _ in found)


def more(path):
    moved = os.lstat(path).st_mtime_ns != LONG_AGO[1]
    names = sorted(os.listxattr(path, follow_symlinks=False))
    return path, moved, tuple(
        (name, os.getxattr(path, name, follow_symlinks=False)) for name in names)


def run(place):
    for actor, modes in scenes():
        with Scene(place, lambda: begin(*modes), lambda: look(place)) as scene:
            for name, action in CALLS.items():
                label = f"{name}, modes {modes[0]:o} and {modes[1]:o}, by {actor.name}"
                scene.step(label, action, actor)
