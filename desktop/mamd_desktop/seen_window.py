"""What the organisation sees of this person, in the words of `mamctl report --me`."""
import gi

gi.require_version("Gtk", "4.0")
gi.require_version("Adw", "1")
from gi.repository import Adw, Gio, GLib, Gtk

from .words import _

MARGIN = 12


class SeenWindow(Adw.Window):
    def __init__(self, parent: Gtk.Window | None, workspace: str) -> None:
        super().__init__(
            transient_for=parent, title=_("What is seen of me"), default_width=720,
            default_height=560)
        # Selectable, and no link: what the organisation calls itself is its word alone.
        self._text = Gtk.TextView(
            editable=False, monospace=True, wrap_mode=Gtk.WrapMode.WORD_CHAR,
            left_margin=MARGIN, right_margin=MARGIN, top_margin=MARGIN, bottom_margin=MARGIN)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        box.append(Adw.HeaderBar())
        box.append(Gtk.ScrolledWindow(child=self._text, vexpand=True))
        self.set_content(box)
        self._ask(workspace)

    def _ask(self, workspace: str) -> None:
        words = ["mamctl", "report", "--me", "--workspace", workspace]
        flags = Gio.SubprocessFlags.STDOUT_PIPE | Gio.SubprocessFlags.STDERR_PIPE
        try:
            process = Gio.Subprocess.new(words, flags)
        except GLib.Error as problem:
            self._show(problem.message)
            return
        process.communicate_utf8_async(None, None, self._answered)

    def _answered(self, process: Gio.Subprocess, result: Gio.AsyncResult) -> None:
        try:
            _done, told, problem = process.communicate_utf8_finish(result)
        except GLib.Error as error:
            self._show(error.message)
            return
        self._show(((told if process.get_successful() else problem) or "").strip())

    def _show(self, text: str) -> None:
        self._text.get_buffer().set_text(text)
