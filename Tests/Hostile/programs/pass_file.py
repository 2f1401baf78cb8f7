"""Passes a file with each of its calls, over a connection each, and waits: pass_file.py SOCKET FILE
COUNT FRAME….

Nobody else has the file open: its close would wait for its file system.
"""
import os
import socket
import sys

path, place, count, *frames = sys.argv[1:]
clients = []
for frame in frames:
    clients.append(socket.socket(socket.AF_UNIX))
    clients[-1].connect(path)
    file = os.open(place, os.O_RDWR)
    socket.send_fds(clients[-1], [frame.encode() + b"\0"], [file] * int(count))
os.write(1, b"sent\n")
os.read(0, 1)
