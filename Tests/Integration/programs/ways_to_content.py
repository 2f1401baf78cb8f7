"""Each way to the content of a file: ways_to_content.py FILE PID DESCRIPTOR MOUNT.

Prints what came of each as JSON: an errno's name, or what was read. Process PID has FILE open as
DESCRIPTOR.
"""
import ctypes
import errno
import json
import mmap
import os
import subprocess
import sys

path = sys.argv[1]
libc = ctypes.CDLL(None, use_errno=True)


def read(descriptor):
    return os.read(descriptor, 9).decode()


def opened(flags):
    return lambda: read(os.open(path, flags))


def reopened():
    return read(os.open(f"/proc/self/fd/{os.open(path, os.O_PATH)}", os.O_RDONLY))


def linked():
    os.link(path, path + ".link")
    try:
        return read(os.open(path + ".link", os.O_RDONLY))
    finally:
        os.unlink(path + ".link")


def moved():
    os.rename(path, path + ".moved")
    try:
        return read(os.open(path + ".moved", os.O_RDONLY))
    finally:
        os.rename(path + ".moved", path)


def pointed():
    os.symlink(path, path + ".symlink")
    try:
        return read(os.open(path + ".symlink", os.O_RDONLY))
    finally:
        os.unlink(path + ".symlink")


def mapped():
    with open(path, "rb") as file:
        return mmap.mmap(file.fileno(), 9, prot=mmap.PROT_READ)[:9].decode()


def written():
    return str(os.write(os.open(path, os.O_WRONLY | os.O_APPEND), b""))


def executed():
    return subprocess.run([path], capture_output=True, text=True).stdout


def held():
    return read(os.open(f"/proc/{sys.argv[2]}/fd/{sys.argv[3]}", os.O_RDONLY))


def created():
    return read(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def by_handle():
    room = ctypes.create_string_buffer(8 + 128)
    ctypes.c_uint.from_buffer(room).value = 128
    mount = ctypes.c_int()
    if libc.name_to_handle_at(-100, path.encode(), room, ctypes.byref(mount), 0) < 0:
        raise OSError(ctypes.get_errno(), "name_to_handle_at")
    top = os.open(sys.argv[4], os.O_RDONLY | os.O_DIRECTORY)
    found = libc.open_by_handle_at(top, room, os.O_RDONLY)
    if found < 0:
        raise OSError(ctypes.get_errno(), "open_by_handle_at")
    return read(found)


# Executing comes first: the others leave the file open for writing.
ways = dict(
    executed=executed, read=opened(os.O_RDONLY), update=opened(os.O_RDWR),
    direct_flags=opened(os.O_RDONLY | os.O_NOATIME),
    reopened=reopened, linked=linked, moved=moved, pointed=pointed, mapped=mapped, written=written,
    held=held, created=created, by_handle=by_handle)
answers = {}
for name, way in ways.items():
    try:
        answers[name] = way()
    except OSError as problem:
        answers[name] = errno.errorcode[problem.errno]
print(json.dumps(answers))
