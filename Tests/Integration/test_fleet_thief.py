"""Whoever has stolen one order key, and reads and writes at the engine."""
import json
import subprocess
import unittest

from fleet_service import FleetService
from signing import statement
from workspace import wait_until


class Thief(FleetService):
    def orders(self):
        told = subprocess.run(
            ["mamctl", "fleet", "orders", "--json", "--organization", self.office.path],
            capture_output=True, check=True, timeout=90)
        return {order["nonce"]: order["state"] for order in json.loads(told.stdout)}

    def status(self):
        """What the machine has told last."""
        self.office.pull()
        return self.office.reports("status").get(self.machine, [{}])[-1]

    def test_a_wipe_is_obeyed_though_its_nonce_was_used_first(self):
        self.enrol()
        self.service.kill()
        wipe = self.office.order("wipe", self.machine, self.workspace.account()["id"])
        self.office.push()
        client = self.engine.administrator()
        self.addCleanup(client.close)
        mine = f"docs.m.{self.machine}"
        bundle = client.last("DOCS", mine)
        (seen,) = [order for order in map(statement, map(json.dumps, json.loads(bundle)))
                   if order["name"] == wipe]
        # All that it can sign, in place of the wipe.
        stolen = self.office.organization.keys["order"][:1]
        client.store(mine, b"[" + b",".join(
            self.office.organization.order(
                action, self.machine, name=seen["name"], keys=stolen)
            for action in ("lock", "checkIn", "collectDiagnostics")) + b"]")
        self.service.start()
        wait_until(lambda: self.status().get("suspects") == {"unsigned": 3}, 90)
        self.assertEqual(self.status()["obeyed"], [])
        self.assertEqual(self.orders(), {wipe: "pending"})
        self.assertIsNotNone(self.workspace.account())
        client.store(mine, bundle)
        wait_until(lambda: self.workspace.account() is None, 90)
        wait_until(lambda: self.status()["obeyed"] == [wipe], 90)
        self.assertEqual(self.orders(), {wipe: "obeyed"})


if __name__ == "__main__":
    unittest.main()
