"""What locks accounts without anyone asking: screens and sleep, by the real logind on a bus of
ours."""
import errno
import os
import queue
import shlex
import subprocess
import tempfile
import threading
import time
import unittest

from enrolling import PLAIN
from login_bus import PATIENCE, LoginBus
from ordinary_user import AS_NOBODY, NOBODY, chown_tree, programs_for_all, with_fuse_device
from running import PREFIX, daemons
from workspace import ANN, BOB, Workspace, WorkspaceCase, wait_until

MINE, OTHERS = "7", "8"
GRACE, CLOSING, CLOSED, OPEN = (
    "will-become-unavailable\tin 600 s", "will-become-unavailable", "unavailable", "available")

login: LoginBus


def setUpModule():
    if os.getuid() != 0:
        raise unittest.SkipTest("logind runs as root only")
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0:
        raise unittest.SkipTest("no mount name space can be made here")
    global login
    login = LoginBus({MINE: 0, OTHERS: NOBODY})
    unittest.addModuleCleanup(login.close)
    login.start()
    os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = login.address
    unittest.addModuleCleanup(os.environ.pop, "DBUS_SYSTEM_BUS_ADDRESS")


class Events:
    """What `mamctl watch` says of each account, in order."""

    def __init__(self, workspace):
        self.lines = queue.Queue()
        self.process = subprocess.Popen(
            ["mamctl", "watch", "--workspace", workspace.name], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, env=workspace.environment)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))

    def expect(self, *events, account=ANN):
        """These come next, and these alone."""
        for event in events:
            line = self.lines.get(timeout=PATIENCE)
            if line != f"{account}\t{event}":
                raise AssertionError(f"{line!r} instead of {account} {event}")

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class SessionCase(WorkspaceCase):
    """Ann's account is open when a test begins, and its events are read from then on."""

    lock_on = {}
    more = {}

    @classmethod
    def setUpClass(cls):
        cls.settings = {"LockGraceSeconds": 600, "LockOn": cls.lock_on, **cls.more}
        super().setUpClass()
        cls.pid = next(daemons(str(cls.workspace.root)))
        wait_until(cls.listens, PATIENCE, "the daemon does not listen")

    @classmethod
    def listens(cls):
        return login.inhibitors(cls.pid) == [("sleep", "delay")]

    def setUp(self):
        super().setUp()
        self.workspace.unlock()
        self.events = self.watch()

    def watch(self):
        events = Events(self.workspace)
        self.addCleanup(events.close)
        events.expect(OPEN)
        return events

    def happens(self, *events, account=ANN):
        self.events.expect(*events, account=account)

    def sleeps(self, *expected):
        """The machine sleeps for a moment, which locks. Signals are handled in order: all earlier
        ones have been by then."""
        with login.asleep():
            self.happens(*expected)
        wait_until(self.listens, PATIENCE, "the next sleep would not wait")

    def state(self, account=ANN):
        return self.workspace.account(account)["state"]


class Screen(SessionCase):
    def test_a_lock_begins_a_grace_period_and_an_unlock_ends_it(self):
        path = self.write(self.directory / "file", b"content")
        login.lock(MINE)
        self.happens(GRACE)
        self.assertEqual(path.read_bytes(), b"content")
        login.unlock(MINE)
        self.happens(OPEN)
        self.assertEqual(self.state(), "unlocked")

    def test_a_locked_hint_does_the_same(self):
        login.set_locked_hint(MINE, "true")
        self.happens(GRACE)
        # Both come from most desktops.
        login.lock(MINE)
        login.set_locked_hint(MINE, "false")
        self.happens(OPEN)
        login.unlock(MINE)
        login.lock(MINE)
        self.happens(GRACE)

    def test_another_users_session_does_nothing(self):
        login.lock(OTHERS)
        login.set_locked_hint(OTHERS, "true")
        self.sleeps(CLOSING, CLOSED)
        self.workspace.unlock()
        login.lock(MINE)
        self.happens(OPEN, GRACE)
        login.unlock(OTHERS)
        login.set_locked_hint(OTHERS, "false")
        self.sleeps(CLOSED)

    def test_a_signal_that_is_not_from_logind_does_nothing(self):
        login.forge(MINE, "Lock", self.pid)
        self.sleeps(CLOSING, CLOSED)
        self.workspace.unlock()
        login.lock(MINE)
        self.happens(OPEN, GRACE)
        login.forge(MINE, "Unlock", self.pid)
        self.sleeps(CLOSED)


class NoPassphrase(SessionCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.workspace.register(BOB, extra=["--no-passphrase"])

    def watch(self):
        events = super().watch()
        events.expect(OPEN, account=BOB)
        return events

    def test_an_unlock_opens_an_account_that_needs_no_secret_and_no_other(self):
        for account in (ANN, BOB):
            self.workspace.lock(account)
            self.happens(CLOSING, CLOSED, account=account)
        login.unlock(MINE)
        self.happens(OPEN, account=BOB)
        self.assertEqual(self.state(), "locked")
        self.workspace.unlock()
        self.happens(OPEN)

    def test_a_screen_that_is_locked_when_the_daemon_starts_counts(self):
        login.set_locked_hint(MINE, "true")
        try:
            self.workspace.unmount()
            self.workspace.mount()
            wait_until(
                lambda: self.state(BOB) == "grace", PATIENCE, "the screen's lock was not seen")
        finally:
            login.set_locked_hint(MINE, "false")
        wait_until(
            lambda: self.state(BOB) == "unlocked", PATIENCE, "the screen's unlock was not seen")
        type(self).pid = next(daemons(str(self.workspace.root)))


class SlowProbe(SessionCase):
    """What an unlock waits for, others do not."""

    policy = {**PLAIN, "minimumRequiredOsVersion": "12"}

    @classmethod
    def setUpClass(cls):
        cls.hangs = tempfile.NamedTemporaryFile(prefix=PREFIX)
        probe = 'for i in $(seq 3000); do test -s "$0" || break; sleep 0.1; done; echo 13'
        cls.more = {
            "Probes": {
                "OsVersion": ["/bin/sh", "-c", probe, cls.hangs.name], "TimeoutSeconds": 600}}
        super().setUpClass()
        cls.workspace.register(BOB, extra=["--no-passphrase"])

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.hangs.close()

    def watch(self):
        events = super().watch()
        events.expect(OPEN, account=BOB)
        return events

    def test_sleep_locks_while_an_unlock_waits_for_its_probe(self):
        self.workspace.lock(BOB)
        self.happens(CLOSING, CLOSED, account=BOB)
        self.hangs.write(b"yes")
        self.hangs.flush()
        login.unlock(MINE)
        start = time.monotonic()
        with login.asleep():
            self.happens(CLOSING, CLOSED)
        self.assertLess(time.monotonic() - start, 200)
        self.hangs.truncate(0)
        log = self.workspace.daemon_log
        wait_until(
            lambda: "locked while it was being unlocked" in log.read_text(), PATIENCE,
            "the unlock does not end")
        self.assertEqual([self.state(account) for account in (ANN, BOB)], ["locked", "locked"])


class ScreenNow(SessionCase):
    lock_on = {"SessionLock": "now"}

    def test_there_is_no_grace_period(self):
        path = self.write(self.directory / "file", b"content")
        login.lock(MINE)
        self.happens(CLOSING, CLOSED)
        with self.refused(errno.ENOKEY):
            path.read_bytes()
        login.unlock(MINE)
        self.sleeps()
        self.assertEqual(self.state(), "locked")


class ScreenNever(SessionCase):
    lock_on = {"SessionLock": "never"}

    def test_a_lock_does_nothing_and_sleep_still_locks(self):
        login.lock(MINE)
        login.set_locked_hint(MINE, "true")
        login.set_locked_hint(MINE, "false")
        self.sleeps(CLOSING, CLOSED)


class Sleep(SessionCase):
    def test_the_machine_sleeps_only_when_the_keys_are_gone(self):
        path = self.directory / "file"
        with open(path, "wb", buffering=0) as file:
            # for the kernel still to send, so that the lock takes a moment
            file.write(bytes(96 << 20))
            with login.asleep():
                self.assertEqual(self.state(), "locked")
                self.assertEqual(login.inhibitors(self.pid), [])
        self.happens(CLOSING, CLOSED)
        wait_until(self.listens, PATIENCE, "the next sleep would not wait")
        self.assertEqual(self.state(), "locked")
        self.workspace.unlock()
        self.happens(OPEN)
        self.assertEqual(path.read_bytes(), bytes(96 << 20))

    def test_it_is_so_the_next_time_too_and_in_a_grace_period(self):
        self.sleeps(CLOSING, CLOSED)
        self.workspace.unlock()
        login.lock(MINE)
        self.happens(OPEN, GRACE)
        self.sleeps(CLOSED)


class SleepNever(SessionCase):
    lock_on = {"Sleep": "never"}

    @classmethod
    def listens(cls):
        login.lock(MINE)
        return cls.workspace.account()["state"] == "grace"

    def test_sleep_is_neither_delayed_nor_noticed(self):
        self.assertEqual(login.inhibitors(self.pid), [])
        with login.asleep():
            login.lock(MINE)
        self.happens(GRACE)


class LostBus(SessionCase):
    def test_the_daemon_serves_without_a_bus_and_finds_the_next_one(self):
        path = self.write(self.directory / "file", b"content")
        login.stop()
        try:
            self.assertEqual(path.read_bytes(), b"content")
            self.workspace.lock()
            self.happens(CLOSING, CLOSED)
            self.workspace.unlock()
            self.happens(OPEN)
        finally:
            login.start()
        wait_until(self.listens, PATIENCE, "the new bus was not found")
        login.lock(MINE)
        self.happens(GRACE)

    def test_a_daemon_that_starts_without_a_bus_finds_it_later(self):
        login.stop()
        try:
            self.workspace.remount()
            self.write(self.directory / "file", b"content")
            self.workspace.unmount()
            self.workspace.mount()
        finally:
            login.start()
        type(self).pid = next(daemons(str(self.workspace.root)))
        wait_until(self.listens, PATIENCE, "the bus was not found")


class LostLogind(SessionCase):
    def test_another_logind_is_asked_and_heard_like_the_first(self):
        login.restart_logind()
        wait_until(self.listens, PATIENCE, "the new logind was not asked")
        login.lock(MINE)
        self.happens(GRACE)
        self.sleeps(CLOSED)


class OrdinaryUser(unittest.TestCase):
    """A daemon of nobody's own."""

    def setUp(self):
        place = self.enterContext(programs_for_all())
        self.workspace = Workspace(settings={"LockGraceSeconds": 600})
        self.addCleanup(self.workspace.close)
        chown_tree(self.workspace.root)
        self.workspace.environment[
            "PATH"] = f"{self.as_nobody(place)}:{place}/bin:{os.environ['PATH']}"
        self.workspace.init().ctl("mount", self.workspace.backing, self.workspace.mount_point)
        self.workspace.register()

    def as_nobody(self, place):
        """A directory with a mamctl that runs the real one as nobody."""
        command = (*AS_NOBODY, str(place / "bin" / "mamctl"))
        if os.stat("/dev/fuse").st_mode & 0o666 != 0o666:
            command = with_fuse_device(0o666, place, command)
        directory = place / "as-nobody"
        directory.mkdir()
        (directory / "mamctl").write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
        (directory / "mamctl").chmod(0o755)
        return directory

    def test_only_sessions_of_the_daemons_user_count(self):
        events = Events(self.workspace)
        self.addCleanup(events.close)
        events.expect(OPEN)
        login.lock(MINE)
        login.lock(OTHERS)
        events.expect(GRACE)
        login.unlock(MINE)
        login.unlock(OTHERS)
        events.expect(OPEN)
        login.lock(MINE)
        # Without polkit nobody may not delay the sleep, and is told of it all the same.
        with login.asleep():
            events.expect(CLOSING, CLOSED)
