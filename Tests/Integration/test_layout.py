"""scripts/layout: the sizes that the sources keep to, and that it sees what exceeds them."""
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

    def test_what_exceeds_is_named(self):
        small = ["struct Many {", *function("first", 3), "}"]
        said = layout(self.package(
            long=["// a comment"] * 301,
            deep=["struct Deep {", *function("longest", 51), *function("long", 50), "}"],
            many=[*small, "", "extension Many {", *function("next", 3) * 40, "}"]))
        self.assertEqual(said.returncode, 1)
        self.assertEqual(set(said.stderr.splitlines()), {
            "layout: Sources/Above/long.swift: 301 lines; at most 300",
            "layout: Sources/Above/deep.swift:2: a function of 51 lines; at most 50",
            "layout: Above: Many has 41 functions; at most 40",
            "layout: Package.swift: Above stands before Below, on which it depends",
            "layout: the median of files is 128 lines; at most 110"})

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
