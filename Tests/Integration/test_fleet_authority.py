"""A machine follows its servers from one authority of their certificates to the next."""
import json
import subprocess
import unittest

from carrier import POLICY, Organization, Servers, eventually, run, with_clients
from fleet_service import Service
from nats_engine import Authority
from workspace import DONE, Workspace, wait_until

PLACES = ("--server-directory", "/DIRECTORY", "--store", "/STORE")


@with_clients
class NextAuthority(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        self.workspace.init().mount()
        self.organization = Organization(self.workspace)
        self.servers = Servers(self.organization)
        self.addCleanup(self.servers.close)
        policy = self.workspace.root / "level2.json"
        policy.write_text(json.dumps(POLICY))
        (self.organization.path / "signed").mkdir()
        self.organization.json(
            "sign", policy, "--root", self.organization.root, "--key",
            self.organization.keys["ann"], "--kind", "policy", "--audience", "all", "-o",
            self.organization.path / "signed" / "level2.json")
        self.mamfleet("push", self.organization.path)
        self.service = Service(self.workspace)
        self.addCleanup(self.service.kill)

    def mamfleet(self, *words, **options):
        done = subprocess.run(
            ["mamfleet", *words], capture_output=True, text=True, timeout=120,
            env=self.workspace.environment, **options)
        self.assertEqual(done.returncode, DONE, done.stdout + done.stderr)

    def enrol(self):
        code = self.organization.fleet("invite").stdout
        self.mamfleet(
            "join", "-", "--workspace", self.workspace.name, "--wait", "1", input=code)
        self.mamfleet("pull", self.organization.path)
        self.organization.json("admit", "--key", self.organization.keys["ann"], "--yes")
        self.mamfleet("push", self.organization.path)
        self.service.start()
        self.await_connected(1)

    def await_connected(self, count):
        wait_until(lambda: self.service.text.count("connected as machine") >= count)

    def renew(self, *words):
        """As on the server: its new files, and a restart."""
        self.organization.json("engine", "renew", *PLACES, *words)
        (port,) = self.servers.ports
        self.servers.stop(port)
        self.servers.install(port)
        self.servers.start(port)

    def believed(self):
        return json.loads(
            (self.service.state / "enrolment.json").read_text())["authority"].count("BEGIN")

    def test_a_machine_follows_its_servers(self):
        self.enrol()
        self.assertEqual(self.believed(), 1)
        self.renew("--authority", "new")
        self.mamfleet("push", self.organization.path)
        wait_until(lambda: "the servers' next authority is known" in self.service.text)
        self.assertEqual(self.believed(), 2)
        count = self.service.text.count("connected as machine")
        self.renew("--authority", "use")
        self.await_connected(count + 1)
        self.assertNotIn("certificate verify failed", self.service.text)

    def test_one_that_was_away_is_not_let_down_silently(self):
        self.enrol()
        self.service.kill()
        self.renew("--authority", "new")
        self.renew("--authority", "use")
        self.service.start()
        wait_until(lambda: "certificate is not trusted" in self.service.text)

    def test_a_made_up_authority_is_not_believed(self):
        self.enrol()
        pem = Authority(self.workspace.root).path.read_bytes()

        async def publish():
            client, _ = await self.servers.connect(
                creds=self.organization.path / "engine" / "admin.creds")

            async def is_stored():
                answer = await client.request("docs.g.=authority", pem + pem, timeout=10)
                return b"seq" in answer.data
            self.assertTrue(await eventually(is_stored))
            await client.close()

        run(publish())
        wait_until(lambda: "not signed by the one in use" in self.service.text)
        self.assertEqual(self.believed(), 1)


if __name__ == "__main__":
    unittest.main()
