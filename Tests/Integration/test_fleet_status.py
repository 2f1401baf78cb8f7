"""What the administrator sees of all machines: on files alone, every report verified, and no
machine believed for another."""
import base64
import datetime
import json
import shutil
import subprocess
import unittest

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from fleet_directory import Directory, Machine, sealed
from fleet_view import FleetCase
from signing import DAY, Key, rfc3339
from workspace import DAMAGED, NO, NOT_FOUND, USAGE

NEEDS = ("python3-cryptography",)

FAILURE, ATTENTION = 1, 10


class Status(FleetCase):
    def test_all_is_well(self):
        self.organization.add("pc-1")
        self.organization.policy({}, "group:lab", "strict", 4)
        self.organization.sign_time()
        self.organization.add("pc-2", groups=["lab"])
        found = self.json("status", "--check")
        self.assertEqual((found["machines"], found["flaws"]), ([], []))
        self.assertEqual(found["sums"]["states"]["compliant"], 2)
        self.assertEqual(found["sums"]["versions"], {"0.1.0": 2})
        said = self.fleet("status").stdout
        self.assertIn("2 compliant", said)
        self.assertNotIn("pc-1", said)
        self.assertIn("what it should have", self.fleet("diff").stdout)

    def test_without_machines_no_row_is_empty(self):
        said = self.fleet("status").stdout
        self.assertIn("0 of", said)
        self.assertNotRegex(said, "(?m) $")

    def test_what_needs_attention(self):
        org, now = self.organization, self.organization.now
        org.add("fine")
        org.add("old", issued=now - 8 * DAY)
        org.add("ahead", issued=now + 7200)
        org.add("failing", problem="the organisation has sent no time yet")
        machine = org.add("blocked")
        machine.say(accounts=[
            machine.account(window="blocked", blockedBy="jailbreak", compliant=False),
            machine.account(1, compliant=False)])
        org.add("damaged", verify={"time": "2026-01-01T00:00:00Z", "findings": 3})
        Machine(org, "silent").register()
        self.assertEqual(
            {name: [reason["kind"] for reason in found["attention"]]
             for name, found in self.machines().items()},
            {"fine": [], "old": ["stale"], "ahead": ["early"], "failing": ["problem"],
             "blocked": ["blocked", "notCompliant"], "damaged": ["findings"],
             "silent": ["silent"]})
        listed = self.fleet("status").stdout
        self.assertIn("last reported 8 d ago", listed)
        self.assertIn("jailbreak", listed)
        self.assertNotIn("fine ", listed)
        problems = self.json("status", "--problem")["machines"]
        self.assertEqual([found["name"] for found in problems], ["failing"])
        self.assertEqual(self.why_stale("9d"), [])
        self.fleet("status", "--check", status=ATTENTION)
        self.fleet("status", "--check", "--machine", "fine")
        self.fleet("status", "--check", "--machine", "old", status=ATTENTION)
        self.fleet("status", "--machine", "nosuch", status=NOT_FOUND)
        org.add("attacked", suspects={"unsigned": 2, "twoOfOneSerial": 1, "laterKind": 1})
        state, kinds, words = self.why("attacked")
        self.assertEqual((state, kinds), ("attention", ["suspects"]))
        self.assertIn("4 documents", words)
        self.assertIn("2 not signed enough, 1 of a serial that another has", words)
        self.fleet("status", "--stale", "soon", status=USAGE)

    def test_certificates_that_end(self):
        self.organization.add("pc-1")
        self.fleet("engine", "init", "--server", "a.contoso.com", "--server", "b.contoso.com",
                   "--server", "c.contoso.com")
        told = self.json("status", "--check")
        self.assertEqual(
            [one["server"] for one in told["certificates"]],
            [None, "a.contoso.com:4222", "b.contoso.com:4222", "c.contoso.com:4222"])
        engine = self.organization.path / "engine"
        for host, days in (("a", 29), ("b", 31), ("c", -1)):
            self.certify(engine / "servers" / f"{host}.contoso.com-4222" / "server.pem", days)
        flaws = self.json("status", "--check", status=ATTENTION)["flaws"]
        self.assertEqual(len(flaws), 2, flaws)
        self.assertIn("The certificate of a.contoso.com:4222 ends at", flaws[0])
        self.assertIn("mamctl fleet engine renew", flaws[0])
        self.assertIn("The certificate of c.contoso.com:4222 has ended at", flaws[1])
        page = self.workspace.root / "page.html"
        self.fleet("page", "-o", page)
        self.assertIn(flaws[1].split(":")[0], page.read_text())
        self.fleet("engine", "renew")
        self.assertEqual(self.json("status", "--check")["flaws"], [])
        self.certify(engine / "ca.pem", 364)
        (flaw,) = self.json("status")["flaws"]
        self.assertIn("mamctl fleet engine renew --authority new", flaw)
        # Nobody learns of the next one by a connection that the former does not vouch for.
        self.certify(engine / "ca.pem", -1)
        (flaw,) = self.json("status")["flaws"]
        self.assertIn("--authority new, then --authority use", flaw)
        self.assertIn("a new code", flaw)

    def test_a_next_authority_that_was_made_is_used_next(self):
        self.organization.add("pc-1")
        self.fleet("engine", "init", "--server", "a.contoso.com")
        self.fleet("engine", "renew", "--authority", "new")
        again = self.json("engine", "renew", "--authority", "new", status=NO)["error"]
        self.assertIn("mamctl fleet engine renew writes the servers' files", again["next"])
        self.certify(self.organization.path / "engine" / "ca.pem", 364)
        (flaw,) = self.json("status")["flaws"]
        self.assertIn("once all machines know the next one", flaw)
        self.assertIn("--authority use", flaw)

    def test_orders_that_are_not_there_are_not_counted(self):
        machine = self.organization.add("pc-1")
        for words in (["status"], ["status", "--machine", "pc-1"]):
            machine.say()
            self.assertNotIn("orders pending", self.fleet(*words).stdout)
            machine.say(pending=2)
            self.assertRegex(self.fleet(*words).stdout, "orders pending +2")

    def certify(self, path, days):
        """A certificate that ends so many days from now."""
        now, key = datetime.datetime.now(datetime.UTC), ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
        path.write_bytes(
            x509.CertificateBuilder().subject_name(name).issuer_name(name)
            .public_key(key.public_key()).serial_number(1)
            .not_valid_before(now - datetime.timedelta(days=9))
            .not_valid_after(now + datetime.timedelta(days=days))
            .sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))

    def why_stale(self, limit):
        found = self.json("status", "--all", "--stale", limit)["machines"]
        return next(each for each in found if each["name"] == "old")["attention"]

    def test_one_machine(self):
        machine = self.organization.add("pc-1", refused=7)
        for name in ("pc-1", machine.id):
            said = self.fleet("status", "--machine", name).stdout
            for word in (machine.id, "pc-1", "6.12.48", "7", "person0@pc-1.example"):
                self.assertIn(word, said)

    def test_what_compliance_asks_of_a_machine(self):
        self.organization.add("old")
        facts = {"system": "debian 13", "encrypted": False, "restartRequired": True}
        self.organization.add("new", facts=facts)
        self.organization.add("later", facts={**facts, "encrypted": None, "mood": 1}, mood="good")
        found = self.machines()
        self.assertEqual(
            {name: machine["status"]["facts"] for name, machine in found.items()},
            {"old": None, "new": facts, "later": {**facts, "encrypted": None}})
        self.assertEqual({machine["state"] for machine in found.values()}, {"compliant"})
        lines = self.fleet("status", "--machine", "new").stdout
        self.assertRegex(lines, r"(?m)^system +debian 13$")
        self.assertRegex(lines, r"(?m)^disk encrypted +no$")
        self.assertRegex(lines, r"(?m)^restart required +yes$")
        self.assertRegex(
            self.fleet("status", "--machine", "old").stdout, r"(?m)^disk encrypted +unknown$")

    # Reports that do not count

    def test_another_machines_report(self):
        one, other = self.organization.add("one"), self.organization.add("other")
        shutil.copy(other.status_file, one.status_file)
        state, kinds, text = self.why("one")
        self.assertEqual((state, kinds), ("refused", ["refused"]))
        self.assertIn("not signed with the key", text)
        self.assertIsNone(self.machines()["one"]["status"])
        self.assertEqual(self.machines()["other"]["state"], "compliant")

    def test_a_machine_that_signs_for_another(self):
        one, other = self.organization.add("one"), self.organization.add("other")
        payload = json.loads(base64.b64decode(json.loads(one.status_file.read_bytes())["payload"]))
        # With its own key, and the other's name.
        one.say(sealed("status", {**payload, "machine": other.id}, one.key))
        self.assertEqual(self.why("one")[0], "refused")
        # With its own key, as the other's file.
        other.say(sealed("status", {**payload, "machine": other.id}, one.key))
        self.assertEqual(self.why("other")[0], "refused")

    def test_forged_and_damaged_reports(self):
        org = self.organization
        machine = org.add("pc")
        good = json.loads(machine.status_file.read_bytes())
        payload = json.loads(base64.b64decode(good["payload"]))
        stranger, elsewhere = Key(), Directory(self.workspace.root / "other")
        stranger.id = machine.id
        loose = base64.b64encode(json.dumps({**payload, "problem": None}).encode()).decode()
        reports = {
            "another key": sealed("status", payload, stranger),
            "another payload": json.dumps({**good, "payload": loose + "AAAA"}).encode(),
            "no signature": json.dumps({**good, "signatures": []}).encode(),
            "two": json.dumps({**good, "signatures": good["signatures"] * 2}).encode(),
            "no JSON": b"{", "empty": b"", "a list": b"[]",
            "another kind": sealed("audit", payload, machine.key),
            "another organisation": sealed(
                "status", {**payload, "organization": elsewhere.organization.id}, machine.key),
            "a member more": json.dumps({**good, "newer": 1}).encode(),
            "too long": b" " * (2 << 20),
        }
        for name, report in reports.items():
            with self.subTest(name):
                machine.say(report)
                found = self.machines()["pc"]
                self.assertEqual((found["state"], found["status"]), ("refused", None))
        machine.say(json.dumps(good).encode())
        self.assertEqual(self.why("pc")[0], "compliant")

    def test_an_older_status_put_back(self):
        org, now = self.organization, self.organization.now
        machine = org.add("pc", issued=now - 3 * DAY)
        self.assertEqual(self.why("pc")[0], "compliant")
        machine.tell(1, {"event": "started"}, issued=now - 3600)
        state, kinds, text = self.why("pc")
        self.assertEqual((state, kinds), ("stale", ["replayed"]))
        self.assertIn("older than its audit", text)
        # Not by what others write into its file.
        machine.audit_file.write_bytes(sealed("audit", {}, Key()) + b"\n")
        self.assertEqual(self.why("pc")[0], "compliant")
        # What cannot be read could tell it.
        machine.audit_file.unlink()
        self.assertEqual(self.why("pc")[0], "compliant")
        machine.audit_file.mkdir()
        state, kinds, text = self.why("pc")
        self.assertEqual((state, kinds), ("attention", ["auditUnreadable"]))
        self.assertIn("its audit cannot be read", text)

    def test_the_register(self):
        org = self.organization
        gone = org.add("gone")
        gone.register(revoked="2026-01-02T03:04:05Z")
        self.assertEqual(self.why("gone")[:2], ("revoked", ["revoked"]))
        gone.say(issued=1_700_000_000)
        self.assertEqual(self.why("gone")[:2], ("revoked", []))
        stranger = Machine(org, "stranger")
        stranger.say()
        damaged = org.path / "machines" / ("ab" * 16 + ".json")
        shutil.copy(org.path / "machines" / f"{gone.id}.json", damaged)
        flaws = " ".join(self.json("status")["flaws"])
        for word in (stranger.id, "ab" * 16, "the entry of another machine"):
            self.assertIn(word, flaws)
        self.fleet("status", "--check", status=ATTENTION)

    def test_machines_with_an_older_mamd(self):
        for name, version in (
                ("pc-1", "0.0.9"), ("pc-2", "0.10.0"), ("pc-3", "not a number"), ("pc-4", "0.1.0")):
            self.organization.add(name, version=version)
        self.assertEqual(
            self.json("status")["warnings"], ["1 machine has an older mamd than 0.1.0: pc-1."])

    # The organisation's own documents

    def test_policies_that_only_close_where_they_would_wipe(self):
        org = self.organization
        rules = {"minimumWipeOsVersion": "99"}
        org.policy(rules, name="strict", serial=5)
        org.sign_time()
        org.add("pc")
        (warning,) = self.json("status")["warnings"]
        self.assertIn("policy/all/strict closes accounts, and wipes them", warning)
        self.assertIn(warning, self.fleet("status", "--check").stdout)
        both = org.organization.keys["policy"] + org.organization.keys["order"]
        org.put(org.organization.policy(rules, name="strict", serial=5, keys=both),
                "policy-all-strict")
        self.assertEqual(self.json("status")["warnings"], [])

    def test_documents_of_the_organisation(self):
        org = self.organization
        org.add("pc")

        def flaws():
            return " ".join(self.json("status")["flaws"])

        self.assertEqual(flaws(), "")
        org.policy({}, name="more", serial=5)
        self.assertIn("The time lists no policy/all/more", flaws())
        org.sign_time()
        self.assertEqual(flaws(), "")
        (org.path / "signed" / "policy-all-more.json").unlink()
        self.assertIn("policy/all/more serial 5, which is not here", flaws())
        org.put(org.organization.policy({}, name="more", serial=5, days=3), "policy-all-more")
        self.assertIn("policy/all/more expires at", flaws())
        org.put(org.organization.policy(
            {}, name="more", serial=5, issued=org.now - 9 * DAY, days=3), "policy-all-more")
        self.assertIn("policy/all/more expired at", flaws())
        (org.path / "signed" / "bad.json").write_text("{}")
        self.assertIn("signed/bad.json does not count", flaws())
        (org.path / "time.json").write_bytes(
            org.organization.time(org.heads, issued=org.now - 2 * DAY, days=1))
        self.assertIn("more than a day ago", flaws())
        (org.path / "time.json").write_text("{}")
        self.assertIn("time.json does not count: it is no signed document", flaws())
        (org.path / "time.json").unlink()
        self.assertIn("no signed time", flaws())
        self.assertNotIn("time.json", flaws())

    def test_places(self):
        self.organization.add("pc")
        self.workspace.ctl("fleet", "status", status=NOT_FOUND)
        self.workspace.environment["MAMCTL_ORGANIZATION"] = str(self.organization.path)
        self.assertIn("1 compliant", self.workspace.ctl("fleet", "status").stdout)
        (self.organization.path / "root.json").write_text("{}")
        self.fleet("status", status=DAMAGED)

    def test_what_cannot_be_reached_is_not_taken_for_empty(self):
        self.organization.add("pc")
        reports = self.organization.path / "reports"
        reports.rename(reports.with_name("former"))
        reports.symlink_to("reports")
        flaws = " ".join(self.json("status")["flaws"])
        self.assertIn("reports/status does not count: it cannot be listed", flaws)


class Differences(FleetCase):
    def diff(self, *options):
        return {
            (found["kind"], found["slot"], found["wanted"], found["found"]):
            sorted(found["machines"]) for found in self.json("diff", *options)}

    def test_what_machines_lack(self):
        org = self.organization
        org.policy({}, "group:lab", "strict", 4)
        org.sign_time()
        fine = org.add("fine", groups=["lab"])
        behind = [org.add(f"behind-{number}") for number in range(3)]
        for machine in behind:
            machine.say(documents={**org.documents_of(machine), "policy/all/level2": 16})
        lab = org.add("lab", groups=["lab"])
        lab.say(documents={"policy/all/level2": 17}, rootSerial=1)
        more = org.add("more")
        more.say(rootSerial=2, documents={
            **org.documents_of(more), "policy/all/level2": 18, "policy/all/old": 3,
            "policy/group:lab/strict": 4, "not a slot": 1})
        self.assertEqual(self.diff(), {
            ("behind", "policy/all/level2", 17, 16): sorted(found.id for found in behind),
            ("missing", "policy/group:lab/strict", 4, None): [lab.id],
            ("missing", "membership/machine/groups", None, None): [lab.id],
            ("ahead", "policy/all/level2", 17, 18): [more.id],
            ("ahead", "root/all/root", 1, 2): [more.id],
            ("unknown", "policy/all/old", None, 3): [more.id],
            ("unknown", "not a slot", None, 1): [more.id],
            ("foreign", "policy/group:lab/strict", None, 4): [more.id]})
        said = self.fleet("diff").stdout
        self.assertIn("3 machines have policy/all/level2 serial 16, not 17", said)
        self.assertIn("1 machine lacks policy/group:lab/strict serial 4", said)
        self.assertEqual(self.why("fine")[0], "compliant")
        self.assertEqual(self.why("more")[1], ["documents"])
        self.assertEqual(self.diff("--machine", fine.id), {})
        self.assertEqual(len(self.diff("--machine", "lab")), 2)

    def test_what_was_signed_since_is_no_fault(self):
        org = self.organization
        machine = org.add("pc", issued=org.now - 2 * DAY)
        machine.say(documents={"policy/all/level2": 16}, issued=org.now - 2 * DAY)
        found = self.json("diff")
        self.assertEqual([each["sinceReport"] for each in found], [True])
        self.assertIn("signed after the last report", self.fleet("diff").stdout)
        self.assertEqual(self.why("pc")[0], "compliant")


class Orders(FleetCase):
    def states(self):
        return {order["nonce"]: order["state"] for order in self.json("orders")}

    def test_what_was_obeyed_stays_obeyed(self):
        org = self.organization
        machine = org.add("pc")
        nonce = org.order("wipe", machine, machine.account()["id"])
        machine.say(obeyed=[nonce])
        machine.register(revoked=rfc3339(org.now))
        self.assertEqual(self.states(), {nonce: "obeyed"})
        self.fleet("page", "-o", self.workspace.root / "page.html")
        self.assertNotIn(
            "Orders that are not done", (self.workspace.root / "page.html").read_text())

    def test_an_order_that_expired_unheard_says_how_to_send_it_again(self):
        org, old = self.organization, self.organization.now - 40 * DAY
        machine = org.add("pc", issued=old - DAY)
        machine.register(revoked=rfc3339(old))
        account = machine.account()["id"]
        nonce = org.order("wipe", machine, account, issued=old, days=30)
        # A lost laptop wants it the most.
        state, kinds, text = self.why("pc")
        self.assertEqual((state, kinds), ("revoked", ["expired"]))
        self.assertIn(nonce[:8], text)
        self.assertIn(nonce[:8], self.fleet("status").stdout)
        self.fleet("status", "--check", status=ATTENTION)
        self.assertEqual(self.json("status")["sums"]["attention"], {"expired": 1})
        (order,) = self.json("orders")
        self.assertTrue(order["unheard"])
        for word in ("wipe", machine.id, account, f"orders/wipe-{nonce}.json"):
            self.assertIn(word, order["again"])
        self.assertIn(order["again"], self.fleet("orders").stdout)
        org.order("wipe", machine, account)
        self.assertEqual(self.why("pc")[1], [])
        # Of who has left nothing is heard.
        org.order("leave", machine, issued=old, days=30)
        self.assertEqual(self.why("pc")[1], [])
        self.assertIn("has left reports no more", self.fleet("orders").stdout)
        machine.say()
        self.assertEqual(self.why("pc")[1], ["revoked", "expired"])

    def test_states(self):
        org, old = self.organization, self.organization.now - 3 * DAY
        machine = org.add("pc")
        account = machine.account()["id"]
        nonces = {
            "unsigned": org.order("wipe", machine, account, keys=1),
            "pending": org.order("wipe", machine, account),
            "obeyed": org.order("lock", machine, keys=1),
            "expired": org.order("lock", machine, keys=1, issued=old, days=1),
            "overdue": org.order("lock", machine, keys=1, issued=old),
            "nobody": org.order("lock", Machine(org, "unknown"), keys=1)}
        machine.say(obeyed=[nonces["obeyed"]])
        found = {order["nonce"]: order for order in self.json("orders")}
        self.assertEqual(
            {name: found[nonce]["state"] for name, nonce in nonces.items()},
            {**{name: name for name in nonces}, "overdue": "pending"})
        unsigned = found[nonces["unsigned"]]
        self.assertEqual(
            (unsigned["missing"], unsigned["signedBy"]),
            (1, [org.organization.keys["order"][0].id]))
        self.assertEqual(found[nonces["obeyed"]]["obeyed"], [machine.id])
        state, kinds, text = self.why("pc")
        # The lock that expired was signed again since.
        self.assertEqual((state, kinds), ("attention", ["overdue"]))
        self.assertIn(nonces["overdue"][:8], text)
        machine.say(obeyed=[nonces["pending"]], pending=1)
        self.assertEqual(self.states()[nonces["pending"]], "obeyed")
        said = self.fleet("orders", "--machine", "pc").stdout
        self.assertIn("1 of 2 signed", said)
        self.assertIn("waits for 1 signature", said)
        (org.path / "orders" / "bad.json").write_text("{}")
        self.assertIn("orders/bad.json", self.fleet("orders").stderr)


class Audit(FleetCase):
    def records(self, *options):
        lines = self.fleet("audit", *options, "--json").stdout.splitlines()
        return [json.loads(line) for line in lines]

    def event(self, time, event="locked", **more):
        return {"time": f"2026-05-04T03:{time}Z", "event": event, **more}

    def test_machines_are_merged_by_time(self):
        one, two = self.organization.add("one"), self.organization.add("two")
        one.tell(1, self.event("00:01.000"), self.event("00:05.000", "unlocked"))
        two.tell(1, self.event("00:03.000"))
        one.tell(3, self.event("00:07.000"))
        two.tell(2, self.event("00:06.000", "unlocked", account="ann@contoso.com"))
        found = self.records()
        self.assertEqual(
            [(each["name"], each["record"]["sequence"]) for each in found],
            [("one", 1), ("two", 1), ("one", 2), ("two", 2), ("one", 3)])
        self.assertEqual(len(self.records("--event", "unlocked")), 2)
        self.assertEqual(len(self.records("--machine", "two")), 2)
        self.assertEqual(len(self.records("--since", "2026-05-04T03:00:05.500Z")), 2)
        said = self.fleet("audit").stdout.splitlines()
        self.assertEqual(
            said[3].split("\t"),
            ["2026-05-04T03:00:06.000Z", "two", "unlocked", "ann@contoso.com"])
        self.fleet("audit", "--event", "nosuch", status=USAGE)

    def test_gaps_repeats_and_forgeries(self):
        machine, other = self.organization.add("pc"), self.organization.add("other")
        machine.tell(1, self.event("00:01.000"))
        first = machine.audit_file.read_bytes()
        machine.tell(5, self.event("00:02.000"))
        with open(machine.audit_file, "ab") as file:
            file.write(first)
        other.tell(6, self.event("00:03.000", "wiped"))
        with open(machine.audit_file, "ab") as file:
            file.write(other.audit_file.read_bytes())
            file.write(b"not JSON\n" + b"x" * (2 << 20) + b"\n")
        machine.tell(6, self.event("00:04.000"))
        with open(machine.audit_file, "ab") as file:
            file.write(first[:-1])  # a line that has not ended
        found = self.records("--machine", "pc")
        self.assertEqual(
            [next(iter(set(each) - {"machine", "name"})) for each in found],
            ["record", "missing", "record", "refused", "refused", "refused", "record"])
        self.assertEqual(found[1]["missing"], {"from": 2, "to": 4})
        self.assertIn("records 2 to 4 are not here", self.fleet("audit").stdout)

    def test_what_cannot_be_read_is_told(self):
        one, two = self.organization.add("one"), self.organization.add("two")
        one.tell(1, self.event("00:01.000"))
        two.tell(1, self.event("00:02.000"))
        entry = self.organization.path / "machines" / f"{two.id}.json"
        entry.write_text("{}")
        said = self.fleet("audit", status=FAILURE)
        self.assertEqual(said.stdout.count("locked"), 1)
        self.assertIn(f"{two.id}.json does not count", said.stderr)
        audits = one.audit_file.parent
        audits.rename(audits.with_name("other"))
        audits.write_bytes(b"")
        said = self.fleet("audit", status=FAILURE)
        self.assertIn("audit does not count: it cannot be listed", said.stderr)

    def test_follow(self):
        machine = self.organization.add("pc")
        machine.tell(1, self.event("00:01.000"))
        process = subprocess.Popen(
            ["mamctl", "fleet", "audit", "--follow", "--json", "--organization",
             self.organization.path], stdout=subprocess.PIPE, text=True,
            env=self.workspace.environment)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(json.loads(process.stdout.readline())["record"]["sequence"], 1)
        machine.tell(2, self.event("00:02.000"))
        self.assertEqual(json.loads(process.stdout.readline())["record"]["sequence"], 2)
        other = self.organization.add("new")
        other.tell(1, self.event("00:03.000"))
        self.assertEqual(json.loads(process.stdout.readline())["name"], "new")


if __name__ == "__main__":
    unittest.main()
