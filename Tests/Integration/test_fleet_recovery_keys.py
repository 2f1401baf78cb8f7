"""A policy that names a recovery key, or takes one away, takes order keys: at the office before it
is sent, and on the machine when it arrives."""
import json
import subprocess
import unittest

from carrier import Servers, with_clients
from fleet_reports import Reports
from test_fleet import RULES
from test_fleet_push import PushCase
from workspace import DONE, REFUSED, wait_until

NEEDS = ("nats-server",)
SLOT = "policy/all/recovery.json"


class Office(PushCase):
    def setUp(self):
        super().setUp()
        self.public = self.workspace.ctl(
            "recovery", "keygen", "-o", self.workspace.root / "org.key",
            "--no-passphrase").stdout.strip()
        self.put("recovery.json", mamdRecoveryPublicKey=self.public)
        self.document_file = self.signed / "recovery.json"

    def cosign(self, *files, key="bob"):
        self.organization.json(
            "cosign", *files or [self.document_file], "--key", self.organization.keys[key], "--yes")

    def time(self):
        """The serials that it names, and what is said beside."""
        out = self.organization.path / "time.json"
        done = self.organization.fleet(
            "time", self.signed, "--root", self.organization.root, "--key",
            self.organization.keys["server"], "-o", out, "--force")
        heads = json.loads(self.document(out)[1])["heads"]
        return heads.get(SLOT), done.stderr

    def bundle(self, status=DONE):
        """The serials that it has of the policy, and what is said beside."""
        web = self.workspace.root / "web"
        done = self.organization.fleet("bundle", "-o", web, status=status)
        found = json.loads((web / "all.json").read_text())
        return [self.serial_of(document) for document in found], done.stderr

    def serial_of(self, envelope):
        file = self.workspace.root / "one.json"
        file.write_text(json.dumps(envelope))
        return self.document(file)[0]["serial"]

    def serial(self):
        return self.document(self.document_file)[0]["serial"]

    def flaws(self):
        return " ".join(self.organization.json("status")["flaws"])

    def test_steps_that_machines_would_refuse_are_refused(self):
        refused = self.organization.json(
            "push", self.policies, "--key", self.key, "--yes", "--rings", "5",
            status=REFUSED)["error"]
        self.assertIn(f"{SLOT} names a recovery key", refused["message"])
        self.assertIn("2 order keys", refused["message"])
        self.assertIn("--local", refused["next"])
        self.assertFalse(self.signed.exists())
        shown, = self.push("--dry-run")["changes"]
        keys, = shown["preview"]["recoveryKeys"],
        self.assertEqual(len(keys), 1)
        said = self.organization.fleet(
            "push", self.policies, "--key", self.key, "--dry-run").stdout
        self.assertIn(f"{keys[0]}: machines refuse the policy", said)

    def test_it_waits_for_order_keys_and_holds_up_nothing_else(self):
        self.put("other.json")
        told = self.organization.fleet(
            "push", self.policies, "--key", self.key, "--yes", "--local").stderr
        self.assertIn(f"mamctl fleet cosign {self.document_file} --root", told)
        self.assertNotIn("signed/other.json", told)
        shown = self.organization.json(
            "verify", self.document_file, "--root", self.organization.root, status=REFUSED)[0]
        self.assertIn("needs the signatures of 2 order keys, and has 1", shown["refusal"])
        serial, said = self.time()
        self.assertIsNone(serial)
        self.assertIn(f"not named yet: {self.document_file}", said)
        found, said = self.bundle(REFUSED)
        self.assertEqual(len(found), 1)
        self.assertIn(f"not written: {self.document_file}", said)
        self.assertIn("is not sent before", self.flaws())
        self.assertNotIn("The time lists", self.flaws())
        self.cosign()
        self.assertEqual(self.time(), (self.serial(), ""))
        self.assertEqual(len(self.bundle()[0]), 2)
        self.assertNotIn("recovery key", self.flaws())
        self.organization.json("verify", self.document_file, "--root", self.organization.root)

    def test_the_version_in_force_stays_named_and_sent_meanwhile(self):
        self.push()
        self.cosign()
        former, _ = self.time()
        self.put("recovery.json", mamdRecoveryPublicKey=self.public, printBlocked=True)
        self.push()
        self.assertGreater(self.serial(), former)
        self.assertEqual(self.time()[0], former)
        self.assertNotIn("which is not here", self.flaws())
        # A machine that joins now must have what the time names.
        self.assertEqual(self.bundle(REFUSED)[0], [former])
        self.cosign()
        self.assertEqual(self.time()[0], self.serial())
        self.assertEqual(self.bundle()[0], [self.serial()])

    def test_what_takes_it_away_waits_too(self):
        self.push()
        self.cosign()
        former, _ = self.time()
        self.put("other.json")
        for number, words in enumerate((("changed",), ("withdrawn", "--prune"))):
            with self.subTest(words):
                if number == 0:
                    self.put("recovery.json", printBlocked=True)
                else:
                    (self.policies / "recovery.json").unlink()
                shown = self.organization.fleet(
                    "push", self.policies, "--key", self.key, "--dry-run", *words[1:]).stdout
                self.assertIn(words[0], shown)
                if number == 0:
                    self.assertIn("taken away once enough order keys have signed this", shown)
                told = self.organization.fleet(
                    "push", self.policies, "--key", self.key, "--yes", "--local", *words[1:]).stderr
                self.assertIn(f"mamctl fleet cosign {self.document_file} --root", told)
                serial, said = self.time()
                self.assertEqual(serial, former)
                self.assertIn("or takes one away", said)
                self.assertIn(former, self.bundle(REFUSED)[0])
                self.assertIn("or takes one away", self.flaws())
        self.cosign()
        self.assertEqual(self.time()[0], self.serial())
        self.assertIn(self.serial(), self.bundle()[0])

    def test_what_fleet_sign_withdraws_waits_too(self):
        self.push()
        self.cosign()
        former, _ = self.time()
        self.organization.json(
            "sign", "--withdraw", "--name", "recovery.json", "--kind", "policy", "--audience",
            "all", "--root", self.organization.root, "--key", self.key, "-o", self.document_file,
            "--force")
        self.assertEqual(self.time()[0], former)
        self.assertEqual(self.bundle(REFUSED)[0], [former])

    def test_what_was_sent_since_the_time_is_in_force_too(self):
        """Machines have it, whether or not a time names it yet."""
        self.push()
        self.cosign()
        sent = self.serial()
        self.put("recovery.json", printBlocked=True)
        self.push()
        self.assertEqual(self.bundle(REFUSED)[0], [sent])

    def test_the_end_of_what_is_in_force_is_watched_meanwhile(self):
        self.push("--expires", "3")
        self.cosign()
        self.time()
        self.assertIn(f"{SLOT} expires at", self.flaws())
        self.put("recovery.json", mamdRecoveryPublicKey=self.public, printBlocked=True)
        self.push()
        self.assertIn("is not sent before", self.flaws())
        self.assertIn(f"{SLOT} expires at", self.flaws())
        self.assertNotIn(self.document(self.document_file)[0]["expires"], self.flaws())

    def test_what_an_older_version_has_sent_goes_on(self):
        """Machines have it, and must not be closed for want of it."""
        self.push()
        alone = self.document_file.read_bytes()
        self.cosign()
        self.time()
        self.document_file.write_bytes(alone)
        self.assertEqual(self.time(), (self.serial(), ""))
        self.assertEqual(self.bundle()[0], [self.serial()])
        self.assertIn("machines that lack it refuse it", self.flaws())
        # The next version is as any.
        self.put("recovery.json", mamdRecoveryPublicKey=self.public, printBlocked=True)
        former = self.serial()
        self.push()
        self.assertEqual(self.bundle(REFUSED)[0], [former])


@with_clients
class Sent(Office):
    def sent(self):
        """The serial of each policy that the engine has."""
        done = subprocess.run(
            ["mamfleet", "sent", self.organization.path, "--json"], capture_output=True, text=True,
            check=True, timeout=60)
        return {each["slot"]: each["serial"] for each in json.loads(done.stdout)["documents"]}

    def test_a_push_holds_back_that_one_and_sends_the_rest(self):
        self.put("other.json")
        self.push("--expires", "10")
        self.cosign()
        self.time()
        former = self.serial()
        servers = Servers(self.organization)
        self.addCleanup(servers.close)
        # Both are due to be signed again.
        told = self.organization.fleet(
            "push", self.policies, "--key", self.key, "--yes", status=REFUSED).stderr
        self.assertIn(f"not sent: {self.document_file}", told)
        root = self.organization.path / "root.json"
        self.assertIn(
            f"try: mamctl fleet cosign {self.document_file} --key KEY --root {root}", told)
        other = self.document(self.signed / "other.json")[0]["serial"]
        sent = self.sent()
        self.assertEqual(
            (sent["policy/all/other.json"], sent[SLOT]), (other, former))
        self.assertGreater(self.serial(), former)
        # The next push signs nothing anew; and once it is signed, it goes out.
        self.cosign()
        said = json.loads(self.organization.fleet(
            "push", self.policies, "--key", self.key, "--yes", "--json").stdout)
        self.assertEqual(said["changes"], [])
        self.assertEqual(self.sent()[SLOT], self.serial())


class Arrival(Reports):
    def setUp(self):
        super().setUp()
        self.recovery = json.loads(self.workspace.ctl(
            "recovery", "keygen", "--json", "-o", self.workspace.root / "org.key",
            "--no-passphrase").stdout)["publicKey"]
        self.rules = {**RULES, "mamdRecoveryPublicKey": self.recovery}

    def records(self):
        return len(self.call("Records")["records"])

    def test_one_policy_key_brings_no_recovery_key(self):
        stolen = self.contoso.keys["policy"]
        self.assertIn(
            "it names a recovery key, or takes one away, and so needs the signatures of 2 order"
            " keys, and has 0",
            self.refusal(self.contoso.policy(self.rules)))
        self.assertIn("has 1", self.refusal(
            self.contoso.policy(self.rules, keys=stolen + self.contoso.keys["order"][:1])))
        self.assertEqual(self.status()["suspects"], {"unsigned": 2})
        self.assertIsNone(self.rule("mamdRecoveryPublicKey"))
        self.assertTrue(self.is_readable())
        self.assertEqual(self.records(), 0)
        self.deliver(self.contoso.ordered(self.rules))
        wait_until(lambda: self.records() == 1)
        # Neither for a while, nor in another policy's place.
        self.refusal(self.contoso.policy({**self.rules, "printBlocked": True}))
        self.assertEqual(self.rule("mamdRecoveryPublicKey"), self.recovery)
        self.assertEqual(self.records(), 1)

    def test_one_policy_key_takes_none_away(self):
        self.deliver(self.contoso.ordered(self.rules))
        wait_until(lambda: self.records() == 1)
        for document in (self.contoso.policy(RULES),
                         self.contoso.document("policy", b"", name="level.json")):
            self.assertIn("or takes one away", self.refusal(document))
        self.assertEqual(self.rule("mamdRecoveryPublicKey"), self.recovery)
        self.deliver(self.contoso.ordered(RULES))
        wait_until(lambda: self.records() == 0)

    def test_who_leaves_the_group_keeps_the_record(self):
        group = {"audience": "group:sales", "name": "recovery"}
        self.deliver(self.membership("sales"))
        self.deliver(self.contoso.ordered(self.rules, **group))
        wait_until(lambda: self.records() == 1)
        self.deliver(self.membership())
        wait_until(lambda: self.rule("mamdRecoveryPublicKey") is None)
        # The next unlock has the keys.
        self.workspace.lock()
        self.workspace.unlock()
        self.assertEqual(self.records(), 1)
        self.assertTrue(self.workspace.account()["isRecoverable"])
        self.deliver(self.contoso.ordered(RULES, **group))
        self.workspace.lock()
        self.workspace.unlock()
        self.assertEqual(self.records(), 0)
        self.assertFalse(self.workspace.account()["isRecoverable"])

    def membership(self, *groups):
        return self.contoso.document(
            "membership", {"groups": groups, "members": {}}, name="groups",
            audience=f"machine:{self.machine}")

    def test_joining_takes_none_either(self):
        self.workspace.serving("fleet show")
        self.deliver(self.contoso.order("leave", self.machine))
        wait_until(lambda: self.show() is None)
        told = self.join(self.contoso.policy(self.rules), status=REFUSED)
        self.assertIn("it names a recovery key", told.stderr)
        self.assertIsNone(self.show())
        self.join(self.contoso.ordered(self.rules))


if __name__ == "__main__":
    unittest.main()
