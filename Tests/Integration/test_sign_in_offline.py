"""How long an account stays open without its issuer."""
import json
import unittest

from enrolling import DAY, HOUR
from sign_in_case import SignInCase
from workspace import ANN, NO, NOT_FOUND, REFUSED

CREDENTIALS = {"organizationalCredentialsRequired": True}


class Offline(SignInCase):
    RULES = {**CREDENTIALS, "periodOfflineBeforeAccessCheck": "P1D"}

    def begin(self, **rules):
        self.mount(**{**self.RULES, **rules})
        self.register()
        self.always = self.file = self.workspace.path("file")
        self.file.write_bytes(b"content")

    def assert_usable(self, kind=None):
        self.assertEqual(self.block(), kind)
        if not kind:
            self.assertEqual(self.file.read_bytes(), b"content")

    def test_an_outage_closes_nothing_before_the_offline_period_and_a_refresh_ends_it(self):
        self.begin()
        self.issuer.stop()
        self.advance(23 * HOUR)
        self.assertIn("does not answer", self.refresh(status=NO).stderr)
        self.workspace.serving("account check-in")
        self.assert_usable()
        self.advance(2 * HOUR)
        # Policies alone are no check-in of who must sign in.
        self.workspace.serving("account check-in")
        self.assert_usable("offline")
        self.assertIn("account refresh", self.workspace.account()["blockReason"])
        self.refresh(status=NO)
        self.assert_usable("offline")

    def test_a_refresh_counts_and_a_revoked_token_does_not(self):
        self.begin()
        for _ in range(3):
            self.advance(23 * HOUR)
            self.refresh()
            self.workspace.serving("account check-in")
        self.assert_usable()
        self.advance(25 * HOUR)
        self.workspace.serving("account check-in")
        self.assert_usable("offline")
        self.refresh()
        self.assert_usable()
        self.issuer.refresh_tokens = {}
        self.assertIn("it was revoked", self.refresh(status=REFUSED).stderr)
        # Another person's refresh token, and a token that another sign-in has asked for.
        self.assert_refused("another sign-in", self.token(nonce="x"), way="refresh")
        self.assert_refused(
            "another person", self.token(nonce=None, oid=None, sub="eve"), way="refresh")

    def test_a_refresh_is_no_login(self):
        self.begin()
        self.refresh()
        self.workspace.serving("lock", ANN, "--now")
        secret = self.workspace.passfile.read_text().strip()
        reply = self.answer("Login", account=ANN, passphrase=secret)
        self.assertEqual(reply["status"]["statusCode"], 203)
        for kept in (self.place / "kept").iterdir():
            kept.unlink()
        self.assertIn("account login", self.refresh(status=NOT_FOUND).stderr)

    def test_the_wipe_waits_for_a_sign_in_too(self):
        self.begin(periodOfflineBeforeWipeIsEnforced="P3D")
        self.advance(4 * DAY)
        self.workspace.serving("account check-in")
        self.assert_usable("offlineWipe")
        self.assertTrue(self.file.exists())
        self.login()
        self.assert_usable()

    def test_without_the_policy_nobody_has_to_sign_in_again(self):
        self.begin(organizationalCredentialsRequired=False)
        self.advance(30 * DAY)
        self.workspace.serving("account check-in")
        self.assert_usable()

    def test_who_was_here_before_the_setting_has_the_offline_period(self):
        place = self.workspace.root / "config_home" / "mamd" / "work" / "settings.json"
        settings = json.loads(place.read_text())
        place.write_text(json.dumps({
            key: value for key, value in settings.items() if not key.startswith("ADAL")}))
        self.begin()
        self.assertFalse((self.place / "browsed").exists())
        self.workspace.unmount()
        place.write_text(json.dumps(settings))
        self.workspace.mount()
        self.workspace.unlock()
        self.advance(23 * HOUR)
        self.workspace.serving("account check-in")
        self.assert_usable()
        self.advance(2 * HOUR)
        self.workspace.serving("account check-in")
        self.assert_usable("offline")
        self.login()
        self.assert_usable()


if __name__ == "__main__":
    unittest.main()
