"""Ways of signing in by OpenID Connect, and where an issuer is found."""
import json
import unittest

import issuer as issuers
from enrolling import HOUR, daemon_text
from issuer import Key
from sign_in_case import OID, SignInCase
from workspace import ANN, BOB, NO, REFUSED, USAGE, WRONG_PASSPHRASE

NEEDS = ("dbus", "gnome-keyring", "libsecret-tools")


class Ways(SignInCase):
    def test_a_browser_proves_whose_an_account_is(self):
        self.mount()
        told = self.register().stderr
        self.assertIn(f"{self.issuer.name}/authorize?response_type=code", told)
        account = self.workspace.account()
        self.assertEqual((account["stage"], account["objectId"]), ("enrolled", OID))
        asked = (self.place / "browsed").read_text()
        for words in ("code_challenge_method=S256", "nonce=", "state=", "http%3A%2F%2F127.0.0.1%3A",
                      f"client_id={issuers.CLIENT}", "scope=openid"):
            self.assertIn(words, asked)
        # A token is in no log, no audit, no state of the daemon's.
        audit = self.workspace.serving("audit", "--json").stdout
        self.assertIn("signed-in", audit)
        for place in self.workspace.state.rglob("*"):
            if place.is_file():
                self.assertNotRegex(place.read_bytes(), rb"eyJ[\w-]+\.eyJ", place)
        self.assertNotIn("eyJ", audit + told + daemon_text(self.workspace))
        # What a proof has been good for, it is good for no more.
        reply = self.answer("Login", account=ANN, passphrase="x")
        self.assertEqual(reply["status"]["statusCode"], 203)

    def test_the_browser_comes_back_past_slow_connections(self):
        self.workspace.environment["SLOW"] = "100"
        self.mount()
        self.register()
        self.assertEqual(self.workspace.account()["stage"], "enrolled")

    def test_another_device_does_where_it_is_allowed(self):
        self.issuer.spoil = lambda claims: {k: v for k, v in claims.items() if k != "nonce"}
        self.mount()
        told = self.register(ANN, "--device-code").stderr
        self.assertIn("WDJB-MJHT", told)
        self.assertFalse((self.place / "browsed").exists())
        self.assertEqual(self.workspace.account()["stage"], "enrolled")
        self.register(BOB, "--device-code", "--no-browser", status=USAGE)

    def test_a_login_by_es256_ends_a_lock_out(self):
        self.issuer.keys = [Key("curve", "ES256")]
        self.mount(pinRequired=True, maximumPinRetries=2, minimumPinLength=4)
        self.register()
        self.workspace.serving("lock", ANN, "--now")
        for number in range(2):
            self.wrong(number)
        self.assertEqual(self.block(), "lockedOut")
        self.issuer.person = {"preferred_username": BOB}
        self.assertIn("another person", self.login(status=REFUSED).stderr)
        self.issuer.person = {"preferred_username": ANN, "oid": OID}
        self.assertEqual(self.block(), "lockedOut")
        # A token opens nothing without the passphrase.
        self.advance(HOUR)
        other = self.workspace.secret("other", "not the passphrase")
        self.workspace.serving(
            "account login", ANN, "--passfile", other, status=WRONG_PASSPHRASE)
        self.assertEqual(self.block(), "lockedOut")
        self.advance(HOUR)
        self.login()
        self.assertIsNone(self.block())

    def test_without_a_sign_in_nobody_registers(self):
        self.mount()
        reply = self.answer("Register", name=ANN, noPassphrase=True)
        self.assertEqual(reply["status"]["statusCode"], 203)
        self.workspace.environment["DENIED"] = "1"
        self.assertIn("access_denied", self.register(status=REFUSED).stderr)
        self.assertIsNone(self.workspace.account())

    def test_stray_requests_do_not_count(self):
        self.mount()
        self.workspace.environment["STRAY"] = "1"
        self.register()
        browsed = (self.place / "browsed").read_text().splitlines()
        self.assertEqual(
            browsed[1:], [f"stray {code}" for code in (*(400,) * 45, 404, 400, 400)])

    def test_the_keyring_of_a_desktop_keeps_the_refresh_token(self):
        (self.place / "bin" / "secret-tool").unlink()
        self.mount()
        self.workspace.ctl(
            *self.words("account register", "--passfile", self.workspace.passfile),
            "--oid", OID, prefix=self.desktop("refresh"))
        self.assertEqual(self.issuer.requests.count("/tenant/token"), 2)

    def words(self, verb, *more):
        return [*verb.split(), ANN, *more, "--workspace", "work"]

    def desktop(self, verb):
        """A session with a keyring, where the account is refreshed afterwards."""
        script = (
            'printf x | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; '
            f'"$@" && mamctl account {verb} {ANN} --workspace work')
        return ("dbus-run-session", "--", "sh", "-ec", script, "sh")


class Discovery(SignInCase):
    def test_a_tampered_discovery_is_refused(self):
        self.mount()
        base = self.issuer.name.replace("https", "http")
        for words, changes in (
            ("another issuer", {"issuer": "https://issuer.example"}),
            ("another issuer", {"issuer": base}), ("another issuer", {"issuer": None}),
            ("authorization_endpoint", {"authorization_endpoint": base + "/authorize"}),
            ("token_endpoint", {"token_endpoint": base + "/token"}),
            ("token_endpoint", {"token_endpoint": 7}),
            ("jwks_uri", {"jwks_uri": "file:///etc/passwd"}),
            ("device_authorization_endpoint", {"device_authorization_endpoint": "ftp://x/"}),
        ):
            with self.subTest(changes=changes):
                self.issuer.discovery = changes
                self.assertIn(words, self.register(status=REFUSED).stderr)
        self.assertFalse((self.place / "browsed").exists())

    def test_another_certificate_is_refused(self):
        self.mount()
        other = issuers.make_certificate(self.place / "other.pem")
        self.workspace.environment["SSL_CERT_FILE"] = str(other)
        self.assertIn("does not answer", self.register(status=NO).stderr)
        self.assertEqual(self.issuer.requests, [])

    def test_settings_that_cannot_work_are_refused(self):
        for settings in (
            {"ADALAuthority": self.issuer.name.replace("https", "http")},
            {"ADALAuthority": "https://login.microsoftonline.com/common"},
            {"aadAuthorityUriOverride": "issuer.example"}, {"ADALClientId": None},
        ):
            place = self.workspace.root / "config_home" / "mamd" / "work" / "settings.json"
            before = place.read_text()
            place.write_text(json.dumps({**json.loads(before), **settings}))
            self.workspace.mount(status=NO)
            place.write_text(before)
        place.write_text(json.dumps({
            key: value for key, value in json.loads(before).items() if key != "ADALClientId"}))
        self.workspace.mount(status=NO)


if __name__ == "__main__":
    unittest.main()
