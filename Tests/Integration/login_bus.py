"""A system bus of the tests' own, with the real systemd-logind on it.

logind runs in a mount name space with a /run of its own, where sessions are written for it
beforehand, and with a file of ours in place of the kernel's switch for sleep. systemd itself is not
there: ServiceManager answers for it.
"""
import contextlib
import json
import os
import pathlib
import queue
import shutil
import socket
import subprocess
import tempfile
import threading

from running import PREFIX
from workspace import DATA, PROGRAMS, wait_until

NEEDS = ("dbus", "python3-jeepney", "systemd")

LOGIND = "/lib/systemd/systemd-logind"
MANAGER = ("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")

# In seconds, for what takes none on a quick machine.
PATIENCE = 90

# Whatever happens on the machine, this logind touches no terminal and nobody's shared memory.
LOGIND_CONFIGURATION = """
[Login]
NAutoVTs=0
ReserveVT=0
RemoveIPC=no
InhibitDelayMaxSec=60
"""

# They end with the test that started them, however it ends.
MORTAL = ("setpriv", "--pdeathsig", "KILL", "--")


class ServiceManager(threading.Thread):
    """The little of systemd that logind asks for: a unit is started, and what it does takes until
    `wake`."""

    UNIT_PROPERTIES = {"LoadState": "loaded", "ActiveState": "active"}
    JOB = "/org/freedesktop/systemd1/job/1"

    def __init__(self, address):
        from jeepney import message_bus
        from jeepney.io.threading import open_dbus_connection

        super().__init__(daemon=True)
        self.sleeps = queue.Queue()
        self.connection = open_dbus_connection(address)
        self.connection.send(message_bus.RequestName("org.freedesktop.systemd1"))
        self.start()

    def run(self):
        from jeepney import HeaderFields, MessageType, new_error, new_method_return

        try:
            while True:
                call = self.connection.receive()
                if call.header.message_type != MessageType.method_call:
                    continue
                answer = self.answer(call.header.fields[HeaderFields.member], call.body)
                self.connection.send(
                    new_method_return(call, *answer) if answer
                    else new_error(call, "org.freedesktop.DBus.Error.UnknownMethod"))
        except OSError:
            self.connection.close()  # the bus was stopped

    def answer(self, method, arguments):
        match method, *arguments:
            case "Get", _, name if name in self.UNIT_PROPERTIES:
                return "v", (("s", self.UNIT_PROPERTIES[name]),)
            case "StartUnit", unit, _:
                if unit == "suspend.target":
                    self.sleeps.put(unit)
                return "o", (self.JOB,)
        return None

    def wake(self):
        from jeepney import DBusAddress, new_signal

        manager = DBusAddress(
            "/org/freedesktop/systemd1", interface="org.freedesktop.systemd1.Manager")
        self.connection.send(
            new_signal(manager, "JobRemoved", "uoss", (1, self.JOB, "suspend.target", "done")))


class LoginBus:
    """`sessions`: the uid of each session's user, by the session's id."""

    def __init__(self, sessions):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.root.chmod(0o711)
        self.address = f"unix:path={self.root}/bus"
        self.environment = {
            **os.environ, "LC_ALL": "C", "DBUS_SYSTEM_BUS_ADDRESS": self.address,
            "SYSTEMD_LOG_TARGET": "console"}
        self.processes, self.leaders = [], []
        (self.root / "bus.conf").write_text(
            (DATA / "system_bus.xml").read_text().format(path=self.root / "bus"))
        self.write_sessions(sessions)

    def write_sessions(self, sessions):
        state = self.root / "systemd"
        for name in ("sessions", "users", "seats", "inhibit", "machines", "logind.conf.d"):
            (state / name).mkdir(parents=True)
        (state / "logind.conf.d" / "tests.conf").write_text(LOGIND_CONFIGURATION)
        for session, uid in sessions.items():
            (state / "users" / str(uid)).write_text(
                f"NAME=user{uid}\nSTATE=active\nSESSIONS={session}\n")
            (state / "sessions" / session).write_text(
                f"UID={uid}\nUSER=user{uid}\nACTIVE=1\nSTATE=active\nREMOTE=0\nTYPE=wayland\n"
                f"CLASS=user\nSCOPE=session-{session}.scope\nSERVICE=tests\n"
                # Without one, logind of systemd 257 forgets the session.
                f"LEADER={self.lead().pid}\n")

    def lead(self):
        self.leaders.append(subprocess.Popen([*MORTAL, "sleep", "infinity"]))
        return self.leaders[-1]

    def start(self):
        self.run("dbus-daemon", "--nofork", "--nopidfile", f"--config-file={self.root}/bus.conf")
        wait_until(self.accepts, PATIENCE, "no dbus-daemon")
        self.services = ServiceManager(self.address)
        self.start_logind()
        return self

    def accepts(self):
        """Whether the bus listens: its socket is there a moment before."""
        with socket.socket(socket.AF_UNIX) as client:
            return client.connect_ex(str(self.root / "bus")) == 0

    def start_logind(self):
        self.run(
            "unshare", "--mount", "sh", PROGRAMS / "start_logind.sh", LOGIND, self.root / "systemd")
        wait_until(self.has_logind, PATIENCE, "no logind")

    def has_logind(self):
        """The one that was started last: the bus may not have forgotten the one before."""
        told = self.ask(
            "busctl", "--json=short", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus",
            "org.freedesktop.DBus", "GetConnectionUnixProcessID", "s", MANAGER[0], check=False)
        return told.returncode == 0 and json.loads(told.stdout)["data"] == [self.processes[-1].pid]

    def restart_logind(self):
        logind = self.processes.pop()
        logind.kill()
        logind.wait()
        self.start_logind()

    def run(self, *command):
        with open(self.root / "log", "ab") as log:
            self.processes.append(
                subprocess.Popen(
                    [*MORTAL, *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                    env=self.environment))

    def stop(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()
        self.processes.clear()
        self.services.join(30)
        (self.root / "bus").unlink(missing_ok=True)

    def close(self):
        self.stop()
        for leader in self.leaders:
            leader.kill()
            leader.wait()
        shutil.rmtree(self.root)

    # What people and programs do

    def ask(self, *command, check=True):
        result = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, env=self.environment)
        if check and result.returncode != 0:
            log = (self.root / "log").read_text(errors="replace")[-4000:]
            raise AssertionError(f"{command}: {result.stderr}{log}")
        return result

    def call(self, *words):
        answer = self.ask("busctl", "--json=short", "call", *words).stdout
        return json.loads(answer)["data"] if answer else None

    def lock(self, session):
        self.call(*MANAGER, "LockSession", "s", session)

    def unlock(self, session):
        self.call(*MANAGER, "UnlockSession", "s", session)

    def path(self, session):
        return self.call(*MANAGER, "GetSession", "s", session)[0]

    def set_locked_hint(self, session, value):
        self.call(
            MANAGER[0], self.path(session), "org.freedesktop.login1.Session", "SetLockedHint", "b",
            value)

    @contextlib.contextmanager
    def asleep(self):
        """The block runs when nothing delays the sleep any more, and the machine would sleep."""
        self.call(*MANAGER, "Suspend", "b", "false")
        try:
            self.services.sleeps.get(timeout=PATIENCE)
            yield
        finally:
            self.services.wake()

    def inhibitors(self, pid):
        """What this process holds up, and how."""
        entries = self.call(*MANAGER, "ListInhibitors")[0]
        return [(what, mode) for what, _, _, mode, _, holder in entries if holder == pid]

    def forge(self, session, signal, receiver):
        """A signal straight to one process, from a program that is not logind."""
        path, names = self.path(session), json.loads(
            self.ask("busctl", "--json=short", "list").stdout)
        name = next(entry["name"] for entry in names if entry["pid"] == receiver)
        self.ask(
            "busctl", f"--destination={name}", "emit", path, "org.freedesktop.login1.Session",
            signal)
