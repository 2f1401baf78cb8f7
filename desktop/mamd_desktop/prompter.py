"""Shows prompts: each in a process of its own, of which one is kept ready."""
import json
import pathlib
import sys
from collections.abc import Callable

from gi.repository import Gio, GLib

from .entry_request import CLOSE, DISMISSED, UNLOCKED, Request

PROGRAM = pathlib.Path(__file__).resolve().parents[1] / "mamd-entry"
# A window that could not be started is not tried again without a pause.
PAUSE_SECONDS = 5
# GL costs start and memory, and a window with one line of text needs none.
RENDERER = "cairo"
# glibc overwrites what is freed: a toolkit's copies of what was typed are not kept until something
# else takes their place. Its cache of freed blocks (tcache) would not.
ERASING = "glibc.malloc.perturb=1:glibc.malloc.tcache_count=0"


class Prompter:
    """`ended` is told the request and whether the person dismissed it."""

    def __init__(self, ended: Callable[[Request, bool], None]) -> None:
        self._ended = ended
        self._ready: Gio.Subprocess | None = None
        self._waiting: list[Request] = []
        self._shown: dict[tuple[str, str], Gio.Subprocess] = {}
        self._is_closing = False
        self.prepare()

    def prepare(self) -> bool:
        """Has a process ready for the next request."""
        if self._ready is not None or self._is_closing:
            return GLib.SOURCE_REMOVE
        launcher = Gio.SubprocessLauncher(
            flags=Gio.SubprocessFlags.STDIN_PIPE | Gio.SubprocessFlags.STDOUT_PIPE)
        launcher.setenv("GSK_RENDERER", RENDERER, False)
        launcher.setenv("GLIBC_TUNABLES", ERASING, True)
        try:
            self._ready = launcher.spawnv([sys.executable, "-B", str(PROGRAM)])
        except GLib.Error as problem:
            print(f"mamd-prompt: {problem.message}", file=sys.stderr)
            GLib.timeout_add_seconds(PAUSE_SECONDS, self.prepare)
            return GLib.SOURCE_REMOVE
        self._ready.wait_async(None, self._gone)
        self._show_next()
        return GLib.SOURCE_REMOVE

    def show(self, request: Request) -> None:
        """As soon as there is a process for it."""
        self._waiting.append(request)
        self._show_next()

    def _show_next(self) -> None:
        process = self._ready
        if process is None or not self._waiting:
            return
        self._ready, request = None, self._waiting.pop(0)
        self._shown[request.workspace, request.account] = process
        process.get_stdin_pipe().write_all_async(
            request.line, GLib.PRIORITY_DEFAULT, None, self._written)
        lines = Gio.DataInputStream(base_stream=process.get_stdout_pipe())
        lines.read_line_async(
            GLib.PRIORITY_DEFAULT, None, self._told, (lines, request))

    def withdraw(self, workspace: str, account: str) -> None:
        """It is open by now."""
        for request in [
                each for each in self._waiting
                if (each.workspace, each.account) == (workspace, account)]:
            self._waiting.remove(request)
            self._ended(request, False)
        if process := self._shown.get((workspace, account)):
            process.get_stdin_pipe().write_all_async(
                CLOSE, GLib.PRIORITY_DEFAULT, None, self._written)

    def close(self) -> None:
        self._is_closing = True
        for process in [self._ready, *self._shown.values()]:
            if process is not None:
                process.force_exit()

    def _written(self, stream: Gio.OutputStream, result: Gio.AsyncResult) -> None:
        try:
            stream.write_all_finish(result)
        except GLib.Error:
            pass  # it has ended: that is told by its output

    def _told(
        self, stream: Gio.DataInputStream, result: Gio.AsyncResult,
        about: tuple[Gio.DataInputStream, Request],
    ) -> None:
        lines, request = about
        try:
            line, _length = stream.read_line_finish(result)
        except GLib.Error:
            line = None
        outcome = _result(line) if line else UNLOCKED
        if line and outcome not in (UNLOCKED, DISMISSED):
            lines.read_line_async(GLib.PRIORITY_DEFAULT, None, self._told, about)
            # The next one starts when this one is on the screen.
            self.prepare()
            return
        self._shown.pop((request.workspace, request.account), None)
        self._ended(request, outcome == DISMISSED)
        self.prepare()

    def _gone(self, process: Gio.Subprocess, result: Gio.AsyncResult) -> None:
        process.wait_finish(result)
        if process is self._ready:
            self._ready = None
            GLib.timeout_add_seconds(PAUSE_SECONDS, self.prepare)


def _result(line: bytes) -> str:
    try:
        return str(json.loads(line)["result"])
    except (ValueError, KeyError, TypeError):
        return DISMISSED
