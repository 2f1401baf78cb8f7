"""An organisation's directory with an engine, and machines of its, made without mamd's own code."""
import base64
import json
import os
import pathlib
import subprocess
import time

from nats_engine import NKey, base64url, credentials, token
from signing import DAY, Organization, rfc3339, statement


class Office:
    """ORG of docs/FLEET.md."""

    def __init__(self, path, engine, https=None):
        self.path, self.engine = pathlib.Path(path), engine
        self.organization = Organization()
        self.heads, self.machines = {}, {}
        for name in ("signed", "orders", "engine", "machines", "invitations", "invited", "roots",
                     "reports"):
            (self.path / name).mkdir(parents=True)
        (self.path / "engine").chmod(0o700)
        self.put("root.json", self.organization.root())
        self.put("roots/1.json", (self.path / "root.json").read_bytes())
        self.put("engine/ca.pem", engine.authority.path.read_bytes())
        self.put("engine/settings.json", {
            "servers": [f"localhost:{engine.port}"], "ca": "ca.pem", "https": https,
            "replicas": 1})
        self.https = https
        self.secret("engine/admin.creds", credentials(*engine.user("admin")))
        self.secret("engine/system.creds", credentials(
            *engine.user("system", account=engine.system)))
        self.revoked = {}
        self.write_account()

    def put(self, name, content):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(
            content if isinstance(content, bytes) else json.dumps(content).encode())

    def secret(self, name, text):
        (self.path / name).write_text(text)
        (self.path / name).chmod(0o600)

    def write_account(self, issued=None, **claims):
        (self.path / "engine/account.jwt").write_text(
            self.engine.account_token(self.revoked, issued, **claims))

    # Documents

    def policy(self, rules, name="level.json", **options):
        sign = "ordered" if "mamdRecoveryPublicKey" in rules else "policy"
        document = getattr(self.organization, sign)(rules, name=name, **options)
        self.put(f"signed/{options.get('audience', 'all').replace(':', '@')}@{name}", document)
        self.heads[f"policy/{options.get('audience', 'all')}/{name}"] = self.organization.serials
        return document

    def membership(self, machine, *groups):
        self.put(f"signed/{machine}@groups.json", self.organization.document(
            "membership", {"groups": list(groups), "members": {}}, name="groups",
            audience=f"machine:{machine}"))

    def time(self):
        self.put("time.json", self.organization.time(self.heads, days=1))

    def order(self, action, machine, account=None, **options):
        """Returns the nonce."""
        order = self.organization.order(action, machine, account, **options)
        self.put(f"orders/{os.urandom(4).hex()}.json", order)
        return statement(order)["name"]

    # Machines

    def invite(self, expires=None, fingerprint=None, authority=None):
        """A code, as docs/FLEET.md has it."""
        invitation, key = os.urandom(16).hex(), NKey("user")
        get = "$JS.API.DIRECT.GET."
        jwt, _ = self.engine.user(
            f"invitation {invitation}",
            [f"enrol.{invitation}", *(f"{get}DOCS.docs.{name}" for name in (
                "roots", "all", "time")), f"{get}INVITED.invited.{invitation}"],
            [f"invited.{invitation}", f"_INBOX.{invitation}.>"], key=key,
            expires=expires or time.time() + DAY)
        pem = (authority or self.engine.authority).path.read_text()
        members = {
            "organization": fingerprint or self.organization.fingerprint,
            "invitation": invitation, "servers": [f"localhost:{self.engine.port}"], "jwt": jwt,
            "ca": "".join(pem.split("\n")[1:-2])}
        if self.https:
            members["https"] = self.https
        text = json.dumps(members, sort_keys=True, separators=(",", ":"))
        return invitation, "mamd1:" + base64url(
            f'{text[:-1]},"seed":"{key.seed}"}}'.encode())

    def admit(self, invitation):
        """Of the request that was pulled. Returns the machine's id."""
        request = json.loads((self.path / f"reports/enrolment/{invitation}.json").read_text())
        payload = json.loads(base64.b64decode(request["payload"]))
        machine = payload["machine"]
        self.put(f"machines/{machine}.json", {
            "machine": machine, "publicKey": payload["publicKey"], "name": payload["host"],
            "transportKey": payload["transportKey"], "invitation": invitation, "groups": [],
            "admitted": rfc3339(int(time.time())), "revoked": None})
        self.put(f"invited/{invitation}.json", {
            "invitation": invitation, "machine": machine,
            "jwt": self.machine_token(machine, payload["transportKey"])})
        self.machines[machine] = payload["transportKey"]
        return machine

    def machine_token(self, machine, key):
        get = "$JS.API.DIRECT.GET.DOCS."
        documents = [
            "docs.roots", "docs.all", "docs.time", "docs.g.*", f"docs.m.{machine}"]
        return token("user", key, self.engine.account, f"machine {machine}", {
            "subs": 256, "data": -1, "payload": -1, "pub": {"allow": [
                f"status.{machine}", f"rec.{machine}.*", f"audit.{machine}",
                *(get + document for document in documents)]},
            "sub": {"allow": [*documents, f"_INBOX.{machine}.>"]}})

    def revoke(self, machine):
        self.revoked[self.machines[machine]] = int(time.time()) + 1
        self.write_account(issued=int(time.time()) + 5)
        path = self.path / f"machines/{machine}.json"
        self.put(path, {**json.loads(path.read_text()), "revoked": rfc3339(int(time.time()))})

    def readmit(self, machine):
        """As `mamctl fleet readmit` does."""
        key = self.machines[machine]
        time_ = self.revoked.pop(key)
        self.write_account(issued=int(time.time()) + 10, readmitted={key: time_})
        path = self.path / f"machines/{machine}.json"
        self.put(path, {**json.loads(path.read_text()), "revoked": None})

    # mamfleet

    def run(self, verb, *arguments, status=0):
        done = subprocess.run(
            ["mamfleet", verb, self.path, *arguments], capture_output=True, text=True, timeout=120)
        if status is not None and done.returncode != status:
            raise AssertionError(f"{verb}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def push(self, **options):
        return json.loads(self.run("push", "--json", **options).stdout)

    def pull(self):
        return json.loads(self.run("pull", "--json").stdout)

    def reports(self, kind):
        """Payloads, by file."""
        found = {}
        for path in sorted((self.path / "reports" / kind).rglob("*.json*")):
            found[path.name.split(".")[0]] = [
                json.loads(base64.b64decode(json.loads(line)["payload"]))
                for line in path.read_text().splitlines()]
        return found
