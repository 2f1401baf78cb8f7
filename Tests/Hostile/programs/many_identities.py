"""Gives as many of its threads as it may an identity, and goes on changing one of them, while
children open a file: many_identities.py SOCKET THREADS CHILDREN DEPTH ENDS FILE FAMILY. Each child
has so many ancestors more, which the program FAMILY makes, and is so many processes. The first line
says how many threads have one."""
import json
import os
import socket
import sys
import threading

path, count, children, depth, ends = sys.argv[1], *map(int, sys.argv[2:6])
file, family = sys.argv[6:]
# What a user's own programs take of the processors is the kernel's to share out: here it is what
# the daemon does for them.
os.nice(19)
threading.stack_size(1 << 16)
CHILD = """
import os, sys
file, begin, ends = sys.argv[1], *map(int, sys.argv[2:])
for _ in range(ends - 1):
    if os.fork() == 0:
        break
# Of its own: two that make a file in one directory wait for each other in the kernel already.
place = f"{file}-{os.getpid()}"
os.mkdir(place)
os.write(begin, b"x")
while True:
    # A child of its own, that nothing is known about yet.
    child = os.fork()
    if child == 0:
        try:
            os.close(os.open(file, os.O_RDONLY))
            os.close(os.open(f"{place}/new", os.O_RDWR | os.O_CREAT))
            os.unlink(f"{place}/new")
        except OSError:
            pass
        os._exit(0)
    os.waitpid(child, 0)
"""
numbers, forever = [], threading.Event()


def wait():
    numbers.append(threading.get_native_id())
    forever.wait()


def give(client, thread, identity):
    """False if it is refused."""
    client.sendall(json.dumps({
        "method": "io.mamd.Identity.SetThreadIdentity",
        "parameters": {"thread": thread, "identity": identity}}).encode() + b"\0")
    reply = b""
    while not reply.endswith(b"\0"):
        part = client.recv(1 << 16)
        if not part:
            raise ConnectionError
        reply += part
    return "error" not in json.loads(reply[:-1])


with socket.socket(socket.AF_UNIX) as client:
    client.connect(path)
    for _ in range(count):
        try:
            threading.Thread(target=wait, daemon=True).start()
        except RuntimeError:
            break
    given = sum(give(client, thread, "") for thread in list(numbers))
    begun, begin = os.pipe()
    os.set_inheritable(begin, True)
    command = [sys.executable, "-I", "-S", "-c", CHILD]
    if depth:
        command = [family, str(depth), *command]
    for _ in range(children):
        # A fork of thousands of threads takes half a second.
        os.posix_spawn(
            command[0], [*command, file, str(begin), str(ends)], os.environ)
    for _ in range(children * ends):
        os.read(begun, 1)
    print(given, flush=True)
    while True:
        for identity in (None, ""):
            give(client, numbers[0], identity)
