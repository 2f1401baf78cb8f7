"""A machine finds out from the document alone which of two policies it has."""
import json
import unittest

from fleet_reports import Reports
from signing import is_in_ring
from test_fleet import RULES
from workspace import ANN

NEW, FORMER = {**RULES, "printBlocked": True}, {**RULES, "printBlocked": False}


class RingMachine(Reports):
    def ring(self, share, new=NEW, former=FORMER, **options):
        return self.contoso.ringed(new, former, share, **options)

    def rollouts(self, share):
        """One that this machine is in, and one that it is not in."""
        found = {}
        number = 0
        while len(found) < 2:
            rollout = f"{number:032x}"
            found.setdefault(is_in_ring(self.machine, share, rollout), rollout)
            number += 1
        return found[True], found[False]

    def blocked(self):
        return self.rule("printBlocked")

    def test_the_document_alone_says_which(self):
        mine, others = self.rollouts(5)
        self.deliver(self.ring(5, rollout=others))
        self.assertIs(self.blocked(), False)
        self.deliver(self.ring(5, rollout=mine))
        self.assertIs(self.blocked(), True)
        self.workspace.remount()
        self.assertIs(self.blocked(), True)
        self.deliver(self.ring(5, rollout=others))
        self.assertIs(self.blocked(), False)
        # A larger share has the machines of a smaller one.
        self.deliver(self.ring(5, rollout=mine))
        self.deliver(self.ring(25, rollout=mine))
        self.assertIs(self.blocked(), True)
        # Back: another push, for all.
        self.deliver(self.contoso.policy(FORMER))
        self.assertIs(self.blocked(), False)

    def test_which_one_is_told(self):
        mine, others = self.rollouts(5)
        for rollout, word in ((mine, "(new, for 5 %)"), (others, "(former; 5 % have another)")):
            self.deliver(self.ring(5, rollout=rollout))
            shown = self.workspace.serving("policy show", ANN, "--json").stdout
            self.assertIn(word, json.dumps(json.loads(shown), ensure_ascii=False))
            self.assertIn(word, " ".join(self.workspace.account()["policies"]))

    def test_a_withdrawal_closes_the_ring_alone(self):
        mine, others = self.rollouts(5)
        self.deliver(self.ring(5, None, rollout=others))
        self.assertTrue(self.is_readable())
        self.deliver(self.ring(5, None, rollout=mine))
        self.assertFalse(self.is_readable())

    def test_what_is_refused_changes_nothing(self):
        mine, _ = self.rollouts(50)
        self.deliver(self.ring(50, rollout=mine, serial=50))
        for document, reason in (
                (self.ring(5, rollout=mine, serial=49), "older than 50"),
                (self.ring(0, rollout=mine, serial=60), "share must be"),
                (self.ring(100, rollout=mine, serial=60), "share must be"),
                (self.contoso.document(
                    "policy", {"policy": ""}, name="level.json", serial=60,
                    ring={"rollout": mine, "share": 5}), "former must be base64"),
                (self.contoso.document(
                    "settings", {}, serial=60, ring={"rollout": mine, "share": 5}),
                 "unknown member 'ring'"),
                # Neither of both is in force where one is not understood.
                (self.ring(50, {"pinRequired": "maybe"}, rollout=mine, serial=60), "pinRequired"),
                (self.ring(50, NEW, {"pinRequired": "maybe"}, rollout=mine, serial=60),
                 "pinRequired")):
            with self.subTest(reason):
                self.assertIn(reason, self.refusal(document))
                self.assertIs(self.blocked(), True)

    def test_a_check_in_asks_for_the_step_that_there_is(self):
        _, others = self.rollouts(5)
        self.deliver(self.ring(5, rollout=others, serial=50))
        self.deliver(self.contoso.time({"policy/all/level.json": 51}))
        self.assertIn("level.json with serial 51", self.show()["problem"])
        self.deliver(self.ring(25, rollout=others, serial=51))
        self.assertIsNone(self.show().get("problem"))


if __name__ == "__main__":
    unittest.main()
