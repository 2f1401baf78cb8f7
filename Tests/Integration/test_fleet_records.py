"""Recovery records that a machine reports, and the proof that they open what they claim."""
import base64
import hashlib
import hmac
import json
import sys
import unittest

from fleet_reports import Reports
from signing import Forged
from test_fleet import RULES
from workspace import ANN, BOB, DECODER, wait_until

sys.path.append(str(DECODER.parent))
import decoder


class Records(Reports):
    def setUp(self):
        super().setUp()
        self.key = self.workspace.root / "org.key"
        self.recovery = json.loads(self.workspace.ctl(
            "recovery", "keygen", "--json", "-o", self.key, "--no-passphrase").stdout)["publicKey"]
        self.deliver(self.contoso.ordered({**RULES, "mamdRecoveryPublicKey": self.recovery}))
        self.await_records(1)

    def reports(self):
        return self.call("Records")["records"]

    def await_records(self, count):
        wait_until(lambda: len(self.reports()) == count)

    def record(self, name=ANN):
        return next(
            told for told in (
                self.opened(one["report"], "recovery-record") for one in self.reports())
            if told["name"] == name)

    def proven(self, told, proof=None):
        """The classes that the proof shows, by docs/FORMAT.md alone. Raises Forged."""
        record = base64.b64decode(told["record"])
        export = decoder.Export(record, decoder.RecoveryKey(self.key.read_bytes()), None)
        proof = base64.b64decode(told["proof"] if proof is None else proof)
        proven = ""
        for start in range(0, len(proof), 33):
            number = proof[start]
            key = decoder.derive(
                export.keys[number - 1], export.account_id, b"mamd recovery proof v1")
            message = (told["organization"] + export.account_id.hex()).encode() + bytes(
                [number]) + hashlib.sha256(record).digest()
            tag = hmac.new(key, message, hashlib.sha256).digest()
            if tag != proof[start + 1:start + 33] or told["account"] != export.account_id.hex():
                raise Forged(number)
            proven += "ABCD"[number - 1]
        return proven

    def test_a_record_opens_what_it_claims(self):
        (one,) = self.reports()
        told = self.opened(one["report"], "recovery-record")
        self.assertEqual(told["account"], one["account"])
        self.assertEqual((told["account"], told["name"]), (self.account(), ANN))
        (path,) = (self.workspace.backing / ".mamd" / "recovery").iterdir()
        self.assertEqual(base64.b64decode(told["record"]), path.read_bytes())
        self.assertEqual(path.name, f"{told['account']}.{told['recoveryKey']}.keys")
        self.assertEqual(self.proven(told), "ABCD")
        # Unchanged, it is told as before: nobody has to carry it again.
        self.assertEqual(self.reports(), [one])

    def test_a_copied_proof_proves_nothing(self):
        self.workspace.register(BOB)
        self.await_records(2)
        ann, bob = self.record(ANN), self.record(BOB)
        self.assertEqual(self.proven(bob), "ABCD")
        for told, proof in ((ann, bob["proof"]), (bob, ann["proof"])):
            with self.assertRaises(Forged):
                self.proven(told, proof)
        for told, member in ((ann, "organization"), (ann, "account")):
            with self.assertRaises(Forged):
                self.proven({**told, member: "0" * 32})

    def test_a_locked_account_proves_less(self):
        before = self.record()
        self.workspace.unmount()
        self.workspace.mount()
        told = self.record()
        self.assertEqual(self.proven(told), "D")
        self.assertEqual(told["record"], before["record"])
        self.assertGreater(told["sequence"], before["sequence"])
        self.workspace.unlock()
        self.assertEqual(self.proven(self.record()), "ABCD")

    def test_what_others_put_there_is_not_told(self):
        (path,) = (self.workspace.backing / ".mamd" / "recovery").iterdir()
        good = path.read_bytes()
        self.workspace.lock()
        # Sealed to the same key by somebody else: the public key is all that it takes.
        from test_recovery_keys import checksummed
        for forged in (
                b"", good[:-1], checksummed(good[:840] + bytes(16) + good[856:]),
                checksummed(good[:976] + bytes(16) + good[992:])):
            path.write_bytes(forged)
            self.assertEqual(self.reports(), [])
        path.write_bytes(good)
        self.assertEqual(len(self.reports()), 1)

    def test_a_wiped_account_has_none(self):
        self.workspace.serving("wipe", ANN, "--confirm", ANN)
        self.assertEqual(self.reports(), [])


if __name__ == "__main__":
    unittest.main()
