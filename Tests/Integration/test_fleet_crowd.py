"""The fleet's reports about as many machines as there may be: what they cost, and what they say."""
import os
import time
import unittest

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fleet_directory import crowd
from workspace import Workspace

NEEDS = ("python3-cryptography",)

COUNT = 10_000


def verification_seconds():
    """What a signature costs this machine's processor."""
    key = Ed25519PrivateKey.generate()
    text = bytes(3000)
    signature, public = key.sign(text), key.public_key()
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        for _ in range(500):
            public.verify(signature, text)
        best = min(best, (time.process_time() - start) / 500)
    return best


class Crowd(unittest.TestCase):
    """As many machines as there may be."""

    @classmethod
    def setUpClass(cls):
        cls.workspace = Workspace()
        cls.addClassCleanup(cls.workspace.close)
        cls.path = cls.workspace.root / "org"
        crowd(cls.path, COUNT)

    def test_it_costs_little_more_than_its_signatures(self):
        """In processor time, which others that are at work here change little."""
        best = float("inf")
        for _ in range(3):
            before = os.times()
            said = self.workspace.ctl("fleet", "status", "--organization", self.path).stdout
            after = os.times()
            best = min(best, after.children_user - before.children_user
                       + after.children_system - before.children_system)
        signatures = COUNT * verification_seconds()
        print(f"{best:.2f} s, the signatures {signatures:.2f}", flush=True)
        self.assertLessEqual(best, 8 * signatures)
        self.assertIn("9,200 compliant, 600 to attend to, 200 stale", said)
        self.assertEqual(len(said.split("\n\n")[0].splitlines()), 800)

    def test_diff(self):
        said = self.workspace.ctl("fleet", "diff", "--organization", self.path).stdout
        self.assertIn("200 machines have policy/all/level2 serial 16, not 17", said)


if __name__ == "__main__":
    unittest.main()
