"""The icons: the package's, or the tree's where nothing is installed."""
import pathlib

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, Gtk

ICONS = pathlib.Path(__file__).resolve().parents[1] / "icons"


def add_icons(display: Gdk.Display) -> None:
    if ICONS.is_dir():
        Gtk.IconTheme.get_for_display(display).add_search_path(str(ICONS))
