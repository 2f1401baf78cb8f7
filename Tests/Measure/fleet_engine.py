"""Three real nats-servers with TLS, tokens and a replicated JetStream, in a directory."""
import contextlib
import datetime
import ipaddress
import os
import pathlib
import signal
import subprocess
import time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from fleet_nats import Client, Failed
from fleet_nkeys import USER, NKey, Operator
from nats_engine import SIGNS_CERTIFICATES
from ports import free_port

DAY = datetime.timedelta(days=1)
# That servers find each other under: all on this machine, or each in a network of its own.
ADDRESSES = ["127.0.0.1", "10.77.1.1", "10.77.1.2", "10.77.1.3"]
MOST_PAYLOAD = 5 << 20  # a bundle is at most 4 MiB
TICKS = os.sysconf("SC_CLK_TCK")

STREAMS = {
    "DOCS": {"subjects": ["docs.>"], "max_msgs_per_subject": 5, "allow_direct": True,
             "deny_delete": True, "deny_purge": True},
    "STATUS": {"subjects": ["status.*"], "max_msgs_per_subject": 1},
    "REC": {"subjects": ["rec.*.*"], "max_msgs_per_subject": 2},
    "AUDIT": {"subjects": ["audit.*"], "max_age": 90 * 86_400 * 10**9,
              "duplicate_window": 3600 * 10**9},
}

CONFIGURATION = """
server_name: {name}
listen: "{host}:{port}"
max_payload: {payload}
ping_interval: "{ping}s"
write_deadline: "10s"
tls {{ cert_file: "{certificate}", key_file: "{key}", timeout: 10 }}
authorization {{ timeout: 15 }}
operator: "{operator}"
system_account: {system}
resolver {{ type: full, dir: "{place}/accounts", allow_delete: false, interval: "2m" }}
resolver_preload {{
{preload}
}}
jetstream {{ store_dir: "{store}", max_memory_store: 64MB, max_file_store: 8GB }}
cluster {{ name: engine, listen: "{cluster_host}:{cluster_port}", no_advertise: true,
  tls {{ cert_file: "{certificate}", key_file: "{key}", ca_file: "{ca}", verify: true }}
  routes: [{routes}] }}
log_file: "{place}/log"
"""


def certify(directory):
    """A certificate authority's and a server's certificate: ca.pem, server.pem, server.key.

    Valid since some days ago: machines whose clock is behind connect too."""
    now = datetime.datetime.now(datetime.UTC)

    def certificate(name, key, issuer, signer, *extensions):
        made = (x509.CertificateBuilder().subject_name(name).issuer_name(issuer)
                .public_key(key.public_key()).serial_number(x509.random_serial_number())
                .not_valid_before(now - 7 * DAY).not_valid_after(now + 90 * DAY)
                # Without these, strict verifiers refuse it.
                .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
                .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(
                    signer.public_key()), False))
        for extension in extensions:
            made = made.add_extension(extension, critical=name == issuer)
        return made.sign(signer, hashes.SHA256())

    def named(text):
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    authority, server = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    pem = serialization.Encoding.PEM
    for name, made in (
            ("ca.pem", certificate(
                named("Contoso"), authority, named("Contoso"), authority,
                x509.BasicConstraints(ca=True, path_length=None), SIGNS_CERTIFICATES)),
            ("server.pem", certificate(
                named("engine.test"), server, named("Contoso"), authority,
                x509.SubjectAlternativeName([x509.DNSName("engine.test"), *(
                    x509.IPAddress(ipaddress.ip_address(address)) for address in ADDRESSES)])))):
        (directory / name).write_bytes(made.public_bytes(pem))
    (directory / "server.key").write_bytes(server.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))


class Server:
    """One of them. `apart` is a command's beginning: into a name space of the network's."""

    def __init__(self, name, host, port, cluster, place, apart=()):
        self.name, self.host, self.port, self.cluster = name, host, port, cluster
        self.place, self.apart, self.store = place, apart, place / "store"
        self.process = None
        for directory in (place, place / "accounts", self.store):
            directory.mkdir(parents=True, exist_ok=True)

    def start(self):
        self.process = subprocess.Popen(
            [*self.apart, "nats-server", "-c", self.place / "server.conf"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self, how=signal.SIGKILL, seconds=10):
        """Whether it ended by itself in time."""
        if not self.process:
            return True
        self.process.send_signal(signal.SIGCONT)
        self.process.send_signal(how)
        try:
            self.process.wait(seconds)
            return True
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return False
        finally:
            self.process = None

    def resident(self):
        """In bytes."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) << 10
        return 0

    def processor(self):
        return processor_seconds(self.process.pid)


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Engine:
    def __init__(self, place, count=3, ping=60, network=None):
        self.place, self.ping = place, ping
        self.operator, self.key = Operator(), NKey(USER)
        self.token = self.operator.user(self.key, "administrator")
        certify(place)
        (place / "operator.jwt").write_text(self.operator.token)
        self.servers = []
        for number in range(1, count + 1):
            addresses = network.addresses(number) if network else {
                "host": "127.0.0.1", "port": free_port(),
                "cluster": ("127.0.0.1", free_port())}
            self.servers.append(Server(f"s{number}", place=place / f"s{number}", **addresses))
        for server in self.servers:
            self.configure(server)

    def configure(self, server):
        routes = ", ".join(
            f'"tls://{other.cluster[0]}:{other.cluster[1]}"'
            for other in self.servers if other is not server)
        (server.place / "server.conf").write_text(CONFIGURATION.format(
            name=server.name, host=server.host, port=server.port, payload=MOST_PAYLOAD,
            ping=self.ping, certificate=self.place / "server.pem", key=self.place / "server.key",
            ca=self.place / "ca.pem", operator=self.place / "operator.jwt",
            system=self.operator.system.text, place=server.place, store=server.store,
            preload="\n".join(
                f"  {account}: {token}" for account, token in self.operator.tokens.items()),
            cluster_host=server.cluster[0], cluster_port=server.cluster[1], routes=routes))

    def start(self):
        for server in self.servers:
            server.start()

    def close(self):
        for server in self.servers:
            server.kill()

    def client(self, *servers, timeout=5.0):
        """The administrator's, to the first server that answers."""
        error = None
        for server in servers or self.servers:
            if not server.process:
                continue
            try:
                return Client(
                    (server.host, server.port), self.place / "ca.pem", self.key, self.token,
                    timeout=timeout)
            except Failed as failure:
                error = failure
        raise Failed(f"no server: {error}")

    def make_streams(self, seconds=60):
        """Once the servers have found each other."""
        for name, configuration in STREAMS.items():
            self.patiently(lambda client, name=name, configuration=configuration: client.api(
                f"STREAM.CREATE.{name}", name=name, num_replicas=len(self.servers),
                storage="file", **configuration), seconds)

    def patiently(self, action, seconds=60, timeout=5.0):
        """The action's result, tried with one connection after the other."""
        end = time.monotonic() + seconds
        while True:
            try:
                with contextlib.closing(self.client(timeout=timeout)) as client:
                    return action(client)
            except Failed:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)

    def stream(self, name="DOCS"):
        return self.patiently(lambda client: client.api(f"STREAM.INFO.{name}"))

    def leader(self, name="DOCS"):
        """Waits for one."""
        while True:
            found = self.stream(name)["cluster"].get("leader")
            for server in self.servers:
                if server.name == found:
                    return server
            time.sleep(0.2)

    # Figures

    def resident(self):
        return sum(server.resident() for server in self.servers if server.process)

    def processor(self):
        return sum(server.processor() for server in self.servers if server.process)

    def disk(self):
        """What the stores take, in bytes."""
        return sum(
            path.stat().st_blocks * 512 for server in self.servers
            for path in server.store.rglob("*") if path.is_file())
