"""The C modules for arm64: they compile without a warning, so that nothing in them is x86's alone.
The rest is Swift, which asks for the architecture in Package.swift only."""
import pathlib
import shutil
import subprocess
import unittest

from workspace import ROOT

# Of libc6-dev-arm64-cross.
HEADERS = pathlib.Path("/usr/aarch64-linux-gnu/include")
MODULES = ("CShims", "CContainment", "CSupervisor", "CTransport", "CBench")


@unittest.skipUnless(shutil.which("clang"), "no clang, which Swift's toolchain has")
@unittest.skipUnless(HEADERS.exists(), "not installed: libc6-dev-arm64-cross")
class AArch64(unittest.TestCase):
    def test_c_modules_compile(self):
        includes = [f"-I{ROOT}/Sources/{module}/include" for module in MODULES]
        for module in MODULES:
            files = sorted((ROOT / "Sources" / module).glob("*.c"))
            self.assertTrue(files, module)
            said = subprocess.run(
                ["clang", "--target=aarch64-linux-gnu", "-fsyntax-only", "-std=gnu11", "-Wall",
                 "-Werror", "-Wno-gnu-variable-sized-type-not-at-end", "-isystem", HEADERS, *includes, *files],
                capture_output=True, text=True)
            self.assertEqual((said.returncode, said.stderr), (0, ""), module)


if __name__ == "__main__":
    unittest.main()
