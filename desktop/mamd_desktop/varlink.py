"""A varlink client on GLib's main loop: nothing in it waits.

Calls on one connection are answered in order. A stream (`more`) has a connection of its own.
"""
import collections
import dataclasses
import json
import os
import pathlib
import socket
import struct
from collections.abc import Callable, Sequence
from typing import Any

from gi.repository import GLib

from .daemon_words import sentence

FRAME_LIMIT = 16 << 20
CREDENTIALS = struct.Struct("3i")

Parameters = dict[str, Any]


class VarlinkError(Exception):
    """An error of the daemon, or of the connection (`name` is empty)."""

    def __init__(self, name: str, parameters: Parameters) -> None:
        self.name, self.parameters = name.rpartition(".")[2], parameters
        super().__init__(sentence(parameters) or self.name or "no answer")

    @property
    def reason(self) -> str:
        return str(self)


def answer_ignored(parameters: Parameters) -> None:
    """For calls whose effect the daemon tells otherwise."""


def error_ignored(error: VarlinkError) -> None:
    """For calls whose failure changes nothing."""


@dataclasses.dataclass(frozen=True)
class _Call:
    answered: Callable[[Parameters], None]
    failed: Callable[[VarlinkError], None]


def connected(path: pathlib.Path) -> socket.socket:
    """Raises OSError. A listener that is neither root nor ours is refused before a byte is sent."""
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
    try:
        client.connect(os.fspath(path))
        peer = client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
        if CREDENTIALS.unpack(peer)[1] not in (0, os.geteuid()):
            raise PermissionError(f"{path}: somebody else listens there")
    except OSError:
        client.close()
        raise
    return client


class Connection:
    """`closed` is called once, when the daemon has hung up, after the failures of open calls."""

    def __init__(self, path: pathlib.Path, closed: Callable[[], None] | None = None) -> None:
        self._socket: socket.socket | None = connected(path)
        self._closed = closed
        self._calls: collections.deque[_Call] = collections.deque()
        self._unsent: collections.deque[tuple[memoryview, list[int]]] = collections.deque()
        self._received = bytearray()
        self._out = 0
        self._in = GLib.unix_fd_add_full(
            GLib.PRIORITY_DEFAULT, self._socket.fileno(),
            GLib.IOCondition.IN | GLib.IOCondition.HUP, self._read, None)

    def call(
        self, method: str, parameters: Parameters | None = None,
        answered: Callable[[Parameters], None] = answer_ignored,
        failed: Callable[[VarlinkError], None] = error_ignored,
        descriptors: Sequence[int] = (), more: bool = False,
    ) -> None:
        """`descriptors` are copied; the caller closes its own. With `more`, `answered` is called
        for each reply."""
        if self._socket is None:
            failed(VarlinkError("", {}))
            return
        call: Parameters = {"method": method, "parameters": parameters or {}}
        if more:
            call["more"] = True
        self._calls.append(_Call(answered, failed))
        frame = memoryview(json.dumps(call).encode() + b"\0")
        self._unsent.append((frame, [os.dup(each) for each in descriptors]))
        self._write()

    def close(self) -> None:
        self._closed = None
        self._end()

    @property
    def is_open(self) -> bool:
        return self._socket is not None

    def _write(self, *event: Any) -> bool:
        while self._unsent and self._socket is not None:
            frame, descriptors = self._unsent[0]
            try:
                sent = (socket.send_fds(self._socket, [frame], descriptors)
                        if descriptors else self._socket.send(frame))
            except BlockingIOError:
                break
            except OSError:
                # It has hung up. Reading tells that too, after the answers that it gave before.
                self._drop_unsent()
                break
            for each in descriptors:
                os.close(each)
            if sent < len(frame):
                self._unsent[0] = (frame[sent:], [])
            else:
                self._unsent.popleft()
        return self._watch_writing(bool(self._unsent and self._socket))

    def _watch_writing(self, is_needed: bool) -> bool:
        if is_needed and not self._out and self._socket is not None:
            self._out = GLib.unix_fd_add_full(
                GLib.PRIORITY_DEFAULT, self._socket.fileno(), GLib.IOCondition.OUT, self._write,
                None)
        if not is_needed and self._out:
            GLib.source_remove(self._out)
            self._out = 0
        return is_needed

    def _read(self, *event: Any) -> bool:
        if self._socket is None:
            return False
        try:
            part = self._socket.recv(1 << 18)
        except BlockingIOError:
            return True
        except OSError:
            part = b""
        self._received += part
        if not part or not self._take_frames() or len(self._received) > FRAME_LIMIT:
            self._end()
        return self._socket is not None

    def _take_frames(self) -> bool:
        """False if the daemon says what is no reply."""
        *frames, rest = self._received.split(b"\0")
        self._received = rest
        for frame in frames:
            if self._socket is None:
                break  # somebody closed it meanwhile
            try:
                reply = json.loads(frame)
                parameters, error = reply.get("parameters") or {}, reply.get("error")
                call = self._calls[0] if reply.get("continues") else self._calls.popleft()
            except (ValueError, AttributeError, IndexError):
                return False
            if error:
                call.failed(VarlinkError(error, parameters))
            else:
                call.answered(parameters)
        return True

    def _drop_unsent(self) -> None:
        for _, descriptors in self._unsent:
            for each in descriptors:
                os.close(each)
        self._unsent.clear()

    def _end(self) -> None:
        client, self._socket = self._socket, None
        if client is None:
            return
        self._watch_writing(False)
        GLib.source_remove(self._in)
        client.close()
        self._drop_unsent()
        calls, self._calls = self._calls, collections.deque()
        for call in calls:
            call.failed(VarlinkError("", {}))
        if self._closed is not None:
            self._closed()
