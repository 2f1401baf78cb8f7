"""The fleet's service where machines, servers and daemons go and come back."""
import base64
import json
import time
import unittest

from fleet_service import RULES, FleetService
from signing import Key, Organization
from workspace import ANN, wait_until


class Robustness(FleetService):
    def test_a_machine_that_was_off(self):
        self.enrol()
        self.service.kill()
        self.push_rule(True)
        self.assertFalse(self.rule())
        self.service.start()
        wait_until(lambda: self.rule())

    def test_a_server_that_is_killed(self):
        self.enrol()
        self.engine.kill()
        time.sleep(1)
        self.engine.start()
        self.push_rule(True)
        wait_until(lambda: self.rule())
        self.assertEqual(self.service.text.count("connected as machine"), 2)

    def test_a_daemon_that_restarts(self):
        self.enrol()
        self.workspace.unmount()
        self.push_rule(True)
        self.workspace.mount()
        wait_until(lambda: self.rule())
        self.workspace.remount()
        self.push_rule(False)
        wait_until(lambda: self.rule() is False)

    def test_what_came_last_is_kept(self):
        self.enrol()
        # It comes while the daemon is away, and the server is away when that is back. The service
        # learns by the first that the daemon is away, and knows it at the second.
        self.workspace.unmount()
        kept = self.service.state / "bundle-nats-all"
        for value in False, True:
            self.push_rule(value)
            wait_until(lambda: kept.exists() and kept.read_bytes() == self.bundle("docs.all"))
        before, start = self.service.processor(), time.monotonic()
        for _ in range(5):
            self.push_rule(True)
            wait_until(lambda: kept.read_bytes() == self.bundle("docs.all"))
        # It asks for the daemon once a second.
        self.assertLess(self.service.processor() - before, (time.monotonic() - start) / 5)
        self.service.kill()
        self.engine.kill()
        self.workspace.mount()
        self.service.start()
        wait_until(lambda: self.rule())

    def bundle(self, subject):
        client = self.engine.administrator()
        try:
            return client.last("DOCS", subject)
        finally:
            client.close()

    def test_documents_that_are_not_the_organisations_are_told(self):
        """By name and reason, and to who pulls; former ones, which a connect brings, are not."""
        self.enrol()
        self.push_rule(True)
        wait_until(lambda: self.rule())
        former = json.loads(self.bundle("docs.all"))
        serial = self.serial()
        self.assertNotIn("refused:", self.service.text)
        mine = self.office.organization
        made_up = {
            "policy/all/forged.json": mine.policy(
                RULES, name="forged.json", keys=[Key()], serial=9),
            "policy/all/foreign.json": Organization().policy(RULES, name="foreign.json"),
            "policy/all/level.json": mine.policy(
                {**RULES, "printBlocked": False}, serial=serial, days=29)}
        older = mine.policy(RULES, serial=1)
        client = self.engine.administrator()
        self.addCleanup(client.close)
        client.store("docs.all", b"[" + b",".join(
            [*made_up.values(), older, b"{}"]
            + [json.dumps(one).encode() for one in former]) + b"]")
        wait_until(lambda: "4 documents refused: " in self.service.text)
        (line,) = [line for line in self.service.text.splitlines() if "4 documents" in line]
        for slot, reason in zip(made_up, ("it needs the signatures of 1 policy key",
                                          "of another organisation", f"with serial {serial}")):
            if slot in line:
                self.assertIn(reason, line)
        self.assertIn("what is no document", line)
        self.assertIn("; and 1 more", line)
        self.assertTrue(self.rule())
        # Each counts once, however often it is sent, and over a restart of the daemon.
        expected = {"unsigned": 1, "otherOrganization": 1, "twoOfOneSerial": 1}
        self.assertEqual(self.suspects(), expected)
        self.workspace.remount()
        self.assertEqual(self.suspects(), expected)

    def suspects(self):
        found = []

        def reported():
            self.office.pull()
            statuses = self.office.reports("status").get(self.machine)
            found[:] = [status.get("suspects") for status in statuses or []]
            return found and found[-1]

        wait_until(reported)
        return found[-1]

    def test_a_machine_that_is_shut_out(self):
        self.enrol()
        self.office.revoke(self.machine)
        self.office.push()
        wait_until(lambda: "not connected" in self.service.text)
        self.push_rule(True)
        time.sleep(8)
        self.assertEqual(self.service.text.count("connected as machine"), 1)
        self.assertFalse(self.rule())
        # Its last bundle has no documents any more.
        self.assertEqual(json.loads(self.bundle(f"docs.m.{self.machine}")), [])

    def test_a_machine_that_was_found_again(self):
        self.enrol()
        self.office.revoke(self.machine)
        self.office.push()
        wait_until(lambda: "not connected" in self.service.text)
        self.office.readmit(self.machine)
        self.office.push()
        self.push_rule(True)
        # With the token that it has, and no new code.
        wait_until(lambda: self.rule())

    def test_an_older_directory_lets_nobody_in_again(self):
        self.enrol(service=False)
        account = self.office.path / "engine/account.jwt"
        older = account.read_bytes()
        self.office.revoke(self.machine)
        self.office.push()
        account.write_bytes(older)
        refused = self.office.run("push", "--json", status=None)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("older copy", refused.stdout)

    def test_a_machine_that_floods_leaves_room_for_documents(self):
        client = self.engine.administrator()
        self.addCleanup(client.close)
        for stream in ("STATUS", "REC", "AUDIT", "ENROL", "DOCS", "INVITED"):
            config = client.call(f"STREAM.INFO.{stream}")["config"]
            self.assertGreater(config["max_bytes"], 0, stream)
            if stream not in ("DOCS", "INVITED"):
                self.assertGreater(config["max_msg_size"], 0, stream)

    def test_the_audit_has_no_gaps_and_no_doubles(self):
        self.enrol()
        for number in range(12):
            for _ in range(20):
                self.workspace.serving("lock", ANN)
                self.workspace.unlock()
                if number % 4 != 3:
                    break
            if number % 3 == 0:
                self.service.kill()
            if number % 4 == 0:
                self.engine.kill()
                self.engine.start()
            if number % 3 == 0:
                self.service.start()
            time.sleep(1.5 + number % 3)

        local = [json.loads(line)["sequence"] for line in self.workspace.serving(
            "audit", "--json").stdout.splitlines()]

        told = []

        def whole():
            self.office.pull()
            batches = self.office.reports("audit").get(self.machine, [])
            told[:] = [record["sequence"] for batch in batches for record in batch["records"]]
            return told and told[-1] >= local[-1]

        wait_until(whole, 180)
        self.assertEqual(told[:len(local)], local)
        self.assertEqual(len(set(told)), len(told))
        # The stream itself has none either.
        client = self.engine.administrator()
        firsts = [
            json.loads(base64.b64decode(json.loads(payload)["payload"]))["from"]
            for _, payload in client.messages("AUDIT")]
        client.close()
        self.assertEqual(len(set(firsts)), len(firsts))


if __name__ == "__main__":
    unittest.main()
