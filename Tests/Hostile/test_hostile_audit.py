"""A user that fills the audit with what it is refused, and with what it may do as often as it
likes. What others did stays in it, and what they do meanwhile comes into it."""
import contextlib
import json
import os
import unittest

from hostile import (
    ATTACKER, ATTACKERS_NAME, VICTIM, VICTIMS_NAME, HostileCase, Refusal, as_user, in_background,
    wait_until)

# More than are recorded one by one of a user in ten seconds: docs/adr/0036.
FILES = 200
# A directory's name of such bytes is five times as long where it is shown.
DEPTH, NAME = 12, "\x01" * 200


class Audit(HostileCase):
    # The least there is, which is soon full.
    settings = {"LockGraceSeconds": 0, "AuditMiB": 1}

    def setUp(self):
        self.lock(VICTIM, VICTIMS_NAME)
        self.lock(ATTACKER, ATTACKERS_NAME)

    def lock(self, uid, name):
        with self.client(uid) as client:
            client.call("Workspace.Unlock", account=name, passphrase=self.passphrase)
            self.write_as(uid, self.home(uid, "closed"), b"x")
            client.call("Workspace.Lock", account=name, now=True)

    def test_refused_opens_push_out_nothing_of_others(self):
        self.assert_stays(self.refused_opens())

    def test_what_it_may_do_pushes_out_nothing_of_others(self):
        self.assert_stays(in_background(
            ATTACKER, "contain_often", self.workspace.socket, ATTACKERS_NAME))

    @contextlib.contextmanager
    def refused_opens(self):
        """Of files with names as long as names can be. A program that is new is counted anew."""
        place = self.home(ATTACKER).joinpath(*[NAME] * DEPTH)
        files = [place / str(number) for number in range(FILES)]

        def make():
            place.mkdir(parents=True)
            for file in files:
                file.touch()
        with self.client(ATTACKER) as client:
            client.call("Workspace.Unlock", account=ATTACKERS_NAME, passphrase=self.passphrase)
            self.assertEqual(as_user(ATTACKER, make), 0)
            client.call("Workspace.Lock", account=ATTACKERS_NAME, now=True)
        with in_background(ATTACKER, "open_closed", *files, count=2):
            yield

    def assert_stays(self, attack):
        """That an attack fills a part of the audit, in which nothing is the victim's."""
        before = self.victims_refusals()
        self.be_refused()
        kept = self.victims_refusals() - before
        self.assertEqual({event for event, _ in kept}, {"refused", "wrong-passphrase"})
        begin = max(number for _, number in kept)
        with attack:
            wait_until(lambda: self.is_full(begin), message="no part of the audit is full")
            beside = self.victims_refusals()
            self.assertLessEqual(kept, beside)
            # Another program each time: its first refusal is a record.
            self.be_refused()
            self.assertEqual(
                {event for event, _ in self.victims_refusals() - beside},
                {"refused", "wrong-passphrase"})

    def be_refused(self):
        """An open and an unlock of the victim's."""
        self.assertIsInstance(self.read_as(VICTIM, self.home(VICTIM, "closed")), int)
        with self.client(VICTIM) as client:
            wait_until(lambda: self.enters_wrong(client), message="no passphrase is tried")

    def enters_wrong(self, client):
        """False if that came too soon after the last time: it was not tried then."""
        with self.assertRaises(Refusal) as refused:
            client.call("Workspace.Unlock", account=VICTIMS_NAME, passphrase="wrong")
        return refused.exception.name != "NotTried"

    def victims_refusals(self):
        """Each with its number."""
        told = self.workspace.serving("audit", "--json").stdout.splitlines()
        return {
            (record["event"], record["sequence"]) for record in map(json.loads, told)
            if record.get("uid") == VICTIM and record["event"] in ("refused", "wrong-passphrase")}

    def is_full(self, begin):
        """Whether all files of a part of the audit began after that record."""
        parts = {}
        for name in os.listdir(self.workspace.state / "audit"):
            part, number, _ = name.split(".")
            parts.setdefault(part, []).append(int(number))
        return any(min(numbers) > begin and len(numbers) == 4 for numbers in parts.values())


if __name__ == "__main__":
    unittest.main()
