"""`leave`: whoever goes keeps ordinary files, and knows which ones are missing."""
import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import unittest

from leave_case import MARK, LeaveCase, content
from workspace import (
    ANN, DAMAGED, NO, PERSONAL, REFUSED, UNREACHABLE, USAGE, Workspace, pattern)

# Writes a file and does not close it.
WRITER = """
import sys
file = open(sys.argv[1], "r+b", buffering=0)
file.write(b"x" * 20_000)
print("written", flush=True)
sys.stdin.read()
"""


class Leave(LeaveCase):
    def test_everything_that_can_be_opened(self):
        self.files()
        folder = self.directory / "folder"
        folder.mkdir()
        (folder / "empty").touch()
        for name in (b"a" * 255, b"\xff\xfe\n", b"back\\slash"):
            path = os.path.join(os.fsencode(folder), name)
            with open(path, "wb") as file:
                file.write(name)
        (folder / "dangling").symlink_to("../../no/where")
        (folder / "inner").symlink_to("/")
        for name in ("sealed", "personal"):
            os.link(self.directory / name, folder / f"{name}-again")
            os.chmod(self.directory / name, 0o640)
        for path in (self.directory / "sealed", self.directory / "personal",
                     self.source / "foreign", folder / "empty"):
            os.utime(path, ns=(1_000_000_000, 1_234_567_890_123_456_789))
        os.setxattr(self.source / "personal", "user.note", b"mine")
        self.workspace.ctl("class", "--set", "B", folder)
        self.workspace.ctl("protect", folder, "--owner", ANN, "--only-new", "--quiet")
        self.assertTrue([name for name in os.listxattr(self.source / "folder") if "mam" in name])
        os.chmod(folder, 0o555)
        os.utime(folder, ns=(0, 2_000_000_000))
        result = self.leave()
        self.assertRegex(
            result.stdout, r"\A9 files, .* copied to .*/files\nnot kept: hard links: 4 files\n"
            r"--verbose names each of them\n\Z")
        self.assertRegex(result.stderr, r"\A.*-again: not kept: hard links\n\Z")
        self.assert_whole()
        for name in ("sealed", "personal", "foreign", "folder", "folder/empty"):
            shown, copy = os.stat(self.directory / name), os.stat(self.target / name)
            self.assertEqual(oct(copy.st_mode), oct(shown.st_mode), name)
            self.assertEqual(copy.st_mtime_ns, shown.st_mtime_ns, name)
            self.assertEqual(
                os.listxattr(self.target / name), ["user.note"] if name == "personal" else [])
        self.assertEqual(os.getxattr(self.target / "personal", "user.note"), b"mine")
        self.assertEqual(
            oct(os.stat(self.target).st_mode), oct(os.stat(self.directory).st_mode))
        # It is an ordinary directory now.
        self.assertIn("not empty", self.leave(status=NO).stderr)

    def test_holes_stay_holes(self):
        for path in (self.directory / "sealed", self.personal("personal", b"p")):
            with open(path, "r+b" if path.exists() else "wb") as file:
                file.write(pattern(70_000))
                file.seek(40 << 20)
                file.write(b"the end")
                file.truncate(64 << 20)
        self.leave()
        self.assert_whole()
        for name in ("sealed", "personal"):
            self.assertLess(os.stat(self.target / name).st_blocks * 512, 4 << 20, name)

    def test_what_a_program_has_open_is_copied_as_it_is_written(self):
        path = self.write(self.directory / "log", bytes(20_000))
        # In a process of its own: each child of this one would close the file, which writes it.
        with subprocess.Popen(
                [sys.executable, "-c", WRITER, path], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE) as writer:
            self.assertEqual(writer.stdout.readline(), b"written\n")
            self.leave()
            writer.stdin.close()
        self.assertEqual((self.target / "log").read_bytes(), b"x" * 20_000)

    def test_a_copy_that_holds_protected_data_is_named(self):
        """A sealed file that was copied into the mount, as from a backup, is sealed in it still:
        whoever then removes the keys has lost it."""
        sealed = self.write(self.directory / "sealed", pattern(10_000))
        inner = self.write(self.directory / "inner", self.backing_of(sealed).read_bytes())
        self.personal("theirs", inner.read_bytes())
        os.mkfifo(self.source / "pipe")
        for copied in (3, 0):
            if not copied:
                os.unlink(self.source / "pipe")
            result = self.workspace.serving(
                "leave", self.source, self.target, "--json", status=NO)
            answer = json.loads(result.stdout)
            self.assertEqual(answer["files"], copied)
            self.assertEqual(answer["holders"], [
                {"path": str(self.target / name), "owner": ANN} for name in ("inner", "theirs")])
            self.assertEqual(result.stderr.count("holds protected data"), 1, result.stderr)
        self.assertEqual(answer["left"], [])
        self.assert_whole()
        self.assertIn(f"try: mamctl decrypt {self.target / 'inner'} -o NEW", result.stderr)
        self.workspace.serving("decrypt", self.target / "inner", "-o", self.place / "opened")
        self.assertEqual((self.place / "opened").read_bytes(), pattern(10_000))

    def test_damaged_and_newer_files_are_named(self):
        self.files()
        sealed = (self.source / "sealed").read_bytes()
        (self.source / "damaged").write_bytes(
            sealed[:40_000] + bytes([sealed[40_000] ^ 1]) + sealed[40_001:])
        (self.source / "cut").write_bytes(sealed[:500])
        (self.source / "newer").write_bytes(sealed[:8] + b"\2\0" + sealed[10:])
        answer = json.loads(self.workspace.serving(
            "leave", self.source, self.target, "--json", status=(DAMAGED, USAGE)).stdout)
        left = {pathlib.Path(each["path"]).name: each["error"]["status"] for each in answer["left"]}
        self.assertEqual(left, {"damaged": DAMAGED, "cut": DAMAGED, "newer": USAGE})
        self.assertEqual(
            sorted(os.listdir(self.target)), [MARK, "foreign", "personal", "sealed"])

    def test_what_is_no_file_is_named(self):
        os.mkfifo(self.source / "pipe")
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as listener:
            os.chdir(self.source)
            listener.bind("socket")
            os.chdir("/")
        if os.getuid() == 0:
            os.mknod(self.source / "device", 0o600 | 0o020000, os.makedev(5, 0))
        self.write(self.directory / "file", b"content")
        result = self.leave(status=NO)
        for name in ("pipe", "socket", *(["device"] if os.getuid() == 0 else [])):
            self.assertIn(str(self.source / name), result.stderr)
        self.assertEqual(sorted(os.listdir(self.target)), [MARK, "file"])

    def test_a_tree_that_is_too_deep_is_named(self):
        self.write(self.directory / "file", b"content")
        place = os.open(self.source, os.O_RDONLY)
        for _ in range(600):
            os.mkdir("d", dir_fd=place)
            inner = os.open("d", os.O_RDONLY, dir_fd=place)
            os.close(place)
            place = inner
        os.close(place)
        result = self.leave(status=NO, prefix=("prlimit", "--nofile=4096"))
        self.assertIn("is below more than 500 other directories", result.stderr)
        self.assertEqual((self.target / "file").read_bytes(), b"content")


class ByPolicy(LeaveCase):
    policy = {
        "displayName": "closed", "pinRequired": False, "saveAsBlocked": True,
        "allowedOutboundDataTransferDestinations": "managedApps",
        "disableProtectionOfManagedOutboundOpenInData": True}

    def test_what_policy_keeps_is_left_out(self):
        sealed = self.write(self.directory / "sealed", pattern(10_000))
        (self.source / "foreign").write_bytes(b"plain")
        self.workspace.serving(
            "decrypt", self.backing_of(sealed), "-o", self.place / "plain", status=REFUSED)
        result = self.leave(status=REFUSED)
        self.assertIn(str(self.backing_of(sealed)), result.stderr)
        self.assertIn(f"left out of {ANN}'s: 1 file\n", result.stdout)
        self.assertEqual(sorted(os.listdir(self.target)), [MARK, "foreign"])


class WithoutDaemon(unittest.TestCase):
    """A workspace that is not mounted, and one that is none any more."""

    def test_what_needs_no_key(self):
        workspace = Workspace().init().mount().register()
        self.addCleanup(workspace.close)
        workspace.path("sealed").write_bytes(b"sealed")
        workspace.write_as(PERSONAL, workspace.path("personal"), "personal")
        workspace.on_disk("foreign").write_bytes(b"foreign")
        workspace.unmount()
        target = workspace.root / "files"
        plain = {b"foreign": b"foreign", b"personal": b"personal"}
        result = workspace.ctl("leave", workspace.backing, target, status=UNREACHABLE)
        self.assertIn("workspace 'work' is not mounted", result.stderr)
        self.assertEqual(content(target), {**plain, MARK.encode(): b""})
        # The directory's own daemon is asked without being named.
        workspace.mount()
        workspace.unlock()
        workspace.ctl("leave", workspace.backing, target)
        self.assertEqual(content(target), {**plain, b"sealed": b"sealed"})
        workspace.unmount()
        refused = workspace.ctl("workspace", "remove", "work", status=REFUSED)
        self.assertIn(f"mamctl leave {workspace.backing} DEST", refused.stderr)
        removed = workspace.ctl("workspace", "remove", "work", "--confirm", "work")
        self.assertIn(f"mamctl leave {workspace.backing} DEST\n", removed.stdout)
        target = workspace.root / "later"
        workspace.ctl("leave", workspace.backing, target, status=UNREACHABLE)
        self.assertEqual(content(target), {**plain, MARK.encode(): b""})


if __name__ == "__main__":
    unittest.main()
