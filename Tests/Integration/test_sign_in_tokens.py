"""Which tokens count."""
import json
import os
import time
import unittest

import issuer as issuers
from enrolling import HOUR
from issuer import Key
from sign_in_case import SignInCase
from socket_client import Client, Refusal
from workspace import ANN, BOB, wait_until


class Tokens(SignInCase):
    def test_only_the_token_that_was_asked_for_counts(self):
        self.mount()
        now = int(time.time())
        for words, claims in (
            ("another sign-in", {"nonce": "another"}), ("another sign-in", {"nonce": None}),
            ("another person", {"preferred_username": BOB}),
            ("another person", {"preferred_username": None}),
            ("another client", {"aud": "somebody-else"}),
            ("another client", {"aud": [issuers.CLIENT, "somebody-else"]}),
            ("another client", {"aud": [issuers.CLIENT], "azp": "somebody-else"}),
            ("another issuer", {"iss": "https://issuer.example"}),
            ("another issuer", {"iss": self.issuer.name.upper()}),
            ("another issuer", {"iss": None}),
            ("expired", {"exp": now - HOUR}), ("no exp", {"exp": None}),
            ("no exp", {"iat": "now"}), ("not valid", {"nbf": now + HOUR}),
            ("not valid", {"iat": now + HOUR}), ("before this sign-in", {"iat": now - HOUR}),
            ("no sub", {"sub": None}),
        ):
            with self.subTest(words=words, claims=claims):
                self.assert_refused(words, self.token(**claims))
        reply = self.answer("Register", name=ANN, noPassphrase=True)
        self.assertEqual(reply["status"]["statusCode"], 203)
        now = int(time.time())
        self.assertTrue(self.sign_in(self.token(
            aud=[issuers.CLIENT, "x"], azp=issuers.CLIENT, exp=now - 200, nbf=now + 200))[
                "signedIn"])
        # Those with the same reason are one record, whose count follows some seconds later.
        wait_until(lambda: sum(record["count"] for record in self.refusals()) >= 15)
        self.assertLess(len({record["reason"] for record in self.refusals()}), 15)

    def refusals(self):
        text = self.workspace.serving("audit", "--event", "sign-in-refused", "--json").stdout
        return [json.loads(line) for line in text.splitlines()]

    def test_a_token_must_be_signed_by_the_issuers_key(self):
        self.mount()
        for words, mint in (
            ("'none'", lambda claims, key: issuers.unsigned(claims)),
            ("'HS256'", issuers.signed_with_public_key),
            ("signature is wrong", lambda claims, key: Key(key.name).token(claims)),
            ("signature is wrong", lambda claims, key: altered(key.token(claims))),
            ("critical", lambda claims, key: key.token(claims, {"crit": ["b64"]})),
            ("no ID token", lambda claims, key: key.token(claims, {"typ": "at+jwt"})),
            ("parts", lambda claims, key: "x" + key.token(claims) + ".x"),
            ("base64url", lambda claims, key: key.token(claims) + "="),
            ("too long", lambda claims, key: key.token({**claims, "x": "x" * 70_000})),
            ("JSON", lambda claims, key: key.token([claims])),
        ):
            with self.subTest(words=words):
                self.issuer.mint = mint
                self.assert_refused(words, self.token())

    def test_a_sign_in_counts_once_and_for_its_caller(self):
        self.mount()
        tokens = []

        def remember(nonce):
            tokens.append(self.token()(nonce))
            return tokens[-1]

        with Client(self.workspace.socket) as client:
            begun = client.call("SignIn.Begin", account=ANN, way="browser")
            client.call("SignIn.DeliverKeys", keys=self.key_set())
            token = remember(begun["nonce"])
            self.assertTrue(self.finish(client, begun["ticket"], token)["signedIn"])
            for ticket in (begun["ticket"], "another"):
                with self.assertRaises(Refusal):
                    self.finish(client, ticket, token)
            # Nor in another sign-in, by a way that has no nonce.
            begun = client.call("SignIn.Begin", account=ANN, way="deviceCode")
            with self.assertRaisesRegex(Refusal, "used before"):
                self.finish(client, begun["ticket"], token)
            # A refusal ends it, too; so do ten minutes.
            begun = client.call("SignIn.Begin", account=ANN, way="browser")
            for words in ("another client", "no such sign-in"):
                with self.assertRaisesRegex(Refusal, words):
                    self.finish(client, begun["ticket"], self.token(aud="x")(begun["nonce"]))
            begun = client.call("SignIn.Begin", account=ANN, way="browser")
            self.advance(601)
            with self.assertRaisesRegex(Refusal, "no such sign-in"):
                self.finish(client, begun["ticket"], self.token()(begun["nonce"]))
            # So is the proof: what was signed in above has waited for too long.
            reply = self.answer("Register", name=ANN, noPassphrase=True)
            self.assertEqual(reply["status"]["statusCode"], 203)

    def test_the_sign_ins_of_a_user_are_bounded(self):
        self.mount()
        with Client(self.workspace.socket) as client:
            client.call("SignIn.DeliverKeys", keys=self.key_set())
            begun = [
                client.call("SignIn.Begin", account=ANN, way="browser") for _ in range(9)]
            with self.assertRaisesRegex(Refusal, "no such sign-in"):
                self.finish(client, begun[0]["ticket"], self.token()(begun[0]["nonce"]))
            for one in (begun[1], begun[8]):
                token = self.token()(one["nonce"])
                self.assertTrue(self.finish(client, one["ticket"], token)["signedIn"])
            # Many users: each has a few, and all together have no more than the daemon keeps.
            if os.getuid() == 0:
                self.open_to_all()
                for user in range(20_000, 20_040):
                    with Client(self.workspace.socket, user) as other:
                        try:
                            for _ in range(8):
                                other.call("SignIn.Begin", account=BOB, way="browser")
                        except Refusal as refusal:
                            self.assertIn("too many", str(refusal))
                            self.assertGreater(user, 20_020)
                            return
                self.fail("sign-ins are not bounded")

    def open_to_all(self):
        folder = self.workspace.socket.parent
        for place in (self.workspace.root, folder.parent, folder):
            os.chmod(place, 0o755)

    def test_the_person_stays_the_same(self):
        self.mount()
        self.issuer.person = {"preferred_username": ANN}
        self.register()
        self.assertEqual(
            self.workspace.account()["objectId"], f"subject of {ANN}")
        # The name has gone to somebody else; and she has another one now.
        self.assert_refused("another person", self.token(sub="somebody else"))
        self.assertTrue(
            self.sign_in(self.token(preferred_username="ann.married@contoso.com"))["signedIn"])


def altered(token):
    """With one bit of the payload changed."""
    head, payload, signature = token.split(".")
    data = bytearray(issuers.base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    data[-3] ^= 1
    return ".".join((head, issuers.base64url(data), signature))


if __name__ == "__main__":
    unittest.main()
