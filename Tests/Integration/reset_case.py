"""A machine whose person has forgotten the passphrase, and an office with two order keys."""
import json
import shutil
import unittest

from carrier import Organization
from fleet_directory import transport_key
from signing import rfc3339
from socket_client import Client
from workspace import ANN, DONE, SETTINGS, WRONG_PASSPHRASE, Workspace, wait_until

NEW = "other words than before"
FORGOTTEN = "account passphrase"


class ResetCase(unittest.TestCase):
    """Documents and reports are carried as on a stick; a subclass has an engine."""

    rules = {}
    registration = ()

    def setUp(self):
        self.office = Workspace()
        self.addCleanup(self.office.close)
        self.organization = Organization(self.office)
        self.org_key = self.office.root / "org.key"
        self.public = self.office.ctl(
            "recovery", "keygen", "-o", self.org_key, "--no-passphrase").stdout.strip()
        self.push(**self.rules)
        self.workspace = Workspace(settings={**SETTINGS, "LockGraceSeconds": 0})
        self.addCleanup(self.workspace.close)
        self.workspace.init().mount().register(extra=self.registration)
        self.file = self.workspace.path("plan")
        self.file.write_bytes(b"the only copy")
        self.join()
        self.new = self.workspace.secret("new", NEW)

    def push(self, **rules):
        policies = self.office.root / "policies"
        policies.mkdir(exist_ok=True)
        (policies / "first.json").write_text(json.dumps({
            "displayName": "First", "printBlocked": True, "mamdRecoveryPublicKey": self.public,
            **rules}))
        self.organization.fleet(
            "push", policies, "--key", self.organization.keys["ann"], "--local", "--yes")
        self.organization.fleet(
            "cosign", self.organization.path / "signed" / "first.json", "--key",
            self.organization.keys["bob"], "--yes")
        self.organization.fleet(
            "time", self.organization.path / "signed", "--root", self.organization.root, "--key",
            self.organization.keys["server"], "-o", self.organization.path / "time.json",
            "--force")

    def join(self):
        place = self.organization.path
        self.workspace.serving(
            "fleet join", place / "root.json", *(place / "signed").rglob("*.json"),
            place / "time.json", "--fingerprint", self.organization.fingerprint)
        shown = self.show()
        self.machine = shown["machine"]
        (place / "machines").mkdir(exist_ok=True)
        (place / "machines" / f"{self.machine}.json").write_text(json.dumps({
            "machine": self.machine, "publicKey": shown["publicKey"], "name": "laptop",
            "transportKey": transport_key(bytes(32)), "invitation": "ab" * 16, "groups": [],
            "admitted": rfc3339(1_790_000_000), "revoked": None}))
        wait_until(lambda: self.call("Records")["records"])
        self.report()

    # At the machine

    def call(self, method):
        with Client(self.workspace.socket) as client:
            return client.call(f"Fleet.{method}")

    def show(self):
        return json.loads(self.workspace.serving("fleet show", "--json").stdout)["organization"]

    def ask(self):
        """What the person is told."""
        return json.loads(
            self.workspace.serving(FORGOTTEN, ANN, "--forgotten", "--json").stdout)["reset"]

    def choose(self, status=DONE, new=None):
        return self.workspace.serving(
            FORGOTTEN, ANN, "--forgotten", "--new-passfile", new or self.new, status=status)

    def requests(self):
        return list((self.workspace.state / "resets").iterdir())

    def assert_only_the_new_one_opens(self):
        wait_until(lambda: self.workspace.account()["retryAfterSeconds"] == 0)
        self.workspace.unlock(status=WRONG_PASSPHRASE)
        wait_until(lambda: self.workspace.account()["retryAfterSeconds"] == 0)
        self.workspace.unlock(passfile=self.new)
        self.assertEqual(self.file.read_bytes(), b"the only copy")

    def assert_unchanged(self):
        """The passphrase of before opens it."""
        self.workspace.unlock()
        self.assertEqual(self.file.read_bytes(), b"the only copy")

    # In between

    def report(self, records=True):
        """Status and records, where `mamfleet pull` puts them."""
        reports = self.organization.path / "reports"
        for name in ("status", f"records/{self.machine}", "audit", "enrolment"):
            (reports / name).mkdir(parents=True, exist_ok=True)
        self.status_file = reports / "status" / f"{self.machine}.json"
        self.status_file.write_text(self.call("Status")["report"])
        if records:
            place = reports / "records" / self.machine
            shutil.rmtree(place)
            place.mkdir()
            for record in self.call("Records")["records"]:
                (place / f"{record['account']}.json").write_text(record["report"])

    def deliver(self, order, status=DONE):
        return self.workspace.serving("fleet deliver", order, status=status)

    # At the office

    @property
    def order_file(self):
        return self.organization.path / "orders" / "reset.json"

    def order(self, code, status=DONE, options=()):
        return self.organization.fleet(
            "order", "reset", "--root", self.organization.root, "--key",
            self.organization.keys["ann"], "--machine", "laptop", "--account", ANN,
            "--recovery-key", self.org_key, "--code", code, "-o", self.order_file, "--force",
            "--yes", *options, status=status)

    def cosign(self):
        return self.organization.fleet(
            "cosign", self.order_file, "--root", self.organization.root, "--key",
            self.organization.keys["bob"], "--yes")

    def signed(self):
        """An order that answers the open request, with both signatures."""
        self.workspace.lock()
        code = self.ask()["code"]
        self.report()
        self.order(code)
        self.cosign()
        return self.order_file

    def attention(self):
        (machine,) = json.loads(
            self.organization.fleet("status", "--all", "--json", status=None).stdout)["machines"]
        return [each["kind"] for each in machine["attention"]]

    def order_state(self):
        (order,) = self.organization.json("orders")
        return order["state"]


def signed_by_one(order):
    """The same with the first signature alone."""
    envelope = json.loads(order.read_text())
    del envelope["signatures"][1:]
    path = order.with_name("one.json")
    path.write_text(json.dumps(envelope))
    return path

