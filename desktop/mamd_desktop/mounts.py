"""Which paths are in a workspace: the mount table says so, and asking it needs no daemon."""
import dataclasses
import os
import pathlib
import re

TABLE = pathlib.Path("/proc/self/mountinfo")
TYPE = "fuse.mamd"


@dataclasses.dataclass(frozen=True)
class Mount:
    """`user`: whose daemon serves it."""

    path: str
    workspace: str
    user: int = 0


def _plain(field: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), field)


def parse(table: str) -> list[Mount]:
    found = []
    for line in table.splitlines():
        if f" - {TYPE} " not in line:
            continue
        fields = line.split(" ")
        user = re.search(r"(?:^|,)user_id=(\d+)", fields[-1])
        found.append(Mount(
            _plain(fields[4]), _plain(fields[fields.index("-") + 2]), int(user[1]) if user else 0))
    return found


def read() -> list[Mount]:
    return parse(TABLE.read_text(errors="surrogateescape"))


def of(path: str, mounts: list[Mount]) -> Mount | None:
    """Of an absolute path; the innermost. Looks at no file."""
    path = os.path.normpath(path)
    inside = [
        mount for mount in mounts
        if path == mount.path or path.startswith(mount.path.rstrip("/") + "/")]
    return max(inside, key=lambda mount: len(mount.path), default=None)
