"""`leave`: what a copy has of its original's beside the content; what it lacks is told."""
import contextlib
import json
import os
import pathlib
import subprocess
import unittest

from leave_case import MARK, LeaveCase, content
from workspace import pattern

NEEDS = ("acl",)

ACCESS, DEFAULT = "system.posix_acl_access", "system.posix_acl_default"


@unittest.skipUnless(os.getuid() == 0, "mounts file systems, which only root can")
class Kept(LeaveCase):
    def setUp(self):
        super().setUp()
        self.write(self.directory / "plain", b"plain", time=1_600_000_000_000_000_000)
        self.listed = self.write(self.directory / "listed", pattern(5_000))
        self.folder = self.directory / "folder"
        self.folder.mkdir()
        self.write(self.folder / "inner", b"inner")
        self.listed.chmod(0o640)
        self.folder.chmod(0o750)
        for each in (self.backing_of(self.listed), self.backing_of(self.folder)):
            subprocess.run(["setfacl", "-m", "user:4711:r", each], check=True)
        subprocess.run(
            ["setfacl", "-m", "default:user:4712:rx", self.backing_of(self.folder)], check=True)
        os.setxattr(self.listed, "user.note", b"value")

    @contextlib.contextmanager
    def file_system(self, kind, *options):
        self.target.mkdir()
        try:
            subprocess.run(["mount", "-t", kind, *options, self.target], check=True)
            yield
        finally:
            subprocess.run(["umount", "--lazy", self.target], stderr=subprocess.DEVNULL)

    def unkept(self, *options):
        answer = json.loads(self.leave_all("--json", *options).stdout)
        self.assertEqual(answer["left"], [])
        return {
            os.path.relpath(each["path"], self.source): set(each["what"])
            for each in answer["unkept"]}

    def leave_all(self, *options):
        return self.workspace.serving("leave", self.source, self.target, *options)

    def test_access_lists_are_kept(self):
        result = self.leave_all()
        self.assertNotIn("not kept", result.stdout + result.stderr)
        for place, names in (("listed", [ACCESS]), ("folder", [ACCESS, DEFAULT])):
            for name in names:
                self.assertEqual(
                    os.getxattr(self.target / place, name), os.getxattr(self.source / place, name))
        self.assertEqual(os.getxattr(self.target / "listed", "user.note"), b"value")
        # The folder gives to new files what its original does, and has given its copy's none.
        self.assertNotIn(ACCESS, os.listxattr(self.target / "folder" / "inner"))

    def test_a_file_system_without_lists_and_attributes(self):
        with self.file_system("ramfs", "none"):
            result = self.leave_all()
            self.assert_whole()
            self.assertIn(
                f"{self.source}/folder: not kept: permissions, access list\n", result.stderr)
            self.assertIn(
                f"{self.source}/listed: not kept: permissions, access list, extended attributes\n",
                result.stderr)
            self.assertIn("not kept: access list: 2 files\n", result.stdout)
            self.assertIn("not kept: extended attributes: 1 file\n", result.stdout)
            for each in ("listed", "folder"):
                # Its mode's group bits were the list's mask, and are nobody's.
                self.assertEqual(os.stat(self.target / each).st_mode & 0o077, 0)

    def test_json_and_verbose_name_each(self):
        with self.file_system("ramfs", "none"):
            self.assertEqual(self.unkept(), {
                "folder": {"permissions", "accessList"},
                "listed": {"permissions", "accessList", "attributes"}})

    def test_a_run_that_goes_on_tells_it_again(self):
        pipe = self.source / "pipe"
        os.mkfifo(pipe)
        with self.file_system("ramfs", "none"):
            self.leave(status=1)
            pipe.unlink()
            self.assertLessEqual({"accessList", "attributes"}, self.unkept()["listed"])

    def test_hard_links(self):
        os.link(self.directory / "plain", self.directory / "other")
        self.assertEqual(self.unkept(), {"plain": {"hardLinks"}, "other": {"hardLinks"}})

    def test_a_file_system_without_modes(self):
        """vfat, or NTFS by a program where the kernel has none: names and times, for one user."""
        self.backing_of(self.directory / "plain").chmod(0o640)
        if "vfat" in pathlib.Path("/proc/filesystems").read_text().split():
            kind, make, options = "vfat", ["mkfs.vfat"], "loop,umask=077"
        elif os.path.exists("/usr/bin/ntfs-3g"):
            kind, make, options = "ntfs-3g", ["mkfs.ntfs", "-F", "-f", "-q"], "umask=077"
        else:
            self.skipTest("neither vfat nor ntfs-3g")
        image = self.workspace.root / "image"
        with open(image, "wb") as file:
            file.truncate(16 << 20)
        subprocess.run([*make, image], check=True, capture_output=True)
        with self.file_system(kind, "-o", options, image):
            result = self.leave_all()
            expected = content(self.directory)
            self.assertEqual(
                {name: data for name, data in content(self.target).items()
                 if MARK.encode() not in name}, expected)
            self.assertRegex(result.stdout, r"not kept: permissions: \d+ files\n")
            self.assertIn("not kept: access list: 2 files\n", result.stdout)


if __name__ == "__main__":
    unittest.main()
