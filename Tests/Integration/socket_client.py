"""A client of the daemon's socket that stays connected. Its process is the one that opened it."""
import contextlib
import json
import os
import re
import socket


class Refusal(Exception):
    """An error reply. `name` is the last word of the error, or of what caused it."""

    def __init__(self, reply):
        super().__init__(f"{reply['error']}: {reply.get('parameters')}")
        self.name = reply.get("parameters", {}).get("cause") or reply["error"].rpartition(".")[2]


class Client:
    def __init__(self, path, user=None):
        self.socket = socket.socket(socket.AF_UNIX)
        # The daemon is told the effective user of the moment.
        if user is not None:
            os.seteuid(user)
        try:
            self.socket.connect(str(path))
        finally:
            if user is not None:
                os.seteuid(0)
        # Only now: one that may not wait is not connected while many others do.
        self.socket.settimeout(30)

    def call(self, method, descriptors=(), more=False, **parameters):
        """One call, by the interface's last name and the method's; the first reply's parameters."""
        message = {"method": f"io.mamd.{method}", "parameters": parameters, "more": more}
        frame = json.dumps(message).encode() + b"\0"
        sent = socket.send_fds(self.socket, [frame], list(descriptors))
        self.socket.sendall(frame[sent:])
        data = b""
        while not data.endswith(b"\0"):
            data += self.socket.recv(1 << 16) or b"{}\0"
        reply = json.loads(data.split(b"\0")[0])
        if "error" in reply:
            raise Refusal(reply)
        return reply["parameters"]

    def interfaces(self):
        """The product's interfaces: name, and each method with its parameters and their types."""
        self.socket.sendall(b'{"method":"org.varlink.service.GetInfo"}\0')
        names = json.loads(self.socket.recv(1 << 16)[:-1])["parameters"]["interfaces"]
        return {name: self._methods(name) for name in names if name.startswith("io.mamd.")}

    def _methods(self, interface):
        request = {
            "method": "org.varlink.service.GetInterfaceDescription",
            "parameters": {"interface": interface}}
        self.socket.sendall(json.dumps(request).encode() + b"\0")
        data = b""
        while not data.endswith(b"\0"):
            data += self.socket.recv(1 << 16)
        text = json.loads(data[:-1])["parameters"]["description"]
        return {
            name: dict(re.findall(r"(\w+): ([^,\s]+)", parameters))
            for name, parameters in re.findall(r"^method (\w+)\(([^)]*)\) ->", text, re.MULTILINE)}

    def close(self):
        # For all processes that have it: a child may have a copy.
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Stream(Client):
    """The replies of one call, as they come."""

    def __init__(self, path, method):
        super().__init__(path)
        self._data = b""
        self.socket.sendall(
            json.dumps({"method": f"io.mamd.{method}", "more": True}).encode() + b"\0")

    def next(self):
        while b"\0" not in self._data:
            self._data += self.socket.recv(1 << 16) or b"{}\0"
        frame, _, self._data = self._data.partition(b"\0")
        return json.loads(frame)["parameters"]
