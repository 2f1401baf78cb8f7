"""Listens at a path, and keeps what it is told: listen.py PATH HEARD."""
import os
import socket
import sys

listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen()
os.chmod(sys.argv[1], 0o777)
os.write(1, b"listens\n")
while True:
    client, _ = listener.accept()
    client.settimeout(2)
    try:
        data = client.recv(1 << 16)
    except TimeoutError:
        data = b""
    with open(sys.argv[2], "ab") as heard:
        heard.write(data or b".")
    client.close()
