"""Children connect to a port that accepts nobody, more than the supervisor has threads, and wait.
Meanwhile this process makes calls that it carries out: connect_in_vain.py PORT FILE."""
import os
import pathlib
import signal
import socket
import sys

port, path = int(sys.argv[1]), pathlib.Path(sys.argv[2])
children = []
for _ in range(12):
    child = os.fork()
    if child == 0:
        socket.socket().connect(("127.0.0.1", port))
        os._exit(1)
    children.append(child)


def state(child):
    return pathlib.Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0]


while any(state(child) not in "SZ" for child in children):
    pass
path.write_bytes(b"x")
path.chmod(0o600)
if os.fork() == 0:
    os._exit(0)
os.wait()
# A child that has just made its socket runs for a moment; one that has ended is a zombie.
while True:
    waiting = [state(child) for child in children]
    if "Z" in waiting or set(waiting) == {"S"}:
        break
for child in children:
    os.kill(child, signal.SIGKILL)
sys.exit(0 if waiting == ["S"] * len(children) else f"they do not wait any more: {waiting}")
