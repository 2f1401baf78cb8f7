"""Codes for machines, and who is let in with them."""
import json
import os
import shutil
import stat
import subprocess
import unittest

from carrier import Organization, machine_request, with_clients
from terminal import Terminal
from workspace import DONE, NO, NOT_FOUND, REFUSED, USAGE, Workspace

NEEDS = ("qrencode",)


@with_clients
class Admission(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        self.organization = Organization(self.workspace)
        self.organization.json("engine", "init", "--server", "localhost")
        self.requests = self.organization.path / "reports" / "enrolment"
        self.requests.mkdir(parents=True)

    def invite(self, *words):
        return self.organization.code(*words)["invitation"]

    def ask(self, invitation, sent_as=None, organization=None, **options):
        key, request = machine_request(
            organization or self.organization.id, invitation, **options)
        (self.requests / f"{sent_as or invitation}.json").write_bytes(request)
        return key

    def admit(self, *words, status=DONE):
        return self.organization.json(
            "admit", *words, "--key", self.organization.keys["ann"], "--yes", status=status)

    def refusal(self, *words):
        found = self.admit(*words, status=REFUSED)
        self.assertEqual(found["admitted"], [])
        return " ".join(request["reason"] for request in found["refused"])

    def machines(self):
        return list((self.organization.path / "machines").glob("*"))

    def test_a_machine_is_let_in(self):
        invitation = self.invite("--note", "Ann's laptop", "--group", "lab", "--group", "sales")
        key = self.ask(invitation)
        (machine,) = self.admit(invitation)["admitted"]
        self.assertEqual(
            (machine["machine"], machine["name"], machine["groups"]),
            (key.id, "Ann's laptop", ["lab", "sales"]))
        self.assertEqual(self.organization.file(f"machines/{key.id}.json"), machine)
        self.assertEqual(
            self.organization.file(f"invitations/{invitation}.json")["machine"], key.id)
        answer = self.organization.file(f"invited/{invitation}.json")
        self.assertEqual((answer["machine"], answer["invitation"]), (key.id, invitation))
        (found,) = self.organization.json(
            "verify", self.organization.path / "signed" / f"{key.id}@groups.json", "--root",
            self.organization.root)
        self.assertEqual(
            (found["kind"], found["audience"], found["refusal"]),
            ("membership", f"machine:{key.id}", None))
        # Once more: there is nothing left to do.
        self.assertEqual(self.admit(), {"admitted": [], "refused": []})

    def test_a_note_names_one_machine(self):
        # Of several, and of one that has the name already, the host name stays.
        invitations = [self.invite("--note", note) for note in ("desk", "desk", "door", "")]
        for number, invitation in enumerate(invitations):
            self.ask(invitation, host=f"host-{number}")
            self.admit(invitation)
        names = [json.loads(path.read_text())["name"] for path in self.machines()]
        self.assertEqual(sorted(names), ["door", "host-0", "host-1", "host-3"])
        self.ask(self.invite("--note", "host-3"), host="host-4")
        self.assertEqual(self.admit()["admitted"][0]["name"], "host-4")

    def test_a_name_and_no_key(self):
        invitation = self.invite("--group", "lab")
        key = self.ask(invitation)
        said = self.organization.fleet("admit", "--yes", "--name", "reception")
        self.assertIn("still to be signed", said.stderr)
        self.assertEqual(self.organization.file(f"machines/{key.id}.json")["name"], "reception")
        self.assertFalse((self.organization.path / "signed").exists())

    def test_who_may_not_come_in(self):
        invitation, other = self.invite(), self.invite()
        for wanted, options in (
                ("not signed with the key", {"tamper": True}),
                ("another organisation", {"organization": "0" * 32}),
                ("uses a false name", {"says": other}),
                ("transport key", {"transport": "U" + "A" * 55})):
            self.ask(invitation, **options)
            self.assertIn(wanted, self.refusal(), options)
        (self.requests / f"{invitation}.json").write_bytes(b"[]")
        self.assertIn("report", self.refusal())
        (self.requests / f"{invitation}.json").unlink()
        self.ask("0" * 32)
        self.assertIn("nobody has made", self.refusal("0" * 32))
        self.assertEqual(self.machines(), [])
        self.organization.error("admit", "f" * 32, "--yes", status=NOT_FOUND)
        # One that is bad keeps no good one out.
        key = self.ask(invitation)
        found = self.admit(status=REFUSED)
        self.assertEqual([machine["machine"] for machine in found["admitted"]], [key.id])
        self.assertEqual([request["invitation"] for request in found["refused"]], ["0" * 32])

    def test_an_invitation_is_good_once(self):
        invitation = self.invite()
        first = self.ask(invitation)
        self.admit()
        second = self.ask(invitation)
        said = self.refusal()
        self.assertIn(first.id, said)
        self.assertIn(second.id, said)
        # Nor the same machine's with another connection's key.
        self.ask(invitation, key=first)
        self.assertIn("another transport key", self.refusal())
        self.assertEqual(len(self.machines()), 1)

    def test_an_expired_or_withdrawn_one_is_good_for_nothing(self):
        invitation, other = self.invite(), self.invite()
        path = self.organization.path / "invitations" / f"{invitation}.json"
        record = json.loads(path.read_text())
        path.write_text(json.dumps({**record, "expires": record["created"]}))
        self.ask(invitation)
        self.assertIn("expired", self.refusal())
        (self.requests / f"{invitation}.json").unlink()
        self.ask(other)
        self.organization.json("revoke", other, "--yes")
        self.assertIn("expired", self.refusal())

    def test_a_machine_comes_back(self):
        first, second, third = self.invite(), self.invite("--group", "lab"), self.invite()
        key = self.ask(first)
        former = self.admit()["admitted"][0]["transportKey"]
        account = (self.organization.path / "engine" / "account.jwt").read_text()
        self.ask(second, key=key)
        (machine,) = self.admit(second)["admitted"]
        self.assertEqual((machine["machine"], machine["groups"]), (key.id, ["lab"]))
        self.assertNotEqual(machine["transportKey"], former)
        self.assertNotEqual(
            (self.organization.path / "engine" / "account.jwt").read_text(), account)
        # Withdrawn alone, its machine would stay.
        self.assertIn(key.id, self.organization.error("revoke", second, status=REFUSED))
        self.organization.json("revoke", "ann-laptop", "--reason", "stolen", "--yes")
        self.assertFalse((self.organization.path / "invited" / f"{second}.json").exists())
        self.ask(third, key=key)
        self.assertIn("was revoked", self.refusal(third))
        self.organization.error("revoke", "nobody", status=NOT_FOUND)

    def test_a_name_that_looks_like_an_id_shields_nobody(self):
        first = self.invite()
        victim = self.ask(first)
        self.admit(first)
        second = self.invite()
        self.ask(second, host=victim.id)
        self.admit(second)
        self.organization.json("revoke", victim.id, "--yes")
        revoked = self.organization.file(f"machines/{victim.id}.json")["revoked"]
        self.assertIsNotNone(revoked)

    def test_a_terminal_shows_and_asks(self):
        invitation = self.invite("--note", "for Ann")
        key = self.ask(invitation, host="evil\x1b[2Jhost")
        for answer, status in (("no", NO), ("yes", DONE)):
            with self.subTest(answer):
                terminal = Terminal(
                    ["mamctl", "fleet", "admit", "--organization", self.organization.path],
                    self.workspace.environment)
                terminal.read(until=b"continue")
                terminal.type(answer + "\n")
                found, shown = terminal.finish()
                self.assertEqual(found, status, shown)
                self.assertIn(key.id, shown)
                self.assertIn("for Ann", shown)
                self.assertNotIn("\x1b[2J", shown)
                self.assertEqual(len(self.machines()), int(status == DONE))
        # Without one it does not guess.
        other = self.ask(self.invite())
        self.organization.fleet("admit", status=REFUSED)
        self.assertFalse((self.organization.path / "machines" / f"{other.id}.json").exists())

    # Out, and in again

    def let_in(self):
        key = self.ask(self.invite())
        self.admit()
        return key

    def test_revoking_asks(self):
        key = self.let_in()
        entry = self.organization.path / "machines" / f"{key.id}.json"
        before = entry.read_bytes()
        said = self.organization.fleet("revoke", "ann-laptop", status=REFUSED).stderr
        self.assertIn("--yes", said)
        for answer, status in (("no", NO), ("yes", DONE)):
            with self.subTest(answer):
                self.assertEqual(entry.read_bytes(), before)
                terminal = Terminal(
                    ["mamctl", "fleet", "revoke", "ann-laptop", "--organization",
                     self.organization.path], self.workspace.environment)
                shown = terminal.read(until=b"continue").decode()
                for word in (key.id, "ann-laptop", "never"):
                    self.assertIn(word, shown)
                terminal.type(answer + "\n")
                self.assertEqual(terminal.finish()[0], status)
        self.assertIsNotNone(json.loads(entry.read_text())["revoked"])

    def test_a_wipe_that_was_not_heard_is_told_before_revoking(self):
        key = self.let_in()
        file = self.organization.path / "orders" / "wipe.json"
        file.parent.mkdir()
        self.organization.json(
            "order", "wipe", "--machine", key.id, "--account", "a1" * 16, "--root",
            self.organization.root, "--key", self.organization.keys["ann"], "-o", file)
        said = self.organization.fleet("revoke", key.id, "--yes", "--json")
        (nonce,) = json.loads(said.stdout)["openOrders"]
        self.assertIn(f"order {nonce[:8]}", said.stderr)
        self.assertIn("waits for 1 signature", said.stderr)
        self.assertIn("has not obeyed 1 wipe", said.stderr)
        # It would be wiped when it is let in again.
        said = self.organization.fleet("readmit", key.id, status=REFUSED).stderr
        self.assertIn("fleet withdraw", said)
        self.assertIsNotNone(self.organization.file(f"machines/{key.id}.json")["revoked"])

    # Codes

    def test_codes_for_many(self):
        folder = self.workspace.root / "codes"
        made = self.organization.json(
            "invite", "--count", "3", "-o", folder, "--note", "classroom", "--qr")["invitations"]
        self.assertEqual(len({code["id"] for code in made}), 3)
        for code in made:
            self.assertEqual(stat.S_IMODE(os.stat(code["file"]).st_mode), 0o600)
            text = open(code["file"]).read()
            self.assertTrue(text.startswith("mamd1:") and text.endswith("\n"))
            picture = code["file"].removesuffix("code") + "png"
            self.assertEqual(stat.S_IMODE(os.stat(picture).st_mode), 0o600)
            self.assertEqual(open(picture, "rb").read(4), b"\x89PNG")
        self.assertEqual(stat.S_IMODE(folder.stat().st_mode), 0o700)
        self.organization.error("invite", status=USAGE)
        self.organization.error("invite", "--group", "a/b", "-o", folder, status=USAGE)
        self.organization.fleet("invite", "--count", "2", status=USAGE)

    def test_a_code_for_each_note(self):
        folder = self.workspace.root / "codes"
        words = ("invite", "--note", "pc-1", "--note", "pc-2", "-o", folder)
        made = self.organization.json(*words)["invitations"]
        self.assertEqual(
            [(code["note"], os.path.basename(code["file"])) for code in made],
            [("pc-1", "pc-1.code"), ("pc-2", "pc-2.code")])
        self.assertEqual(len({code["id"] for code in made}), 2)
        self.organization.error(*words, "--count", "3", status=USAGE)
        self.organization.fleet("invite", "--note", "a", "--note", "b", status=USAGE)

    def test_a_code_that_cannot_be_written_leaves_no_invitation(self):
        invitations = self.organization.path / "invitations"
        before = sorted(invitations.glob("*")) if invitations.exists() else []
        taken = self.workspace.root / "taken"
        taken.write_text("no directory")
        self.organization.error("invite", "-o", taken, status=None)
        folder = self.workspace.root / "codes"
        # No picture has room for it.
        self.organization.error(
            "invite", "-o", folder, "--note", "desk", "--qr", status=None,
            environment={**self.workspace.environment, "PATH": self.failing("qrencode")})
        self.assertEqual(sorted(invitations.glob("*")), before)
        self.assertEqual(list(folder.iterdir()), [])

    def failing(self, program):
        """A path with mamctl, and a program that only tells its version."""
        place = self.workspace.root / "bin"
        place.mkdir()
        (place / "mamctl").symlink_to(
            shutil.which("mamctl", path=self.workspace.environment["PATH"]))
        (place / program).write_text('#!/bin/sh\n[ "$1" = --version ]\n')
        (place / program).chmod(0o755)
        return f"{place}:/usr/bin:/bin"

    def test_a_terminal_is_warned(self):
        terminal = Terminal(
            ["mamctl", "fleet", "invite", "--organization", self.organization.path],
            self.workspace.environment, stdout=subprocess.DEVNULL)
        status, shown = terminal.finish()
        self.assertEqual(status, DONE)
        self.assertIn("secret", shown)
        self.assertNotIn("mamd1:", shown)

    def test_no_seed_is_on_record(self):
        code = self.organization.code()
        for path in self.organization.path.rglob("*"):
            if path.is_file():
                self.assertNotIn(code["seed"].encode(), path.read_bytes(), path)


if __name__ == "__main__":
    unittest.main()
