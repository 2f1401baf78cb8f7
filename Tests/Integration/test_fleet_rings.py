"""A push reaches a share of the machines first, and stops by itself when they are not well."""
import base64
import datetime
import fcntl
import json
import os
import subprocess
import time
import unittest

from carrier import POLICY
from fleet_directory import KeyedDirectory, Machine
from test_fleet_push import PushCase
from workspace import DAMAGED, DONE, NOT_FOUND, REFUSED, USAGE, wait_until

ATTENTION = 10
SLOT = "policy/all/level2.json"


def timestamp(text):
    return int(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp())


class Rings(PushCase):
    """Twenty machines that have reported, and a policy that all have."""

    def setUp(self):
        super().setUp()
        fleet = KeyedDirectory(self.organization)
        self.machines = [Machine(fleet, f"pc-{number}") for number in range(20)]
        self.now = fleet.now
        self.put("level2.json")
        self.push()
        self.before = self.serial()
        for machine in self.machines:
            machine.register()
            self.say(machine, self.before, issued=self.now - 60)
        self.rings = self.organization.path / "rings"
        self.since = self.now

    def serial(self):
        return self.document(self.signed / "level2.json")[0]["serial"]

    def say(self, machine, serial=None, issued=None, **changes):
        machine.say(**{
            "documents": {SLOT: self.serial() if serial is None else serial},
            "issued": self.now + 120 if issued is None else issued, **changes})

    def begin(self, shares="5,25", **rules):
        self.put("level2.json", **{"printBlocked": True, **rules})
        pushed = self.push("--rings", shares)
        first = set(pushed["rings"]["first"])
        return [machine for machine in self.machines if machine.id in first]

    def next(self, *words, status=ATTENTION):
        return self.organization.json(
            "push", "--next", "--local", "--wait", "0s", *words, status=status)

    def waiting(self):
        return sorted(path.parent.name for path in self.rings.glob("*/level2.json"))

    def test_the_preview_is_what_happens(self):
        self.put("level2.json", printBlocked=True)
        dry = self.push("--rings", "5,25", "--dry-run")
        self.assertFalse(self.rings.exists())
        told = self.organization.fleet(
            "push", self.policies, "--key", self.key, "--rings", "5,25", "--dry-run").stdout
        (line,) = [line for line in told.splitlines() if line.split()[:1] == ["first"]]
        self.assertIn("5 %", line)
        self.assertIn("then 25 %, all", line)
        first = self.begin()
        self.assertTrue(first)
        self.assertEqual(dry["rings"]["first"], sorted(machine.id for machine in first))
        self.assertIn(first[0].name, line)
        self.assertEqual(self.waiting(), ["100", "25"])
        statement, content = self.document(self.signed / "level2.json")
        self.assertEqual(statement["ring"]["share"], 5)
        former = json.loads(base64.b64decode(json.loads(content)["former"]))
        self.assertEqual(former, POLICY)
        # It stays in its ring until somebody asks for more.
        self.assertEqual(self.actions(), {})
        verified = self.organization.json(
            "verify", *self.signed.iterdir(), *self.rings.glob("*/*.json"), "--root",
            self.organization.root)
        self.assertEqual({one["refusal"] for one in verified}, {None})
        self.assertEqual(sorted(str(one["share"]) for one in verified), ["25", "5", "None"])

    def test_a_good_policy_reaches_all(self):
        self.begin()
        for share, following in ((5, 25), (25, 100)):
            told = self.next()
            self.assertEqual((told["verdict"], told["share"]), ("waiting", share))
            ring = [machine for machine in self.machines if machine.id in told["ring"]]
            for machine in ring:
                self.say(machine)
            self.assertEqual(
                self.organization.json("push", "--next", "--local", status=ATTENTION)["verdict"],
                "waiting")
            said = self.organization.fleet("push", "--next", "--local", status=ATTENTION).stdout
            self.assertIn("are well; --wait is not over", said)
            told = self.next("--dry-run", status=DONE)
            self.assertEqual((told["verdict"], told["next"], told["pushed"]),
                             ("well", following, False))
            self.assertTrue(self.next(status=DONE)["pushed"])
        self.assertEqual(self.document(self.signed / "level2.json")[1],
                         (self.policies / "level2.json").read_bytes())
        self.assertEqual(self.waiting(), [])
        self.organization.error("push", "--next", "--local", status=NOT_FOUND)
        self.assertEqual(self.actions(), {})

    def published(self):
        """When the present step went out."""
        return timestamp(json.loads((self.rings / "rollout.json").read_text())["since"])

    def late(self):
        """The machines that need attention for what they have."""
        machines = self.organization.json("status", "--all", status=None)["machines"]
        return [machine["name"] for machine in machines
                if any(each["kind"] == "documents" for each in machine["attention"])]

    def test_after_a_step_a_machine_is_late_once_it_could_have_reported(self):
        self.begin()
        for share in (5, 25):
            since = self.published()
            for machine in self.machines:
                self.say(machine, issued=since + 1)
            wait_until(lambda since=since: time.time() >= since + 2)
            self.assertEqual(self.next(status=DONE)["share"], share)
            self.assertEqual(self.late(), [])
        slow, *others = self.machines
        for machine in others:
            self.say(machine)
        self.say(slow, self.before)
        self.assertEqual(self.late(), [slow.name])

    def test_a_step_by_a_clock_ahead_excuses_nobody(self):
        self.begin()
        signed = timestamp(self.document(self.signed / "level2.json")[0]["issued"])
        record = self.rings / "rollout.json"
        record.write_text(json.dumps({
            **json.loads(record.read_text()), "since": "2099-01-01T00:00:00Z"}))
        for machine in self.machines:
            self.say(machine, self.before, issued=signed + 60)
        self.assertEqual(len(self.late()), len(self.machines))

    def test_of_two_at_once_one_takes_the_step(self):
        for machine in self.begin():
            self.say(machine)
        words = ["mamctl", "fleet", "push", "--next", "--local", "--wait", "0s", "--json",
                 "--organization", self.organization.path]
        both = [subprocess.Popen(
            words, stdout=subprocess.PIPE, env=self.workspace.environment) for _ in range(2)]
        said = [json.loads(each.communicate()[0]) for each in both]
        self.assertEqual(sorted(each.returncode for each in both), [DONE, ATTENTION])
        self.assertEqual(sorted(each["verdict"] for each in said), ["waiting", "well"])
        self.assertEqual(self.waiting(), ["100"])
        # One that is under way for long is waited for, and nothing is done.
        lock = self.organization.path / ".push.lock"
        # Who can only read the directory stops nobody.
        self.assertEqual(lock.stat().st_mode & 0o777, 0o600)
        held = os.open(lock, os.O_RDONLY)
        self.addCleanup(os.close, held)
        fcntl.flock(held, fcntl.LOCK_EX)
        self.assertIn("another push is under way", self.organization.error(
            "push", "--next", "--local", "--wait", "0s", status=REFUSED))

    def test_a_bad_policy_stops_and_names_the_machine(self):
        first = self.begin()
        for machine in first:
            self.say(machine)
        bad = first[0]
        self.say(bad, accounts=[bad.account(window="blocked", blockedBy="osVersion")])
        before = self.serial()
        told = self.next()
        (ill,) = told["ill"]
        self.assertEqual((told["verdict"], ill["name"]), ("ill", bad.name))
        self.assertEqual([reason["kind"] for reason in ill["reasons"]], ["closed"])
        said = self.organization.fleet(
            "push", "--next", "--local", "--wait", "0s", status=ATTENTION).stdout
        self.assertIn(f"{bad.name}  {bad.account()['name']} is blocked: osVersion", said)
        (flaw,) = [flaw for flaw in self.organization.json("status")["flaws"] if "rings" in flaw
                   or "--next" in flaw]
        self.assertIn("It has stopped: 1 machine is worse", flaw)
        self.assertEqual((self.serial(), self.waiting()), (before, ["100", "25"]))
        # Only by name.
        self.assertIn("does not wait", self.organization.error(
            "push", "--next", "--local", "--despite", "other.json", status=USAGE))
        is_many = len(first) > 1
        told = self.next(
            "--tolerate", "1", "--dry-run", status=DONE if is_many else ATTENTION)
        self.assertEqual(told["verdict"], "well" if is_many else "waiting")
        self.assertTrue(self.next("--despite", "level2.json", status=DONE)["pushed"])
        self.assertEqual(self.waiting(), ["100"])

    def test_going_back_is_a_push_and_ends_the_steps(self):
        self.begin()
        highest = max(self.document(path)[0]["serial"]
                      for path in self.rings.glob("*/level2.json"))
        self.organization.json("restore", "level2.json", "--key", self.key, "--yes")
        self.assertEqual(self.waiting(), [])
        statement, content = self.document(self.signed / "level2.json")
        # Who has a copy of a step that waited delivers an older one.
        self.assertGreater(statement["serial"], highest)
        self.assertNotIn("ring", statement)
        self.assertEqual(json.loads(content), POLICY)

    def restore(self, *words):
        self.organization.json("restore", "level2.json", "--key", self.key, "--yes", *words)
        return self.document(self.signed / "level2.json")

    def test_going_back_from_a_corrected_policy_is_to_what_all_had(self):
        self.begin()
        self.begin(pinRequired=False)
        ring = self.serial()
        self.assertEqual(json.loads(self.restore()[1]), POLICY)
        # Again: still nothing that a ring alone has had, unless by its serial.
        self.organization.error(
            "restore", "level2.json", "--key", self.key, "--yes", status=NOT_FOUND)
        self.assertFalse(json.loads(self.restore("--serial", str(ring))[1])["pinRequired"])

    def test_a_new_policy_of_a_ring_is_withdrawn(self):
        (self.signed / "level2.json").unlink()
        self.begin()
        statement, content = self.restore()
        self.assertNotIn("ring", statement)
        self.assertEqual((content, self.waiting()), (b"", []))

    def test_a_push_tells_that_a_policy_is_in_a_ring_alone(self):
        self.begin()
        words = ("push", self.policies, "--key", self.key, "--local", "--yes")
        self.assertIn("level2.json: 5 % since", self.organization.fleet(*words).stderr)
        self.put("level2.json")
        self.assertNotIn("5 % since", self.organization.fleet(*words).stderr)

    def test_a_corrected_policy_begins_again_over_what_all_had(self):
        self.begin()
        self.begin(printBlocked=False, pinRequired=False)
        content = self.document(self.signed / "level2.json")[1]
        former = json.loads(base64.b64decode(json.loads(content)["former"]))
        self.assertEqual(former, POLICY)
        self.assertEqual(self.waiting(), ["100", "25"])

    def test_one_push_by_rings_at_a_time(self):
        self.begin()
        self.put("other.json")
        self.assertIn("has not reached all machines", self.refusal(
            "--rings", "5", status=REFUSED))
        self.assertEqual(self.actions(), {"policy/all/other.json": "new"})
        self.assertEqual(self.waiting(), ["100", "25"])

    def test_without_statuses_nothing_goes_on(self):
        """An engine that holds them back, or puts old ones in their place."""
        first = self.begin()
        self.assertEqual(self.next()["answered"], [])
        for machine in first:
            self.say(machine, issued=self.now - 30)
        self.assertEqual(self.next()["verdict"], "waiting")
        for machine in first:
            self.say(machine, self.before, issued=self.now + 7200)
        told = self.next()
        self.assertEqual(told["verdict"], "ill")
        self.assertEqual({reason["kind"] for ill in told["ill"] for reason in ill["reasons"]},
                         {"lacks"})

    def test_a_step_that_was_changed_is_refused(self):
        first = self.begin()
        for machine in first:
            self.say(machine)
        step = self.rings / "25" / "level2.json"
        good = step.read_bytes()
        envelope = json.loads(good)
        for bad, status in (
                (b"{}", DAMAGED), (good[:-20], DAMAGED),
                (json.dumps({**envelope, "signatures": []}).encode(), DAMAGED),
                ((self.rings / "100" / "level2.json").read_bytes(), DAMAGED)):
            step.write_bytes(bad)
            self.organization.error("push", "--next", "--local", "--wait", "0s", status=status)
        step.write_bytes(good)
        (self.rings / "rollout.json").unlink()
        self.organization.error("push", "--next", "--local", "--wait", "0s", status=DAMAGED)

    def test_what_cannot_be_meant_is_refused(self):
        for shares in ("", "0", "100", "25,5", "5,5", "5,", "x", "+5"):
            self.assertIn("--rings is", self.refusal("--rings", shares))
        self.refusal("--despite", "level2.json")
        self.organization.error(
            "push", "--next", "--key", self.key, "--local", status=USAGE)
        self.organization.error("push", self.policies, "--next", "--local", status=USAGE)
        self.organization.error("push", "--key", self.key, "--local", status=USAGE)

    def test_the_next_step_needs_order_keys_too(self):
        public = self.workspace.ctl(
            "recovery", "keygen", "-o", self.workspace.root / "org.key",
            "--no-passphrase").stdout.strip()
        told = self.begin("5", mamdRecoveryPublicKey=public)
        self.assertTrue(told)
        last = self.rings / "100" / "level2.json"
        cosign = ("cosign", "--key", self.organization.keys["bob"], "--yes")
        self.organization.json(*cosign, self.signed / "level2.json")
        refused = self.next("--despite", "level2.json", status=REFUSED)["error"]
        self.assertIn(f"{last}: it names a recovery key", refused["message"])
        self.assertIn(
            f"mamctl fleet cosign {last} --key KEY --root {self.organization.root}",
            refused["next"])
        self.organization.json(*cosign, last)
        self.next("--despite", "level2.json", status=DONE)
        self.assertFalse(last.exists())


if __name__ == "__main__":
    unittest.main()
