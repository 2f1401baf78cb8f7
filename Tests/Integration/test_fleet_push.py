"""A directory of policies becomes documents, and bundles for a web server."""
import base64
import json
import shutil
import subprocess
import unittest

from carrier import (
    EVERYONE, POLICY, Organization, group_target, machine_request, with_clients)
from fleet_directory import KeyedDirectory, Machine
from terminal import Terminal
from workspace import (
    DAMAGED, DONE, NO, NOT_FOUND, REFUSED, ROOT, UNREACHABLE, USAGE, Workspace)

EXPORT = ROOT / "Tests" / "Fixtures" / "policies" / "level-2.json"


class PushCase(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        self.organization = Organization(self.workspace)
        self.key = self.organization.keys["ann"]
        self.policies = self.workspace.root / "policies"
        self.policies.mkdir()
        self.signed = self.organization.path / "signed"

    def put(self, name, groups=(), assignments=None, **rules):
        document = {**POLICY, **rules}
        if groups or assignments:
            document["assignments"] = [
                {"target": target}
                for target in assignments or [group_target(group) for group in groups]]
        (self.policies / name).write_text(json.dumps(document))

    def push(self, *words, status=DONE, **options):
        return self.organization.json(
            "push", self.policies, "--key", self.key, "--yes", "--local", *words, status=status,
            **options)

    def actions(self, *words):
        return {change["slot"]: change["action"] for change in self.push(*words)["changes"]}

    def refusal(self, *words, status=USAGE):
        return self.push(*words, status=status)["error"]["message"]

    def membership(self, content, audience="all", name="members"):
        file = self.workspace.root / "membership.json"
        file.write_text(json.dumps(content))
        self.signed.mkdir(exist_ok=True)
        self.organization.json(
            "sign", file, "--root", self.organization.root, "--key", self.key, "--kind",
            "membership", "--audience", audience, "--name", name, "-o",
            self.signed / f"{name}.json")

    def terminal(self):
        return Terminal(
            ["mamctl", "fleet", "push", self.policies, "--organization", self.organization.path,
             "--key", self.key, "--local"], self.workspace.environment, columns=300)

    def document(self, path):
        envelope = json.loads(path.read_text())
        return (json.loads(base64.b64decode(envelope["payload"])),
                base64.b64decode(envelope["content"]))


@with_clients
class Push(PushCase):
    def test_what_somebody_else_signs_meanwhile_stays(self):
        for rules in ({}, {"printBlocked": True}):
            self.put("level2.json", **rules)
            terminal = self.terminal()
            terminal.read(until=b"to continue")
            self.push()
            signed = (self.signed / "level2.json").read_bytes()
            terminal.type("yes\n")
            found, shown = terminal.finish()
            self.assertEqual(found, REFUSED, shown)
            self.assertIn("somebody else has signed it meanwhile", shown)
            self.assertEqual((self.signed / "level2.json").read_bytes(), signed)

    def test_an_export_is_signed_as_machines_read_it(self):
        self.put("level2.json")
        file = (self.policies / "level2.json").rename(self.policies / "Level 2.JSON")
        text = file.read_text()
        file.write_bytes(text.encode("utf-16"))
        self.assertEqual(self.actions(), {"policy/all/Level-2.JSON": "new"})
        (signed,) = self.signed.iterdir()
        self.assertEqual(self.document(signed)[1].decode(), text)

    def test_what_changed_is_signed(self):
        self.put("level2.json")
        self.put("level3.json", assignments=[EVERYONE])
        self.assertEqual(
            self.actions(), {"policy/all/level2.json": "new", "policy/all/level3.json": "new"})
        statement, content = self.document(self.signed / "level2.json")
        self.assertEqual(content, (self.policies / "level2.json").read_bytes())
        before = {path: path.read_bytes() for path in self.signed.iterdir()}
        again = self.push()
        self.assertEqual((again["changes"], again["unchanged"]), ([], 2))
        self.assertEqual({path: path.read_bytes() for path in self.signed.iterdir()}, before)
        self.put("level2.json", pinRequired=False, maximumPinRetries=3)
        (change,) = self.push()["changes"]
        self.assertEqual(change["action"], "changed")
        self.assertEqual(
            change["differences"],
            ["maximumPinRetries: nothing → 3", "pinRequired: true → false"])
        newer, _ = self.document(self.signed / "level2.json")
        self.assertGreater(newer["serial"], statement["serial"])
        found = self.organization.json(
            "verify", *self.signed.iterdir(), "--root", self.organization.root)
        self.assertEqual([document["refusal"] for document in found], [None, None])

    def test_what_would_be_wiped_is_said_beforehand(self):
        self.put("level2.json")
        self.put("strict.json", minimumWipeOsVersion="99")
        changes = self.push("--dry-run")["changes"]
        self.assertEqual(
            {change["name"]: [each["rule"] for each in change["preview"]["wipes"]]
             for change in changes},
            {"level2.json": [], "strict.json": ["minimumWipeOsVersion"]})
        said = self.organization.fleet(
            "push", self.policies, "--key", self.key, "--local", "--dry-run").stdout
        (line,) = [line for line in said.splitlines() if "wipes" in line]
        self.assertIn("(minimumWipeOsVersion), once enough order keys have signed it", line)

    def test_signed_is_what_was(self):
        self.put("level2.json")
        self.assertEqual(
            [self.push(*words)["signed"] for words in (["--dry-run"], [], [])],
            [False, True, False])

    def test_another_documents_file_is_left_alone(self):
        self.membership({"groups": [], "members": {}}, name="lab")
        before = (self.signed / "lab.json").read_bytes()
        self.put("lab.json")
        self.assertEqual(self.actions(), {"policy/all/lab.json": "new"})
        self.assertEqual((self.signed / "lab.json").read_bytes(), before)
        self.assertEqual(self.actions(), {})

    def test_vanished_is_withdrawn_only_when_asked(self):
        self.put("level2.json")
        self.put("level3.json")
        self.push()
        (self.policies / "level3.json").unlink()
        left = {"policy/all/level3.json": "left"}
        self.assertEqual(self.actions(), left)
        self.assertNotEqual(self.document(self.signed / "level3.json")[1], b"")
        self.assertEqual(
            self.actions("--prune", "--dry-run"), {"policy/all/level3.json": "withdrawn"})
        self.assertNotEqual(self.document(self.signed / "level3.json")[1], b"")
        self.assertEqual(self.actions("--prune"), {"policy/all/level3.json": "withdrawn"})
        self.assertEqual(self.document(self.signed / "level3.json")[1], b"")
        self.assertEqual(self.actions("--prune"), {})
        self.put("level3.json")
        self.assertEqual(self.actions(), {"policy/all/level3.json": "new"})

    def test_groups_of_machines_and_of_accounts(self):
        self.put("lab.json", ["Lab", "sales"])
        self.put("staff.json", ["Staff"])
        self.assertIn("no membership, invitation or machine has", self.refusal())
        self.assertFalse(self.signed.exists())
        self.membership({"groups": [], "members": {"staff": ["ann@contoso.com"]}})
        self.membership({"groups": ["lab"], "members": {}}, "machine:" + "01" * 16, "one")
        self.assertIn("sales", self.refusal())
        self.organization.json("engine", "init", "--server", "localhost")
        self.organization.fleet("invite", "--group", "sales")
        self.assertEqual(self.actions(), {
            "policy/group:lab/lab.json": "new", "policy/group:sales/lab.json": "new",
            "policy/all/staff.json": "new"})
        self.put("mixed.json", ["staff", "lab"])
        self.assertIn("at once", self.refusal())
        (self.policies / "mixed.json").unlink()
        # Members that only some machines know leave it to those machines.
        self.membership({"groups": ["pool"], "members": {"pool": ["ann@contoso.com"]}},
                        "machine:" + "01" * 16, "two")
        self.put("pool.json", ["pool"])
        self.assertEqual(self.actions(), {"policy/group:pool/pool.json": "new"})
        # An exclusion leaves everybody else; one that machines do not know is told.
        self.put("most.json", assignments=[EVERYONE, group_target("away", excluded=True)])
        said = self.organization.fleet(
            "push", self.policies, "--key", self.key, "--yes", "--local").stderr
        self.assertIn("away", said)
        self.assertTrue((self.signed / "most.json").exists())

    def test_a_damaged_membership_signs_nothing(self):
        self.put("staff.json", ["staff"])
        self.membership({"groups": [], "members": {"staff": ["ann@contoso.com"]}})
        file = self.signed / "members.json"
        envelope = json.loads(file.read_text())
        file.write_text(json.dumps(
            {**envelope, "content": base64.b64encode(b'{"groups": 7, "members": {}}').decode()}))
        self.assertIn(
            "members.json: the membership's groups must be", self.refusal(status=DAMAGED))

    def test_a_collection_is_signed_one_by_one(self):
        ids = [f"{number}f1e2d3c-0000-4000-8000-000000000000" for number in (1, 2)]
        (self.policies / "all of them.json").write_text(json.dumps({"value": [
            {**POLICY, "id": ids[0]}, {**POLICY, "id": ids[1], "pinRequired": False}]}))
        self.assertEqual(self.actions(), {f"policy/all/{id}.json": "new" for id in ids})
        (self.policies / "all of them.json").write_text(json.dumps({"value": [
            {**POLICY, "id": ids[0]}, {**POLICY, "id": ids[1]}]}))
        self.assertEqual(self.actions(), {f"policy/all/{ids[1]}.json": "changed"})

    def test_one_bad_file_signs_nothing(self):
        self.put("good.json")
        (self.policies / "bad.json").write_text('{"pinRequired": "maybe"}')
        self.assertIn("bad.json", self.refusal())
        (self.policies / "bad.json").write_text(json.dumps(
            {"value": [POLICY], "@odata.nextLink": "https://graph"}))
        self.assertIn("bad.json", self.refusal())
        self.assertFalse(self.signed.exists())
        for file in self.policies.iterdir():
            file.unlink()
        self.refusal(status=NOT_FOUND)

    def test_what_expires_soon_is_signed_again(self):
        self.put("level2.json")
        self.push("--expires", "10")
        self.assertEqual(self.actions(), {"policy/all/level2.json": "renewed"})
        self.assertEqual(self.actions(), {})

    def test_only_a_policy_key_signs(self):
        self.put("level2.json")
        said = self.organization.error(
            "push", self.policies, "--key", self.organization.keys["bob"], "--yes", "--local",
            status=REFUSED)
        self.assertIn("lacks the role policy", said)
        self.assertFalse(self.signed.exists())

    def test_a_terminal_shows_and_asks(self):
        self.put("level2.json")
        for answer, status in (("no", NO), ("yes", DONE)):
            terminal = self.terminal()
            terminal.read(until=b"continue")
            terminal.type(answer + "\n")
            found, shown = terminal.finish()
            self.assertEqual(found, status, shown)
            self.assertIn("+ policy/all/level2.json", shown)
            self.assertEqual(self.signed.exists(), status == DONE)
        self.put("level3.json")
        self.organization.fleet(
            "push", self.policies, "--key", self.key, "--local", status=REFUSED)

    def test_an_engine_is_advised_where_an_organisation_is(self):
        for place, word in (
                (self.policies, "name its directory"),
                (self.organization.path, "mamctl fleet engine init")):
            for verb in ("push", "pull"):
                said = subprocess.run(
                    ["mamfleet", verb, place], capture_output=True, text=True, timeout=90,
                    env=self.workspace.environment)
                self.assertEqual(said.returncode, NOT_FOUND)
                self.assertIn(word, said.stderr)

    def test_it_is_sent_by_mamfleet(self):
        self.put("level2.json")
        tools = self.workspace.root / "tools"
        tools.mkdir()
        stub = tools / "mamfleet"
        sent = {"account": "unchanged", "streams": [], "published": ["documents.all"],
                "unchanged": 2, "answers": 0}
        away = {"status": UNREACHABLE, "message": "no server answers", "next": None}

        def have_mamfleet(say, status):
            stub.write_text(
                f"#!/bin/sh\necho \"$@\" > \"$0.called\"\necho on the way >&2\n"
                f"echo '{json.dumps(say)}'\nexit {status}\n")
            stub.chmod(0o755)

        real = shutil.which("mamctl")
        # It looks beside itself first.
        shutil.copy(real, tools / "mamctl")
        environment = {**self.workspace.environment,
                       "PATH": f"{tools}:{self.workspace.environment['PATH']}"}

        def push(*words, **options):
            return self.organization.fleet(
                "push", self.policies, "--key", self.key, "--yes", *words or ("--json",),
                environment=environment, **options)

        have_mamfleet(sent, DONE)
        said = push()
        self.assertIn("on the way", said.stderr)
        self.assertEqual(json.loads(said.stdout)["published"], sent)
        self.assertEqual(
            (tools / "mamfleet.called").read_text().split(),
            ["push", "--json", str(self.organization.path)])
        have_mamfleet({"error": away}, UNREACHABLE)
        told = json.loads(push(status=UNREACHABLE).stdout)
        self.assertEqual((told["signed"], told["published"], told["error"]), (False, None, away))
        # People are told what was signed, and what was not.
        self.assertNotIn("Signed", push("--verbose", status=UNREACHABLE).stderr)
        self.put("level2.json", displayName="Other")
        self.assertIn("Signed in", push("--verbose", status=UNREACHABLE).stderr)

    # Bundles

    def bundle(self):
        return self.organization.json("bundle", "-o", self.web)

    def test_bundles(self):
        self.web = self.workspace.root / "web"
        self.membership({"groups": ["lab"], "members": {}}, "machine:" + "01" * 16, "one")
        self.put("level2.json")
        self.put("lab.json", ["lab"])
        self.push()
        self.organization.json(
            "time", self.signed, "--root", self.organization.root, "--key",
            self.organization.keys["server"], "-o", self.organization.path / "time.json")
        orders = self.organization.path / "orders"
        orders.mkdir()
        for machine, signers in (("01", ["ann", "bob"]), ("02", ["ann"])):
            order = orders / f"{machine}.json"
            self.organization.json(
                "order", "wipe", "--root", self.organization.root, "--key", self.key, "-o", order,
                "--machine", machine * 16, "--account", "a2" * 16)
            for name in signers[1:]:
                self.organization.json(
                    "cosign", order, "--root", self.organization.root, "--key",
                    self.organization.keys[name], "--yes")
        made = self.bundle()
        self.assertEqual(
            sorted(made["written"]),
            ["all.json", "g/lab.json", f"m/{'01' * 16}.json", "roots.json", "time.json"])
        kinds = {path: [document["payloadType"].split(".")[2].split("+")[0]
                        for document in json.loads((self.web / path).read_text())]
                 for path in made["written"]}
        self.assertEqual(kinds["roots.json"], ["root"])
        self.assertEqual(kinds["all.json"], ["policy"])
        self.assertEqual(kinds[f"m/{'01' * 16}.json"], ["membership", "order"])
        # Nothing changes: a web server's tags stay.
        times = {path: path.stat().st_mtime_ns for path in self.web.rglob("*.json")}
        self.assertEqual(self.bundle()["written"], [])
        self.assertEqual(
            {path: path.stat().st_mtime_ns for path in self.web.rglob("*.json")}, times)
        self.put("level2.json", pinRequired=False)
        self.push()
        (self.web / "index.html").write_text("mine")
        self.assertEqual(self.bundle(), {"bundles": 5, "written": ["all.json"], "removed": []})
        # What no machine would accept goes nowhere.
        (self.signed / "lab@lab.json").write_text("{}")
        self.organization.error("bundle", "-o", self.web, status=7)
        (self.signed / "lab@lab.json").unlink()
        self.assertEqual(self.bundle()["removed"], ["g/lab.json"])
        self.assertTrue((self.web / "index.html").exists())

    def test_a_revoked_machine_gets_its_orders_alone(self):
        self.web = self.workspace.root / "web"
        self.organization.json("engine", "init", "--server", "localhost")
        invitation = self.organization.code("--group", "lab")["invitation"]
        key, request = machine_request(self.organization.id, invitation)
        requests = self.organization.path / "reports" / "enrolment"
        requests.mkdir(parents=True)
        (requests / f"{invitation}.json").write_bytes(request)
        self.organization.json("admit", "--key", self.key, "--yes")
        self.put("level2.json")
        self.push()
        file = self.web / "m" / f"{key.id}.json"
        self.bundle()
        self.assertEqual(len(json.loads(file.read_text())), 1)
        self.organization.json("revoke", key.id, "--yes")
        self.assertEqual(self.bundle()["removed"], [f"m/{key.id}.json"])
        orders = self.organization.path / "orders"
        orders.mkdir()
        self.organization.json(
            "order", "lock", "--root", self.organization.root, "--key", self.key, "-o",
            orders / "lock.json", "--machine", key.id)
        self.assertEqual(self.bundle()["written"], [f"m/{key.id}.json"])
        (order,) = json.loads(file.read_text())
        self.assertIn("order", order["payloadType"])


class Preview(PushCase):
    """What a push says before it signs, of machines that have reported."""

    def setUp(self):
        super().setUp()
        fleet = KeyedDirectory(self.organization)
        self.export = json.loads(EXPORT.read_text())
        self.plain = {
            "pc-1": Machine(fleet, "pc-1"), "pc-2": Machine(fleet, "pc-2"),
            "silent": Machine(fleet, "silent")}
        for machine in self.plain.values():
            machine.register()
        self.plain["pc-1"].say(accounts=[self.account("pc-1", "ann@contoso.com")])
        self.plain["pc-2"].say(
            accounts=[self.account("pc-2", "bob@contoso.com")], contained=False)

    def account(self, machine, name):
        return self.plain[machine].account(name=name)

    def write(self, export=None, name="level2.json"):
        (self.policies / name).write_text(json.dumps(export or self.export))

    def previews(self, *words):
        return {change["name"]: change["preview"] for change in self.push(*words)["changes"]}

    def test_an_export_of_intune(self):
        self.write()
        preview = self.previews("--dry-run")["level2.json"]
        self.assertEqual(len(preview["machines"]), 3)
        self.assertEqual(preview["unknown"], [self.plain["silent"].id])
        self.assertEqual(
            sorted((each["name"], each["machineName"]) for each in preview["covers"]),
            [("ann@contoso.com", "pc-1"), ("bob@contoso.com", "pc-2")])
        self.assertEqual(
            sorted({(effect["kind"], effect["rule"]) for effect in preview["effects"]}), [
                ("absence", "periodOfflineBeforeAccessCheck"),
                ("condition", "deviceComplianceRequired"),
                ("condition", "minimumRequiredOsVersion"),
                ("containment", "allowedOutboundDataTransferDestinations"),
                ("passphrase", "pinRequired")])
        self.assertEqual(
            [wipe["rule"] for wipe in preview["wipes"]], ["periodOfflineBeforeWipeIsEnforced"])
        self.assertEqual((preview["closesAll"], preview["coversNobody"]), (True, False))
        closed = {each["machineName"]: each["reason"] for each in preview["closes"]
                  if "ontain" in each["reason"]}
        self.assertIn("for contained programs alone", closed["pc-1"])
        self.assertIn("its machine contains no programs", closed["pc-2"])
        force = {rule["path"]: rule["force"] for rule in preview["rules"]}
        self.assertEqual(
            [force[key] for key in ("pinRequired", "printBlocked", "contactSyncBlocked",
                                    "faceIdBlocked", "displayName")],
            ["enforced", "contained", "answered", "unused", None])
        # What `policy import` says of a document, it says too.
        checked = json.loads(self.workspace.ctl(
            "policy", "check", self.policies / "level2.json", "--json").stdout)
        warnings = " ".join(preview["warnings"])
        for finding in checked:
            self.assertIn(finding["reason"], warnings)
        self.assertIn("offline guessing", warnings)
        self.assertFalse(self.signed.exists())

    def test_for_people_one_thing_stands_in_a_line(self):
        self.write()
        # With nothing signed it is the output.
        words = ["push", self.policies, "--key", self.key, "--dry-run"]
        told = self.organization.fleet(*words)
        self.assertEqual(told.stderr, "")
        said = told.stdout.splitlines()
        self.assertLess(max(map(len, said)), 400)
        rules = [line.split() for line in said if "minimumPinLength:" in line]
        self.assertEqual(rules, [["enforced", "minimumPinLength:", "4"]])
        labels = {line[:20].strip().split("  ")[0] for line in said}
        for label in ("for", "assigned to", "covers", "closes", "wipes", "warning", "beware"):
            self.assertIn(label, labels)
        self.assertNotIn("\\", "".join(said))
        # What is not enforced is counted alone.
        forces = [rule["force"] for rule in self.previews("--dry-run")["level2.json"]["rules"]]
        count = forces.count("answered") + forces.count("unused")
        (line,) = [line for line in said if "--verbose" in line]
        self.assertIn("not enforced", line)
        self.assertIn(f"{count} rules", line)
        self.assertNotIn("contactSyncBlocked", told.stdout)
        whole = self.organization.fleet(*words, "--verbose").stdout
        for rule in ("contactSyncBlocked", "faceIdBlocked"):
            self.assertIn(rule, whole)
        self.assertNotIn("--verbose", whole)

    def test_answers_of_graph_differ_field_by_field(self):
        self.write()
        self.push()
        self.export["value"][0] |= {"pinRequired": False, "version": '"2b"'}
        self.write()
        (change,) = self.push("--dry-run")["changes"]
        self.assertEqual(change["action"], "changed")
        self.assertEqual(
            change["differences"],
            ["pinRequired: true → false", 'version: "2a0000" → "2b"'])
        self.assertEqual((change["preview"]["effects"], change["preview"]["closes"]), ([], []))

    def test_a_document_for_nobody_asks_for_its_name(self):
        self.plain["silent"].register(revoked="2026-01-02T03:04:05Z")
        self.put("mail.json", apps=[{"mobileAppIdentifier": {"bundleId": "com.contoso.mail"}}])
        preview = self.previews("--dry-run")["mail.json"]
        self.assertEqual((preview["covers"], preview["coversNobody"]), ([], True))
        self.assertIn("com.contoso.mail", preview["obstacles"][0])
        for answers, status in (
                (["no"], NO), (["yes", "yes"], NO), (["yes", "mail.json"], DONE)):
            terminal = self.terminal()
            for answer, question in zip(answers, (b"to continue", b"to sign it nevertheless")):
                terminal.read(until=question)
                terminal.type(answer + "\n")
            found, shown = terminal.finish()
            self.assertEqual(found, status, shown)
            self.assertIn("mail.json covers nobody that is known", shown)
            self.assertEqual(self.signed.exists(), status == DONE)

    def test_yes_goes_on_and_has_said_it(self):
        self.write()
        said = self.organization.fleet(
            "push", self.policies, "--key", self.key, "--local", "--yes", "--json")
        self.assertIn("level2.json closes all accounts that it covers", said.stderr)
        self.assertTrue((self.signed / "level2.json").exists())

    def test_a_withdrawal_that_leaves_accounts_without_a_policy(self):
        self.put("level2.json")
        self.put("extra.json")
        self.push()
        (self.policies / "extra.json").unlink()
        self.assertFalse(self.previews("--prune", "--dry-run")["extra.json"]["closesAll"])
        (self.policies / "level2.json").rename(self.policies / "other.json")
        found = self.previews("--prune", "--dry-run")
        self.assertEqual([each["closesAll"] for each in found.values()], [False] * 3)
        self.put("other.json", isAssigned=False)
        found = self.previews("--prune", "--dry-run")
        self.assertTrue(found["level2.json"]["closesAll"])
        self.assertEqual(
            {each["reason"] for each in found["level2.json"]["closes"]},
            {"no policy covers it any more"})
        self.assertTrue(found["other.json"]["coversNobody"])
        said = self.organization.fleet(
            "push", self.policies, "--key", self.key, "--prune", "--dry-run").stdout
        self.assertIn("withdrawing level2.json closes all accounts that it covers", said)


if __name__ == "__main__":
    unittest.main()
