"""The issuer's keys: who delivers them, and how long they count."""
import json
import os
import unittest

import issuer as issuers
from enrolling import DAY
from issuer import Key
from ordinary_user import NOBODY
from sign_in_case import SignInCase
from socket_client import Client, Refusal
from workspace import ANN, BOB, NO, REFUSED


class Keys(SignInCase):
    def test_new_keys_are_fetched_when_a_token_has_one_and_old_ones_go(self):
        self.mount()
        self.register()
        self.assertEqual(self.issuer.fetched_keys, 1)
        old = self.issuer.keys[0]
        self.issuer.keys = [Key("second")]
        # Only now and then: an unknown key must not be a way to make machines ask.
        self.assertIn("try again in", self.login(status=NO).stderr)
        self.assertEqual(self.issuer.fetched_keys, 1)
        self.advance(61)
        self.login()
        self.assertEqual(self.issuer.fetched_keys, 2)
        # The former key is forgotten, and so it stays over a restart.
        for _ in range(2):
            reply = self.sign_in(
                lambda nonce: old.token(self.issuer.claims(nonce)), deliver=False)
            self.assertEqual((reply["signedIn"], reply["keyId"]), (False, "first"))
            self.workspace.unmount()
            self.workspace.mount()
        self.assertTrue(self.sign_in(self.token(), deliver=False)["signedIn"])
        self.issuer.mint = lambda claims, key: old.token(claims)
        self.advance(200)  # the clock of debug settings starts anew with the daemon
        self.assertIn("has published no key 'first'", self.login(status=REFUSED).stderr)

    def test_keys_that_nobody_renews_are_not_believed(self):
        self.mount()
        with Client(self.workspace.socket) as client:
            client.call("SignIn.DeliverKeys", keys=self.key_set())
        self.advance(7 * DAY)
        self.assertFalse(self.sign_in(self.token(), deliver=False)["signedIn"])
        told = self.workspace.serving("account keys").stdout
        self.assertIn(f"1 key of {self.issuer.name}", told)
        self.assertTrue(self.sign_in(self.token(), deliver=False)["signedIn"])

    def test_what_is_no_key_set_changes_nothing(self):
        self.mount()
        weak = issuers.rsa.generate_private_key(65537, 1024).public_key().public_numbers()
        curve = Key("curve", "ES256").public
        with Client(self.workspace.socket) as client:
            client.call("SignIn.DeliverKeys", keys=self.key_set())
            for keys in (
                "", "[]", "{}", '{"keys": {}}', '{"keys": []}', "x" * 300_000,
                json.dumps({"keys": [{"kty": "oct", "k": "AAAA", "kid": "first"}]}),
                json.dumps({"keys": [self.issuer.keys[0].public] * 101}),
                json.dumps({"keys": [{**self.issuer.keys[0].public, "use": "enc"}]}),
                json.dumps({"keys": [{**self.issuer.keys[0].public, "e": "AQ"}]}),
                json.dumps({"keys": [{
                    "kty": "RSA", "n": issuers.number(weak.n), "e": issuers.number(weak.e)}]}),
                json.dumps({"keys": [{**curve, "y": curve["x"]}]}),
            ):
                with self.subTest(keys=keys[:60]), self.assertRaises(Refusal):
                    client.call("SignIn.DeliverKeys", keys=keys)
        self.assertTrue(self.sign_in(self.token(), deliver=False)["signedIn"])

    @unittest.skipUnless(os.getuid() == 0, "acts as several users, which only root can")
    def test_a_second_user_of_roots_daemon_delivers_no_keys(self):
        self.mount()
        for place in (self.workspace.root, self.workspace.socket.parent.parent,
                      self.workspace.socket.parent):
            os.chmod(place, 0o755)
        with Client(self.workspace.socket, NOBODY) as client:
            self.assertFalse(client.call("SignIn.Show")["issuer"]["mayDeliver"])
            with self.assertRaisesRegex(Refusal, "only root"):
                client.call("SignIn.DeliverKeys", keys=self.key_set())
            forged = Key("first")
            begun = client.call("SignIn.Begin", account=BOB, way="browser")
            self.issuer.person = {"preferred_username": BOB}
            claims = self.issuer.claims(begun["nonce"])
            self.assertFalse(
                self.finish(client, begun["ticket"], forged.token(claims))["signedIn"])
            with Client(self.workspace.socket) as root:
                root.call("SignIn.DeliverKeys", keys=self.key_set())
                # Another user's sign-in.
                with self.assertRaisesRegex(Refusal, "no such sign-in"):
                    self.finish(root, begun["ticket"], self.token()(begun["nonce"]))
            with self.assertRaisesRegex(Refusal, "signature is wrong"):
                self.finish(client, begun["ticket"], forged.token(claims))
            # Ann's account, to which nobody but Ann and root signs in.
            self.issuer.person = {"preferred_username": ANN}
            self.sign_in(self.token())
            self.answer("Register", name=ANN, noPassphrase=True)
            with self.assertRaisesRegex(Refusal, "belongs to uid 0"):
                client.call("SignIn.Begin", account=ANN, way="browser")


if __name__ == "__main__":
    unittest.main()
