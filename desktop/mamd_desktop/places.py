"""Where daemons listen and this person's settings are: as `mamctl` finds them."""
import os
import pathlib
import re
from collections.abc import Mapping

SYSTEM_ROOT = pathlib.Path("/run/mamd")
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}")


def _directory(environment: Mapping[str, str], variable: str, other: str) -> pathlib.Path:
    """An empty or relative variable counts as unset."""
    path = environment.get(variable, "")
    return pathlib.Path(path if path.startswith("/") else other)


def socket_roots(environment: Mapping[str, str], uid: int) -> list[pathlib.Path]:
    """The directories of sockets: the person's, that of daemons which outlived a login, the
    system's."""
    own = _directory(environment, "XDG_RUNTIME_DIR", "/run" if uid == 0 else f"/run/user/{uid}")
    lasting = _directory(environment, "XDG_STATE_HOME", "/var/lib" if uid == 0 else str(
        home(environment) / ".local" / "state"))
    return list(dict.fromkeys([own / "mamd", lasting / "mamd", SYSTEM_ROOT]))


def sockets(roots: list[pathlib.Path]) -> dict[str, pathlib.Path]:
    """The socket of each workspace that seems to run. Only connecting tells."""
    found: dict[str, pathlib.Path] = {}
    for root in roots:
        try:
            names = sorted(os.listdir(root))
        except OSError:
            continue
        for name in names:
            if name.endswith(".sock") and NAME.fullmatch(name[:-5]):
                found.setdefault(name[:-5], root / name)
    return found


def home(environment: Mapping[str, str]) -> pathlib.Path:
    return _directory(environment, "HOME", "/")


def configuration(environment: Mapping[str, str]) -> pathlib.Path:
    return _directory(
        environment, "XDG_CONFIG_HOME", str(home(environment) / ".config")) / "mamd"


def cache(environment: Mapping[str, str]) -> pathlib.Path:
    return _directory(environment, "XDG_CACHE_HOME", str(home(environment) / ".cache"))


def data(environment: Mapping[str, str]) -> pathlib.Path:
    return _directory(
        environment, "XDG_DATA_HOME", str(home(environment) / ".local" / "share"))
