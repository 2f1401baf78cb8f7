"""What faults and attacks cost: with `measure_fleet.py --faults`, as root.

Servers that are killed, stopped, cut off or full; clocks that are wrong; an engine that lies. After
each fault all machines must have the newest policy, and every order must have been obeyed once.
Three real daemons take part (fleet_judges.py), beside the machines of fleet_machines.c.
"""
import contextlib
import json
import os
import random
import signal
import subprocess
import time

from fleet_attacks import Attacker
from fleet_judges import Judge, wait_for
from fleet_nats import Failed
from fleet_network import Network
from fleet_swarm import bundle, fingerprint
from measure_fleet import Fleet, machine_facts, spread_of

JUDGES, FULL_MIB = 3, 48
# Shorter than on real machines, to see their effect within minutes.
SWARM = {"ping": 5, "refresh": 15, "most": 10, "engine_ping": 10}


class Faults(Fleet):
    def __init__(self, options, place):
        self.network = Network() if os.geteuid() == 0 else None
        # Every tenth machine's clock is a day behind, and every tenth a day ahead.
        offsets: dict = {
            number: (number % 10 == 1) * -86_400 + (number % 10 == 2) * 86_400
            for number in range(options.machines)}
        offsets[0] = "expired"
        super().__init__(options, place, network=self.network, offsets=offsets, **SWARM)
        self.judges, self.nonces, self.past = [], [], []

    def close(self):
        for judge in self.judges:
            judge.close()
        super().close()
        if self.network:
            self.network.close()

    @property
    def living(self):
        """All but the one whose token has expired."""
        return self.swarm.count - 1

    # What the administrator does

    def new_level(self):
        self.level = self.organization.padded_policy()
        self.past.append(self.level)
        return self.level

    def push(self, name="docs.all", *documents):
        """Until it is acknowledged, through whichever server answers; when the attempts began."""
        documents = documents or [self.new_level()]
        body, start = bundle(*documents), time.monotonic()

        def once(client):
            last, known = client.last(name)
            return last if known == body else client.push(name, body, expected=last)

        self.engine.patiently(once, 90, timeout=2)
        return fingerprint(documents[-1]), start

    def order(self, machine):
        nonce, order = self.organization.check_in(machine)
        self.nonces.append(nonce)
        self.given.setdefault(machine, []).append(order)
        self.push(f"docs.m.{machine}", *self.given[machine])

    def some(self, count):
        return [machine.id for machine in random.sample(self.swarm.machines[1:], count)]

    def order_some(self, count=20):
        """For machines that the swarm has, and for each real daemon."""
        for machine in self.some(count) + [judge.machine for judge in self.judges]:
            self.order(machine)

    # What must be so afterwards

    def settle(self, name, facts, mark=None, start=None, seconds=120):
        """The newest policy everywhere, and every order obeyed; reports how long that took."""
        if mark is None:
            mark, start = self.push()
        times = self.swarm.wait_accepted(mark, start, seconds, self.living)
        mine = [nonce for nonce in self.nonces
                if self.organization.orders[nonce] in self.swarm.by_id]
        self.swarm.wait(lambda: not self.swarm.lost(mine), seconds, "orders")
        facts |= {**spread_of(times, self.living), "daemons s": wait_for(self.judges, mark, start),
                  "orders": len(mine), "lost": self.swarm.lost(mine),
                  "twice": self.swarm.repeated()}
        self.say(name, facts)

    def prepare(self):
        super().prepare()
        self.past.append(self.level)

    def start(self):
        start = self.start_machines()
        self.swarm.wait_complete(start, 120, self.living)
        self.judges = [Judge(self, number, SWARM["refresh"]) for number in range(JUDGES)]


# The faults

def leader_killed(fleet):
    """SIGKILL to the leader of the documents, in the middle of pushes and orders."""
    for number in range(10):
        if number == 4:
            leader = fleet.engine.leader()
            leader.kill()
            killed = time.monotonic()
        fleet.order_some(2)
        mark, start = fleet.push()
        if number == 4:
            without = time.monotonic() - killed
    fleet.settle("leader killed", {"pushes": 10, "none acknowledged for s": round(without, 2)},
                 mark, start)
    leader.start()
    time.sleep(5)


def server_stopped(fleet):
    """SIGSTOP: it answers nobody, and keeps its connections."""
    stopped = fleet.engine.leader()
    stopped.process.send_signal(signal.SIGSTOP)
    start = time.monotonic()
    try:
        mark, _ = fleet.push()
        acknowledged = time.monotonic() - start
        fleet.order_some()
        fleet.settle("server stopped", {"acknowledged s": round(acknowledged, 2)}, mark, start)
    finally:
        stopped.process.send_signal(signal.SIGCONT)
    time.sleep(5)


def server_cut_off(fleet):
    """Its clients still reach it, the other two servers do not."""
    if not fleet.network:
        return fleet.say("server cut off", "not measured: needs root")
    cut = fleet.engine.leader()
    fleet.network.cut(fleet.engine.servers.index(cut) + 1)
    time.sleep(15)  # until the others have a leader, and it knows that it is none
    false = acknowledged_by(fleet, cut)
    rest = [server for server in fleet.engine.servers if server is not cut]
    document, start = fleet.new_level(), time.monotonic()
    push_through(fleet, rest, document)
    mark = fingerprint(document)
    time.sleep(20)
    fleet.swarm.read()
    meanwhile = len(fleet.swarm.accepted[mark])
    fleet.network.heal(fleet.engine.servers.index(cut) + 1)
    healed = time.monotonic()
    fleet.settle("server cut off", {
        "acknowledged by it alone": false, "had it while cut": meanwhile,
        "healed after s": round(healed - start, 1)}, mark, start)


def acknowledged_by(fleet, server):
    """What the minority acknowledges: nothing."""
    count = 0
    for machine in fleet.some(3):
        _, order = fleet.organization.check_in(machine)
        with contextlib.suppress(Failed):
            with contextlib.closing(fleet.engine.client(server, timeout=2)) as client:
                client.push(f"docs.m.{machine}", bundle(order))
                count += 1
    return count


def push_through(fleet, servers, document):
    end = time.monotonic() + 60
    while True:
        try:
            with contextlib.closing(fleet.engine.client(*servers, timeout=3)) as client:
                return client.push("docs.all", bundle(document))
        except Failed:
            if time.monotonic() > end:
                raise


def disk_full(fleet):
    """One server's, while the others go on."""
    server = fleet.engine.servers[2]
    filler = server.store / "filler"
    with open(filler, "wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(1 << 20))
    for _ in range(20):
        fleet.order_some(2)
        mark, start = fleet.push()
    fleet.settle("disk full", {"pushes": 20}, mark, start)
    filler.unlink()
    ended = server.kill(signal.SIGTERM)
    server.start()
    time.sleep(10)
    cluster = fleet.engine.stream()["cluster"]
    fleet.settle("disk freed, restarted", {
        "ended by SIGTERM": ended,
        "replicas current": 1 + sum(replica["current"] for replica in cluster["replicas"])})


def clocks(fleet):
    """A day behind, a day ahead; a token that has expired; certificates since a moment ago."""
    offset = {number: machine.offset for number, machine in enumerate(fleet.swarm.machines)}
    mark, start = fleet.push()
    fleet.swarm.wait_accepted(mark, start, 60, fleet.living)
    having = {event.machine for event in fleet.swarm.accepted[mark]}
    facts: dict = {
        name: f"{sum(offset[machine] == seconds for machine in having)} of "
              f"{sum(value == seconds for value in offset.values()) - (seconds == 0)}"
        for name, seconds in (("right", 0), ("a day behind", -86_400), ("ahead", 86_400))}
    facts["time refused as expired"] = len(
        {e.machine for e in fleet.swarm.events["r"] if e.words == ["expired"]})
    facts["connected with an expired token"] = sum(
        event.machine == 0 for event in fleet.swarm.events["c"])
    fleet.say("clocks", facts)


def engine_lies(fleet):
    """Forged, replayed, reordered, changed, dropped and delayed documents, and garbage."""
    attacker = Attacker(fleet.organization, list(fleet.past))
    before = len(fleet.swarm.events["r"])
    orders = [given[-1] for given in fleet.given.values()][-20:]
    victims = fleet.some(10) + [judge.machine for judge in fleet.judges]
    sent = 0
    for machine in victims:
        number = fleet.swarm.by_id.get(machine, 0)
        group = fleet.swarm.machines[number].group
        # Given by the administrator, and at once overwritten by the attacker.
        with contextlib.suppress(Failed):
            fleet.order(machine)
        with contextlib.closing(fleet.engine.client(timeout=60)) as client:
            client.publish(f"docs.m.{machine}", b"[]")
            sent += 1 + attacker.attack(client, machine, group, orders)
    time.sleep(20)
    fleet.swarm.read()
    fleet.restore()
    fleet.settle("engine lies", {
        "messages": sent, "refused": len(fleet.swarm.events["r"]) - before,
        "forged accepted": fleet.swarm.forged()})


def orders_dropped(fleet):
    """Orders for machines that are away are overwritten; then the administrator repeats them."""
    fleet.swarm.command("pause")
    time.sleep(2)
    for machine in fleet.some(50):
        fleet.order(machine)
        with contextlib.closing(fleet.engine.client()) as client:
            client.push(f"docs.m.{machine}", b"[]")
    start = time.monotonic()
    fleet.swarm.command("resume")
    fleet.swarm.wait_complete(start, 90, fleet.living)
    missing = fleet.swarm.lost(
        nonce for nonce in fleet.nonces
        if fleet.organization.orders[nonce] in fleet.swarm.by_id)
    fleet.restore()
    fleet.settle("orders dropped", {"not obeyed while dropped": missing})


def stream_deleted(fleet):
    """With the administrator's credentials: all is pushed again, from the organisation's files."""
    fleet.engine.patiently(lambda client: client.api("STREAM.DELETE.DOCS"))
    fleet.engine.make_streams()
    fleet.restore()
    fleet.settle("documents deleted", {})


FAULTS = (clocks, leader_killed, server_stopped, server_cut_off, disk_full, engine_lies,
          orders_dropped, stream_deleted)


def verdict(fleet):
    swarm = fleet.swarm
    swarm.read()
    obeyed = [judge.orders() for judge in fleet.judges]
    figures = {
        "forged accepted": swarm.forged(), "went back": swarm.backwards(),
        "orders": len(fleet.nonces), "lost": swarm.lost(
            nonce for nonce in fleet.nonces if fleet.organization.orders[nonce] in swarm.by_id),
        "twice": swarm.repeated(),
        "daemons: forged": sum(judge.forged() for judge in fleet.judges),
        "orders of daemons": sum(map(len, obeyed)),
        "lost by daemons": sum(not count for counts in obeyed for count in counts.values()),
        "twice by daemons": sum(count > 1 for counts in obeyed for count in counts.values())}
    fleet.say("in all", figures)
    reasons = {}
    for judge in fleet.judges:
        for reason, count in judge.verdicts.items():
            reasons[reason] = reasons.get(reason, 0) + count
    fleet.say("daemons refused", reasons)
    bad = [name for name, value in figures.items() if value and not name.startswith("orders")]
    return not bad


def small_disk(fleet, server):
    """Its store, of a size that can be filled."""
    if os.geteuid() == 0:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={FULL_MIB}m", "none", server.store],
                       check=True)


def run(options, place):
    with contextlib.closing(Faults(options, place)) as fleet:
        fleet.say("machine", machine_facts())
        small_disk(fleet, fleet.engine.servers[2])
        try:
            fleet.prepare()
            fleet.start()
            for fault in FAULTS:
                if not options.only or fault.__name__ in options.only:
                    fault(fleet)
            if options.json:
                print(json.dumps(fleet.figures, indent=2))
            return 0 if verdict(fleet) else 1
        finally:
            fleet.engine.close()
            subprocess.run(["umount", "-l", fleet.engine.servers[2].store], capture_output=True)
