"""The sign in the panel: org.kde.StatusNotifierItem, where something shows such items."""
import os
import pathlib
from collections.abc import Callable

from gi.repository import Gio, GLib

from .menu import PATH as MENU_PATH
from .menu import Item, Menu
from .words import _

PATH, NAME = "/StatusNotifierItem", "org.kde.StatusNotifierItem"
WATCHER, WATCHER_PATH = "org.kde.StatusNotifierWatcher", "/StatusNotifierWatcher"
ICONS = pathlib.Path(__file__).resolve().parents[1] / "icons"
_READ = "".join(
    f'<property name="{name}" type="{kind}" access="read"/>' for name, kind in (
        ("Category", "s"), ("Id", "s"), ("Title", "s"), ("Status", "s"), ("WindowId", "i"),
        ("IconThemePath", "s"), ("IconName", "s"), ("Menu", "o"), ("ItemIsMenu", "b"),
        ("ToolTip", "(sa(iiay)ss)")))
_CALLS = "".join(
    f'<method name="{name}"><arg type="i" direction="in"/><arg type="i" direction="in"/></method>'
    for name in ("Activate", "SecondaryActivate", "ContextMenu"))
INTERFACE = f"""<node><interface name="{NAME}">{_READ}{_CALLS}
<method name="Scroll"><arg type="i" direction="in"/><arg type="s" direction="in"/></method>
<signal name="NewIcon"/><signal name="NewToolTip"/><signal name="NewTitle"/>
<signal name="NewStatus"><arg type="s"/></signal></interface></node>"""


class Tray:
    """`activated`: the person wants to see more; `opened`: the menu is about to be shown."""

    def __init__(
        self, bus: Gio.DBusConnection, activated: Callable[[], None], opened: Callable[[], None]
    ) -> None:
        self._bus, self._activated = bus, activated
        self._icon, self._tip = "mamd-locked-symbolic", ""
        self._menu = Menu(bus, opened)
        (interface,) = Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces
        bus.register_object(PATH, interface, self._call, self._get, None)
        # Panels come and go; each is told anew.
        Gio.bus_watch_name_on_connection(
            bus, WATCHER, Gio.BusNameWatcherFlags.NONE, self._register, None)

    def show(self, icon: str, tip: str, items: list[Item]) -> None:
        self._menu.set(items)
        if icon != self._icon:
            self._icon = icon
            self._bus.emit_signal(None, PATH, NAME, "NewIcon", None)
        if tip != self._tip:
            self._tip = tip
            self._bus.emit_signal(None, PATH, NAME, "NewToolTip", None)

    def _register(self, bus: Gio.DBusConnection, _name: str, _owner: str) -> None:
        bus.call(
            WATCHER, WATCHER_PATH, WATCHER, "RegisterStatusNotifierItem",
            GLib.Variant("(s)", (bus.get_unique_name(),)), None, Gio.DBusCallFlags.NONE, -1, None,
            None)

    def _get(self, _bus, _sender, _path, _interface, name: str) -> GLib.Variant | None:
        icons = str(ICONS) if os.path.isdir(ICONS) else ""
        return {
            "Category": GLib.Variant("s", "SystemServices"), "Id": GLib.Variant("s", "mamd"),
            "Title": GLib.Variant("s", _("Managed files")),
            "Status": GLib.Variant("s", "Active"), "WindowId": GLib.Variant("i", 0),
            "IconThemePath": GLib.Variant("s", icons),
            "IconName": GLib.Variant("s", self._icon),
            "Menu": GLib.Variant("o", MENU_PATH), "ItemIsMenu": GLib.Variant("b", False),
            "ToolTip": GLib.Variant(
                "(sa(iiay)ss)", (self._icon, [], _("Managed files"), self._tip)),
        }.get(name)

    def _call(
        self, _bus, _sender, _path, _interface, method: str, _parameters: GLib.Variant,
        invocation: Gio.DBusMethodInvocation,
    ) -> None:
        invocation.return_value(None)
        if method == "Activate":
            self._activated()
