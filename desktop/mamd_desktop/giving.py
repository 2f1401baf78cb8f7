"""Gives files to an account, or to nobody: then it asks first, as content becomes plain."""
import collections
import errno
import os
import threading
from collections.abc import Callable, Iterator

import gi

gi.require_version("Gtk", "4.0")
gi.require_version("Adw", "1")
from gi.repository import Adw, GLib, Gtk

from . import file_actions
from .words import _, ngettext

NO_ATTRIBUTE = frozenset([errno.ENODATA, errno.ENOTSUP, errno.EPERM, errno.ENOENT])
PLAIN = frozenset([b"unmanaged", b"foreign", b"directory"])
# Of more owners the question would not fit on a screen.
OWNERS_NAMED = 5
CANCEL, GIVE = "cancel", "give"


def give(
    parent: Gtk.Window | None, paths: list[str], owner: str, done: Callable[[], None]
) -> None:
    """`owner`: empty for nobody. `done` is called at the end, whatever it was."""
    def decided(is_wanted: bool) -> None:
        if is_wanted:
            options = ["--owner", owner] if owner else ["--owner", "", "--unmanaged"]
            file_actions.run(["mamctl", "protect", *options, "--", *paths], done)
        else:
            done()

    def counted(owners: collections.Counter[str]) -> bool:
        if owners:
            _question(parent, paths, owners, decided).present()
        else:
            decided(True)
        return GLib.SOURCE_REMOVE

    if owner:
        decided(True)
    else:
        threading.Thread(
            target=lambda: GLib.idle_add(counted, sealed_owners(paths)), daemon=True).start()


def sealed_owners(paths: list[str]) -> collections.Counter[str]:
    """How many encrypted files each owner has among these and below them."""
    return collections.Counter(
        owner for path in paths for file in _files(path)
        if (owner := _sealed_owner(file)) is not None)


def _files(path: str) -> Iterator[str]:
    if not os.path.isdir(path):
        yield path
    for folder, _folders, names in os.walk(path):
        for name in names:
            yield os.path.join(folder, name)


def _sealed_owner(path: str) -> str | None:
    """Empty if it cannot be known: such a file counts too."""
    try:
        if _attribute(path, "state") in PLAIN:
            return None
        return os.fsdecode(_attribute(path, "owner"))
    except OSError as problem:
        return None if problem.errno in NO_ATTRIBUTE else ""


def _attribute(path: str, name: str) -> bytes:
    return os.getxattr(path, f"user.mam.{name}", follow_symlinks=False).rstrip(b"\0")


def _question(
    parent: Gtk.Window | None, paths: list[str], owners: collections.Counter[str],
    decided: Callable[[bool], None],
) -> Adw.MessageDialog:
    count = owners.total()
    heading = ngettext("Decrypt %d file?", "Decrypt %d files?", count) % count
    if count == len(paths) == 1:
        heading = _("Decrypt “%s”?") % GLib.filename_display_basename(paths[0])
    dialog = Adw.MessageDialog(
        transient_for=parent, modal=True, heading=heading,
        body="\n".join([*_lines(owners), "", _(
            "Every program and backup that reaches them can then read them.")]),
        close_response=CANCEL, default_response=CANCEL, icon_name="mamd-open-symbolic")
    dialog.add_response(CANCEL, _("_Cancel"))
    dialog.add_response(GIVE, _("_Decrypt"))
    dialog.set_response_appearance(GIVE, Adw.ResponseAppearance.DESTRUCTIVE)
    dialog.connect("response", lambda _dialog, response: decided(response == GIVE))
    return dialog


def _lines(owners: collections.Counter[str]) -> Iterator[str]:
    for owner, count in owners.most_common(OWNERS_NAMED):
        files = ngettext("%d file", "%d files", count) % count
        yield _("%(files)s of %(owner)s") % {"files": files, "owner": owner or _("an owner")}
    if (rest := len(owners) - OWNERS_NAMED) > 0:
        yield ngettext("and of %d other", "and of %d others", rest) % rest
