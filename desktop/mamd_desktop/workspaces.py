"""All workspaces whose daemons this person can reach, as they come and go."""
import pathlib

from gi.repository import Gio, GLib

from . import places
from .follow import Listener, Workspace

SETTLE_MILLISECONDS = 50


class Workspaces:
    def __init__(self, roots: list[pathlib.Path], listener: Listener) -> None:
        self._roots, self._listener = roots, listener
        self._followed: dict[str, Workspace] = {}
        self._look = 0
        self._monitors = [self._monitor(root) for root in roots]
        self._mounts = Gio.UnixMountMonitor.get()
        self._mounted = self._mounts.connect("mounts-changed", self._hurry)

    def start(self) -> None:
        self._update()

    def __iter__(self):
        return iter(self._followed.values())

    def find(self, name: str) -> Workspace | None:
        return self._followed.get(name)

    def close(self) -> None:
        self._mounts.disconnect(self._mounted)
        for monitor in self._monitors:
            monitor.cancel()
        for each in self._followed.values():
            each.close()
        self._followed.clear()

    def _monitor(self, root: pathlib.Path) -> Gio.FileMonitor:
        place = Gio.File.new_for_path(str(root))
        monitor = place.monitor_directory(Gio.FileMonitorFlags.NONE, None)
        monitor.connect("changed", self._changed)
        return monitor

    def _changed(self, *event: object) -> None:
        if not self._look:
            self._look = GLib.timeout_add(SETTLE_MILLISECONDS, self._update)

    def _hurry(self, _monitor: Gio.UnixMountMonitor) -> None:
        for each in list(self._followed.values()):
            each.hurry()

    def _update(self) -> bool:
        self._look = 0
        found = places.sockets(self._roots)
        for name in [name for name, each in self._followed.items()
                     if found.get(name) != each.socket]:
            gone = self._followed.pop(name)
            gone.close()
            self._listener.changed(gone)
        for name, path in found.items():
            if name not in self._followed:
                self._followed[name] = Workspace(name, path, self._listener)
        return GLib.SOURCE_REMOVE
