"""An engine in the hands of somebody else."""
import os
import time
import unittest

from fleet_service import RULES, FleetService
from signing import Organization
from workspace import wait_until


class CompromisedEngine(FleetService):
    def test_nothing_is_accepted_and_nothing_breaks(self):
        self.enrol()
        self.push_rule(True)
        # The time comes last.
        newest = self.office.organization.serials
        wait_until(lambda: self.rule() and self.serial("time/all/time") == newest)
        before = {document["slot"]: document["serial"] for document in self.show()["documents"]}
        client = self.engine.administrator()
        self.addCleanup(client.close)
        mine = f"docs.m.{self.machine}"
        good = client.last("DOCS", "docs.all")
        old = [payload for subject, payload in client.messages("DOCS", "docs.all")][0]
        forger = Organization()
        forger.id = self.office.organization.id
        loose = forger.policy({**RULES, "printBlocked": False}, serial=1000)
        wipe = forger.order("wipe", self.machine, self.workspace.account()["id"])
        others = self.office.organization.order("lock", "1" * 32)
        for payload in (
                b"", b"\0" * 100, b"[", b"{}", b"[" * 100_000, b"[1,2,3]", b'["x"]',
                os.urandom(4 << 20),
                b"[" + b"{}," * 1_000_000 + b"{}]", b"[" + loose + b"]", b"[" + wipe + b"]",
                b"[" + others + b"]", old, b"[" + b",".join([loose] * 500) + b"]",
                b'["' + b"\\ud800" * 1000 + b'"]',
                b"[" + good[1:-2].replace(b'"sig":"', b'"sig":"A') + b"]", b"[]"):
            for subject in ("docs.all", mine, "docs.roots", "docs.time"):
                client.store(subject, payload)
        # Another machine's bundle, roots as policies, and the other way round.
        client.store("docs.roots", good)
        client.store("docs.all", client.last("DOCS", "docs.roots"))
        for number in range(3000):
            client.publish("docs.all", b"[" + forger.policy(RULES, serial=number + 1) + b"]"
                           if number % 100 == 0 else os.urandom(1000))
        time.sleep(5)
        self.assertIsNone(self.service.process.poll())
        self.assertLess(self.service.memory(), 150)
        self.assertTrue(self.rule())
        self.assertTrue(self.is_readable())
        self.assertEqual(
            before, {document["slot"]: document["serial"] for document in self.show()["documents"]})
        # What is good counts again, at the latest after a minute.
        self.push_rule(False)
        start = time.monotonic()
        wait_until(lambda: self.rule() is False, 150)
        print(f"good again after {time.monotonic() - start:.1f} s,"
              f" {self.service.memory():.0f} MiB")


if __name__ == "__main__":
    unittest.main()
