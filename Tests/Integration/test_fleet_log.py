"""The office's log: what was signed and done with machines, in an order that cannot be changed."""
import base64
import fcntl
import hashlib
import json
import os
import subprocess
import unittest

from carrier import Servers, machine_request, with_clients
from fleet_directory import KeyedDirectory, Machine
from signing import Organization as Forger
from test_fleet_push import PushCase
from workspace import DONE, REFUSED, USAGE

NEEDS = ("nats-server", "nats-py==2.9.0", "nkeys==0.2.1", "python3-nacl", "python3-cryptography")
ATTENTION = 10


class LogCase(PushCase):
    def setUp(self):
        super().setUp()
        self.file = self.organization.path / "log.jsonl"

    def lines(self):
        return [json.loads(line) for line in self.file.read_text().splitlines()]

    def events(self):
        """Oldest first."""
        return [line["event"] for line in self.lines()]

    def log(self, *words, **options):
        return self.organization.json("log", *words, **options)

    def findings(self, *words, status=ATTENTION):
        return [(finding["kind"], finding["text"])
                for finding in self.log("--verify", *words, status=status)["findings"]]

    def kinds(self, *words, **options):
        return [kind for kind, _ in self.findings(*words, **options)]

    def change(self, number, before, after):
        lines = self.file.read_text().splitlines(keepends=True)
        self.assertIn(before, lines[number])
        lines[number] = lines[number].replace(before, after)
        self.file.write_text("".join(lines))


class Log(LogCase):
    def test_an_empty_one_says_so(self):
        self.file.unlink()
        self.assertEqual(self.organization.fleet("log").stdout, "nothing was logged yet\n")
        self.assertEqual(self.log(), [])

    def test_each_line_says_who_did_what(self):
        self.put("level2.json")
        self.push()
        self.put("level2.json", printBlocked=True)
        self.push("--rings", "5")
        self.organization.json(
            "restore", "level2.json", "--key", self.key, "--yes")
        self.assertEqual(self.events(), ["init", "cosign", "push", "push", "push", "restore"])
        first, cosigned, _, ring, rest, last = self.lines()
        self.assertNotIn("before", first)
        self.assertEqual(first["document"]["keys"], [])
        signed = self.organization.json(
            "verify", self.signed / "level2.json", "--root", self.organization.root)[0]
        self.assertEqual(last["document"], {
            "file": "signed/level2.json", "slot": "policy/all/level2.json",
            "serial": signed["serial"], "sha256": signed["fingerprint"],
            "keys": signed["signedBy"]})
        self.assertEqual(cosigned["document"]["slot"], "root/all/root")
        self.assertEqual(
            [line["document"]["file"] for line in (ring, rest)],
            ["signed/level2.json", "rings/100/level2.json"])
        self.assertEqual(
            (last["user"], last["host"]),
            (subprocess.run(["id", "-un"], capture_output=True, text=True, check=True)
             .stdout.strip(), os.uname().nodename))
        self.assertEqual([line["event"] for line in self.log()], self.events()[::-1])
        shown = self.organization.fleet("log").stdout.splitlines()
        self.assertEqual(len(shown), 6)
        self.assertRegex(
            shown[0], r"^[0-9a-f]{12} +20.*Z +\S+@\S+ +restore +policy/all/level2.json serial")
        self.assertEqual(self.findings(status=DONE), [])

    def test_a_line_has_the_digest_of_the_one_before(self):
        self.put("level2.json")
        self.push()
        bytes_ = self.file.read_bytes().splitlines()
        for former, line in zip(bytes_, self.lines()[1:]):
            self.assertEqual(line["before"], hashlib.sha256(former).hexdigest())
        told = self.log("--verify")
        self.assertEqual(
            told, {"lines": 3, "digest": hashlib.sha256(bytes_[-1]).hexdigest(), "findings": []})
        self.assertIn(
            f"3 lines, the last is {told['digest']}",
            self.organization.fleet("log", "--verify").stdout)

    def test_what_is_changed_or_taken_out_is_found(self):
        self.put("level2.json")
        self.push()
        good = self.file.read_bytes()
        self.change(0, '"user":"', '"user":"x')
        (found,) = self.findings()
        self.assertEqual(found[0], "changed")
        self.assertIn("Line 2 does not follow", found[1])
        lines = good.splitlines(keepends=True)
        for rest, wanted in (
                (lines[1:], ["changed"]),
                (lines[:1] + lines[2:], ["changed", "cosigned"]),
                # Its document is not in it.
                (lines[:2], ["unlogged"]), (lines[:1] + [b"junk\n"] + lines[1:],
                                            ["unreadable", "changed"])):
            with self.subTest(wanted):
                self.file.write_bytes(b"".join(rest))
                self.assertEqual(sorted(self.kinds()), sorted(wanted))

    def test_after_a_power_cut_it_goes_on(self):
        self.put("level2.json")
        self.push()
        cut = self.file.read_bytes()[:-40]
        self.file.write_bytes(cut)
        self.assertEqual(self.kinds(), ["unreadable", "unlogged"])
        self.assertFalse(self.organization.json("log")[0]["readable"])
        self.assertEqual(self.log("--add", "--yes")["added"], ["signed/level2.json"])
        self.assertEqual(self.file.read_bytes()[:len(cut) + 1], cut + b"\n")
        self.assertEqual(self.kinds(), ["unreadable"])

    def test_a_log_that_cannot_be_written_stops_nothing_and_is_told(self):
        self.put("level2.json")
        self.file.rename(self.organization.path / "kept")
        self.file.mkdir()
        done = self.organization.fleet(
            "push", self.policies, "--key", self.key, "--yes", "--local")
        self.assertIn("this is done, and not in the log", done.stderr)
        self.assertIn("mamctl fleet log --add", done.stderr)
        self.assertTrue((self.signed / "level2.json").exists())
        self.file.rmdir()
        (self.organization.path / "kept").rename(self.file)
        self.assertEqual(self.kinds(), ["unlogged"])

    def test_what_was_signed_elsewhere_is_named_and_added_when_somebody_says_so(self):
        policy = self.workspace.root / "policy.json"
        policy.write_text(json.dumps({"pinRequired": True}))
        away = self.workspace.root / "away.json"
        words = ("sign", policy, "--root", self.organization.root, "--key", self.key, "--kind",
                 "policy", "--audience", "all")
        self.organization.json(*words, "-o", away)
        self.assertEqual(self.events(), ["init", "cosign"])
        self.signed.mkdir()
        away.rename(self.signed / "away.json")
        (found,) = self.findings()
        self.assertEqual(found[0], "unlogged")
        self.assertRegex(found[1], "signed/away.json .* signed by [0-9a-f]{8}")
        self.log("--add", status=REFUSED)
        self.assertEqual(self.log("--add", "--yes")["added"], ["signed/away.json"])
        self.assertEqual(self.log("--add", "--yes")["added"], [])
        self.assertEqual(self.findings(status=DONE), [])
        # What is signed right there needs no such help; nor does its second signature.
        self.organization.json(*words, "-o", self.signed / "here.json", "--name", "here")
        self.organization.json(
            "cosign", self.signed / "here.json", "--key", self.organization.keys["bob"], "--yes")
        self.assertEqual(self.events()[2:], ["add", "sign", "cosign"])
        self.assertEqual(len(self.lines()[-1]["document"]["keys"]), 2)
        self.assertEqual(self.findings(status=DONE), [])
        self.log("--engine", status=USAGE)

    def test_a_signature_that_was_made_elsewhere_is_found(self):
        self.put("level2.json")
        self.push()
        away = self.workspace.root / "away.json"
        signed = self.signed / "level2.json"
        away.write_bytes(signed.read_bytes())
        self.organization.json("cosign", away, "--key", self.organization.keys["bob"], "--yes")
        away.rename(signed)
        (found,) = self.findings()
        self.assertEqual(found[0], "cosigned")
        self.assertIn("signed/level2.json has a signature that is not in the log", found[1])
        self.assertEqual(self.log("--add", "--yes")["added"], ["signed/level2.json"])
        self.assertEqual(self.findings(status=DONE), [])
        self.log("--add", "--verify", status=USAGE)

    def test_whoever_writes_a_key_id_has_not_signed_with_that_key(self):
        self.put("level2.json")
        self.push()
        signed = json.loads((self.signed / "level2.json").read_text())
        statement = json.loads(base64.b64decode(signed["payload"]))
        for name, number, wanted in (
                ("forged.json", 5, "signed by no key of the roots here"),
                ("level2.json", 0, None)):
            statement.update(name=name, serial=statement["serial"] + number)
            forged = {**signed, "payload": base64.b64encode(
                json.dumps(statement).encode()).decode()} if wanted else signed
            # Of a key that has not signed; the signature is another's.
            forged["signatures"] = [
                *signed["signatures"], {**signed["signatures"][0], "keyid": "0a" * 16}]
            (self.signed / name).write_text(json.dumps(forged))
            with self.subTest(name):
                found = self.findings(status=ATTENTION if wanted else DONE)
                if wanted:
                    self.assertIn(wanted, found[0][1])
            if wanted:
                (self.signed / name).unlink()

    def test_who_holds_the_log_holds_up_nobody(self):
        self.put("level2.json")
        with open(self.file, encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            done = self.organization.fleet(
                "push", self.policies, "--key", self.key, "--yes", "--local", timeout=60)
        self.assertIn("not in the log", done.stderr)
        self.assertIn("busy", done.stderr)
        self.assertEqual(self.kinds(), ["unlogged"])
        self.file.write_bytes(self.file.read_bytes() + bytes(3 << 20))
        self.assertIn("File too large", self.organization.fleet(
            "log", "--add", "--yes", status=None).stderr)

    def test_what_was_taken_back_in_the_directory_is_found(self):
        self.put("level2.json")
        self.push()
        old = (self.signed / "level2.json").read_bytes()
        self.put("level2.json", printBlocked=True)
        self.push()
        (self.signed / "level2.json").write_bytes(old)
        (found,) = self.findings()
        self.assertEqual(found[0], "missing")
        (self.signed / "level2.json").unlink()
        self.assertEqual(self.kinds(), ["missing"])

    def test_orders_and_roots_are_in_it(self):
        fleet = KeyedDirectory(self.organization)
        machine = Machine(fleet, "pc")
        machine.register()
        machine.say()
        self.organization.json("retire", "pc", "--key", self.key, "--yes")
        orders = sorted((self.organization.path / "orders").iterdir())
        self.organization.json("withdraw", orders[0], "--key", self.key, "--yes")
        self.organization.json(
            "order", "lock", "--root", self.organization.root, "--key", self.key, "--machine",
            machine.id, "-o", self.organization.path / "orders" / "lock.json")
        self.organization.json(
            "rotate", self.organization.root, "-o", self.organization.path / "root-2.json",
            "--name", "Contoso Ltd")
        self.assertEqual(
            self.events()[2:], ["retire"] * len(orders) + ["withdraw", "order", "rotate"])
        self.assertEqual(self.kinds(status=DONE), [])
        # A root that is in force is looked for, too.
        roots = self.organization.path / "roots"
        roots.mkdir()
        other = Forger()
        (roots / "1.json").write_bytes(other.root())
        self.assertEqual(self.kinds(), ["unlogged"])


@with_clients
class Engine(LogCase):
    def test_who_is_let_in_and_shut_out_is_in_it(self):
        self.organization.json("engine", "init", "--server", "localhost")
        requests = self.organization.path / "reports" / "enrolment"
        requests.mkdir(parents=True)
        ids = [self.organization.code("--group", "lab")["invitation"] for _ in range(2)]
        key, request = machine_request(self.organization.id, ids[0])
        (requests / f"{ids[0]}.json").write_bytes(request)
        self.organization.json("admit", "--key", self.key, "--yes")
        self.organization.json("revoke", key.id, ids[1], "--reason", "lost", "--yes")
        self.organization.json("readmit", key.id, "--yes")
        admitted, *revoked, readmitted = self.lines()[2:]
        self.assertEqual(
            (admitted["event"], admitted["machine"], admitted["invitation"]),
            ("admit", key.id, ids[0]))
        self.assertEqual(admitted["document"]["file"], f"signed/{key.id}@groups.json")
        self.assertEqual({line["event"] for line in revoked}, {"revoke"})
        self.assertEqual((revoked[0]["machine"], revoked[0]["reason"]), (key.id, "lost"))
        self.assertIn(ids[1], [line.get("invitation") for line in revoked])
        self.assertEqual((readmitted["event"], readmitted["machine"]), ("readmit", key.id))
        self.assertEqual(self.findings(status=DONE), [])

    def test_what_somebody_else_has_sent_is_found(self):
        servers = Servers(self.organization)
        self.addCleanup(servers.close)
        self.put("level2.json")
        # Whoever has the key and another copy of the directory.
        copy = self.workspace.root / "copy"
        subprocess.run(["cp", "-a", self.organization.path, copy], check=True)
        self.push()
        self.mamfleet("push", self.organization.path)
        self.assertEqual(self.findings("--engine", status=DONE), [])
        mine = self.organization.path
        self.organization.path = copy
        self.put("level2.json", printBlocked=True)
        self.push()
        self.organization.path = mine
        self.mamfleet("push", copy)
        (found,) = self.findings("--engine")
        self.assertEqual(found[0], "sent")
        self.assertIn("policy/all/level2.json", found[1])
        # The servers alone tell it.
        self.assertEqual(self.findings(status=DONE), [])

    def mamfleet(self, *words):
        subprocess.run(
            ["mamfleet", *map(str, words)], check=True, capture_output=True, timeout=120)


if __name__ == "__main__":
    unittest.main()
