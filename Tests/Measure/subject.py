"""Something that can be locked: what the measurements need to know of each product."""
import dataclasses
import pathlib
import subprocess
import time
import typing


@dataclasses.dataclass
class Attempt:
    """One try to lock. No status: the daemon was killed."""
    seconds: float
    status: int | None
    message: str


@dataclasses.dataclass
class Unlock:
    """A way from locked to readable."""
    files: pathlib.Path
    lock: typing.Callable[[], object]
    unlock: typing.Callable[[], object]


class Subject:
    """Made for an empty place below which it keeps what it needs.

    `programs`: what must be installed. `files`: the directory that shows plain content.
    """

    name: str
    programs: tuple[str, ...]
    needs_root = False
    files: pathlib.Path

    def start(self):
        """Makes the files there and readable."""
        raise NotImplementedError

    def ways(self):
        """The ways to lock, by name: functions that give an Attempt."""
        raise NotImplementedError

    def open_again(self):
        """Makes the files readable, whatever the last attempt left."""
        raise NotImplementedError

    def unlocks(self):
        """The ways to unlock that are timed, by name."""
        raise NotImplementedError

    def other_costs(self):
        """What else is timed because the figures above contain it, by name."""
        return {}

    def close(self):
        """Removes everything, also after a start that failed."""
        raise NotImplementedError


def timed(command, **options):
    """Runs a command that locks, with its time and all that it says."""
    start = time.monotonic()
    result = subprocess.run(
        command, capture_output=True, stdin=subprocess.DEVNULL, timeout=120, **options)
    seconds = time.monotonic() - start
    return Attempt(seconds, result.returncode, said(result))


def must(command, **options):
    result = subprocess.run(command, capture_output=True, timeout=120, **options)
    if result.returncode != 0:
        raise RuntimeError(
            f"{' '.join(map(str, command))}: status {result.returncode}: {said(result)}")


def said(result):
    return (result.stdout + result.stderr).decode(errors="replace").strip()
