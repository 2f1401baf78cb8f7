"""The C modules for arm64: they compile without a warning, so that nothing in them is x86's alone.
The rest is Swift, which asks for the architecture in Package.swift only."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from workspace import ROOT

NEEDS = ("libc6-dev-arm64-cross", "qemu-user")

# Of libc6-dev-arm64-cross.
HEADERS = pathlib.Path("/usr/aarch64-linux-gnu/include")
MODULES = ("CShims", "CContainment", "CSupervisor", "CTransport", "CBench")


@unittest.skipUnless(shutil.which("clang"), "no clang, which Swift's toolchain has")
class AArch64(unittest.TestCase):
    @unittest.skipUnless(HEADERS.exists(), "not installed: libc6-dev-arm64-cross")
    def test_c_modules_compile(self):
        includes = [f"-I{ROOT}/Sources/{module}/include" for module in MODULES]
        for module in MODULES:
            files = sorted((ROOT / "Sources" / module).glob("*.c"))
            self.assertTrue(files, module)
            said = subprocess.run(
                ["clang", "--target=aarch64-linux-gnu", "-fsyntax-only", "-std=gnu11", "-Wall",
                 "-Wextra", "-Wno-missing-field-initializers", "-Werror", "-isystem", HEADERS,
                 *includes, *files],
                capture_output=True, text=True)
            self.assertEqual((said.returncode, said.stderr), (0, ""), module)

    @unittest.skipUnless(shutil.which("qemu-aarch64"), "not installed: qemu-user")
    def test_vector_registers_are_cleared(self):
        sources = ROOT / "Sources" / "CShims"
        with tempfile.TemporaryDirectory() as directory:
            program = pathlib.Path(directory) / "registers"
            subprocess.run(
                ["clang", "--target=aarch64-linux-gnu", "-O1", "-nostdlib", "-static",
                 "-ffreestanding", "-fuse-ld=lld", "-Wall", "-Wextra", "-Werror", "-I",
                 sources / "include",
                 "-o", program, ROOT / "Tests" / "AArch64" / "registers.c",
                 sources / "registers.c"],
                check=True)
            self.assertEqual(subprocess.run(["qemu-aarch64", program]).returncode, 0)


if __name__ == "__main__":
    unittest.main()
