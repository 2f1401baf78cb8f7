"""A menu over D-Bus: com.canonical.dbusmenu, as panels show it. One level."""
import dataclasses
from collections.abc import Callable

from gi.repository import Gio, GLib

INTERFACE = """<node><interface name="com.canonical.dbusmenu">
<property name="Version" type="u" access="read"/>
<property name="Status" type="s" access="read"/>
<property name="TextDirection" type="s" access="read"/>
<property name="IconThemePath" type="as" access="read"/>
<method name="GetLayout"><arg type="i" direction="in"/><arg type="i" direction="in"/>
<arg type="as" direction="in"/><arg type="u" direction="out"/>
<arg type="(ia{sv}av)" direction="out"/></method>
<method name="GetGroupProperties"><arg type="ai" direction="in"/><arg type="as" direction="in"/>
<arg type="a(ia{sv})" direction="out"/></method>
<method name="GetProperty"><arg type="i" direction="in"/><arg type="s" direction="in"/>
<arg type="v" direction="out"/></method>
<method name="Event"><arg type="i" direction="in"/><arg type="s" direction="in"/>
<arg type="v" direction="in"/><arg type="u" direction="in"/></method>
<method name="EventGroup"><arg type="a(isvu)" direction="in"/>
<arg type="ai" direction="out"/></method>
<method name="AboutToShow"><arg type="i" direction="in"/><arg type="b" direction="out"/></method>
<method name="AboutToShowGroup"><arg type="ai" direction="in"/><arg type="ai" direction="out"/>
<arg type="ai" direction="out"/></method>
<signal name="LayoutUpdated"><arg type="u"/><arg type="i"/></signal>
<signal name="ItemsPropertiesUpdated"><arg type="a(ia{sv})"/><arg type="a(ias)"/></signal>
</interface></node>"""
NAME, PATH = "com.canonical.dbusmenu", "/MenuBar"


@dataclasses.dataclass(frozen=True)
class Item:
    """Without a label: a line between others. Without an act: only shown. `key`: what it is,
    however its label changes; another one has another key."""

    key: tuple[str, ...]
    label: str = ""
    act: Callable[[], None] | None = None

    @property
    def properties(self) -> dict[str, GLib.Variant]:
        if not self.label:
            return {"type": GLib.Variant("s", "separator")}
        # An underscore would be an access key.
        return {
            "label": GLib.Variant("s", self.label.replace("_", "__")),
            "enabled": GLib.Variant("b", self.act is not None)}

    def looks_like(self, other: "Item") -> bool:
        return (self.label, self.act is None) == (other.label, other.act is None)


class Menu:
    def __init__(self, bus: Gio.DBusConnection, opened: Callable[[], None]) -> None:
        self._bus, self._opened = bus, opened
        self._items: dict[int, Item] = {}
        # For good: panels keep what they know of a number, and show it for the next that has it.
        self._numbers: dict[tuple[str, ...], int] = {}
        self._revision = 1
        (interface,) = Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces
        bus.register_object(PATH, interface, self._call, self._get, None)

    def set(self, items: list[Item]) -> None:
        before = self._items
        self._items = {
            self._numbers.setdefault(item.key, len(self._numbers) + 1): item for item in items}
        if list(before) != list(self._items):
            self._revision += 1
            self._tell("LayoutUpdated", GLib.Variant("(ui)", (self._revision, 0)))
        changed = [
            (number, item.properties) for number, item in self._items.items()
            if number in before and not item.looks_like(before[number])]
        if changed:
            self._tell("ItemsPropertiesUpdated", GLib.Variant("(a(ia{sv})a(ias))", (changed, [])))

    def _tell(self, signal: str, parameters: GLib.Variant) -> None:
        self._bus.emit_signal(None, PATH, NAME, signal, parameters)

    def _get(self, _bus, _sender, _path, _interface, name: str) -> GLib.Variant | None:
        return {
            "Version": GLib.Variant("u", 3), "Status": GLib.Variant("s", "normal"),
            "TextDirection": GLib.Variant("s", "ltr"),
            "IconThemePath": GLib.Variant("as", [])}.get(name)

    def _call(
        self, _bus, _sender, _path, _interface, method: str, parameters: GLib.Variant,
        invocation: Gio.DBusMethodInvocation,
    ) -> None:
        arguments = parameters.unpack()
        answer: GLib.Variant | None = None
        match method:
            case "GetLayout":
                answer = GLib.Variant("(u(ia{sv}av))", (self._revision, self._layout(arguments[0])))
            case "GetGroupProperties":
                wanted = arguments[0] or [0, *self._items]
                answer = GLib.Variant("(a(ia{sv}))", ([(n, self._properties(n)) for n in wanted],))
            case "GetProperty":
                value = self._properties(arguments[0]).get(arguments[1], GLib.Variant("s", ""))
                answer = GLib.Variant("(v)", (value,))
            case "Event":
                self._event(arguments[0], arguments[1])
            case "EventGroup":
                for number, event, _data, _time in arguments[0]:
                    self._event(number, event)
                answer = GLib.Variant("(ai)", ([],))
            case "AboutToShow":
                self._opened()
                answer = GLib.Variant("(b)", (False,))
            case "AboutToShowGroup":
                self._opened()
                answer = GLib.Variant("(aiai)", ([], []))
        invocation.return_value(answer)

    def _properties(self, number: int) -> dict[str, GLib.Variant]:
        if item := self._items.get(number):
            return item.properties
        return {"children-display": GLib.Variant("s", "submenu")}

    def _layout(self, number: int) -> tuple[int, dict[str, GLib.Variant], list[GLib.Variant]]:
        children = [] if number else [
            GLib.Variant("(ia{sv}av)", (at, item.properties, []))
            for at, item in self._items.items()]
        return (number, self._properties(number), children)

    def _event(self, number: int, event: str) -> None:
        item = self._items.get(number)
        if event == "clicked" and item and (act := item.act):
            GLib.idle_add(lambda: act() and False)
