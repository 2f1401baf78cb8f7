"""Three real nats-servers carry the documents of 200 machines, and nobody believes a forged one."""
import argparse
import pathlib
import shutil
import signal
import sys
import tempfile
import time
import unittest

from running import PREFIX
from workspace import ROOT

sys.path.insert(1, str(ROOT / "Tests" / "Measure"))

from fleet_attacks import Attacker
from fleet_swarm import bundle, fingerprint
from measure_fleet import Fleet

MACHINES, PATIENCE = 200, 180


class Scale(unittest.TestCase):
    """All of one organisation: a set of servers costs seconds to start."""

    @classmethod
    def setUpClass(cls):
        place = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        cls.addClassCleanup(shutil.rmtree, place, ignore_errors=True)
        options = argparse.Namespace(machines=MACHINES, spread=2, tickets=False, json=True)
        cls.fleet = Fleet(options, place, refresh=5, offsets={0: "expired"})
        cls.addClassCleanup(cls.fleet.close)
        cls.fleet.prepare()
        cls.swarm, cls.organization = cls.fleet.swarm, cls.fleet.organization
        cls.await_all(cls.fleet.start_machines())

    @classmethod
    def await_all(cls, start):
        """All but the one whose token has expired."""
        arrived = cls.swarm.wait_complete(start, PATIENCE, MACHINES - 1)
        if len(arrived) != MACHINES - 1:
            raise AssertionError(f"{len(arrived)} machines are connected")

    def patiently(self, action):
        """Servers that have just begun may leave a request without an answer."""
        return self.fleet.engine.patiently(action, seconds=PATIENCE, timeout=20)

    def push(self):
        mark, start = self.patiently(self.fleet.push_level)
        self.assertEqual(
            len(self.swarm.wait_accepted(mark, start, PATIENCE, MACHINES - 1)), MACHINES - 1)

    def pause(self):
        """Ends all connections; returns when. Until then machines ask again, and count on."""
        start = time.monotonic()
        self.swarm.command("pause")
        self.assertTrue(self.swarm.wait(
            lambda: any("paused" in event.words for event in self.swarm.since("l", start)),
            PATIENCE, "the pause"))
        return time.monotonic()

    def order(self, machines):
        """Gives each an order, and waits until all are obeyed."""
        orders = [(machine, *self.organization.check_in(machine.id)) for machine in machines]
        messages = [(f"docs.m.{machine.id}", bundle(order)) for machine, _, order in orders]
        self.patiently(lambda client: client.push_all(messages))
        nonces = [nonce for _, nonce, _ in orders]
        self.assertTrue(self.swarm.wait(
            lambda: not self.swarm.lost(nonces), PATIENCE, "orders"))
        return [order for _, _, order in orders]

    def tearDown(self):
        self.swarm.read()
        self.assertEqual(self.swarm.forged(), 0)
        self.assertEqual(self.swarm.backwards(), 0)
        self.assertEqual(self.swarm.repeated(), 0)
        self.assertNotIn(0, {event.machine for event in self.swarm.events["c"]})
        self.assertEqual(self.swarm.events["e"], [])

    def test_policies_and_orders_arrive_at_all(self):
        self.push()
        self.order(self.swarm.machines[1:])

    def test_statuses_are_stored_once_each(self):
        start = time.monotonic()
        self.swarm.command("status")
        self.assertTrue(self.swarm.wait(
            lambda: len(self.swarm.first_by_machine("s", start)) == MACHINES - 1, PATIENCE,
            "statuses"))
        self.assertEqual(self.fleet.engine.stream("STATUS")["state"]["messages"], MACHINES - 1)

    def test_past_versions_are_not_sent(self):
        for _ in range(10):
            self.push()
        state = self.patiently(
            lambda client: client.api("STREAM.INFO.DOCS", subjects_filter="docs.all"))["state"]
        self.assertEqual(state["subjects"]["docs.all"], 5)
        start = self.pause()
        self.swarm.command("resume")
        self.await_all(start)
        received = [int(event.words[0]) for event in self.swarm.since("b", start)]
        self.assertLess(max(received), 40_000)

    def test_servers_end_and_come_back(self):
        """One, without a warning, between a push and the next; then all of them."""
        leader = self.fleet.engine.leader()
        leader.kill()
        level = self.organization.padded_policy()
        self.patiently(lambda client: client.push("docs.all", bundle(level)))
        self.assertEqual(len(self.swarm.wait_accepted(
            fingerprint(level), time.monotonic(), PATIENCE, MACHINES - 1)), MACHINES - 1)
        leader.start()
        for server in self.fleet.engine.servers:
            server.kill(signal.SIGTERM)
        start = time.monotonic()
        self.fleet.engine.start()
        self.await_all(start)
        self.fleet.engine.leader()
        self.push()

    def test_nobody_believes_the_engine(self):
        self.push()
        past = [self.organization.policy({"displayName": "past"}, name="level.json", serial=1),
                self.fleet.level]
        orders = self.order(self.swarm.machines[1:4])
        attacker = Attacker(self.organization, past)
        for machine in self.swarm.machines[1:4]:
            self.patiently(lambda client, to=machine: attacker.attack(
                client, to.id, to.group, orders))
        reasons = {"unsigned", "older", "malformed", "audience", "content"}
        self.assertTrue(self.swarm.wait(
            lambda: reasons <= {event.words[0] for event in self.swarm.events["r"]}, PATIENCE,
            "refusals"))
        # Who has seen all that still takes what is right.
        self.fleet.given = {machine.id: [order] for machine, order in zip(
            self.swarm.machines[1:4], orders)}
        self.fleet.restore()
        self.push()


if __name__ == "__main__":
    unittest.main()
