"""Rings over a real engine, with machines of their own: from the first to all, and not further."""
import json
import subprocess
import unittest

from carrier import Organization, Servers, with_clients
from fleet_service import Service
from workspace import ANN, DONE, Workspace, wait_until

NEEDS = ("nats-server",)
COUNT, ATTENTION = 3, 10
RULES = {"displayName": "Level", "pinRequired": False}


@with_clients
class RingEngine(unittest.TestCase):
    def setUp(self):
        self.office = Workspace()
        self.addCleanup(self.office.close)
        self.organization = Organization(self.office)
        self.policies = self.office.root / "policies"
        self.policies.mkdir()
        self.push({**RULES, "printBlocked": False}, "--local")
        self.servers = Servers(self.organization)
        self.addCleanup(self.servers.close)
        self.carry("push")
        self.machines = {}
        for _ in range(COUNT):
            workspace = Workspace()
            self.addCleanup(workspace.close)
            workspace.init().mount().register()
            service = Service(workspace)
            self.addCleanup(service.kill)
            code = self.organization.fleet("invite").stdout
            workspace.ctl(
                "fleet", "join", "-", "--workspace", workspace.name, "--wait", "1",
                input=code.encode())
            (admitted,) = self.organization.json("admit", "--exchange", "--yes")["admitted"]
            service.start()
            self.machines[admitted["machine"]] = workspace
        wait_until(lambda: len(self.reported()) == COUNT)

    def push(self, rules, *words):
        (self.policies / "level.json").write_text(json.dumps(rules))
        told = self.organization.json(
            "push", self.policies, "--key", self.organization.keys["ann"], "--yes", *words)
        self.sign_time()
        if "--local" not in words:
            self.carry("push")
        return told

    def sign_time(self):
        self.organization.json(
            "time", self.organization.path / "signed", "--root", self.organization.root, "--key",
            self.organization.keys["server"], "-o", self.organization.path / "time.json",
            "--force")

    def carry(self, verb):
        done = subprocess.run(
            ["mamfleet", verb, self.organization.path], capture_output=True, text=True, timeout=120,
            check=False)
        self.assertEqual(done.returncode, DONE, done.stdout + done.stderr)

    def reported(self):
        """The machines of which the directory has a status without a problem."""
        self.carry("pull")
        return [machine for machine in self.organization.json("status", "--all")["machines"]
                if machine["status"] and machine["status"]["problem"] is None]

    def with_rule(self, value):
        """The ids of the machines where printing is blocked, or not."""
        return {id for id, workspace in self.machines.items() if json.loads(workspace.serving(
            "policy show", ANN, "--json").stdout)["rules"]["printBlocked"]["value"] is value}

    def verdict(self):
        self.carry("pull")
        return json.loads(self.organization.fleet(
            "push", "--next", "--local", "--wait", "0s", "--dry-run", "--json", status=None).stdout)

    def test_a_good_policy_goes_through_and_a_bad_one_stops(self):
        first = set(self.push({**RULES, "printBlocked": True}, "--rings", "1")["rings"]["first"])
        self.assertTrue(first)
        wait_until(lambda: self.with_rule(True) == first)
        # Nobody has told so far: what an engine holds back is no evidence.
        self.assertEqual(self.organization.json(
            "push", "--next", "--wait", "0s", status=ATTENTION)["answered"], [])
        self.assertEqual(self.with_rule(False), set(self.machines) - first)
        wait_until(lambda: self.verdict()["verdict"] == "well")
        self.assertTrue(self.organization.json("push", "--next", "--wait", "0s")["pushed"])
        wait_until(lambda: self.with_rule(True) == set(self.machines))
        self.sign_time()
        self.carry("push")
        wait_until(lambda: len(self.reported()) == COUNT)
        # A bad one closes the accounts of the first ring, and reaches no other.
        bad = {**RULES, "printBlocked": True, "deviceComplianceRequired": True,
               "minimumRequiredOsVersion": "99"}
        first = set(self.push(bad, "--rings", "1")["rings"]["first"])
        wait_until(lambda: self.verdict()["verdict"] == "ill")
        told = self.organization.json("push", "--next", "--wait", "0s", status=ATTENTION)
        self.assertLessEqual({ill["machine"] for ill in told["ill"]}, first)
        self.assertFalse(told["pushed"])
        closed = {id for id, workspace in self.machines.items() if workspace.account()["block"]}
        self.assertEqual(closed, first)
        self.organization.json(
            "restore", "level.json", "--key", self.organization.keys["ann"], "--yes")
        self.sign_time()
        self.carry("push")
        wait_until(lambda: not any(
            workspace.account()["block"] for workspace in self.machines.values()))


if __name__ == "__main__":
    unittest.main()
