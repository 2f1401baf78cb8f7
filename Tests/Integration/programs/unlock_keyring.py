"""Unlocks a keyring of GNOME as pam_gnome_keyring does at login: unlock_keyring.py SOCKET.

The password comes by standard input.
"""
import socket
import struct
import sys

password = sys.stdin.buffer.read()
with socket.socket(socket.AF_UNIX) as control:
    control.connect(sys.argv[1])
    control.sendall(bytes(1))
    control.sendall(struct.pack(">III", 12 + len(password), 1, len(password)) + password)
    sys.exit(struct.unpack(">II", control.recv(8, socket.MSG_WAITALL))[1])
