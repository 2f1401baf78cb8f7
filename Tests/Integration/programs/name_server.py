"""A name server on TCP alone, for a command: name_server.py COMMAND…

It listens at 127.0.0.1:53, says that every name is 192.0.2.7, and ends with the command.
"""
import ctypes
import os
import signal
import socket
import struct
import sys

PR_SET_PDEATHSIG = 1
A = 1


def answer(query):
    end = query.index(b"\0", 12) + 5
    (kind,) = struct.unpack("!H", query[end - 4:end - 2])
    found = b"\xc0\x0c" + struct.pack("!HHIH4s", A, 1, 0, 4, socket.inet_aton("192.0.2.7"))
    header = query[:2] + struct.pack("!5H", 0x8180, 1, kind == A, 0, 0)
    return header + query[12:end] + (found if kind == A else b"")


def serve(listener):
    while True:
        with listener.accept()[0] as connection:
            stream = connection.makefile("rb")
            while size := stream.read(2):
                text = answer(stream.read(int.from_bytes(size, "big")))
                connection.sendall(len(text).to_bytes(2, "big") + text)


listener = socket.create_server(("127.0.0.1", 53))
if os.fork() == 0:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    serve(listener)
os.execvp(sys.argv[1], sys.argv[1:])
