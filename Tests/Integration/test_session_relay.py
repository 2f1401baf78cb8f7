"""logind's news by way of `mamd --logins`, for a daemon that has no system bus: the sandbox of the
unit."""
import contextlib
import os
import socket
import subprocess
import tempfile
import threading
import unittest

import login_bus
from login_bus import LoginBus
from ordinary_user import NOBODY
from running import PREFIX
from workspace import ANN, WorkspaceCase, wait_until

MINE, OTHERS = "7", "8"

login: LoginBus
relay: "Relay"


def setUpModule():
    if os.getuid() != 0:
        raise unittest.SkipTest("logind runs as root only")
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0:
        raise unittest.SkipTest("no mount name space can be made here")
    global login, relay
    login = LoginBus({MINE: 0, OTHERS: NOBODY})
    unittest.addModuleCleanup(login.close)
    login.start()
    relay = Relay()
    unittest.addModuleCleanup(relay.close)
    os.environ["MAMD_LOGINS"] = relay.path
    unittest.addModuleCleanup(os.environ.pop, "MAMD_LOGINS")


class Relay(threading.Thread):
    """What systemd does for mamd-logins.socket: a process for each client."""

    def __init__(self):
        super().__init__(daemon=True)
        self.place = tempfile.TemporaryDirectory(prefix=PREFIX)
        self.path = f"{self.place.name}/socket"
        self.children = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        self.start()

    def run(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                with client, open(f"{self.place.name}/log", "ab") as log:
                    self.children.append(subprocess.Popen(
                        [*login_bus.MORTAL, "mamd", "--logins"], stdin=client, stdout=client,
                        stderr=log, env=login.environment))

    @property
    def child(self):
        """The daemon's; those that were hung up on have ended, or are about to."""
        return next((
            child for child in reversed(self.children)
            if child.poll() is None and login.inhibitors(child.pid) == [("sleep", "delay")]), None)

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for child in self.children:
            child.kill()
            child.wait()
        self.place.cleanup()


class Told(WorkspaceCase):
    settings = {"LockOn": {"SessionLock": "now"}}

    def setUp(self):
        super().setUp()
        self.workspace.unlock()
        wait_until(lambda: relay.child, message="nobody holds the sleep up")

    def state(self):
        return self.workspace.account(ANN)["state"]

    def test_a_locked_screen_locks_its_users_accounts(self):
        login.lock(OTHERS)
        login.lock(MINE)
        wait_until(lambda: self.state() == "locked", message="it stays open")

    def test_the_hint_alone_will_do(self):
        self.addCleanup(login.set_locked_hint, MINE, "false")
        login.set_locked_hint(MINE, "true")
        wait_until(lambda: self.state() == "locked", message="it stays open")

    def test_sleep_waits_for_the_lock(self):
        with login.asleep():
            self.assertEqual(self.state(), "locked")
        wait_until(lambda: relay.child, message="the next sleep will not wait")

    def test_a_relay_that_dies_is_replaced(self):
        before = relay.child
        before.kill()
        wait_until(
            lambda: relay.child not in (None, before), message="the next one does nothing")
        login.lock(MINE)
        wait_until(lambda: self.state() == "locked", message="it stays open")

    def test_it_ends_with_the_daemon(self):
        child = relay.child
        self.workspace.ctl("unmount", self.workspace.mount_point)
        self.assertEqual(child.wait(60), 0)
        self.workspace.mount()

    def test_who_asks_for_more_is_hung_up_on(self):
        for words in (b"StartUnit\n", b"sleep\nStartUnit\n", b"x" * 100, b"sleep\n" + b"y" * 100):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(relay.path)
                client.settimeout(60)
                client.sendall(words)
                # Reset, where it did not read all of that.
                with contextlib.suppress(ConnectionResetError):
                    self.assertEqual(client.recv(100), b"")

    def test_one_without_a_bus_ends(self):
        # So the daemon knows that nothing tells it of locked screens.
        with subprocess.Popen(
                [*login_bus.MORTAL, "mamd", "--logins"], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"}) as child:
            child.stdin.write(b"sleep\n")
            child.stdin.flush()
            self.assertEqual(child.wait(60), 0)
            self.assertEqual(child.stdout.read(), b"")


if __name__ == "__main__":
    unittest.main()
