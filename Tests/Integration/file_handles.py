"""Handles of files: name_to_handle_at(2) and open_by_handle_at(2)."""
import ctypes
import os
import struct
import unittest

from running import call

AT_FDCWD = -100
# FILEID_INO64_GEN: what the kernel's FUSE makes.
FUSE_HANDLE = 0x81


class Handle(ctypes.Structure):
    _fields_ = [("count", ctypes.c_uint), ("kind", ctypes.c_int), ("bytes", ctypes.c_ubyte * 128)]


def handle_of(path):
    handle, mount = Handle(count=128), ctypes.c_int()
    call("name_to_handle_at", AT_FDCWD, os.fsencode(path), ctypes.byref(handle),
         ctypes.byref(mount), 0)
    return handle


def number_of(handle):
    """The node number and the generation in a handle of the mount."""
    high, low, generation = struct.unpack_from("<III", bytes(handle.bytes))
    return high << 32 | low, generation


def forged(node, generation):
    handle = Handle(count=12, kind=FUSE_HANDLE)
    bytes_ = struct.pack("<III", node >> 32, node & 0xFFFFFFFF, generation)
    ctypes.memmove(handle.bytes, bytes_, len(bytes_))
    return handle


def node_of_backing(path):
    """The number that the daemon would give to a file of the backing file system."""
    handle = handle_of(path)
    data, shape = bytes(handle.bytes), (handle.kind, handle.count)
    if shape == (1, 8):
        inode, generation = struct.unpack_from("<II", data)
    elif shape == (1, 12):
        generation, inode = struct.unpack_from("<IQ", data)
    elif shape == (0x81, 12):
        inode, generation = struct.unpack_from("<QI", data)
    else:
        raise unittest.SkipTest(f"handles of a kind that the daemon does not know: {shape}")
    return inode << 32 | generation


def opened(handle, mount_point, flags=os.O_RDONLY):
    mount = os.open(mount_point, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return call("open_by_handle_at", mount, ctypes.byref(handle), flags)
    finally:
        os.close(mount)
