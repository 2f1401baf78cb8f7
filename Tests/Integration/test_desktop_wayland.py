"""mamd-prompt on Wayland: the window comes, and takes a passphrase from the keyboard."""
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

import desktop_session
import nested_session
from desktop_session import DESKTOP, PYTHON, children, memory_map
from workspace import ANN, PASSPHRASE, Workspace, wait_until

NEEDS = ("dbus", "imagemagick", "weston", "xdotool")

PROGRAMS = ("weston", "dbus-run-session", "import")


def missing():
    absent = [name for name in PROGRAMS if not shutil.which(name)]
    return f"not installed: {', '.join(absent)}" if absent else desktop_session.missing()


class WaylandSession(nested_session.Session):
    """With the workspace's places, and a bus for each program."""

    def __init__(self, environment):
        self.of_workspace = environment
        super().__init__()

    @property
    def environment(self):
        runtime = self.of_workspace.get("XDG_RUNTIME_DIR", str(self.runtime))
        return {
            **super().environment, **self.of_workspace, **self.variables,
            "XDG_RUNTIME_DIR": runtime if self.socket.exists() else str(self.runtime),
            "GDK_BACKEND": "wayland", "GSK_RENDERER": "cairo", "GSETTINGS_BACKEND": "memory",
            "PYTHONHOME": "/usr", "LC_ALL": "C.UTF-8"}

    def picture(self):
        done = subprocess.run(
            ["import", "-display", self.display, "-window", "root", "rgb:-"], capture_output=True,
            timeout=60, check=True)
        return done.stdout


def ready(pid):
    """Some descendant waits with GTK loaded."""
    below = children(pid)
    return any("FontMap" in memory_map(each) or "libgtk-4" in memory_map(each) or ready(each)
               for each in below)


@unittest.skipIf(missing(), missing())
class Wayland(unittest.TestCase):
    def test_a_prompt_comes_and_takes_a_passphrase(self):
        workspace = Workspace(settings={"LockGraceSeconds": 0}).init().mount().register()
        self.addCleanup(workspace.close)
        file = workspace.path("plan.txt")
        workspace.write_as(ANN, file, "Contoso pays.")
        workspace.await_closed()
        workspace.lock()
        session = WaylandSession(workspace.environment).start()
        self.addCleanup(session.close)
        told = workspace.root / "wayland"
        log = self.enterContext(told.open("wb"))
        agent = session.run(
            "env", "WAYLAND_DEBUG=client", "dbus-run-session", "--", PYTHON, "-B",
            DESKTOP / "mamd-prompt", start_new_session=True, stderr=log)
        # dbus-run-session that is killed leaves its bus.
        self.addCleanup(os.killpg, agent.pid, signal.SIGKILL)
        wait_until(lambda: ready(agent.pid), message="no prompt is ready")
        time.sleep(1)
        before = session.picture()
        subprocess.run(["cat", file], capture_output=True)
        wait_until(lambda: changed(before, session.picture()) > 10_000, message="no window")
        # Weston's window has the X server's keyboard, the prompt has Weston's.
        wait_until(
            lambda: re.search(rb"wl_keyboard\S*\.enter\(", told.read_bytes()),
            message="the prompt does not get the keyboard")
        # Not `before`: Weston may have drawn its own desktop since.
        shown = session.picture()
        xdotool = ["xdotool", "type", "--delay", "20", PASSPHRASE]
        subprocess.run(xdotool, env=session.environment, check=True)
        subprocess.run(["xdotool", "key", "Return"], env=session.environment, check=True)
        wait_until(
            lambda: workspace.account()["state"] == "unlocked", message="it took no passphrase")
        self.assertEqual(file.read_text(), "Contoso pays.")
        wait_until(lambda: changed(shown, session.picture()) > 10_000, message="the window stays")


def changed(before, after):
    """How many pixels differ."""
    return sum(
        before[at:at + 3] != after[at:at + 3] for at in range(0, len(before), 3))


if __name__ == "__main__":
    unittest.main()
