"""What leaks.py does to a mount and its socket, over and over: all kinds of calls, and nothing is
left of them."""
import contextlib
import ctypes
import errno
import os
import random
import shutil

from running import call
from socket_client import Client
from workspace import ANN, PASSPHRASE

KEEP_SIZE, PUNCH_HOLE, EXCHANGE, HERE = 1, 2, 2, -100
DATA = bytes(range(256)) * 40  # three blocks


class Operations:
    """The rounds of one process, in a directory of its own. `count` is of the calls that were
    made."""

    def __init__(self, directory, outside, socket_path):
        self.directory, self.outside, self.socket_path = str(directory), str(outside), str(
            socket_path)
        self.count = 0

    def path(self, name):
        return f"{self.directory}/{name}"

    def round(self):
        """Everything once. A lock by another process ends it early."""
        os.mkdir(self.directory)
        try:
            for part in (self.content, self.names, self.attributes, self.directories):
                part()
        except OSError as problem:
            if problem.errno != errno.ENOKEY:
                raise
        shutil.rmtree(self.directory)
        self.count += 10

    def content(self):
        file = os.open(self.path("a"), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            for start in (0, 4000, 20_000):
                os.pwrite(file, DATA, start)
            os.fsync(file)
            call(
                "fallocate", file, KEEP_SIZE | PUNCH_HOLE, ctypes.c_long(4064), ctypes.c_long(8192))
            os.ftruncate(file, 9000)
            call("fallocate", file, 0, ctypes.c_long(9000), ctypes.c_long(9000))
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            os.pread(file, 20_000, 0)
            os.fdatasync(file)
        finally:
            os.close(file)
        for flags in (os.O_RDONLY, os.O_WRONLY | os.O_APPEND, os.O_RDWR | os.O_TRUNC):
            file = os.open(self.path("a"), flags)
            with contextlib.suppress(OSError):
                os.write(file, b"more") if flags else os.read(file, 100)
            os.close(file)
        os.truncate(self.path("a"), 10_000)
        self.count += 26

    def names(self):
        one, two, three = map(self.path, "abc")
        os.rename(one, two)
        os.link(two, one)
        os.symlink("a", three)
        os.readlink(three)
        call("renameat2", HERE, one.encode(), HERE, three.encode(), EXCHANGE)
        with contextlib.suppress(FileNotFoundError):
            os.stat(self.path(f"missing{random.randrange(1 << 30)}"))
        file = os.open(two, os.O_RDWR)
        try:
            os.unlink(two)
            os.unlink(one)
            os.rename(three, one)
            os.pwrite(file, b"under another name", 0)
        finally:
            os.close(file)
        self.count += 12

    def attributes(self):
        path = self.path("a")
        os.chmod(path, 0o640)
        os.chown(path, -1, 12)
        os.utime(path, (1, 2))
        os.setxattr(path, "user.some", b"value")
        os.getxattr(path, "user.some")
        os.getxattr(path, "user.mam.owner")
        os.listxattr(path)
        os.removexattr(path, "user.some")
        os.stat(path)
        self.count += 9

    def directories(self):
        path = self.path("d")
        os.mkdir(path)
        with open(os.path.join(path, "file"), "wb") as file:
            file.write(DATA)
        os.listdir(path)
        list(os.scandir(self.directory))
        os.statvfs(path)
        os.rename(path, self.path("e"))
        self.count += 9

    # The socket

    def ask(self, method, parameters=None, interface="io.mamd.Workspace", **options):
        with Client(self.socket_path) as client:
            answer = client.ask(f"{interface}.{method}", **(parameters or {}), **options)
        self.count += 1
        return answer

    def questions(self):
        os.mkdir(self.directory)
        path, sealed, plain = self.path("a"), self.outside + ".sealed", self.outside + ".plain"
        with contextlib.suppress(OSError), open(path, "xb") as file:
            file.write(DATA)
        self.ask("GetInfo", interface="org.varlink.service")
        for method in ("Status", "ListAccounts", "NoSuchMethod"):
            self.ask(method)
        self.ask("ProtectionInfo", {"path": path})
        self.ask("SetClass", {"class": random.choice("ABCD"), "path": path})
        self.ask("SetOwner", {"owner": "", "path": path})
        self.ask("SetOwner", {"owner": ANN, "path": path})
        self.ask("SetProcessIdentity", {"identity": ANN})
        for name in (sealed, plain):
            with open(name, "wb") as file:
                file.write(DATA)
        self.ask("Encrypt", {"owner": ANN, "sourcePath": plain, "destinationPath": sealed})
        self.ask("Decrypt", {"sourcePath": sealed, "destinationPath": plain})
        self.ask("Watch", more=True)
        self.ask("ProtectionInfo", {"path": 7})
        with Client(self.socket_path) as client:
            client.socket.sendall(b"{no frame")
        shutil.rmtree(self.directory)
        self.count += 8

    def lock_and_unlock(self):
        self.ask("Lock", {"account": ANN, "now": True})
        answer = self.ask("Unlock", {"account": ANN, "passphrase": PASSPHRASE})
        if "error" in answer:
            raise AssertionError(f"unlock: {answer}")
        # Last: the next right one has to wait a second.
        self.ask("Unlock", {"account": ANN, "passphrase": "wrong"})
