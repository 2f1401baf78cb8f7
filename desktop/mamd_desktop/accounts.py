"""An account, as a daemon tells of it."""
import dataclasses
import enum
from collections.abc import Mapping
from typing import Any

from .daemon_words import sentence


class Window(enum.Enum):
    OPEN = "open"
    CLOSING = "closing"
    CLOSED = "closed"
    BLOCKED = "blocked"


# Blocks that the right passphrase ends: by an unlock, or by a check-in with it.
BY_UNLOCK = frozenset(["recheck"])
BY_LOGIN = frozenset(["lockedOut", "offline", "offlineWipe"])


@dataclasses.dataclass(frozen=True)
class Account:
    name: str
    state: str
    uid: int = -1
    block: str = ""
    block_reason: str = ""
    has_passphrase: bool = True
    retry_after_seconds: int = 0
    # What the next wrong passphrase leads to: lockedOut, wiped
    last_try: str = ""
    grace_seconds: int | None = None
    idle_seconds: int | None = None
    open_files: int = 0

    @classmethod
    def of(cls, wire: Mapping[str, Any]) -> "Account":
        return cls(
            name=wire.get("name") or wire.get("objectId") or "",
            state=wire.get("state", "locked"), uid=wire.get("uid", -1),
            block=wire.get("block") or "",
            block_reason=sentence(wire, "blockReason"),
            has_passphrase=wire.get("hasPassphrase", True),
            retry_after_seconds=wire.get("retryAfterSeconds") or 0,
            last_try=wire.get("lastTry") or "",
            grace_seconds=wire.get("graceSeconds"),
            idle_seconds=wire.get("idleSeconds"),
            open_files=wire.get("openFiles") or 0)

    @property
    def window(self) -> Window:
        if self.block and self.block not in BY_UNLOCK:
            return Window.BLOCKED
        return {"unlocked": Window.OPEN, "grace": Window.CLOSING}.get(self.state, Window.CLOSED)

    @property
    def is_open(self) -> bool:
        return self.window in (Window.OPEN, Window.CLOSING)

    @property
    def needs_login(self) -> bool:
        """A passphrase opens it only together with a check-in."""
        return self.block in BY_LOGIN

    @property
    def can_be_opened(self) -> bool:
        """By the person who sits here, with the passphrase."""
        return not self.is_open and (not self.block or self.block in BY_UNLOCK | BY_LOGIN)
