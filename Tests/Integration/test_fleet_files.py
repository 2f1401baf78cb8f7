"""An organisation's keys and documents, on files alone: no daemon, and no network."""
import base64
import contextlib
import json
import os
import shutil
import unittest

from terminal import Terminal
from workspace import (
    DAMAGED, DONE, NO, NOT_FOUND, REFUSED, USAGE, WRONG_PASSPHRASE, Workspace)

MACHINE, ACCOUNT = "01" * 16, "a2" * 16
NAMES = ("ann", "bob", "eve", "server")
POLICY = {
    "@odata.type": "#microsoft.graph.iosManagedAppProtection", "displayName": "Level 2",
    "pinRequired": True}


class Files(unittest.TestCase):
    """Ann, Bob and Eve are root keys, of which two must sign, and order keys; Ann signs policies,
    the server the time."""

    @classmethod
    def setUpClass(cls):
        cls.workspace = Workspace()
        cls.addClassCleanup(cls.workspace.close)
        cls.keys, cls.public, cls.ids = {}, {}, {}
        for name in NAMES:
            cls.keys[name] = cls.workspace.root / f"{name}.key"
            made = json.loads(cls.workspace.ctl(
                "fleet", "keygen", "-o", cls.keys[name], "--no-passphrase", "--json").stdout)
            cls.public[name], cls.ids[name] = made["publicKey"], made["id"]
        cls.root = cls.path("root.json")
        cls.init(cls.root)
        for name in ("ann", "bob"):
            cls.cosign(cls.root, name)
        cls.policy = cls.path("level2.json")
        cls.policy.write_text(json.dumps(POLICY))

    @classmethod
    def path(cls, name):
        return cls.workspace.root / name

    @classmethod
    def fleet(cls, *words, **options):
        return cls.workspace.ctl("fleet", *words, **options)

    @classmethod
    def json(cls, *words, **options):
        return json.loads(cls.fleet(*words, "--json", **options).stdout)

    @classmethod
    def init(cls, path, *more, **options):
        roles = [("root", "ann"), ("root", "bob"), ("root", "eve"), ("policy", "ann"),
                 ("order", "ann"), ("order", "bob"), ("order", "eve"), ("time", "server")]
        words = [word for role, name in roles for word in (f"--{role}", cls.public[name])]
        return cls.json("init", "-o", path, "--name", "Contoso", *words, *more, **options)

    @classmethod
    def cosign(cls, path, name, *more, **options):
        return cls.json("cosign", path, "--key", cls.keys[name], "--yes", *more, **options)

    def with_root(self, name, root=None):
        return "--root", root or self.root, "--key", self.keys[name]

    def sign(self, out, *more, name="ann", kind="policy", audience="all", file=None, **options):
        words = [file or self.policy] if "--withdraw" not in more else []
        return self.json(
            "sign", *words, *self.with_root(name), "--kind", kind, "--audience", audience, "-o",
            out, *more, **options)

    def order(self, action, out, *more, name="ann", **options):
        return self.json(
            "order", action, *self.with_root(name), "-o", out, *more, **options)

    def verify(self, path, *more, status=DONE, root=None):
        (found,) = self.json("verify", path, "--root", root or self.root, *more, status=status)
        return found

    def verify_root(self, path, *more, status=DONE):
        (found,) = self.json("verify", path, *more, status=status)
        return found

    def error(self, answer):
        return answer["error"]["message"]

    # Roots

    def test_a_ceremony(self):
        root = self.path("ceremony.json")
        made = self.init(root)
        self.assertEqual((made["serial"], made["missing"], made["signedBy"]), (1, 2, []))
        self.assertEqual(made["root"]["roles"]["order"]["threshold"], 2)
        found = self.verify_root(root, status=REFUSED)
        self.assertIn("needs the signatures of 2 root keys, and has 0", found["refusal"])
        # A verb that needs a root takes none that its keys have not signed.
        refused = self.json(
            "sign", self.policy, *self.with_root("ann", root), "--kind", "policy", "--audience",
            "all", "-o", self.path("early"), status=REFUSED)
        self.assertIn(str(root), self.error(refused))
        # With --root that would be refused, too.
        self.assertEqual(refused["error"]["next"], f"mamctl fleet cosign {root} --key KEY")
        self.cosign(root, "ann")
        before = root.read_bytes()
        self.cosign(root, "ann")  # again: it stays one
        said = self.fleet("cosign", root, "--key", self.keys["ann"], "--yes").stdout
        self.assertIn(f"was signed by {self.ids['ann']} already", said)
        self.assertEqual(root.read_bytes(), before)
        self.assertEqual(self.verify_root(root, status=REFUSED)["missing"], 1)
        # Not a root key, whatever else it is.
        refused = self.cosign(root, "server", status=REFUSED)
        self.assertIn("lacks the role root", self.error(refused))
        self.assertIn("it has the role time", self.error(refused))
        self.cosign(root, "bob")
        found = self.verify_root(root)
        self.assertEqual(set(found["signedBy"]), {self.ids["ann"], self.ids["bob"]})
        self.assertEqual(found["fingerprint"], made["fingerprint"])
        self.assertIn(made["fingerprint"], self.fleet("verify", root).stdout)

    def test_a_rotation_takes_a_key_away(self):
        former, policy = self.path("former.json"), self.path("former-policy.json")
        self.init(former)
        for name in ("ann", "bob"):
            self.cosign(former, name)
        self.json(
            "sign", self.policy, *self.with_root("ann", former), "--kind", "policy", "--audience",
            "all", "-o", policy)
        root = self.path("next.json")
        changes = ("--remove", f"root={self.ids['ann']}", "--remove", f"policy={self.ids['ann']}",
                   "--remove", f"order={self.ids['ann']}", "--add", f"policy={self.public['eve']}")
        made = self.json("rotate", former, "-o", root, *changes)
        self.assertEqual(made["serial"], 2)
        self.assertNotIn(self.ids["ann"], made["root"]["keys"])
        self.cosign(root, "bob")
        self.cosign(root, "eve")
        # Enough of its own; of the former root Bob and Eve are enough too.
        self.assertEqual(self.verify_root(root, "--previous", former)["missing"], 0)
        refused = self.cosign(root, "ann", status=REFUSED)
        self.assertIn("lacks the role root", self.error(refused))
        self.assertEqual(
            len(self.cosign(root, "ann", "--root", former)[0]["signedBy"]), 2)
        # What the key signed counts no more.
        self.verify(policy, root=former)
        found = self.verify(policy, root=root, status=REFUSED)
        self.assertIn("needs the signatures of 1 policy key, and has 0", found["refusal"])
        # A root that only its own keys signed replaces nothing.
        taken = self.path("taken.json")
        self.json(
            "rotate", former, "-o", taken, "--add", f"root={self.public['server']}", "--remove",
            f"root={self.ids['bob']}", "--remove", f"root={self.ids['ann']}")
        for name in ("server", "eve"):
            self.cosign(taken, name)
        self.verify_root(taken)
        found = self.verify_root(taken, "--previous", former, status=REFUSED)
        self.assertIn("has 1", found["refusal"])
        # Two steps at once.
        third = self.path("third.json")
        self.json("rotate", root, "-o", third, "--name", "Contoso Ltd")
        for name in ("bob", "eve"):
            self.cosign(third, name)
        self.assertIn(
            "the next root's is 2",
            self.verify_root(third, "--previous", former, status=REFUSED)["refusal"])

    def test_roots_that_no_machine_takes_are_not_made(self):
        key = self.public["ann"]
        mistyped = key[:-1] + ("B" if key.endswith("A") else "A")
        for more, said in (
            (("--order-threshold", "1"), "needs the signatures of two keys"),
            (("--order-threshold", "4"), "needs 4 signatures and has 3 keys"),
            (("--root-threshold", "0"), "not a number from 1"),
            (("--policy", mistyped), "no public key, or has a typing mistake"),
        ):
            with self.subTest(more=more):
                path = self.path("none.json")
                self.assertIn(said, self.error(self.init(path, *more, status=USAGE)))
                self.assertFalse(path.exists())
        for more in (("--remove", f"time={self.ids['ann']}"), ("--add", "king=x"), ()):
            self.json("rotate", self.root, "-o", self.path("none.json"), *more, status=USAGE)

    # Keys

    def test_keys_with_passphrases(self):
        key, weak = self.path("sealed.key"), self.workspace.secret("weak", "seven 7")
        refused = self.json("keygen", "-o", key, "--passfile", weak, status=REFUSED)
        self.assertIn("at least 8 characters", self.error(refused))
        self.assertFalse(key.exists())
        passfile = self.workspace.secret("strong", "a much longer passphrase")
        made = self.json("keygen", "-o", key, "--passfile", passfile)
        self.assertEqual(key.stat().st_mode & 0o7777, 0o600)
        self.assertEqual(key.stat().st_size, 160)
        self.json("keygen", "-o", key, "--passfile", passfile, status=NO)
        for shown in (key, made["publicKey"]):
            found = self.json("key", shown)
            self.assertEqual((found["id"], found["publicKey"]), (made["id"], made["publicKey"]))
        root = self.path("sealed-root.json")
        self.json(
            "init", "-o", root, "--name", "Small", "--root", made["publicKey"], "--policy",
            made["publicKey"], "--order", made["publicKey"], "--order", self.public["bob"],
            "--time", made["publicKey"])
        words = ("cosign", root, "--key", key, "--yes")
        wrong = self.workspace.secret("wrong", "another long passphrase")
        refused = self.json(*words, "--passfile", wrong, status=WRONG_PASSPHRASE)
        self.assertIn("the signing key's passphrase is wrong", self.error(refused))
        self.json(*words, "--passfile", passfile)
        self.assertEqual(self.verify(root, root=root)["signedBy"], [made["id"]])
        good = key.read_bytes()
        for offset in (20, 60, 100, 157):
            key.write_bytes(good[:offset] + bytes([good[offset] ^ 1]) + good[offset + 1:])
            self.json(*words, "--passfile", passfile, status=DAMAGED)
        # Another kind of key is none.
        recovery = self.path("recovery.key")
        self.workspace.ctl("recovery", "keygen", "-o", recovery, "--no-passphrase")
        refused = self.json("cosign", root, "--key", recovery, "--yes", status=USAGE)
        self.assertIn("not a signing key as mamctl fleet keygen makes one", self.error(refused))
        self.json("key", self.path("nowhere"), status=NOT_FOUND)

    def test_a_passphrase_is_changed(self):
        key = self.path("changed.key")
        old = self.workspace.secret("old", "a much longer passphrase")
        new = self.workspace.secret("new", "another long passphrase")
        made = self.json("keygen", "-o", key, "--passfile", old)
        change = ("passphrase", key, "--passfile", old, "--new-passfile")
        before = key.read_bytes()
        for passfile, status in (
                (self.workspace.secret("weak", "seven 7"), REFUSED),
                (self.path("nowhere"), NOT_FOUND)):
            self.json(*change, passfile, status=status)
        self.json(
            "passphrase", key, "--passfile", new, "--new-passfile", new,
            status=WRONG_PASSPHRASE)
        self.json(*change, new, "--no-passphrase", status=USAGE)
        self.assertEqual(key.read_bytes(), before)
        # Where a stick is linked to, the key stays on it.
        link = self.path("link.key")
        link.symlink_to(key)
        told = self.json("passphrase", link, "--passfile", old, "--new-passfile", new)
        self.assertEqual((told["id"], told["path"]), (made["id"], str(key)))
        self.assertTrue(link.is_symlink())
        self.assertEqual(key.stat().st_mode & 0o7777, 0o600)
        self.json(*change, new, status=WRONG_PASSPHRASE)
        self.json("passphrase", key, "--passfile", new, "--no-passphrase")
        self.assertEqual(self.json("key", key)["publicKey"], made["publicKey"])
        root = self.path("changed-root.json")
        self.json(
            "init", "-o", root, "--name", "Small", "--root", made["publicKey"], "--policy",
            made["publicKey"], "--order", made["publicKey"], "--order", self.public["bob"],
            "--time", made["publicKey"])
        self.json("cosign", root, "--key", key, "--yes")
        self.assertEqual(self.verify(root, root=root)["signedBy"], [made["id"]])

    # Documents

    def test_a_dash_is_standard_output(self):
        place = self.path("dash")
        place.mkdir()
        with contextlib.chdir(place):
            sign = ("sign", self.policy, *self.with_root("ann"), "--kind", "policy", "--audience",
                    "all", "-o", "-")
            order = ("order", "lock", *self.with_root("ann"), "--machine", MACHINE, "-o", "-")
            time_ = ("time", place, *self.with_root("server"), "-o", "-")
            for words in (sign, order, time_):
                with self.subTest(words[0]):
                    said = self.fleet(*words)
                    out = self.path("dash.json")
                    out.write_text(said.stdout)
                    self.verify(out)
                    self.assertIn("signed by", said.stderr)
                    self.json(*words, status=USAGE)
            # What others are to sign is a file.
            self.init("-", status=USAGE)
            self.json("rotate", self.root, "-o", "-", "--name", "Other", status=USAGE)
            self.assertEqual(os.listdir(place), [])

    def test_a_policy(self):
        out = self.path("policy.json")
        made = self.sign(out)
        self.assertEqual(
            (made["name"], made["missing"], made["refusal"]), ("level2.json", 0, None))
        self.assertEqual(
            base64.b64decode(json.loads(out.read_text())["content"]), self.policy.read_bytes())
        self.assertIn("already exists", self.error(self.sign(out, status=NO)))
        ahead = self.sign(out, "--force", "--serial", str(made["serial"] + 1000))
        self.assertEqual(self.sign(out, "--force")["serial"], ahead["serial"] + 1)
        withdrawn = self.sign(out, "--withdraw", "--name", "level2.json", "--force")
        self.assertTrue(withdrawn["withdrawn"])
        self.assertEqual(withdrawn["serial"], ahead["serial"] + 2)
        self.assertTrue(self.verify(out)["withdrawn"])
        self.assertIn("withdrawn", self.fleet("verify", out, "--root", self.root).stdout)

    def test_a_serial_that_cannot_be_read_is_not_guessed(self):
        out = self.path("damaged.json")
        self.sign(out, "--serial", str(1 << 60))
        good = out.read_bytes()
        out.write_bytes(good[: len(good) // 2])
        said = self.error(self.sign(out, "--force", status=DAMAGED))
        self.assertIn("its serial is not known", said)
        self.assertEqual(out.read_bytes(), good[: len(good) // 2])
        again = self.sign(out, "--force", "--serial", str((1 << 60) + 1))
        self.assertEqual(again["serial"], (1 << 60) + 1)

    def test_the_directory_of_what_is_signed_is_made_beside_a_root(self):
        for name in ("signed", "orders"):
            self.addCleanup(shutil.rmtree, self.path(name))
        self.sign(self.path("signed") / "level2.json")
        self.order("lock", self.path("orders") / "lock.json", "--machine", MACHINE)
        self.sign(self.path("elsewhere") / "level2.json", status=NOT_FOUND)
        self.assertFalse(self.path("elsewhere").exists())

    def test_what_never_wipes_is_said(self):
        file, out = self.path("default.json"), self.path("default.out")
        wiping = {"displayName": "D", "periodOfflineBeforeWipeIsEnforced": "P90D"}
        excluding = {"assignments": [{"target": {
            "@odata.type": "#microsoft.graph.exclusionGroupAssignmentTarget", "groupId": "x"}}]}
        default = {"@odata.type": "#microsoft.graph.defaultManagedAppProtection"}
        for more, never in (({}, False), (excluding, True), (default, True)):
            file.write_text(json.dumps({**wiping, **more}))
            said = self.fleet(
                "sign", file, *self.with_root("ann"), "--kind", "policy", "--audience", "all",
                "-o", out, "--force").stdout
            for text in (said, self.fleet("verify", out, "--root", self.root).stdout):
                self.assertEqual("never wipes" in text, never)
                self.assertEqual("has signed it" in text or "have signed it" in text, not never)

    def test_one_more_key_is_one(self):
        out = self.path("one-more.json")
        self.order("wipe", out, "--machine", MACHINE, "--account", ACCOUNT)
        said = self.fleet("verify", out, "--root", self.root, status=REFUSED).stdout
        self.assertIn("1 more order key must sign", said)

    def test_a_group_of_nobody_is_told(self):
        directory = self.path("of-nobody")
        (directory / "machines").mkdir(parents=True)
        (directory / "signed").mkdir()
        root = directory / "root.json"
        root.write_bytes(self.root.read_bytes())
        lab, out = self.path("in-lab.json"), directory / "signed" / "lab.json"
        lab.write_text('{"groups": ["lab"], "members": {}}')
        self.sign(out, kind="membership", audience=f"machine:{MACHINE}", file=lab)
        self.path("containing.json").write_text('{"Containment": "required"}')
        for group, isTold in (("lab", False), ("lap", True)):
            said = self.fleet(
                "sign", self.path("containing.json"), *self.with_root("ann", root), "--kind",
                "settings", "--audience", f"group:{group}", "-o", self.path(f"{group}.out")).stderr
            self.assertEqual(f"Nobody is in the group {group}" in said, isTold)

    def test_after_the_highest_serial_nothing_is_signed(self):
        out = self.path("last.json")
        self.sign(out, "--serial", str((1 << 63) - 1))
        last = out.read_bytes()
        told = self.sign(out, "--force", status=REFUSED)["error"]
        self.assertIn("none is higher", told["message"])
        self.assertIn("mamctl fleet rotate", told["next"])
        self.assertEqual(out.read_bytes(), last)

    def test_what_machines_would_refuse_is_not_signed(self):
        bad, out = self.path("bad.json"), self.path("bad.out")
        for kind, text in (
            ("policy", '{"pinRequired": "perhaps"}'), ("policy", ""), ("policy", "[1"),
            ("membership", '{"groups": ["a b"], "members": {}}'),
            ("membership", '{"groups": [], "members": {}, "more": 1}'),
        ):
            with self.subTest(text=text):
                bad.write_text(text)
                refused = self.sign(out, kind=kind, file=bad, status=USAGE)
                self.assertIn(str(bad), self.error(refused))
        self.sign(out, "--expires", "367", status=USAGE)
        self.sign(out, audience="some", status=USAGE)
        self.sign(out, "--name", ".hidden", status=USAGE)
        refused = self.sign(out, name="bob", status=REFUSED)
        self.assertIn("lacks the role policy: it has the role root, order", self.error(refused))
        self.assertFalse(out.exists())
        bad.write_text('{"groups": ["lab"], "members": {"lab": ["ann@contoso.com"]}}')
        made = self.sign(out, kind="membership", audience=f"machine:{MACHINE}", file=bad)
        self.assertEqual(made["audience"], f"machine:{MACHINE}")
        self.verify(out)

    def test_a_changed_document(self):
        out = self.path("changed.json")
        self.sign(out)
        good = json.loads(out.read_text())
        statement = json.loads(base64.b64decode(good["payload"]))

        def changed(**members):
            out.write_text(json.dumps({**good, **members}))
            return self.verify(out, status=DAMAGED)

        self.assertIn("content is not what was signed", self.error(
            changed(content=base64.b64encode(b"{}").decode())))
        later = json.dumps({**statement, "serial": statement["serial"] + 1}).encode()
        self.assertIn("is not that key's", changed(
            payload=base64.b64encode(later).decode())["refusal"])
        self.assertIn("must be a type", self.error(changed(payloadType="text/plain")))
        self.assertIn("unknown member", self.error(changed(more=1)))
        out.write_text(json.dumps({**good, "signatures": []}))
        self.assertIn("has 0", self.verify(out, status=REFUSED)["refusal"])
        out.write_text("{")
        self.verify(out, status=DAMAGED)
        # Of several the first gives the status, and all are told.
        found = self.json(
            "verify", out, self.path("nowhere"), self.root, "--root", self.root, status=DAMAGED)
        self.assertEqual(
            [value.get("error", {}).get("status") for value in found], [DAMAGED, NOT_FOUND, None])

    def test_another_organisation(self):
        root, out = self.path("other-root.json"), self.path("other.json")
        self.init(root)
        for name in ("ann", "bob"):
            self.cosign(root, name)
        self.sign(out)
        self.assertIn(
            "another organisation", self.verify(out, root=root, status=REFUSED)["refusal"])
        self.cosign(out, "ann", "--root", root, status=REFUSED)

    def test_a_policy_that_wipes_needs_order_keys_too(self):
        strict, out = self.path("strict.json"), self.path("strict-signed.json")
        strict.write_text(json.dumps({**POLICY, "minimumWipeOsVersion": "99"}))
        made = self.sign(out, file=strict)
        # Ann has both roles.
        self.assertEqual(
            (made["wipesBy"], made["missing"], made["orderKeysMissing"]),
            (["minimumWipeOsVersion"], 0, 1))
        said = self.fleet("verify", out, "--root", self.root).stdout
        self.assertIn("1 of 2, not enough yet", said)
        self.assertIn("closes accounts, and wipes them (minimumWipeOsVersion) only once 1", said)
        refused = self.cosign(out, "server", "--root", self.root, status=REFUSED)
        self.assertIn("lacks the role policy", self.error(refused))
        self.cosign(out, "bob", "--root", self.root)
        found = self.verify(out)
        self.assertEqual((found["signedBy"], found["orderKeysMissing"]), ([self.ids["ann"]], 0))
        said = self.fleet("verify", out, "--root", self.root).stdout
        self.assertIn("2 of 2, enough", said)
        self.assertNotIn("closes accounts", said)
        # Of what wipes nothing nothing is said, and an order key's signature alone is no policy.
        made = self.sign(self.path("harmless.json"))
        self.assertEqual(made["wipesBy"], [])
        self.assertNotIn(
            "order keys",
            self.fleet("verify", self.path("harmless.json"), "--root", self.root).stdout)

    # Orders

    def test_a_wipe_needs_two(self):
        out = self.path("wipe.json")
        who = ("--machine", MACHINE, "--account", ACCOUNT)
        (made,) = self.order("wipe", out, *who)
        self.assertEqual(
            (made["action"], made["account"], made["missing"]), ("wipe", ACCOUNT, 1))
        self.assertIn(
            "needs the signatures of 2 order keys, and has 1",
            self.verify(out, status=REFUSED)["refusal"])
        self.cosign(out, "ann", "--root", self.root)
        self.verify(out, status=REFUSED)  # one person's twice
        refused = self.cosign(out, "server", "--root", self.root, status=REFUSED)
        self.assertIn("lacks the role order", self.error(refused))
        self.assertIn("--root is needed", self.error(self.cosign(out, "bob", status=USAGE)))
        # The organisation's own, where its directory is known.
        self.cosign(out, "bob", "--organization", self.root.parent)
        self.verify(out)
        # What destroys nothing needs one.
        lock = self.path("lock.json")
        self.order("lock", lock, "--machine", MACHINE)
        self.verify(lock)

    def test_orders_that_cannot_be_meant(self):
        out = self.path("no-order.json")
        self.order("wipe", out, "--machine", MACHINE, status=USAGE)
        self.order("lock", out, "--machine", MACHINE, "--account", ACCOUNT, status=USAGE)
        self.order("lock", out, "--machine", "01", status=USAGE)
        self.order("lock", out, "--machine", MACHINE, "--expires", "367", status=USAGE)
        refused = self.order("lock", out, "--machine", MACHINE, name="server", status=REFUSED)
        self.assertIn("lacks the role order", self.error(refused))
        self.assertFalse(out.exists())

    def test_a_batch_asks_twice(self):
        listed, out = self.path("machines"), self.path("orders")
        machines = [f"{number:032x}" for number in range(1, 12)]
        listed.write_text("".join(f"{machine} {ACCOUNT}\n" for machine in machines))
        self.order("wipe", out, "--machines", listed, status=USAGE, input=b"")
        self.order("wipe", out, "--machines", listed, "--confirm", "10", status=REFUSED)
        self.assertFalse(out.exists())
        made = self.order("wipe", out, "--machines", listed, "--confirm", "11")
        self.assertEqual(len(list(out.iterdir())), 11)
        self.assertEqual(len({order["name"] for order in made}), 11)
        self.assertEqual(
            [order["audience"] for order in made], [f"machine:{name}" for name in machines])
        self.order("wipe", out, "--machines", listed, "--confirm", "11", status=NO)
        self.json(
            "cosign", *out.iterdir(), "--key", self.keys["eve"], "--root", self.root, "--yes")
        self.json("verify", *out.iterdir(), "--root", self.root)
        few = self.path("few")
        few.write_text("\n".join(machines[:10]) + "\n")
        self.order("lock", self.path("locks"), "--machines", few)
        few.write_text(f"{MACHINE}\n\n{MACHINE}\n")
        self.assertIn("line 3: it is there twice", self.error(
            self.order("lock", self.path("twice"), "--machines", few, status=USAGE)))

    # The time

    def test_the_time(self):
        place, out = self.path("timed"), self.path("time.json")
        place.mkdir()
        first = self.sign(place / "level2.json")
        self.sign(place / "lab.json", "--serial", "7", audience="group:lab")
        self.order("lock", place / "lock.json", "--machine", MACHINE)
        groups = self.path("groups")
        groups.write_text('{"groups": ["lab"], "members": {}}')
        for audience in (f"machine:{MACHINE}", "all", "group:lab"):
            self.sign(
                place / f"{audience.split(':')[0]}-groups.json", "--name", "groups", "--serial",
                "3", kind="membership", audience=audience, file=groups)
        made = self.json("time", place, *self.with_root("server"), "-o", out)
        heads = json.loads(base64.b64decode(json.loads(out.read_text())["content"]))["heads"]
        self.assertEqual(heads, {
            "root/all/root": 1, "policy/all/level2.json": first["serial"],
            "policy/group:lab/level2.json": 7, "membership/all/groups": 3,
            "membership/group:lab/groups": 3})
        self.assertEqual(made["missing"], 0)
        self.verify(out)
        again = self.json("time", place, *self.with_root("server"), "-o", out, "--force")
        self.assertGreater(again["serial"], made["serial"])
        self.json("time", place, *self.with_root("ann"), "-o", out, "--force", status=REFUSED)
        self.json(
            "time", place, *self.with_root("server"), "-o", out, "--force", "--expires", "3",
            status=USAGE)
        bad = json.loads((place / "lab.json").read_text())
        (place / "lab.json").write_text(json.dumps({**bad, "signatures": []}))
        refused = self.json(
            "time", place, *self.with_root("server"), "-o", out, "--force", status=REFUSED)
        self.assertIn("lab.json", self.error(refused))

    # On a terminal

    def test_what_is_signed_is_shown_and_asked(self):
        out = self.path("asked.json")
        self.order("wipe", out, "--machine", MACHINE, "--account", ACCOUNT)
        words = ["mamctl", "fleet", "cosign", out, "--key", self.keys["bob"], "--root", self.root]
        said = self.fleet(*words[2:], status=REFUSED, input=b"").stderr
        self.assertIn("add --yes", said)
        before = out.read_bytes()
        for answer, status in (("no", NO), ("yes", DONE)):
            terminal = Terminal(words, self.workspace.environment, columns=200)
            shown = terminal.read(b"continue: ").decode()
            for word in ("wipe", MACHINE, ACCOUNT, "order"):
                self.assertIn(word, shown)
            self.assertEqual(out.read_bytes(), before)
            terminal.type(answer + "\n")
            self.assertEqual(terminal.finish()[0], status)
        self.verify(out)


if __name__ == "__main__":
    unittest.main()
