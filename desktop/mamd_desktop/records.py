"""A record of the audit, as a daemon tells of it."""
import dataclasses
import datetime
from collections.abc import Mapping
from typing import Any

# The rule that keeps files for contained programs.
CONTAINMENT = "Containment"
FILE_OPERATIONS = frozenset(["open", "create", "read", "use", "write"])


@dataclasses.dataclass(frozen=True)
class Record:
    event: str
    sequence: int = 0
    time: float = 0.0
    account: str | None = None
    receiver: str | None = None
    uid: int | None = None
    pid: int | None = None
    program: str | None = None
    path: str | None = None
    operation: str | None = None
    reason: str | None = None
    rule: str | None = None
    count: int = 1

    @classmethod
    def of(cls, wire: Mapping[str, Any]) -> "Record":
        names = {field.name for field in dataclasses.fields(cls)} - {"time"}
        members = {name: wire[name] for name in names if wire.get(name) is not None}
        return cls(**members, time=_seconds(wire.get("time")))

    @property
    def is_refused_file(self) -> bool:
        return self.event == "refused" and self.operation in FILE_OPERATIONS

    @property
    def is_of_policy(self) -> bool:
        """Refused although the window was open: no passphrase helps."""
        return self.rule is not None and self.rule[:1].isalpha()


def _seconds(text: Any) -> float:
    try:
        return datetime.datetime.fromisoformat(text).timestamp()
    except (TypeError, ValueError):
        return 0.0
