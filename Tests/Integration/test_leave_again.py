"""`leave`: the same command goes on, and what has changed since is not taken for copied."""
import json
import os
import signal
import subprocess
import unittest

from leave_case import MARK, TEMPORARY, LeaveCase, content
from workspace import ANN, CLOSED, DONE, NO, pattern

NEEDS = ("strace",)


class Again(LeaveCase):
    def test_a_killed_run_is_gone_on_with(self):
        self.files()
        for _ in range(2):
            self.leave(
                status=None, prefix=(
                    "strace", "-qq", "-o", self.place / "trace", "-e", "trace=fsync",
                    "-e", "inject=fsync:signal=KILL:when=2"))
            found = os.listdir(self.target)
            self.assertIn(MARK, found)
            shown = content(self.directory)
            for name in set(found) - {MARK, TEMPORARY}:
                self.assertEqual((self.target / name).read_bytes(), shown[os.fsencode(name)])
        self.leave()
        self.assert_whole()

    def test_an_interrupted_run_leaves_no_unfinished_file(self):
        self.write(self.directory / "file", b"content")
        with self.stopped_before_the_name() as process:
            os.kill(self.stopped, signal.SIGINT)
        self.assertNotEqual(process.returncode, DONE)
        self.assertEqual(os.listdir(self.target), [MARK])
        self.leave()
        self.assert_whole()

    def test_what_was_copied_and_has_changed_is_not_replaced(self):
        self.files()
        os.mkfifo(self.source / "pipe")
        self.leave(status=NO)
        (self.target / "personal").write_bytes(b"my own now")
        self.write(self.directory / "sealed", b"new")
        os.unlink(self.source / "pipe")
        result = self.leave(status=NO)
        for name in ("sealed", "personal"):
            self.assertIn(str(self.source / name), result.stderr)
        self.assertEqual((self.target / "personal").read_bytes(), b"my own now")
        self.assertEqual((self.target / "sealed").read_bytes(), pattern(100_000))
        for name in ("sealed", "personal"):
            os.unlink(self.target / name)
        self.leave()
        self.assert_whole()

    def test_a_change_that_keeps_the_time_is_noticed(self):
        begin, second = 1_700_000_000 * 10**9, 10**9
        paths = {name: self.write(self.directory / name, b"first", begin)
                 for name in ("same", "near", "mode")}
        self.personal("plain", b"first")
        os.utime(self.directory / "plain", ns=(begin, begin))
        os.mkfifo(self.source / "pipe")
        self.leave(status=NO)
        os.unlink(self.source / "pipe")
        # As an archive is unpacked over it, and within the two seconds that vfat cannot tell.
        for name, time in (("same", begin), ("near", begin + 3 * second // 2), ("plain", begin)):
            (self.directory / name).write_bytes(b"other")
            os.utime(self.directory / name, ns=(time, time))
        paths["mode"].chmod(0o600)
        result = self.leave(status=NO)
        changed = ("near", "plain", "same")
        for name in changed:
            self.assertIn(f"{self.source / name} was copied before", result.stderr)
            self.assertEqual((self.target / name).read_bytes(), b"first")
            (self.target / name).unlink()
        self.assertEqual(result.stderr.count("mamctl: "), len(changed), result.stderr)
        self.assertEqual((self.target / "mode").stat().st_mode & 0o777, 0o600)
        self.leave()
        self.assert_whole()

    def test_a_name_that_is_another_files_there_is_not_taken_for_its_copy(self):
        """As on vfat, where `a` is found although it was `A` that was copied: here no listing has
        the name that is found."""
        (self.directory / "folder").mkdir()
        self.write(self.directory / "folder" / "file", b"content")
        os.mkfifo(self.source / "pipe")
        self.leave(status=NO)
        trace = self.place / "trace"
        self.leave(status=NO, prefix=(
            "strace", "-qq", "-y", "-o", trace, "-e", "trace=getdents64"))
        lists = [f"<{self.target / 'folder'}>" in line for line in trace.read_text().splitlines()]
        result = self.leave(status=NO, prefix=(
            "strace", "-qq", "-o", trace, "-e", "trace=getdents64",
            "-e", f"inject=getdents64:retval=0:when={1 + lists.index(True)}"))
        self.assertIn(
            f"{self.source / 'folder' / 'file'}: another file has its name", result.stderr)

    def test_this_commands_own_names_are_not_taken(self):
        for name in (MARK, TEMPORARY, "file"):
            (self.source / name).write_bytes(b"content")
        result = self.leave(status=NO)
        for name in (MARK, TEMPORARY):
            self.assertIn(f"{self.source / name}: another file has its name", result.stderr)
            (self.source / name).rename(self.source / name[1:])
        self.leave()
        self.assert_whole()

    def test_a_locked_account_is_named_and_the_rest_is_there(self):
        self.files()
        self.write(self.directory / "other", b"sealed too")
        self.workspace.lock()
        try:
            result = self.leave(status=CLOSED)
            each = self.workspace.serving(
                "leave", self.source, self.target, "--verbose", status=CLOSED)
        finally:
            self.workspace.unlock()
        # Of thousands of files for one reason a person needs one, and how many there are.
        self.assertEqual(result.stderr.count("mamctl: "), 1, result.stderr)
        self.assertIn(f"{self.source / 'other'}: account '{ANN}' is locked\n", result.stderr)
        self.assertEqual(result.stderr.count("  try: "), 1)
        self.assertIn(f"left out of {ANN}'s: 2 files\n", result.stdout)
        self.assertIn("--verbose names each", result.stdout)
        for name in ("sealed", "other"):
            self.assertIn(f"{self.source / name}: account", each.stderr)
        self.assertNotIn("--verbose", each.stdout)
        self.assertEqual(
            sorted(os.listdir(self.target)), [MARK, "foreign", "personal"])
        self.assertEqual(os.stat(self.target).st_mode & 0o777, 0o700)
        answer = json.loads(
            self.workspace.serving("leave", self.source, self.target, "--json").stdout)
        self.assertEqual((answer["files"], answer["present"], answer["left"]), (2, 2, []))
        self.assert_whole()


    def test_a_disk_that_goes_away_ends_it(self):
        for number in range(3):
            self.write(self.directory / f"file-{number}", b"content")
        trace = self.place / "trace"
        traced = ("strace", "-qq", "-o", trace, "-e", "trace=openat")
        self.leave(target=self.place / "first", prefix=traced)
        opened = [TEMPORARY in line for line in trace.read_text().splitlines()]
        second = 2 + opened.index(True, 1 + opened.index(True))
        result = self.leave(status=NO, prefix=(
            *traced, "-e", f"inject=openat:error=EIO:when={second - 1}+"))
        self.assertIn(f"{self.target}: Input/output error", result.stderr)
        self.assertEqual(result.stderr.count("mamctl: "), 1, result.stderr)
        self.assertEqual(sorted(os.listdir(self.target)), [MARK, "file-0"])
        self.leave()
        self.assert_whole()


@unittest.skipUnless(os.getuid() == 0, "mounts a small disk")
class FullDisk(LeaveCase):
    def test_a_full_disk_ends_it_and_room_lets_it_go_on(self):
        for number in range(3):
            self.write(self.directory / f"sealed-{number}", pattern(700_000, number))
            self.personal(f"personal-{number}", pattern(700_000, 10 + number))
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=2m,mode=0755", "none", self.place], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", self.place], check=True)
        result = self.leave(status=NO)
        self.assertIn("No space left on device", result.stderr)
        self.assertEqual(result.stderr.count("mamctl: "), 1, result.stderr)
        found, shown = content(self.target), content(self.directory)
        self.assertEqual(found.pop(MARK.encode()), b"")
        self.assertEqual(len(found), 2)
        self.assertEqual(found, {name: shown[name] for name in found})
        subprocess.run(["mount", "-o", "remount,size=9m", self.place], check=True)
        self.leave()
        self.assert_whole()


if __name__ == "__main__":
    unittest.main()
