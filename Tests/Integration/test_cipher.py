"""Each implementation of AES-256-GCM, forced in turn: what one wrote the others read."""
import os
import subprocess
import unittest

from workspace import DONE, FIRST, PAYLOAD, WorkspaceCase, pattern

# A block's edges, and more than one request.
SIZES = (1, FIRST, FIRST + 1, FIRST + PAYLOAD, 3 << 20)


def ciphers():
    return subprocess.run(
        ["mambench", "--ciphers"], capture_output=True, text=True, check=True).stdout.split()


class Ciphers(WorkspaceCase):
    def mount_with(self, *options):
        self.workspace.unmount()
        self.workspace.mount(*options)
        self.workspace.unlock()

    def test_what_one_wrote_the_others_read(self):
        found = ciphers()
        self.assertIn("openssl", found)
        for cipher in found:
            self.mount_with("-o", f"cipher={cipher}")
            for size in SIZES:
                self.write(self.directory / f"{cipher}-{size}", pattern(size, size))
        for cipher in found:
            self.mount_with("-o", f"cipher={cipher}")
            for name in sorted(os.listdir(self.directory)):
                writer, _, size = name.partition("-")
                with self.subTest(writer=writer, reader=cipher, size=size):
                    self.assertEqual(
                        (self.directory / name).read_bytes(), pattern(int(size), int(size)))
                    self.assertTrue(
                        self.workspace.is_managed_on_disk(self.backing_of(self.directory / name)))
        for name in os.listdir(self.directory):
            size = int(name.partition("-")[2])
            self.assertEqual(
                self.workspace.decode(self.backing_of(self.directory / name)), pattern(size, size))

    def test_one_that_is_none_or_cannot_be_had_stops_the_start(self):
        self.workspace.unmount()
        for name in {"rot13", "vaes", "avx"} - set(ciphers()):
            with self.subTest(cipher=name):
                result = self.workspace.ctl(
                    "mount", self.workspace.backing, self.workspace.mount_point, "-o",
                    f"cipher={name}", status=None)
                self.assertNotEqual(result.returncode, DONE)
                self.assertIn(f"cipher={name}", result.stderr)
                self.assertFalse(os.path.ismount(self.workspace.mount_point))
        self.workspace.mount()


if __name__ == "__main__":
    unittest.main()
