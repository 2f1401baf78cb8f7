"""What is told about an event or a refusal, in words."""
import dataclasses
import os
from collections.abc import Mapping
from typing import Any

from .accounts import BY_LOGIN, BY_UNLOCK, Account
from .daemon_words import sentence
from .records import Record
from .words import _, duration, ngettext


@dataclasses.dataclass(frozen=True)
class Message:
    """`kind`: messages of one kind and account replace each other."""

    kind: str
    title: str
    body: str = ""
    icon: str = "mamd-open-symbolic"
    is_urgent: bool = False


def rule_in_words(rule: str) -> str | None:
    """What a property of policy means for the person whom it stopped."""
    return {
        "Containment": _("Policy lets only contained programs open these files."),
        "allowedOutboundDataTransferDestinations":
            _("Policy does not let content of this account go there."),
        "allowedInboundDataTransferSources":
            _("Policy does not let this account take content from there."),
        "allowedOutboundClipboardSharingLevel":
            _("Policy does not let content of this account be copied there."),
        "saveAsBlocked": _("Policy does not let files of this account be saved elsewhere."),
        "allowedDataStorageLocations": _("Policy does not let files be saved in that place."),
        "printBlocked": _("Policy does not let files of this account be printed."),
        "dataBackupBlocked": _("Policy does not let files of this account be backed up."),
        "managedBrowser": _("Policy asks for another browser for links of this account."),
    }.get(rule)


def block_in_words(kind: str) -> str:
    """Why no passphrase opens an account, or what opens it."""
    return {
        "recheck": _("It was not used for so long that policy asks for the passphrase again."),
        "offline": _("It has not checked in for too long."),
        "offlineWipe": _("It has not checked in for so long that policy would wipe it."),
        "lockedOut": _("Too many wrong passphrases. The right one opens it by a check-in."),
        "passphrase": _("Policy asks for a new passphrase."),
        "clockedOut": _("You are clocked out."),
        "launch": _("A condition of policy is not met."),
        "signedOut": _("It is signed out."),
    }.get(kind, _("Policy keeps it closed."))


def last_try_in_words(account: Account) -> str:
    """What one more wrong passphrase leads to; empty: nothing."""
    words = {
        "lockedOut": _("One more wrong passphrase closes %s until a check-in."),
        "wiped": _("One more wrong passphrase wipes %s: its files here are destroyed."),
    }.get(account.last_try)
    return words % account.name if words else ""


def of_event(account: Account | None, event: Mapping[str, Any]) -> Message | None:
    """None: nothing that a person has to know."""
    name = account.name if account else ""
    reason = sentence(event)
    match event.get("event"):
        case "unavailable":
            return Message(
                "lock", _("%s is locked") % name,
                _("Its files are closed, those that programs have open too."),
                "mamd-locked-symbolic")
        case "will-become-unavailable" if (event.get("seconds") or 0) > 0:
            return Message(
                "lock", _("%s will be locked") % name,
                _("In %s. Save what is open.") % duration(event["seconds"]),
                "mamd-locked-symbolic")
        case "blocked":
            kind = event.get("kind") or ""
            # For those the reason says the same, for who uses a terminal.
            words = block_in_words(kind) + ("" if kind in BY_UNLOCK | BY_LOGIN else f" {reason}")
            return Message(
                "block", _("%s is blocked") % name, words.strip(), "mamd-locked-symbolic", True)
        case "unblocked":
            return Message("block", _("%s is no longer blocked") % name)
        case "wiped":
            return Message(
                "wipe", _("%s was wiped") % name,
                _("Its keys and files on this computer are destroyed."), "mamd-damaged-symbolic",
                True)
        case "policy-changed":
            return Message("policy", _("Other policies apply to %s") % name)
        case "policy-refused":
            document = event.get("document") or ""
            return Message(
                "policy", _("A policy could not be read"), f"{document}: {reason}",
                "mamd-damaged-symbolic")
        case "backing-gone":
            return Message(
                "backing", _("The files of a workspace were deleted"),
                _("What is written now is lost. Unmount it, and restore a backup."),
                "mamd-damaged-symbolic", True)
        case "launch-warning":
            return Message("policy", _("A condition of policy is not met by %s") % name, reason)
    return None


def of_refusal(record: Record) -> Message | None:
    """For what a passphrase would not have changed."""
    if record.event != "refused" or not record.is_of_policy:
        return None
    program = record.program or _("A program")
    # Only the name: a folder's may say more than the person wants on a shared screen.
    file = os.path.basename(record.path or "")
    title = (_("%(program)s may not open %(file)s") % {"program": program, "file": file}
             if file else _("%s was refused") % program)
    return Message(
        f"refused {record.rule}", title,
        rule_in_words(record.rule or "") or record.reason or "", "mamd-locked-symbolic")


def held_back(count: int) -> Message:
    return Message(
        "more", ngettext(
            "%d more refused access", "%d more refused accesses", count) % count,
        _("mamctl audit lists them."), "mamd-locked-symbolic")


def of_countdown(account: Account, seconds: int) -> Message:
    return Message(
        "countdown", _("%s will be locked") % account.name,
        _("In %s, because its files are not used.") % duration(seconds),
        "mamd-locked-symbolic")


def who_asks(program: str, path: str) -> str:
    """Both may be empty."""
    file = os.path.basename(path)
    if program and file:
        return _("%(program)s wants to open “%(file)s”.") % {"program": program, "file": file}
    if program:
        return _("%s wants to open a file.") % program
    return ""


def state_in_words(account: Account) -> str:
    if account.block:
        return block_in_words(account.block)
    if account.grace_seconds is not None:
        return _("Closing: locks in %s") % duration(account.grace_seconds)
    if account.is_open:
        if account.idle_seconds is not None:
            return _("Open; locks in %s unless used") % duration(account.idle_seconds)
        return _("Open")
    if account.retry_after_seconds:
        return _("Locked; next passphrase in %s") % duration(account.retry_after_seconds)
    return _("Locked")
