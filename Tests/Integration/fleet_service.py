"""The fleet's service with a real nats-server, an organisation and a machine."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

from fleet_office import Office
from nats_engine import Engine
from running import PREFIX
from workspace import ANN, DONE, SETTINGS, Workspace, wait_until

RULES = {"displayName": "Signed", "appDataEncryptionType": "whenDeviceLocked", "pinRequired": False}
UNREACHABLE, USAGE = 8, 2


class Service:
    """`mamfleet run` of a workspace."""

    def __init__(self, workspace, *options, environment=None):
        self.workspace, self.options = workspace, options
        self.environment = environment or workspace.environment
        self.log = workspace.root / "mamfleet.log"
        self.process = None

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                ["mamfleet", "run", self.workspace.name, *self.options], stdout=log, stderr=log,
                env=self.environment)
        return self

    def kill(self, number=signal.SIGKILL):
        if self.process:
            self.process.send_signal(number)
            self.process.wait(90)
            self.process = None

    @property
    def text(self):
        return self.log.read_text(errors="replace")

    @property
    def state(self):
        return self.workspace.root / "state_home" / "mamfleet" / self.workspace.name

    def memory(self):
        """In MiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def processor(self):
        """Seconds that it has used."""
        state = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text()
        user, system = state.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


class FleetService(unittest.TestCase):
    """Each test has an engine, an organisation and a machine of its own."""

    settings = {**SETTINGS, "LockGraceSeconds": 0}
    https = None

    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.addCleanup(shutil.rmtree, self.place, ignore_errors=True)
        self.engine = Engine(self.place / "server").start()
        self.addCleanup(self.engine.kill)
        self.office = Office(self.place / "office", self.engine, self.https)
        self.office.policy(RULES)
        self.office.time()
        self.office.push()
        self.workspace = Workspace(settings=self.settings)
        self.addCleanup(self.workspace.close)
        self.workspace.init().mount().register()
        self.file = self.workspace.path("file")
        self.file.write_bytes(b"content")
        self.service = Service(self.workspace)
        self.addCleanup(self.service.kill)

    def run(self, result=None):
        before = len(result.failures) + len(result.errors)
        super().run(result)
        if len(result.failures) + len(result.errors) > before and hasattr(self, "service"):
            with contextlib.suppress(OSError):
                print(f"--- mamfleet's log of {self.id()}:\n{self.service.text[-3000:]}")

    def join(self, code, *options, status=DONE, workspace=None):
        workspace = workspace or self.workspace
        done = subprocess.run(
            ["mamfleet", "join", "-", "--workspace", workspace.name, "--wait", "1", *options],
            input=code, capture_output=True, text=True, timeout=90, env=workspace.environment)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def enrol(self, service=True):
        """From a code to a machine that is connected."""
        self.invitation, self.code = self.office.invite()
        told = json.loads(self.join(self.code, "--json").stdout)
        self.assertEqual(told["state"], "pending")
        self.office.pull()
        self.machine = self.office.admit(self.invitation)
        self.assertEqual(self.machine, told["machine"])
        self.office.push()
        if service:
            self.service.start()
            self.await_connected()

    def await_connected(self, count=1, seconds=90):
        wait_until(lambda: self.service.text.count("connected as machine") >= count, seconds)

    def show(self):
        return json.loads(
            self.workspace.serving("fleet show", "--json").stdout)["organization"]

    def rule(self, name="printBlocked"):
        rules = json.loads(
            self.workspace.serving("policy show", ANN, "--json").stdout)["rules"]
        return rules.get(name, {}).get("value")

    def is_readable(self):
        try:
            return self.file.read_bytes() == b"content"
        except OSError:
            return False

    def push_rule(self, value):
        self.office.policy({**RULES, "printBlocked": value})
        self.office.time()
        self.office.push()

    def serial(self, slot="policy/all/level.json"):
        found = [document["serial"] for document in self.show()["documents"]
                 if document["slot"] == slot]
        return found[0] if found else None
