"""Calls once, and is never heard of again: it has its reply in its socket, or waits for a file of
the mount: call_once.py SOCKET FRAME FILE."""
import os
import pathlib
import socket
import sys

client = socket.socket(socket.AF_UNIX)
client.connect(sys.argv[1])
client.sendall(sys.argv[2].encode() + b"\0")
os.write(1, b"called\n")
while True:
    pathlib.Path(sys.argv[3]).write_bytes(os.urandom(1 << 16))
