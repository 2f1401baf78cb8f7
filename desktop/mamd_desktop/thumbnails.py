"""No picture of a file in a workspace stays in the thumbnail cache, which is outside of it.

The cache is watched, since any program may write there: a thumbnail whose URI lies in a workspace
is removed. `mamd-thumbnailer` keeps the desktop's own thumbnailers from making one.
"""
import pathlib
import struct
import urllib.parse

from gi.repository import Gio, GLib

from . import mounts

SIZES = ("normal", "large", "x-large", "xx-large")
PNG = b"\x89PNG\r\n\x1a\n"
HEAD_LIMIT = 65536
# What a program that writes a thumbnail in place may need.
AGAIN_MILLISECONDS = 500


def uri(head: bytes) -> str:
    """The key `Thumb::URI` of a PNG file's text; empty if there is none."""
    place = len(PNG)
    if not head.startswith(PNG):
        return ""
    while place + 8 <= len(head):
        length, kind = struct.unpack_from(">I4s", head, place)
        data = head[place + 8:place + 8 + length]
        if kind == b"tEXt" and data.startswith(b"Thumb::URI\0"):
            return data[11:].decode("latin-1")
        if kind == b"IEND":
            break
        place += length + 12
    return ""


def is_of_workspace(thumbnail: pathlib.Path, table: list[mounts.Mount]) -> bool:
    try:
        with open(thumbnail, "rb") as file:
            split = urllib.parse.urlsplit(uri(file.read(HEAD_LIMIT)))
    except (OSError, ValueError):
        return False
    path = urllib.parse.unquote(split.path)
    return split.scheme == "file" and mounts.of(path, table) is not None


def clean(cache: pathlib.Path, table: list[mounts.Mount]) -> int:
    """Removes those that are there; returns how many."""
    found = [
        each for size in SIZES for each in (cache / size).glob("*.png")
        if is_of_workspace(each, table)]
    for each in found:
        each.unlink(missing_ok=True)
    return len(found)


class ThumbnailWatch:
    def __init__(self, cache: pathlib.Path) -> None:
        self._monitors = []
        for size in SIZES:
            # What is not there is watched too rarely: the first thumbnails would be missed.
            (cache / size).mkdir(mode=0o700, parents=True, exist_ok=True)
            monitor = Gio.File.new_for_path(str(cache / size)).monitor_directory(
                Gio.FileMonitorFlags.WATCH_MOVES, None)
            monitor.connect("changed", self._changed)
            self._monitors.append(monitor)
        clean(cache, mounts.read())

    def _changed(
        self, _monitor: Gio.FileMonitor, file: Gio.File, other: Gio.File | None,
        event: Gio.FileMonitorEvent,
    ) -> None:
        if event in (Gio.FileMonitorEvent.DELETED, Gio.FileMonitorEvent.MOVED_OUT):
            return
        for each in (file, other):
            if each is not None and (path := each.get_path()) and path.endswith(".png"):
                self._look(pathlib.Path(path))
                GLib.timeout_add(AGAIN_MILLISECONDS, self._look, pathlib.Path(path))

    @staticmethod
    def _look(path: pathlib.Path) -> bool:
        if is_of_workspace(path, mounts.read()):
            path.unlink(missing_ok=True)
        return GLib.SOURCE_REMOVE
