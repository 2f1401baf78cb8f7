"""Whoever has stolen one key, and reads and writes at the engine."""
import json
import subprocess
import time
import unittest

from fleet_service import RULES, FleetService
from signing import DAY, Key, statement
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

    def thieve(self):
        """As the engine's administrator."""
        client = self.engine.administrator()
        self.addCleanup(client.close)
        return lambda subject, *documents: client.store(
            subject, b"[" + b",".join(documents) + b"]")

    def test_one_root_key_of_two_changes_nothing(self):
        self.enrol()
        self.push_rule(True)
        wait_until(lambda: self.rule())
        store, mine = self.thieve(), self.office.organization
        good = dict(mine.keys)
        thiefs = [Key(), Key()]
        # The next root, in which all roles are the thief's.
        mine.keys = {role: [good["root"][0], *thiefs] for role in good}
        root = mine.root(serial=2, keys=[good["root"][0], *thiefs])
        loose = mine.policy({**RULES, "printBlocked": False}, serial=1 << 40, keys=thiefs)
        wipe = mine.order("wipe", self.machine, self.workspace.account()["id"], keys=thiefs)
        mine.keys = good
        store("docs.roots", root)
        store("docs.all", loose)
        store(f"docs.m.{self.machine}", wipe)
        wait_until(lambda: self.status().get("suspects") == {"unsigned": 3}, 90)
        self.assertTrue(self.rule())
        self.assertEqual(self.show()["rootSerial"], 1)
        self.assertIsNotNone(self.workspace.account())
        # What the others sign goes on.
        self.push_rule(False)
        wait_until(lambda: self.rule() is False)

    def test_the_time_key_hides_what_is_held_back_and_no_more(self):
        self.enrol()
        self.push_rule(True)
        wait_until(lambda: self.rule())
        store, mine = self.thieve(), self.office.organization
        level = self.serial()
        older = mine.policy({**RULES, "printBlocked": False}, serial=level - 1)
        now = int(time.time())
        stolen = list(mine.keys["time"])
        # Of years to come, and then the highest that there is, which lists what it likes.
        store("docs.all", older)
        store("docs.time", mine.time({}, serial=1 << 40, issued=now + 4000 * DAY, days=1))
        highest = (1 << 63) - 1
        listing = {"policy/all/level.json": 1}
        store("docs.time", mine.time(listing, serial=highest, issued=now, days=2))
        wait_until(lambda: self.serial("time/all/time") == highest)
        self.assertTrue(self.rule())
        self.assertEqual(self.serial(), level)
        self.assertIsNotNone(self.workspace.account())
        # The next root ends it, whatever serial the thief has used.
        mine.keys["time"] = [Key()]
        self.office.put("roots/2.json", mine.root(serial=2))
        self.office.put("root.json", (self.office.path / "roots/2.json").read_bytes())
        self.push_rule(False)
        wait_until(lambda: self.rule() is False and self.show()["problem"] is None)
        self.assertLess(self.serial("time/all/time"), highest)
        # Another document than before, also within the same second.
        store("docs.time", mine.time(
            listing, serial=highest - 1, issued=int(time.time()), days=2, keys=stolen))
        wait_until(lambda: self.status().get("suspects") == {"unsigned": 1}, 90)
        self.assertIsNone(self.show()["problem"])


if __name__ == "__main__":
    unittest.main()
