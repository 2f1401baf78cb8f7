"""Watches which files are written to outside a workspace, even if they are removed again:
fanotify(7), on the mounts of this name space alone, so nobody else's programs count. Needs root."""
import contextlib
import ctypes
import os
import select
import struct
import threading

libc = ctypes.CDLL(None, use_errno=True)
CLOSE_ON_EXEC, UNLIMITED = 0x1, 0x10
ADD, MOUNT = 0x1, 0x10
MODIFY, CLOSE_WRITE = 0x2, 0x8
EVENT = struct.Struct("=IBBHQii")
HERE = -100  # AT_FDCWD


class Watch:
    """`seen`: paths that processes wrote to. `others`: process ids of those that may."""

    def __init__(self, places, others):
        self.seen, self.others, self.running = set(), {os.getpid(), *others}, True
        self.queue = checked(libc.fanotify_init(
            CLOSE_ON_EXEC | UNLIMITED, os.O_RDONLY | os.O_LARGEFILE | os.O_CLOEXEC))
        for place in places:
            # One that has gone has nothing to be seen.
            with contextlib.suppress(FileNotFoundError):
                checked(libc.fanotify_mark(
                    self.queue, ADD | MOUNT, ctypes.c_uint64(MODIFY | CLOSE_WRITE), HERE,
                    place.encode()))
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        while self.running:
            if select.select([self.queue], [], [], 0.2)[0]:
                self.take(os.read(self.queue, 1 << 16))

    def take(self, events):
        while events:
            length, _, _, _, _, file, process = EVENT.unpack_from(events)
            events = events[length:]
            if file < 0:
                continue
            if process not in self.others:
                path = os.readlink(f"/proc/self/fd/{file}")
                # Devices keep nothing.
                if not path.startswith("/dev/") or path.startswith("/dev/shm/"):
                    self.seen.add(path.removesuffix(" (deleted)"))
            os.close(file)

    def close(self):
        self.running = False
        self.thread.join()
        os.close(self.queue)


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
