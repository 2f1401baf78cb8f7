"""A real nats-server with TLS in operator mode, and what it believes, made without mamd's code."""
import base64
import contextlib
import datetime
import hashlib
import ipaddress
import json
import pathlib
import signal
import socket
import ssl
import subprocess
import time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from ports import free_port
from signing import Key

NEEDS = ("nats-server", "python3-cryptography")

PREFIXES = {"operator": 14 << 3, "account": 0, "user": 20 << 3}
SEED = 18 << 3


def crc16(data):
    value = 0
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ 0x1021) & 0xFFFF if value & 0x8000 else value << 1
    return value


def base32(data):
    return base64.b32encode(data).decode().rstrip("=")


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class NKey:
    """An Ed25519 key as NATS writes it."""

    def __init__(self, role, seed=None):
        self.role, self.key = role, Key(seed)
        prefix = PREFIXES[role]
        raw = bytes([prefix]) + self.key.public
        self.text = base32(raw + crc16(raw).to_bytes(2, "little"))
        raw = bytes([SEED | prefix >> 5, (prefix & 31) << 3]) + self.key.seed
        self.seed = base32(raw + crc16(raw).to_bytes(2, "little"))

    @classmethod
    def reading(cls, role, text):
        raw = base64.b32decode(text.strip() + "=" * (-len(text.strip()) % 8))
        return cls(role, raw[2:34])

    def signature(self, message):
        return base64.b64decode(self.key.sign(message)["sig"])


def token(kind, subject, issuer, name, claims, expires=None, issued=None):
    """A JWT of version 2."""
    members = {
        "iat": int(time.time()) if issued is None else issued, "iss": issuer.text, "name": name,
        "sub": subject if isinstance(subject, str) else subject.text,
        "nats": {**claims, "type": kind, "version": 2}}
    if expires:
        members["exp"] = int(expires)
    members["jti"] = base32(hashlib.sha256(json.dumps(members).encode()).digest())
    head = base64url(json.dumps({"typ": "JWT", "alg": "ed25519-nkey"}).encode())
    signed = head + "." + base64url(json.dumps(members).encode())
    return signed + "." + base64url(issuer.signature(signed.encode()))


def credentials(jwt, key):
    return (
        f"-----BEGIN NATS USER JWT-----\n{jwt}\n------END NATS USER JWT------\n\n"
        f"-----BEGIN USER NKEY SEED-----\n{key.seed}\n------END USER NKEY SEED------\n")


UNLIMITED = {
    "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": True,
    "conn": -1, "leaf": -1}


SIGNS_CERTIFICATES = x509.KeyUsage(
    key_cert_sign=True, crl_sign=True, digital_signature=False, content_commitment=False,
    key_encipherment=False, data_encipherment=False, key_agreement=False, encipher_only=False,
    decipher_only=False)


class Authority:
    """A certificate authority, and certificates for this machine."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test authority")])
        self.certificate = self.sign(name, name, self.key.public_key(), isAuthority=True)
        self.path = self.directory / "ca.pem"
        self.path.write_bytes(self.certificate.public_bytes(serialization.Encoding.PEM))

    def sign(self, subject, issuer, public, isAuthority=False):
        now = datetime.datetime.now(datetime.UTC)
        # RFC 5280 asks for the identifiers, and strict verifiers refuse what lacks them.
        signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key())
        builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(
            public).serial_number(x509.random_serial_number()).not_valid_before(
                now - datetime.timedelta(days=1)).not_valid_after(
                    now + datetime.timedelta(days=30)).add_extension(
                        x509.BasicConstraints(isAuthority, None), critical=True).add_extension(
                            x509.SubjectKeyIdentifier.from_public_key(public),
                            critical=False).add_extension(signer, critical=False)
        if isAuthority:
            builder = builder.add_extension(SIGNS_CERTIFICATES, critical=True)
        else:
            builder = builder.add_extension(x509.SubjectAlternativeName([
                x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]),
                critical=False)
        return builder.sign(self.key, hashes.SHA256())

    def server(self, name="server"):
        """Paths of a certificate and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        certificate = self.sign(subject, self.certificate.subject, key.public_key())
        paths = self.directory / f"{name}.pem", self.directory / f"{name}.key"
        paths[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        paths[1].write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption()))
        return paths


class Engine:
    """One server. Its directory outlives a kill."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.operator, self.account, self.system = (
            NKey("operator"), NKey("account"), NKey("account"))
        self.authority = Authority(self.directory)
        self.port = free_port()
        self.process = None
        self.certificate, self.key = self.authority.server()

    @property
    def url(self):
        return f"tls://localhost:{self.port}"

    def account_token(self, revoked=None, issued=None, **claims):
        return token("account", self.account, self.operator, "fleet", {
            "limits": {**UNLIMITED, "mem_storage": 0, "disk_storage": 1 << 32, "streams": 16,
                       "consumer": -1},
            "default_permissions": {"pub": {}, "sub": {}}, "revocations": revoked or {}, **claims},
            issued=issued)

    def user(self, name, publish=None, subscribe=None, account=None, **options):
        """(token, key)"""
        key = options.pop("key", None) or NKey("user")
        claims = {"subs": -1, "data": -1, "payload": -1, "pub": {}, "sub": {}}
        if publish is not None:
            claims["pub"], claims["sub"] = {"allow": publish}, {"allow": subscribe}
        return token("user", key, account or self.account, name, claims, **options), key

    def configure(self):
        system = token("account", self.system, self.operator, "SYS", {
            "limits": UNLIMITED, "default_permissions": {"pub": {}, "sub": {}}})
        operator = token("operator", self.operator, self.operator, "test", {
            "system_account": self.system.text})
        store = self.directory / "store"
        (self.directory / "server.conf").write_text(f"""
            listen: "127.0.0.1:{self.port}"
            max_payload: 8388608
            operator: "{operator}"
            system_account: "{self.system.text}"
            resolver: {{ type: full, dir: "{self.directory}/accounts", allow_delete: false }}
            resolver_preload: {{
                {self.account.text}: "{self.account_token()}"
                {self.system.text}: "{system}"
            }}
            jetstream {{ store_dir: "{store}", max_mem: 16777216, max_file: 4294967296 }}
            tls {{ cert_file: "{self.certificate}", key_file: "{self.key}", timeout: 60 }}
            authorization {{ timeout: 60 }}
            """)

    def start(self):
        if not (self.directory / "server.conf").exists():
            self.configure()
        self.log = open(self.directory / "server.log", "ab")
        self.process = subprocess.Popen(
            ["nats-server", "-c", self.directory / "server.conf"], stdout=self.log,
            stderr=self.log)
        end = time.monotonic() + 90
        while True:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            if time.monotonic() > end or self.process.poll() is not None:
                raise AssertionError((self.directory / "server.log").read_text()[-3000:])
            time.sleep(0.05)

    def kill(self, number=signal.SIGKILL):
        if self.process:
            self.process.send_signal(number)
            self.process.wait(90)
            self.process = None
            self.log.close()

    def connect(self, jwt, key, **options):
        return NatsClient(self, jwt, key, **options)

    def administrator(self):
        return self.connect(*self.user("administrator"))


class NatsClient:
    """A client of a few lines, for what the tests look at, and for what an attacker does."""

    def __init__(self, engine, jwt, key, inbox="_INBOX.test"):
        raw = socket.create_connection(("127.0.0.1", engine.port), 90)
        self.file = raw.makefile("rb")
        info = json.loads(self.file.readline().split(b" ", 1)[1])
        context = ssl.create_default_context(cafile=str(engine.authority.path))
        # Nothing of TLS is in the buffer: the server waits for the client's first words.
        self.socket = context.wrap_socket(raw, server_hostname="localhost")
        self.file = self.socket.makefile("rb")
        self.inbox, self.count = inbox, 0
        self.send("CONNECT " + json.dumps({
            "verbose": False, "pedantic": False, "tls_required": True, "jwt": jwt,
            "sig": base64url(key.signature(info["nonce"].encode())), "lang": "test",
            "version": "1", "protocol": 1, "headers": True, "no_responders": True}))
        self.send("PING")
        answer = self.file.readline()
        if not answer.startswith(b"PONG"):
            raise PermissionError(answer.decode())
        self.send(f"SUB {self.inbox}.* 1")

    def send(self, line, payload=None):
        data = line.encode() + b"\r\n"
        if payload is not None:
            data += payload + b"\r\n"
        self.socket.sendall(data)

    def publish(self, subject, payload, reply="", headers=None):
        if headers:
            head = b"NATS/1.0\r\n" + b"".join(
                f"{name}: {value}\r\n".encode() for name, value in headers.items()) + b"\r\n"
            self.send(
                f"HPUB {subject} {reply} {len(head)} {len(head) + len(payload)}", head + payload)
        else:
            self.send(f"PUB {subject} {reply} {len(payload)}", payload)

    def read(self):
        """(subject, headers, payload) of the next message; None at the end of the connection."""
        while True:
            line = self.file.readline()
            if not line:
                return None
            words = line.decode().split()
            if words[0] == "PING":
                self.send("PONG")
            elif words[0] == "-ERR":
                raise PermissionError(line.decode())
            elif words[0] in ("MSG", "HMSG"):
                size = int(words[-1])
                body = self.file.read(size + 2)[:-2]
                head = int(words[-2]) if words[0] == "HMSG" else 0
                return words[1], body[:head].decode(), body[head:]

    def request(self, subject, payload=b"", headers=None):
        self.count += 1
        reply = f"{self.inbox}.{self.count}"
        self.publish(subject, payload, reply, headers)
        while True:
            subject, head, body = self.read()
            if subject == reply:
                return head, body

    def call(self, method, /, **parameters):
        answer = json.loads(self.request(f"$JS.API.{method}", json.dumps(parameters).encode())[1])
        if "error" in answer:
            raise LookupError(answer["error"])
        return answer

    def store(self, subject, payload, **headers):
        answer = json.loads(self.request(subject, payload, {
            name.replace("_", "-"): value for name, value in headers.items()})[1])
        if "error" in answer:
            raise LookupError(answer["error"])
        return answer

    def last(self, stream, subject):
        """The payload of a subject's last message; None without one."""
        head, body = self.request(f"$JS.API.DIRECT.GET.{stream}.{subject}")
        return None if head.startswith("NATS/1.0 404") else body

    def messages(self, stream, subject=None):
        """All messages of a stream that are left: (subject, payload)."""
        found, sequence = [], 1
        while True:
            with contextlib.suppress(LookupError):
                message = self.call(
                    f"STREAM.MSG.GET.{stream}", seq=sequence, next_by_subj=subject or ">")[
                        "message"]
                found.append((message["subject"], base64.b64decode(message.get("data", ""))))
                sequence = message["seq"] + 1
                continue
            return found

    def close(self):
        self.socket.close()
