"""mamd-prompt: follows the workspaces, asks for passphrases, tells what happened.

One for each session: the bus has its name. Its actions are what other programs call: `unlock`,
`lock` (a workspace and an account), `unlock-file`, `lock-file`, `mount-file` (a path), `show`.
"""
import os
import pathlib
import sys
import time
from collections.abc import Callable

from gi.repository import Gio, GLib

from . import file_actions, messages, mounts, overview, places
from .accounts import Account
from .countdown import Countdown
from .entry_request import Request
from .follow import WORKSPACE, Workspace
from .gate import Gate
from .notifier import Actions, Notifier
from .prompter import Prompter
from .protection import Protection
from .protections import Protections
from .quiet_programs import FILE, QuietPrograms
from .records import CONTAINMENT, Record
from .thumbnails import ThumbnailWatch
from .tray import Tray
from .unmounted import UnmountedWorkspaces
from .varlink import Parameters
from .words import _
from .workspaces import Workspaces

APPLICATION_ID = "io.mamd.Prompt"
STATUS_PROGRAM = pathlib.Path(__file__).resolve().parents[1] / "mamd-status"


class Agent(Gio.Application):
    def __init__(self) -> None:
        super().__init__(application_id=APPLICATION_ID)
        self._unmounted: UnmountedWorkspaces | None = None
        for name, kind, act in (
                ("unlock", "(ss)", self._unlock), ("lock", "(ss)", self._lock),
                ("unlock-file", "s", self._unlock_file), ("lock-file", "s", self._lock_file),
                ("mount-file", "s", self._mount_file)):
            action = Gio.SimpleAction(name=name, parameter_type=GLib.VariantType(kind))
            action.connect(
                "activate", lambda _action, value, act=act: act(
                    *(value.unpack() if value.is_container() else (value.unpack(),))))
            self.add_action(action)
        show = Gio.SimpleAction(name="show")
        show.connect("activate", lambda *_: self._show())
        self.add_action(show)

    def do_startup(self) -> None:
        Gio.Application.do_startup(self)
        environment, bus = os.environ, self.get_dbus_connection()
        code, own = pathlib.Path(__file__).parent, places.configuration(environment)
        self._gate = Gate(QuietPrograms.read(code / FILE, own / FILE), time.monotonic)
        self._prompter = Prompter(self._prompt_ended)
        self._notifier = Notifier(bus, time.monotonic)
        self._countdown = Countdown(self._notifier)
        self._thumbnails = ThumbnailWatch(places.cache(environment) / "thumbnails")
        self._tray = Tray(bus, self._show, self._refresh)
        self._workspaces = Workspaces(places.socket_roots(environment, os.geteuid()), self)
        self._protections = Protections(self._socket)
        self._workspaces.start()
        self._unmounted = UnmountedWorkspaces(self._draw)
        self.hold()

    def do_activate(self) -> None:
        """It was started: that is all."""

    def do_shutdown(self) -> None:
        self._workspaces.close()
        self._prompter.close()
        Gio.Application.do_shutdown(self)

    # What the workspaces tell

    def changed(self, workspace: Workspace) -> None:
        self._countdown.look(workspace)
        for account in workspace.accounts.values():
            if account.is_open:
                self._opened(workspace.name, account.name)
        self._draw()

    def told(self, workspace: Workspace, account: Account | None, event: Parameters) -> None:
        if account and event.get("event") == "available":
            self._opened(workspace.name, account.name)
        if account:
            self._countdown.told(workspace, account, event)
        if message := messages.of_event(account, event):
            self._notifier.tell(message, f"{workspace.name} {account.name if account else ''}")

    def refused(self, workspace: Workspace, record: Record) -> None:
        account = workspace.accounts.get(record.account or "")
        if message := messages.of_refusal(record):
            self._notifier.tell(
                message, f"{workspace.name} {record.account} {record.program}",
                self._ways_out(workspace, record))
        # The number of repeated refusals comes seconds after them: the account may be open by then.
        # Nor does a program of somebody else's ask, of which root's agent is told too.
        elif (account and not account.is_open and record.uid == os.geteuid()
                and self._gate.asks(workspace.name, record)):
            self._prompt(workspace, account.name, record.program or "", record.path or "")
        self._draw()

    def _ways_out(self, workspace: Workspace, record: Record) -> Actions:
        if record.rule != CONTAINMENT or record.operation != "open" or not record.path:
            return {}
        path = os.path.join(workspace.mount_point, record.path)
        return {"contained": (
            _("Open contained"), lambda: file_actions.open_contained([path]))}

    # Prompts

    def _prompt(
        self, workspace: Workspace, account: str, program: str = "", path: str = ""
    ) -> None:
        self._prompter.show(
            Request(workspace.name, workspace.socket, account, program, path))

    def _prompt_ended(self, request: Request, is_dismissed: bool) -> None:
        self._gate.closed(request.workspace, request.account, is_dismissed)

    def _opened(self, workspace: str, account: str) -> None:
        self._gate.unlocked(workspace, account)
        self._prompter.withdraw(workspace, account)

    # What people ask for

    def _unlock(self, workspace: str, account: str) -> None:
        found = self._workspaces.find(workspace)
        if found and self._gate.opens(workspace, account):
            self._prompt(found, account)

    def _lock(self, workspace: str, account: str) -> None:
        if found := self._workspaces.find(workspace):
            found.call(f"{WORKSPACE}.Lock", {"account": account, "now": True})

    def _unlock_file(self, path: str) -> None:
        self._with_owner(path, self._unlock)

    def _lock_file(self, path: str) -> None:
        self._with_owner(path, self._lock)

    def _mount_file(self, path: str) -> None:
        if self._unmounted:
            self._unmounted.mount(path)

    def _with_owner(self, path: str, act: Callable[[str, str], None]) -> None:
        mount = mounts.of(path, mounts.read())
        workspace = self._workspaces.find(mount.workspace) if mount else None
        if mount is None or workspace is None:
            return

        def answered(_path: str, protection: Protection | None) -> None:
            owner = protection.owner if protection else ""
            # A folder has no owner, unless it gives one to new files: then the only account counts.
            if not owner and len(workspace.accounts) == 1:
                (owner,) = workspace.accounts
            if owner:
                act(workspace.name, owner)

        workspace.first_answer.run(lambda: self._protections.ask(path, mount, answered))

    def _socket(self, workspace: str) -> pathlib.Path | None:
        found = self._workspaces.find(workspace)
        return found.socket if found else None

    def _show(self) -> None:
        try:
            Gio.Subprocess.new([sys.executable, "-B", str(STATUS_PROGRAM)],
                               Gio.SubprocessFlags.NONE)
        except GLib.Error as problem:
            print(f"mamd-prompt: {problem.message}", file=sys.stderr)

    def _refresh(self) -> None:
        for each in self._workspaces:
            each.refresh()
        if self._unmounted:
            self._unmounted.look()

    def _draw(self) -> None:
        seen = list(self._workspaces)
        self._tray.show(
            overview.icon(seen), overview.tip(seen),
            overview.items(
                seen, self._unlock, self._lock, self._show, self._unmounted or ()))


def main(arguments: list[str]) -> int:
    return Agent().run(arguments)
