"""What a desktop sees of workspaces and files: watch_desktop.py CODE SECONDS FILE….

CODE has `mamd_desktop`. Asks about the files, and opens them; prints the answers, the accounts and
the refusals as JSON, once there are all three or after so many seconds.
"""
import json
import os
import sys

sys.path.insert(0, sys.argv[1])
from gi.repository import GLib

from mamd_desktop import mounts, places
from mamd_desktop.protections import Protections
from mamd_desktop.workspaces import Workspaces


class Heard:
    accounts, refusals = None, []

    def changed(self, workspace):
        Heard.accounts = sorted(workspace.accounts) or Heard.accounts

    def told(self, *event):
        pass

    def refused(self, workspace, record):
        Heard.refusals.append([record.program, record.account])


seconds, files = int(sys.argv[2]), sys.argv[3:]
roots, loop, found = places.socket_roots(os.environ, os.geteuid()), GLib.MainLoop(), {}
workspaces = Workspaces(roots, Heard())
workspaces.start()
protections = Protections(lambda name: places.sockets(roots).get(name))


def answered(path, protection):
    found[os.path.basename(path)] = vars(protection) if protection else None


def look():
    if files and len(found) == len(files) and Heard.accounts and Heard.refusals:
        loop.quit()
    return True


table = mounts.read()
for path in files:
    protections.ask(path, mounts.of(path, table), answered)
for path in files:
    try:
        open(path).close()
    except OSError:
        pass
GLib.timeout_add(50, look)
GLib.timeout_add_seconds(seconds, loop.quit)
loop.run()
print(json.dumps({"files": found, "accounts": Heard.accounts, "refusals": Heard.refusals}))
