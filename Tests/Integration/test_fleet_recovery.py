"""What a real machine reports, as the administrator sees it; its recovery records above all."""
import base64
import json
import shutil
import unittest

from fleet_directory import Directory, Machine, sealed, transport_key
from signing import rfc3339
from socket_client import Client
from test_fleet import RULES, Fleet
from workspace import (
    ANN, BOB, DONE, NO, NOT_FOUND, USAGE, WRONG_PASSPHRASE, Workspace, wait_until)


class Recovery(Fleet):
    def setUp(self):
        super().setUp()
        self.key = self.workspace.root / "org.key"
        self.recovery = json.loads(self.workspace.ctl(
            "recovery", "keygen", "--json", "-o", self.key, "--no-passphrase").stdout)["publicKey"]
        self.directory = Directory(self.workspace.root / "org", organization=self.contoso)
        policy = self.contoso.ordered(
            {**RULES, "mamdRecoveryPublicKey": self.recovery}, name="level2", serial=17)
        self.directory.put(policy, "policy-all-level2")
        self.directory.sign_time()
        self.join(policy, (self.directory.path / "time.json").read_bytes())
        # As `admit` writes it, and `pull` the reports.
        (self.directory.path / "machines" / f"{self.machine}.json").write_text(json.dumps({
            "machine": self.machine, "publicKey": self.show()["publicKey"], "name": "real",
            "transportKey": transport_key(bytes(32)), "invitation": "ab" * 16, "groups": [],
            "admitted": rfc3339(self.directory.now), "revoked": None}))
        wait_until(lambda: self.call("Records")["records"])
        self.pull()

    def call(self, method):
        with Client(self.workspace.socket) as client:
            return client.call(f"Fleet.{method}")

    def pull(self):
        reports = self.directory.path / "reports"
        (reports / "status" / f"{self.machine}.json").write_text(self.call("Status")["report"])
        self.records = reports / "records" / self.machine
        shutil.rmtree(self.records, ignore_errors=True)
        self.records.mkdir()
        for record in self.call("Records")["records"]:
            (self.records / f"{record['account']}.json").write_text(record["report"])

    @property
    def record(self):
        return self.records / f"{self.account()}.json"

    def fleet(self, *words, status=DONE, **options):
        return self.workspace.ctl(
            "fleet", *words, "--organization", self.directory.path, status=status, **options)

    def check(self, *options, status=DONE):
        found = json.loads(
            self.fleet("recovery", "check", "--all", "--json", *options, status=status).stdout)
        return {each["name"]: each for each in found}

    def test_a_real_machine_is_compliant(self):
        self.assertEqual(json.loads(self.fleet("status", "--check", "--json").stdout)["flaws"], [])
        self.assertIn("1 compliant", self.fleet("status").stdout)
        self.assertIn("what it should have", self.fleet("diff").stdout)
        self.deliver(self.contoso.policy(RULES, name="another", serial=4))
        self.pull()
        said = self.fleet("diff").stdout
        self.assertIn("1 machine has policy/all/another serial 4, which is not here", said)

    def test_check(self):
        self.assertEqual(self.check()[ANN]["state"], "sealed")
        found = self.check("--recovery-key", self.key)[ANN]
        self.assertEqual((found["state"], found["proven"]), ("proven", list("ABCD")))
        self.assertEqual(self.fleet("recovery", "check").stdout.count("\n"), 1)
        record = self.record
        self.workspace.register(BOB)
        wait_until(lambda: len(self.call("Records")["records"]) == 2)
        self.pull()
        record.unlink()
        found = self.check("--recovery-key", self.key, status=NO)
        self.assertEqual((found[ANN]["state"], found[BOB]["state"]), ("missing", "proven"))
        said = self.fleet("recovery", "check", status=NO).stdout
        self.assertIn("it has sent no record", said)
        self.assertNotIn(BOB, said)

    def test_a_wiped_account_is_no_missing_one(self):
        record, account = self.record.read_bytes(), self.account()
        self.workspace.serving("wipe", ANN, "--confirm", ANN)

        def told():
            self.pull()
            # Copies of records last.
            (self.records / f"{account}.json").write_bytes(record)
            return self.check("--recovery-key", self.key)[ANN]

        wait_until(lambda: told()["state"] == "wiped")
        found = told()
        self.assertEqual(found["proven"], list("ABCD"))
        self.assertIn("its machine has it no more", found["reason"])
        said = self.fleet("recovery", "check").stdout
        self.assertIn("0 accounts", said)
        self.assertIn("1 record of wiped accounts", said)
        listed = self.fleet("recovery", "check", "--all", "--recovery-key", self.key).stdout
        self.assertIn(f"{ANN} ({account})", listed)
        self.assertNotIn("in use", listed)
        # It may open a backup.
        said = self.fleet(
            "recovery", "pull", "real", ANN, "-o", self.workspace.root / "ann.keys").stderr
        self.assertIn("its machine has it no more", said)

    def test_a_wipe_that_was_obeyed(self):
        payload = json.loads(base64.b64decode(json.loads(self.record.read_bytes())["payload"]))
        machine, account = Machine(self.directory, "other"), payload["account"]
        machine.register()
        machine.records_file(account).write_bytes(sealed(
            "recovery-record", {**payload, "machine": machine.id}, machine.key))
        nonce = self.directory.order("wipe", machine, account)
        states = []
        for said in (
                {"accounts": [machine.account(id=account)]}, {"accounts": [], "issued": 1},
                {"accounts": [], "issued": 1, "obeyed": [nonce]},
                {"accounts": [machine.account(id=account)], "obeyed": [nonce]}):
            machine.say(**said)
            (found,) = json.loads(self.fleet(
                "recovery", "check", "--all", "--json", "--machine", "other").stdout)
            states.append((found["state"], found["reason"]))
        self.assertEqual(states, [
            ("sealed", None), ("sealed", None),
            ("wiped", f"wiped by the order {nonce[:8]}"), ("sealed", None)])

    def test_what_cannot_be_listed_is_no_missing_account(self):
        (self.records / "loop.json").symlink_to("loop.json")
        told = self.fleet("recovery", "check", "--all", status=NO)
        self.assertEqual(told.stdout, "")
        self.assertIn(f"{self.machine}/loop.json", told.stderr)

    def test_records_of_others(self):
        """Signed by another machine, of another account, sealed to another key, with keys that are
        not in use."""
        good, machine = self.record.read_bytes(), Machine(self.directory, "other")
        payload = json.loads(base64.b64decode(json.loads(good)["payload"]))
        machine.register()
        self.record.write_bytes(sealed("recovery-record", payload, machine.key))
        self.assertEqual(self.check(status=NO)[ANN]["state"], "refused")
        # Whoever is root on a machine signs anything in its name, and for its own accounts alone.
        account = payload["account"]
        for name, changes, state in (
                ("fine", {}, "proven"), ("no proof", {"proof": ""}, "unproven"),
                ("a changed proof", {"proof": base64.b64encode(bytes(33)).decode()}, "unproven"),
                ("another key's name", {"recoveryKey": "0" * 16}, "damaged"),
                ("a cut record", {"record": payload["record"][:-4]}, "damaged"),
                ("no record", {"record": ""}, "damaged"),
                ("another account", {"account": "ab" * 16}, "refused")):
            with self.subTest(name):
                place = self.directory.path / "reports" / "records" / machine.id
                place.mkdir(exist_ok=True)
                (place / f"{account}.json").write_bytes(sealed(
                    "recovery-record", {**payload, "machine": machine.id, **changes}, machine.key))
                machine.say(accounts=[machine.account(id=account, name="mallory")])
                self.record.write_bytes(good)
                found = self.check(
                    "--recovery-key", self.key, status=DONE if name == "fine" else NO)
                self.assertEqual(found["mallory"]["state"], state)
                self.assertEqual(found[ANN]["state"], "proven")

    def test_recovery_keys(self):
        other = self.workspace.root / "other.key"
        self.workspace.ctl("recovery", "keygen", "-o", other, "--passfile", self.workspace.passfile)
        found = self.check(
            "--recovery-key", other, "--passfile", self.workspace.passfile, status=NO)
        self.assertEqual(found[ANN]["state"], "unopened")
        wrong = self.workspace.secret("wrong", "not this one")
        self.fleet(
            "recovery", "check", "--recovery-key", other, "--passfile", wrong,
            status=WRONG_PASSPHRASE)
        self.fleet("recovery", "check", "--recovery-key", self.record, status=USAGE)

    def test_pull_and_import(self):
        out = self.workspace.root / "ann.keys"
        self.fleet("recovery", "pull", "real", ANN, "-o", out)
        self.assertEqual(out.stat().st_mode & 0o777, 0o600)
        (stored,) = (self.workspace.backing / ".mamd" / "recovery").iterdir()
        self.assertEqual(out.read_bytes(), stored.read_bytes())
        self.fleet("recovery", "pull", "real", ANN, "-o", out, status=NO)
        self.fleet("recovery", "pull", self.machine, self.account(), "-o", out, "--force")
        self.fleet("recovery", "pull", "real", "nobody", "-o", out, "--force", status=NOT_FOUND)
        self.fleet("recovery", "pull", "nosuch", ANN, "-o", out, "--force", status=NOT_FOUND)
        for words in (
                ["pull", "real"], ["check", "real"], ["pull", "real", ANN], ["copy"],
                ["check", "-o", out], ["pull", "real", ANN, "-o", out, "--all"]):
            self.fleet("recovery", *words, status=USAGE)
        other = Workspace("other")
        self.addCleanup(other.close)
        other.init().mount()
        other.serving(
            "account import", out, "--recovery-key", self.key, "--passfile", other.passfile)
        self.assertEqual(other.account()["name"], ANN)
        good = json.loads(self.record.read_bytes())
        self.record.write_text(json.dumps({**good, "signatures": []}))
        self.fleet("recovery", "pull", "real", ANN, "-o", out, "--force", status=NOT_FOUND)
        self.assertEqual(out.read_bytes(), stored.read_bytes())


# Its own tests run in its own file.
del Fleet

if __name__ == "__main__":
    unittest.main()
