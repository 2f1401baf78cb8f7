"""The fleet's service: from a code to a policy in force, and back."""
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time
import unittest

from fleet_service import RULES, UNREACHABLE, USAGE, FleetService
from nats_engine import Authority
from ordinary_user import NOBODY
from workspace import DAMAGED, REFUSED, Workspace, wait_until


class Enrolment(FleetService):
    def test_from_a_code_to_a_policy_and_an_order(self):
        self.enrol()
        wait_until(lambda: self.show()["problem"] is None)
        # A push, to what is in force.
        for value in (True, False, True):
            self.office.policy({**RULES, "printBlocked": value})
            self.office.time()
            self.office.push()
            start = time.monotonic()
            wait_until(lambda: self.rule() == value)
            print(f"policy in force {1000 * (time.monotonic() - start):.0f} ms after the push")
        wait_until(lambda: self.show()["problem"] is None)
        # A lock, and a wipe.
        self.assertTrue(self.is_readable())
        self.office.order("lock", self.machine)
        self.office.push()
        start = time.monotonic()
        wait_until(lambda: not self.is_readable())
        print(f"locked {1000 * (time.monotonic() - start):.0f} ms after the push")
        account = self.workspace.account()["id"]
        self.office.order("wipe", self.machine, account)
        self.office.push()
        start = time.monotonic()
        wait_until(lambda: not json.loads(
            self.workspace.serving("account list", "--json").stdout), message="not wiped")
        print(f"wiped {1000 * (time.monotonic() - start):.0f} ms after the push")

    def test_reports_come_back(self):
        key = self.workspace.root / "org.key"
        public = json.loads(self.workspace.ctl(
            "recovery", "keygen", "--json", "-o", key, "--no-passphrase").stdout)["publicKey"]
        self.office.policy({**RULES, "mamdRecoveryPublicKey": public})
        self.office.push()
        self.enrol(service=False)
        (self.service.state / "records.json").mkdir()
        self.service.start()
        self.await_connected()

        def reported():
            self.office.pull()
            return self.machine in self.office.reports("status")

        wait_until(reported)
        (status,) = self.office.reports("status")[self.machine]
        self.assertEqual(status["machine"], self.machine)
        self.assertIn("policy/all/level.json", status["documents"])
        (audit,) = [self.office.reports("audit")[self.machine]]
        self.assertTrue(any(
            record["event"] == "joined" for batch in audit for record in batch["records"]))
        account = self.workspace.account()["id"]
        self.workspace.unlock()

        def has_record():
            self.office.pull()
            return account in self.office.reports("records")

        wait_until(has_record)
        wait_until(lambda: "records.json is not kept: " in self.service.text)
        (record,) = self.office.reports("records")[account]
        self.assertEqual((record["machine"], record["account"]), (self.machine, account))
        # What is here but cannot be read may be newer, and is left.
        file = self.office.path / "reports" / "status" / f"{self.machine}.json"
        file.unlink()
        file.symlink_to(file.name)
        (self.office.path / "reports" / ".places.json").unlink()
        self.assertIn("symbolic links", self.office.run("pull", status=1).stderr)
        self.assertTrue(file.is_symlink())
        # The invitation is of no use any more, and is not kept.
        wait_until(lambda: not (self.service.state / "invitation.nk").exists())

    def test_a_register_that_cannot_be_read_is_told(self):
        self.enrol()
        entry = self.office.path / "machines" / f"{self.machine}.json"
        good = entry.read_bytes()
        entry.write_text("{}")
        told = []

        def pulled():
            told[:] = [self.office.run("pull", "--json")]
            return json.loads(told[0].stdout)["unknownMachines"]

        wait_until(pulled)
        self.assertIn(f"{entry}: the entry's machine must be an id", told[0].stderr)
        entry.write_bytes(good)
        self.assertEqual(self.office.run("pull").stderr, "")
        self.assertIn(self.machine, self.office.reports("status"))

    def test_a_kept_bundle_that_cannot_be_read_is_told(self):
        self.enrol()
        self.service.kill()
        bundle = self.service.state / "bundle-nats-all"
        bundle.unlink(missing_ok=True)
        bundle.mkdir()
        self.service.start()
        wait_until(lambda: "bundle-nats-all is not read: " in self.service.text)

    def test_a_place_in_the_audit_that_is_damaged_is_told(self):
        self.enrol()
        place = self.service.state / "audit-place.json"
        wait_until(place.exists)
        self.service.kill()
        place.write_bytes(b"{")
        self.service.start()
        told = f"{place} is damaged: the audit is sent again from record "
        wait_until(lambda: told in self.service.text)

    @unittest.skipUnless(os.getuid() == 0, "listens as another user, which only root can")
    def test_a_socket_that_refuses_is_not_taken_for_none(self):
        _, code = self.office.invite()
        self.workspace.unmount()
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(str(self.workspace.socket))
        os.seteuid(NOBODY)
        listener.listen()
        os.seteuid(0)
        done = subprocess.run(
            ["mamfleet", "join", "-"], input=code, capture_output=True, text=True,
            env=self.workspace.environment)
        self.assertEqual(done.returncode, REFUSED, done.stderr)
        self.assertIn(f"uid {NOBODY} listens at {self.workspace.socket}", done.stderr)

    def test_groups(self):
        self.enrol()
        self.office.policy({**RULES, "printBlocked": True}, "lab.json", audience="group:l.ab")
        self.office.push()
        self.assertFalse(self.rule())
        self.office.membership(self.machine, "l.ab")
        self.office.push()
        wait_until(lambda: self.rule())

    def test_a_code_that_is_used_up_for_one_that_has_joined_is_told_before(self):
        self.enrol(service=False)
        self.assertNotIn("has joined", self.join(self.code).stderr)
        _, code = self.office.invite()
        said = self.join(code).stderr
        self.assertIn(f"has joined Contoso before, as machine {self.machine}", said)
        # Then it is under way.
        self.assertNotIn("has joined", self.join(code).stderr)

    def test_an_administrator_who_is_slow(self):
        self.invitation, code = self.office.invite()
        self.assertIn("has not let it in yet", self.join(code).stdout)
        self.service.start()
        wait_until(lambda: "waits for the organisation" in self.service.text)
        self.office.pull()
        self.machine = self.office.admit(self.invitation)
        self.office.push()
        self.await_connected()
        self.assertIn("the administrator has let this machine in", self.service.text)
        self.assertNotIn("not connected", self.service.text)

    def test_by_mamctl(self):
        _, code = self.office.invite()
        told = self.workspace.serving("fleet join", code, "--wait", "2", "--json").stdout
        self.assertEqual(json.loads(told)["state"], "pending")
        # Once more is no mistake, and asks for nothing new.
        again = self.workspace.serving("fleet join", "-", "--wait", "2", input=code.encode()).stdout
        self.assertIn("has not let it in yet", again)
        for value in ("0", "soon"):
            told = self.workspace.serving("fleet join", code, "--wait", value, status=USAGE).stderr
            self.assertIn("--wait must be a number from 1 to 86400", told)
        told = self.workspace.serving(
            "fleet join", self.office.path / "root.json", "--wait", "2", status=USAGE).stderr
        self.assertIn("--wait goes with the code of an invitation", told)
        told = self.workspace.serving(
            "fleet join", code, "--fingerprint", "0" * 64, status=USAGE).stderr
        self.assertIn("nothing else goes with it", told)

    def test_an_answer_for_another_key_is_told(self):
        self.enrol(service=False)
        (self.service.state / "transport.nk").unlink()
        told = self.join(self.code, status=REFUSED).stderr
        self.assertIn("the administrator's answer is for another key", told)
        self.service.start()
        wait_until(lambda: "answer is for another key" in self.service.text)

    def test_codes_that_do_not_work(self):
        other = Authority(pathlib.Path(tempfile.mkdtemp(dir=self.place)))
        for code, words, status in (
                ("mamd1:abc", "was not copied as a whole", USAGE),
                ("hello", "no invitation", USAGE),
                (self.office.invite(expires=time.time() - 10)[1], "expired at", REFUSED),
                (self.office.invite(fingerprint="0" * 64)[1], "no root with the code's", REFUSED),
                (self.office.invite(authority=other)[1], "another certificate", REFUSED)):
            with self.subTest(words):
                told = self.join(code, status=status).stderr
                self.assertIn(words, told)
                self.assertIn("try:", told)
        self.assertIsNone(self.show())
        _, code = self.office.invite()
        self.engine.kill()
        self.assertIn("check the network", self.join(code, status=UNREACHABLE).stderr)

    def test_what_the_machine_trusts_is_not_what_the_code_names(self):
        """OpenSSL's own authorities are those of this variable, or all that issue for the web."""
        self.workspace.environment["SSL_CERT_FILE"] = str(self.engine.authority.path)
        other = Authority(pathlib.Path(tempfile.mkdtemp(dir=self.place)))
        told = self.join(self.office.invite(authority=other)[1], status=REFUSED).stderr
        self.assertIn("another certificate", told)

    def test_documents_that_are_damaged_are_not_joined_without(self):
        _, code = self.office.invite()
        client = self.engine.administrator()
        self.addCleanup(client.close)
        good = client.last("DOCS", "docs.all")
        client.store("docs.all", good[:-10])
        self.assertIn("the server's docs.all: ", self.join(code, status=DAMAGED).stderr)
        self.assertIsNone(self.show())
        client.store("docs.all", good)
        self.join(code)
        self.assertIsNotNone(self.show())

    def test_a_code_works_once(self):
        self.enrol(service=False)
        other = Workspace(name="other", settings=self.settings)
        self.addCleanup(other.close)
        other.init().mount()
        told = self.join(self.code, status=REFUSED, workspace=other).stderr
        self.assertIn("used already", told)
        # It has not joined either.
        self.assertIsNone(json.loads(
            other.serving("fleet show", "--json").stdout)["organization"])


if __name__ == "__main__":
    unittest.main()
