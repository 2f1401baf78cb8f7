"""An order to wipe an account whose keybag cannot be read."""
import json
import unittest

from test_fleet import Fleet
from workspace import wait_until


class WipeOfADamagedAccount(Fleet):
    def test_it_waits_for_the_keybag(self):
        self.join_with_policy()
        account = self.account()
        self.workspace.unmount()
        kept = {path: path.read_bytes() for path in (self.workspace.state / "keybags").iterdir()
                if path.name.startswith(account)}
        self.assertEqual(len(kept), 2)
        for path, content in kept.items():
            path.write_bytes(content[:100] + bytes([content[100] ^ 1]) + content[101:])
        self.workspace.mount()
        self.assertEqual(
            json.loads(self.workspace.serving("account list", "--json").stdout), [])
        self.deliver(self.contoso.order("wipe", self.machine, account))
        self.assertEqual(self.show()["pending"], 1)
        self.workspace.serving("account check-in", status=None)
        self.assertEqual(self.show()["pending"], 1)
        self.workspace.unmount()
        self.workspace.mount()
        self.assertEqual(self.show()["pending"], 1)
        self.workspace.unmount()
        for path, content in kept.items():
            path.write_bytes(content)
        self.workspace.mount()
        wait_until(lambda: self.show()["pending"] == 0)
        self.assertEqual(
            json.loads(self.workspace.serving("account list", "--json").stdout), [])
        wait_until(lambda: not self.file.exists())
        self.assertFalse(any(path.exists() for path in kept))


if __name__ == "__main__":
    unittest.main()
