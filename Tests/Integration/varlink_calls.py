"""One connection to a daemon's socket, as plain JSON: no library, no mamctl."""
import json
import socket


class Caller:
    def __init__(self, path, interface):
        self.interface = interface
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(str(path))

    def close(self):
        self.socket.close()

    def call(self, method, **parameters):
        """The reply's parameters; raises Refused for an error."""
        frame = {"method": f"{self.interface}.{method}", "parameters": parameters}
        self.socket.sendall(json.dumps(frame).encode() + b"\0")
        data = b""
        while not data.endswith(b"\0"):
            part = self.socket.recv(1 << 16)
            if not part:
                raise ConnectionError("the daemon hung up")
            data += part
        reply = json.loads(data[:-1])
        if "error" in reply:
            raise Refused(reply["error"], reply["parameters"])
        return reply["parameters"]


class Refused(Exception):
    def __init__(self, name, parameters):
        super().__init__(f"{name} {parameters}")
        self.name = name.rsplit(".", 1)[1]
        self.parameters = parameters
