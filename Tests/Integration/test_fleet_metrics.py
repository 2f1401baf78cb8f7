"""Sums of all machines for Prometheus, and the alerts on them."""
import json
import re
import subprocess
import unittest

from fleet_directory import Machine
from fleet_view import FleetCase
from signing import DAY, rfc3339
from workspace import NO, ROOT

# promtool, which reads the format and the rules as Prometheus does
NEEDS = ("prometheus",)

RULES = ROOT / "examples" / "prometheus" / "mamd.rules.yml"
RULES_TEST = ROOT / "Tests" / "Integration" / "data" / "mamd.rules.test.yml"
SAMPLE = re.compile(r"^(mamd_fleet_\w+)(?:\{(.*)\})? (-?\d+)$")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


class Metrics(FleetCase):
    def metrics(self, *words):
        """By name and the values of the labels."""
        text = self.fleet("metrics", *words).stdout
        checked = subprocess.run(
            ["promtool", "check", "metrics"], input=text, capture_output=True, text=True,
            timeout=60)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""), text)
        lines = text.splitlines()
        self.assertEqual(lines[-1], "# EOF")
        found = {}
        for line in lines:
            if not line.startswith("#"):
                self.assertRegex(line, SAMPLE)
                name, labels, value = SAMPLE.match(line).groups()
                values = tuple(value for _, value in LABEL.findall(labels or ""))
                self.assertNotIn((name, *values), found)
                found[(name, *values)] = int(value)
        return {(key[0].removeprefix("mamd_fleet_"), *key[1:]): value
                for key, value in found.items()}

    def nonzero(self, found, name):
        return {key[1:]: value for key, value in found.items() if key[0] == name and value}

    def test_what_is_counted(self):
        org, now = self.organization, self.organization.now
        org.add("fine", facts={"system": "debian 13", "encrypted": True, "restartRequired": False})
        org.add("plain", facts={
            "system": "debian 12", "encrypted": False, "restartRequired": True})
        org.add("old", issued=now - 8 * DAY)
        blocked = org.add("blocked", refused=7)
        blocked.say(refused=7, accounts=[
            blocked.account(window="blocked", blockedBy="jailbreak", compliant=False),
            blocked.account(1, window="open")])
        org.add("attacked", suspects={"unsigned": 2, "laterKind": 3})
        Machine(org, "silent").register()
        wiped = org.add("wiped")
        nonce = org.order("wipe", wiped, "a1" * 16)
        wiped.say(obeyed=[nonce])
        org.order("lock", wiped)
        found = self.metrics()
        self.assertEqual(self.nonzero(found, "machines"), {
            ("compliant",): 3, ("attention",): 2, ("stale",): 1, ("silent",): 1})
        self.assertEqual(self.nonzero(found, "attention_machines"), {
            ("stale",): 1, ("blocked",): 1, ("suspects",): 1, ("silent",): 1})
        self.assertEqual(self.nonzero(found, "store_machines"), {
            ("yes",): 1, ("no",): 1, ("unknown",): 4})
        self.assertEqual(self.nonzero(found, "accounts"), {
            ("locked",): 5, ("open",): 1, ("blocked",): 1})
        self.assertEqual(found["refused_accesses",], 7)
        self.assertEqual(self.nonzero(found, "suspect_documents"), {
            ("unsigned",): 2, ("other",): 3})
        self.assertEqual(self.nonzero(found, "orders"), {
            ("wipe", "obeyed"): 1, ("lock", "pending"): 1})
        # What is well is there, too: an alert that has no series never ends.
        self.assertEqual(found["machines", "revoked"], 0)
        self.assertEqual(found["attention_machines", "expired"], 0)
        self.assertEqual(found["directory_flaws",], 0)
        self.assertAlmostEqual(found["survey_timestamp_seconds",], now, delta=600)
        self.assertEqual(
            self.nonzero(self.metrics("--stale", "9d"), "attention_machines").get(("stale",)), None)

    def test_when_documents_and_certificates_end(self):
        org = self.organization
        org.policy({}, "group:lab", "strict", 4)
        org.add("pc-1", groups=["lab"])
        org.add("pc-2", groups=["lab"])
        self.fleet("engine", "init", "--server", "a.contoso.com")
        told = json.loads(self.fleet("status", "--json").stdout)["certificates"]
        found = self.metrics()
        self.assertEqual(self.nonzero(found, "document_expiry_timestamp_seconds"), {
            ("policy/all/level2",): org.now - DAY + 30 * DAY,
            ("policy/group:lab/strict",): org.now - DAY + 30 * DAY,
            ("membership/machine",): org.now - DAY + 30 * DAY,
            ("time/all/time",): org.now - 60 + DAY})
        ends = self.nonzero(found, "certificate_expiry_timestamp_seconds")
        self.assertEqual(
            {(one["server"] or "authority",): one["ends"] for one in told},
            {subject: rfc3339(end) for subject, end in ends.items()})

    def test_a_machines_words_are_no_series(self):
        self.organization.add('"} 1\nmamd_fleet_evil 1', suspects={'x"} 1\n': 4})
        self.organization.policy({}, "all", 'odd"name', 4)
        found = self.metrics()
        self.assertEqual(found["suspect_documents", "other"], 4)
        self.assertNotIn(("evil",), found)

    def test_the_collectors_file_is_replaced_at_once(self):
        file = self.workspace.root / "mamd.prom"
        self.fleet("metrics", "-o", file)
        self.assertEqual(file.stat().st_mode & 0o777, 0o644)
        self.assertTrue(file.read_text().endswith("# EOF\n"))
        before = file.stat().st_ino
        self.fleet("metrics", "-o", file, status=NO)
        said = self.fleet("metrics", "-o", file, "--force", "--json").stdout
        self.assertEqual(json.loads(said), {"path": str(file)})
        self.assertNotEqual(file.stat().st_ino, before)
        self.assertEqual([path.name for path in file.parent.glob("*mamd.prom*")], ["mamd.prom"])
        self.assertIn("# EOF", json.loads(self.fleet("metrics", "--json").stdout)["text"])

    def test_a_dash_is_standard_output(self):
        place = self.workspace.root / "here"
        place.mkdir()
        said = self.workspace.ctl(
            "fleet", "metrics", "-o", "-", "--organization", self.organization.path,
            prefix=("env", "-C", place)).stdout
        self.assertTrue(said.endswith("# EOF\n"), said)
        self.assertEqual(list(place.iterdir()), [])


class Alerts(unittest.TestCase):
    def promtool(self, *words):
        done = subprocess.run(
            ["promtool", *words], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_each_alert_fires_where_it_must_and_nowhere_else(self):
        self.promtool("check", "rules", RULES)
        self.promtool("test", "rules", RULES_TEST)

    def test_each_alert_is_tested_and_asks_for_what_there_is(self):
        rules, tests = RULES.read_text(), RULES_TEST.read_text()
        names = re.findall(r"- alert: (\w+)", rules)
        self.assertEqual(
            re.findall(r"- name: (.+)", tests),
            [name for alert in names for name in (alert, f"no {alert}")])
        self.assertEqual(tests.count("exp_alerts:"), len(names))
        source = (ROOT / "Sources" / "mamctl" / "Fleet" / "FleetMetrics.swift").read_text()
        for name in set(re.findall(r"\bmamd_fleet_(\w+)", rules)):
            self.assertIn(f'"{name}"', source)


if __name__ == "__main__":
    unittest.main()
