"""The administrator's side of settings that are asked for: signed, previewed, and answered."""
import json
import unittest

from carrier import with_clients
from signing import DAY
from test_fleet_push import PushCase
from test_fleet_status import FleetCase
from workspace import DONE, NO, ROOT, USAGE

SLOT = "settings/all/settings.json"


@with_clients
class Push(PushCase):
    def setUp(self):
        super().setUp()
        self.put("level2.json")
        self.push()

    def ask(self, settings):
        path = self.organization.path / "settings.json"
        path.write_text(settings if isinstance(settings, str) else json.dumps(settings))

    def said(self, *words):
        return self.organization.fleet(
            "push", self.policies, "--key", self.key, "--local", "--dry-run", *words).stdout

    def test_the_file_is_signed_and_goes_out(self):
        self.ask({"Containment": "required", "LockOn": {"Sleep": "now"}})
        said = self.said()
        self.assertIn(f"+ {SLOT}", said)
        self.assertIn("Containment: required", said)
        self.assertIn("LockOn.Sleep: now", said)
        self.assertIn("keeps that", said)
        self.assertFalse((self.signed / "settings.json").exists())
        self.assertEqual(self.actions(), {SLOT: "new"})
        self.assertEqual(self.actions(), {})
        file = self.signed / "settings.json"
        found, = self.organization.json("verify", file, "--root", self.organization.root)
        self.assertEqual(
            (found["kind"], found["refusal"], found["orderKeysMissing"]), ("settings", None, None))
        self.assertIn("LockOn.Sleep", self.organization.fleet(
            "verify", file, "--root", self.organization.root).stdout)
        time = self.organization.json(
            "time", self.signed, "--root", self.organization.root, "--key",
            self.organization.keys["server"], "-o", self.organization.path / "time.json")
        self.assertEqual(time["kind"], "time")
        web = self.workspace.root / "web"
        self.organization.json("bundle", "-o", web)
        kinds = [document["payloadType"] for document in json.loads(
            (web / "all.json").read_text())]
        self.assertIn("application/vnd.mamd.settings+json", kinds)

    def test_the_example(self):
        self.ask((ROOT / "examples" / "organization" / "settings.json").read_text())
        self.assertEqual(self.actions(), {SLOT: "new"})

    def test_less_is_asked_only_if_it_is_meant(self):
        self.ask({"Containment": "required", "LockOn": {"IdleSeconds": 60}})
        self.push()
        self.ask({"Containment": "policy", "LockOn": {"IdleSeconds": 30}})
        (change,) = self.push("--dry-run")["changes"]
        self.assertEqual((change["action"], change["preview"]["laxer"]), (
            "changed", ["Containment"]))
        for answer, status in (("yes", NO), ("settings.json", DONE)):
            terminal = self.terminal()
            terminal.read(until=b"continue")
            terminal.type("yes\n")
            terminal.read(until=b"nevertheless")
            terminal.type(answer + "\n")
            found, shown = terminal.finish()
            self.assertEqual(found, status, shown)
            self.assertNotIn("    laxer", str(shown))  # "beware" says so already
        self.assertEqual(self.actions(), {})

    def test_a_contact_and_whom_it_keeps_out_are_said(self):
        self.ask({"LockGraceSeconds": 5})
        self.assertNotIn("does not know Contact", self.said())
        self.ask({"Contact": "help@contoso.com, +49 30 1234"})
        said = self.said()
        self.assertIn("Contact: help@contoso.com, +49 30 1234", said)
        self.assertIn("does not know Contact yet refuses this", said)
        self.push()
        self.assertIn("contact", self.organization.fleet(
            "verify", self.signed / "settings.json", "--root", self.organization.root).stdout)
        for bad in ("", "two\nlines", "x" * 201, "\u202e", 7):
            self.ask({"Contact": bad})
            self.assertIn("200 bytes of plain text", self.refusal())

    def test_withdrawn_only_when_asked_and_others_are_left_alone(self):
        self.ask({"Containment": "required"})
        self.push()
        self.organization.json(
            "sign", self.organization.path / "settings.json", "--root", self.organization.root,
            "--key", self.key, "--kind", "settings", "--audience", "group:lab", "--name", "lab",
            "-o", self.signed / "lab.json")
        (self.organization.path / "settings.json").unlink()
        self.assertEqual(self.actions(), {SLOT: "left"})
        self.assertEqual(self.actions("--prune"), {SLOT: "withdrawn"})
        self.assertEqual(self.document(self.signed / "settings.json")[1], b"")
        self.assertNotEqual(self.document(self.signed / "lab.json")[1], b"")

    def test_what_machines_would_refuse_is_told_with_its_line(self):
        path = self.organization.path / "settings.json"
        for text, line, reason in (
                ('{\n  "Containmant": "required"}', 2, "Containment"),
                ('{\n\n "LockOn": {\n"Sleep": "soon"}}', 4, "one of now, never"),
                ('{"Probes":\n{"OsVersion": ["/bin/sh"]}}', 2, "required"),
                ('{"Hooks": {"Wipe": ["/bin/sh"]}}', 1, "no setting")):
            with self.subTest(text):
                self.ask(text)
                refused = self.refusal()
                self.assertIn(f"{path}:{line}: ", refused)
                self.assertIn(reason, refused)
                self.organization.error(
                    "sign", path, "--root", self.organization.root, "--key", self.key, "--kind",
                    "settings", "--audience", "all", "-o", self.workspace.root / "out",
                    status=USAGE)
        self.ask("[1")
        self.assertIn(str(path), self.refusal())
        self.assertFalse((self.signed / "settings.json").exists())

    def test_the_former_settings_can_be_restored(self):
        self.ask({"Containment": "required"})
        self.push()
        self.ask({"Containment": "policy"})
        self.push()
        self.organization.json("restore", SLOT, "--key", self.key, "--yes")
        self.assertEqual(
            json.loads(self.document(self.signed / "settings.json")[1]),
            {"Containment": "required"})


class Status(FleetCase):
    def setUp(self):
        super().setUp()
        organization = self.organization
        organization.put(organization.organization.document(
            "settings", {"Containment": "required"}, name="settings.json", serial=9,
            issued=organization.now - 3600), "settings")
        organization.heads[SLOT] = 9
        organization.sign_time()

    def test_an_answer_and_what_is_not_done(self):
        self.organization.add("fine", settings={"Containment": ""})
        self.organization.add("lax", settings={"Containment": "the kernel has no Landlock"})
        # Of an older version, which refuses the document.
        old = self.organization.add("old")
        documents = self.organization.documents_of(old)
        del documents[SLOT]
        old.say(documents=documents)
        self.assertEqual(self.why("fine"), ("compliant", [], ""))
        state, kinds, text = self.why("lax")
        self.assertEqual((state, kinds), ("attention", ["settings"]))
        self.assertIn("Containment (the kernel has no Landlock)", text)
        state, kinds, text = self.why("old")
        self.assertEqual((state, kinds), ("attention", ["settings", "documents"]))
        self.assertIn("does not answer", text)
        sums = self.json("status")["sums"]
        self.assertEqual(sums["attention"]["settings"], 2)
        self.assertEqual(sums["states"]["compliant"], 1)
        self.assertIn("no Landlock", self.fleet("status").stdout)

    def test_what_was_signed_by_a_clock_ahead_is_told_now(self):
        organization = self.organization
        organization.put(organization.organization.document(
            "settings", {"Containment": "required"}, name="settings.json", serial=10,
            issued=organization.now + 9 * DAY), "settings")
        organization.heads[SLOT] = 10
        organization.sign_time()
        # It has the document, and does not do it.
        organization.add("lax", settings={"Containment": "the kernel has no Landlock"})
        self.assertEqual(self.why("lax")[:2], ("attention", ["settings"]))
        (flaw,) = self.json("status")["flaws"]
        self.assertIn(f"{SLOT} is of a time to come", flaw)

    def test_a_hostile_answer_does_not_reach_the_terminal(self):
        self.organization.add("lax", settings={"\x1b[31m" * 100: "\x1b[0m" * 1000})
        self.assertNotIn("\x1b", self.fleet("status").stdout)

    def test_a_status_that_is_no_answer_does_not_count(self):
        self.organization.add("odd", settings={"Containment": 7})
        self.assertEqual(self.why("odd")[:2], ("refused", ["refused"]))


if __name__ == "__main__":
    unittest.main()
