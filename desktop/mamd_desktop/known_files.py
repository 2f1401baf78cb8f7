"""What a file manager shows of files in workspaces: asked for once, and again when it changes.

The file manager asks for one file after the other, and gets what is known at once, mostly nothing.
While it does so it lists a folder, and here nothing is done. When it has asked for a moment about
nothing new, the daemon is asked, and the file manager told to ask again, a few files at a time.
"""
import collections
import os
import pathlib
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from gi.repository import Gio, GLib

from . import mounts, places
from .accounts import Account
from .follow import Workspace
from .mounts import Mount
from .protection import Protection
from .protections import Protections
from .records import Record
from .varlink import Parameters
from .workspaces import Workspaces

# Files whose state is shown; of more, the oldest are not told of locks.
REMEMBERED = 50_000
# So many at a time, and then a pause in which the file manager draws.
AT_ONCE, PAUSE_MILLISECONDS = 40, 20
# So long without a new question, a folder is listed. What came meanwhile would be drawn many times.
QUIET_MILLISECONDS = 200
ASKED_AT_ONCE = 200
STATES = frozenset(["available", "unavailable", "blocked", "unblocked", "wiped"])


File = TypeVar("File")


class KnownFiles(Generic[File]):
    """`changed` is called with a path that can be asked for again."""

    def __init__(self, path_of: Callable[[File], str], changed: Callable[[str], None]) -> None:
        self._path_of, self._changed = path_of, changed
        self._mounts = mounts.read()
        self._later: collections.deque[File] = collections.deque()
        self._later_since = 0.0
        self._answers: dict[str, Protection] = {}
        self._shown: collections.OrderedDict[str, str] = collections.OrderedDict()
        self._to_tell: collections.OrderedDict[str, None] = collections.OrderedDict()
        self._timer, self._quiet = 0, 0
        self._roots = places.socket_roots(os.environ, os.geteuid())
        self.protections = Protections(self._socket)
        self._monitor = Gio.UnixMountMonitor.get()
        self._monitor.connect("mounts-changed", self._mounts_changed)
        self.workspaces = Workspaces(self._roots, self)
        self.workspaces.start()

    def mount(self, path: str) -> Mount | None:
        return mounts.of(path, self._mounts) if path and self._mounts else None

    def take(self, file: File) -> Protection | None:
        """An answer is used once: who asks again wants to know whether it has changed. For 10,000
        files without answers this takes a few milliseconds."""
        if self._answers and (answer := self._answers.pop(self._path_of(file), None)):
            return answer
        if self._mounts:
            self._later.append(file)
            self._later_since = time.monotonic()
            if not self._quiet:
                self._quiet = GLib.timeout_add(
                    QUIET_MILLISECONDS, self._is_quiet, priority=GLib.PRIORITY_LOW)
        return None

    def accounts(self, mount: Mount) -> list[Account]:
        workspace = self.workspaces.find(mount.workspace)
        return list(workspace.accounts.values()) if workspace else []

    def look_again(self, paths: list[str]) -> None:
        """They, and what is below them, have changed."""
        folders = tuple(path.rstrip("/") + "/" for path in paths)
        for path in [*paths, *(each for each in self._shown if each.startswith(folders))]:
            self._tell(path)

    # What the workspaces tell

    def changed(self, workspace: Workspace) -> None:
        """Of no interest: states come with events."""

    def refused(self, workspace: Workspace, record: Record) -> None:
        """Not told here."""

    def told(self, workspace: Workspace, account: Account | None, event: Parameters) -> None:
        if account and event.get("event") in STATES:
            for path in [path for path, owner in self._shown.items() if owner == account.name]:
                self._tell(path)

    def _is_quiet(self) -> bool:
        if time.monotonic() - self._later_since < QUIET_MILLISECONDS / 1000:
            return GLib.SOURCE_CONTINUE
        self._quiet = GLib.timeout_add(
            PAUSE_MILLISECONDS, self._ask_some, priority=GLib.PRIORITY_LOW)
        return GLib.SOURCE_REMOVE

    def _ask_some(self) -> bool:
        for _ in range(min(ASKED_AT_ONCE, len(self._later))):
            path = self._path_of(self._later.popleft())
            if mount := self.mount(path):
                self.protections.ask(path, mount, self._found)
        if self._later:
            return GLib.SOURCE_CONTINUE
        self._quiet = 0
        return GLib.SOURCE_REMOVE

    def _socket(self, workspace: str) -> pathlib.Path | None:
        return places.sockets(self._roots).get(workspace)

    def _found(self, path: str, protection: Protection | None) -> None:
        if protection is None or (not protection.owner and not protection.emblem):
            return  # nothing to show
        self._answers[path] = protection
        self._shown[path] = protection.owner
        self._shown.move_to_end(path)
        if len(self._shown) > REMEMBERED:
            self._shown.popitem(last=False)
        self._tell(path)

    def _tell(self, path: str) -> None:
        self._to_tell[path] = None
        if not self._timer:
            self._timer = GLib.timeout_add(
                PAUSE_MILLISECONDS, self._tell_some, priority=GLib.PRIORITY_LOW)

    def _tell_some(self) -> bool:
        for _ in range(min(AT_ONCE, len(self._to_tell))):
            path, _nothing = self._to_tell.popitem(last=False)
            self._changed(path)
        if self._to_tell:
            return GLib.SOURCE_CONTINUE
        self._timer = 0
        return GLib.SOURCE_REMOVE

    def _mounts_changed(self, _monitor: Gio.UnixMountMonitor) -> None:
        self._mounts = mounts.read()
        self.protections.forget()
