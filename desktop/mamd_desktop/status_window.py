"""mamd-status: accounts, windows, countdowns and the last refusal, for who has no panel."""
import os

import gi

gi.require_version("Gtk", "4.0")
gi.require_version("Adw", "1")
from gi.repository import Adw, Gio, GLib, Gtk

from . import look, overview, places
from .accounts import Account
from .follow import WORKSPACE, Workspace
from .records import Record
from .seen_window import SeenWindow
from .status_rows import AccountRow, MountRow
from .unmounted import UnmountedWorkspaces
from .varlink import Parameters
from .words import _
from .workspaces import Workspaces

APPLICATION_ID = "io.mamd.Status"
PROMPT_ID, PROMPT_PATH = "io.mamd.Prompt", "/io/mamd/Prompt"
ASK_SECONDS = 10


class StatusApplication(Adw.Application):
    def __init__(self) -> None:
        super().__init__(application_id=APPLICATION_ID)
        self._groups: dict[str, Adw.PreferencesGroup] = {}
        self._rows: dict[tuple[str, str], AccountRow] = {}
        self._last: dict[str, Adw.ActionRow] = {}
        self._to_mount: Adw.PreferencesGroup | None = None
        self._seconds = 0

    def do_activate(self) -> None:
        if window := self.get_active_window():
            window.present()
            return
        window = Adw.ApplicationWindow(
            application=self, title=_("Managed files"), default_width=460, default_height=420)
        look.add_icons(window.get_display())
        self._page = Adw.PreferencesPage()
        self._empty = Adw.StatusPage(
            title=_("No workspace is mounted."), icon_name="mamd-locked-symbolic")
        self._stack = Gtk.Stack(vexpand=True)
        self._stack.add_named(self._empty, "empty")
        self._stack.add_named(self._page, "page")
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        box.append(Adw.HeaderBar())
        box.append(self._stack)
        window.set_content(box)
        self._workspaces = Workspaces(places.socket_roots(os.environ, os.geteuid()), self)
        self._workspaces.start()
        self._unmounted = UnmountedWorkspaces(self._show_unmounted)
        GLib.timeout_add_seconds(1, self._tick)
        window.present()

    # What the workspaces tell

    def changed(self, workspace: Workspace) -> None:
        accounts = workspace.accounts if workspace.is_answering else {}
        self._remove(workspace.name, set(accounts))
        for account in accounts.values():
            self._show(workspace, account)
        if accounts:
            self._show_last(workspace)
        self._choose_page()

    def _choose_page(self) -> None:
        has_rows = self._groups or self._to_mount
        self._stack.set_visible_child_name("page" if has_rows else "empty")

    def told(self, workspace: Workspace, account: Account | None, event: Parameters) -> None:
        """Each event changes accounts, too."""

    def refused(self, workspace: Workspace, record: Record) -> None:
        self.changed(workspace)

    # Rows

    def _show(self, workspace: Workspace, account: Account) -> None:
        key = (workspace.name, account.name)
        if row := self._rows.get(key):
            row.show_account(account)
            return
        row = AccountRow(
            account, lambda name: self._lock(workspace, name),
            lambda name: self._unlock(workspace, name))
        self._rows[key] = row
        self._group(workspace).add(row)

    def _show_last(self, workspace: Workspace) -> None:
        if workspace.last_refusal is None:
            return
        if workspace.name not in self._last:
            row = Adw.ActionRow()
            row.add_prefix(Gtk.Image(icon_name="mamd-damaged-symbolic"))
            self._last[workspace.name] = row
            self._group(workspace).add(row)
        row = self._last[workspace.name]
        row.set_title(GLib.markup_escape_text(overview.refusal_in_words(workspace.last_refusal)))
        row.set_subtitle(GLib.markup_escape_text(
            overview.reason_in_words(workspace.last_refusal)))

    def _show_unmounted(self) -> None:
        if self._to_mount:
            self._page.remove(self._to_mount)
        rows = [MountRow(each) for each in self._unmounted]
        self._to_mount = Adw.PreferencesGroup() if rows else None
        if self._to_mount:
            for row in rows:
                self._to_mount.add(row)
            self._page.add(self._to_mount)
        self._choose_page()

    def _group(self, workspace: Workspace) -> Adw.PreferencesGroup:
        if group := self._groups.get(workspace.name):
            return group
        group = Adw.PreferencesGroup(
            title=GLib.markup_escape_text(workspace.name),
            description=GLib.markup_escape_text(workspace.mount_point))
        seen = Gtk.Button(label=_("What is seen of me"), valign=Gtk.Align.CENTER)
        seen.add_css_class("flat")
        seen.connect("clicked", lambda _button: self._show_seen(workspace.name))
        group.set_header_suffix(seen)
        self._groups[workspace.name] = group
        self._page.add(group)
        return group

    def _remove(self, workspace: str, remaining: set[str]) -> None:
        gone = [key for key in self._rows if key[0] == workspace and key[1] not in remaining]
        for key in gone:
            self._groups[workspace].remove(self._rows.pop(key))
        if not remaining and (group := self._groups.pop(workspace, None)):
            self._last.pop(workspace, None)
            self._page.remove(group)

    # What people do

    def _show_seen(self, workspace: str) -> None:
        SeenWindow(self.get_active_window(), workspace).present()

    def _lock(self, workspace: Workspace, account: str) -> None:
        workspace.call(f"{WORKSPACE}.Lock", {"account": account, "now": True})

    def _unlock(self, workspace: Workspace, account: str) -> None:
        """The prompt's process is started by the bus if it does not run."""
        action = ("unlock", [GLib.Variant("(ss)", (workspace.name, account))], {})
        self.get_dbus_connection().call(
            PROMPT_ID, PROMPT_PATH, "org.freedesktop.Application", "ActivateAction",
            GLib.Variant("(sava{sv})", action), None, Gio.DBusCallFlags.NONE, -1, None, None)

    def _tick(self) -> bool:
        self._seconds += 1
        for row in self._rows.values():
            row.tick(1)
        if self._seconds % ASK_SECONDS == 0:
            for each in self._workspaces:
                each.refresh()
            self._unmounted.look()
        return GLib.SOURCE_CONTINUE


def main(arguments: list[str]) -> int:
    return StatusApplication().run(arguments)
