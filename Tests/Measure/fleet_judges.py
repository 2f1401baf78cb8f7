"""Real daemons among the machines: each is handed what its carrier brings, and judges it."""
import collections
import hashlib
import json
import random
import re
import threading
import time

from fleet_nats import Client, Failed
from fleet_nkeys import USER, NKey
from fleet_swarm import fingerprint
from workspace import Workspace, wait_until

REPEATS = 3  # of one document: an order that comes again is not obeyed again
SUBJECTS = ("docs.roots", "docs.all", "docs.m.{}", "docs.g.{}", "docs.time")


class Judge:
    """A workspace with its daemon, and a thread that carries; it repeats what it gets."""

    def __init__(self, fleet, number, refresh):
        self.fleet, self.engine, self.refresh = fleet, fleet.engine, refresh
        self.workspace = Workspace(name=f"judge{number}")
        self.workspace.init().mount().register()
        documents = {"root.json": fleet.root, "level.json": fleet.level, "time.json": fleet.signed}
        for name, document in documents.items():
            (self.workspace.root / name).write_bytes(document)
        self.workspace.serving(
            "fleet join", *(self.workspace.root / name for name in documents), "--fingerprint",
            fleet.organization.fingerprint)
        self.machine = self.show()["machine"]
        self.key = NKey(USER)
        self.token = self.engine.operator.machine(self.key, self.machine)
        self.group = f"group-{number}"
        self.accepted, self.verdicts, self.times = {}, {}, collections.Counter()
        self.delivered = self.connects = 0
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self.carry, daemon=True)
        self.thread.start()

    def close(self):
        self.ends.set()
        self.thread.join(20)
        self.workspace.close()

    # What it carries

    def carry(self):
        while not self.ends.is_set():
            try:
                self.carry_once(random.choice(self.engine.servers))
            except (Failed, OSError, ValueError):
                self.ends.wait(random.uniform(0.5, 3))

    def carry_once(self, server):
        client = Client(
            (server.host, server.port), self.engine.place / "ca.pem", self.key, self.token,
            inbox=f"_INBOX.{self.machine}")
        self.connects += 1
        try:
            for subject in SUBJECTS:
                client.subscribe(self.named(subject))
            while not self.ends.is_set():
                client.send(b"PING\r\n")  # a connection that is dead fails sooner or later
                for subject in SUBJECTS:
                    self.deliver(client.newest(self.named(subject))[1])
                end = time.monotonic() + self.refresh
                while time.monotonic() < end and not self.ends.is_set():
                    if client.has_more(0.5):
                        self.deliver(client.next().body)
        finally:
            client.close()

    def named(self, subject):
        return subject.format(self.machine if ".m." in subject else self.group)

    def deliver(self, body):
        try:
            envelopes = json.loads(body) if body else []
        except (ValueError, RecursionError):
            return
        for envelope in envelopes if isinstance(envelopes, list) else []:
            document = json.dumps(envelope).encode()
            mark = hashlib.sha256(document).digest()
            self.times[mark] += 1
            if self.times[mark] <= REPEATS:
                self.hand_over(document)

    def hand_over(self, document):
        path = self.workspace.root / "document"
        path.write_bytes(document)
        done = self.workspace.serving("fleet deliver", path, status=None)
        self.delivered += 1
        if done.returncode == 0:
            self.accepted.setdefault(fingerprint(document), time.monotonic())
        else:
            told = done.stderr.strip().rpartition(": ")[2]
            reason = re.sub("[0-9a-f]{32}|(?<=serial )[0-9]+|(?<=than )[0-9]+", "…", told)
            self.verdicts[reason] = self.verdicts.get(reason, 0) + 1

    # What it tells

    def show(self):
        return json.loads(self.workspace.serving("fleet show", "--json").stdout)["organization"]

    def orders(self):
        """How often the daemon says that it obeyed each order, by nonce."""
        found = {}
        text = self.workspace.serving("audit", "--event", "ordered", "--json").stdout
        for nonce, machine in self.fleet.organization.orders.items():
            if machine == self.machine:
                found[nonce] = text.count(nonce)
        return found

    def forged(self):
        return sum(mark not in self.fleet.organization.signed for mark in self.accepted)


def wait_for(judges, mark, start, seconds=240):
    """Until all have a document; the seconds of the last."""
    wait_until(lambda: all(mark in judge.accepted for judge in judges), seconds,
               "a daemon has not got a document")
    return round(max(judge.accepted[mark] for judge in judges) - start, 2)
