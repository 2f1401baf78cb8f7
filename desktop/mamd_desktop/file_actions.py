"""What a file manager's menu does: mamd-prompt's actions, and mamctl for the rest."""
from collections.abc import Callable

from gi.repository import Gio, GLib

from .words import _

PROMPT_ID, PROMPT_PATH = "io.mamd.Prompt", "/io/mamd/Prompt"
NOTICES, NOTICES_PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"


def ask(action: str, paths: list[str]) -> None:
    """The bus starts mamd-prompt if it does not run."""
    def connected(_source: object, result: Gio.AsyncResult) -> None:
        try:
            bus = Gio.bus_get_finish(result)
        except GLib.Error:
            return
        for path in paths:
            parameters = GLib.Variant("(sava{sv})", (action, [GLib.Variant("s", path)], {}))
            bus.call(
                PROMPT_ID, PROMPT_PATH, "org.freedesktop.Application", "ActivateAction", parameters,
                None, Gio.DBusCallFlags.NONE, -1, None, None)

    Gio.bus_get(Gio.BusType.SESSION, None, connected)


def open_contained(paths: list[str]) -> None:
    run(["mamctl", "open", "--", *paths])


def run(words: list[str], done: Callable[[], None] = lambda: None) -> None:
    """What a command has to say against it is shown: it has no terminal."""
    flags = Gio.SubprocessFlags.STDOUT_SILENCE | Gio.SubprocessFlags.STDERR_PIPE
    try:
        process = Gio.Subprocess.new(words, flags)
    except GLib.Error as problem:
        tell(problem.message, done)
        return

    def ended(process: Gio.Subprocess, result: Gio.AsyncResult) -> None:
        _done, _out, said = process.communicate_utf8_finish(result)
        if process.get_successful():
            done()
        else:
            tell((said or "").replace("mamctl: ", "", 1).strip(), done)

    process.communicate_utf8_async(None, None, ended)


def tell(problem: str, done: Callable[[], None]) -> None:
    def connected(_source: object, result: Gio.AsyncResult) -> None:
        try:
            bus = Gio.bus_get_finish(result)
        except GLib.Error:
            done()
            return
        parameters = GLib.Variant("(susssasa{sv}i)", (
            _("Managed files"), 0, "mamd-locked-symbolic", _("That was refused"),
            GLib.markup_escape_text(problem), [], {}, -1))
        bus.call(
            NOTICES, NOTICES_PATH, NOTICES, "Notify", parameters, None, Gio.DBusCallFlags.NONE, -1,
            None, lambda *_answer: done())

    Gio.bus_get(Gio.BusType.SESSION, None, connected)
