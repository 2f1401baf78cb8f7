"""Servers that lie: rolled back, with a damaged store, or a thief's who has all of `engine/`."""
import json
import shutil
import unittest

from carrier import run
from fleet_trial import Trial
from signing import Organization as Forger
from signing import statement
from workspace import ANN, wait_until


class Stores(Trial):
    def setUp(self):
        super().setUp()
        self.servers = self.start_engine()
        (self.port,) = self.servers.ports
        self.store = self.servers.base / f"{self.port}-store"
        self.join()

    def audited(self):
        """Numbers of the records that the office has."""
        self.carry("pull")
        told = self.organization.fleet("audit", "--json").stdout
        lines = [json.loads(line) for line in told.splitlines()]
        return [line["record"]["sequence"] for line in lines if "record" in line]

    def newest_audited(self):
        local = self.workspace.serving("audit", "--json").stdout.splitlines()
        return json.loads(local[-1])["sequence"]

    def test_rolled_back(self):
        self.servers.stop(self.port)
        copy = self.servers.base / "copy"
        shutil.copytree(self.store, copy)
        self.servers.start(self.port)
        self.push(False)
        self.await_rule(False)
        for _ in range(3):
            self.workspace.serving("lock", ANN)
            self.workspace.unlock()
            wait_until(lambda: self.newest_audited() in self.audited())
        before = self.serials_after_a_push()
        self.servers.stop(self.port)
        shutil.rmtree(self.store)
        copy.rename(self.store)
        self.servers.start(self.port)
        self.connect()
        self.assertIs(self.rule(), False)
        self.assertEqual(self.serials(), before)
        # What machines report then is read, though its numbers were others' before.
        self.workspace.serving("lock", ANN)
        self.workspace.unlock()
        wait_until(lambda: self.newest_audited() in self.audited())
        # The next push puts all back.
        self.push(True)
        self.await_rule(True)
        self.assert_wipe_is_obeyed()
        wait_until(lambda: self.states()["wipe"] == "obeyed")

    def test_damaged(self):
        self.push(False)
        self.await_rule(False)
        before = self.serials_after_a_push()
        self.servers.stop(self.port)
        blocks = [path for path in self.store.rglob("*.blk") if path.stat().st_size]
        self.assertTrue(blocks)
        for path in blocks:
            content = bytearray(path.read_bytes())
            for place in range(0, len(content), 512):
                content[place] ^= 1
            path.write_bytes(content)
        self.servers.start(self.port)
        self.connect()
        self.assertIs(self.rule(), False)
        self.assertEqual(self.serials(), before)
        self.push(True)
        self.await_rule(True)
        self.assert_wipe_is_obeyed()


class Thief(Trial):
    """Has the keys of operator, accounts and authority, and stands where the servers stood."""

    def test_a_server_with_all_keys_of_the_engine(self):
        servers = self.start_engine()
        (port,) = servers.ports
        self.join()
        former = (self.organization.path / "signed" / "first.json").read_bytes()
        former_time = (self.organization.path / "time.json").read_bytes()
        self.push(False)
        self.await_rule(False)
        before = self.serials_after_a_push()
        servers.stop(port)
        store = servers.base / f"{port}-store"
        store.rename(servers.base / "real")
        # Of the authority's key: what machines know of their servers.
        self.organization.json(
            "engine", "renew", "--server-directory", "/DIRECTORY", "--store", "/STORE")
        servers.install(port)
        servers.start(port)
        self.offer(servers, former, former_time)
        # All that it sends is judged when the machine has asked for it.
        self.connect()
        wait_until(lambda: "refused: " in self.service.text)
        self.assertIs(self.rule(), False)
        self.assertEqual(self.serials(), before)
        self.assert_intact()
        servers.stop(port)
        shutil.rmtree(store)
        (servers.base / "real").rename(store)
        servers.start(port)
        self.push(True)
        self.await_rule(True)
        self.assert_wipe_is_obeyed()

    def offer(self, servers, former, former_time):
        """What was once true, and what it has signed itself."""
        forger = Forger()
        forger.id = self.organization.id
        account = self.workspace.account()["id"]
        loose = forger.policy({"printBlocked": True}, name="first.json", serial=1 << 40)
        bundles = {
            "docs.roots": [forger.root(serial=2)], "docs.all": [former, loose],
            "docs.time": [former_time],
            f"docs.m.{self.machine}": [forger.order("wipe", self.machine, account)]}
        self.assertEqual(statement(former)["organization"], self.organization.id)

        async def publish():
            from nats.js.api import StreamConfig

            client, _ = await servers.connect(
                creds=self.organization.path / "engine" / "admin.creds")
            stream = client.jetstream()
            await stream.add_stream(StreamConfig(
                name="DOCS", subjects=["docs.>"], max_msgs_per_subject=5, allow_direct=True))
            for subject, documents in bundles.items():
                await stream.publish(subject, b"[" + b",".join(documents) + b"]")
            await client.close()
        run(publish())


if __name__ == "__main__":
    unittest.main()
