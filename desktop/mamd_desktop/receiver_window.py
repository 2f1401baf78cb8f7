"""mamd-give: a window that asks to whom files are given."""
import os

import gi

gi.require_version("Gtk", "4.0")
gi.require_version("Adw", "1")
from gi.repository import Adw, Gio, Gtk

from . import file_actions, giving, look, mounts, places
from .accounts import Account
from .follow import WORKSPACE
from .varlink import Connection, Parameters, VarlinkError
from .words import _

CANCEL, GIVE = "cancel", "give"


class ReceiverApplication(Adw.Application):
    def __init__(self, paths: list[str]) -> None:
        super().__init__(flags=Gio.ApplicationFlags.NON_UNIQUE)
        self._paths = paths

    def do_activate(self) -> None:
        self.hold()
        mount = mounts.of(self._paths[0], mounts.read())
        roots = places.socket_roots(os.environ, os.geteuid())
        socket = places.sockets(roots).get(mount.workspace) if mount else None
        try:
            if socket is None:
                raise FileNotFoundError
            self._connection = Connection(socket)
        except OSError:
            self._fail(VarlinkError("", {}))
            return
        self._connection.call(f"{WORKSPACE}.ListAccounts", {}, self._ask, self._fail)

    def _fail(self, error: VarlinkError) -> None:
        file_actions.tell(error.reason or _("The workspace does not answer."), self.quit)

    def _ask(self, reply: Parameters) -> None:
        accounts = map(Account.of, reply.get("accounts") or [])
        owners = {account.name: account.name for account in accounts}
        buttons = _choice({**owners, "": _("Nobody (not encrypted)")})
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)
        for button in buttons.values():
            box.append(button)
        dialog = Adw.MessageDialog(
            application=self, heading=_("Give to"), extra_child=box,
            close_response=CANCEL, default_response=GIVE, icon_name="mamd-locked-symbolic")
        look.add_icons(dialog.get_display())
        dialog.add_response(CANCEL, _("_Cancel"))
        dialog.add_response(GIVE, _("_Give"))

        def answered(_dialog: Adw.MessageDialog, response: str) -> None:
            if response == GIVE:
                owner = next(name for name, button in buttons.items() if button.get_active())
                giving.give(None, self._paths, owner, self.quit)
            else:
                self.quit()

        dialog.connect("response", answered)
        dialog.present()


def _choice(labels: dict[str, str]) -> dict[str, Gtk.CheckButton]:
    buttons = {name: Gtk.CheckButton(label=label) for name, label in labels.items()}
    first, *others = buttons.values()
    first.set_active(True)
    for button in others:
        button.set_group(first)
    return buttons
