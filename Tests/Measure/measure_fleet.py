"""Measures what three real nats-servers carry for the machines of an organisation.

    measure_fleet.py [--machines N] [--json] [--directory DIR] [--tickets] [--spread SECONDS]
    measure_fleet.py --faults [--machines N] [--json]

The machines are one process (fleet_machines.c), each with a TLS connection of its own. Without
--faults: connects, pushes, orders, statuses, a restart of all servers, and that a thousand past
versions cost nothing. With it: see fleet_faults.py. The servers' stores are below DIR (/var/tmp),
which must be on a disk. scripts/measure fleet runs it.
"""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import statistics
import sys
import tempfile
import time

from fleet_engine import Engine, processor_seconds
from fleet_nats import Failed
from fleet_swarm import GROUPS, Signer, Swarm, build, bundle, fingerprint, serial_of

KIB, MIB = 1 << 10, 1 << 20
SINGLES, BATCH, VERSIONS, PUSHES = 200, 500, 1000, 3


def percentile(sorted_values, share):
    if not sorted_values:
        return float("nan")
    return sorted_values[min(len(sorted_values) - 1, int(share * len(sorted_values)))]


def spread_of(values, whole):
    """When 50 %, 99 % and all had it; null where some never had."""
    return {"machines": len(values), "half": round(percentile(values, .5), 3),
            "99 %": round(percentile(values, .99), 3),
            "all": round(values[-1], 3) if len(values) >= whole else None}


def machine_facts():
    model = next((line.split(": ", 1)[1] for line in pathlib.Path("/proc/cpuinfo").read_text()
                  .splitlines() if line.startswith("model name")), "unknown")
    return {"processor": model, "processors": os.cpu_count(), "kernel": os.uname().release,
            "load": [round(load, 1) for load in os.getloadavg()],
            "date": time.strftime("%Y-%m-%d")}


class Fleet:
    """An organisation, its engine and its machines."""

    def __init__(self, options, place, **swarm):
        self.options, self.place = options, place
        self.organization = Signer()
        self.engine = Engine(place, ping=swarm.pop("engine_ping", 60),
                             network=swarm.pop("network", None))
        offsets = swarm.pop("offsets", None)
        self.swarm = Swarm(
            self.engine, self.organization, options.machines, place, offsets,
            spread=options.spread, tickets=int(options.tickets), **swarm)
        self.figures = {}
        self.given = {}  # orders by machine

    def close(self):
        self.swarm.close()
        self.engine.close()

    def say(self, name, figures):
        self.figures[name] = figures
        if not self.options.json:
            text = figures if isinstance(figures, str) else ", ".join(
                f"{key} {value}" for key, value in figures.items())
            print(f"{name}: {text}", flush=True)

    def prepare(self):
        """The servers run, and have what machines get when they connect."""
        self.engine.start()
        self.engine.make_streams()
        self.root, self.level = self.organization.root(), self.organization.padded_policy()
        self.signed = self.organization.time(
            {"policy/all/level.json": serial_of(self.level)}, days=1)
        self.groups = {number: self.group_policy(number) for number in range(GROUPS)}
        self.restore()

    def restore(self):
        """What an administrator's push does: every bundle as the organisation has it."""
        bundles = {"docs.roots": [self.root], "docs.all": [self.level], "docs.time": [self.signed]}
        bundles |= {f"docs.g.group-{number}": [one] for number, one in self.groups.items()}
        bundles |= {f"docs.m.{machine}": orders for machine, orders in self.given.items()}
        self.engine.patiently(lambda client: client.push_all(
            [(subject, bundle(*documents)) for subject, documents in bundles.items()]))

    def group_policy(self, number):
        return self.organization.policy(
            {"displayName": f"Group {number}"}, audience=f"group:group-{number}",
            name=f"group-{number}.json")

    def push_level(self, client):
        """The mark of a new version of the policy, and when its push began."""
        self.level = self.organization.padded_policy()
        last, _ = client.last("docs.all")
        start = time.monotonic()
        client.push("docs.all", bundle(self.level), expected=last)
        return fingerprint(self.level), start

    def start_machines(self):
        program = build(self.place)
        start = time.monotonic()
        self.swarm.start(program)
        return start


# What is measured, in this order

def measure_connect(fleet):
    before, processor = fleet.engine.resident(), fleet.engine.processor()
    start = fleet.start_machines()
    seconds = fleet.swarm.wait_complete(start, 180)
    count, client = fleet.swarm.count, fleet.swarm.process.pid
    received = statistics.median(
        int(event.words[0]) for event in fleet.swarm.first_by_machine("b", start).values())
    fleet.say("connect", {
        **spread_of(seconds, count), "jitter s": fleet.options.spread,
        "servers' ms each": round(1e3 * (fleet.engine.processor() - processor) / count, 2),
        "machine's ms each": round(1e3 * processor_seconds(client) / count, 2),
        "KiB received each": round(received / KIB, 1)})
    time.sleep(5)
    after, processor = fleet.engine.resident(), fleet.engine.processor()
    time.sleep(10)
    fleet.say("idle", {
        "servers' MiB before": before // MIB, "with machines": after // MIB,
        "KiB a machine": round((after - before) / count / KIB, 1),
        "servers' processors": round((fleet.engine.processor() - processor) / 10, 3)})


def measure_push(fleet):
    with contextlib.closing(fleet.engine.client()) as client:
        for number in range(1, PUSHES + 1):
            processor = fleet.engine.processor()
            mark, start = fleet.push_level(client)
            acknowledged = time.monotonic() - start
            seconds = fleet.swarm.wait_accepted(mark, start, 60)
            fleet.say(f"push {number}", {
                "bytes": len(fleet.level), "acknowledged": round(acknowledged, 3),
                **spread_of(seconds, fleet.swarm.count),
                "servers' processor s": round(fleet.engine.processor() - processor, 2)})
            time.sleep(1)


def measure_orders(fleet):
    machines = fleet.swarm.machines
    singles = machines[::max(1, len(machines) // SINGLES)][:SINGLES]
    nonces, latencies, acknowledged = [], [], []
    with contextlib.closing(fleet.engine.client()) as client:
        for machine in singles:
            nonce, order = fleet.organization.check_in(machine.id)
            start = time.monotonic()
            client.push(f"docs.m.{machine.id}", bundle(order), expected=0)
            acknowledged.append(time.monotonic() - start)
            fleet.swarm.wait(lambda nonce=nonce: nonce in fleet.swarm.orders, 10, "an order")
            nonces.append(nonce)
            if nonce in fleet.swarm.orders:
                latencies.append(fleet.swarm.orders[nonce][0].time - start)
        latencies.sort()
        fleet.say("orders, one by one", {
            "orders": len(nonces), "median ms": round(1e3 * percentile(latencies, .5), 1),
            "99 % ms": round(1e3 * percentile(latencies, .99), 1),
            "most ms": round(1e3 * latencies[-1], 1),
            "acknowledged, median ms": round(1e3 * statistics.median(acknowledged), 1)})
        nonces += measure_batch(fleet, client)
    fleet.say("orders, in all", {"given": len(nonces), "lost": fleet.swarm.lost(nonces),
                                 "twice": fleet.swarm.repeated()})


def measure_batch(fleet, client):
    batch = fleet.swarm.machines[-BATCH:]
    orders = [(machine, *fleet.organization.check_in(machine.id)) for machine in batch]
    start = time.monotonic()
    client.push_all([(f"docs.m.{machine.id}", bundle(order)) for machine, _, order in orders])
    acknowledged = time.monotonic() - start
    nonces = {nonce for _, nonce, _ in orders}
    fleet.swarm.wait(lambda: nonces <= fleet.swarm.orders.keys(), 30, "a batch of orders")
    seconds = sorted(fleet.swarm.orders[nonce][0].time - start
                     for nonce in nonces if nonce in fleet.swarm.orders)
    fleet.say("orders, at once", {**spread_of(seconds, len(batch)),
                                  "all acknowledged": round(acknowledged, 3)})
    return sorted(nonces)


def measure_statuses(fleet):
    swarm, processor = fleet.swarm, fleet.engine.processor()
    start = time.monotonic()
    swarm.command("status")
    swarm.wait(lambda: len(swarm.first_by_machine("s", start)) >= swarm.count, 120, "statuses")
    sent = [event.time - start for event in swarm.since("p", start)]
    stored = sorted(e.time - start for e in swarm.first_by_machine("s", start).values())
    state = fleet.engine.stream("STATUS")["state"]
    fleet.say("statuses, at once", {
        "sent within": round(max(sent), 3), **spread_of(stored, swarm.count),
        "a second": round(len(stored) / stored[-1]), "refused": len(swarm.since("S", start)),
        "in the stream": state["messages"],
        "bytes each": state["bytes"] // max(1, state["messages"]),
        "servers' ms each": round(1e3 * (fleet.engine.processor() - processor) / swarm.count, 2)})


def measure_restart(fleet):
    for server in fleet.engine.servers:
        server.kill(signal.SIGTERM)
    start = time.monotonic()
    fleet.engine.start()
    seconds = fleet.swarm.wait_complete(start, 180)
    attempts = [event.time for event in fleet.swarm.since("t", start)]
    by_second = [0] * 200
    for attempt in attempts:
        by_second[min(199, int(attempt - start))] += 1
    connected = [e.time - start for e in fleet.swarm.first_by_machine("c", start).values()]
    fleet.say("restart of all servers", {
        **spread_of(seconds, fleet.swarm.count), "all connected": round(max(connected), 1),
        "attempts": len(attempts), "most attempts in a second": max(by_second),
        "servers' ms each": round(1e3 * fleet.engine.processor() / fleet.swarm.count, 2)})


def measure_versions(fleet):
    found = {}
    for when in ("before", "after"):
        fleet.swarm.command("pause")
        time.sleep(2)
        if when == "after":
            found["push of all, s"] = push_versions(fleet)
        info = fleet.engine.stream()["state"]
        start = time.monotonic()
        fleet.swarm.command("resume")
        seconds = fleet.swarm.wait_complete(start, 120)
        first = fleet.swarm.first_by_machine("b", start).values()
        found |= {
            f"all connected {when}": round(seconds[-1], 2),
            f"99 % {when}": round(percentile(seconds, .99), 2),
            f"DOCS messages {when}": info["messages"], f"KiB {when}": info["bytes"] // KIB,
            f"MiB on disks {when}": round(fleet.engine.disk() / MIB, 1),
            f"KiB received each {when}": round(statistics.median(
                int(event.words[0]) for event in first) / KIB, 1)}
    fleet.say(f"{VERSIONS} versions", found)
    # The servers shorten their logs every two minutes.
    time.sleep(0 if fleet.swarm.count < 1000 else 125)
    fleet.say("two minutes later", {"MiB on disks": round(fleet.engine.disk() / MIB, 1)})


def push_versions(fleet):
    documents = [fleet.organization.padded_policy() for _ in range(VERSIONS)]
    start = time.monotonic()
    with contextlib.closing(fleet.engine.client(timeout=30)) as client:
        for at in range(0, VERSIONS, 50):
            client.push_all([("docs.all", bundle(one)) for one in documents[at:at + 50]])
    fleet.level = documents[-1]
    return round(time.monotonic() - start, 1)


def extrapolate(fleet):
    """What 100,000 machines would take, if each costs what one of these does."""
    found, many = fleet.figures, 100_000
    connect, push = found["connect"], found["push 1"]
    spread = 120
    fleet.say("100,000 machines, computed", {
        "servers' memory GiB": round(many * found["idle"]["KiB a machine"] / MIB, 1),
        f"processors to connect all in {spread} s": round(
            many * connect["servers' ms each"] / 1e3 / spread, 1),
        f"MB/s to connect all in {spread} s": round(
            many * connect["KiB received each"] * KIB / 1e6 / spread, 1),
        "servers' processor s of a push": round(
            many / fleet.swarm.count * push["servers' processor s"], 1),
        "MB of a push": round(many * push["bytes"] / 1e6),
        "MB/s of a push in 5 s": round(many * push["bytes"] / 1e6 / 5),
        "idle processors": round(
            many / fleet.swarm.count * found["idle"]["servers' processors"], 2),
        "s for all statuses": round(many / found["statuses, at once"]["a second"], 1)})


STEPS = (measure_connect, measure_push, measure_orders, measure_statuses, measure_restart,
         measure_versions, extrapolate)


def judge(fleet):
    swarm = fleet.swarm
    swarm.read()
    fleet.say("never", {"forged accepted": swarm.forged(), "went back": swarm.backwards(),
                        "orders twice": swarm.repeated(),
                        "refused": len(swarm.events["r"]), "errors": len(swarm.events["e"])})
    return not (swarm.forged() or swarm.backwards() or swarm.repeated())


def run(options, place):
    with contextlib.closing(Fleet(options, place, most=options.most)) as fleet:
        fleet.say("machine", machine_facts())
        fleet.say("this run", {"machines": options.machines, "servers": 3, "store": str(place),
                               "session tickets": "on" if options.tickets else "off"})
        fleet.prepare()
        for step in STEPS:
            if not options.only or step.__name__.removeprefix("measure_") in options.only:
                step(fleet)
        good = judge(fleet)
        fleet.say("at the end", machine_facts())
        if options.json:
            print(json.dumps(fleet.figures, indent=2))
        return 0 if good else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--machines", type=int)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--directory", default="/var/tmp")
    parser.add_argument("--tickets", action="store_true", help="resume TLS sessions")
    parser.add_argument("--spread", type=float, default=10, help="seconds of jitter")
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--only", help="some steps or faults, with commas between them")
    parser.add_argument("--most", type=float, default=30,
                        help="the longest that a machine waits between attempts, in seconds")
    options = parser.parse_args()
    options.only = options.only.split(",") if options.only else []
    options.machines = options.machines or (300 if options.faults else 10_000)
    # So that no server stays when this is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    place = pathlib.Path(tempfile.mkdtemp(prefix="mamd-fleet-", dir=options.directory))
    try:
        if options.faults:
            import fleet_faults
            return fleet_faults.run(options, place)
        return run(options, place)
    except Failed as failure:
        print(f"measure-fleet: {failure}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
