"""A machine refuses an order that was withdrawn, whenever it comes."""
import json
import os
import unittest

from test_fleet import Fleet
from workspace import wait_until


class Withdrawn(Fleet):
    def setUp(self):
        super().setUp()
        self.join_with_policy()
        self.nonce = os.urandom(16).hex()

    def wipe(self):
        return self.contoso.order("wipe", self.machine, self.account(), name=self.nonce)

    def withdrawal(self, **options):
        return self.contoso.order("withdraw", self.machine, withdraws=self.nonce, **options)

    def names(self):
        return [account["name"] for account in json.loads(
            self.workspace.serving("account list", "--json").stdout)]

    def test_before_it_comes(self):
        wipe = self.wipe()
        self.assertIn("2 order keys, and has 1", self.refusal(
            self.withdrawal(keys=self.contoso.keys["order"][:1])))
        self.deliver(self.withdrawal(days=1))
        self.assertIn("obeyed before", self.refusal(wipe))
        self.workspace.remount()
        self.assertIn("obeyed before", self.refusal(wipe))
        wait_until(lambda: self.show()["pending"] == 0)
        self.assertTrue(self.names())
        told = self.workspace.serving("audit", "--event", "ordered", "--json").stdout
        self.assertIn(f"withdraw order {self.nonce}", told)
        # Another wipe of the same account is another order.
        self.nonce = os.urandom(16).hex()
        self.deliver(self.wipe())
        wait_until(lambda: not self.names())

    def test_while_it_waits_for_a_mount_that_writes(self):
        account, wipe = self.account(), self.wipe()
        self.workspace.unmount()
        for name, order in (("a", wipe), ("b", self.withdrawal())):
            (self.workspace.policies / f"{name}.json").write_bytes(order)
        self.workspace.mount("-o", "ro")
        wait_until(lambda: self.show()["pending"] == 0)
        self.workspace.unmount()
        self.workspace.mount()
        self.assertEqual(self.show()["pending"], 0)
        self.assertTrue(self.names())
        self.deliver(self.contoso.order("wipe", self.machine, account))
        wait_until(lambda: not self.names())

    def test_too_late(self):
        self.deliver(self.wipe())
        wait_until(lambda: not self.names())
        self.deliver(self.withdrawal())
        wait_until(lambda: self.show()["pending"] == 0)
        self.assertEqual(self.names(), [])
        self.assertIn("obeyed before", self.refusal(
            self.contoso.order("leave", self.machine, name=self.nonce)))


if __name__ == "__main__":
    unittest.main()
