"""The window that asks for a passphrase: its parts, and what they show. Knows no daemon."""
from collections.abc import Callable

import gi

gi.require_version("Gtk", "4.0")
gi.require_version("Adw", "1")
from gi.repository import Adw, Gdk, GLib, Gtk

from .entry_attempt import waiting
from .words import _

MARGIN, SPACING, WIDTH = 24, 12, 380


class EntryForm(Adw.Window):
    def __init__(self, submitted: Callable[[], None], dismissed: Callable[[], None]) -> None:
        super().__init__(
            title=_("Unlock managed files"), resizable=False, default_width=WIDTH,
            accessible_role=Gtk.AccessibleRole.DIALOG, icon_name="mamd-locked-symbolic")
        self._submitted, self._dismissed = submitted, dismissed
        self._wait, self._timer = 0, 0
        self.entry = Gtk.PasswordEntry(
            show_peek_icon=True, activates_default=True, hexpand=True,
            placeholder_text=_("Passphrase or PIN"))
        self.entry.update_property(
            [Gtk.AccessibleProperty.LABEL], [_("Passphrase or PIN")])
        self._title = Gtk.Label(wrap=True, justify=Gtk.Justification.CENTER)
        self._title.add_css_class("title-2")
        self._who = Gtk.Label(wrap=True, justify=Gtk.Justification.CENTER)
        self._problem = Gtk.Label(
            wrap=True, visible=False, justify=Gtk.Justification.CENTER, max_width_chars=44,
            accessible_role=Gtk.AccessibleRole.ALERT)
        self._problem.add_css_class("error")
        # Not before it is known what a wrong one leads to.
        self._unlock = Gtk.Button(label=_("Unlock"), hexpand=True, sensitive=False)
        self._unlock.add_css_class("suggested-action")
        self._later = Gtk.Button(label=_("Not now"), hexpand=True)
        self._fill()
        self._connect()

    def _fill(self) -> None:
        icon = Gtk.Image(icon_name="mamd-locked-symbolic", pixel_size=48, margin_bottom=6)
        buttons = Gtk.Box(spacing=SPACING, homogeneous=True, margin_top=6)
        for button in (self._later, self._unlock):
            buttons.append(button)
        box = Gtk.Box(
            orientation=Gtk.Orientation.VERTICAL, spacing=SPACING, margin_top=MARGIN,
            margin_bottom=MARGIN, margin_start=MARGIN, margin_end=MARGIN)
        for part in (icon, self._title, self._who, self.entry, self._problem, buttons):
            box.append(part)
        handle = Gtk.WindowHandle(child=box)
        self.set_content(handle)
        self.set_default_widget(self._unlock)
        self.set_focus(self.entry)

    def _connect(self) -> None:
        self._unlock.connect("clicked", lambda _: self._submit())
        self._later.connect("clicked", lambda _: self._dismissed())
        self.connect("close-request", lambda _: self._dismissed() or True)
        keys = Gtk.EventControllerKey()
        keys.connect("key-pressed", self._pressed)
        self.add_controller(keys)

    def describe(self, account: str, who: str, workspace: str) -> None:
        self._title.set_label(account)
        locked = _("Unlock its account, and open the file again.")
        self._who.set_label(
            f"{who}\n{locked}" if who
            else _("Opens its files in the workspace “%s”.") % workspace)

    def set_passphrase_needed(self, is_needed: bool) -> None:
        self.entry.set_visible(is_needed)

    def set_action(self, is_login: bool, is_last_try: bool) -> None:
        self._unlock.set_label(
            _("Try anyway") if is_last_try
            else _("Check in and unlock") if is_login else _("Unlock"))

    def set_busy(self, is_busy: bool) -> None:
        self.entry.set_sensitive(not is_busy)
        self._unlock.set_sensitive(not is_busy and not self._wait)

    def show_problem(self, words: str, wait: int = 0, is_final: bool = False) -> None:
        """`wait`: seconds in which no attempt can be made; they are counted down."""
        self._words, self._wait = words, wait
        self.set_busy(False)
        self.entry.set_visible(self.entry.get_visible() and not is_final)
        self._unlock.set_visible(not is_final)
        self._tell()
        self.entry.grab_focus()
        if wait and not self._timer:
            self._timer = GLib.timeout_add_seconds(1, self._tick)

    def _tick(self) -> bool:
        self._wait = max(0, self._wait - 1)
        self._unlock.set_sensitive(not self._wait)
        self._tell()
        if self._wait:
            return GLib.SOURCE_CONTINUE
        self._timer = 0
        return GLib.SOURCE_REMOVE

    def _tell(self) -> None:
        rest = waiting(self._wait) if self._wait else ""
        self._problem.set_label(f"{self._words} {rest}".strip())
        self._problem.set_visible(bool(self._words or rest))

    def _submit(self) -> None:
        if not self._wait and self._unlock.get_sensitive():
            self._submitted()

    def _pressed(self, _keys: Gtk.EventControllerKey, key: int, *_rest: object) -> bool:
        if key != Gdk.KEY_Escape:
            return False
        self._dismissed()
        return True
