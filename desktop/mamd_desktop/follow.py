"""Follows one workspace's daemon: its accounts, their events, and what was refused."""
import os
import pathlib
import time
from collections.abc import Callable
from typing import Any, Protocol

from gi.repository import GLib

from . import mounts
from .accounts import Account
from .records import Record
from .until_known import UntilKnown
from .varlink import Connection, Parameters, VarlinkError, error_ignored

WORKSPACE, AUDIT = "io.mamd.Workspace", "io.mamd.Audit"
RETRY_MILLISECONDS = (500, 1000, 2000, 5000, 15000)
# What a refusal may have waited for the disk before it is told.
HISTORY_SECONDS = 2.0


class Listener(Protocol):
    def changed(self, workspace: "Workspace") -> None:
        """Its accounts, or whether it answers."""

    def told(self, workspace: "Workspace", account: Account | None, event: Parameters) -> None:
        """What happened. `account`: None for an event of the workspace."""

    def refused(self, workspace: "Workspace", record: Record) -> None:
        """Something was refused just now."""


class Workspace:
    def __init__(self, name: str, socket: pathlib.Path, listener: Listener) -> None:
        self.name, self.socket, self._listener = name, socket, listener
        self.mount_point = ""
        self._daemon_user: int | None = None
        self.accounts: dict[str, Account] = {}
        self.first_answer = UntilKnown()
        self.last_refusal: Record | None = None
        # Whether each account was open at its last event. Answers may be ahead of events.
        self._heard: dict[str, bool] = {}
        self._connections: list[Connection] = []
        self._failures = 0
        self._retry = 0
        self._connect()

    @property
    def is_answering(self) -> bool:
        return bool(self._connections)

    def call(
        self, method: str, parameters: Parameters,
        answered: Callable[[Parameters], None] = lambda _: None,
        failed: Callable[[VarlinkError], None] = error_ignored,
    ) -> None:
        """Fails at once while the daemon does not answer."""
        if not self._connections:
            failed(VarlinkError("", {}))
            return
        self._connections[0].call(method, parameters, answered, failed)

    def refresh(self) -> None:
        """Asks for the accounts: countdowns are told by nobody."""
        self.call(f"{WORKSPACE}.ListAccounts", {}, self._take_accounts)

    def hurry(self) -> None:
        """Something was mounted: it may be this one."""
        if not self._connections:
            self._failures = 0
            self._stop_waiting()
            self._connect()

    def close(self) -> None:
        self._forget()
        self._stop_waiting()

    def _stop_waiting(self) -> None:
        if self._retry:
            GLib.source_remove(self._retry)
            self._retry = 0

    def _connect(self) -> bool:
        self._retry = 0
        if not self._is_mounted:
            self._try_later()
            return GLib.SOURCE_REMOVE
        try:
            for _ in range(3):
                self._connections.append(Connection(self.socket, self._hung_up))
        except OSError:
            self._hung_up()
            return GLib.SOURCE_REMOVE
        calls, events, records = self._connections
        self._heard = {}
        calls.call(f"{WORKSPACE}.Status", {}, self._begin)
        since = time.time() - HISTORY_SECONDS
        records.call(
            f"{AUDIT}.List", {"event": "refused", "limit": 1, "follow": True},
            lambda reply: self._take_record(reply, since), more=True)
        events.call(f"{WORKSPACE}.Watch", {}, self._take_event, more=True)
        return GLib.SOURCE_REMOVE

    @property
    def _is_mounted(self) -> bool:
        """A socket may be systemd's, and a call would start what the person has just stopped."""
        try:
            user = os.stat(self.socket).st_uid
        except OSError:
            return False
        return any(
            (mount.workspace, mount.user) == (self.name, user) for mount in mounts.read())

    def _begin(self, status: Parameters) -> None:
        self._failures = 0
        self._daemon_user = status.get("uid")
        self.mount_point = status.get("mountPoint") or ""
        self._take_accounts(status)

    def _hung_up(self) -> None:
        self._forget()
        self.accounts = {}
        self._try_later()
        self._listener.changed(self)

    def _try_later(self) -> None:
        wait = RETRY_MILLISECONDS[min(self._failures, len(RETRY_MILLISECONDS) - 1)]
        self._failures += 1
        if not self._retry:
            self._retry = GLib.timeout_add(wait, self._connect)

    def _forget(self) -> None:
        connections, self._connections = self._connections, []
        for each in connections:
            each.close()

    def _take_accounts(self, reply: Parameters) -> None:
        accounts = map(Account.of, reply.get("accounts") or [])
        self.accounts = {account.name: account for account in accounts if self._is_ours(account)}
        self._listener.changed(self)
        self.first_answer.known()

    def _is_ours(self, account: Account) -> bool:
        """Root's daemon names those of other people too."""
        return os.geteuid() in (0, self._daemon_user, account.uid)

    def _take_event(self, reply: Parameters) -> None:
        event: dict[str, Any] = reply.get("event") or {}
        wire = event.get("account")
        account = Account.of(wire) if wire else None
        if self._is_news(account, str(event.get("event"))):
            self._listener.told(self, account, event)
        self.refresh()

    def _is_news(self, account: Account | None, event: str) -> bool:
        """The first event of each account is the state that it is in. A lock of what is locked, as
        a block may be followed by, is none either."""
        if account is None:
            return True
        is_first = account.name not in self._heard
        was_open = self._heard.get(account.name, False)
        self._heard[account.name] = event == "available" or (was_open and event != "unavailable")
        return not is_first and (event != "unavailable" or was_open)

    def _take_record(self, reply: Parameters, since: float) -> None:
        record = Record.of(reply.get("record") or {"event": ""})
        if not record.event:
            return
        self.last_refusal = record
        if record.time >= since:
            self._listener.refused(self, record)
        else:
            self._listener.changed(self)
