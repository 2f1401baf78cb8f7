"""Whether a refused open is a reason to ask the person: once, not for everything, not too soon."""
import dataclasses
from collections.abc import Callable

from .quiet_programs import QuietPrograms
from .records import Record

Key = tuple[str, str]


@dataclasses.dataclass(frozen=True)
class Patience:
    """Seconds: quiet after a dismissal, and between two prompts of an account."""

    dismissed: float = 300.0
    between: float = 10.0


class Gate:
    """What was asked, and when. A key is a workspace and an account."""

    def __init__(
        self, quiet: QuietPrograms, clock: Callable[[], float], patience: Patience = Patience()
    ) -> None:
        self._quiet, self._clock, self._patience = quiet, clock, patience
        self._open: set[Key] = set()
        self._quiet_until: dict[Key, float] = {}

    def asks(self, workspace: str, record: Record) -> bool:
        """True if a prompt is to be shown now; it counts as open from then on."""
        if not record.is_refused_file or record.is_of_policy or not record.account:
            return False
        if record.program is None or record.program in self._quiet:
            return False
        key = (workspace, record.account)
        if key in self._open or self._clock() < self._quiet_until.get(key, 0.0):
            return False
        self._open.add(key)
        return True

    def opens(self, workspace: str, account: str) -> bool:
        """The person wants a prompt, whatever was before; false if there is one."""
        key = (workspace, account)
        if key in self._open:
            return False
        self._open.add(key)
        return True

    def closed(self, workspace: str, account: str, is_dismissed: bool) -> None:
        key = (workspace, account)
        self._open.discard(key)
        seconds = self._patience.dismissed if is_dismissed else self._patience.between
        self._quiet_until[key] = self._clock() + seconds

    def unlocked(self, workspace: str, account: str) -> None:
        """A later lock asks again."""
        self._quiet_until.pop((workspace, account), None)
