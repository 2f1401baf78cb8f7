"""This person's workspaces that are not mounted. mamctl names them, and mounts them."""
import dataclasses
import json
import os
from collections.abc import Callable

from gi.repository import Gio, GLib

from . import file_actions, mounts
from .until_known import UntilKnown
from .words import _

# A daemon ends after its mount, and is asked so often whether it has.
SETTLE_SECONDS, LOOKS = 1, 60
# The unit, where there is one: what systemd started it stops at the logout. Else mamctl, which also
# says what is wrong.
MOUNT = (
    'systemctl $1 --quiet start "mamd@$2.service" 2>/dev/null || exec mamctl mount -- "$3" "$4"')
MANIFEST = ".mamd/workspace.json"


@dataclasses.dataclass(frozen=True)
class Unmounted:
    name: str
    backing: str
    mount_point: str
    moved_to: str | None = None

    @property
    def words(self) -> str:
        if self.moved_to:
            return _("Not mounted: it was moved to %s") % self.moved_to
        if os.path.isdir(self.backing):
            return _("Not mounted")
        return _("Not mounted: %s is not there. Is its disk unplugged?") % self.backing

    def mount(self) -> None:
        if self.moved_to:
            file_actions.run(
                ["mamctl", "mount", "--name", self.name, "--", self.moved_to, self.mount_point])
            return
        manager = "--system" if os.geteuid() == 0 else "--user"
        file_actions.run(
            ["sh", "-c", MOUNT, "sh", manager, self.name, self.backing, self.mount_point])


def parse(listed: str) -> dict[str, Unmounted]:
    """By name, of what can be mounted."""
    return {
        each["name"]: Unmounted(
            each["name"], each["backingDirectory"], each["mountPoint"],
            moved(each["name"], each["backingDirectory"]))
        for each in json.loads(listed)
        if each["state"].startswith("not mounted") and each["backingDirectory"]
        and each["mountPoint"]}


def settled(listed: str) -> bool:
    """Whether none of them is about to be another."""
    mounted = {mount.path for mount in mounts.read()}
    return all(
        each["mountPoint"] in mounted if each["state"] == "mounted"
        else each["state"].startswith(("not mounted", "dead"))
        for each in json.loads(listed))


def moved(name: str, backing: str) -> str | None:
    """Where a backing directory is that is not at its place: beside it or at home, and only one, as
    it may be a copy. mamctl compares the workspace's id."""
    if os.path.isdir(backing):
        return None
    places = {os.path.realpath(place) for place in (os.path.dirname(backing), GLib.get_home_dir())}
    found = [path for place in places for path in _backings(place) if _name_in(path) == name]
    return found[0] if len(found) == 1 else None


def _backings(place: str) -> list[str]:
    try:
        names = os.listdir(place)
    except OSError:
        return []
    paths = (os.path.join(place, name) for name in names)
    return [path for path in paths if os.path.isfile(os.path.join(path, MANIFEST))]


def _name_in(backing: str) -> str:
    try:
        with open(os.path.join(backing, MANIFEST), "rb") as file:
            return json.load(file)["name"]
    except (OSError, ValueError, KeyError, TypeError):
        return ""


class UnmountedWorkspaces:
    """`changed`: there are more or fewer of them."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._found: dict[str, Unmounted] = {}
        self._first_look = UntilKnown()
        self._is_looking, self._looks_left, self._timer = False, 0, 0
        self._monitor = Gio.UnixMountMonitor.get()
        self._monitor.connect("mounts-changed", lambda _monitor: self.look())
        self.look()

    def __iter__(self):
        return iter(self._found.values())

    def at(self, path: str) -> Unmounted | None:
        return next((each for each in self if each.mount_point == path), None)

    def mount(self, path: str) -> None:
        self._first_look.run(lambda: self._mount(path))

    def _mount(self, path: str) -> None:
        if found := self.at(path):
            found.mount()

    def look(self) -> None:
        self._looks_left = LOOKS
        self._look()

    def _look(self) -> None:
        """One at a time: an older answer would replace a newer one."""
        if self._is_looking:
            return
        flags = Gio.SubprocessFlags.STDOUT_PIPE | Gio.SubprocessFlags.STDERR_SILENCE
        try:
            process = Gio.Subprocess.new(["mamctl", "workspace", "list", "--json"], flags)
        except GLib.Error:
            return  # mamctl is not installed: there are none
        self._is_looking, self._looks_left = True, self._looks_left - 1
        process.communicate_utf8_async(None, None, self._listed)

    def _listed(self, process: Gio.Subprocess, result: Gio.AsyncResult) -> None:
        self._is_looking = False
        try:
            _done, listed, _said = process.communicate_utf8_finish(result)
            found = parse(listed or "")
            is_settled = settled(listed or "")
        except (GLib.Error, ValueError, KeyError):
            found, is_settled = self._found, False
        if self._looks_left and not self._timer and (
                not is_settled or self._looks_left == LOOKS):
            self._timer = GLib.timeout_add_seconds(SETTLE_SECONDS, self._look_again)
        if found != self._found:
            self._found = found
            self._changed()
        self._first_look.known()

    def _look_again(self) -> bool:
        self._timer = 0
        self._look()
        return GLib.SOURCE_REMOVE
