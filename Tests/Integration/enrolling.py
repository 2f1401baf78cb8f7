"""What the tests of enrolment share: a policy, a clock that can be moved, and programs that are
called."""
import json
import os
import pathlib
import shlex

from socket_client import Client
from workspace import ANN, WorkspaceCase

HOUR, DAY = 3600, 86400

# A document that asks for nothing, but covers everybody.
PLAIN = {
    "@odata.type": "#microsoft.graph.iosManagedAppProtection", "displayName": "Plain",
    "pinRequired": False,
    "appDataEncryptionType": "useDeviceSettings"}

# Class D where nothing else is asked for: what no lock closes, and a block does.
DEBUG = {
    "DebugSettingsEnabled": True, "LockGraceSeconds": 0,
    "DeviceDefaultProtectionLevel": "NSFileProtectionNone"}


class EnrollmentCase(WorkspaceCase):
    """A new workspace for each test: what is tried here does not end well for accounts."""

    mounted = False
    settings = DEBUG
    policy = PLAIN

    def setUp(self):
        super().setUp()
        type(self).tearDownClass()
        type(self).workspace = type(self.workspace)(
            settings=self.settings_of_test(), policy=self.policy)
        self.workspace.init()

    def settings_of_test(self):
        return self.settings

    def begin(self, **rules):
        """Mounts under the policy and these rules, with one account and one file of each class."""
        self.set_policy(**rules)
        self.workspace.mount().register()
        self.file = self.workspace.path("file")
        self.file.write_bytes(b"content")
        self.workspace.ctl("class", "--set", "A", self.file)
        self.always = self.workspace.path("always")
        self.always.write_bytes(b"class D")
        self.assertEqual(self.workspace.info(self.always)["class"], "D")

    def set_policy(self, **rules):
        (document,) = self.workspace.policies.glob("*.json")
        document.write_text(json.dumps({**self.policy, **rules}))

    def call(self, method, **parameters):
        method = method if "." in method else f"Enrollment.{method}"
        with Client(self.workspace.socket) as client:
            return client.ask(method, **parameters)

    def answer(self, method, **parameters):
        reply = self.call(method, **parameters)
        self.assertNotIn("error", reply)
        return reply["parameters"]

    def advance(self, seconds):
        self.answer("AdvanceClock", seconds=seconds)

    def enrollment(self):
        (only,) = self.answer("List")["enrollments"]
        return only

    def block(self, account=ANN):
        return self.workspace.account(account)["block"]

    def assert_closed(self, kind, *numbers):
        """Every class is closed, with this reason."""
        self.assertEqual(self.block(), kind)
        for path in (self.file, self.always):
            with self.refused(*numbers):
                path.read_bytes()

    def assert_open(self):
        self.assertIsNone(self.block())
        self.assertEqual(self.file.read_bytes(), b"content")
        self.assertEqual(self.always.read_bytes(), b"class D")

    def wrong(self, number, verb="unlock"):
        """One more wrong passphrase; its status. The delay before it is waited out by the clock."""
        delay = self.workspace.account()["retryAfterSeconds"]
        if delay:
            self.advance(delay)
        secret = self.workspace.secret("wrong", f"not it, {number}")
        return self.workspace.serving(verb, ANN, "--passfile", secret, status=None)

    def program(self, name, script):
        """An executable for hooks and probes; `$LOG` is where it may leave traces."""
        path = self.workspace.root / name
        path.write_text(f"#!/bin/sh\nLOG={shlex.quote(os.fspath(self.log))}\n{script}\n")
        path.chmod(0o755)
        return str(path)

    @property
    def log(self):
        return self.workspace.root / "program.log"

    def told(self):
        """What hooks wrote that append their input to the log."""
        if not self.log.exists():
            return []
        return [json.loads(line) for line in self.log.read_text().splitlines()]


def daemon_text(workspace):
    return pathlib.Path(workspace.daemon_log).read_text(errors="replace")
