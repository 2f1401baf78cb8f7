"""All accounts of all workspaces at a glance: for the panel's sign and its menu. Pure."""
import os
from collections.abc import Callable, Iterable
from typing import Protocol

from .accounts import Account
from .menu import Item
from .messages import rule_in_words, state_in_words
from .records import Record
from .unmounted import Unmounted
from .words import _


class Seen(Protocol):
    name: str
    accounts: dict[str, Account]
    last_refusal: Record | None


def icon(workspaces: Iterable[Seen]) -> str:
    """Open as long as one is."""
    is_open = any(a.is_open for each in workspaces for a in each.accounts.values())
    return "mamd-open-symbolic" if is_open else "mamd-locked-symbolic"


def tip(workspaces: Iterable[Seen]) -> str:
    lines = [
        f"{account.name}: {state_in_words(account)}"
        for each in workspaces for account in each.accounts.values()]
    return "\n".join(lines) or _("No workspace is mounted.")


def refusal_in_words(record: Record) -> str:
    file = os.path.basename(record.path or "") or _("a file")
    return _("Last refused: %(program)s, %(file)s") % {
        "program": record.program or _("a program"), "file": file}


def reason_in_words(record: Record) -> str:
    if not record.is_of_policy:
        return _("The account was locked.")
    return rule_in_words(record.rule or "") or record.reason or ""


def items(
    workspaces: Iterable[Seen], unlock: Callable[[str, str], None],
    lock: Callable[[str, str], None], show: Callable[[], None],
    unmounted: Iterable[Unmounted] = (),
) -> list[Item]:
    found: list[Item] = []
    for each in workspaces:
        for account in each.accounts.values():
            key = (each.name, account.name)
            found.append(Item(("account", *key), f"{account.name}: {state_in_words(account)}"))
            if account.is_open:
                found.append(Item(("lock", *key), _("Lock now"), _bound(lock, *key)))
            elif account.can_be_opened:
                found.append(Item(("unlock", *key), _("Unlock…"), _bound(unlock, *key)))
        if each.last_refusal:
            found.append(Item(("refused", each.name), refusal_in_words(each.last_refusal)))
        found.append(Item(("line", each.name)))
    for vault in unmounted:
        found += [
            Item(("unmounted", vault.name), f"{vault.name}: {vault.words}"),
            Item(("mount", vault.name), _("Mount"), vault.mount),
            Item(("unmounted line", vault.name))]
    if not found:
        found = [Item(("none",), _("No workspace is mounted.")), Item(("line",))]
    return [*found, Item(("show",), _("Show details…"), show)]


def _bound(act: Callable[[str, str], None], workspace: str, account: str) -> Callable[[], None]:
    return lambda: act(workspace, account)
