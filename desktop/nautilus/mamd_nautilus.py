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

from mamd_desktop import file_actions, look
from mamd_desktop.accounts import Account
from mamd_desktop.known_files import KnownFiles
from mamd_desktop.mounts import Mount
from mamd_desktop.protection import Protection
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
        self._has_icons = False

    # Emblems and columns

    def update_file_info(self, file: Nautilus.FileInfo) -> Nautilus.OperationResult:
        if protection := self._files.take(file):
            self._show(file, protection)
        return Nautilus.OperationResult.COMPLETE

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
        paths = [path_of(file) for file in files]
        mounts = {self._files.mount(path) for path in paths}
        if len(mounts) != 1 or (mount := mounts.pop()) is None:
            return []
        return [self._menu(mount, paths)]

    def get_background_items(self, folder: Nautilus.FileInfo) -> list[Nautilus.MenuItem]:
        return self.get_file_items([folder])

    def _menu(self, mount: Mount, paths: list[str]) -> Nautilus.MenuItem:
        accounts = self._files.accounts(mount)
        menu = Nautilus.Menu()
        if any(not account.is_open for account in accounts):
            menu.append_item(_item(
                "Unlock", _("Unlock…"), lambda: file_actions.ask("unlock-file", paths[:1])))
        if any(account.is_open for account in accounts):
            menu.append_item(_item(
                "Lock", _("Lock now"), lambda: file_actions.ask("lock-file", paths[:1])))
        menu.append_item(_giving(accounts, paths))
        menu.append_item(_item(
            "Open", _("Open contained"), lambda: file_actions.open_contained(paths)))
        top = Nautilus.MenuItem(name="Mamd::Menu", label=_("Managed files"))
        top.set_submenu(menu)
        return top


def _giving(accounts: list[Account], paths: list[str]) -> Nautilus.MenuItem:
    menu = Nautilus.Menu()
    for number, account in enumerate(accounts):
        menu.append_item(_item(
            f"Give{number}", account.name.replace("_", "__"),
            lambda name=account.name: file_actions.give(paths, name)))
    menu.append_item(_item(
        "GiveNobody", _("Nobody (not encrypted)"), lambda: file_actions.give(paths, "")))
    top = Nautilus.MenuItem(name="Mamd::Give", label=_("Give to"))
    top.set_submenu(menu)
    return top


def _item(name: str, label: str, act: Callable[[], None]) -> Nautilus.MenuItem:
    item = Nautilus.MenuItem(name=f"Mamd::{name}", label=label)
    item.connect("activate", lambda _item: act())
    return item
