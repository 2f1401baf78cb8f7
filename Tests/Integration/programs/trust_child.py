"""Asks that a child of its own is trusted: trust_child.py SOCKET PROGRAM ACCOUNT contain|not.

With `contain` the child is contained before. Prints `trusted`, or why not.
"""
import ctypes
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from socket_client import Client, Refusal

PR_SET_NO_NEW_PRIVS = 38

socket, program, account, way = sys.argv[1:]
ready, go = os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    ctypes.CDLL(None).prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    os.write(ready[1], b"x")
    os.read(go[0], 1)
    os._exit(0)
os.read(ready[0], 1)
process, executable = os.pidfd_open(child), os.open(program, os.O_PATH)
with Client(socket) as client:
    if way == "contain":
        client.call("Identity.Contain", [process], account=account, processDescriptor=0)
    try:
        client.call(
            "Identity.Trust", [executable, process], account=None, programDescriptor=0,
            processDescriptor=1)
        print("trusted")
    except Refusal as refusal:
        print(refusal)
os.write(go[1], b"x")
