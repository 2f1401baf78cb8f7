"""Loaded into a real Nautilus by python3-nautilus: says when a folder is listed, and how long the
program was busy at a stretch. JSON, into MAMD_PROBE_FILE, which measure_nautilus.py reads."""
import json
import os
import time

from gi.repository import GLib, GObject, Gtk, Nautilus

WANTED = int(os.environ.get("MAMD_PROBE_FILES", "0"))
STEP = 0.01
# A walk through all widgets takes about a step on a slow machine, and the steps go before all else.
WALK_SECONDS = 0.2


def lists(widget):
    """Models of all lists of files in a window."""
    if isinstance(widget, (Gtk.GridView, Gtk.ColumnView, Gtk.ListView)) and widget.get_model():
        yield widget.get_model()
    child = widget.get_first_child()
    while child is not None:
        yield from lists(child)
        child = child.get_next_sibling()


class Probe(GObject.GObject, Nautilus.ColumnProvider):
    def __init__(self):
        super().__init__()
        self.begin, self.worked = None, 0.0
        self.last, self.longest, self.listed, self.end = None, 0.0, None, None
        self.models, self.next_walk = [], 0.0
        GLib.timeout_add(int(STEP * 1000), self.tick)

    def get_columns(self):
        return []

    def tick(self):
        now = time.monotonic()
        if self.last is not None and self.listed is not None:
            self.longest = max(self.longest, now - self.last - STEP)
        self.last = now
        windows = Gtk.Window.get_toplevels()
        if self.begin is None and windows.get_n_items():
            # Extensions are loaded by now.
            self.begin = (now, sum(os.times()[:2]))
        if self.listed is None and now >= self.next_walk:
            self.models = [
                model for n in range(windows.get_n_items()) for model in lists(windows.get_item(n))]
            self.next_walk = time.monotonic() + WALK_SECONDS
        if self.listed is None and any(model.get_n_items() == WANTED for model in self.models):
            self.listed, self.worked = now, sum(os.times()[:2])
            self.end = now + float(os.environ.get("MAMD_PROBE_SECONDS", "0"))
        if self.listed is None or now < self.end:
            return True
        with open(os.environ["MAMD_PROBE_FILE"], "w") as file:
            json.dump({
                "listed": self.listed - self.begin[0], "worked": self.worked - self.begin[1],
                "stretch": self.longest, "spent": sum(os.times()[:2]) - self.begin[1]}, file)
        return False
