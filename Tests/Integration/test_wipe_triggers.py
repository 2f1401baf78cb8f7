"""What wipes an account without anybody asking for it, and what others keep. PIN and offline:
test_pin, test_offline."""
import errno
import json
import shutil
import unittest

from enrolling import EnrollmentCase, daemon_text
from workspace import ANN, BOB, CLOSED, NO, wait_until


class Triggers(EnrollmentCase):
    settings = {
        **EnrollmentCase.settings,
        "Probes": {"OsVersion": ["/bin/sh", "-c", "echo 12.4"]}}

    def begin(self, **rules):
        super().begin(**rules)
        self.workspace.register(BOB)
        self.bobs = self.workspace.path("bob's")
        self.workspace.write_as(BOB, self.bobs, "not ann's")
        self.before = self.workspace.on_disk("bob's").read_bytes()

    def assert_wiped(self, trigger):
        wait_until(lambda: self.workspace.account() is None)
        wait_until(lambda: not self.file.exists() and not self.always.exists())
        self.assertEqual(self.bobs.read_bytes(), b"not ann's")
        self.assertEqual(self.workspace.on_disk("bob's").read_bytes(), self.before)
        self.assertIn(f"is being wiped ({trigger})", daemon_text(self.workspace))

    def cover_ann_only(self, **rules):
        """Bob has no part in what Ann's policy asks."""
        settings = self.workspace.policies.parent / "settings.json"
        settings.write_text(
            json.dumps(
                {**json.loads(settings.read_text()), "Groups": {"g": [ANN], "others": [BOB]}}))
        target = {"@odata.type": "#microsoft.graph.groupAssignmentTarget", "groupId": "g"}
        self.set_policy(assignments=[{"target": target}], **rules)

    def test_by_command_the_answer_proves_it(self):
        self.begin()
        answer = json.loads(self.workspace.serving("wipe", ANN, "--confirm", ANN, "--json").stdout)
        self.assertEqual((answer["complete"], answer["files"], answer["opened"]), (True, 2, 0))
        self.assertEqual(
            answer["scanned"], len([p for p in self.workspace.backing.rglob("*") if p.is_file()]))
        self.assert_wiped("command")

    def order(self, name, account=ANN):
        document = {"@odata.type": "#mamd.wipeRequest", "id": name, "account": account}
        (self.workspace.policies / f"wipe-{name}.json").write_text(json.dumps(document))

    def read_orders(self):
        """Returns when the daemon has read the directory and carried out what it orders."""
        self.workspace.serving("account check-in")

    def test_a_document_of_the_administrators(self):
        self.begin()
        self.order("one", ANN.upper())
        self.assert_wiped("administrator")
        # Each is obeyed once: the account may come again, and the document may stay.
        self.workspace.register()
        for again in (
                lambda: self.workspace.serving("account check-in"), self.workspace.unmount,
                self.workspace.mount):
            again()
        self.read_orders()
        self.assertIsNotNone(self.workspace.account())
        # One that comes while no daemon runs is obeyed at the next start.
        self.workspace.unmount()
        self.order("two")
        self.workspace.mount()
        wait_until(lambda: self.workspace.account() is None)

    def test_an_order_is_not_for_keys_that_come_back_later(self):
        self.begin()
        keys = self.workspace.root / "ann.keys"
        passfile = self.workspace.secret("export passphrase", "of the export")
        self.workspace.serving(
            "account export", ANN, "-o", keys, "--passfile", self.workspace.passfile,
            "--export-passfile", passfile)
        self.order("one")
        self.assert_wiped("administrator")
        self.workspace.serving(
            "account import", keys, "--export-passfile", passfile, "--passfile",
            self.workspace.passfile)
        self.file.write_bytes(b"new")
        for again in (
                lambda: self.workspace.serving("account check-in"), self.workspace.unmount,
                self.workspace.mount):
            again()
        self.read_orders()
        self.assertIsNotNone(self.workspace.account())
        self.workspace.unlock()
        self.assertEqual(self.file.read_bytes(), b"new")

    def test_an_order_does_not_wait_for_an_account_to_come(self):
        self.begin()
        self.order("early", "carl@contoso.com")
        self.workspace.serving("account check-in")
        self.workspace.register("carl@contoso.com")
        for again in (
                lambda: self.workspace.serving("account check-in"), self.workspace.unmount,
                self.workspace.mount):
            again()
        self.read_orders()
        self.assertIsNotNone(self.workspace.account("carl@contoso.com"))

    def test_an_order_that_a_crash_came_before_is_obeyed_and_no_other_one(self):
        self.begin()
        account = self.workspace.account()["id"]
        record = self.workspace.state / "enrollment" / "workspace"
        for begun, is_wiped in (("0" * 32, False), (account, True)):
            self.workspace.unmount()
            self.order("one")
            record.write_text(
                json.dumps({"obeyed": {"one": 0}, "begun": {"one": begun}, "threatLevel": None}))
            self.workspace.mount()
            if is_wiped:
                wait_until(lambda: self.workspace.account() is None)
            else:
                self.read_orders()
                self.assertIsNotNone(self.workspace.account())

    def test_no_order_is_obeyed_where_nobody_knows_which_were(self):
        self.begin()
        self.workspace.unmount()
        self.order("one")
        record = self.workspace.state / "enrollment" / "workspace"
        for lose in (lambda: record.write_text("{"), record.unlink):
            lose()
            self.workspace.mount()
            self.read_orders()
            self.assertIsNotNone(self.workspace.account())
            self.assertIsNone(self.workspace.account()["block"])
            self.workspace.unmount()
        self.assertIn("enrollment/workspace is damaged", daemon_text(self.workspace))
        # With all records it is not known either how often a passphrase was wrong.
        shutil.rmtree(record.parent)
        self.workspace.mount()
        self.read_orders()
        self.assertEqual(self.workspace.account()["block"], "lockedOut")
        self.order("two")
        wait_until(lambda: self.workspace.account() is None)

    def test_a_condition_that_wipes(self):
        self.begin()
        self.workspace.unmount()
        self.cover_ann_only(
            minimumWipeOsVersion="13", minimumRequiredOsVersion="14", minimumWarningOsVersion="15")
        self.workspace.mount()
        self.workspace.unlock(BOB)
        self.assert_wiped("launch")

    def test_one_that_blocks_and_one_that_warns(self):
        self.begin()
        self.set_policy(minimumWipeOsVersion="12.3", minimumRequiredOsVersion="12.10")
        self.workspace.serving("account check-in")
        self.assert_closed("launch", errno.EACCES)
        self.workspace.unlock(status=CLOSED)
        self.set_policy(minimumRequiredOsVersion="12.3", minimumWarningOsVersion="13")
        self.workspace.serving("account check-in")
        self.workspace.unlock()
        self.assert_open()
        self.assertEqual(
            [row["action"] for row in self.answer("List")["enrollments"][0]["findings"]], ["warn"])

    def test_a_threat_level(self):
        self.begin()
        self.set_policy(maximumAllowedDeviceThreatLevel="low")
        self.workspace.serving("account check-in")
        # Nobody has told one.
        self.assert_closed("launch", errno.EACCES)
        self.workspace.serving("threat", "set", "secured")
        self.workspace.unlock()
        self.assert_open()
        self.workspace.unmount()
        self.workspace.mount()
        self.workspace.unlock()
        self.assert_open()
        self.workspace.serving("threat", "set", "medium")
        self.assert_closed("launch", errno.EACCES)
        result = self.workspace.serving("compliance", "check", ANN, "--json", status=NO)
        self.assertEqual(json.loads(result.stdout)["status"], 1)


if __name__ == "__main__":
    unittest.main()
