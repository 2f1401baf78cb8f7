"""Several documents in one file."""
import base64
import hashlib
import json
import time
import unittest

from signing import signed_bytes
from test_fleet import RULES, Fleet
from workspace import ANN, DONE, REFUSED, wait_until


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


if __name__ == "__main__":
    unittest.main()
