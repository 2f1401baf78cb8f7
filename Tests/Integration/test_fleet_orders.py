"""Orders that an administrator takes back, and all that a machine that leaves is ordered."""
import base64
import datetime
import json
import unittest

from carrier import POLICY, Organization, with_clients
from fleet_directory import sealed, transport_key
from signing import DAY, Key, rfc3339
from terminal import Terminal
from workspace import DONE, NO, NOT_FOUND, REFUSED, USAGE, Workspace

NOW = 1_795_000_000


@with_clients
class Office(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        self.organization = Organization(self.workspace)
        self.key = self.organization.keys["ann"]
        self.orders = self.organization.path / "orders"

    def machine(self, name="pc-1", accounts=(), **status):
        """One on the register, that has reported."""
        key = Key()
        self.put(f"machines/{key.id}.json", {
            "machine": key.id, "publicKey": base64.b64encode(key.public).decode(), "name": name,
            "transportKey": transport_key(key.public), "invitation": "ab" * 16, "groups": [],
            "admitted": rfc3339(NOW), "revoked": None})
        self.say(key, accounts, **status)
        return key

    def say(self, key, accounts=(), **status):
        key.sequence = getattr(key, "sequence", 0) + 1
        path = self.organization.path / "reports" / "status" / f"{key.id}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(sealed("status", {
            "organization": self.organization.id, "machine": key.id, "issued": rfc3339(NOW),
            "sequence": key.sequence, "version": "0.1.0", "host": "pc", "workspace": "work",
            "rootSerial": 1, "documents": {}, "problem": None, "pending": 0, "obeyed": [],
            "accounts": [{
                "id": account, "name": f"{account[:2]}@contoso.com", "objectId": "",
                "window": "locked", "blockedBy": None, "compliant": True, "checkedIn": None}
                for account in accounts],
            "verify": None, "refused": 0, "contained": True, "kernel": "6.12", "mounted": True,
            **status}, key))

    def put(self, name, content):
        path = self.organization.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))

    def order(self, action, machine, *words):
        self.orders.mkdir(exist_ok=True)
        (made,) = self.organization.json(
            "order", action, "--machine", machine.id, *words, "--root", self.organization.root,
            "--key", self.key, "-o", self.orders / f"{action}.json")
        return made

    def cosign(self, *paths):
        self.organization.json(
            "cosign", *paths, "--key", self.organization.keys["bob"], "--root",
            self.organization.root, "--yes")

    def sent(self, machine):
        """The actions of what a carrier has for the machine, in order."""
        web = self.workspace.root / "web"
        self.organization.json("bundle", "-o", web)
        path = web / "m" / f"{machine.id}.json"
        documents = json.loads(path.read_text()) if path.exists() else []
        return [json.loads(base64.b64decode(one["content"]))["action"] for one in documents]

    def states(self):
        return {order["nonce"]: order["state"] for order in self.organization.json("orders")}


class HowLong(Office):
    def test_what_destroys_lives_as_long_as_an_order_may(self):
        machine = self.machine()
        for action, words, days in (
                ("wipe", ("--account", "a1" * 16), 366), ("leave", (), 366), ("lock", (), 30),
                ("checkIn", ("--expires", "3"), 3)):
            with self.subTest(action):
                made = self.order(action, machine, *words)
                issued, expires = (
                    self.seconds(made[member]) for member in ("issued", "expires"))
                self.assertEqual(expires - issued, days * DAY)

    def seconds(self, text):
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


if __name__ == "__main__":
    unittest.main()
