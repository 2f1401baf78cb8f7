"""An organisation's directory with machines and their reports, signed without mamd's own code."""
import base64
import binascii
import hashlib
import json
import pathlib
import random
import time

from signing import DAY, Key, Organization, rfc3339, statement

VERSIONS = ("0.1.0", "0.1.0", "0.1.0", "0.2.0", "0.2.1")
KERNELS = ("6.12.48+deb13-amd64", "6.12.43+deb13-amd64", "6.1.0-40-amd64")


def sealed(kind, payload, key):
    """The bytes of a report's envelope."""
    type_ = f"application/vnd.mamd.{kind}+json"
    payload = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    message = f"DSSEv1 {len(type_)} {type_} {len(payload)} ".encode() + payload
    return json.dumps({
        "payloadType": type_, "payload": base64.b64encode(payload).decode(),
        "signatures": [key.sign(message)]}).encode()


def transport_key(public):
    """An NKey of a user: a byte for its role, the key, and CRC-16/XMODEM."""
    bytes_ = bytes([20 << 3]) + public
    return base64.b32encode(
        bytes_ + binascii.crc_hqx(bytes_, 0).to_bytes(2, "little")).decode()


class Machine:
    def __init__(self, directory, name, groups=()):
        self.directory, self.name, self.groups = directory, name, list(groups)
        self.key = Key()
        self.id, self.sequence = self.key.id, 0

    def register(self, **changes):
        entry = {
            "machine": self.id, "publicKey": base64.b64encode(self.key.public).decode(),
            "name": self.name, "transportKey": transport_key(self.key.public),
            "invitation": "ab" * 16, "groups": self.groups,
            "admitted": rfc3339(self.directory.now - 30 * DAY), "revoked": None}
        (self.directory.path / "machines" / f"{self.id}.json").write_text(
            json.dumps({**entry, **changes}))

    def report(self, kind, issued=None, **members):
        self.sequence += 1
        return sealed(kind, {
            "organization": self.directory.organization.id, "machine": self.id,
            "issued": rfc3339(self.directory.now if issued is None else issued),
            "sequence": self.sequence, **members}, self.key)

    def status(self, **changes):
        """What it says of itself: all is well, unless changes say otherwise."""
        return self.report("status", **{
            "version": "0.1.0", "host": self.name, "workspace": "work", "rootSerial": 1,
            "documents": self.directory.documents_of(self), "problem": None, "pending": 0,
            "obeyed": [], "accounts": [self.account()],
            "verify": {"time": rfc3339(self.directory.now - 3 * DAY), "findings": 0}, "refused": 0,
            "contained": True, "kernel": KERNELS[0], "mounted": True, **changes})

    def account(self, number=0, **changes):
        name = f"person{number}@{self.name}.example"
        return {
            "id": hashlib.sha256(f"{self.id}{number}".encode()).hexdigest()[:32], "name": name,
            "objectId": "", "window": "locked", "blockedBy": None, "compliant": True,
            "level": None, "checkedIn": rfc3339(self.directory.now - 3600), "lastUse": None,
            "files": 120, **changes}

    def say(self, report=None, **changes):
        """Puts its status where `pull` does."""
        self.status_file.write_bytes(self.status(**changes) if report is None else report)

    @property
    def status_file(self):
        return self.directory.path / "reports" / "status" / f"{self.id}.json"

    @property
    def audit_file(self):
        return self.directory.path / "reports" / "audit" / f"{self.id}.jsonl"

    def records_file(self, account):
        place = self.directory.path / "reports" / "records" / self.id
        place.mkdir(parents=True, exist_ok=True)
        return place / f"{account}.json"

    def tell(self, first, *events, issued=None):
        """One report of the audit with these events, numbered from `first`."""
        records = [
            {"time": "2026-01-01T00:00:00.000Z", "sequence": first + number, "count": 1, **event}
            for number, event in enumerate(events)]
        line = self.report(
            "audit", issued, **{"from": first, "to": first + len(events) - 1, "records": records})
        with open(self.audit_file, "ab") as file:
            file.write(line + b"\n")


class Directory:
    """ORG: signed by `organization`, with a root, one policy and the time."""

    def __init__(self, path, now=None, organization=None):
        self.path = pathlib.Path(path)
        self.organization = organization or Organization()
        self.now = int(time.time()) if now is None else now
        self.machines, self.heads = [], {}
        for name in (
                "signed", "orders", "machines", "invitations", "roots", "reports/status",
                "reports/records", "reports/audit", "reports/enrolment"):
            (self.path / name).mkdir(parents=True)
        root = self.organization.root()
        (self.path / "root.json").write_bytes(root)
        (self.path / "roots" / "1.json").write_bytes(root)
        self.heads["root/all/root"] = 1
        self.policy({"pinRequired": True}, serial=17)
        self.sign_time()

    def policy(self, rules, audience="all", name="level2", serial=17):
        self.put(self.organization.policy(rules, audience=audience, name=name, serial=serial,
                                          issued=self.now - DAY),
                 f"policy-{audience.replace(':', '-')}-{name}")
        self.heads[f"policy/{audience}/{name}"] = serial

    def put(self, document, name):
        (self.path / "signed" / f"{name}.json").write_bytes(document)

    def member(self, machine, groups, serial=3):
        """Puts the machine into groups."""
        machine.groups = list(groups)
        self.put(self.organization.document(
            "membership", {"groups": machine.groups, "members": {}}, f"machine:{machine.id}",
            "groups", serial, self.now - DAY), f"membership-{machine.id}")
        machine.membership = serial

    def sign_time(self):
        (self.path / "time.json").write_bytes(self.organization.time(
            self.heads, serial=self.now, issued=self.now - 60, days=1))

    def documents_of(self, machine):
        """What a machine has that lacks nothing."""
        documents = {
            slot: serial for slot, serial in self.heads.items()
            if not slot.startswith("root/") and (
                (audience := slot.split("/")[1]) == "all"
                or audience.removeprefix("group:") in machine.groups)}
        documents["time/all/time"] = self.now
        if hasattr(machine, "membership"):
            documents[f"membership/machine:{machine.id}/groups"] = machine.membership
        return documents

    def order(self, action, machine, account=None, keys=2, **options):
        bytes_ = self.organization.order(
            action, machine.id, account, keys=self.organization.keys["order"][:keys], **options)
        nonce = statement(bytes_)["name"]
        (self.path / "orders" / f"{action}-{nonce}.json").write_bytes(bytes_)
        return nonce

    def add(self, name, groups=(), **status):
        machine = Machine(self, name, groups)
        if groups:
            self.member(machine, groups)
        machine.register()
        machine.say(**status)
        self.machines.append(machine)
        return machine


class KeyedDirectory:
    """The same of an organisation whose keys are mamctl's, in files: for machines alone."""

    def __init__(self, organization):
        self.path, self.organization = organization.path, organization
        self.now = int(time.time())
        for name in ("machines", "reports/status"):
            (self.path / name).mkdir(parents=True, exist_ok=True)

    def documents_of(self, _):
        return {}


def crowd(path, count, seed=1):
    """Many machines, of which one in ten has something. Deterministic but for the keys."""
    chance, directory = random.Random(seed), Directory(path)
    groups = [f"site-{number}" for number in range(20)]
    for group in groups:
        directory.policy({"pinRequired": True, "minimumPinLength": 6}, f"group:{group}", "site", 4)
    directory.sign_time()
    for number in range(count):
        machine = Machine(directory, f"pc-{number:05}.contoso.example")
        directory.member(machine, [chance.choice(groups)])
        machine.register()
        directory.machines.append(machine)
        machine.say(**something(machine, chance, number))
    return directory


def something(machine, chance, number):
    """The changes to a status: mostly none but its age."""
    directory = machine.directory
    said = {
        "issued": directory.now - chance.randrange(DAY), "version": chance.choice(VERSIONS),
        "kernel": chance.choice(KERNELS), "refused": int(chance.expovariate(1 / 3)),
        "accounts": [machine.account(each) for each in range(1 + (number % 7 == 0))]}
    kind = number % 50
    if kind == 7:
        said["issued"] = directory.now - chance.randrange(8, 90) * DAY
    elif kind == 17:
        said["problem"] = "the organisation's time is of yesterday, more than a day ago"
    elif kind == 27:
        said["accounts"] = [machine.account(compliant=False, blockedBy="threat level")]
    elif kind == 37:
        said["documents"] = {**directory.documents_of(machine), "policy/all/level2": 16}
    elif kind == 47:
        said["pending"] = 1
    return said


if __name__ == "__main__":
    import sys

    start = time.monotonic()
    crowd(sys.argv[1], int(sys.argv[2]))
    print(f"{time.monotonic() - start:.1f} s")
