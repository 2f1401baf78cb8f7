"""`leave` onto vfat, as sticks have it, by a program: it has no chmod(2), no hard links, no rename
that replaces nothing, and takes two names that differ in case for one."""
import os
import pathlib
import re
import subprocess
import unittest

from leave_case import LeaveCase, MARK, content
from workspace import NO, pattern

NEEDS = ("dosfstools", "fusefat")


@unittest.skipUnless(os.getuid() == 0, "mounts file systems, which only root can")
class Fat(LeaveCase):
    def setUp(self):
        super().setUp()
        self.write(self.directory / "plain", pattern(100_000))
        (self.directory / "folder").mkdir()
        self.write(self.directory / "folder" / "inner", b"inner")
        image, stick = self.place / "image", self.place / "stick"
        stick.mkdir()
        with open(image, "wb") as file:
            file.truncate(64 << 20)
        for command in (["mkfs.vfat", "-F", "32", image], ["fusefat", "-o", "rw+", image, stick]):
            subprocess.run(command, check=True, capture_output=True)
        self.addCleanup(subprocess.run, ["umount", stick], check=True)
        self.target = stick / "files"

    def test_all_is_there_but_modes_and_times(self):
        result = self.leave()
        self.assert_whole()
        self.assertRegex(
            result.stdout, r"\A2 files, .*\nnot kept: permissions: 4 files\n"
            "not kept: exact time: 4 files\n")

    def test_of_two_names_that_are_one_there_the_second_is_left_out(self):
        self.write(self.directory / "PLAIN", b"other")
        said = self.leave(status=NO).stderr
        refused = pathlib.Path(re.search("mamctl: (.*): another file has its name", said)[1])
        copied, = {"plain", "PLAIN"} - {refused.name}
        self.assertEqual(
            {name for name in content(self.target) if name != MARK.encode()},
            {copied.encode(), b"folder", b"folder/inner"})
        self.assertEqual(
            (self.target / copied).read_bytes(), (self.directory / copied).read_bytes())


if __name__ == "__main__":
    unittest.main()
