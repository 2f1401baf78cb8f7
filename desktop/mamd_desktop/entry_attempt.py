"""One attempt to open an account, and what its failure means in words."""
import dataclasses
from collections.abc import Callable

from .accounts import Account
from .daemon_words import sentence
from .entry_request import Request
from .messages import block_in_words
from .varlink import Connection, Parameters, VarlinkError
from .words import _, duration

# What a terminal would be told to do.
COMMAND = "mamctl account login"
LOGIN_BLOCKS = frozenset(["lockedOut", "offline", "offlineWipe"])


@dataclasses.dataclass(frozen=True)
class Outcome:
    """`outlook`: what further wrong ones lead to; `wait`: seconds until the next attempt;
    `by_login`: only a check-in helps now; `is_final`: nothing is left to be tried."""

    words: str
    outlook: str = ""
    wait: int = 0
    by_login: bool = False
    is_final: bool = False


def failure(error: VarlinkError) -> Outcome:
    wait = int(error.parameters.get("retryAfterSeconds") or 0)
    match error.name:
        case "WrongPassphrase":
            return _wrong(error.parameters, wait)
        case "NotTried":
            if wait:
                return Outcome(_("Too soon after a wrong one: it was not tried."), wait=wait)
            return Outcome(error.reason)
        case "Blocked":
            kind = error.parameters.get("kind") or ""
            by_login = kind in LOGIN_BLOCKS
            words = block_in_words(kind)
            reason = "" if by_login else error.reason
            return Outcome(f"{words} {reason}".strip(), by_login=by_login, is_final=not by_login)
        case "":
            return Outcome(_("The workspace does not answer."), is_final=True)
    return Outcome(error.reason)


def _wrong(error: Parameters, wait: int) -> Outcome:
    match error.get("consequence"):
        case "wiped":
            lost = _("Too many wrong passphrases: its keys and files here are destroyed.")
            return Outcome(
                lost, _("An export brings the keys back, a backup the files."), is_final=True)
        case "lockedOut":
            return Outcome(block_in_words("lockedOut"), wait=wait, by_login=True)
    outlook = sentence(error, "outlook").replace(COMMAND, _("a check-in"))
    if outlook:
        outlook = f"{outlook[0].upper()}{outlook[1:]}."
    return Outcome(_("That was not right."), outlook, wait)


def waiting(seconds: int) -> str:
    return _("Next attempt in %s.") % duration(seconds)


class Attempts:
    """The conversation with the daemon. `done` is told of success."""

    def __init__(self, request: Request, done: Callable[[], None]) -> None:
        self._request, self._done = request, done
        self._connection: Connection | None = None
        self._says_typed = True

    def look(
        self, found: Callable[[Account], None], failed: Callable[[Outcome], None]
    ) -> None:
        """For the account's state: it may be open by now, or have to wait."""
        def answered(reply: Parameters) -> None:
            accounts = map(Account.of, reply.get("accounts") or [])
            account = next((each for each in accounts if each.name == self._request.account), None)
            if account is None:
                failed(Outcome(_("There is no such account any more."), is_final=True))
            elif account.is_open:
                self._done()
            else:
                found(account)

        self._call("io.mamd.Workspace.ListAccounts", {}, answered, failed)

    def unlock(
        self, descriptor: int | None, by_login: bool, failed: Callable[[Outcome], None]
    ) -> None:
        parameters: Parameters = {"account": self._request.account}
        if descriptor is not None:
            parameters["passphraseDescriptor"] = 0
            if self._says_typed:
                # Recovery words with a mistake are told then, and cost no try.
                parameters["typed"] = True
        method = ("io.mamd.Enrollment.Login" if by_login else "io.mamd.Workspace.Unlock")

        def answered(reply: Parameters) -> None:
            status = reply.get("status")
            if status and not status.get("didSucceed"):
                failed(Outcome(status.get("errorString") or _("The check-in failed."),
                               by_login=True))
            else:
                self._done()

        def refused(outcome: Outcome) -> None:
            # A daemon of before an update does not know what it was told.
            self._says_typed = self._says_typed and outcome.words != "InvalidParameter"
            failed(outcome)

        self._call(
            method, parameters, answered, refused, [descriptor] if descriptor is not None else [])

    def close(self) -> None:
        if self._connection:
            self._connection.close()

    def _call(
        self, method: str, parameters: Parameters, answered: Callable[[Parameters], None],
        failed: Callable[[Outcome], None], descriptors: list[int] | None = None,
    ) -> None:
        if self._connection is None or not self._connection.is_open:
            try:
                self._connection = Connection(self._request.socket)
            except OSError:
                failed(failure(VarlinkError("", {})))
                return
        self._connection.call(
            method, parameters, answered, lambda error: failed(failure(error)), descriptors or [])
