"""The tests' client of the daemon's socket: it frames calls and reads replies, and knows nothing
of mamctl. A method goes by its interface's last name and its own, or by its whole name."""
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


def frame(method, more=False, **parameters):
    """A call as it goes over the socket."""
    name = f"io.mamd.{method}" if method.count(".") == 1 else method
    return json.dumps({"method": name, "parameters": parameters, "more": more}).encode() + b"\0"


class Client:
    """A connection. The daemon takes it for the process that opened it, whoever calls later."""

    def __init__(self, path, user=None):
        self.socket, self._received = socket.socket(socket.AF_UNIX), b""
        # The daemon is told the effective user of the moment.
        if user is not None:
            os.seteuid(user)
        try:
            self.socket.connect(str(path))
        except BaseException:
            self.socket.close()
            raise
        finally:
            if user is not None:
                os.seteuid(os.getuid())
        # Only now: one that may not wait is not connected while many others do.
        self.socket.settimeout(60)

    def send(self, method, descriptors=(), more=False, **parameters):
        data = frame(method, more, **parameters)
        sent = socket.send_fds(self.socket, [data], list(descriptors))
        self.socket.sendall(data[sent:])

    def receive(self):
        """The next reply, whole."""
        while b"\0" not in self._received:
            part = self.socket.recv(1 << 16)
            if not part:
                raise ConnectionError("the daemon hung up")
            self._received += part
        reply, _, self._received = self._received.partition(b"\0")
        return json.loads(reply)

    def ask(self, method, descriptors=(), more=False, **parameters):
        """One call; the first reply, whole, also if it is an error."""
        self.send(method, descriptors, more, **parameters)
        return self.receive()

    def call(self, method, descriptors=(), more=False, **parameters):
        """One call; the first reply's parameters."""
        reply = self.ask(method, descriptors, more, **parameters)
        if "error" in reply:
            raise Refusal(reply)
        return reply["parameters"]

    def interfaces(self):
        """The product's interfaces: name, and each method with its parameters and their types."""
        names = self.call("org.varlink.service.GetInfo")["interfaces"]
        return {name: self._methods(name) for name in names if name.startswith("io.mamd.")}

    def _methods(self, interface):
        text = self.call(
            "org.varlink.service.GetInterfaceDescription", interface=interface)["description"]
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
