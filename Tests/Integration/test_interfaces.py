"""The socket's description: what is made from docs/*.varlink is what is built."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from running import PREFIX
from workspace import ROOT

GENERATOR = "scripts/generate-interfaces"
GENERATED = "Sources/MAMWire/Generated"


def generate(root, *options):
    return subprocess.run(
        [root / GENERATOR, *options], capture_output=True, text=True, timeout=60)


class Interfaces(unittest.TestCase):
    """On a copy, but for the first."""

    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix=PREFIX)))
        (self.root / "docs").mkdir()
        (self.root / "scripts").mkdir()
        for path in (ROOT / "docs").glob("*.varlink"):
            shutil.copy(path, self.root / "docs")
        shutil.copy(ROOT / GENERATOR, self.root / "scripts")
        shutil.copytree(ROOT / GENERATED, self.root / GENERATED)
        self.audit = self.root / "docs" / "io.mamd.Audit.varlink"

    def replace(self, old, new):
        text = self.audit.read_text()
        self.assertIn(old, text)
        self.audit.write_text(text.replace(old, new, 1))

    def test_what_is_checked_in_is_what_is_generated(self):
        checked = generate(ROOT, "--check")
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))

    def test_a_file_that_differs_is_named_until_it_is_written_anew(self):
        self.replace("limit: ?int", "most: ?int")
        (self.root / GENERATED / "Former.swift").write_text("")
        checked = generate(self.root, "--check")
        self.assertEqual(checked.returncode, 1)
        self.assertTrue(checked.stderr.startswith("Audit.swift, Former.swift: "), checked.stderr)
        self.assertEqual(generate(self.root).returncode, 0)
        self.assertEqual(generate(self.root, "--check").returncode, 0)
        self.assertIn(" most: Int?,", (self.root / GENERATED / "Audit.swift").read_text())

    def test_an_enumeration_has_its_words_and_no_types(self):
        self.replace("type Record", "type Kind (first, import)\n\ntype Record")
        self.assertEqual(generate(self.root).returncode, 0)
        self.assertIn(
            "enum Kind: String, WireWord { case first, `import` }",
            (self.root / GENERATED / "Audit.swift").read_text())

    def test_a_description_that_cannot_be_read_is_refused_with_its_line(self):
        for old, new in (
            ("time: string", "time string"), ("type Record", "typo Record"),
            ("count: int\n)", "count: int\n"), ("time: string", "time: string;"),
            ("time: string,", "time,"), ("count: int\n)", "count\n)"),
        ):
            with self.subTest(new=new):
                shutil.copy(ROOT / "docs" / self.audit.name, self.audit)
                self.replace(old, new)
                refused = generate(self.root)
                self.assertEqual(refused.returncode, 1)
                self.assertRegex(refused.stderr, r"io\.mamd\.Audit\.varlink:\d+: ")

