"""A workspace whose people sign in at an issuer that may lie, with a browser that is a program."""
import json
import os
import pathlib
import subprocess
import tempfile

import issuer as issuers
from enrolling import DEBUG, EnrollmentCase
from issuer import Issuer
from running import PREFIX
from socket_client import Client, Refusal
from workspace import ANN, DONE

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
        self.place = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
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
