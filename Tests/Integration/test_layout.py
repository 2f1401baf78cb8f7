"""scripts/layout: the sources keep to it, and it sees what does not."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from running import PREFIX
from workspace import ROOT

PACKAGE = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "one",
    targets: [
        .target(name: "Above", dependencies: ["Below"]),
        .target(name: "Below"),
    ])
"""


def layout(*arguments):
    return subprocess.run(
        [ROOT / "scripts" / "layout", *arguments], capture_output=True, text=True)


def function(name, lines):
    return [f"    func {name}() {{", *["        print()"] * (lines - 2), "    }"]


@unittest.skipUnless(shutil.which("swift"), "asks Swift what depends on what")
class Layout(unittest.TestCase):
    def package(self, **files):
        place = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.addCleanup(shutil.rmtree, place)
        (place / "Package.swift").write_text(PACKAGE)
        for target in ("Above", "Below"):
            (place / "Sources" / target).mkdir(parents=True)
        for name, lines in files.items():
            (place / "Sources" / "Above" / f"{name}.swift").write_text("\n".join(lines) + "\n")
        return place

    @unittest.skipUnless(os.access(ROOT / ".build", os.W_OK), "the checkout is another user's")
    def test_the_sources_keep_to_it(self):
        said = layout()
        self.assertEqual((said.returncode, said.stderr), (0, ""))

    def test_what_crosses_is_named(self):
        package = self.package(code=["struct One {", *function("first", 3), "}"])
        (package / "docs").mkdir()
        (package / "docs" / "ARCHITECTURE.md").write_text("| core | Below | what Above-all needs")
        (package / "scripts").mkdir()
        generator = package / "scripts" / "generate-interfaces"
        generator.write_text("#!/bin/sh\necho Old.swift: stale >&2\nexit 1\n")
        generator.chmod(0o755)
        said = layout(package)
        self.assertEqual(said.returncode, 1)
        self.assertEqual(said.stderr.splitlines(), [
            "layout: Package.swift: Above stands before Below, on which it depends",
            "layout: docs/ARCHITECTURE.md: Above is not named",
            "layout: Old.swift: stale"])

    def test_the_largest_are_shown(self):
        said = layout("--largest")
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        numbers = [int(line.split()[0]) for line in said.stdout.splitlines() if line[0] == " "]
        self.assertEqual(len(numbers), 60)
        for kind in range(0, 60, 20):
            self.assertEqual(numbers[kind:kind + 20], sorted(numbers[kind:kind + 20], reverse=True))

    def test_long_lines_are_named_in_whatever_people_write(self):
        line = "words " * 17  # 102 columns, of which the last is a space
        package = self.package(code=[
            "// " + "äö" * 4 + " x" * 44 + "y", "// " + line.strip(), "struct One {",
            *function("first", 3), "}"])
        for name, text in (
                ("README.md", f"{line}\n| {line}\n<https://example.org/{'a' * 90}>\n"),
                ("one.py", f"# short\n# {line}\n"), ("tool", f"#!/bin/sh\n# {line}\n"),
                ("data", line), ("picture.svg", line)):
            (package / name).write_text(text)
        said = layout(package)
        self.assertEqual(said.returncode, 1)
        self.assertEqual(
            {said for said in said.stderr.splitlines() if "columns" in said}, {
                "layout: README.md:1: 102 columns; at most 100",
                "layout: one.py:2: 104 columns; at most 100",
                "layout: tool:2: 104 columns; at most 100",
                "layout: Sources/Above/code.swift:2: 104 columns; at most 100"})


if __name__ == "__main__":
    unittest.main()
