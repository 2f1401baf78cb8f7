"""The process that asks for one passphrase, and ends. `mamd-prompt` keeps one ready.

It waits for a request on standard input, shows the window, and passes what is typed to the daemon;
so no process that lives on ever has a passphrase.
"""
import dataclasses
import json
import os
import sys

from gi.repository import GLib

from . import entry_form, look, messages, secrets_out
from .accounts import Account
from .entry_attempt import Attempts, Outcome
from .entry_request import CLOSE, DISMISSED, SHOWN, UNLOCKED, Request
from .words import _

INPUT = 0


class EntryProcess:
    def __init__(self, loop: GLib.MainLoop) -> None:
        self._loop = loop
        self._form = entry_form.EntryForm(self._submit, lambda: self._end(DISMISSED))
        look.add_icons(self._form.get_display())
        # Now, since it has time now: afterwards somebody waits.
        self._form.realize()
        self._request: Request | None = None
        self._attempts: Attempts | None = None
        self._by_login = False
        self._needs_passphrase = True
        self._received = b""
        os.set_blocking(INPUT, False)
        GLib.unix_fd_add_full(
            GLib.PRIORITY_DEFAULT, INPUT, GLib.IOCondition.IN | GLib.IOCondition.HUP, self._read,
            None)

    def _read(self, *_event: object) -> bool:
        part = os.read(INPUT, 65536)
        if not part:
            self._loop.quit()  # who would have asked is gone
            return GLib.SOURCE_REMOVE
        *lines, self._received = (self._received + part).split(b"\n")
        for line in lines:
            if line + b"\n" == CLOSE:
                self._loop.quit()
            elif self._request is None:
                self._begin(Request.parsed(line))
        return GLib.SOURCE_CONTINUE

    def _begin(self, request: Request) -> None:
        self._request = request
        self._attempts = Attempts(request, lambda: self._end(UNLOCKED))
        self._form.describe(
            request.account, messages.who_asks(request.program, request.path), request.workspace)
        self._form.connect("map", lambda _window: self._say(SHOWN))
        self._attempts.look(self._found, self._show)
        self._form.present()

    def _found(self, account: Account) -> None:
        self._needs_passphrase = account.has_passphrase
        self._form.set_passphrase_needed(account.has_passphrase)
        self._by_login = account.needs_login
        self._form.set_action(self._by_login, bool(account.last_try))
        self._form.set_busy(False)
        is_final = bool(account.block) and not account.can_be_opened
        words = [
            messages.block_in_words(account.block) if account.block else "",
            account.block_reason if is_final else messages.last_try_in_words(account)]
        if any(words) or account.retry_after_seconds:
            self._form.show_problem(
                " ".join(filter(None, words)), account.retry_after_seconds, is_final)

    def _submit(self) -> None:
        if self._attempts is None:
            return
        if not self._needs_passphrase:
            self._form.set_busy(True)
            self._attempts.unlock(None, self._by_login, self._failed)
        elif secrets_out.byte_count(self._form.entry):
            self._form.set_busy(True)
            with secrets_out.descriptor(self._form.entry) as passphrase:
                self._attempts.unlock(passphrase, self._by_login, self._failed)

    def _failed(self, outcome: Outcome) -> None:
        if self._attempts is None or outcome.is_final:
            self._show(outcome)
        else:
            # It may be closed by now, or have one try left.
            self._attempts.look(
                lambda account: self._found_after(outcome, account), self._show)

    def _found_after(self, outcome: Outcome, account: Account) -> None:
        self._by_login = self._by_login or outcome.by_login or account.needs_login
        self._form.set_action(self._by_login, bool(account.last_try))
        outlook = outcome.outlook or messages.last_try_in_words(account)
        self._show(dataclasses.replace(outcome, outlook=outlook))

    def _show(self, outcome: Outcome) -> None:
        words = f"{outcome.words} {outcome.outlook}".strip()
        self._form.show_problem(words, outcome.wait, outcome.is_final)

    def _end(self, result: str) -> None:
        self._say(result)
        self._loop.quit()

    @staticmethod
    def _say(result: str) -> None:
        os.write(sys.stdout.fileno(), json.dumps({"result": result}).encode() + b"\n")


def main() -> int:
    secrets_out.keep_out_of_dumps()
    # The entry whose name and icon desktops show for it.
    GLib.set_prgname("io.mamd.Status")
    GLib.set_application_name(_("Managed files"))
    entry_form.Adw.init()
    loop = GLib.MainLoop()
    process = EntryProcess(loop)
    loop.run()
    del process
    return 0
