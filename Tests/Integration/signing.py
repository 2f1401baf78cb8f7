"""An organisation's documents, signed without mamd's own code, and machines' reports, verified
without it: see docs/adr/0056 and 0058."""
import base64
import ctypes
import ctypes.util
import hashlib
import json
import os
import time

SODIUM = ctypes.CDLL(ctypes.util.find_library("sodium") or "libsodium.so.23")
DAY = 86_400


class Key:
    transport_seed: str

    def __init__(self, seed=None):
        self.seed = seed or os.urandom(32)
        self.public, self.secret = (ctypes.create_string_buffer(size) for size in (32, 64))
        SODIUM.crypto_sign_ed25519_seed_keypair(self.public, self.secret, self.seed)
        self.public = self.public.raw
        self.id = hashlib.sha256(self.public).hexdigest()[:32]

    def sign(self, message):
        signature = ctypes.create_string_buffer(64)
        SODIUM.crypto_sign_ed25519_detached(
            signature, None, message, ctypes.c_ulonglong(len(message)), self.secret)
        return {"keyid": self.id, "sig": base64.b64encode(signature.raw).decode()}


def signed_bytes(kind, payload):
    return f"DSSEv1 {len(kind)} {kind} {len(payload)} ".encode() + payload


class Forged(Exception):
    """A report that its machine has not signed so."""


def opened(report, kind, organization, public):
    """What a machine reports; `public`: its key. Raises Forged."""
    envelope = json.loads(report)
    if set(envelope) != {"payloadType", "payload", "signatures"} or len(
            envelope["signatures"]) != 1:
        raise Forged(set(envelope))
    payload = base64.b64decode(envelope["payload"], validate=True)
    (signature,) = envelope["signatures"]
    machine = hashlib.sha256(public).hexdigest()[:32]
    message = signed_bytes(envelope["payloadType"], payload)
    bytes_ = base64.b64decode(signature["sig"], validate=True)
    if len(bytes_) != 64 or signature["keyid"] != machine or (
            envelope["payloadType"] != f"application/vnd.mamd.{kind}+json"
            or SODIUM.crypto_sign_ed25519_verify_detached(
                bytes_, message, ctypes.c_ulonglong(len(message)), public) != 0):
        raise Forged(envelope["payloadType"])
    told = json.loads(payload)
    if (told["organization"], told["machine"]) != (organization, machine):
        raise Forged("another's")
    return told


def rfc3339(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def nonce(statement):
    """The name of the order."""
    parts = ("organization", "audience", "serial", "issued", "expires", "sha256")
    return hashlib.sha256(
        " ".join(str(statement[part]) for part in parts).encode()).hexdigest()[:32]


def statement(document):
    """What an envelope says of its content."""
    return json.loads(base64.b64decode(json.loads(document)["payload"]))


def is_in_ring(machine, share, rollout="05" * 16):
    """See docs/FORMAT.md, section 10."""
    digest = hashlib.sha256(f"{machine} {rollout}".encode()).digest()
    return int.from_bytes(digest[:8]) % 100 < share


class Organization:
    """Two root keys, one policy key, three order keys, one time key."""

    def __init__(self, name="Contoso"):
        self.name, self.id, self.serials = name, os.urandom(16).hex(), 0
        self.scopes = {}
        self.keys = {
            "root": [Key(), Key()], "policy": [Key()], "order": [Key(), Key(), Key()],
            "time": [Key()]}

    def document(self, kind, content, audience="all", name="document", serial=None, issued=None,
                 days=30, keys=None, ring=None):
        """The bytes of an envelope."""
        if serial is None:
            self.serials += 1
            serial = self.serials
        issued = int(time.time()) if issued is None else issued
        content = content if isinstance(content, bytes) else json.dumps(content).encode()
        statement = {
            "organization": self.id, "audience": audience, "serial": serial,
            "issued": rfc3339(issued), "sha256": hashlib.sha256(content).hexdigest(),
            "byteCount": len(content)}
        if days is not None:
            statement["expires"] = rfc3339(issued + int(days * DAY))
        statement["name"] = name or nonce(statement)
        if ring:
            statement["ring"] = ring
        payload = json.dumps(statement, sort_keys=True).encode()
        kind_ = f"application/vnd.mamd.{kind}+json"
        message = signed_bytes(kind_, payload)
        if kind == "root":
            self.fingerprint = hashlib.sha256(message).hexdigest()
        return json.dumps({
            "payloadType": kind_, "payload": base64.b64encode(payload).decode(),
            "content": base64.b64encode(content).decode(),
            "signatures": [key.sign(message) for key in keys or self.signers(kind)]}).encode()

    def signers(self, kind):
        role = {"membership": "policy", "settings": "policy"}.get(kind, kind)
        return self.keys[role][:2]

    def root(self, serial=1, keys=None):
        thresholds = {"root": 2, "policy": 1, "order": 2, "time": 1}
        content = {
            "name": self.name,
            "keys": {key.id: base64.b64encode(key.public).decode()
                     for keys_ in self.keys.values() for key in keys_},
            "roles": {role: {"keys": [key.id for key in self.keys[role]], "threshold": threshold}
                      for role, threshold in thresholds.items()}}
        if self.scopes:
            content["scopes"] = self.scopes
        return self.document("root", content, name="root", serial=serial, days=None, keys=keys)

    def policy(self, rules, **options):
        return self.document(
            "policy", {"@odata.type": "#microsoft.graph.iosManagedAppProtection", **rules},
            **{"name": "level.json", **options})

    def ordered(self, rules, **options):
        """A policy that order keys have signed, too, as one must that names a recovery key."""
        keys = self.keys["policy"] + self.keys["order"][:2]
        return self.policy(rules, **{"keys": keys, **options})

    def ringed(self, rules, former, share, rollout="05" * 16, **options):
        """A policy for a share of the machines; `former`: its predecessor's rules, or None."""
        texts = [
            json.dumps({"@odata.type": "#microsoft.graph.iosManagedAppProtection", **each}).encode()
            if each is not None else b"" for each in (rules, former)]
        pair = {
            name: base64.b64encode(text).decode()
            for name, text in zip(("policy", "former"), texts)}
        return self.document(
            "policy", pair, ring={"rollout": rollout, "share": share},
            **{"name": "level.json", **options})

    def time(self, heads=None, **options):
        return self.document("time", {"heads": heads or {}}, **{"name": "time", **options})

    def order(self, action, machine, account=None, withdraws=None, **options):
        """By a nonce of its own, unless a `name` is given: see docs/adr/0092."""
        content = {"action": action, **({"account": account} if account else {}),
                   **({"order": withdraws} if withdraws else {})}
        return self.document(
            "order", content, **{
                "audience": f"machine:{machine}", "name": None, "days": 90,
                "serial": int.from_bytes(os.urandom(6)) + 1, **options})
