"""A machine of the tests' own with the real systemd as process 1: name spaces, a root of its own,
and a control group.

It starts nothing but what the tests ask for. The machine's programs are there, and those of mamd
in /usr/local/bin.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

from login_bus import MORTAL
from ordinary_user import NOBODY
from running import PREFIX
from workspace import PROGRAMS, ROOT, SETTINGS, wait_until

NEEDS = ("dbus", "systemd")

SYSTEMD = "/lib/systemd/systemd"
USER_UNITS = pathlib.Path("/usr/lib/systemd/user")
# The targets that units without a word about it hang on, here with nothing in them.
TARGETS = (
    "sysinit", "basic", "shutdown", "multi-user", "default", "local-fs", "remote-fs", "timers",
    "sockets", "paths")

# As systemd's own user@.service has it.
USER_MANAGER = f"""
[Service]
Type=notify
User={NOBODY}
Delegate=yes
Environment=HOME={{home}} XDG_CONFIG_HOME={{home}}/.config XDG_RUNTIME_DIR=/run/user/{NOBODY}
Environment=SYSTEMD_UNIT_PATH={{home}}/.config/systemd/user:/run/user-units
ExecStart={SYSTEMD} --user
TimeoutStopSec=5
"""


class Machine:
    """`place`: a directory that is at the same path inside and outside."""

    def __init__(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.place.chmod(0o755)
        for name in ("root", "bin", "system", "user"):
            (self.place / name).mkdir()
        for program in ("mamd", "mamctl", "mamfleet", "mamd-signin"):
            shutil.copy2(shutil.which(program), self.place / "bin")
        for units, place in (("systemd", "system"), ("systemd/user", "user")):
            for unit in (ROOT / units).glob("mam*.*"):
                shutil.copy2(unit, self.place / place)
        # Backing directories and mount points lie where the unit expects none.
        drop_in = self.place / "system" / "mamd@.service.d"
        drop_in.mkdir()
        (drop_in / "place.conf").write_text(f"[Service]\nBindPaths={self.place}\n")
        self.home = self.place / "home"
        self.home.mkdir()
        os.chown(self.home, NOBODY, NOBODY)
        (self.place / "system" / "users.service").write_text(USER_MANAGER.format(home=self.home))
        for directory in ("system", "user"):
            for target in TARGETS:
                (self.place / directory / f"{target}.target").write_text(
                    "[Unit]\nDefaultDependencies=no\n")
        # With these a user's manager ends when it is told to; without, after TimeoutStopSec.
        for name in ("exit.target", "systemd-exit.service"):
            shutil.copy2(USER_UNITS / name, self.place / "user")
        self.group = cgroup_root() / self.place.name

    def start(self):
        """Raises RuntimeError where there can be no such machine."""
        self.group.mkdir()
        enter = f'echo $$ > "{self.group}/cgroup.procs" && exec "$@"'
        apart = (
            "unshare", "--cgroup", "--mount", "--pid", "--fork", "--kill-child", "--propagation",
            "private")
        with open(self.place / "log", "wb") as log:
            self.process = subprocess.Popen(
                [*MORTAL, "sh", "-c", enter, "sh", *apart, "sh",
                PROGRAMS / "systemd_machine.sh", SYSTEMD, str(NOBODY), self.place, *libraries()],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_until(lambda: self.process.poll() is not None or self.is_up(), message="no systemd")
        if self.process.poll() is not None:
            raise RuntimeError(f"no systemd as process 1: {self.log()}")
        return self

    def is_up(self):
        children = pathlib.Path(
            f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        self.init = children[0] if children else None
        return self.init and self.run(
            "systemctl", "is-active", "default.target", check=False).returncode == 0

    def log(self):
        return (self.place / "log").read_text(errors="replace")[-4000:]

    def inside(self, path):
        """A path of the machine's, for programs outside."""
        return pathlib.Path(f"/proc/{self.init}/root{path}")

    def run(self, *command, user=None, check=True, text=""):
        """Runs a command in the machine. Nothing waits for the runner's own input."""
        result = subprocess.run(
            self.inner(command, user), input=text, capture_output=True, text=True, timeout=120,
            env=self.environment(user))
        if check and result.returncode != 0:
            raise AssertionError(
                f"{command}: status {result.returncode}: "
                f"{result.stdout}{result.stderr}{self.log()}")
        return result

    def begin(self, *command):
        """Starts a command that runs beside the test."""
        return subprocess.Popen(
            self.inner(command), stdin=subprocess.DEVNULL, env=self.environment())

    def inner(self, command, user=None):
        as_user = [
            "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if user else []
        return [
            "nsenter", "-t", self.init, "-m", "-p", "-C", "-r", "-w", *as_user,
            *map(os.fspath, command)]

    def environment(self, user=None):
        own = {"HOME": str(self.home), "XDG_RUNTIME_DIR": f"/run/user/{NOBODY}"} if user else {}
        return {"PATH": "/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin", "LC_ALL": "C", **own}

    def close(self):
        if hasattr(self, "process"):
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            wait_until(lambda: "populated 0" in (self.group / "cgroup.events").read_text())
        for directory, _, _ in os.walk(self.group, topdown=False):
            os.rmdir(directory)
        shutil.rmtree(self.place, ignore_errors=True)


class MachineCase(unittest.TestCase):
    """Tests that share a machine."""

    @classmethod
    def setUpClass(cls):
        try:
            cls.machine = Machine()
        except (OSError, RuntimeError) as problem:
            raise unittest.SkipTest(str(problem)) from None
        cls.addClassCleanup(cls.machine.close)
        cls.prepare(cls.machine)
        try:
            cls.machine.start()
        except (OSError, RuntimeError) as problem:
            raise unittest.SkipTest(str(problem)) from None

    @classmethod
    def prepare(cls, machine):
        """What else is in the machine's place when it starts."""

    def make(self, name, user=False):
        """A workspace with its unit's file, without a PIN. Returns configuration directory and
        mount point."""
        roots = self.machine.home / ".config" / "mamd" if user else self.machine.inside("/etc/mamd")
        backing, mount_point = (
            self.machine.place / f"{name}-backing", self.machine.place / f"{name} mount")
        for directory in (backing, mount_point):
            directory.mkdir(exist_ok=True)
            if user:
                os.chown(directory, NOBODY, NOBODY)
        settings = self.machine.place / "settings.json"
        settings.write_text(json.dumps({"KeyDerivation": SETTINGS["KeyDerivation"]}))
        self.machine.run(
            "mamctl", "init", backing, "--name", name, "--settings", settings, user=user)
        policy = roots / name / "policies" / "default.json"
        policy.write_text(json.dumps({**json.loads(policy.read_text()), "pinRequired": False}))
        (roots / name / "mount").write_text(f'BACKING={backing}\nMOUNTPOINT="{mount_point}"\n')
        return roots / name, mount_point

    def log_out(self, unit):
        """This machine's user has no targets that would end units in order."""
        self.machine.run("systemctl", "--user", "stop", unit, user=True, check=False)
        self.machine.run("systemctl", "stop", "users")

    def drop_in(self, instance, text):
        """For one unit, `NAME@INSTANCE.service`."""
        directory = self.machine.inside(f"/run/systemd/system/{instance}.d")
        directory.mkdir(exist_ok=True)
        (directory / "test.conf").write_text(text)
        self.machine.run("systemctl", "daemon-reload")

    def exposure(self, unit):
        """How far systemd-analyze finds the unit open, from 0 to 10."""
        said = self.machine.run(
            "systemd-analyze", "security", "--offline=true", "--no-pager",
            f"/run/systemd/system/{unit}").stdout
        level = float(re.search(r"Overall exposure level for \S+: ([0-9.]+)", said)[1])
        print(f"exposure level {level}", flush=True)
        return level

    def property(self, unit, name):
        return self.machine.run("systemctl", "show", "--value", "-p", name, unit).stdout.strip()


def libraries():
    """Where programs find what is not the system's: Swift's own library."""
    said = subprocess.run(
        ["ldd", shutil.which("mamd")], capture_output=True, text=True, check=True).stdout
    found = {os.path.dirname(word) for word in said.split() if word.startswith("/")}
    return [path for path in found if not path.startswith(("/usr", "/lib"))]


def cgroup_root():
    """Where the unified hierarchy is mounted."""
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        fields = line.split(" ")
        if fields[fields.index("-") + 1] == "cgroup2":
            return pathlib.Path(fields[4])
    raise RuntimeError("there is no cgroup2 here")
