"""Prints what assistive technology reads of all windows: [[role, name, text], …]."""
import json

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib

DEPTH = 40


def walk(item, found, depth=0):
    if item is None or depth > DEPTH:
        return
    text = ""
    try:
        if item.get_text_iface():
            text = Atspi.Text.get_text(item, 0, -1)
        states = item.get_state_set()
        role = item.get_role_name()
        if states.contains(Atspi.StateType.FOCUSED):
            role += " (focused)"
        if depth < 2 or states.contains(Atspi.StateType.VISIBLE):
            found.append((role, item.get_name() or "", text or ""))
        for number in range(item.get_child_count()):
            walk(item.get_child_at_index(number), found, depth + 1)
    except GLib.Error:
        return


def main():
    Atspi.init()
    found = []
    walk(Atspi.get_desktop(0), found)
    print(json.dumps(found))


main()
