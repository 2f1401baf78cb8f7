"""An application that tells what it was started with, in a file of FAKE_PLACE: nothing else of a
contained program would reach the test. It waits while there is a file `wait`."""
import json
import os
import subprocess
import sys
import time
import traceback

place = os.environ["FAKE_PLACE"]


def fail(*error):
    with open(place + "/failed", "w") as file:
        traceback.print_exception(*error, file=file)


def content(path):
    with open(path, "rb") as file:
        return file.read().hex()


sys.excepthook = fail
while os.path.exists(place + "/wait"):
    time.sleep(0.02)
words = [os.fsencode(word) for word in sys.argv[1:]]
told = {
    "arguments": [word.hex() for word in words],
    "content": [content(word) for word in words if os.path.isfile(word)],
    "streams": [os.readlink(f"/proc/self/fd/{number}") for number in range(3)],
    "session": os.getsid(0), "directory": os.getcwd(),
    "identity": json.loads(subprocess.run(
        ["mamctl", "identity", "show", "--json", "--workspace", os.environ["FAKE_WORKSPACE"]],
        stdout=subprocess.PIPE).stdout)}
new = f"{place}/new-{os.getpid()}"
with open(new, "w") as file:
    json.dump(told, file)
os.rename(new, f"{place}/told-{os.getpid()}")
