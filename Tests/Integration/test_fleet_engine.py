"""The engine's keys and settings, with real nats-servers and a client that is not ours."""
import asyncio
import base64
import datetime
import itertools
import json
import pathlib
import unittest

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from carrier import Organization, Servers, eventually, machine_request, run, with_clients
from workspace import NO, NOT_FOUND, REFUSED, USAGE, Workspace

NEEDS = ("nats-py==2.9.0", "nats-server", "python3-cryptography")


def certificates(path):
    """Of a PEM file."""
    end = "-----END CERTIFICATE-----\n"
    return [x509.load_pem_x509_certificate((one + end).encode())
            for one in path.read_text().split(end)[:-1]]


def in_utc(certificate, name):
    """Debian 12's module has local times only, which are of UTC; later ones have both."""
    found = getattr(certificate, f"{name}_utc", None)
    return found or getattr(certificate, name).replace(tzinfo=datetime.UTC)


def is_issued(certificate, authority):
    try:
        authority.public_key().verify(
            certificate.signature, certificate.tbs_certificate_bytes, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return False
    return certificate.issuer == authority.subject


async def refusal(servers, **who):
    """Why the server lets somebody not in; None if it does."""
    try:
        client, _ = await servers.connect(**who)
    except Exception as error:  # the client has a type for each
        return str(error) or repr(error)
    await client.close()
    return None


async def attempt(client, errors, kind, subject):
    """The server's word on a subscription or a message; None: it allows it."""
    errors.clear()
    await (client.subscribe(subject) if kind == "sub" else client.publish(subject, b"x"))
    # The first may overtake what it flushes; its answer comes after the errors of all before.
    for _ in range(2):
        await client.flush()
    return errors[0] if errors else None


@with_clients
class Engine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workspace = Workspace()
        cls.addClassCleanup(cls.workspace.close)
        cls.organization = Organization(cls.workspace)
        cls.servers = Servers(cls.organization)
        cls.addClassCleanup(cls.servers.close)
        cls.engine = cls.organization.path / "engine"

    def admitted(self):
        """A machine that is let in: its id, and what it connects with."""
        invitation = self.organization.code()["invitation"]
        key, request = machine_request(self.organization.id, invitation)
        requests = self.organization.path / "reports" / "enrolment"
        requests.mkdir(parents=True, exist_ok=True)
        (requests / f"{invitation}.json").write_bytes(request)
        self.organization.json("admit", invitation, "--yes")
        jwt = self.organization.file(f"invited/{invitation}.json")["jwt"]
        return key.id, {"jwt": jwt, "seed": key.transport_seed, "inbox": key.id}

    async def update_account(self):
        """As `mamfleet push` does."""
        client, _ = await self.servers.connect(creds=self.engine / "system.creds")
        answer = await client.request(
            "$SYS.REQ.CLAIMS.UPDATE", (self.engine / "account.jwt").read_bytes(), timeout=60)
        await client.close()
        self.assertEqual(json.loads(answer.data)["data"]["code"], 200)

    async def streams(self):
        from nats.js.api import StreamConfig

        client, _ = await self.servers.connect(creds=self.engine / "admin.creds")
        stream = client.jetstream()
        await stream.add_stream(StreamConfig(
            name="DOCS", subjects=["docs.>"], max_msgs_per_subject=5, deny_delete=True,
            deny_purge=True, allow_direct=True))
        await stream.add_stream(StreamConfig(
            name="INVITED", subjects=["invited.*"], max_msgs_per_subject=1, allow_direct=True))
        return client, stream

    def test_strangers_stay_outside(self):
        async def check():
            self.assertIsNone(await refusal(self.servers, creds=self.engine / "admin.creds"))
            self.assertIn("Authorization", await refusal(self.servers))
            _, who = self.admitted()
            self.assertIsNone(await refusal(self.servers, **who))
            _, other = self.admitted()
            # Another's token, and one that an account of one's own has signed.
            self.assertIn(
                "Authorization", await refusal(self.servers, **{**who, "jwt": other["jwt"]}))
            stranger = Organization(self.workspace, "stranger")
            stranger.json("engine", "init", "--server", "localhost")
            self.assertIn("Authorization", await refusal(
                self.servers, creds=stranger.path / "engine" / "admin.creds"))
            # And a client takes no server that another organisation vouches for.
            self.assertIn("certificate verify failed", await refusal(
                self.servers, **who, authority=stranger.path / "engine" / "ca.pem"))
        run(check())

    def test_each_may_do_what_is_its_own(self):
        async def check():
            admin, stream = await self.streams()
            machine, who = self.admitted()
            other, _ = self.admitted()
            for subject in ("docs.all", f"docs.m.{machine}", f"docs.m.{other}", "docs.g.a=b"):
                await stream.publish(subject, subject.encode())
            client, errors = await self.servers.connect(**who)
            for subject in ("docs.all", f"docs.m.{machine}", "docs.g.a=b"):
                found = await client.request(
                    f"$JS.API.DIRECT.GET.DOCS.{subject}", b"", timeout=60)
                self.assertEqual(found.data, subject.encode())
            allowed = [
                ("sub", "docs.all"), ("sub", f"docs.m.{machine}"), ("sub", "docs.g.*"),
                ("sub", "docs.time"), ("sub", f"_INBOX.{machine}.>"), ("pub", f"status.{machine}"),
                ("pub", f"rec.{machine}.{'a1' * 16}"), ("pub", f"audit.{machine}")]
            refused = [
                ("sub", f"docs.m.{other}"), ("sub", "docs.m.*"), ("sub", "docs.>"), ("sub", ">"),
                ("sub", "status.*"), ("sub", f"status.{machine}"), ("sub", "rec.>"),
                ("sub", f"_INBOX.{other}.>"), ("sub", "_INBOX.>"), ("sub", "invited.*"),
                ("pub", "docs.all"), ("pub", f"docs.m.{machine}"), ("pub", f"status.{other}"),
                ("pub", f"audit.{other}"), ("pub", f"rec.{other}.a"), ("pub", "enrol.a"),
                ("pub", f"$JS.API.DIRECT.GET.DOCS.docs.m.{other}"),
                ("pub", "$JS.API.DIRECT.GET.DOCS"), ("pub", "$JS.API.STREAM.MSG.GET.DOCS"),
                ("pub", "$JS.API.CONSUMER.CREATE.DOCS"), ("pub", "$JS.API.STREAM.DELETE.DOCS"),
                ("pub", "$SYS.REQ.CLAIMS.UPDATE")]
            for words in allowed:
                self.assertIsNone(await attempt(client, errors, *words), words)
            for words in refused:
                found = await attempt(client, errors, *words)
                self.assertIn("permissions violation", str(found), words)
            await client.close()
            # Whoever holds a code asks, and reads the answer, and no more.
            code = self.organization.code()
            invitation = code["invitation"]
            await stream.publish(f"invited.{invitation}", b"welcome")
            client, errors = await self.servers.connect(
                jwt=code["jwt"], seed=code["seed"], inbox=invitation)
            found = await client.request(
                f"$JS.API.DIRECT.GET.INVITED.invited.{invitation}", b"", timeout=60)
            self.assertEqual(found.data, b"welcome")
            for words in (("pub", f"enrol.{invitation}"), ("sub", f"invited.{invitation}")):
                self.assertIsNone(await attempt(client, errors, *words), words)
            for words in (("pub", f"enrol.{'0' * 32}"), ("sub", "invited.*"), ("sub", "docs.all"),
                          ("pub", f"status.{invitation}"), ("sub", f"docs.m.{machine}")):
                found = await attempt(client, errors, *words)
                self.assertIn("permissions violation", str(found), words)
            await client.close()
            await admin.close()
        run(check())

    def test_the_largest_bundle_fits(self):
        async def check():
            client, _ = await self.servers.connect(creds=self.engine / "admin.creds")
            await client.publish("x", b"x" * (4 << 20), headers={"Nats-Msg-Id": "y" * 100})
            await client.flush()
            self.assertTrue(client.is_connected)
            await client.close()
        run(check())

    def test_revoked_is_out_and_stays_out(self):
        async def check():
            machine, who = self.admitted()
            _, other = self.admitted()
            client, _ = await self.servers.connect(**who)
            code = self.organization.code()
            told = self.organization.json(
                "revoke", machine, code["invitation"], "--reason", "lost", "--yes")
            self.assertEqual(told["machines"], [machine])
            entry = self.organization.file(f"machines/{machine}.json")
            self.assertEqual(entry["reason"], "lost")
            self.assertIsNotNone(entry["revoked"])
            await self.update_account()
            self.assertTrue(await eventually(lambda: asyncio.sleep(0, client.is_closed)))
            gone = {"jwt": code["jwt"], "seed": code["seed"], "inbox": code["invitation"]}
            for _ in range(2):
                self.assertIn("Authorization", await refusal(self.servers, **who))
                self.assertIn("Authorization", await refusal(self.servers, **gone))
                self.assertIsNone(await refusal(self.servers, **other))
                # The token that the settings have is older than the one that was sent.
                (port,) = self.servers.ports
                self.servers.stop(port)
                self.servers.start(port)
        run(check())

    def test_who_was_revoked_is_let_in_again_with_the_same_token(self):
        async def check():
            machine, who = self.admitted()
            _, other = self.admitted()
            self.organization.json("revoke", machine, "--yes")
            await self.update_account()
            self.assertIn("Authorization", await refusal(self.servers, **who))
            entry = self.organization.json("readmit", machine, "--yes")
            self.assertIsNone(entry["revoked"])
            self.assertEqual(self.organization.file(f"machines/{machine}.json"), entry)
            await self.update_account()
            self.assertIsNone(await refusal(self.servers, **who))
            self.assertIn("not revoked", self.organization.error(
                "readmit", machine, "--yes", status=REFUSED))
            # And out again, also within the same second.
            self.organization.json("revoke", machine, "--yes")
            await self.update_account()
            self.assertIn("Authorization", await refusal(self.servers, **who))
            self.assertIsNone(await refusal(self.servers, **other))
        run(check())

    def test_an_invitation_expires(self):
        code = self.organization.code("--expires", "1")
        claims = json.loads(base64.urlsafe_b64decode(code["jwt"].split(".")[1] + "=="))
        self.assertEqual(claims["exp"] - claims["iat"], 86_400)
        self.organization.error("invite", "-o", "x", "--expires", "91", status=USAGE)

    def test_secrets_are_the_owners_alone(self):
        for path in [self.engine, *self.engine.rglob("*")]:
            mode = path.stat().st_mode & 0o777
            if path.suffix in (".nk", ".creds", ".key"):
                self.assertEqual(mode, 0o600, path)
        self.assertEqual(self.engine.stat().st_mode & 0o777, 0o700)
        seed = self.engine / "account.nk"
        seed.chmod(0o640)
        self.addCleanup(seed.chmod, 0o600)
        self.assertIn("others may read", self.organization.error(
            "invite", "-o", self.workspace.root / "none", status=REFUSED))
        self.assertFalse((self.workspace.root / "none").exists())

    def test_keys_are_made_once(self):
        before = (self.engine / "operator.nk").read_bytes()
        self.assertIn("exists", self.organization.error(
            "engine", "init", "--server", "a", status=NO))
        self.assertEqual((self.engine / "operator.nk").read_bytes(), before)

    def test_certificates_are_renewed(self):
        (port,) = self.servers.ports
        files = self.engine / "servers" / f"localhost-{port}"
        names = ("server.pem", "server.key", "ca.pem", "operator.jwt")
        before = [(files / name).read_bytes() for name in names]
        self.organization.json(
            "engine", "renew", "--server-directory", "/DIRECTORY", "--store", "/STORE")
        after = [(files / name).read_bytes() for name in names]
        self.assertEqual([one == two for one, two in zip(before, after)],
                         [False, False, True, True])
        self.servers.stop(port)
        self.servers.install(port)
        self.servers.start(port)
        self.assertIsNone(
            run(refusal(self.servers, creds=self.engine / "admin.creds")))

    def test_certificates_end_one_by_one(self):
        other = Organization(self.workspace, "ends")
        names = [word for host in "abc" for word in ("--server", f"{host}.contoso.com")]
        told = other.json("engine", "init", *names)["servers"]
        made = [certificates(pathlib.Path(one["files"]) / "server.pem")[0] for one in told]
        ends = [in_utc(one, "not_valid_after") for one in made]
        self.assertEqual(
            [f"{end:%Y-%m-%dT%H:%M:%SZ}" for end in ends], [one["ends"] for one in told])
        for first, second in itertools.pairwise(ends):
            self.assertGreater(first - second, datetime.timedelta(days=7))
        # Machines' clocks may be behind by two days.
        (authority,) = certificates(other.path / "engine/ca.pem")
        soon = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=2)
        for one in (*made, authority):
            self.assertLess(in_utc(one, "not_valid_before"), soon)

    def test_an_authority_is_replaced_in_two_steps(self):
        other = Organization(self.workspace, "next")
        other.json("engine", "init", "--server", "localhost")
        engine = other.path / "engine"

        def renew(step, **options):
            return other.json("engine", "renew", "--authority", step, **options)

        def found(name):
            return certificates(engine / name)

        (former,) = found("ca.pem")
        self.assertIn("no next authority", renew("use", status=NOT_FOUND)["error"]["message"])
        other.error("engine", "renew", "--authority", "later", status=USAGE)
        renew("new")
        self.assertIn("already exists", renew("new", status=NO)["error"]["message"])
        following, link = found("next-ca.pem")
        self.assertEqual(found("ca.pem"), [former, following])
        # "New with old": the former authority has signed the next one's key.
        self.assertTrue(is_issued(link, former))
        self.assertTrue(is_issued(following, following))
        self.assertEqual(
            link.public_key().public_numbers(), following.public_key().public_numbers())
        server = "servers/localhost-4222"
        self.assertTrue(is_issued(found(f"{server}/server.pem")[0], former))
        self.assertEqual(found(f"{server}/ca.pem"), [former, following])
        renew("use")
        self.assertEqual(found("ca.pem"), [following, former])
        self.assertTrue(is_issued(found(f"{server}/server.pem")[0], following))
        self.assertEqual(other.code()["ca"], base64.b64encode(
            following.public_bytes(serialization.Encoding.DER)).decode())
        self.assertFalse((engine / "next-ca.key").exists())
        for name in ("ca.key", "operator.nk"):
            self.assertEqual((engine / name).stat().st_mode & 0o777, 0o600)

    def test_what_is_no_server_is_refused(self):
        other = Organization(self.workspace, "other")
        for words in (["a b"], ["a:0"], ["a:99999"], ["a:1:2"], ['a"b'], ["[::1"], ["a/b"],
                      ["a", "--server", "a"], ["a", "--replicas", "3"],
                      ["a", "--https", "http://a"], ["a", "--store", "relative"],
                      ["a", "--store", '/a"b']):
            self.organization.error("engine", "renew", "--server", *words, status=USAGE)
            other.error("engine", "init", "--server", *words, status=USAGE)
        self.assertFalse((other.path / "engine").exists())
        other.error("invite", "-o", "x", status=NOT_FOUND)
        # No death of one leaves more than half of them.
        for count in (2, 4, 6):
            names = [word for host in "abcdef"[:count] for word in ("--server", host)]
            self.assertIn(f"{count} servers: name one, three or five", other.error(
                "engine", "init", *names, status=USAGE))
        self.assertFalse((other.path / "engine").exists())
        made = other.json("engine", "init", "--server", "[::1]:4333", "--server", "127.0.0.1",
                          "--server", "c", "--https", "https://files.contoso.com/mamd")
        self.assertEqual(
            made["settings"]["servers"], ["[::1]:4333", "127.0.0.1:4222", "c:4222"])
        code = other.code()
        self.assertEqual(code["https"], "https://files.contoso.com/mamd")
        self.assertEqual(code["organization"], other.fingerprint)


@with_clients
class Cluster(unittest.TestCase):
    def test_three_servers_survive_one(self):
        workspace = Workspace()
        self.addCleanup(workspace.close)
        organization = Organization(workspace)
        servers = Servers(organization, 3)
        self.addCleanup(servers.close)
        creds = organization.path / "engine" / "admin.creds"

        async def made():
            from nats.js.api import StreamConfig

            client, _ = await servers.connect(creds=creds)
            stream = client.jetstream()

            async def have_found_each_other():
                return await stream.add_stream(StreamConfig(
                    name="DOCS", subjects=["docs.>"], num_replicas=3, allow_direct=True))

            self.assertTrue(await eventually(have_found_each_other))
            await stream.publish("docs.all", b"kept", timeout=60)
            await client.close()

        async def kept(port):
            client, _ = await servers.connect(creds=creds, port=port)

            async def has_it():
                found = await client.request(
                    "$JS.API.DIRECT.GET.DOCS.docs.all", b"", timeout=5)
                return found.data == b"kept"

            self.assertTrue(await eventually(has_it), "the message is gone")
            await client.close()

        run(made())
        servers.stop(servers.ports[0])
        run(kept(servers.ports[1]))
        run(kept(servers.ports[2]))


if __name__ == "__main__":
    unittest.main()
