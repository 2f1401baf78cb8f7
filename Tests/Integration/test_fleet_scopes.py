"""A policy key for one group: what it signs, what it does not, and what its thief can do."""
import json
import unittest

from signing import Key
from fleet_reports import Reports
from test_fleet import RULES
from test_fleet_push import PushCase
from workspace import DONE, REFUSED, USAGE


class Office(PushCase):
    """Bob signs policies for the group sales alone."""

    def setUp(self):
        super().setUp()
        bob = self.organization.public["bob"]
        self.bob = self.organization.keys["bob"]
        self.bob_id = self.organization.json("key", self.bob)["id"]
        self.root2 = self.workspace.root / "root-2.json"
        self.rotate("--add", f"policy={bob}", "--scope", f"{self.bob_id}=group:sales")
        self.organization.json(
            "cosign", self.root2, "--key", self.key, "--root", self.organization.root, "--yes")
        self.root2.rename(self.organization.root)
        self.membership({"groups": ["sales", "lab"], "members": {}}, "machine:" + "01" * 16, "one")
        self.prefix = self.bob_id[:16]

    def rotate(self, *words, status=DONE):
        return self.organization.json(
            "rotate", self.organization.root, "-o", self.root2, *words, status=status)

    def push_as(self, key, *words, status=DONE):
        return self.organization.json(
            "push", self.policies, "--key", key, "--yes", "--local", *words, status=status)

    def test_it_pushes_beside_other_keys_policies(self):
        self.put("level2.json", ["sales"])
        slots = [change["slot"] for change in self.push_as(self.key)["changes"]]
        self.assertEqual(slots, ["policy/group:sales/level2.json"])
        mine = f"policy/group:sales/{self.prefix}.level2.json"
        (change,) = self.push_as(self.bob, "--prune")["changes"]
        self.assertEqual((change["slot"], change["action"]), (mine, "new"))
        self.assertEqual(self.push_as(self.bob, "--prune")["changes"], [])
        # Each withdraws its own.
        self.assertEqual(self.push_as(self.key, "--prune")["changes"], [])
        (self.policies / "level2.json").unlink()
        self.put("other.json", ["sales"])
        found = {change["slot"]: change["action"]
                 for change in self.push_as(self.bob, "--prune")["changes"]}
        self.assertEqual(found, {
            mine: "withdrawn", f"policy/group:sales/{self.prefix}.other.json": "new"})
        verified = self.organization.json(
            "verify", *self.signed.iterdir(), "--root", self.organization.root)
        self.assertEqual({one["refusal"] for one in verified}, {None})

    def test_for_people_it_pushes_to_the_machines_of_its_groups(self):
        """All machines know who is in such a group, as `fleet people` signs it."""
        self.membership({"groups": [], "members": {"staff": ["ann@contoso.com"]}})
        self.put("level2.json", ["staff"])
        slots = [change["slot"] for change in self.push_as(self.key)["changes"]]
        self.assertEqual(slots, ["policy/all/level2.json"])
        (change,) = self.push_as(self.bob)["changes"]
        self.assertEqual(change["slot"], f"policy/group:sales/{self.prefix}.level2.json")
        self.assertEqual(self.push_as(self.bob)["changes"], [])

    def test_out_of_its_scope_it_signs_nothing(self):
        way_out = "alone, named"
        for groups in ((), ["lab"]):
            self.put("level2.json", groups)
            said = self.push_as(self.bob, status=REFUSED)["error"]
            self.assertIn(way_out, said["message"])
            self.assertIn(self.bob_id, said["message"])
            self.assertIn("--scope", said["next"])
        file = self.workspace.root / "file.json"
        for kind, audience, content, name in (
                ("policy", "all", {"pinRequired": True}, f"{self.prefix}.a"),
                ("policy", "group:lab", {"pinRequired": True}, f"{self.prefix}.a"),
                ("policy", "group:sales", {"pinRequired": True}, "a"),
                ("settings", "group:sales", {"Containment": "off"}, f"{self.prefix}.a"),
                ("membership", "all", {"groups": ["sales"], "members": {}}, f"{self.prefix}.a")):
            file.write_text(json.dumps(content))
            words = ["sign", file, "--root", self.organization.root, "--kind", kind, "--audience",
                     audience, "--name", name, "-o", self.workspace.root / "out.json", "--force"]
            said = self.organization.error(*words, "--key", self.bob, status=REFUSED)
            self.assertIn(way_out, said)
            # Signed by others it is not cosigned either, unless to let it wipe: Bob orders, too.
            self.organization.json(*words, "--key", self.key)
        said = self.organization.json(
            "verify", self.workspace.root / "out.json", "--root", self.organization.root)
        self.assertIsNone(said[0]["refusal"])
        self.organization.error(
            "sign", "--withdraw", "--root", self.organization.root, "--kind", "policy",
            "--audience", "group:sales", "--name", "level2.json", "--key", self.bob, "-o",
            self.workspace.root / "gone.json", status=REFUSED)

    def test_a_root_shows_scopes_and_takes_them_back(self):
        found = self.organization.json("verify", self.organization.root)
        self.assertEqual(found[0]["root"]["scopes"], {self.bob_id: ["sales"]})
        said = self.organization.fleet("verify", self.organization.root).stdout
        self.assertRegex(said, rf"scope of {self.bob_id} +sales")
        made = self.rotate("--scope", f"{self.bob_id}=group:lab,group:sales")
        self.assertEqual(made["root"]["scopes"], {self.bob_id: ["lab", "sales"]})
        self.root2.unlink()
        self.assertNotIn("scopes", self.rotate("--scope", f"{self.bob_id}=all")["root"])
        self.root2.unlink()
        self.assertNotIn("scopes", self.rotate("--remove", f"policy={self.bob_id}")["root"])
        self.root2.unlink()
        ann = self.organization.json("key", self.key)["id"]
        for scope in (f"{ann}=group:lab", f"{self.bob_id}=lab", f"{self.bob_id}=", self.bob_id,
                      "01" * 16 + "=group:lab", f"{self.bob_id}=machine:" + "01" * 16):
            self.rotate("--scope", scope, status=USAGE)
        # The last would count, and whoever typed it believes in both.
        two = ("--scope", f"{self.bob_id}=group:lab", "--scope", f"{self.bob_id}=group:sales")
        self.rotate(*two, status=USAGE)


class Thief(Reports):
    """A machine of the group, in the hands of who has the group's key and all carriers."""

    def setUp(self):
        super().setUp()
        self.bob = Key()
        self.contoso.keys["policy"].append(self.bob)
        self.contoso.scopes = {self.bob.id: ["sales"]}
        self.deliver(self.contoso.root(serial=2))
        self.deliver(self.contoso.document(
            "membership", {"groups": ["sales"], "members": {}}, f"machine:{self.machine}",
            "groups"))

    def by_bob(self, rules, **options):
        return self.contoso.policy(rules, keys=[self.bob], **options)

    def test_only_the_groups_own_are_accepted_and_loosen_nothing(self):
        name, group = f"{self.bob.id[:16]}.level.json", "group:sales"
        strict, loose = {**RULES, "printBlocked": True}, {**RULES, "printBlocked": False}
        self.deliver(self.contoso.policy(strict, serial=50))
        self.deliver(self.contoso.policy(strict, serial=50, audience=group, name="mine.json"))
        for document in (
                self.by_bob(loose, serial=60), self.by_bob(loose, serial=60, name=name),
                self.by_bob(loose, serial=60, audience=group, name="mine.json"),
                self.by_bob(loose, serial=60, audience="group:lab", name=name),
                self.contoso.document(
                    "policy", b"", audience=group, name="mine.json", keys=[self.bob], serial=60),
                self.contoso.document(
                    "membership", {"groups": [], "members": {}}, name=name, keys=[self.bob]),
                self.contoso.document("settings", {}, name=name, keys=[self.bob])):
            self.assertIn("signs policies for sales alone", self.refusal(document))
        self.deliver(self.by_bob(loose, audience=group, name=name))
        self.assertIs(self.rule("printBlocked"), True)
        # It makes its own group stricter.
        self.deliver(self.contoso.policy(loose, serial=70))
        self.deliver(self.contoso.policy(loose, serial=70, audience=group, name="mine.json"))
        self.assertIs(self.rule("printBlocked"), False)
        self.deliver(self.by_bob(strict, audience=group, name=name))
        self.assertIs(self.rule("printBlocked"), True)


if __name__ == "__main__":
    unittest.main()
