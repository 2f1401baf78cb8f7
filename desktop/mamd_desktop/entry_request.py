"""What a prompt is about: one line of JSON to the process that shows it, and one back."""
import dataclasses
import json
import pathlib


@dataclasses.dataclass(frozen=True)
class Request:
    workspace: str
    socket: pathlib.Path
    account: str
    program: str = ""
    path: str = ""

    @classmethod
    def parsed(cls, line: bytes) -> "Request":
        """Raises ValueError, KeyError, TypeError."""
        members = json.loads(line)
        members["socket"] = pathlib.Path(members["socket"])
        return cls(**members)

    @property
    def line(self) -> bytes:
        members = {**dataclasses.asdict(self), "socket": str(self.socket)}
        return json.dumps(members).encode() + b"\n"


# What the process says: it shows the window; its end.
SHOWN, UNLOCKED, DISMISSED = "shown", "unlocked", "dismissed"
# What it is told besides a request: the account was unlocked elsewhere.
CLOSE = b"close\n"
