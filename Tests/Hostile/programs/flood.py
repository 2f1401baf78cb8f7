"""Sends a frame again and again, by threads with a connection each: flood.py SOCKET COUNT FILE."""
import os
import pathlib
import socket
import sys
import threading
import time

# What a user's own programs take of the processors is the kernel's to share out: here it is what
# the daemon does for them.
os.nice(19)
path, count = sys.argv[1], int(sys.argv[2])
frame = pathlib.Path(sys.argv[3]).read_bytes() + b"\0"
answers = threading.Semaphore(0)


def call_without_end():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        while True:
            client.sendall(frame)
            last = b""
            while last != b"\0":
                last = client.recv(1 << 16)[-1:]
                if not last:
                    raise ConnectionError
            answers.release()


def run():
    while True:
        try:
            call_without_end()
        except OSError:
            time.sleep(0.01)


for _ in range(count):
    threading.Thread(target=run, daemon=True).start()
# It is under way once there are as many answers as connections.
for _ in range(count):
    answers.acquire()
print("begun", flush=True)
threading.Event().wait()
