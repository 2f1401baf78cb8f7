"""A desktop of the tests' own: an X server that shows nothing, a window manager, a session bus with
accessibility, and somebody who takes notifications. Programs in it are real."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from running import PREFIX, daemons
from tracing import tasks
from workspace import ANN, ROOT, Workspace, wait_until

NEEDS = (
    "adwaita-icon-theme", "at-spi2-core", "dbus", "fonts-cantarell", "gir1.2-adw-1",
    "gir1.2-atspi-2.0", "gir1.2-gtk-4.0", "imagemagick", "libglib2.0-bin", "openbox",
    "python3-gi", "xdotool", "xvfb")

DESKTOP = ROOT / "desktop"
HERE = pathlib.Path(__file__).resolve().parent
# What Debian's own Python has, with python3-gi.
PYTHON = "/usr/bin/python3"
BUS = """<busconfig><type>session</type><listen>unix:path={path}</listen><auth>EXTERNAL</auth>
<servicedir>{services}</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow own="*"/>
<allow eavesdrop="true"/></policy></busconfig>"""
# What the bus may start: no indexer, which would read the workspace too.
SERVICES = ("org.a11y.Bus",)
PACKAGES = ("Xvfb", "openbox", "xdotool", "dbus-daemon")


def missing():
    """Why there can be no desktop here; empty if there can."""
    programs = [name for name in PACKAGES if not shutil.which(name)]
    if programs:
        return f"not installed: {', '.join(programs)}"
    done = subprocess.run(
        [PYTHON, "-c",
         "import gi; gi.require_version('Adw', '1'); gi.require_version('Gtk', '4.0')"],
        capture_output=True)
    return "" if done.returncode == 0 else "not installed: gir1.2-adw-1, gir1.2-gtk-4.0"


class DesktopSession:
    """`environment`: of the workspace's programs, so that those of the desktop find its daemon."""

    def __init__(self, environment, language="en_US"):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX + "desktop-"))
        self.programs = []
        self.log = open(self.directory / "log", "wb")
        self.notices = self.directory / "notices.jsonl"
        # Nothing of the desktop that the tests may be started on.
        environment = {
            name: value for name, value in environment.items()
            if not name.startswith(("GTK_", "GDK_", "ADW_", "GSK_", "WAYLAND_"))}
        self.environment = {
            **environment, "LC_ALL": "C.UTF-8", "LANGUAGE": language, "GDK_BACKEND": "x11",
            "GSK_RENDERER": "cairo", "NO_AT_BRIDGE": "0", "GTK_A11Y": "atspi",
            "GSETTINGS_BACKEND": "memory", "GIO_USE_VFS": "local", "PYTHONDONTWRITEBYTECODE": "1",
            "XDG_CURRENT_DESKTOP": "GNOME", "XDG_CACHE_HOME": f"{environment['HOME']}/.cache",
            # Nautilus's Python is Debian's, whatever stands first in PATH.
            "PYTHONHOME": "/usr"}

    def start(self, width=1280, height=800):
        reader, writer = os.pipe()
        # A server that begins anew when its last client leaves ends one that is just coming.
        self.run(
            "Xvfb", "-displayfd", writer, "-nolisten", "tcp", "-noreset", "-screen", 0,
            f"{width}x{height}x24", pass_fds=[writer])
        os.close(writer)
        with open(reader) as told:
            self.environment["DISPLAY"] = f":{told.readline().strip()}"
        socket = self.directory / "bus"
        configuration = self.directory / "bus.conf"
        services = self.directory / "services"
        services.mkdir()
        for name in SERVICES:
            with contextlib.suppress(FileNotFoundError):
                shutil.copy(f"/usr/share/dbus-1/services/{name}.service", services)
        configuration.write_text(BUS.format(path=socket, services=services))
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={socket}"
        self.run("dbus-daemon", f"--config-file={configuration}", "--nofork")
        wait_until(lambda: self.has_name("org.freedesktop.DBus"), message="no session bus")
        self.run("openbox")
        # It answers only while a window manager is there.
        wait_until(lambda: self.xdotool("get_num_desktops").returncode == 0, message="no openbox")
        self.run(PYTHON, HERE / "desktop_notices.py", self.notices)
        wait_until(self.notices.exists, message="nobody takes notifications")
        return self

    def run(self, *words, **options):
        self.programs.append(subprocess.Popen(
            [*map(str, words)], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            env=self.environment, **options))
        return self.programs[-1]

    def start_agent(self):
        """Returns when it follows the daemon, if there is one, and has a prompt's process ready."""
        agent = self.run(PYTHON, "-B", DESKTOP / "mamd-prompt")
        wait_until(
            lambda: self.has_name("io.mamd.Prompt"), message="mamd-prompt did not start")
        wait_until(
            lambda: any("FontMap" in maps or "libgtk-4" in maps for maps in map(
                memory_map, children(agent.pid))), message="no prompt is ready")
        self.await_follower()
        return agent

    def await_follower(self):
        """Until mamd-prompt has its three connections to each daemon of this workspace."""
        place = os.path.dirname(self.environment["XDG_RUNTIME_DIR"])
        wait_until(
            lambda: all(len(tasks(pid, "control-client")) >= 3 for pid in daemons(place)),
            message="mamd-prompt does not follow the daemon")
        # It has asked for events, and takes the first for the state that all begins with.
        time.sleep(1)

    def has_name(self, name):
        done = self.gdbus(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.NameHasOwner",
            name)
        return "true" in done.stdout

    def gdbus(self, name, path, method, *arguments):
        return subprocess.run(
            ["gdbus", "call", "--session", "-d", name, "-o", path, "-m", method, *arguments],
            capture_output=True, text=True, timeout=60, env=self.environment)

    def act(self, action, *values):
        """An action of mamd-prompt, as other programs call it."""
        return self.gdbus(
            "io.mamd.Prompt", "/io/mamd/Prompt", "org.freedesktop.Application.ActivateAction",
            action, f"[{', '.join(values)}]", "{}")

    # What is on the screen

    def xdotool(self, *words):
        return subprocess.run(
            ["xdotool", *words], capture_output=True, text=True, timeout=90, env=self.environment)

    def windows(self, title):
        return self.xdotool("search", "--onlyvisible", "--name", title).stdout.split()

    def await_window(self, title):
        wait_until(lambda: self.windows(title), message=f"no window '{title}'")
        return self.windows(title)[0]

    def await_none(self, title):
        wait_until(lambda: not self.windows(title), message=f"window '{title}' stays")

    def keys(self, *names):
        subprocess.run(["xdotool", "key", *names], env=self.environment, check=True)

    def type(self, text):
        subprocess.run(["xdotool", "type", "--delay", "4", text], env=self.environment, check=True)

    def focus(self, window):
        subprocess.run(
            ["xdotool", "windowactivate", "--sync", window], env=self.environment, check=True,
            capture_output=True, timeout=60)

    def texts(self):
        """What assistive technology reads in all windows: (role, name, text)."""
        done = subprocess.run(
            [PYTHON, HERE / "desktop_tree.py"], capture_output=True, text=True, timeout=60,
            env=self.environment)
        return [tuple(each) for each in json.loads(done.stdout or "[]")]

    def focused(self):
        """The names of what has the keyboard."""
        return [name for role, name, _ in self.texts() if "focused" in role and name]

    def press(self, label):
        """With Tab and space alone."""
        for _ in range(12):
            before = self.focused()
            if label in before:
                return self.keys("space")
            self.keys("Tab")
            # The focus is told a moment later; two elements may have the same name.
            with contextlib.suppress(AssertionError):
                wait_until(lambda: self.focused() != before, 3)
        raise AssertionError(f"Tab does not reach '{label}': {self.texts()}")

    def await_entry(self):
        """Until what is typed goes into a field for passphrases."""
        wait_until(
            lambda: any("password" in role and "focused" in role for role, _, _ in self.texts()),
            message="no field for a passphrase has the keyboard")

    def await_text(self, words):
        def is_there():
            return any(words in name or words in text for _, name, text in self.texts())

        wait_until(
            is_there, message=lambda: f"'{words}' is not on the screen: {self.texts()}")

    def notifications(self):
        return [json.loads(line) for line in self.notices.read_text().splitlines()]

    def picture(self, path, window="root"):
        subprocess.run(
            ["import", "-window", window, path], env=self.environment, check=True,
            capture_output=True)

    def story(self):
        """For the message of a failure: the programs that have ended, and the last they said."""
        ended = [
            (program.args[0], program.returncode) for program in self.programs
            if program.poll() is not None]
        return f"ended: {ended}; {(self.directory / 'log').read_bytes()[-2000:]}"

    def close(self):
        for program in reversed(self.programs):
            program.send_signal(signal.SIGTERM)
            try:
                program.wait(timeout=5)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()
        self.log.close()
        shutil.rmtree(self.directory, ignore_errors=True)


def children(pid):
    """Of a process that may end meanwhile."""
    found = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


def memory_map(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/maps").read_text()
    except OSError:
        return ""


def memory_has(pid, text):
    """Whether a process's writable memory has a text of ASCII. One that has ended has none."""
    with contextlib.suppress(FileNotFoundError), open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in memory_map(pid).splitlines():
            place, rights = line.split()[:2]
            if not rights.startswith("rw"):
                continue
            begin, end = (int(number, 16) for number in place.split("-"))
            try:
                memory.seek(begin)
                content = memory.read(end - begin)
            except (OSError, ValueError, OverflowError):
                continue
            # Most of it is zeros; without them UTF-16 and UTF-32 are as UTF-8.
            if text.encode() in content.translate(None, b"\0"):
                return True
    return False


def locked_workspace(case):
    """A workspace of a test's, with one file of an account that is locked; and that file."""
    workspace = Workspace(
        settings={"LockOn": {"IdleSeconds": 0}, "LockGraceSeconds": 0}).init().mount().register()
    case.addCleanup(workspace.close)
    file = workspace.path("plan.txt")
    workspace.write_as(ANN, file, "Contoso pays.")
    workspace.await_closed()
    workspace.lock()
    return workspace, file
