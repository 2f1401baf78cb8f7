"""Asks for a census, again and again: count_files.py SOCKET."""
import json
import socket
import sys

print(flush=True)
frame = json.dumps({"method": "io.mamd.Report.Census", "more": True}).encode() + b"\0"
while True:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(sys.argv[1])
        client.sendall(frame)
        while not client.recv(1 << 16).endswith(b"\0"):
            pass
