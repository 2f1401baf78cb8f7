"""The rows of the status window: one for each account. Knows no daemon."""
import dataclasses
from collections.abc import Callable

import gi

gi.require_version("Gtk", "4.0")
gi.require_version("Adw", "1")
from gi.repository import Adw, GLib, Gtk

from .accounts import Account, Window
from .messages import state_in_words
from .unmounted import Unmounted
from .words import _, ngettext

ICONS = {
    Window.OPEN: "mamd-open-symbolic", Window.CLOSING: "mamd-open-symbolic",
    Window.CLOSED: "mamd-locked-symbolic", Window.BLOCKED: "mamd-damaged-symbolic"}
STYLES = {
    Window.OPEN: "success", Window.CLOSING: "warning", Window.CLOSED: "dim-label",
    Window.BLOCKED: "error"}
Act = Callable[[str], None]


class AccountRow(Adw.ActionRow):
    def __init__(self, account: Account, lock: Act, unlock: Act) -> None:
        super().__init__(title=GLib.markup_escape_text(account.name), title_lines=1)
        self._account, self._lock, self._unlock = account, lock, unlock
        self._icon = Gtk.Image()
        self._button = Gtk.Button(valign=Gtk.Align.CENTER)
        self._button.connect("clicked", self._clicked)
        self.add_prefix(self._icon)
        self.add_suffix(self._button)
        self.show_account(account)

    def show_account(self, account: Account) -> None:
        """The row stays, so that the keyboard's focus does."""
        self._account = account
        self._icon.set_from_icon_name(ICONS[account.window])
        self._icon.set_css_classes([STYLES[account.window]])
        self._button.set_label(_("Lock now") if account.is_open else _("Unlock…"))
        self._button.set_visible(account.is_open or account.can_be_opened)
        self.update()

    def tick(self, seconds: int) -> None:
        """Countdowns go on between two answers."""
        def less(value: int | None) -> int | None:
            return None if value is None else max(0, value - seconds)

        account = self._account
        self._account = dataclasses.replace(
            account, grace_seconds=less(account.grace_seconds),
            idle_seconds=less(account.idle_seconds),
            retry_after_seconds=max(0, account.retry_after_seconds - seconds))
        self.update()

    def update(self) -> None:
        account = self._account
        words = state_in_words(account)
        if account.is_open and account.open_files:
            files = account.open_files
            words += " · " + ngettext("%d file in use", "%d files in use", files) % files
        if account.block and account.block_reason:
            words += f" {account.block_reason}"
        self.set_subtitle(GLib.markup_escape_text(words))

    def _clicked(self, _button: Gtk.Button) -> None:
        (self._lock if self._account.is_open else self._unlock)(self._account.name)


class MountRow(Adw.ActionRow):
    def __init__(self, workspace: Unmounted) -> None:
        super().__init__(
            title=GLib.markup_escape_text(workspace.name),
            subtitle=GLib.markup_escape_text(workspace.words))
        self.add_prefix(Gtk.Image(icon_name="mamd-locked-symbolic"))
        button = Gtk.Button(label=_("Mount"), valign=Gtk.Align.CENTER)
        button.connect("clicked", lambda _button: workspace.mount())
        self.add_suffix(button)
