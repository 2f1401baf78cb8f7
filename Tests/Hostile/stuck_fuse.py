"""A file system of the attacker's own that stops answering: raw FUSE, so that each answer can be
left out.

It has two files. `mapped` is looked up, opened and read, and never written: what is changed in a
mapping of it is never taken. `silent` is looked up and opened, and then nothing about it is
answered: no READ, no GETATTR, no FLUSH at its close.

The server is a process of its own. Killed, its /dev/fuse is closed, the kernel ends what waits for
it, and so do the processes that waited: whatever a test does, `close()` cleans up.
"""
import contextlib
import ctypes
import os
import signal
import struct
import subprocess
import sys

__all__ = ["StuckFileSystem"]

ROOT, MAPPED, SILENT = 1, 2, 3
NAMES = {b"mapped": MAPPED, b"silent": SILENT}
SIZE = 1 << 16

# Opcodes of <linux/fuse.h>
LOOKUP, FORGET, GETATTR, OPEN, READ, RELEASE, INIT, OPENDIR, RELEASEDIR = (
    1, 2, 3, 14, 15, 18, 26, 27, 29)
BATCH_FORGET, INTERRUPT = 42, 36
ENOENT, ENOSYS = 2, 38

libc = ctypes.CDLL(None, use_errno=True)
MNT_DETACH, MS_NOSUID, MS_NODEV = 2, 2, 4


class StuckFileSystem:
    """Mounted by root for `uid`, with access for all: the most that a machine lets an attacker
    have."""

    def __init__(self, place, uid, subtype="stuck", source="stuck"):
        self.place = os.fspath(place)
        os.makedirs(self.place, exist_ok=True)
        device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        options = f"fd={device},rootmode=40000,user_id={uid},group_id={uid},allow_other"
        if libc.mount(
                source.encode(), self.place.encode(), f"fuse.{subtype}".encode(),
                MS_NOSUID | MS_NODEV, options.encode()):
            error = ctypes.get_errno()
            os.close(device)
            raise OSError(error, os.strerror(error), self.place)
        self.server = subprocess.Popen(
            [sys.executable, "-B", __file__, str(device), str(uid)], pass_fds=[device],
            stdin=subprocess.DEVNULL)
        os.close(device)
        self.users = []

    def path(self, name):
        return os.path.join(self.place, name)

    def run(self, command):
        """A program that is killed with the file system. Its first line tells that it has begun."""
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.users.append(child)
        child.stdout.readline()
        return child

    def close(self):
        for process in [self.server, *self.users]:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        libc.umount2(self.place.encode(), MNT_DETACH)
        for process in [self.server, *self.users]:
            for stream in (process.stdin, process.stdout):
                if stream:
                    with contextlib.suppress(OSError):
                        stream.close()
            process.wait(60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


# MARK: The server

def attributes(node, uid):
    mode, links = (0o040755, 2) if node == ROOT else (0o100666, 1)
    return struct.pack(
        "<6Q10I", node, SIZE, SIZE // 512, 0, 0, 0, 0, 0, 0, mode, links, uid, uid, 0, 4096, 0)


def valid(node):
    """Seconds for which nobody asks again."""
    return 0 if node == SILENT else 1 << 20


def answer(opcode, node, body, uid):
    """The reply's bytes, an error number, or None for no reply."""
    if opcode == INIT:
        major, minor, read_ahead, _ = struct.unpack_from("<4I", body)
        return struct.pack(
            "<4I2H2I2H8I", major, min(minor, 31), read_ahead, 0, 64, 48, 1 << 16, 1, 0, 0, *[0] * 8)
    if opcode == LOOKUP:
        found = NAMES.get(body.rstrip(b"\0"))
        if found is None:
            return ENOENT
        return struct.pack("<4Q2I", found, 0, 1 << 20, valid(found), 0, 0) + attributes(found, uid)
    if opcode == GETATTR and node != SILENT:
        return struct.pack("<Q2I", valid(node), 0, 0) + attributes(node, uid)
    if opcode in (OPEN, OPENDIR):
        return struct.pack("<Q2I", node, 0, 0)
    if opcode == READ and node == MAPPED:
        return bytes(struct.unpack_from("<QQI", body)[2])
    if opcode in (RELEASE, RELEASEDIR):
        return b""
    if node == SILENT or opcode in (16, 25, FORGET, BATCH_FORGET, INTERRUPT):
        return None
    return ENOSYS


def serve(device, uid):
    while True:
        try:
            request = os.read(device, 1 << 20)
        except OSError:
            return
        _, opcode, unique, node = struct.unpack_from("<IIQQ", request)
        reply = answer(opcode, node, request[40:], uid)
        if reply is None:
            continue
        error, data = (-reply, b"") if isinstance(reply, int) else (0, reply)
        with contextlib.suppress(OSError):
            os.write(device, struct.pack("<IiQ", 16 + len(data), error, unique) + data)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve(int(sys.argv[1]), int(sys.argv[2]))
