"""Connects to a socket, and again once a file is there: connect.py ADDRESS [CONNECTED AGAIN].

ADDRESS is a path, or a port of 127.0.0.1; with `udp:` before it the port gets a datagram, and with
`fast:` it connects while it sends. CONNECTED is made after the first time, AGAIN is waited for. The
exit status is 0, or the errno.
"""
import os
import socket
import sys
import time


def connect(address):
    kind, _, port = address.rpartition(":")
    if kind == "udp":
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(b"x", ("127.0.0.1", int(port)))
    elif kind == "fast":
        socket.socket().sendto(b"x", socket.MSG_FASTOPEN, ("127.0.0.1", int(port)))
    elif address.isdigit():
        socket.create_connection(("127.0.0.1", int(address)), 60)
    else:
        socket.socket(socket.AF_UNIX).connect(address)


address, *files = sys.argv[1:]
try:
    connect(address)
    if files:
        connected, again = files
        open(connected, "w").close()
        while not os.path.exists(again):
            time.sleep(0.05)
        connect(address)
except OSError as error:
    sys.exit(error.errno)
