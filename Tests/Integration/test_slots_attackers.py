"""Attackers against key slots: the table of docs/THREATS.md, as far as it can be tried."""
import shutil
import sys
import unittest

from enrolling import EnrollmentCase
from test_slots import MORE_WORDS, WORDS, SlotCase
from workspace import PASSPHRASE, ROOT

sys.path.insert(0, str(ROOT / "Tests"))
import decoder

# What WORDS are in BIP 39.
ENTROPY = b"\x7f" * 16

NEEDS = ("python3-cryptography", "python3-argon2")


class Attackers(EnrollmentCase, SlotCase):
    def setUp(self):
        super().setUp()
        self.set_policy(pinRequired=True, maximumPinRetries=5)
        self.workspace.mount().register()

    def keep_state(self):
        copy = self.workspace.root / "copy"
        shutil.copytree(self.workspace.state, copy)
        return copy

    def class_key(self, state, secret):
        (keybag,) = decoder.keybags(state)
        try:
            return keybag.class_key(1, secret)
        except decoder.Refused as refused:
            self.assertEqual(refused.status, 12)
            return None

    def test_who_has_the_disk_needs_a_secret(self):
        self.add_words()
        for secret in PASSPHRASE.encode(), ENTROPY:
            self.assertIsNotNone(self.class_key(self.workspace.state, secret))
        for secret in b"not it", WORDS.encode(), bytes(16):
            self.assertIsNone(self.class_key(self.workspace.state, secret))

    def test_who_has_the_open_machine_changes_no_slot(self):
        words = self.add_words()
        for method, more in (
                ("TestSlot", {}), ("RemoveSlot", {"slot": words["id"]}),
                ("AddSlot", {"type": "recovery", "newPassphrase": MORE_WORDS})):
            self.assertEqual(self.refusal(method, **more).name, "WrongPassphrase")
        self.assertEqual((len(self.slots()), self.attempts()), (2, []))
        # Who saw the PIN does, and it is seen.
        self.add_words(MORE_WORDS)
        self.assertEqual(len(self.ids("recovery")), 2)

    def test_an_old_copy_opens_with_what_was_removed(self):
        slot = self.add_words()
        copy = self.keep_state()
        self.slot("remove", slot["id"])
        self.assertFalse(self.opens(WORDS))
        self.assertEqual(
            self.class_key(copy, ENTROPY),
            self.class_key(self.workspace.state, PASSPHRASE.encode()))
        # Put back, it has also forgotten the wrong try.
        self.assertEqual(self.failures(), 1)
        self.workspace.unmount()
        shutil.rmtree(self.workspace.state)
        shutil.copytree(copy, self.workspace.state)
        self.workspace.mount()
        self.assertEqual(self.attempts(), [])
        self.assertTrue(self.opens(WORDS))


if __name__ == "__main__":
    unittest.main()
