"""The system calls of the POSIX tests that take a path, each by a name: the same table for every
scenario."""
import ctypes
import os
import stat

from posix_place import shape
from running import call

AT_FDCWD = -100
NOREPLACE, EXCHANGE, WHITEOUT = 1, 2, 4
O_TMPFILE = os.O_TMPFILE
# fallocate(2); a hole keeps the size.
PUNCH, ZERO, COLLAPSE, INSERT = 3, 0x10, 0x08, 0x20


def rename2(source, target, flags):
    call("renameat2", AT_FDCWD, os.fsencode(source), AT_FDCWD, os.fsencode(target), flags)


def link_open(descriptor, path):
    """Gives a file a name that may have none yet. os.link() does not follow."""
    call("linkat", AT_FDCWD, b"/proc/self/fd/%d" % descriptor, AT_FDCWD, os.fsencode(path), 0x400)


def allocate(descriptor, mode, offset, count):
    call("fallocate", descriptor, mode, ctypes.c_long(offset), ctypes.c_long(count))


def opening(flags, mode=0o640):
    """Opens and tells what was opened; closes."""
    def run(path):
        descriptor = os.open(path, flags | os.O_NONBLOCK, mode)
        try:
            return shape(os.fstat(descriptor))
        finally:
            os.close(descriptor)
    return run


def change_mode_of_link(path):
    """fchmodat2(2), which is the one that can say no by itself."""
    call("syscall", ctypes.c_long(452), AT_FDCWD, os.fsencode(path), 0o600, 0x100)


def enter(path):
    before = os.open(".", os.O_PATH)
    try:
        os.chdir(path)
        os.fchdir(before)
    finally:
        os.close(before)


def names(path):
    return tuple(sorted(os.listdir(os.fsencode(path))))


def kinds(path):
    with os.scandir(os.fsencode(path)) as entries:
        return tuple(sorted(
            (entry.name, entry.is_dir(follow_symlinks=False), entry.is_file(follow_symlinks=False),
            entry.is_symlink())
            for entry in entries))


# Each works on one path. `source`, `folder` are there beside it: a file and an empty directory.
CALLS = {
    "stat": lambda path: shape(os.stat(path)),
    "lstat": lambda path: shape(os.lstat(path)),
    "open to read": opening(os.O_RDONLY),
    "open to write": opening(os.O_WRONLY),
    "open to append": opening(os.O_RDWR | os.O_APPEND),
    "open truncating": opening(os.O_WRONLY | os.O_TRUNC),
    "open creating": opening(os.O_RDWR | os.O_CREAT),
    "open creating, truncating": opening(os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
    "open exclusively": opening(os.O_RDWR | os.O_CREAT | os.O_EXCL),
    "open a directory": opening(os.O_RDONLY | os.O_DIRECTORY),
    "open without following": opening(os.O_RDONLY | os.O_NOFOLLOW),
    "open the path": opening(os.O_PATH),
    "open the link's path": opening(os.O_PATH | os.O_NOFOLLOW),
    "open a temporary file": opening(os.O_RDWR | O_TMPFILE),
    "open without access time": opening(os.O_RDONLY | os.O_NOATIME),
    "mkdir": lambda path: os.mkdir(path, 0o750),
    "mkfifo": lambda path: os.mkfifo(path, 0o640),
    "mknod of a file": lambda path: os.mknod(path, stat.S_IFREG | 0o640),
    "mknod of a socket": lambda path: os.mknod(path, stat.S_IFSOCK | 0o640),
    "mknod of a character device": lambda path: os.mknod(
        path, stat.S_IFCHR | 0o640, os.makedev(1, 3)),
    "mknod of a block device": lambda path: os.mknod(
        path, stat.S_IFBLK | 0o640, os.makedev(259, 70000)),
    "symlink": lambda path: os.symlink("target", path),
    "symlink as long as can be": lambda path: os.symlink("t" * 4095, path),
    "symlink too long": lambda path: os.symlink("t" * 4096, path),
    "symlink to nothing": lambda path: os.symlink("", path),
    "link to it": lambda path: os.link("source", path),
    "link from it": lambda path: os.link(path, "other", follow_symlinks=False),
    "link from what it leads to": lambda path: os.link(path, "other", follow_symlinks=True),
    "rename it": lambda path: os.rename(path, "other"),
    "rename a file to it": lambda path: os.rename("source", path),
    "rename a directory to it": lambda path: os.rename("folder", path),
    "rename to itself": lambda path: os.rename(path, path),
    "rename without replacing": lambda path: rename2("source", path, NOREPLACE),
    "exchange with a file": lambda path: rename2("source", path, EXCHANGE),
    "exchange with a directory": lambda path: rename2("folder", path, EXCHANGE),
    "rename with both": lambda path: rename2("source", path, NOREPLACE | EXCHANGE),
    "rename leaving a whiteout": lambda path: rename2("source", path, WHITEOUT),
    "unlink": os.unlink,
    "rmdir": os.rmdir,
    "chmod": lambda path: os.chmod(path, 0o604),
    "chmod of a link": change_mode_of_link,
    "chown to nobody new": lambda path: os.chown(path, -1, -1),
    "chown": lambda path: os.chown(path, 2004, 3004),
    "chown of a link": lambda path: os.lchown(path, 2004, 3004),
    "truncate": lambda path: os.truncate(path, 3),
    "truncate to grow": lambda path: os.truncate(path, 20_000),
    "truncate to grow far": lambda path: os.truncate(path, 1 << 60),
    "truncate to grow beyond all": lambda path: os.truncate(path, (1 << 63) - 1),
    "truncate below zero": lambda path: os.truncate(path, -1),
    "set times": lambda path: os.utime(path, ns=(1_000_000_001, 2_000_000_002)),
    "set times to now": os.utime,
    "set times of a link": lambda path: os.utime(path, ns=(3, 4), follow_symlinks=False),
    "access": lambda path: os.access(path, os.F_OK),
    "access to read": lambda path: os.access(path, os.R_OK),
    "access to write": lambda path: os.access(path, os.W_OK),
    "access to execute": lambda path: os.access(path, os.X_OK),
    "readlink": os.readlink,
    "list": names,
    "list with kinds": kinds,
    "chdir": enter,
    "statfs": lambda path: os.statvfs(path).f_namemax,
    "getxattr": lambda path: os.getxattr(path, "user.none"),
    "setxattr": lambda path: os.setxattr(path, "user.note", b"value"),
    "listxattr": lambda path: tuple(os.listxattr(path)),
    "removexattr": lambda path: os.removexattr(path, "user.none"),
    "setxattr trusted": lambda path: os.setxattr(path, "trusted.note", b"value"),
    "setxattr of no name space": lambda path: os.setxattr(path, "nonsense", b"value"),
}
