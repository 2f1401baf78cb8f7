"""One check: a program's work in a directory of its own, on one place."""
import dataclasses
import os
import pathlib
import signal
import subprocess
import typing

ENVIRONMENT = {
    **os.environ, "LC_ALL": "C", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": "*"}


class Failure(Exception):
    """The program did not do what it should; the text says what."""


class NotHere(Exception):
    """The check has no meaning at this place; the text says why."""


@dataclasses.dataclass
class Work:
    """What a check gets. `directory`: empty, at the place. `outside`: empty, not there. `sources`:
    kept for all."""

    place: typing.Any
    directory: pathlib.Path
    outside: pathlib.Path
    sources: pathlib.Path
    quick: bool

    def choose(self, quick, long):
        return quick if self.quick else long

    def need_daemon(self):
        if not self.place.has_daemon:
            raise NotHere("no daemon")

    def run(self, *command, timeout=1800, **options):
        """Runs a program to its end, which must be a good one, and gives what it printed."""
        output, status = self.end(self.start(*command, **options), timeout)
        if status != 0:
            raise Failure(
                f"{' '.join(map(str, command))[:120]}: status {status}: {last_lines(output)}")
        return output

    def start(self, *command, cwd=None, user=None, environment=None):
        """Starts a program. `user`: as somebody else than root."""
        # A group of its own: of a program that hangs, all its children are ended too.
        return subprocess.Popen(
            [*as_user(user), *map(os.fspath, command)], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, cwd=cwd or self.directory,
            env={**ENVIRONMENT, **(environment or {})},
            start_new_session=True)

    def end(self, process, timeout):
        """Waits for a program: what it printed, and its status."""
        with process:
            try:
                output, _ = process.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise Failure(f"{process.args[0]}: no end after {timeout} s") from None
        return output.decode(errors="replace"), process.returncode

    def demand(self, condition, text):
        if not condition:
            raise Failure(text)


@dataclasses.dataclass
class Check:
    """`run` gets a Work; it may return a figure to show. Checks of one `group` share a row of the
    table."""

    name: str
    run: typing.Callable
    group: str | None = None


def as_user(user):
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--"] if user else []


def last_lines(text, count=400):
    return " / ".join(line.strip() for line in text[-count:].splitlines() if line.strip())
