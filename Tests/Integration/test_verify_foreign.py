"""Files without a header: `verify` notes them, `status` counts them, and they are no damage."""
import json
import unittest

from verifying import VerifyCase, changed
from workspace import BLOCK, DAMAGED, DONE

NOTED = [("foreign", "noted")]


class Foreign(VerifyCase):
    def status(self):
        return json.loads(self.workspace.serving("status", "--json").stdout)[0]["lastVerify"]

    def test_what_has_no_header_is_noted_and_left_alone(self):
        self.lay(foreign=b"somebody's", short=b"\x89MA", empty=b"", sealed=self.good)
        self.mount()
        self.workspace.write_as("me@home.example", self.directory / "personal", "mine")
        path = self.write(self.directory / "decrypted", b"plain again")
        self.workspace.ctl("decrypt", path)
        for options in ([], ["--repair"]):
            for mounted in (True, False):
                with self.subTest(options=options, mounted=mounted):
                    if self.workspace.mount_point.is_mount() != mounted:
                        self.workspace.unmount() if not mounted else self.mount()
                    found = self.verify(*options, status=DONE)
                    self.assertEqual(found, {"foreign": NOTED, "short": NOTED})
                    self.assertEqual((self.summary["foreign"], self.summary["left"]), (2, 0))
        self.assertEqual(self.disk("foreign").read_bytes(), b"somebody's")

    def test_people_are_told(self):
        self.lay(foreign=b"somebody's")
        self.mount()
        told = self.workspace.ctl("verify", self.directory, status=DONE).stdout
        self.assertRegex(told, r"/foreign: it has no protection header: ")
        self.assertRegex(told, r"2 files, \d+ bytes; nothing wrong; 1 foreign\n")
        self.workspace.serving("verify", status=None)
        shown = self.workspace.serving("status").stdout
        self.assertRegex(shown, r" +verified  .* \d+ files \(1 foreign\), .*\n")
        self.disk("foreign").unlink()
        self.workspace.serving("verify", status=None)
        self.assertNotRegex(self.workspace.serving("status").stdout, "verified  .*foreign")

    def test_however_many_they_are_damage_is_kept(self):
        count = 300
        self.disk("many").mkdir()
        self.lay(**{f"many/{number}": b"somebody's" for number in range(count)})
        self.lay(damaged=changed(self.good, 2 * BLOCK + 100, b"damage"))
        self.mount()
        self.workspace.serving("verify", status=DAMAGED)
        data = json.loads(self.workspace.serving("report", "--json").stdout)["verify"]
        self.assertEqual(data["counts"]["foreign"], count)
        self.assertEqual([found["problem"] for found in data["findings"]], ["blocks"])


if __name__ == "__main__":
    unittest.main()
