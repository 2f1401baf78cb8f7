"""What comes between a sign-in and its account."""
import unittest

from enrolling import DAY
from sign_in_case import SignInCase
from socket_client import Client, Refusal
from workspace import ANN


class OthersInBetween(SignInCase):
    def test_a_policy_that_begins_to_ask_leaves_a_whole_period(self):
        self.mount()
        self.register()
        for _ in range(3):
            self.advance(30 * DAY)
            self.workspace.serving("account check-in")
        self.set_policy(
            organizationalCredentialsRequired=True, periodOfflineBeforeAccessCheck="PT12H")
        self.workspace.serving("account check-in")
        self.assertEqual(self.enrollment().get("block"), None)

    def test_a_refresh_takes_no_sign_ins_place(self):
        self.mount()
        self.register()
        self.sign_in(self.token())
        self.sign_in(self.token(nonce=None), way="refresh")
        # Past the sign-in, to the passphrase.
        reply = self.call("Enrollment.Login", account=ANN, passphrase="not the one")
        self.assertEqual(reply.get("error"), "io.mamd.Workspace.WrongPassphrase")

    def test_an_account_of_another_person_since_is_left_alone(self):
        self.mount()
        with Client(self.workspace.socket) as client:
            begun = client.call("SignIn.Begin", account=ANN, way="browser")
            client.call("SignIn.DeliverKeys", keys=self.key_set())
            self.issuer.person["sub"] = "the first"
            self.register()
            self.issuer.person["sub"] = "somebody else of that name"
            with self.assertRaisesRegex(Refusal, "another person"):
                self.finish(client, begun["ticket"], self.token()(begun["nonce"]))

    def test_names_are_not_what_unicode_calls_equal(self):
        self.issuer.person = {"preferred_username": "\u212aate@contoso.com"}
        self.mount()
        with Client(self.workspace.socket) as client:
            begun = client.call("SignIn.Begin", account="kate@contoso.com", way="browser")
            client.call("SignIn.DeliverKeys", keys=self.key_set())
            with self.assertRaisesRegex(Refusal, "another person"):
                self.finish(client, begun["ticket"], self.token()(begun["nonce"]))


if __name__ == "__main__":
    unittest.main()
