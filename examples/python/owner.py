#!/usr/bin/python3
"""owner.py FILE…: each file's owner, whether it can be read, and may be saved elsewhere.

Nothing but Python's library. What the socket understands is in docs/PROTOCOL.md.
"""
import json
import os
import pathlib
import socket
import sys


class Refused(Exception):
    """The daemon's error: `name` is its last word, such as WindowClosed."""

    def __init__(self, error, parameters):
        super().__init__(parameters.get("reason") or parameters.get("account") or error)
        self.name, self.parameters = error.rpartition(".")[2], parameters


class Daemon:
    """One connection to a workspace's daemon."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)

    def call(self, method, *descriptors, **parameters):
        """One call and its reply. Descriptors travel beside it; parameters say which is which."""
        call = {"method": f"io.mamd.{method}", "parameters": parameters}
        frame = json.dumps(call).encode() + b"\0"
        sent = socket.send_fds(self.socket, [frame], descriptors)
        self.socket.sendall(frame[sent:])
        reply = bytearray()
        while not reply.endswith(b"\0"):
            reply += self.socket.recv(1 << 16) or sys.exit("the daemon hung up")
        reply = json.loads(reply[:-1])
        if "error" in reply:
            raise Refused(reply["error"], reply.get("parameters", {}))
        return reply["parameters"]


def workspace_of(file):
    """The workspace whose mount an open file lies in: the source of a mount of type fuse.mamd."""
    info = pathlib.Path(f"/proc/self/fdinfo/{file}").read_text()
    number = next(line.split()[1] for line in info.splitlines() if line.startswith("mnt_id:"))
    mounts = pathlib.Path("/proc/self/mountinfo").read_text(errors="surrogateescape")
    for line in mounts.splitlines():
        fields, (kind, source, *_) = (part.split(" ") for part in line.split(" - ", 1))
        if fields[0] == number and kind == "fuse.mamd":
            return source
    return None


def socket_of(workspace):
    """The user's daemon, else root's."""
    runtime = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    paths = [f"{root}/mamd/{workspace}.sock" for root in (runtime, "/run")]
    return next(filter(os.path.exists, paths), paths[0])


def tell(path):
    file = os.open(path, os.O_PATH)
    try:
        workspace = workspace_of(file)
        if workspace is None:
            return f"-\t-\t-\t{path}"
        daemon = Daemon(socket_of(workspace))
        info = daemon.call("Workspace.ProtectionInfo", file, fileDescriptor=0)["protection"]
        save = daemon.call("Policy.CanSave", file, location="Other", fileDescriptor=0)["decision"]
    finally:
        os.close(file)
    owner = info["owner"] or info["ownerObjectId"] or "nobody"
    return f"{owner}\t{info['state']}\t{'may leave' if save['allowed'] else 'stays'}\t{path}"


def main():
    failed = False
    for path in sys.argv[1:]:
        try:
            print(tell(path))
        except (OSError, Refused) as problem:
            print(f"{path}: {problem}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
