"""The daemon's counters."""
import errno
import re

from workspace import ANN, REFUSED, WorkspaceCase


class Metrics(WorkspaceCase):
    def metrics(self):
        text = self.workspace.serving("metrics").stdout
        return text, dict(re.findall(r"^(mamd_\S+) (\d+)$", text, re.MULTILINE))

    def grown(self, before, name):
        return int(self.metrics()[1][name]) - int(before[name])

    def test_the_text_is_openmetrics(self):
        text, samples = self.metrics()
        lines = text.splitlines()
        self.assertEqual(lines[-1], "# EOF")
        families = [line.split()[2] for line in lines if line.startswith("# TYPE ")]
        self.assertEqual(len(families), len(set(families)))
        self.assertTrue(
            all(line.endswith(" counter") for line in lines if line.startswith("# TYPE ")))
        for name in samples:
            self.assertIn(name.split("{")[0].removesuffix("_total"), families)
        for family in families:
            self.assertTrue(
                any(name.split("{")[0] == f"{family}_total" for name in samples), family)

    def test_what_happens_is_counted(self):
        _, before = self.metrics()
        path = self.write(self.directory / "file", b"content")
        path.read_bytes()
        self.workspace.lock()
        with self.refused(errno.ENOKEY):
            path.read_bytes()
        self.workspace.unlock()
        self.workspace.serving("can print", "--account", ANN)
        self.assertEqual(self.grown(before, "mamd_creations_total"), 1)
        self.assertGreaterEqual(self.grown(before, "mamd_opens_total"), 1)
        self.assertEqual(self.grown(before, "mamd_locks_total"), 1)
        self.assertEqual(self.grown(before, "mamd_unlocks_total"), 1)
        self.assertGreaterEqual(
            self.grown(before, 'mamd_refusals_total{reason="window-closed"}'), 1)
        self.assertEqual(self.grown(before, 'mamd_decisions_total{answer="yes"}'), 1)

    def test_damage_is_counted(self):
        path = self.write(self.directory / "file", b"x" * 10_000)
        self.workspace.remount()
        _, before = self.metrics()
        with open(self.backing_of(path), "r+b") as file:
            file.seek(5000)
            file.write(b"damage")
        with self.refused(errno.EBADMSG):
            path.read_bytes()
        self.assertGreaterEqual(self.grown(before, "mamd_damaged_blocks_total"), 1)


class Disabled(WorkspaceCase):
    settings = {"MAMTelemetryDisabled": True}

    def test_nothing_is_counted(self):
        refused = self.workspace.serving("metrics", status=REFUSED)
        self.assertIn("MAMTelemetryDisabled", refused.stderr)
