"""Tells a person before an account locks because it is not used, and keeps it open if asked.

The daemon tells the time of such a lock only when it is asked (`idleSeconds`): it is asked again
when the warning would be due, and every few seconds while it is shown.
"""
from gi.repository import GLib

from . import messages
from .accounts import Account
from .follow import Workspace
from .notifier import Notifier
from .varlink import Parameters, VarlinkError
from .words import _

PROTECTION = "io.mamd.Protection"
# At most; never more than a third of the time that an account may be idle.
WARNING_SECONDS = 60
AGAIN_SECONDS = 5
KIND = "countdown"


class Countdown:
    def __init__(self, notifier: Notifier) -> None:
        self._notifier = notifier
        self._longest: dict[str, int] = {}
        self._timers: dict[str, int] = {}
        self._shown: set[str] = set()

    def look(self, workspace: Workspace) -> None:
        """After each answer about accounts."""
        if timer := self._timers.pop(workspace.name, 0):
            GLib.source_remove(timer)
        waits = [self._consider(workspace, account) for account in workspace.accounts.values()]
        if due := [wait for wait in waits if wait is not None]:
            self._timers[workspace.name] = GLib.timeout_add_seconds(
                max(1, min(due)), self._ask, workspace)

    def _ask(self, workspace: Workspace) -> bool:
        self._timers.pop(workspace.name, None)
        workspace.refresh()
        return GLib.SOURCE_REMOVE

    def _consider(self, workspace: Workspace, account: Account) -> int | None:
        """Seconds until the next look; None without a lock to come."""
        about = f"{workspace.name} {account.name}"
        left = account.idle_seconds if account.is_open else None
        warning = self._warning_seconds(about, left or 0)
        if left is None or left > warning:
            if about in self._shown:
                self._shown.discard(about)
                self._notifier.withdraw(KIND, about)
            return None if left is None else left - warning
        self._shown.add(about)
        keep = (_("Keep open"), lambda: self._keep(workspace, account.name))
        self._notifier.show(messages.of_countdown(account, left), about, {"keep": keep})
        return AGAIN_SECONDS

    def _warning_seconds(self, about: str, left: int) -> int:
        """The daemon does not tell the limit: the longest time that was left is close to it."""
        self._longest[about] = max(left, self._longest.get(about, 0))
        return min(WARNING_SECONDS, self._longest[about] // 3)

    def _keep(self, workspace: Workspace, account: str) -> None:
        """Any use counts. The smallest: a word is sealed for the account, and opened again."""
        def sealed(reply: Parameters) -> None:
            workspace.call(
                f"{PROTECTION}.UnprotectString", {"text": reply.get("text"), "ownUse": True},
                lambda _reply: workspace.refresh(), failed)

        def failed(_error: VarlinkError) -> None:
            workspace.refresh()

        workspace.call(
            f"{PROTECTION}.ProtectString", {"owner": account, "text": "open"}, sealed, failed)
