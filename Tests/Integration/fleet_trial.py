"""An organisation as mamctl makes it, its servers and a machine of it: what trials are made on."""
import json
import subprocess
import unittest

import preloaded
from carrier import Organization, Servers, with_clients
from fleet_service import Service
from signing import statement
from workspace import ANN, DONE, ROOT, SETTINGS, Workspace, wait_until


def move_clock(seconds, *workspaces):
    """Of all that is started there from now on."""
    for workspace in workspaces:
        if "MAMD_TEST_CLOCK" not in workspace.environment:
            preloaded.preload("wall_clock", ROOT / ".build", workspace.environment)
        workspace.environment["MAMD_TEST_CLOCK"] = str(seconds)


@with_clients
class Trial(unittest.TestCase):
    """The office has a policy, of which `printBlocked` tells the versions apart."""

    def setUp(self):
        self.office = Workspace()
        self.addCleanup(self.office.close)
        self.workspace = Workspace(settings={**SETTINGS, "LockGraceSeconds": 0})
        self.addCleanup(self.workspace.close)
        self.set_clocks()
        self.organization = Organization(self.office)
        self.policies = self.office.root / "policies"
        self.policies.mkdir()
        self.sign(True)
        self.workspace.init().mount().register()
        self.file = self.workspace.path("plan")
        self.file.write_bytes(b"plan")
        self.service = Service(self.workspace)
        self.addCleanup(self.service.kill)

    def set_clocks(self):
        """Before anything is made."""

    # The office

    def sign(self, value):
        """As an administrator does it each day."""
        (self.policies / "first.json").write_text(
            json.dumps({"displayName": "First", "printBlocked": value}))
        keys, path = self.organization.keys, self.organization.path
        self.organization.fleet(
            "push", self.policies, "--key", keys["ann"], "--local", "--yes")
        self.organization.fleet(
            "time", path / "signed", "--root", self.organization.root, "--key", keys["server"],
            "-o", path / "time.json", "--force")

    def push(self, value):
        self.sign(value)
        self.carry("push")

    def carry(self, verb, status=DONE):
        done = subprocess.run(
            ["mamfleet", verb, self.organization.path], capture_output=True, text=True, timeout=120,
            check=False, env=self.office.environment)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def order(self, action, *options, cosigned=False):
        """Of this machine; it is on its way."""
        name = f"{action}.json"
        orders = self.organization.path / "orders"
        orders.mkdir(exist_ok=True)
        keys, root = self.organization.keys, self.organization.root
        self.organization.fleet(
            "order", action, "--root", root, "--key", keys["ann"], "--machine", self.machine,
            *options, "-o", orders / name, "--force")
        if cosigned:
            self.organization.fleet(
                "cosign", orders / name, "--root", root, "--key", keys["bob"], "--yes")
        self.carry("push")

    def states(self):
        """Of the orders, as the office knows them now."""
        self.carry("pull")
        return {order["action"]: order["state"] for order in self.organization.json("orders")}

    # The engine

    def start_engine(self):
        """A new one, with servers that know nothing."""
        if (self.organization.path / "engine").exists():
            (self.organization.path / "engine").rename(self.organization.path / "engine.stolen")
        servers = Servers(self.organization)
        self.addCleanup(servers.close)
        self.carry("push")
        return servers

    # The machine

    def join(self, *options):
        """From a code to a machine that is connected. Returns the register's entry."""
        code = self.organization.fleet("invite", *options).stdout
        self.workspace.ctl(
            "fleet", "join", "-", "--workspace", self.workspace.name, "--wait", "1",
            input=code.encode())
        (admitted,) = self.organization.json("admit", "--exchange", "--yes")["admitted"]
        self.machine = admitted["machine"]
        self.connect()
        return admitted

    def connect(self):
        """Anew, with the clock that the machine has now."""
        before = self.service.text.count("connected as") if self.service.log.exists() else 0
        self.service.kill()
        self.service.start()
        wait_until(lambda: self.service.text.count("connected as machine") > before)

    def show(self):
        return json.loads(
            self.workspace.serving("fleet show", "--json").stdout)["organization"]

    def rule(self):
        rules = json.loads(self.workspace.serving("policy show", ANN, "--json").stdout)["rules"]
        return rules.get("printBlocked", {}).get("value")

    def await_rule(self, value):
        wait_until(lambda: self.rule() is value)

    def serials(self):
        return {document["slot"]: document["serial"] for document in self.show()["documents"]}

    def serials_after_a_push(self):
        """The time comes last, after a policy is in force."""
        newest = statement((self.organization.path / "time.json").read_bytes())["serial"]
        wait_until(lambda: self.serials()["time/all/time"] == newest)
        return self.serials()

    def assert_intact(self):
        self.assertIsNotNone(self.workspace.account())
        self.assertTrue(self.workspace.on_disk("plan").exists())

    def assert_wipe_is_obeyed(self):
        self.order("wipe", "--account", self.workspace.account()["id"], cosigned=True)
        wait_until(lambda: self.workspace.account() is None)
