"""Asks the daemons about many files without anybody waiting: for a file manager.

One connection for each workspace, some calls on their way at once, the rest in order.
"""
import collections
import concurrent.futures
import dataclasses
import os
import pathlib
from collections.abc import Callable

from gi.repository import GLib

from .mounts import Mount
from .protection import Protection
from .varlink import Connection, Parameters, VarlinkError

METHOD = "io.mamd.Workspace.ProtectionInfo"
ON_THEIR_WAY = 64
# A daemon that hung up is not tried again for so many seconds.
PAUSE_SECONDS = 2

Found = Callable[[str, Protection | None], None]


@dataclasses.dataclass(frozen=True)
class _Question:
    path: str
    found: Found


class _Daemon:
    """The questions to one daemon. Descriptors are opened by a thread: a look-up may wait."""

    def __init__(self, socket: pathlib.Path, threads: concurrent.futures.Executor) -> None:
        self._socket, self._threads = socket, threads
        self._waiting: collections.deque[_Question] = collections.deque()
        self._connection: Connection | None = None
        self._under_way = 0
        self._is_paused = False
        self._is_begun = False

    def ask(self, question: _Question) -> None:
        self._waiting.append(question)
        if not self._is_begun:
            self._is_begun = True
            # After what the caller has to do first.
            GLib.idle_add(self._begin)

    def _begin(self) -> bool:
        self._is_begun = False
        if self._is_paused:
            return GLib.SOURCE_REMOVE
        while self._waiting and self._under_way < ON_THEIR_WAY:
            question = self._waiting.popleft()
            self._under_way += 1
            if self._names_by_path:
                self._send(question, None)
            else:
                self._threads.submit(_opened, question.path).add_done_callback(
                    lambda task, question=question: GLib.idle_add(
                        self._send_opened, question, task.result()))
        return GLib.SOURCE_REMOVE

    @property
    def _names_by_path(self) -> bool:
        """A daemon takes paths from its own user and root."""
        try:
            return os.geteuid() in (0, os.stat(self._socket).st_uid)
        except OSError:
            return True

    def _send_opened(self, question: _Question, descriptor: int | None) -> bool:
        if descriptor is None:
            self._answered(question, None)
        else:
            self._send(question, descriptor)
            os.close(descriptor)
        return GLib.SOURCE_REMOVE

    def _send(self, question: _Question, descriptor: int | None) -> None:
        if (connection := self._connected()) is None:
            self._answered(question, None)
            return
        by_path = descriptor is None
        parameters: Parameters = {"path": question.path} if by_path else {"fileDescriptor": 0}
        connection.call(
            METHOD, parameters,
            lambda reply: self._answered(question, Protection.of(reply.get("protection") or {})),
            lambda error: self._failed(question, error),
            [descriptor] if descriptor is not None else [])

    def _connected(self) -> Connection | None:
        if self._connection is None or not self._connection.is_open:
            try:
                self._connection = Connection(self._socket)
            except OSError:
                self._connection = None
        return self._connection

    def _failed(self, question: _Question, error: VarlinkError) -> None:
        if not error.name and not self._is_paused:
            self._is_paused = True
            GLib.timeout_add_seconds(PAUSE_SECONDS, self._resume)
        self._answered(question, None)

    def _resume(self) -> bool:
        self._is_paused = False
        return self._begin()

    def _answered(self, question: _Question, protection: Protection | None) -> None:
        self._under_way -= 1
        question.found(question.path, protection)
        if self._waiting and self._under_way < ON_THEIR_WAY // 2:
            self._begin()


def _opened(path: str) -> int | None:
    try:
        return os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None


class Protections:
    """`socket_of`: a workspace's, if it seems to run."""

    def __init__(self, socket_of: Callable[[str], pathlib.Path | None]) -> None:
        self._socket_of = socket_of
        self._daemons: dict[str, _Daemon] = {}
        self._threads = concurrent.futures.ThreadPoolExecutor(1)

    def ask(self, path: str, mount: Mount, found: Found) -> None:
        """`found` gets the path and its protection; None if the daemon does not say."""
        daemon = self._daemons.get(mount.workspace)
        if daemon is None:
            socket = self._socket_of(mount.workspace)
            if socket is None:
                found(path, None)
                return
            daemon = _Daemon(socket, self._threads)
            self._daemons[mount.workspace] = daemon
        daemon.ask(_Question(path, found))

    def forget(self) -> None:
        """Mounts have come or gone."""
        self._daemons.clear()
