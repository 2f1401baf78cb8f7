"""Tells a person before an account locks because it is not used, and keeps it open if asked.

The daemon says when such a lock is due, and when somebody has used the account after all.
"""
import os
import time

from gi.repository import GLib

from . import messages
from .accounts import Account
from .follow import WORKSPACE, Workspace
from .notifier import Notifier
from .varlink import Parameters
from .words import _

AGAIN_SECONDS = 5
KIND = "countdown"


class Countdown:
    def __init__(self, notifier: Notifier) -> None:
        self._notifier = notifier
        self._timers: dict[tuple[str, str], int] = {}

    def told(self, workspace: Workspace, account: Account, event: Parameters) -> None:
        # Nobody else may keep it open, not even root.
        if event.get("event") == "idle-lock-due" and account.uid == os.geteuid():
            self._begin(workspace, account, int(event.get("seconds") or 0))
        elif event.get("event") == "idle-lock-averted":
            self._end(workspace.name, account.name)

    def look(self, workspace: Workspace) -> None:
        """After each answer about accounts: one that is locked counts no longer."""
        for name, account in list(self._timers):
            found = workspace.accounts.get(account)
            if name == workspace.name and not (found and found.state == "unlocked"):
                self._end(name, account)

    def _begin(self, workspace: Workspace, account: Account, seconds: int) -> None:
        self._end(workspace.name, account.name)
        end = time.monotonic() + seconds
        self._show(workspace, account, seconds)

        def again() -> bool:
            left = round(end - time.monotonic())
            if left > 0:
                self._show(workspace, account, left)
            return GLib.SOURCE_CONTINUE

        self._timers[workspace.name, account.name] = GLib.timeout_add_seconds(
            AGAIN_SECONDS, again)

    def _end(self, workspace: str, account: str) -> None:
        if timer := self._timers.pop((workspace, account), 0):
            GLib.source_remove(timer)
            self._notifier.withdraw(KIND, f"{workspace} {account}")

    def _show(self, workspace: Workspace, account: Account, left: int) -> None:
        keep = (_("Keep open"), lambda: workspace.call(
            f"{WORKSPACE}.KeepOpen", {"account": account.name}))
        self._notifier.show(
            messages.of_countdown(account, left), f"{workspace.name} {account.name}",
            {"keep": keep})
