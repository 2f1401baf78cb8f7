"""What a machine reports to its organisation is signed, complete, and for its carriers alone."""
import base64
import hashlib
import hmac
import json
import os
import pathlib
import sys
import time
import unittest

from signing import DAY, Forged, opened, signed_bytes
from socket_client import Client, Refusal
from test_fleet import RULES, Fleet
from workspace import ANN, BOB, DECODER, DONE, REFUSED, wait_until

sys.path.append(str(DECODER.parent))
import decoder  # noqa: E402

TRANSPORT_KEY = "U" + "A" * 55
NOBODY, DAEMON = 65534, 1


class Reports(Fleet):
    def setUp(self):
        super().setUp()
        self.join_with_policy()
        self.public = base64.b64decode(self.show()["publicKey"])

    def call(self, method, **parameters):
        with Client(self.workspace.socket) as client:
            return client.call(f"Fleet.{method}", **parameters)

    def opened(self, report, kind):
        return opened(report, kind, self.contoso.id, self.public)

    def status(self):
        return self.opened(self.call("Status")["report"], "status")

    def account_status(self, name=ANN):
        (account,) = (one for one in self.status()["accounts"] if one["name"] == name)
        return account


class Status(Reports):
    def test_how_the_machine_is(self):
        self.deliver(self.contoso.document(
            "membership", {"groups": ["finance"], "members": {}}, name="groups",
            audience=f"machine:{self.machine}"))
        self.assertEqual(self.show()["groups"], ["finance"])
        order = self.contoso.order("lock", self.machine)
        nonce = json.loads(base64.b64decode(json.loads(order)["payload"]))["name"]
        self.deliver(order)
        wait_until(lambda: not self.is_readable())
        told = self.status()
        self.assertNotIn("diagnostics", told)
        self.assertEqual(told["host"], os.uname().nodename)
        self.assertEqual(told["kernel"], os.uname().release)
        self.assertEqual(told["workspace"], self.workspace.name)
        self.assertLess(abs(time.time() - time.mktime(time.strptime(
            told["issued"], "%Y-%m-%dT%H:%M:%SZ")) + time.timezone), 60)
        self.assertEqual((told["rootSerial"], told["pending"], told["problem"]), (1, 0, None))
        self.assertEqual(told["obeyed"], [nonce])
        shown = {one["slot"]: one["serial"] for one in self.show()["documents"]}
        self.assertEqual(shown.pop("root/all/root"), 1)
        self.assertEqual(told["documents"], shown)
        self.assertTrue(told["mounted"])
        self.assertEqual(
            told["contained"], "landlock" in pathlib.Path("/sys/kernel/security/lsm").read_text()
            if os.path.exists("/sys/kernel/security/lsm") else told["contained"])
        (account,) = told["accounts"]
        self.assertEqual((account["id"], account["name"]), (self.account(), ANN))
        self.assertEqual((account["window"], account["blockedBy"]), ("locked", None))
        self.assertTrue(account["compliant"])
        self.assertIn("Signed", account["level"])
        self.assertIsNotNone(account["checkedIn"])

    def test_an_account_is_open_locked_or_blocked(self):
        self.assertEqual(self.account_status()["window"], "open")
        with open(self.file, "rb"):
            self.assertEqual(self.account_status()["files"], 1)
        self.workspace.lock()
        self.assertEqual(self.account_status()["window"], "locked")
        self.deliver(self.contoso.document("policy", b"", name="level.json"))
        wait_until(lambda: self.account_status()["window"] == "blocked")
        self.assertEqual(self.account_status()["blockedBy"], "launch")
        self.assertFalse(self.account_status()["compliant"])

    def test_why_check_ins_fail(self):
        self.deliver(self.contoso.time({"policy/all/level.json": 1000}))
        self.assertIn("did not arrive", self.status()["problem"])

    def test_refused_accesses_are_counted(self):
        self.assertEqual(self.status()["refused"], 0)
        self.workspace.lock()
        for name in ("one", "two"):
            with self.assertRaises(OSError):
                self.file.read_bytes()
            with self.assertRaises(OSError):
                self.workspace.path(name).write_bytes(b"x")
        wait_until(lambda: self.status()["refused"] >= 2)
        before = self.status()["refused"]
        self.assertEqual(self.status()["refused"], before)
        self.workspace.remount()
        self.assertGreaterEqual(self.status()["refused"], before)

    def test_the_last_check_is_counted(self):
        self.assertIsNone(self.status()["verify"])
        (self.workspace.backing / "foreign").write_bytes(b"plain")
        self.workspace.serving("verify", self.workspace.mount_point, status=None)
        self.assertEqual(self.status()["verify"]["findings"], 0)
        os.truncate(self.workspace.on_disk("file"), 4100)
        self.workspace.remount()
        self.workspace.serving("verify", self.workspace.mount_point, status=None)
        self.assertGreater(self.status()["verify"]["findings"], 0)

    def test_diagnostics_come_with_the_status_on_order(self):
        self.assertNotIn("diagnostics", self.status())
        order = self.contoso.order(
            "collectDiagnostics", self.machine, keys=self.contoso.keys["order"][:1])
        self.deliver(order)
        self.workspace.remount()
        self.assertEqual(self.show()["pending"], 1)
        told = self.status()
        self.assertEqual((told["pending"], len(told["obeyed"])), (0, 1))
        found = told["diagnostics"]
        self.assertGreater(found["counters"]["unlocks"], 0)
        self.assertEqual(found["unreadableKeybags"], 0)
        self.assertIn("LockGraceSeconds", found["settings"])
        self.assertNotIn(ANN, json.dumps(found))
        self.assertIn("diagnostics", self.status())
        self.assertIn("collectDiagnostics", self.workspace.serving(
            "audit", "--event", "ordered", "--json").stdout)
        self.assertIn("obeyed before", self.refusal(order))

    def test_orders_for_diagnostics_keep_nobody_from_leaving(self):
        self.deliver(self.contoso.order("collectDiagnostics", self.machine))
        self.deliver(self.contoso.order("leave", self.machine))
        wait_until(lambda: self.show() is None)

    def test_it_names_no_file_and_no_place(self):
        secret = self.workspace.path("unusual-name-of-a-file")
        secret.write_bytes(b"x")
        self.workspace.lock()
        with open(os.devnull), self.assertRaises(OSError):
            secret.read_bytes()
        self.workspace.serving("verify", self.workspace.mount_point, status=None)
        text = json.dumps(self.status())
        for part in ("unusual-name", str(self.workspace.root), str(self.workspace.mount_point)):
            self.assertNotIn(part, text)

    def test_numbers_increase(self):
        numbers = [self.status()["sequence"] for _ in range(3)]
        self.workspace.remount()
        numbers.append(self.status()["sequence"])
        # As if the clock had been a day ahead.
        self.workspace.unmount()
        place = self.workspace.state / "fleet" / "sequence.json"
        ahead = json.loads(place.read_text())["next"] + DAY * 1000
        place.write_text(json.dumps({"next": ahead}))
        self.workspace.mount()
        self.workspace.unlock()
        numbers += [self.status()["sequence"] for _ in range(2)]
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertGreaterEqual(numbers[-2], ahead)

    def test_a_verifier_finds_what_was_changed(self):
        report = json.loads(self.call("Status")["report"])
        payload = base64.b64decode(report["payload"])
        changed = payload.replace(b'"pending":0', b'"pending":1')
        self.assertNotEqual(payload, changed)
        for members in (
                {"payload": base64.b64encode(changed).decode()},
                {"payloadType": "application/vnd.mamd.audit+json"},
                {"signatures": [{**report["signatures"][0], "keyid": "0" * 32}]}):
            with self.assertRaises(Forged):
                self.opened(json.dumps({**report, **members}), "status")
        with self.assertRaises(Forged):
            opened(json.dumps(report), "status", self.contoso.id, bytes(32))
        with self.assertRaises(Forged):
            opened(json.dumps(report), "status", "0" * 32, self.public)

    def test_without_an_organisation_there_is_nothing_to_report_to(self):
        self.deliver(self.contoso.order("leave", self.machine))
        wait_until(lambda: self.show() is None)
        for method, parameters in (
                ("Status", {}), ("Records", {}), ("Audit", {"after": 0, "limit": 1}),
                ("Enrol", {"invitation": "i1", "transportKey": TRANSPORT_KEY})):
            with self.assertRaisesRegex(Refusal, "joined no organisation"):
                self.call(method, **parameters)

    def test_enrolment(self):
        told = self.opened(
            self.call("Enrol", invitation="i-1", transportKey=TRANSPORT_KEY)["request"],
            "enrolment")
        self.assertEqual(
            (told["invitation"], told["transportKey"], told["host"], told["publicKey"]),
            ("i-1", TRANSPORT_KEY, os.uname().nodename, base64.b64encode(self.public).decode()))
        for wrong in (
                {"invitation": "a/b"}, {"invitation": ""}, {"transportKey": "SU" + "A" * 54},
                {"transportKey": TRANSPORT_KEY + "A"}, {"transportKey": "U" + "a" * 55}):
            with self.subTest(wrong), self.assertRaisesRegex(Refusal, next(iter(wrong))):
                self.call("Enrol", **{
                    "invitation": "i-1", "transportKey": TRANSPORT_KEY, **wrong})


class Records(Reports):
    def setUp(self):
        super().setUp()
        self.key = self.workspace.root / "org.key"
        self.recovery = json.loads(self.workspace.ctl(
            "recovery", "keygen", "--json", "-o", self.key, "--no-passphrase").stdout)["publicKey"]
        self.deliver(self.contoso.policy({**RULES, "mamdRecoveryPublicKey": self.recovery}))
        self.await_records(1)

    def reports(self):
        return self.call("Records")["records"]

    def await_records(self, count):
        wait_until(lambda: len(self.reports()) == count)

    def record(self, name=ANN):
        return next(
            told for told in (
                self.opened(one["report"], "recovery-record") for one in self.reports())
            if told["name"] == name)

    def proven(self, told, proof=None):
        """The classes that the proof shows, by docs/FORMAT.md alone. Raises Forged."""
        record = base64.b64decode(told["record"])
        export = decoder.Export(record, decoder.RecoveryKey(self.key.read_bytes()), None)
        proof = base64.b64decode(told["proof"] if proof is None else proof)
        proven = ""
        for start in range(0, len(proof), 33):
            number = proof[start]
            key = decoder.derive(
                export.keys[number - 1], export.account_id, b"mamd recovery proof v1")
            message = (told["organization"] + export.account_id.hex()).encode() + bytes(
                [number]) + hashlib.sha256(record).digest()
            tag = hmac.new(key, message, hashlib.sha256).digest()
            if tag != proof[start + 1:start + 33] or told["account"] != export.account_id.hex():
                raise Forged(number)
            proven += "ABCD"[number - 1]
        return proven

    def test_a_record_opens_what_it_claims(self):
        (one,) = self.reports()
        told = self.opened(one["report"], "recovery-record")
        self.assertEqual(told["account"], one["account"])
        self.assertEqual((told["account"], told["name"]), (self.account(), ANN))
        (path,) = (self.workspace.backing / ".mamd" / "recovery").iterdir()
        self.assertEqual(base64.b64decode(told["record"]), path.read_bytes())
        self.assertEqual(path.name, f"{told['account']}.{told['recoveryKey']}.keys")
        self.assertEqual(self.proven(told), "ABCD")
        # Unchanged, it is told as before: nobody has to carry it again.
        self.assertEqual(self.reports(), [one])

    def test_a_copied_proof_proves_nothing(self):
        self.workspace.register(BOB)
        self.await_records(2)
        ann, bob = self.record(ANN), self.record(BOB)
        self.assertEqual(self.proven(bob), "ABCD")
        for told, proof in ((ann, bob["proof"]), (bob, ann["proof"])):
            with self.assertRaises(Forged):
                self.proven(told, proof)
        for told, member in ((ann, "organization"), (ann, "account")):
            with self.assertRaises(Forged):
                self.proven({**told, member: "0" * 32})

    def test_a_locked_account_proves_less(self):
        before = self.record()
        self.workspace.unmount()
        self.workspace.mount()
        told = self.record()
        self.assertEqual(self.proven(told), "D")
        self.assertEqual(told["record"], before["record"])
        self.assertGreater(told["sequence"], before["sequence"])
        self.workspace.unlock()
        self.assertEqual(self.proven(self.record()), "ABCD")

    def test_what_others_put_there_is_not_told(self):
        (path,) = (self.workspace.backing / ".mamd" / "recovery").iterdir()
        good = path.read_bytes()
        self.workspace.lock()
        # Sealed to the same key by somebody else: the public key is all that it takes.
        from test_recovery_keys import checksummed
        for forged in (
                b"", good[:-1], checksummed(good[:840] + bytes(16) + good[856:]),
                checksummed(good[:976] + bytes(16) + good[992:])):
            path.write_bytes(forged)
            self.assertEqual(self.reports(), [])
        path.write_bytes(good)
        self.assertEqual(len(self.reports()), 1)

    def test_a_wiped_account_has_none(self):
        self.workspace.serving("wipe", ANN, "--confirm", ANN)
        self.assertEqual(self.reports(), [])


class Audit(Reports):
    def batch(self, after, limit):
        told = self.call("Audit", after=after, limit=limit)
        report = told["report"]
        return report and self.opened(report, "audit"), told["last"]

    def fetch(self, after, limit):
        """All batches from there on."""
        while (found := self.batch(after, limit))[0]:
            yield found[0]
            after = found[0]["to"]

    def listed(self):
        return [json.loads(line) for line in self.workspace.serving(
            "audit", "--json").stdout.splitlines()]

    def make_events(self):
        for _ in range(3):
            self.workspace.lock()
            self.workspace.unlock()

    def test_all_records_come_once_and_in_order(self):
        self.make_events()
        _, last = self.batch(0, 1)
        batches = list(self.fetch(0, 3))
        self.assertGreater(len(batches), 2)
        after = 0
        for batch in batches:
            self.assertLessEqual(len(batch["records"]), 3)
            numbers = [record["sequence"] for record in batch["records"]]
            self.assertEqual((batch["after"], batch["from"], batch["to"]), (
                after, numbers[0], numbers[-1]))
            after = batch["to"]
        found = [record for batch in batches for record in batch["records"]]
        self.assertEqual(found[-1]["sequence"], last)
        listed = [{name: value for name, value in record.items() if value is not None}
                  for record in self.listed()]
        # What was asked meanwhile is newer.
        self.assertEqual(found, listed[:len(found)])
        self.assertIn("unlocked", {record["event"] for record in found})

    def test_a_place_outlives_a_restart(self):
        self.make_events()
        first = list(self.fetch(0, 5))
        self.assertEqual(self.batch(first[-1]["to"], 5)[0], None)
        self.workspace.remount()
        second = list(self.fetch(first[-1]["to"], 5))
        numbers = [record["sequence"] for batch in first + second for record in batch["records"]]
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertEqual(
            {"stopped", "started"} & {
                record["event"] for batch in second for record in batch["records"]},
            {"stopped", "started"})
        # The same again, for whom it was lost on the way.
        again = list(self.fetch(0, 1000))
        self.assertEqual(numbers, [
            record["sequence"] for batch in again for record in batch["records"]][:len(numbers)])
        sequences = [batch["sequence"] for batch in first + second + again]
        self.assertEqual(sequences, sorted(set(sequences)))

    def test_gaps_and_wrong_places(self):
        self.make_events()
        _, last = self.batch(0, 1)
        self.assertEqual(self.batch(last + 1000, 5), (None, last))
        for wrong in ({"after": -1, "limit": 1}, {"after": 0, "limit": 0}):
            with self.assertRaises(Refusal):
                self.call("Audit", **wrong)
        self.workspace.unmount()
        (path,) = (self.workspace.state / "audit").glob("events.*")
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:2] + lines[4:]))
        self.workspace.mount()
        gone = {json.loads(line)["sequence"] for line in lines[2:4]}
        numbers = {
            record["sequence"] for batch in self.fetch(0, 4) for record in batch["records"]}
        self.assertFalse(gone & numbers)
        self.assertGreater(len(numbers), 5)

    def test_a_batch_is_bounded(self):
        self.workspace.unmount()
        (path,) = (self.workspace.state / "audit").glob("events.*")
        line = json.loads(path.read_bytes().splitlines()[0])
        with open(path, "ab") as file:
            for number in range(2000, 2100):
                file.write(json.dumps({
                    **line, "sequence": number, "reason": "x" * 15_000}).encode() + b"\n")
        self.workspace.mount()
        sizes = [len(json.dumps(batch)) for batch in self.fetch(1999, 1000)]
        self.assertGreater(len(sizes), 4)
        self.assertLess(max(sizes), 300_000)

    def test_a_verifier_finds_what_was_changed(self):
        self.make_events()
        report = json.loads(self.call("Audit", after=0, limit=100)["report"])
        told = json.loads(base64.b64decode(report["payload"]))
        told["records"].pop(1)
        report["payload"] = base64.b64encode(json.dumps(told).encode()).decode()
        with self.assertRaises(Forged):
            self.opened(json.dumps(report), "audit")


@unittest.skipUnless(os.geteuid() == 0, "acts as several users, which only root can")
class Carrier(Reports):
    """The user of the service that carries documents and reports."""

    settings = {**Fleet.settings, "FleetUser": "nobody"}

    CALLS = (
        ("Status", {}), ("Records", {}), ("Audit", {"after": 0, "limit": 10}))

    def setUp(self):
        super().setUp()
        place = pathlib.Path(self.workspace.socket)
        place.chmod(0o666)
        while (place := place.parent) != self.workspace.root.parent:
            place.chmod(0o711)

    def as_user(self, user, method, **parameters):
        with Client(self.workspace.socket, user) as client:
            return client.call(method, **parameters)

    def test_it_carries(self):
        status = self.opened(self.as_user(NOBODY, "Fleet.Status")["report"], "status")
        self.assertEqual(status["machine"], self.machine)
        self.assertEqual(self.as_user(NOBODY, "Fleet.Records")["records"], [])
        self.assertTrue(self.as_user(NOBODY, "Fleet.Audit", after=0, limit=10)["report"])
        self.assertTrue(self.as_user(NOBODY, "Fleet.Show")["organization"]["documents"])
        policy = self.contoso.policy({**RULES, "printBlocked": True}).decode()
        self.assertEqual(
            self.as_user(NOBODY, "Fleet.Deliver", document=policy)["effect"], "documents")
        self.assertTrue(self.rule("printBlocked"))

    def test_it_does_nothing_else(self):
        for method, parameters in (
                ("Fleet.Join", {"root": "{}", "fingerprint": "0" * 64}), ("Fleet.Leave", {}),
                ("Fleet.Enrol", {"invitation": "i1", "transportKey": TRANSPORT_KEY}),
                ("Workspace.Wipe", {"account": ANN, "confirmed": True}),
                ("Workspace.Unlock", {"account": ANN, "passphrase": "x"}),
                ("Enrollment.CheckIn", {}), ("Policy.Import", {"document": "{}", "name": "x.json"}),
                ("Report.LastVerify", {})):
            with self.subTest(method), self.assertRaisesRegex(Refusal, "only root|belongs to uid"):
                self.as_user(NOBODY, method, **parameters)
        with self.assertRaises(Refusal):
            self.as_user(NOBODY, "Fleet.Deliver", document="{}")

    def test_others_do_not(self):
        for method, parameters in (*self.CALLS, ("Deliver", {"document": "{}"})):
            with self.subTest(method), self.assertRaisesRegex(Refusal, "FleetUser"):
                self.as_user(DAEMON, f"Fleet.{method}", **parameters)
        told = self.as_user(DAEMON, "Fleet.Show")["organization"]
        self.assertEqual((told["documents"], told["groups"], told["pending"]), ([], [], 0))

    def test_nobody_does_unless_settings_say_so(self):
        settings = self.workspace.policies.parent / "settings.json"
        for user in (None, "", "no-such-user"):
            self.workspace.unmount()
            members = json.loads(settings.read_text())
            members.pop("FleetUser", None)
            settings.write_text(json.dumps(
                members if user is None else {**members, "FleetUser": user}))
            self.workspace.mount()
            pathlib.Path(self.workspace.socket).chmod(0o666)
            for method, parameters in self.CALLS:
                with self.assertRaisesRegex(Refusal, "FleetUser"):
                    self.as_user(NOBODY, f"Fleet.{method}", **parameters)


def bundle(*documents):
    return b"[" + b",".join(documents) + b"]"


class Bundles(Fleet):
    def delivered(self, document, status=DONE):
        told = self.workspace.serving(
            "fleet deliver", "--json", self.file_of(document), status=status)
        return json.loads(told.stdout)["documents"]

    def test_each_document_is_judged_alone(self):
        self.join_with_policy()
        other = type(self.contoso)()
        told = self.delivered(bundle(
            self.contoso.policy({**RULES, "printBlocked": True}), other.policy(RULES), b"7",
            self.contoso.policy({**RULES, "contactSyncBlocked": True}, name="two.json"),
            self.contoso.time({"policy/all/two.json": 1})), REFUSED)
        self.assertEqual(
            [one["document"] for one in told],
            ["policy/all/level.json", "policy/all/level.json", "document 3", "policy/all/two.json",
             "time/all/time"])
        self.assertEqual(
            [one.get("effect") for one in told],
            ["documents", None, None, "documents", "documents"])
        self.assertIn("of another organisation", told[1]["refused"])
        self.assertIn("no signed document", told[2]["refused"])
        self.assertTrue(self.rule("printBlocked") and self.rule("contactSyncBlocked"))
        self.assertIsNone(self.show()["problem"])
        text = self.workspace.serving("fleet deliver", self.file_of(bundle(
            self.contoso.time(), other.time())), status=REFUSED)
        self.assertIn("document.json, time/all/time: accepted", text.stdout)
        self.assertIn("of another organisation", text.stderr)

    def test_what_is_no_bundle(self):
        self.join_with_policy()
        self.assertEqual(self.delivered(b"[]"), [])
        for wrong in (b"[", b"[" + b"0," * 2000 + b"0]", b" " * (5 << 20)):
            self.workspace.serving("fleet deliver", self.file_of(wrong), status=None)
            told = json.loads(self.workspace.serving(
                "fleet deliver", "--json", self.file_of(wrong), status=None).stdout)
            self.assertTrue(told["documents"][0]["refused"])

    def test_the_inbox_takes_bundles(self):
        self.join_with_policy()
        other = type(self.contoso)()
        (self.workspace.policies / "all.json").write_bytes(bundle(
            other.policy(RULES), self.contoso.policy({**RULES, "printBlocked": True}),
            other.time()))
        wait_until(lambda: self.rule("printBlocked"))
        shown = self.workspace.serving("policy show", ANN).stdout
        for which in ("its document 1 of 3", "its document 3 of 3"):
            self.assertIn(which, shown)
        self.assertNotIn("its document 2 of 3", shown)
        (self.workspace.policies / "all.json").write_bytes(
            bundle(*[b"0"] * 100, self.contoso.policy({**RULES, "contactSyncBlocked": True})))
        wait_until(lambda: self.rule("contactSyncBlocked"))
        self.assertIn("80 more of its documents", self.workspace.serving("policy show", ANN).stdout)

    def test_a_bundle_waits_for_joining(self):
        path = self.workspace.policies / "bundle.json"
        path.write_bytes(bundle(self.contoso.policy({**RULES, "printBlocked": True})))
        time.sleep(1)
        self.assertNotIn("bundle.json", self.workspace.serving("policy show", ANN).stdout)
        self.join(self.contoso.time())
        wait_until(lambda: self.rule("printBlocked"))

    def test_joining_with_bundles(self):
        roots = [self.contoso.root(serial=serial) for serial in (1, 2, 3)]
        # Each root has a fingerprint of its own; the second is pinned.
        pinned = hashlib.sha256(
            signed_bytes(
                "application/vnd.mamd.root+json",
                base64.b64decode(json.loads(roots[1])["payload"]))).hexdigest()
        policy = self.contoso.policy({**RULES, "printBlocked": True})
        files = [self.file_of(bundle(*roots), "roots.json"), self.file_of(
            bundle(policy, self.contoso.time(), *roots), "all.json")]
        self.workspace.serving("fleet join", *files, "--fingerprint", pinned)
        self.assertEqual(self.show()["rootSerial"], 3)
        self.assertTrue(self.rule("printBlocked"))
        told = self.delivered(bundle(*roots))
        self.assertEqual([one["effect"] for one in told], ["nothing"] * 3)
        told = self.delivered(bundle(*roots, self.contoso.root(serial=4)))
        self.assertEqual([one["effect"] for one in told], ["nothing"] * 3 + ["root"])

    def test_one_bad_document_keeps_from_joining(self):
        other = type(self.contoso)()
        root = self.file_of(self.contoso.root(), "root.json")
        files = self.file_of(bundle(self.contoso.policy(RULES), other.policy(RULES)), "all.json")
        self.workspace.serving(
            "fleet join", root, files, "--fingerprint", self.contoso.fingerprint, status=REFUSED)
        self.assertIsNone(self.show())

    def test_more_than_a_call_takes(self):
        policies = [
            self.contoso.policy({**RULES, "description": "x" * 200_000, "printBlocked": True},
                                name=f"{number}.json") for number in range(8)]
        root = self.file_of(self.contoso.root(), "root.json")
        self.workspace.serving(
            "fleet join", root, self.file_of(bundle(*policies), "all.json"), "--fingerprint",
            self.contoso.fingerprint)
        self.assertEqual(len(self.show()["documents"]), 9)

    def test_a_new_root_in_the_inbox_lets_in_what_it_is_needed_for(self):
        self.join_with_policy()
        former = self.contoso.keys["policy"]
        self.contoso.keys["policy"] = [*former, type(former[0])()]
        root = self.contoso.root(serial=2)
        policy = self.contoso.policy(
            {**RULES, "printBlocked": True}, keys=self.contoso.keys["policy"][1:])
        # The root is the last to be read.
        self.workspace.unmount()
        (self.workspace.policies / "all.json").write_bytes(bundle(policy))
        (self.workspace.policies / "roots.json").write_bytes(bundle(root))
        self.workspace.mount()
        self.assertTrue(self.rule("printBlocked"))
        # In the first reading already.
        for log in (self.workspace.log, self.workspace.daemon_log):
            self.assertNotIn("all.json is refused", log.read_text())


class WipeOfADamagedAccount(Fleet):
    def test_it_waits_for_the_keybag(self):
        self.join_with_policy()
        account = self.account()
        self.workspace.unmount()
        kept = {path: path.read_bytes() for path in (self.workspace.state / "keybags").iterdir()
                if path.name.startswith(account)}
        self.assertEqual(len(kept), 2)
        for path, content in kept.items():
            path.write_bytes(content[:100] + bytes([content[100] ^ 1]) + content[101:])
        self.workspace.mount()
        self.assertEqual(
            json.loads(self.workspace.serving("account list", "--json").stdout), [])
        self.deliver(self.contoso.order("wipe", self.machine, account))
        self.assertEqual(self.show()["pending"], 1)
        self.workspace.serving("account check-in", status=None)
        self.assertEqual(self.show()["pending"], 1)
        self.workspace.unmount()
        self.workspace.mount()
        self.assertEqual(self.show()["pending"], 1)
        self.workspace.unmount()
        for path, content in kept.items():
            path.write_bytes(content)
        self.workspace.mount()
        wait_until(lambda: self.show()["pending"] == 0)
        self.assertEqual(
            json.loads(self.workspace.serving("account list", "--json").stdout), [])
        wait_until(lambda: not self.file.exists())
        self.assertFalse(any(path.exists() for path in kept))


if __name__ == "__main__":
    unittest.main()
