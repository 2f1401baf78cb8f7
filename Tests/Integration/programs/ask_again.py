"""Calls what a contained program may not call, on a connection of its own each time: ask_again.py
SOCKET. Prints the daemon's process and what it got, whenever that changes.

With a second argument it connects once, and calls when that process has ended.
"""
import json
import os
import socket
import struct
import sys
import time

CALLS = (
    ("io.mamd.Identity.SetProcessIdentity", {"identity": None}),
    ("io.mamd.Policy.Import", {"document": "{}"}),
)


def connect(path):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    daemon, _, _ = struct.unpack("iII", connection.getsockopt(
        socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return connection, daemon


def ask(connection, method, parameters):
    """`refused`, or what was answered in its place."""
    connection.sendall(json.dumps({"method": method, "parameters": parameters}).encode() + b"\0")
    text = b""
    while not text.endswith(b"\0"):
        part = connection.recv(65536)
        if not part:
            raise ConnectionError
        text += part
    told = json.loads(text[:-1])
    is_refused = "may not call" in json.dumps(told.get("parameters")) and "error" in told
    return "refused" if is_refused else f"{method} {told}"


def again(path):
    last = None
    while True:
        try:
            connection, daemon = connect(path)
            with connection:
                answers = {ask(connection, *call) for call in CALLS}
        except (OSError, ValueError):
            time.sleep(0.02)
            continue
        for answer in sorted(answers):
            if (daemon, answer) != last:
                print(daemon, answer, flush=True)
            last = daemon, answer
        time.sleep(0.02)


def after(path, process):
    connection, daemon = connect(path)
    print("connected", flush=True)
    while os.path.exists(f"/proc/{process}"):
        time.sleep(0.02)
    for call in CALLS:
        print(daemon, ask(connection, *call), flush=True)


if __name__ == "__main__":
    after(sys.argv[1], sys.argv[2]) if len(sys.argv) > 2 else again(sys.argv[1])
