"""An organisation's directory with its keys, and its servers: real nats-servers with TLS, and a
client that is not ours."""
import asyncio
import base64
import contextlib
import json
import logging
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
import unittest

from ports import free_port
from signing import Key, rfc3339
from workspace import ROOT

NEEDS = ("nats-server", "nats-py==2.9.0", "nkeys==0.2.1", "python3-nacl", "python3-cryptography")

CLIENTS = ROOT / ".build" / "python"
sys.path.append(str(CLIENTS))
logging.getLogger("asyncio").setLevel(logging.ERROR)

with_clients = unittest.skipUnless(
    (CLIENTS / "nats").is_dir() and shutil.which("nats-server"),
    "nats-server and PyPI's nats-py are not installed: scripts/setup --tests")

NAMES = ("ann", "bob", "server")
POLICY = {
    "@odata.type": "#microsoft.graph.iosManagedAppProtection", "displayName": "Level 2",
    "pinRequired": True}
EVERYONE = {"@odata.type": "#microsoft.graph.allLicensedUsersAssignmentTarget"}


def group_target(group, excluded=False):
    kind = "exclusionGroupAssignmentTarget" if excluded else "groupAssignmentTarget"
    return {"@odata.type": f"#microsoft.graph.{kind}", "groupId": group}


# Where a server's port for its cluster is, from that for clients.
CLUSTER = 2000


class Organization:
    """Ann has all roles; Bob is the second order key."""

    def __init__(self, workspace, name="org"):
        self.workspace, self.path = workspace, workspace.root / name
        self.path.mkdir()
        self.keys, self.public = {}, {}
        for key in NAMES:
            self.keys[key] = workspace.root / f"{name}-{key}.key"
            made = json.loads(workspace.ctl(
                "fleet", "keygen", "-o", self.keys[key], "--no-passphrase", "--json").stdout)
            self.public[key] = made["publicKey"]
        self.root = self.path / "root.json"
        made = self.json(
            "init", "-o", self.root, "--name", "Contoso", "--root", self.public["ann"],
            "--policy", self.public["ann"], "--order", self.public["ann"],
            "--order", self.public["bob"], "--time", self.public["server"])
        self.id, self.fingerprint = made["organization"], made["fingerprint"]
        self.json("cosign", self.root, "--key", self.keys["ann"], "--yes")

    def fleet(self, *words, environment=None, **options):
        return self.workspace.ctl(
            "fleet", *words,
            environment={**(environment or self.workspace.environment),
                         "MAMCTL_ORGANIZATION": str(self.path)}, **options)

    def json(self, *words, **options):
        return json.loads(self.fleet(*words, "--json", **options).stdout)

    def error(self, *words, status, **options):
        return self.json(*words, status=status, **options)["error"]["message"]

    def code(self, *words):
        """What a one-time code says."""
        text = self.fleet("invite", *words).stdout.strip()
        assert text.startswith("mamd1:"), text
        digits = text.removeprefix("mamd1:")
        return json.loads(base64.urlsafe_b64decode(digits + "=" * (-len(digits) % 4)))

    def file(self, name):
        return json.loads((self.path / name).read_text())


class Servers:
    """The servers of an organisation's engine, from the files that were made for them."""

    def __init__(self, organization, count=1):
        self.organization, self.processes = organization, {}
        self.base = organization.workspace.root / f"{organization.path.name}-servers"
        self.ports = [free_port(CLUSTER) for _ in range(count)]
        names = [word for port in self.ports for word in ("--server", f"localhost:{port}")]
        # Each server's directory has its own name, as if all were mounted there.
        organization.json(
            "engine", "init", *names, "--server-directory", "/DIRECTORY", "--store", "/STORE")
        for port in self.ports:
            self.install(port)
            self.start(port)

    def install(self, port):
        """As on a machine of its own."""
        place = self.base / str(port)
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(
            self.organization.path / "engine" / "servers" / f"localhost-{port}", place)
        settings = place / "nats-server.conf"
        settings.write_text(
            settings.read_text().replace(f"/DIRECTORY/localhost-{port}", str(place))
            .replace(f"/STORE/localhost-{port}", str(self.base / f"{port}-store")))

    def start(self, port):
        log = open(self.base / f"{port}.log", "ab")
        self.processes[port] = subprocess.Popen(
            ["nats-server", "-c", self.base / str(port) / "nats-server.conf"], stdout=log,
            stderr=log)
        end = time.monotonic() + 90
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                if time.monotonic() > end or self.processes[port].poll() is not None:
                    raise AssertionError((self.base / f"{port}.log").read_text()) from None
                time.sleep(0.05)

    def stop(self, port, number=signal.SIGTERM):
        self.processes[port].send_signal(number)
        self.processes.pop(port).wait(90)

    def close(self):
        for port in list(self.processes):
            self.stop(port)

    async def connect(self, jwt=None, seed=None, creds=None, inbox=None, authority=None, port=None):
        """A client, and the list of the errors that the server tells it."""
        import nats

        context = ssl.create_default_context(
            cafile=authority or self.organization.path / "engine" / "ca.pem")
        errors = []

        async def note(error):
            errors.append(str(error))

        options = {}
        if creds:
            options["user_credentials"] = str(creds)
        elif jwt:
            import nkeys

            options["user_jwt_cb"] = lambda: jwt.encode()
            options["signature_cb"] = lambda nonce: base64.b64encode(
                nkeys.from_seed(bytearray(seed.encode())).sign(nonce.encode()))
        if inbox:
            options["inbox_prefix"] = f"_INBOX.{inbox}".encode()
        client = await nats.connect(
            f"tls://localhost:{port or self.ports[0]}", tls=context, connect_timeout=60,
            allow_reconnect=False, error_cb=note, **options)
        return client, errors


def machine_request(organization, invitation, host="ann-laptop", key=None, transport=None,
                    says=None, tamper=False):
    """A machine's request for enrolment, signed without mamd's own code: its key, and the bytes."""
    import nkeys

    key = key or Key()
    if transport is None:
        seed = nkeys.encode_seed(os.urandom(32), nkeys.PREFIX_BYTE_USER)
        transport = nkeys.from_seed(bytearray(seed)).public_key.decode()
        key.transport_seed = seed.decode()
    payload = json.dumps({
        "organization": organization, "machine": key.id, "issued": rfc3339(time.time()),
        "sequence": 1, "invitation": says or invitation, "transportKey": transport,
        "publicKey": base64.b64encode(key.public).decode(), "host": host}).encode()
    kind = "application/vnd.mamd.enrolment+json"
    message = f"DSSEv1 {len(kind)} {kind} {len(payload)} ".encode() + payload
    signature = key.sign(message)
    if tamper:
        payload = payload.replace(host.encode(), host.upper().encode())
    return key, json.dumps({
        "payloadType": kind, "payload": base64.b64encode(payload).decode(),
        "signatures": [signature]}).encode()


async def eventually(condition, seconds=90):
    """Whether it came true; what it raises counts as not yet."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(Exception):  # the client has a type for each
            if await condition():
                return True
        await asyncio.sleep(0.1)
    return False


def run(coroutine):
    """With an end."""
    return asyncio.run(asyncio.wait_for(coroutine, 180))
