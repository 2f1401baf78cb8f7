"""Signing in by OpenID Connect, at an issuer that may lie, with a browser that is a program."""
import json
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

import issuer as issuers
from enrolling import DAY, DEBUG, HOUR, PLAIN, EnrollmentCase, daemon_text
from issuer import Issuer, Key
from ordinary_user import NOBODY
from socket_client import Client, Refusal
from workspace import ANN, BOB, DONE, NO, NOT_FOUND, REFUSED, USAGE, WRONG_PASSPHRASE, wait_until

CREDENTIALS = {"organizationalCredentialsRequired": True}
GROUP = "9f6e6c1e-3b0a-4f0e-9a27-0c7f6a1d2b3c"
OID = "11111111-2222-3333-4444-555555555555"

# Follows the address as a browser does; STRAY: knocks with another state first.
BROWSER = """#!/usr/bin/python3
import os, ssl, sys, urllib.error, urllib.parse, urllib.request
with open(os.environ["BROWSED"], "a") as log:
    log.write(sys.argv[1] + "\\n")
query = dict(urllib.parse.parse_qsl(sys.argv[1].partition("?")[2]))
if os.environ.get("STRAY"):
    for stray in ("/?code=x&state=" + "A" * 43, "/?code=x", "/favicon.ico", "/?state=%zz&code=x",
                  "/?code=x&state=" + query["state"] + "&state=" + query["state"]):
        try:
            urllib.request.urlopen(query["redirect_uri"] + stray)
            sys.exit("a stray request was accepted")
        except urllib.error.HTTPError as error:
            with open(os.environ["BROWSED"], "a") as log:
                log.write(f"stray {error.code}\\n")
if os.environ.get("DENIED"):
    answer = {"error": "access_denied", "state": query["state"]}
    urllib.request.urlopen(query["redirect_uri"] + "/?" + urllib.parse.urlencode(answer))
else:
    context = ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"])
    urllib.request.urlopen(sys.argv[1], context=context)
"""

# As libsecret's: the secret by standard input, and out by standard output.
SECRET_TOOL = """#!/bin/sh
verb=$1; shift
if [ "$1" = --label ]; then shift 2; fi
place=$KEPT/$(printf %s "$*" | sha256sum | cut -c1-32)
case "$verb" in
store) cat >"$place" ;;
lookup) [ -f "$place" ] && cat "$place" ;;
esac
"""


class SignInCase(EnrollmentCase):
    settings = {**DEBUG, "SignInDeviceCode": True}

    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="mamd-test-issuer-"))
        self.addCleanup(subprocess.run, ["rm", "-r", self.place])
        self.issuer = Issuer(self.place)
        self.addCleanup(self.issuer.stop)
        self.issuer.person = {"preferred_username": ANN, "oid": OID}
        super().setUp()
        for name, text in (("xdg-open", BROWSER), ("secret-tool", SECRET_TOOL)):
            program = self.place / "bin" / name
            program.parent.mkdir(exist_ok=True)
            program.write_text(text)
            program.chmod(0o755)
        (self.place / "kept").mkdir()
        self.workspace.environment.update(
            PATH=f"{self.place / 'bin'}:{os.environ['PATH']}", KEPT=str(self.place / "kept"),
            BROWSED=str(self.place / "browsed"), SSL_CERT_FILE=str(self.issuer.certificate))

    def settings_of_test(self):
        return {
            **self.settings, "ADALAuthority": self.issuer.name, "ADALClientId": issuers.CLIENT}

    def mount(self, **rules):
        self.set_policy(**rules)
        self.workspace.mount()

    def register(self, account=ANN, *options, status=DONE):
        return self.workspace.serving(
            "account register", account, "--passfile", self.workspace.passfile, *options,
            status=status)

    def login(self, *options, status=DONE):
        return self.workspace.serving(
            "account login", ANN, "--passfile", self.workspace.passfile, *options, status=status)

    def refresh(self, status=DONE):
        return self.workspace.serving("account refresh", ANN, status=status)

    def sign_in(self, token, account=ANN, way="browser", user=None, deliver=True, **more):
        """By the socket: Begin, a token of the nonce, Finish."""
        with Client(self.workspace.socket, user) as client:
            begun = client.call("SignIn.Begin", account=account, way=way, **more)
            if deliver:
                client.call("SignIn.DeliverKeys", keys=self.key_set())
            return self.finish(client, begun["ticket"], token(begun["nonce"]))

    def finish(self, client, ticket, token):
        with tempfile.TemporaryFile() as file:
            file.write(token.encode())
            file.flush()
            file.seek(0)
            return client.call(
                "SignIn.Finish", [file.fileno()], ticket=ticket, tokenDescriptor=0)

    def key_set(self):
        return json.dumps({"keys": [key.public for key in self.issuer.keys]})

    def token(self, **claims):
        """A maker of tokens that have these claims instead; None: without."""
        def make(nonce):
            members = {**self.issuer.claims(nonce), **claims}
            members = {name: value for name, value in members.items() if value is not None}
            return self.issuer.mint(members, self.issuer.keys[-1])

        return make

    def assert_refused(self, words, token, **more):
        with self.assertRaises(Refusal) as refused:
            self.sign_in(token, **more)
        self.assertIn(words, str(refused.exception))


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
        self.assertEqual(self.block(), "locked-out")
        self.issuer.person = {"preferred_username": BOB}
        self.assertIn("another person", self.login(status=REFUSED).stderr)
        self.issuer.person = {"preferred_username": ANN, "oid": OID}
        self.assertEqual(self.block(), "locked-out")
        # A token opens nothing without the passphrase.
        self.advance(HOUR)
        other = self.workspace.secret("other", "not the passphrase")
        self.workspace.serving(
            "account login", ANN, "--passfile", other, status=WRONG_PASSPHRASE)
        self.assertEqual(self.block(), "locked-out")
        self.advance(HOUR)
        self.login()
        self.assertEqual(self.block(), "")

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
        self.assertEqual(browsed[1:], [f"stray {code}" for code in (400, 400, 404, 400, 400)])

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
        self.assertTrue(self.sign_in(self.token(
            aud=[issuers.CLIENT, "x"], azp=issuers.CLIENT, exp=now - 200, nbf=now + 200))[
                "signedIn"])
        # Those with the same reason are one record, whose count follows some seconds later.
        wait_until(lambda: sum(record["count"] for record in self.refusals()) >= 15, 30)
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
            begun = client.call("SignIn.Begin", account=ANN, way="device-code")
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
        self.assertIn(f"1 keys of {self.issuer.name}", told)
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


class Offline(SignInCase):
    RULES = {**CREDENTIALS, "periodOfflineBeforeAccessCheck": "P1D"}

    def begin(self, **rules):
        self.mount(**{**self.RULES, **rules})
        self.register()
        self.always = self.file = self.workspace.path("file")
        self.file.write_bytes(b"content")

    def assert_usable(self, kind=""):
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
        self.assert_usable("offline-wipe")
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


class Groups(SignInCase):
    policy = {**PLAIN, "id": "of-the-group", "assignments": [
        {"target": {
            "@odata.type": "#microsoft.graph.groupAssignmentTarget", "groupId": GROUP}}]}

    def test_groups_of_the_token_choose_policies(self):
        self.issuer.person["groups"] = ["another-group"]
        self.mount(printBlocked=True)
        self.register()
        self.assertEqual(self.workspace.account()["stage"], "registered")
        self.issuer.person["groups"] = [GROUP.upper()]
        self.login()
        self.assertEqual(self.workspace.account()["stage"], "enrolled")
        self.workspace.remount()
        self.assertEqual(self.workspace.account()["stage"], "enrolled")
        self.refresh()
        self.assertEqual(self.workspace.account()["stage"], "enrolled")
        # Too many for a token: nobody knows, and then the stricter counts.
        self.issuer.person = {
            "preferred_username": ANN, "oid": OID, "_claim_names": {"groups": "src1"}}
        self.refresh()
        self.assertEqual(self.workspace.account()["stage"], "enrolled")
        self.issuer.person = {"preferred_username": ANN, "oid": OID, "groups": []}
        self.refresh()
        self.workspace.serving("account check-in")
        self.assertEqual(self.workspace.account()["stage"], "registered")

    def test_groups_hold_for_the_passphrase_of_a_new_account(self):
        self.issuer.person["groups"] = [GROUP]
        self.mount(pinRequired=True, minimumPinLength=40)
        self.assertIn("40", self.register(status=REFUSED).stderr)
        self.issuer.person["groups"] = []
        self.register()


class KnownGroups(SignInCase):
    """The daemon knows the group, and not that the person is in it: the token alone tells."""
    settings = {
        **DEBUG, "MAMPolicyRequired": True, "Groups": {GROUP: ["someone@contoso.com"]}}
    policy = Groups.policy

    def setUp(self):
        super().setUp()
        self.issuer.person["groups"] = [GROUP]
        self.mount()
        self.register()
        self.assertEqual(self.workspace.account()["stage"], "enrolled")

    def test_a_machine_whose_accounts_need_a_policy_starts_again(self):
        self.workspace.remount()
        self.assertEqual(self.workspace.account()["stage"], "enrolled")

    def test_a_token_that_says_nothing_of_groups_takes_none_back(self):
        self.issuer.person = {
            "preferred_username": ANN, "oid": OID, "_claim_names": {"groups": "src1"}}
        self.refresh()
        self.workspace.serving("account check-in")
        self.assertEqual(self.workspace.account()["stage"], "enrolled")


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
            with self.assertRaisesRegex(Exception, "another person"):
                self.finish(client, begun["ticket"], self.token()(begun["nonce"]))

    def test_names_are_not_what_unicode_calls_equal(self):
        self.issuer.person = {"preferred_username": "\u212aate@contoso.com"}
        self.mount()
        with Client(self.workspace.socket) as client:
            begun = client.call("SignIn.Begin", account="kate@contoso.com", way="browser")
            client.call("SignIn.DeliverKeys", keys=self.key_set())
            with self.assertRaises(Exception):
                self.finish(client, begun["ticket"], self.token()(begun["nonce"]))


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


def altered(token):
    """With one bit of the payload changed."""
    head, payload, signature = token.split(".")
    data = bytearray(issuers.base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    data[-3] ^= 1
    return ".".join((head, issuers.base64url(data), signature))


if __name__ == "__main__":
    unittest.main()
