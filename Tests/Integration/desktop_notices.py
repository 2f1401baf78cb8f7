"""Takes notifications, as a desktop's shell does, and writes each as a line of JSON.

    desktop_notices.py FILE

io.mamd.Test.Press, of the same object, invokes an action of the newest one.
"""
import json
import sys
import time

from gi.repository import Gio, GLib

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
INTERFACES = """<node><interface name="org.freedesktop.Notifications">
<method name="Notify"><arg type="s" direction="in"/><arg type="u" direction="in"/>
<arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>
<arg type="as" direction="in"/><arg type="a{sv}" direction="in"/><arg type="i" direction="in"/>
<arg type="u" direction="out"/></method>
<method name="CloseNotification"><arg type="u" direction="in"/></method>
<signal name="ActionInvoked"><arg type="u"/><arg type="s"/></signal>
<signal name="NotificationClosed"><arg type="u"/><arg type="u"/></signal></interface>
<interface name="io.mamd.Test"><method name="Press"><arg type="s" direction="in"/></method>
</interface></node>"""


class Notices:
    def __init__(self, path):
        self.path, self.number = path, 0

    def call(self, bus, _sender, _path, _interface, method, parameters, invocation):
        words = parameters.unpack()
        if method == "Notify":
            self.number = words[1] or self.number + 1
            with open(self.path, "a") as file:
                file.write(json.dumps({
                    "number": self.number, "replaces": words[1], "icon": words[2],
                    "title": words[3], "body": words[4], "actions": words[5],
                    "time": time.monotonic()}) + "\n")
            invocation.return_value(GLib.Variant("(u)", (self.number,)))
            return
        if method == "Press":
            bus.emit_signal(
                None, PATH, NAME, "ActionInvoked", GLib.Variant("(us)", (self.number, words[0])))
        invocation.return_value(None)


def main():
    notices = Notices(sys.argv[1])
    bus = Gio.bus_get_sync(Gio.BusType.SESSION)
    for interface in Gio.DBusNodeInfo.new_for_xml(INTERFACES).interfaces:
        bus.register_object(PATH, interface, notices.call, None, None)
    Gio.bus_own_name_on_connection(
        bus, NAME, Gio.BusNameOwnerFlags.NONE, lambda *_: open(sys.argv[1], "a").close(), None)
    GLib.MainLoop().run()


main()
