"""The files that an operation of test_faults.py is about, and what may become of them."""
import contextlib
import errno
import os
import stat
import zlib

import fault_operations as table
from socket_client import Client, Refusal
from workspace import PERSONAL


class Failed(Exception):
    """The daemon said that it failed."""


class Facts:
    """What one name leads to: everything but the times that change by themselves."""

    def __init__(self, path):
        status = path.lstat()
        self.kind = stat.S_IFMT(status.st_mode)
        self.rest = [stat.filemode(status.st_mode), status.st_uid, status.st_gid, status.st_nlink]
        self.content = b""
        if self.kind == stat.S_IFREG:
            self.rest.append(status.st_mtime == 2)
            self.content = read(path)
        if self.kind in (stat.S_IFREG, stat.S_IFDIR):
            self.rest.append(attributes(path))

    def __eq__(self, other):
        return other is not None and (self.rest, self.content) == (other.rest, other.content)

    def __repr__(self):
        """Short: it is printed where it is not as expected."""
        zeros = len(self.content.rstrip(bytes(1)))
        return (
            f"{self.rest} {len(self.content)} bytes, {zlib.crc32(self.content):08x}, zeros from "
            f"{zeros}")


def attributes(path):
    found = {}
    for name in [*os.listxattr(path), "user.mam.owner", "user.mam.class"]:
        try:
            found[name] = os.getxattr(path, name)
        except OSError as problem:
            found[name] = errno.errorcode[problem.errno]
    return found


def read(path):
    """As the daemon has it, not as the kernel remembers it."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        while True:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.lseek(descriptor, 0, os.SEEK_SET)
            content = b"".join(iter(lambda: os.read(descriptor, 1 << 20), b""))
            # The daemon may cut a file that has lost data while this reads it.
            if len(content) == os.fstat(descriptor).st_size:
                return content
    finally:
        # A time that the kernel could not store while calls failed is told to the next close.
        with contextlib.suppress(OSError):
            os.close(descriptor)


def is_mixed(found, old, new):
    """True if every byte is one of the old ones or of the new ones, at its place."""
    most = max(len(old), len(new))
    old, new = old.ljust(most, b"\0"), new.ljust(most, b"\0")
    return len(found) <= most and all(byte in (old[at], new[at]) for at, byte in enumerate(found))


class Place:
    """A directory in the mount with the files that an operation is about."""

    def __init__(self, program, name, unmanaged=False):
        self.workspace = program.workspace
        self.directory = program.mount / name
        self.directory.mkdir()
        (self.path("directory")).mkdir()
        for file, content in (("file", table.OLD), ("other", table.NEW)):
            self.write(file, content)
        os.setxattr(self.path("file"), "user.old", b"value")
        if unmanaged:
            self.call("SetOwner", owner=PERSONAL, unmanaged=True)

    def path(self, name):
        return self.directory / name

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())

    def call(self, method, name="file", **parameters):
        """As mamctl would, hundreds of which would cost more than what they ask for."""
        try:
            with Client(self.workspace.socket) as client:
                client.call(f"Workspace.{method}", path=str(self.path(name)), **parameters)
        except Refusal as refusal:
            raise Failed from refusal

    def snapshot(self):
        return {path.name: Facts(path) for path in sorted(self.directory.iterdir())}


class Outcome:
    """One operation of which one call failed."""

    def __init__(self, operation, place, old, new, problem):
        self.operation, self.place, self.old, self.new, self.problem = (
            operation, place, old, new, problem)

    def is_fine(self, found, remembered=False):
        """Old or new. `remembered`: the kernel has not forgotten the inode, and with it the size
        that a write gave it which then failed; the bytes there are zeros."""
        if found in (self.old, self.new):
            return True
        if self.problem is None or found.keys() - self.new.keys() - self.old.keys():
            return False
        return all(
            self.is_fine_part(found.get(name), self.old.get(name), self.new.get(name), remembered)
                   for name in {*found, *self.old, *self.new})

    def is_fine_part(self, found, old, new, remembered):
        if found in (old, new):
            return True
        if found is None or new is None or found.kind != new.kind:
            return False
        before = old.content if old else b""
        in_parts = self.operation in table.IN_PARTS
        if remembered:
            count = len(new.content)
            return found.content == before.ljust(count, b"\0") or (in_parts and (
                found.content == bytes(count) or is_mixed(found.content, before, new.content)))
        return in_parts and is_mixed(found.content, before, new.content)

    def describe(self, found):
        names = sorted({*found, *self.old, *self.new})
        return "\n".join(
            f"{name}: {found.get(name)}\n    old {self.old.get(name)}\n    new {self.new.get(name)}"
            for name in names
            if found.get(name) != self.old.get(name) or self.old.get(name) != self.new.get(name))
