"""Notifications of the desktop: org.freedesktop.Notifications, by Gio alone."""
from collections.abc import Callable

from gi.repository import Gio, GLib

from . import messages
from .limits import RateLimit
from .messages import Message
from .words import _

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
COUNT, SECONDS = 6, 30.0
Actions = dict[str, tuple[str, Callable[[], None]]]


class Notifier:
    def __init__(self, bus: Gio.DBusConnection, clock: Callable[[], float]) -> None:
        self._bus, self._clock = bus, clock
        self._limit = RateLimit(COUNT, SECONDS)
        self._shown: dict[str, int] = {}
        self._actions: dict[int, Actions] = {}
        self._later = 0
        bus.signal_subscribe(
            NAME, NAME, "ActionInvoked", PATH, None, Gio.DBusSignalFlags.NONE, self._acted)
        bus.signal_subscribe(
            NAME, NAME, "NotificationClosed", PATH, None, Gio.DBusSignalFlags.NONE, self._closed)

    def tell(self, message: Message, about: str, actions: Actions | None = None) -> None:
        """Unless there were many, or this one, just now."""
        if self._limit.allows((message, about), self._clock()):
            self.show(message, about, actions or {})
        elif self._limit.held_back and not self._later:
            self._later = GLib.timeout_add_seconds(int(SECONDS), self._tell_rest)

    def show(self, message: Message, about: str, actions: Actions) -> None:
        """Without a limit: for what the caller repeats no more often than it must."""
        key = f"{message.kind} {about}"
        words = [word for name, (label, _act) in actions.items() for word in (name, label)]
        hints = {"urgency": GLib.Variant("y", 2 if message.is_urgent else 1)}
        parameters = GLib.Variant("(susssasa{sv}i)", (
            _("Managed files"), self._shown.get(key, 0), message.icon, message.title,
            GLib.markup_escape_text(message.body), words, hints, -1))

        def done(bus: Gio.DBusConnection, result: Gio.AsyncResult) -> None:
            try:
                (number,) = bus.call_finish(result)
            except GLib.Error:
                return  # nobody shows notifications here
            self._shown[key] = number
            self._actions[number] = actions

        self._bus.call(
            NAME, PATH, NAME, "Notify", parameters, GLib.VariantType("(u)"),
            Gio.DBusCallFlags.NONE, -1, None, done)

    def withdraw(self, kind: str, about: str) -> None:
        if number := self._shown.pop(f"{kind} {about}", 0):
            self._actions.pop(number, None)
            self._bus.call(
                NAME, PATH, NAME, "CloseNotification", GLib.Variant("(u)", (number,)), None,
                Gio.DBusCallFlags.NONE, -1, None, None)

    def _tell_rest(self) -> bool:
        self._later = 0
        if count := self._limit.take_held_back():
            self.show(messages.held_back(count), "", {})
        return GLib.SOURCE_REMOVE

    def _acted(self, _bus, _sender, _path, _interface, _signal, parameters: GLib.Variant) -> None:
        number, name = parameters.unpack()
        if action := self._actions.get(number, {}).get(name):
            action[1]()

    def _closed(self, _bus, _sender, _path, _interface, _signal, parameters: GLib.Variant) -> None:
        number = parameters.unpack()[0]
        self._actions.pop(number, None)
        self._shown = {key: each for key, each in self._shown.items() if each != number}
