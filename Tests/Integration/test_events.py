"""What the socket tells of locks and unlocks, and locking what nobody uses."""
import errno
import json
import subprocess
import threading
import time

from socket_client import Client, Refusal
from tracing import tasks
from workspace import ANN, DONE, REFUSED, UNREACHABLE, WorkspaceCase, wait_until


class Events(WorkspaceCase):
    settings = {"LockGraceSeconds": 60}

    def setUp(self):
        super().setUp()
        self.addCleanup(self.workspace.unlock)

    def watch(self, *options):
        process = subprocess.Popen(
            ["mamctl", "watch", "--workspace", "work", *options], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=self.workspace.environment)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def started(self, *options):
        """A watcher that listens: it has said how the account is now."""
        process = self.watch(*options)
        self.assertIn("available", process.stdout.readline())
        return process

    def test_the_state_now_comes_first(self):
        self.assertEqual(self.watch().stdout.readline(), f"{ANN}\tavailable\n")
        self.workspace.lock()
        event = json.loads(self.watch("--json").stdout.readline())
        self.assertEqual((event["event"], event["account"]["state"]), ("unavailable", "locked"))

    def test_a_lock_and_an_unlock_are_told(self):
        process = self.started()
        self.workspace.lock()
        self.workspace.unlock()
        self.assertEqual(
            self.states(process, 3), ["will-become-unavailable", "unavailable", "available"])

    def test_the_grace_period_is_told_and_its_end_by_an_unlock(self):
        process = self.started("--json")
        self.workspace.serving("lock", ANN)
        event = self.next_event(process, "will-become-unavailable")
        self.assertEqual(event["seconds"], 60)
        self.assertEqual((event["account"]["name"], event["account"]["state"]), (ANN, "grace"))
        self.workspace.unlock()
        event = self.next_event(process, "available")
        self.assertEqual(event["account"]["state"], "unlocked")

    def test_nothing_is_told_twice(self):
        process = self.started()
        self.workspace.lock()
        self.workspace.lock()
        self.workspace.unlock()
        self.workspace.unlock()
        self.workspace.lock()
        self.assertEqual(self.states(process, 5), [
            "will-become-unavailable", "unavailable", "available", "will-become-unavailable",
            "unavailable"])

    def states(self, process, count):
        """The next ones that are told of the account. The policies of the test before may be read
        again only now."""
        words = []
        while len(words) < count:
            name, word = process.stdout.readline().split("\t")[:2]
            if word.strip().endswith("available"):
                self.assertEqual(name, ANN)
                words.append(word.strip())
        return words

    def test_policies_that_change_or_are_bad_are_told(self):
        process = self.started("--json")
        policies = self.workspace.root / "config_home" / "mamd" / "work" / "policies"
        strict, bad = policies / "strict.json", policies / "bad.json"
        strict.write_text(
            json.dumps({"printBlocked": True, "appDataEncryptionType": "whenDeviceLocked"}))
        self.assertEqual(self.next_event(process, "policy-changed")["account"]["name"], ANN)
        bad.write_text("{")
        event = self.next_event(process, "policy-refused")
        self.assertEqual((event["account"], event["document"]), (None, "bad.json"))
        bad.unlink()
        strict.unlink()
        self.next_event(process, "policy-changed")

    def test_a_session_that_asks_for_an_account_is_told(self):
        process = self.started("--json")
        ctl = self.workspace.serving
        ctl("identity ui", "--set", ANN)
        session = self.next_event(process, "ui-taken")["session"]
        self.assertEqual(self.next_event(process, "ui-released")["session"], session)
        self.workspace.lock()
        ctl("identity ui", "--set", ANN, status=None)
        event = self.next_event(process, "identity-switch-required")
        self.assertEqual(
            (event["code"], event["session"], event["account"]["name"]), (1, session, ANN))
        # To nobody, and then to the identity that is shown beside.
        self.assertEqual(event["name"], "")
        ctl("identity ui", "--set", "ann@home.example")
        ctl("identity ui", "--set", ANN, status=None)
        self.assertEqual(
            self.next_event(process, "identity-switch-required")["name"], "ann@home.example")

    def test_a_session_that_gets_what_is_anothers_is_told(self):
        ctl, other = self.workspace.serving, "eve@contoso.com"
        self.workspace.register(other)
        self.addCleanup(ctl, "wipe", other, "--confirm", other)
        (policy,) = self.workspace.policies.glob("*.json")
        before = policy.read_text()
        self.addCleanup(policy.write_text, before)
        file = self.workspace.path("eves")
        self.workspace.write_as(other, file, "hers")
        self.addCleanup(file.unlink)

        def allow(word, status):
            policy.write_text(json.dumps({
                "pinRequired": False, "allowedOutboundDataTransferDestinations": word,
                "allowedInboundDataTransferSources": word}))
            received = ("can receive", file, "--account", ANN)
            wait_until(lambda: ctl(*received, status=None).returncode == status)

        ctl("identity ui", "--unset")
        allow("allApps", DONE)
        process = self.started("--json")

        def ask():
            for _ in range(2):
                ctl("can receive", file, "--account", ANN)
                ctl("can url", "https://example.org", "--account", other)
                ctl("can url", "https://example.org")

        ask()  # Where nobody is shown nobody is told.
        ctl("identity ui", "--set", ANN)
        ask()
        ctl("identity ui", "--set", other)
        ask()
        ctl("identity ui", "--set", ANN)
        ctl("can url", "https://example.org", "--account", other)
        ctl("can url", "https://example.org", "--account", "eve@home.example")
        ctl("identity ui", "--set", other)
        allow("none", REFUSED)
        ctl("identity ui", "--set", ANN)
        ctl("can receive", file, "--account", ANN, status=REFUSED)
        self.workspace.lock()
        told = []
        while not told or told[-1]["event"] != "unavailable":
            told.append(json.loads(process.stdout.readline()))
        switches = [
            (event["code"], event["name"], event["account"]["name"]) for event in told
            if event["event"] == "identity-switch-required"]
        self.assertEqual(switches, [
            (2, other, other), (0, other, other), (0, other, other), (0, "", ANN)])

    def next_event(self, process, word):
        # Not for ever: without the event there is no line.
        timer = threading.Timer(90, process.kill)
        timer.start()
        self.addCleanup(timer.cancel)
        while True:
            event = json.loads(process.stdout.readline())
            if event["event"] == word:
                return event

    def test_a_watcher_that_goes_costs_nothing(self):
        for _ in range(20):
            process = self.started()
            process.kill()
            process.wait()
        pid = self.daemon()
        wait_until(
            lambda: not tasks(pid, "control-client"),
            message="threads of watchers that have gone are still there")

    def daemon(self):
        return json.loads(self.workspace.serving("status", "--json").stdout)[0]["pid"]


class Stopping(WorkspaceCase):
    def test_the_daemons_end_is_told_and_ends_the_watch(self):
        process = subprocess.Popen(
            ["mamctl", "watch", "--workspace", "work"], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=self.workspace.environment)
        process.stdout.readline()
        self.workspace.unmount()
        _, errors = process.communicate(timeout=90)
        self.assertEqual(process.returncode, UNREACHABLE)
        self.assertIn("work", errors)


class IdleDue(WorkspaceCase):
    settings = {"LockGraceSeconds": 0, "LockOn": {"IdleSeconds": 12}}

    def next_event(self, listener):
        """What the stream says next of idle locks and states, and when: late where much else runs,
        and never early."""
        event = listener.receive()["parameters"]["event"]
        return event["event"], event["seconds"], time.monotonic()

    def test_a_lock_is_told_before_and_can_be_put_off(self):
        with Client(self.workspace.socket) as listener, Client(self.workspace.socket) as client:
            listener.send("Workspace.Watch", more=True)
            self.assertEqual(self.next_event(listener)[0], "available")
            word, seconds, _ = self.next_event(listener)
            self.assertEqual((word, seconds), ("idle-lock-due", 4))
            # Who listens from now on is told it too.
            with Client(self.workspace.socket) as late:
                late.send("Workspace.Watch", more=True)
                self.assertEqual(
                    [self.next_event(late)[0] for _ in range(2)], ["available", "idle-lock-due"])
            begin = time.monotonic()
            self.assertEqual(client.call("Workspace.KeepOpen", account=ANN), {"idleSeconds": 12})
            self.assertEqual(self.next_event(listener)[0], "idle-lock-averted")
            word, seconds, due = self.next_event(listener)
            self.assertEqual((word, seconds), ("idle-lock-due", 4))
            self.assertGreater(due - begin, 7.5)
            word, _, locked = self.next_event(listener)
            self.assertEqual(word, "will-become-unavailable")
            self.assertGreater(locked - begin, 11.5)
            self.assertEqual(self.next_event(listener)[0], "unavailable")
            with self.assertRaises(Refusal) as caught:
                client.call("Workspace.KeepOpen", account=ANN)
            self.assertEqual(caught.exception.name, "WindowClosed")
            self.assertEqual(self.workspace.account()["state"], "locked")


class Grace(WorkspaceCase):
    settings = {"LockGraceSeconds": 2}

    def test_a_lock_that_has_begun_is_not_put_off(self):
        self.workspace.serving("lock", ANN)
        with Client(self.workspace.socket) as client, self.assertRaises(Refusal) as caught:
            client.call("Workspace.KeepOpen", account=ANN)
        self.assertEqual(caught.exception.name, "WindowClosed")
        wait_until(
            lambda: self.workspace.account()["state"] == "locked", message="the lock was put off")


class Idle(WorkspaceCase):
    settings = {"LockGraceSeconds": 0, "LockOn": {"IdleSeconds": 5}}

    def test_what_is_used_stays_and_what_is_not_is_locked(self):
        path = self.directory / "file"
        end = time.monotonic() + 9
        while time.monotonic() < end:
            self.write(path, b"content", durable=False)
            time.sleep(0.2)
        self.assertEqual(self.workspace.account()["state"], "unlocked")
        wait_until(
            lambda: self.workspace.account()["state"] == "locked",
            message="not locked although nobody used it")
        with self.refused(errno.ENOKEY):
            path.read_bytes()
        self.workspace.unlock()
        self.assertEqual(path.read_bytes(), b"content")
