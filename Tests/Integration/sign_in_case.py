"""A workspace whose people sign in at an issuer that may lie, with a browser that is a program."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import issuer as issuers
from enrolling import DEBUG, EnrollmentCase
from issuer import Issuer
from running import PREFIX
from socket_client import Client, Refusal
from workspace import ANN, DONE, PROGRAMS

OID = "11111111-2222-3333-4444-555555555555"


class SignInCase(EnrollmentCase):
    settings = {**DEBUG, "SignInDeviceCode": True}

    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.addCleanup(subprocess.run, ["rm", "-r", self.place])
        self.issuer = Issuer(self.place)
        self.addCleanup(self.issuer.stop)
        self.issuer.person = {"preferred_username": ANN, "oid": OID}
        super().setUp()
        (self.place / "bin").mkdir()
        for name, ours in (("xdg-open", "browse.py"), ("secret-tool", "keep_secrets.sh")):
            program = shutil.copy(PROGRAMS / ours, self.place / "bin" / name)
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
