"""The administrator's side while servers of three die: push and pull do all of it, or say so."""
import base64
import json
import os
import random
import signal
import subprocess
import time
import unittest

from carrier import POLICY, Organization, Servers, eventually, machine_request, run, with_clients
from workspace import DONE, UNREACHABLE, Workspace

GROUPS = 200
# mamfleet's own deadlines, four times: 20 s for each step.
PATIENCE = 80
# It only ends a hang.
HANG = 600


@with_clients
class Failover(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        self.organization = Organization(self.workspace)
        self.servers = Servers(self.organization, 3)
        self.addCleanup(self.servers.close)
        self.level = 0
        self.sign()
        self.assertTrue(run(eventually(self.is_pushed)), "the servers have not found each other")

    async def is_pushed(self):
        return self.mamfleet("push").returncode == DONE

    # What is pushed

    def sign(self, audience="all", length=0):
        """A policy that no push has had."""
        self.level += 1
        file = self.workspace.root / "level.json"
        file.write_text(json.dumps({
            **POLICY, "maximumPinRetries": self.level, "description": "x" * length}))
        signed = self.organization.path / "signed"
        signed.mkdir(exist_ok=True)
        name = audience.replace(":", "-")
        self.organization.json(
            "sign", file, "--root", self.organization.root, "--key", self.organization.keys["ann"],
            "--kind", "policy", "--audience", audience, "--name", f"{name}.json", "-o",
            signed / f"{name}.json", "--force")

    def mamfleet(self, verb):
        return subprocess.run(
            ["mamfleet", verb, self.organization.path, "--json"], capture_output=True, text=True,
            timeout=HANG, env=self.workspace.environment)

    def done(self, verb):
        start = time.monotonic()
        told = self.mamfleet(verb)
        self.assertEqual(told.returncode, DONE, told.stdout + told.stderr)
        print(f"{verb}: {time.monotonic() - start:.1f} s")
        return json.loads(told.stdout)

    def push(self):
        told = self.done("push")
        self.assertEqual(told["published"], ["docs.all"])
        self.assertTrue(self.has_level(), "what was published is not there")

    # What the servers have

    def ask(self, question):
        """Of whichever server is there."""
        async def asked():
            client, _ = await self.servers.connect(
                creds=self.organization.path / "engine" / "admin.creds",
                port=next(iter(self.servers.processes)))
            try:
                return await question(client)
            finally:
                await client.close()
        return run(asked())

    async def request(self, client, method, **parameters):
        found = json.loads((await client.request(
            f"$JS.API.{method}", json.dumps(parameters).encode(), timeout=5)).data)
        if "error" in found:
            raise LookupError(found["error"])
        return found

    def port_of(self, leader):
        (port,) = [port for port in self.servers.ports if leader.endswith(f"-{port}")]
        return port

    def leader(self):
        async def question(client):
            return (await self.request(client, "STREAM.INFO.DOCS"))["cluster"]["leader"]
        return self.port_of(self.ask(question))

    def newest(self, subject):
        async def question(client):
            found = []

            async def has_answer():
                found.append((await self.request(
                    client, "STREAM.MSG.GET.DOCS", last_by_subj=subject))["message"])
                return True
            assert await eventually(has_answer)
            return found[-1]
        return self.ask(question)

    def has_level(self):
        bundle = json.loads(base64.b64decode(self.newest("docs.all")["data"]))
        return any(
            json.loads(base64.b64decode(document["content"])).get("maximumPinRetries")
            == self.level for document in bundle)

    def restore(self, *ports):
        """All replicas have everything again."""
        for port in ports:
            self.servers.start(port)

        async def question(client):
            async def is_whole():
                for stream in ("DOCS", "INVITED", "ENROL"):
                    cluster = (await self.request(client, f"STREAM.INFO.{stream}"))["cluster"]
                    others = cluster.get("replicas", [])
                    if len(others) != 2 or not all(
                            one["current"] and not one.get("offline") for one in others):
                        return False
                return True
            return await eventually(is_whole)
        self.assertTrue(self.ask(question))

    def report(self):
        """A machine asks to be let in."""
        invitation = os.urandom(16).hex()
        _, request = machine_request(self.organization.id, invitation)

        async def question(client):
            async def is_stored():
                answer = json.loads((await client.request(
                    f"enrol.{invitation}", request, timeout=5,
                    headers={"Nats-Msg-Id": invitation})).data)
                return "seq" in answer
            return await eventually(is_stored)
        self.assertTrue(self.ask(question))
        return self.organization.path / "reports" / "enrolment" / f"{invitation}.json"

    # Tests

    def test_each_server_may_die(self):
        seconds = []
        for port in self.servers.ports:
            with self.subTest(port):
                arrived = self.report()
                self.servers.stop(port, signal.SIGKILL)
                self.sign()
                start = time.monotonic()
                self.push()
                seconds.append(time.monotonic() - start)
                self.done("pull")
                self.assertTrue(arrived.exists())
                # Long after it died, too: nothing must be placed on it.
                for _ in range(4):
                    self.sign()
                    self.push()
                    arrived = self.report()
                    self.done("pull")
                    self.assertTrue(arrived.exists())
                self.restore(port)
        # Others may be at work here: one of the three shows it.
        self.assertLessEqual(min(seconds), 10)

    def test_the_leader_dies_while_a_push_runs(self):
        for number in range(GROUPS):
            self.sign(f"group:g{number}", length=50_000)
        push = subprocess.Popen(
            ["mamfleet", "push", self.organization.path, "--json"], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=self.workspace.environment)
        self.addCleanup(push.kill)
        leader = self.leader()

        async def has_begun(client):
            async def question():
                subjects = (await self.request(
                    client, "STREAM.INFO.DOCS", subjects_filter="docs.g.*"))["state"]["subjects"]
                return len(subjects) > 3
            return await eventually(question)
        self.ask(has_begun)
        self.servers.stop(leader, signal.SIGKILL)
        self.assertIsNone(push.poll(), "it was over too soon")
        told, error = push.communicate(timeout=HANG)
        self.assertEqual(push.returncode, DONE, told + error)
        self.assertEqual(len(json.loads(told)["published"]), GROUPS)
        again = self.done("push")
        self.assertEqual(again["published"], [])
        self.assertGreaterEqual(again["unchanged"], GROUPS)

    def test_with_two_away_nothing_is_said_to_be_published(self):
        dead, alive = self.servers.ports[:2], self.servers.ports[2]
        before = self.newest("docs.all")["seq"]
        for port in dead:
            self.servers.stop(port, signal.SIGKILL)
        self.sign()
        # What is not stored, and what may not be all that there is.
        for verb in ("push", "pull"):
            start = time.monotonic()
            told = self.mamfleet(verb)
            self.assertLess(time.monotonic() - start, PATIENCE)
            self.assertEqual(told.returncode, UNREACHABLE, told.stdout + told.stderr)
            error = json.loads(told.stdout)["error"]
            for port in (*dead, alive):
                self.assertIn(f"localhost:{port}: ", error["message"])
            self.assertIn("more than half of the servers must run", error["next"])
            self.assertNotIn("published\"", told.stdout)
        self.restore(*dead)
        told = []

        async def is_pushed():
            told.append(self.mamfleet("push"))
            return told[-1].returncode == DONE
        # Servers that wait for the processor elect once more.
        self.assertTrue(run(eventually(is_pushed)), told)
        # What was sent last may have been stored after all, and then is unchanged.
        self.assertIn(json.loads(told[-1].stdout)["published"], (["docs.all"], []))
        self.assertTrue(self.has_level())
        self.assertGreater(self.newest("docs.all")["seq"], before)

    def test_nobody_there_names_all(self):
        for port in self.servers.ports:
            self.servers.stop(port)
        told = json.loads(self.mamfleet("push").stdout)["error"]
        for port in self.servers.ports:
            self.assertIn(f"localhost:{port}: no connection", told["message"])
        self.assertIn("start the server", told["next"])


@with_clients
class LongStreams(unittest.TestCase):
    def test_pull_reads_all_over_holes(self):
        """Whatever else is replaced, each message that is left is read once."""
        workspace = Workspace()
        self.addCleanup(workspace.close)
        organization = Organization(workspace)
        servers = Servers(organization)
        self.addCleanup(servers.close)

        def mamfleet(verb):
            done = subprocess.run(
                ["mamfleet", verb, organization.path, "--json"], capture_output=True, text=True,
                timeout=120, env=workspace.environment)
            self.assertEqual(done.returncode, DONE, done.stdout + done.stderr)
            return json.loads(done.stdout)

        async def store(machines, count):
            client, _ = await servers.connect(creds=organization.path / "engine" / "admin.creds")
            for number in range(count):
                subject = f"rec.{random.choice(machines)}.{'a1' * 16}"
                payload = b"x" * random.choice((10, 1000, 200_000 if number % 50 == 0 else 100))
                await client.publish(subject, payload)
                # Servers drop what waits too long for the disk.
                if number % 100 == 0:
                    await client.request(subject, payload, timeout=60)
            await client.request(subject, payload, timeout=60)
            state = json.loads((await client.request(
                "$JS.API.STREAM.INFO.REC", b"", timeout=60)).data)["state"]
            await client.close()
            return state

        mamfleet("push")
        machines = [os.urandom(16).hex() for _ in range(400)]
        first = run(store(machines, 4000))
        self.assertGreater(first["last_seq"], first["messages"] + 1000)
        told = mamfleet("pull")
        self.assertEqual(told["unknownMachines"] + told["refused"], first["messages"], told)
        # And then what is new.
        second = run(store(machines, 30))
        told = mamfleet("pull")
        new = second["last_seq"] - first["last_seq"]
        self.assertLessEqual(told["unknownMachines"] + told["refused"], new)
        self.assertGreaterEqual(told["unknownMachines"] + told["refused"], new - 2)
        self.assertEqual(mamfleet("pull")["unknownMachines"], 0)


if __name__ == "__main__":
    unittest.main()
