"""Tries to reach displays, and prints what came of each as JSON: reach_displays.py WAYLAND X11."""
import errno
import json
import os
import socket
import sys


def reach(path):
    try:
        socket.socket(socket.AF_UNIX).connect(path)
    except OSError as error:
        return errno.errorcode[error.errno]
    return "connected"


paths = sys.argv[1:]
told = {path: reach(path) for path in paths}
os.chdir(os.path.dirname(paths[0]))
told["relative"] = reach(os.path.basename(paths[0]))
link = f"{os.environ['TMPDIR']}/{os.getpid()}"
os.symlink(paths[0], link)
# By its name: with a temporary directory's, it may be longer than a socket's path can be.
os.chdir(os.path.dirname(link))
told["link"] = reach(os.path.basename(link))
told["abstract"] = reach("\0" + paths[1])
own = os.environ["WAYLAND_DISPLAY"]
told["own"] = reach(own)
# What else the supervisor holds, such as its end of the compositor's life.
held = [f"/proc/{os.getppid()}/fd/{number}" for number in range(64)]
told["held"] = [path for path in held if path != own and reach(path) == "connected"]
try:
    os.close(os.open(own, os.O_PATH))
    told["opened"] = True
except OSError:
    told["opened"] = False
told["variables"] = [name for name in ("DISPLAY", "WAYLAND_SOCKET") if name in os.environ]
print(json.dumps(told))
