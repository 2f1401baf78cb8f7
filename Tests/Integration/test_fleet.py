"""A workspace that has joined an organisation obeys what that has signed, and nothing else."""
import json
import os
import pathlib
import subprocess
import time
import unittest

from signing import DAY, Organization
from socket_client import Client
from workspace import (
    ANN, CLOSED, DONE, NO, REFUSED, SETTINGS, Workspace, wait_until)

NEEDS = ("e2fsprogs",)

RULES = {"displayName": "Signed", "appDataEncryptionType": "whenDeviceLocked", "pinRequired": False}


class Fleet(unittest.TestCase):
    """Each test has a workspace and an organisation of its own."""

    settings = {**SETTINGS, "LockGraceSeconds": 0}

    def setUp(self):
        self.contoso = Organization()
        self.workspace = Workspace(settings=self.settings)
        self.addCleanup(self.workspace.close)
        self.workspace.init().mount().register()
        self.file = self.workspace.path("file")
        self.file.write_bytes(b"content")

    def file_of(self, document, name="document.json"):
        path = self.workspace.root / name
        path.write_bytes(document)
        return path

    def join(self, *documents, status=DONE, **options):
        root = self.file_of(self.contoso.root(), "root.json")
        files = [self.file_of(document, f"{number}.json")
                 for number, document in enumerate(documents)]
        done = self.workspace.serving(
            "fleet join", root, *files, "--fingerprint",
            options.get("fingerprint", self.contoso.fingerprint), status=status)
        if status == DONE:
            self.machine = self.show()["machine"]
        return done

    def join_with_policy(self, **rules):
        policy = self.contoso.policy({**RULES, **rules}, name="level.json")
        serial = self.contoso.serials
        return self.join(policy, self.contoso.time({"policy/all/level.json": serial}))

    def deliver(self, document, status=DONE):
        return self.workspace.serving("fleet deliver", self.file_of(document), status=status)

    def refusal(self, document):
        return self.deliver(document, status=REFUSED).stderr

    def show(self):
        return json.loads(self.workspace.serving("fleet show", "--json").stdout)["organization"]

    def account(self):
        return self.workspace.account()["id"]

    def rule(self, name):
        rules = json.loads(self.workspace.serving("policy show", ANN, "--json").stdout)["rules"]
        return rules.get(name, {}).get("value")

    def refused_mount(self):
        self.workspace.mount(status=NO)
        return self.workspace.log.read_text()

    def class_of_file(self):
        return json.loads(self.workspace.serving("class", self.file, "--json").stdout)[0]["class"]

    def is_readable(self):
        try:
            return self.file.read_bytes() == b"content"
        except OSError:
            return False


class Joining(Fleet):
    def test_only_signed_policies_count(self):
        self.assertIsNone(self.show())
        self.join_with_policy(printBlocked=True)
        self.assertIsNone(self.show()["problem"])
        self.assertTrue(self.rule("printBlocked"))
        unsigned = self.file_of(json.dumps(RULES).encode(), "unsigned.json")
        told = self.workspace.serving("policy import", unsigned, status=REFUSED)
        self.assertIn("mamctl fleet deliver", told.stderr)
        # What init wrote counts no more, and neither does what somebody puts there or imports.
        (self.workspace.policies / "mine.json").write_text(
            json.dumps({**RULES, "printBlocked": False, "contactSyncBlocked": True}))
        wait_until(lambda: "mine.json" in self.workspace.serving("policy show", ANN).stdout)
        self.assertIn("it is not signed", self.workspace.serving("policy show", ANN).stdout)
        self.assertIsNone(self.rule("contactSyncBlocked"))
        self.assertTrue(self.is_readable())

    def test_what_was_in_force_before_is_not_refused(self):
        mine = self.workspace.policies / "mine.json"
        mine.write_text(json.dumps({**RULES, "displayName": "Mine"}), "utf-16")
        wait_until(lambda: "Mine" in self.workspace.serving("policy show", ANN).stdout)
        self.join_with_policy()
        self.assertEqual(self.refused_files(), [])
        self.workspace.remount()
        self.assertEqual(self.refused_files(), [])
        self.assertNotIn("Mine", self.workspace.serving("policy show", ANN).stdout)
        # What is changed meanwhile is meant to count, and so is what is new.
        mine.write_text(json.dumps({**RULES, "displayName": "Changed"}))
        (self.workspace.policies / "new.json").write_text(json.dumps(RULES))
        wait_until(lambda: self.refused_files() == ["mine.json", "new.json"])
        self.deliver(self.contoso.order("leave", self.machine))
        wait_until(lambda: "Changed" in self.workspace.serving("policy show", ANN).stdout)
        self.assertEqual(self.refused_files(), [])

    def refused_files(self):
        status, = json.loads(self.workspace.serving("status", "--json").stdout)
        return sorted(document["file"] for document in status["refused"])

    def test_an_account_without_a_signed_policy_is_closed(self):
        self.assertEqual(self.class_of_file(), "A")
        self.join()
        wait_until(lambda: not self.is_readable())
        self.workspace.serving("unlock", ANN, "--passfile", self.workspace.passfile, status=CLOSED)
        self.assertIn("no policy that Contoso has signed", self.workspace.serving(
            "account list").stdout)
        self.deliver(self.contoso.policy(RULES))
        self.deliver(self.contoso.time())
        self.workspace.unlock()
        self.assertTrue(self.is_readable())
        # It kept its class: less would have been restricted meanwhile.
        self.assertEqual(self.class_of_file(), "A")
        self.deliver(self.contoso.order("lock", self.machine))
        wait_until(lambda: not self.is_readable())

    def test_the_fingerprint_counts(self):
        told = self.join(fingerprint="0" * 64, status=REFUSED)
        self.assertIn(self.contoso.fingerprint, told.stderr)
        self.assertIsNone(self.show())

    def test_joining_lasts(self):
        self.join_with_policy(printBlocked=True)
        self.workspace.unmount()
        for path in self.workspace.policies.iterdir():
            path.unlink()
        self.workspace.mount()
        self.assertTrue(self.rule("printBlocked"))
        self.join(status=REFUSED)

    def test_a_damaged_standing_is_refused(self):
        self.join_with_policy()
        self.workspace.unmount()
        standing = self.workspace.state / "fleet" / "standing.json"
        text = standing.read_text()
        standing.write_text(text.replace('"sig" : "', '"sig" : "A', 1))
        self.assertIn("standing.json", self.refused_mount())
        standing.write_text(text)
        self.workspace.mount()

    def test_leaving(self):
        self.join_with_policy(printBlocked=True)
        told = self.workspace.serving("fleet leave", status=REFUSED)
        self.assertIn("only the organisation may let it go", told.stderr)
        self.deliver(self.contoso.order("leave", self.machine))
        wait_until(lambda: self.show() is None)
        for event in ("joined", "left"):
            wait_until(lambda event=event: "Contoso" in self.workspace.serving(
                "audit", "--event", event, "--json").stdout)
        wait_until(lambda: not self.rule("printBlocked"))

    def test_leaving_by_the_inbox_and_joining_again(self):
        self.join_with_policy()
        leave = self.contoso.order("leave", self.machine)
        (self.workspace.policies / "leave.json").write_bytes(leave)
        wait_until(lambda: self.show() is None)
        # The order still lies there, and keeps nobody from starting.
        self.workspace.remount()
        self.assertIsNone(self.show())
        self.join_with_policy()
        self.assertIn("obeyed before", self.refusal(leave))
        self.assertIsNotNone(self.show())

    def test_leaving_after_a_wipe(self):
        self.join_with_policy()
        self.workspace.serving("wipe", ANN, "--confirm", ANN)
        self.workspace.serving("fleet leave")
        self.assertIsNone(self.show())


class Documents(Fleet):
    def test_refusals_say_which_rule(self):
        self.join_with_policy(printBlocked=True)
        other = Organization()
        old = self.contoso.policy({**RULES, "printBlocked": False}, serial=1)
        newer = self.contoso.policy({**RULES, "printBlocked": True}, serial=100)
        for document, reason in (
                (other.policy(RULES), "of another organisation"),
                (self.contoso.policy(RULES, keys=other.keys["policy"]), "1 policy key, and has 0"),
                (self.contoso.policy(RULES, keys=self.contoso.keys["time"]), "and has 0"),
                (self.contoso.policy(RULES, days=1, issued=int(time.time()) - 2 * DAY), "expired"),
                (self.contoso.policy(RULES, audience="machine:" + "0" * 32),
                 "not for this machine"),
                (newer.replace(b'"content": "', b'"content": "AAAA'), "not what was signed"),
                (b"{}", "no signed document"), (b"no JSON", "no JSON"),
                (newer.replace(b"mamd.policy+", b"mamd.poems+"), "payloadType")):
            with self.subTest(reason):
                self.assertIn(reason, self.refusal(document))
        self.deliver(newer)
        self.assertIn("older than 100", self.refusal(old))
        self.assertIn("another document with serial 100", self.refusal(
            self.contoso.policy(RULES, serial=100)))
        self.assertTrue(self.rule("printBlocked"))

    def test_what_is_not_understood_replaces_nothing(self):
        self.join_with_policy(printBlocked=True)
        self.assertIn("refused", self.refusal(
            self.contoso.document("policy", {"value": "x"}, name="level.json")))
        self.assertTrue(self.rule("printBlocked"))

    def test_the_policy_directory_is_an_inbox(self):
        self.join_with_policy(printBlocked=False)
        path = self.workspace.policies / "delivered.json"
        path.write_bytes(self.contoso.policy({**RULES, "printBlocked": True}))
        wait_until(lambda: self.rule("printBlocked"))
        # Removing it takes nothing back; a signed document without content does.
        path.unlink()
        self.deliver(self.contoso.policy({**RULES, "contactSyncBlocked": True}, name="two.json"))
        self.assertTrue(self.rule("printBlocked"))
        self.deliver(self.contoso.document("policy", b"", name="level.json"))
        self.assertFalse(self.rule("printBlocked"))

    def test_groups(self):
        self.join_with_policy()
        self.deliver(self.contoso.policy(
            {**RULES, "printBlocked": True}, audience="group:finance", name="finance.json"))
        self.assertFalse(self.rule("printBlocked"))
        self.deliver(self.contoso.document(
            "membership", {"groups": ["finance"], "members": {}}, name="groups",
            audience=f"machine:{self.machine}"))
        self.assertTrue(self.rule("printBlocked"))

    def test_a_check_in_needs_a_time_of_today_and_all_that_it_names(self):
        self.join(self.contoso.policy(RULES))
        self.assertIn("no time", self.show()["problem"])
        now = int(time.time())
        self.deliver(self.contoso.time(issued=now - 2 * DAY, days=4))
        self.assertIn("more than a day ago", self.show()["problem"])
        self.deliver(self.contoso.time({"policy/all/level.json": 1000}, issued=now - 60))
        self.assertIn("did not arrive", self.show()["problem"])
        self.assertFalse(json.loads(self.workspace.serving(
            "account check-in", "--json", status=None).stdout)["succeeded"])
        self.deliver(self.contoso.policy(RULES, serial=1000))
        self.assertIsNone(self.show()["problem"])
        self.workspace.serving("account check-in")

    def test_a_policy_that_this_version_cannot_read(self):
        self.join_with_policy()
        self.workspace.unmount()
        standing = self.workspace.state / "fleet" / "standing.json"
        text = json.loads(standing.read_text())
        strange = self.contoso.document("policy", {"value": "x"}, name="strange.json")
        text["documents"].append(json.loads(strange))
        standing.write_text(json.dumps(text))
        self.workspace.mount()
        self.workspace.unlock()
        self.assertTrue(self.rule("printBlocked"))
        self.assertIn("policy/all/strange.json", self.workspace.serving("policy show", ANN).stdout)
        self.assertFalse(json.loads(self.workspace.serving(
            "account check-in", "--json", status=None).stdout)["succeeded"])

    def test_rotation(self):
        self.join_with_policy(printBlocked=True)
        stolen, former = self.contoso.keys["policy"], list(self.contoso.keys["root"])
        self.contoso.keys["policy"] = [type(stolen[0])()]
        self.contoso.keys["root"] = [former[0], type(stolen[0])()]
        alone = self.contoso.root(serial=2)
        self.assertIn("2 root keys, and has 1", self.refusal(alone))
        self.deliver(self.contoso.root(serial=2, keys={
            key.id: key for key in former + self.contoso.keys["root"]}.values()))
        # Its only policy was signed by the key that was taken away.
        self.assertIn("and has 0", self.refusal(self.contoso.policy(RULES, keys=stolen)))
        wait_until(lambda: not self.is_readable())
        self.deliver(self.contoso.policy(RULES))
        self.deliver(self.contoso.time())
        self.workspace.unlock()
        self.assertTrue(self.is_readable())

    def test_nothing_of_an_envelope_reaches_the_terminal_as_it_is(self):
        self.join_with_policy()
        forged = json.loads(self.contoso.policy(RULES))
        forged["\x1b[31m\n"] = 1
        self.assertNotIn("\x1b", self.refusal(json.dumps(forged).encode()))


class OrdersObeyed(Fleet):
    def setUp(self):
        super().setUp()
        self.join_with_policy()

    def names(self):
        return [account["name"] for account in json.loads(
            self.workspace.serving("account list", "--json").stdout)]

    def test_a_wipe(self):
        account = self.account()
        wipe = self.contoso.order("wipe", self.machine, account)
        one = self.contoso.order(
            "wipe", self.machine, account, keys=self.contoso.keys["order"][:1])
        self.assertIn("2 order keys, and has 1", self.refusal(one))
        self.assertIn("not for this machine", self.refusal(
            self.contoso.order("wipe", "1" * 32, account)))
        self.deliver(wipe)
        wait_until(lambda: not self.names())
        wait_until(lambda: not self.file.exists())
        wait_until(lambda: self.show()["pending"] == 0)
        told = self.workspace.serving("audit", "--event", "ordered", "--json").stdout
        self.assertIn("wipe: order", told)
        # Once: an account that comes later, also one of the same id, is left alone.
        self.assertIn("obeyed before", self.refusal(wipe))
        self.workspace.unmount()
        self.workspace.mount()
        self.assertIn("obeyed before", self.refusal(wipe))
        self.assertEqual(self.show()["pending"], 0)

    def test_a_wipe_while_it_is_locked(self):
        account = self.account()
        self.workspace.serving("lock", ANN)
        self.deliver(self.contoso.order("wipe", self.machine, account))
        wait_until(lambda: not self.names())

    def test_a_wipe_for_a_machine_that_was_off(self):
        account = self.account()
        self.workspace.unmount()
        month = self.contoso.order(
            "wipe", self.machine, account, issued=int(time.time()) - 31 * DAY)
        (self.workspace.policies / "order.json").write_bytes(month)
        self.workspace.mount()
        wait_until(lambda: not self.names())

    def test_to_leave_does_not_lose_a_wipe(self):
        account = self.account()
        self.workspace.unmount()
        for action in ("leave", "wipe"):
            (self.workspace.policies / f"{action}.json").write_bytes(self.contoso.order(
                action, self.machine, account if action == "wipe" else None))
        self.workspace.mount("-o", "ro")
        wait_until(lambda: self.show()["pending"] == 2)
        self.workspace.unmount()
        self.workspace.mount()
        wait_until(lambda: not self.names())
        wait_until(lambda: self.show() is None)

    @unittest.skipUnless(os.geteuid() == 0, "only root makes a directory immutable")
    def test_what_cannot_be_stored_is_obeyed_once(self):
        place = self.workspace.state / "fleet"
        standing = json.loads((place / "standing.json").read_text())
        self.workspace.unmount()
        nonce = "0" * 31 + "1"
        standing["pending"] = {nonce: {"action": "lock"}, nonce[:-1] + "2": {"action": "checkIn"}}
        (place / "standing.json").write_text(json.dumps(standing))
        subprocess.run(["chattr", "+i", place], check=True)
        self.addCleanup(subprocess.run, ["chattr", "-i", place])
        self.workspace.mount()
        self.workspace.serving("account check-in", status=None)
        self.workspace.unlock()
        for _ in range(3):
            self.workspace.serving("account check-in", status=None)
        self.assertTrue(self.is_readable())
        size = self.workspace.daemon_log.stat().st_size
        time.sleep(1)
        self.assertLess(self.workspace.daemon_log.stat().st_size - size, 2000)

    def test_an_order_that_expired(self):
        self.assertIn("expired", self.refusal(self.contoso.order(
            "wipe", self.machine, self.account(), issued=int(time.time()) - 91 * DAY)))
        self.assertTrue(self.is_readable())

    def test_a_lock(self):
        self.deliver(self.contoso.order("lock", self.machine, keys=self.contoso.keys["order"][:1]))
        wait_until(lambda: not self.is_readable())
        # It is noted as done a moment after the window has closed.
        wait_until(lambda: self.show()["pending"] == 0)
        self.workspace.unlock()
        self.assertTrue(self.is_readable())


class NotByOthers(Fleet):
    @unittest.skipUnless(os.geteuid() == 0, "asks as another user, which only root can")
    def test_others_see_neither_documents_nor_orders(self):
        self.join_with_policy()
        place = pathlib.Path(self.workspace.socket)
        place.chmod(0o666)
        while (place := place.parent) != self.workspace.root.parent:
            place.chmod(0o711)
        with Client(self.workspace.socket, 65534) as stranger:
            told = stranger.call("Fleet.Show")["organization"]
        self.assertEqual((told["name"], told["documents"], told["pending"]), ("Contoso", [], 0))
        self.assertTrue(self.show()["documents"])

    def test_debugging_and_joining_exclude_each_other(self):
        self.join_with_policy()
        self.workspace.unmount()
        settings = self.workspace.policies.parent / "settings.json"
        settings.write_text(json.dumps(
            {**json.loads(settings.read_text()), "DebugSettingsEnabled": True}))
        self.assertIn("has joined an organisation", self.refused_mount())


if __name__ == "__main__":
    unittest.main()
