"""Who runs contained, and what was refused so that it stays contained, is shown."""
import errno
import json
import os
import re
import shutil
import subprocess

from test_contained import Contained
from workspace import ANN, REFUSED, wait_until


class Shown(Contained):
    def metrics(self):
        text = self.workspace.serving("metrics").stdout
        return {name: int(value) for name, value in
                re.findall(r"^mamd_(contain\S+) (\d+)$", text, re.MULTILINE)}

    def top(self, *options):
        return self.workspace.serving("top", "--once", "--interval", "0.1", *options).stdout

    def sums(self, text):
        (found,) = json.loads(text)["containment"]
        return found

    def refuse(self, name):
        """A program outside opens a sealed file."""
        path = self.secret(name)
        with self.refused(errno.EACCES):
            path.read_bytes()
        return path

    def report(self):
        page = self.workspace.root / "report.html"
        self.workspace.serving("report", "--html", page, "--force")
        return self.workspace.serving("report", "--json").stdout, page.read_text()

    def test_refused_files(self):
        wait_until(lambda: self.sums(self.top("--json"))["programs"] == 0)
        before, metrics = self.sums(self.top("--json"))["refusals"], self.metrics()
        for name in ("one.txt", "two.txt"):
            self.refuse(name)
        found = self.sums(self.top("--json"))
        self.assertEqual(
            (found["account"], found["programs"], found["refusals"]), (ANN, 0, before + 2))
        last = found["last"]
        self.assertEqual((last["rule"], last["pid"]), ("Containment", os.getpid()))
        self.assertTrue(last["path"].endswith("two.txt"), last)
        self.assertRegex(
            " ".join(self.top().split()),
            rf"refused by containment in a day: {before + 2}, last \d\d:\d\d:\d\d"
            rf" \S+\[{os.getpid()}\] \S+two.txt \(Containment\)")
        counted = self.metrics()
        files, calls = ('containment_refusals_total{of="%s"}' % of for of in ("file", "call"))
        self.assertEqual(
            (counted[files] - metrics[files], counted[calls] - metrics[calls]), (2, 0))
        self.assertGreaterEqual(
            json.loads(self.top("--json"))["counters"]["containment_refusals"], 2)
        data, page = self.report()
        self.assertEqual(self.sums(data)["refusals"], before + 2)
        self.assertIn("<h2>Contained programs</h2>", page)
        self.assertIn("two.txt (Containment)", page)

    def test_refused_calls(self):
        plan = self.secret()
        metrics, before = self.metrics(), self.sums(self.top("--json"))["refusals"]
        self.contained("mamctl", "metrics", "--workspace", self.workspace.name)
        self.contained("mamctl", "audit", "--workspace", self.workspace.name, status=REFUSED)
        self.workspace.ctl(
            "decrypt", self.backing_of(plan), "-o", self.workspace.root / "out", "--workspace",
            self.workspace.name, status=REFUSED)
        found = self.sums(self.top("--json"))
        self.assertEqual(found["refusals"], before + 2)
        self.assertEqual(found["last"]["rule"], "Containment")
        records = [json.loads(line) for line in self.workspace.serving(
            "audit", "--event", "refused", "--json").stdout.splitlines()]
        # One record a call, of the account.
        self.assertEqual(
            [(record["operation"], record["account"], record["rule"])
             for record in records[-2:]],
            [("Audit.List", ANN, "Containment"), (records[-1]["operation"], ANN, "Containment")])
        self.assertIn("ecrypt", records[-1]["operation"])
        counted = self.metrics()
        self.assertEqual(
            counted['containment_refusals_total{of="call"}']
            - metrics['containment_refusals_total{of="call"}'], 2)
        self.assertEqual(
            counted["contained_programs_total"] - metrics["contained_programs_total"], 2)

    def test_a_start_names_the_program_without_arguments(self):
        for command in ("true", shutil.which("true")):
            self.contained(command, "an argument")
        told = self.workspace.serving("audit", "--event", "contained", "--json").stdout
        records = [json.loads(line) for line in told.splitlines()][-2:]
        self.assertEqual([record["path"] for record in records], [shutil.which("true")] * 2)
        self.assertNotIn("argument", told)

    def test_programs_that_run(self):
        child = subprocess.Popen(
            self.words("cat"), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=self.workspace.environment)
        try:
            wait_until(lambda: self.sums(self.top("--json"))["programs"] == 1)
            self.assertIn("1 contained program", " ".join(self.top().split()))
            data, page = self.report()
            self.assertEqual(self.sums(data)["programs"], 1)
            self.assertIn("<h2>Contained programs</h2>", page)
        finally:
            child.communicate()

    def test_other_refusals_are_no_containment(self):
        path = self.secret()
        before = self.sums(self.top("--json"))["refusals"]
        self.contained(
            "sh", "-c", 'mamctl lock --now --workspace "$2" && cat "$1"', "sh", path,
            self.workspace.name, status=1)
        self.workspace.unlock()
        self.assertIn("plan.txt", self.workspace.serving("audit", "--event", "refused").stdout)
        self.assertEqual(self.sums(self.top("--json"))["refusals"], before)


class Disabled(Contained):
    settings = {**Contained.settings, "MAMTelemetryDisabled": True}

    def test_nothing_is_counted(self):
        path = self.secret()
        with self.refused(errno.EACCES):
            path.read_bytes()
        shown = self.workspace.serving("top", "--once", "--interval", "0.1", "--json").stdout
        self.assertIsNone(json.loads(shown)["containment"])
        text = self.workspace.serving("top", "--once", "--interval", "0.1").stdout
        self.assertNotIn("refused by containment", text)
