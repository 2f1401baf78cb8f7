"""Keys and tokens of a NATS operator, account and users, without the project's own code."""
import base64
import ctypes
import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Integration"))

from signing import SODIUM

OPERATOR, ACCOUNT, USER = 14 << 3, 0, 20 << 3
ALGORITHM = {"typ": "JWT", "alg": "ed25519-nkey"}


def url_base64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def crc16(data):
    """CRC-16/XMODEM, as the text form of keys ends with."""
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


class NKey:
    def __init__(self, kind):
        self.seed = os.urandom(32)
        public, self.secret = (ctypes.create_string_buffer(size) for size in (32, 64))
        SODIUM.crypto_sign_ed25519_seed_keypair(public, self.secret, self.seed)
        data = bytes([kind]) + public.raw
        self.text = base64.b32encode(data + crc16(data).to_bytes(2, "little")).decode().rstrip("=")

    def sign(self, message):
        signature = ctypes.create_string_buffer(64)
        SODIUM.crypto_sign_ed25519_detached(
            signature, None, message, ctypes.c_ulonglong(len(message)), self.secret)
        return signature.raw

    def token(self, subject, name, claims, expires=None):
        """A JWT about the subject's key (its text)."""
        body = {
            "jti": os.urandom(16).hex(), "iat": int(time.time()), "iss": self.text, "name": name,
            "sub": subject, "nats": {"version": 2, **claims},
            **({"exp": int(expires)} if expires else {})}
        parts = ".".join(
            url_base64(json.dumps(part, separators=(",", ":")).encode())
            for part in (ALGORITHM, body))
        return f"{parts}.{url_base64(self.sign(parts.encode()))}"


UNLIMITED = dict.fromkeys((
    "subs", "data", "payload", "imports", "exports", "conn", "leaf", "mem_storage",
    "disk_storage", "streams", "consumer"), -1)


class Operator:
    """With the system's account, and one for the organisation."""

    def __init__(self):
        self.key, self.account, self.system = NKey(OPERATOR), NKey(ACCOUNT), NKey(ACCOUNT)
        self.token = self.key.token(
            self.key.text, "operator", {"type": "operator", "system_account": self.system.text})
        self.tokens = {
            self.account.text: self.account_token(self.account, "organisation", UNLIMITED),
            self.system.text: self.account_token(
                self.system, "SYS", {**UNLIMITED, "mem_storage": 0, "disk_storage": 0})}

    def account_token(self, account, name, limits):
        return self.key.token(
            account.text, name, {"type": "account", "limits": {**limits, "wildcards": True},
                                 "default_permissions": {"pub": {}, "sub": {}}})

    def user(self, key, name, publish=(">",), subscribe=(">",), expires=None):
        return self.account.token(key.text, name, {
            "type": "user", "subs": -1, "data": -1, "payload": -1,
            "pub": {"allow": list(publish)}, "sub": {"allow": list(subscribe)}}, expires)

    def machine(self, key, machine, expires=None):
        """What a machine may do, and no more."""
        get = "$JS.API.DIRECT.GET.DOCS.docs"
        return self.user(
            key, machine, expires=expires,
            publish=(
                f"status.{machine}", f"rec.{machine}.*", f"audit.{machine}", f"{get}.roots",
                f"{get}.all", f"{get}.time", f"{get}.g.*", f"{get}.m.{machine}"),
            subscribe=(
                "docs.roots", "docs.all", "docs.time", "docs.g.*", f"docs.m.{machine}",
                f"_INBOX.{machine}.>"))
