"""The file manager of GNOME, for files in managed workspaces: emblems, columns, properties, menu.

Nautilus 43 and later, with python3-nautilus. Nothing here waits: see `mamd_desktop.known_files`.
"""
import pathlib
import sys
import urllib.parse
from collections.abc import Callable

PLACE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PLACE if (PLACE / "mamd_desktop").is_dir() else "/usr/lib/mamd/desktop"))

from gi.repository import Gio, GLib, GObject, Gtk, Nautilus

from mamd_desktop import file_actions, giving, look
from mamd_desktop.accounts import Account
from mamd_desktop.known_files import KnownFiles
from mamd_desktop.mounts import Mount
from mamd_desktop.protection import Protection
from mamd_desktop.unmounted import UnmountedWorkspaces
from mamd_desktop.words import _

OWNER, CLASS = "mamd_owner", "mamd_class"


def path_of(file: Nautilus.FileInfo) -> str:
    """Empty for what is not on this computer."""
    uri = file.get_uri()
    return urllib.parse.unquote(uri[7:]) if uri.startswith("file://") else ""


def changed(path: str) -> None:
    """Nautilus asks again for a file that it still shows."""
    if file := Nautilus.FileInfo.lookup_for_uri(GLib.filename_to_uri(path, None)):
        file.invalidate_extension_info()


class Extension(
        GObject.GObject, Nautilus.InfoProvider, Nautilus.ColumnProvider, Nautilus.MenuProvider,
        Nautilus.PropertiesModelProvider):
    def __init__(self) -> None:
        super().__init__()
        self._files = KnownFiles(path_of, changed)
        self._unmounted = UnmountedWorkspaces(self._look_at_unmounted)
        self._were_unmounted: set[str] = set()
        self._has_icons = False

    # Emblems and columns

    def update_file_info(self, file: Nautilus.FileInfo) -> Nautilus.OperationResult:
        if self._were_unmounted and self._unmounted.at(path_of(file)):
            self._show(file, Protection(state="closed"))
        elif protection := self._files.take(file):
            self._show(file, protection)
        return Nautilus.OperationResult.COMPLETE

    def _look_at_unmounted(self) -> None:
        """Nautilus asks again before `changed` returns."""
        before, self._were_unmounted = self._were_unmounted, {
            each.mount_point for each in self._unmounted}
        for path in before ^ self._were_unmounted:
            changed(path)

    def _show(self, file: Nautilus.FileInfo, protection: Protection) -> None:
        if not self._has_icons and (window := Gtk.Window.get_toplevels().get_item(0)):
            self._has_icons = True
            look.add_icons(window.get_display())
        if emblem := protection.emblem:
            file.add_emblem(emblem)
        file.add_string_attribute(OWNER, protection.owner)
        file.add_string_attribute(CLASS, protection.effective_class)

    def get_columns(self) -> list[Nautilus.Column]:
        return [
            Nautilus.Column(
                name=f"Mamd::{name}", attribute=name, label=label, description=description)
            for name, label, description in (
                (OWNER, _("Managed owner"), _("The account that owns the file")),
                (CLASS, _("Class"), _("When the file can be opened")))]

    # Properties

    def get_models(self, files: list[Nautilus.FileInfo]) -> list[Nautilus.PropertiesModel]:
        path = path_of(files[0]) if len(files) == 1 else ""
        mount = self._files.mount(path)
        if mount is None:
            return []
        lines = Gio.ListStore.new(Nautilus.PropertiesItem)
        lines.append(Nautilus.PropertiesItem(name=_("State"), value=_("Asking…")))

        def found(_path: str, protection: Protection | None) -> None:
            lines.remove_all()
            for name, value in (protection or Protection()).details:
                lines.append(Nautilus.PropertiesItem(name=name, value=value))

        self._files.protections.ask(path, mount, found)
        return [Nautilus.PropertiesModel(title=_("Managed file"), model=lines)]

    # Menu

    def get_file_items(self, files: list[Nautilus.FileInfo]) -> list[Nautilus.MenuItem]:
        paths, mount = self._inside(files)
        if len(paths) == 1 and (shut := self._unmounted.at(paths[0])):
            return [_menu("File", _("Managed files"), [
                _item("FileMount", _("Mount"), shut.mount)])]
        if mount is None:
            return []
        accounts = self._files.accounts(mount)
        return [_menu("File", _("Managed files"), [
            *_windows("File", accounts, paths), self._giving(accounts, paths),
            _item("FileOpen", _("Open contained"), lambda: file_actions.open_contained(paths))])]

    def get_background_items(self, folder: Nautilus.FileInfo) -> list[Nautilus.MenuItem]:
        """Nautilus has one table of actions for both menus: the names differ, or clicking a file's
        item would act on the folder."""
        paths, mount = self._inside([folder])
        items = _windows("Folder", self._files.accounts(mount), paths) if mount else []
        return [_menu("Folder", _("Managed files"), items)] if items else []

    def _inside(self, files: list[Nautilus.FileInfo]) -> tuple[list[str], Mount | None]:
        """Their paths, and the workspace that has all of them."""
        paths = [path_of(file) for file in files]
        mounts = {self._files.mount(path) for path in paths}
        return paths, mounts.pop() if len(mounts) == 1 else None

    def _giving(self, accounts: list[Account], paths: list[str]) -> Nautilus.MenuItem:
        def give(owner: str) -> None:
            giving.give(_active_window(), paths, owner, lambda: self._files.look_again(paths))

        items = [
            _item(f"FileGive{number}", account.name.replace("_", "__"),
                  lambda name=account.name: give(name))
            for number, account in enumerate(accounts)]
        nobody = _item("FileGiveNobody", _("Nobody (not encrypted)"), lambda: give(""))
        return _menu("FileGive", _("Give to"), [*items, nobody])


def _active_window() -> Gtk.Window | None:
    return next((each for each in Gtk.Window.list_toplevels() if each.is_active()), None)


def _windows(
    place: str, accounts: list[Account], paths: list[str]
) -> list[Nautilus.MenuItem]:
    items = []
    if any(not account.is_open for account in accounts):
        items.append(_item(
            f"{place}Unlock", _("Unlock…"), lambda: file_actions.ask("unlock-file", paths[:1])))
    if any(account.is_open for account in accounts):
        items.append(_item(
            f"{place}Lock", _("Lock now"), lambda: file_actions.ask("lock-file", paths[:1])))
    return items


def _menu(name: str, label: str, items: list[Nautilus.MenuItem]) -> Nautilus.MenuItem:
    menu = Nautilus.Menu()
    for item in items:
        menu.append_item(item)
    top = Nautilus.MenuItem(name=f"Mamd::{name}", label=label)
    top.set_submenu(menu)
    return top


def _item(name: str, label: str, act: Callable[[], None]) -> Nautilus.MenuItem:
    item = Nautilus.MenuItem(name=f"Mamd::{name}", label=label)
    item.connect("activate", lambda _item: act())
    return item
