"""The audit that a machine reports: in order, once, in bounded batches."""
import base64
import json
import unittest

from fleet_reports import Reports
from signing import Forged
from socket_client import Refusal


class Audit(Reports):
    def batch(self, after, limit):
        told = self.call("Audit", after=after, limit=limit)
        report = told["report"]
        return report and self.opened(report, "audit"), told["last"]

    def fetch(self, after, limit):
        """All batches from there on."""
        while (found := self.batch(after, limit))[0]:
            yield found[0]
            after = found[0]["to"]

    def listed(self):
        return [json.loads(line) for line in self.workspace.serving(
            "audit", "--json").stdout.splitlines()]

    def make_events(self):
        for _ in range(3):
            self.workspace.lock()
            self.workspace.unlock()

    def test_all_records_come_once_and_in_order(self):
        self.make_events()
        _, last = self.batch(0, 1)
        batches = list(self.fetch(0, 3))
        self.assertGreater(len(batches), 2)
        after = 0
        for batch in batches:
            self.assertLessEqual(len(batch["records"]), 3)
            numbers = [record["sequence"] for record in batch["records"]]
            self.assertEqual((batch["after"], batch["from"], batch["to"]), (
                after, numbers[0], numbers[-1]))
            after = batch["to"]
        found = [record for batch in batches for record in batch["records"]]
        self.assertEqual(found[-1]["sequence"], last)
        listed = [{name: value for name, value in record.items() if value is not None}
                  for record in self.listed()]
        # What was asked meanwhile is newer.
        self.assertEqual(found, listed[:len(found)])
        self.assertIn("unlocked", {record["event"] for record in found})

    def test_a_place_outlives_a_restart(self):
        self.make_events()
        first = list(self.fetch(0, 5))
        self.assertEqual(self.batch(first[-1]["to"], 5)[0], None)
        self.workspace.remount()
        second = list(self.fetch(first[-1]["to"], 5))
        numbers = [record["sequence"] for batch in first + second for record in batch["records"]]
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertEqual(
            {"stopped", "started"} & {
                record["event"] for batch in second for record in batch["records"]},
            {"stopped", "started"})
        # The same again, for whom it was lost on the way.
        again = list(self.fetch(0, 1000))
        self.assertEqual(numbers, [
            record["sequence"] for batch in again for record in batch["records"]][:len(numbers)])
        sequences = [batch["sequence"] for batch in first + second + again]
        self.assertEqual(sequences, sorted(set(sequences)))

    def test_gaps_and_wrong_places(self):
        self.make_events()
        _, last = self.batch(0, 1)
        self.assertEqual(self.batch(last + 1000, 5), (None, last))
        for wrong in ({"after": -1, "limit": 1}, {"after": 0, "limit": 0}):
            with self.assertRaises(Refusal):
                self.call("Audit", **wrong)
        self.workspace.unmount()
        (path,) = (self.workspace.state / "audit").glob("events.*")
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:2] + lines[4:]))
        self.workspace.mount()
        gone = {json.loads(line)["sequence"] for line in lines[2:4]}
        numbers = {
            record["sequence"] for batch in self.fetch(0, 4) for record in batch["records"]}
        self.assertFalse(gone & numbers)
        self.assertGreater(len(numbers), 5)

    def test_a_batch_is_bounded(self):
        self.workspace.unmount()
        (path,) = (self.workspace.state / "audit").glob("events.*")
        line = json.loads(path.read_bytes().splitlines()[0])
        with open(path, "ab") as file:
            for number in range(2000, 2100):
                file.write(json.dumps({
                    **line, "sequence": number, "reason": "x" * 15_000}).encode() + b"\n")
        self.workspace.mount()
        sizes = [len(json.dumps(batch)) for batch in self.fetch(1999, 1000)]
        self.assertGreater(len(sizes), 4)
        self.assertLess(max(sizes), 300_000)

    def test_a_verifier_finds_what_was_changed(self):
        self.make_events()
        report = json.loads(self.call("Audit", after=0, limit=100)["report"])
        told = json.loads(base64.b64decode(report["payload"]))
        told["records"].pop(1)
        report["payload"] = base64.b64encode(json.dumps(told).encode()).decode()
        with self.assertRaises(Forged):
            self.opened(json.dumps(report), "audit")


if __name__ == "__main__":
    unittest.main()
