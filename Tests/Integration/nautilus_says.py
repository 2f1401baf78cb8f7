"""Loaded into a real Nautilus beside mamd's extension: writes five times a second what it shows, to
MAMD_SAYS_FILE, and activates the menu's item whose label MAMD_SAYS_FILE.press has."""
import gc
import json
import os
import pathlib
import traceback

from gi.repository import Gdk, GLib, GObject, Gtk, Nautilus

TARGET = pathlib.Path(os.environ.get("MAMD_SAYS_FILE", "/nonexistent"))
FILES = os.environ.get("MAMD_SAYS_PATHS", "").split(":")


def widgets(widget):
    yield widget
    child = widget.get_first_child()
    while child is not None:
        yield from widgets(child)
        child = child.get_next_sibling()


def labels():
    """What can be clicked: each text, its window, and where its middle is in there. A label without
    a width has no place yet."""
    windows = Gtk.Window.get_toplevels()
    for window in (windows.get_item(n) for n in range(windows.get_n_items())):
        for label in widgets(window):
            if (isinstance(label, Gtk.Label) and label.get_mapped() and label.get_width()
                    and label.get_label()):
                yield [label.get_label(), window.get_title(), *middle(label)]


def middle(widget):
    native = widget.get_native()
    x, y = widget.translate_coordinates(
        native, widget.get_width() / 2, widget.get_height() / 2)
    while True:
        more_x, more_y = native.get_surface_transform()
        x, y = x + more_x, y + more_y
        surface = native.get_surface()
        if not isinstance(surface, Gdk.Popup):
            return x, y
        x, y = x + surface.get_position_x(), y + surface.get_position_y()
        native = Gtk.Native.get_for_surface(surface.get_parent())
        # The next one's transform was in the position already.
        more_x, more_y = native.get_surface_transform()
        x, y = x - more_x, y - more_y


def shown_emblems():
    windows = Gtk.Window.get_toplevels()
    icons = [
        str(widget.get_gicon().to_string()) for n in range(windows.get_n_items())
        for widget in widgets(windows.get_item(n))
        if isinstance(widget, Gtk.Image) and widget.get_gicon() and widget.get_mapped()]
    return sorted({icon for icon in icons if "emblem-mamd" in icon})


def items(menu_items):
    for item in menu_items:
        yield item
        if menu := item.props.menu:
            yield from items(menu.get_items())


class Says(GObject.GObject, Nautilus.ColumnProvider):
    def __init__(self):
        super().__init__()
        self.extension, self.models, self.looks = None, {}, 0
        GLib.timeout_add(200, self.tick)

    def get_columns(self):
        return []

    def tick(self):
        self.looks += 1
        try:
            self.write(self.look())
        except Exception:  # the next look may do better
            self.write({"look": self.looks, "problem": traceback.format_exc()})
        return True

    def look(self):
        found = (each for each in gc.get_objects() if type(each).__name__ == "Extension")
        self.extension = self.extension or next(found, None)
        says = {
            "look": self.looks, "emblems": shown_emblems(), "labels": list(labels()), "files": {},
            "columns": []}
        if self.extension:
            says["columns"] = [column.props.attribute for column in self.extension.get_columns()]
            says["unmounted"] = [each.mount_point for each in self.extension._unmounted]
        for path in FILES:
            if file := Nautilus.FileInfo.lookup_for_uri(GLib.filename_to_uri(path, None)):
                says["files"][path] = self.about(path, file)
        return says

    @staticmethod
    def write(says):
        new = TARGET.with_suffix(".new")
        new.write_text(json.dumps(says))
        new.rename(TARGET)

    def about(self, path, file):
        says = {name: file.get_string_attribute(f"mamd_{name}") for name in ("owner", "class")}
        if self.extension is None:
            return says
        if path not in self.models:
            self.models[path] = self.extension.get_models([file])
        says["properties"] = [
            [line.props.name, line.props.value]
            for model in self.models[path] for line in model.props.model]
        menu = list(items(self.extension.get_file_items([file])))
        says["menu"] = [item.props.label for item in menu]
        press = pathlib.Path(f"{TARGET}.press")
        if press.exists():
            wanted = press.read_text()
            if item := next((item for item in menu if item.props.label == wanted), None):
                press.unlink()
                item.emit("activate")
        return says
