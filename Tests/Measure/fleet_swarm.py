"""An organisation, its machines' keys, and the process that is all of these machines."""
import base64
import collections
import hashlib
import json
import os
import pathlib
import subprocess
import time

from fleet_nkeys import USER, NKey
from signing import Organization, statement

HERE = pathlib.Path(__file__).resolve().parent
ROLES = {"root": 2, "policy": 1, "order": 2, "time": 1}
GROUPS = 20

Event = collections.namedtuple("Event", "time machine words")
Machine = collections.namedtuple("Machine", "id group transport seed offset token")


def fingerprint(document):
    envelope = json.loads(document)
    kind, payload = envelope["payloadType"], base64.b64decode(envelope["payload"])
    return hashlib.sha256(
        f"DSSEv1 {len(kind)} {kind} {len(payload)} ".encode() + payload).hexdigest()[:32]


def serial_of(document):
    return statement(document)["serial"]


def bundle(*documents):
    return b"[" + b",".join(documents) + b"]"


class Signer(Organization):
    """Remembers all that it has signed, to tell what was forged."""

    def __init__(self):
        super().__init__()
        self.signed, self.orders = set(), {}

    def document(self, kind, content, **options):
        made = super().document(kind, content, **options)
        self.signed.add(fingerprint(made))
        return made

    def padded_policy(self, size=8000, **options):
        """Of so many bytes, as a policy that lists applications has."""
        text = base64.b85encode(os.urandom(size * 4 // 5 - 300)).decode()
        return self.policy({"displayName": "Level 2", "pinRequired": False, "description": text},
                           **{"name": "level.json", **options})

    def check_in(self, machine):
        """(nonce, document) of an order that a machine obeys."""
        made = self.order("checkIn", machine)
        nonce = statement(made)["name"]
        self.orders[nonce] = machine
        return nonce, made


def build(directory):
    program = directory / "fleet_machines"
    subprocess.run(
        ["cc", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program,
         *sorted(HERE.glob("fleet_*.c")), "-lssl", "-lcrypto", "-lsodium"], check=True)
    return program


class Swarm:
    def __init__(self, engine, organization, count, place, offsets=None, **settings):
        """`offsets` gives the seconds by which a machine's clock is wrong, by its number."""
        self.place, self.count, self.settings = place, count, settings
        self.engine, self.organization = engine, organization
        self.machines = [self.machine(number, (offsets or {}).get(number, 0))
                         for number in range(count)]
        self.by_id = {machine.id: number for number, machine in enumerate(self.machines)}
        self.process = self.file = None
        self.rest = b""
        self.events = collections.defaultdict(list)
        self.accepted = collections.defaultdict(list)  # by fingerprint
        self.orders = collections.defaultdict(list)  # by nonce

    def machine(self, number, offset):
        transport, key = NKey(USER), NKey(USER)
        id_ = hashlib.sha256(bytes(key.secret.raw[32:])).hexdigest()[:32]
        expires = time.time() - 60 if offset == "expired" else None
        token = self.engine.operator.machine(transport, id_, expires)
        return Machine(id_, f"group-{number % GROUPS}", transport, key.seed,
                       0 if expires else offset, token)

    def start(self, program):
        lines = [f"organization {self.organization.id}", f"ca {self.engine.place / 'ca.pem'}"]
        lines += [f"server {server.host} {server.port}" for server in self.engine.servers]
        for role, threshold in ROLES.items():
            lines.append(f"threshold {role} {threshold}")
            lines += [f"key {role} {key.public.hex()}" for key in self.organization.keys[role]]
        lines += [f"{name} {value}" for name, value in self.settings.items()]
        lines += [
            f"machine {m.id} {m.group} {m.transport.seed.hex()} {m.seed.hex()} {m.offset} {m.token}"
            for m in self.machines]
        settings, events = self.place / "machines.conf", self.place / "events"
        settings.touch(mode=0o600)
        settings.write_text("\n".join(lines) + "\n")
        self.process = subprocess.Popen(
            [program, settings, events], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if not self.process.stdout.readline():
            raise RuntimeError("fleet_machines has ended")
        self.file = open(events, "rb", buffering=0)

    def command(self, text):
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()

    def close(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.file.close()

    # Events

    def read(self):
        while data := self.file.read(1 << 22):
            *lines, self.rest = (self.rest + data).split(b"\n")
            for line in lines:
                when, what, machine, *words = line.decode(errors="replace").split(" ")
                event = Event(int(when) / 1e9, int(machine), words)
                self.events[what].append(event)
                if what in "do":
                    self.accepted[words[0]].append(event)
                if what == "o":
                    self.orders[words[2]].append(event)

    def wait(self, condition, seconds, what):
        """Whether it came to be in time; then the figures say what is missing."""
        end = time.monotonic() + seconds
        while True:
            self.read()
            if condition():
                return True
            if time.monotonic() > end:
                print(f"  in vain after {seconds} s: {what}", flush=True)
                return False
            if self.process.poll() is not None:
                raise RuntimeError("fleet_machines has ended")
            time.sleep(0.02)

    def since(self, what, start):
        """Events since a time, from the end: there may be millions before."""
        found = []
        for event in reversed(self.events[what]):
            if event.time < start:
                break
            found.append(event)
        return found[::-1]

    def first_by_machine(self, what, start):
        first = {}
        for event in self.since(what, start):
            first.setdefault(event.machine, event)
        return first

    def wait_complete(self, start, seconds, count=None):
        """Until that many machines have got all bundles since then; the seconds of each."""
        count = self.count if count is None else count
        self.wait(lambda: len({e.machine for e in self.since("b", start)}) >= count, seconds,
                  f"{count} machines with all bundles")
        return sorted(e.time - start for e in self.first_by_machine("b", start).values())

    def wait_accepted(self, mark, start, seconds, count=None):
        """The same of one document."""
        count = self.count if count is None else count
        self.wait(lambda: len(self.accepted[mark]) >= count, seconds,
                  f"{count} machines with a document")
        return sorted(event.time - start for event in self.accepted[mark])

    # What must never be

    def forged(self):
        """Documents accepted that the organisation's keys did not sign."""
        return sum(len(events) for mark, events in self.accepted.items()
                   if mark not in self.organization.signed)

    def repeated(self):
        return sum(len(events) - 1 for events in self.orders.values())

    def lost(self, nonces):
        return sum(nonce not in self.orders for nonce in nonces)

    def backwards(self):
        """How often a machine went back to an older document of a name."""
        newest, count = {}, 0
        for event in self.events["d"]:
            slot, serial = (event.machine, event.words[2]), int(event.words[1])
            count += serial < newest.get(slot, 0)
            newest[slot] = max(serial, newest.get(slot, 0))
        return count
