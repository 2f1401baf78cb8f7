"""What a daemon says of one file, and how a file manager shows it. Pure."""
import dataclasses
from collections.abc import Mapping
from typing import Any

from .daemon_words import sentence
from .words import _

EMBLEMS = {
    "available": "emblem-mamd-open", "closed": "emblem-mamd-locked",
    "keyMissing": "emblem-mamd-sealed", "damaged": "emblem-mamd-damaged",
    "unsealed": "emblem-mamd-damaged"}


@dataclasses.dataclass(frozen=True)
class Protection:
    owner: str = ""
    is_managed: bool = False
    asked_class: str = ""
    effective_class: str = ""
    state: str = "unmanaged"
    # Put into words when it is shown: a file manager asks about thousands.
    told: Mapping[str, Any] = dataclasses.field(default_factory=dict, hash=False)

    @classmethod
    def of(cls, wire: Mapping[str, Any]) -> "Protection":
        return cls(
            owner=wire.get("owner") or wire.get("ownerObjectId") or "",
            is_managed=bool(wire.get("managed")), asked_class=wire.get("class") or "",
            effective_class=wire.get("effectiveClass") or "", state=wire.get("state") or "",
            told={name: wire.get(name) for name in ("reason", "words")})

    @property
    def emblem(self) -> str | None:
        """None for what is not encrypted: most files in a person's folders are not."""
        return EMBLEMS.get(self.state)

    @property
    def state_in_words(self) -> str:
        return {
            "available": _("Encrypted, and open"),
            "closed": _("Encrypted, and locked"),
            "keyMissing": _("Encrypted; its key is not on this computer"),
            "damaged": _("Damaged"),
            "unsealed": _("Not encrypted, although it names an account"),
            "unmanaged": _("Not encrypted"), "foreign": _("Not encrypted"),
            "directory": _("A folder"),
        }.get(self.state, self.state)

    @property
    def class_in_words(self) -> str:
        return {
            "A": _("A: closed whenever the account is locked"),
            "B": _("B: files that are open stay so until they are closed"),
            "C": _("C: open from the first unlock on"),
            "D": _("D: always open on this computer"),
        }.get(self.effective_class, "")

    @property
    def details(self) -> list[tuple[str, str]]:
        """Names and values, as a page of properties lists them."""
        found = [
            (_("Owner"), self.owner or _("Nobody")), (_("State"), self.state_in_words),
            (_("Class"), self.class_in_words), (_("Why"), sentence(self.told))]
        if self.asked_class and self.asked_class != self.effective_class:
            found.insert(3, (_("Class asked for"), self.asked_class))
        return [(name, value) for name, value in found if value]
