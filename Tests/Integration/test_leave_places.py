"""`leave`: where a copy may be made, and what another user of those places gains."""
import os
import shutil
import subprocess
import threading
import unittest

from leave_case import MARK, TEMPORARY, LeaveCase, content
from ordinary_user import NOBODY
from posix_calls import EXCHANGE, rename2
from workspace import DONE, NO, NOT_FOUND, pattern

NEEDS = ("strace",)
SECRET = b"what nobody may have"


class Places(LeaveCase):
    """Where a copy may be made."""

    def refuse(self, words, **options):
        result = self.leave(status=NO, **options)
        self.assertRegex(result.stderr, words)

    def setUp(self):
        super().setUp()
        self.write(self.directory / "file", b"content")

    def test_neither_is_within_the_other(self):
        self.refuse("within the other", target=self.source / "files")
        self.assertEqual(os.listdir(self.source), ["file"])
        self.refuse("within the other", target=self.source)
        (self.source / "folder").mkdir()
        self.refuse("within the other", target=self.source / "folder" / ".")
        (self.place / MARK).touch()
        shutil.copytree(self.source, self.place / "inner")
        self.refuse("within the other", source=self.place / "inner", target=self.place)
        (self.place / "link").symlink_to(self.source)
        self.refuse("within the other", target=self.place / "link" / "files")
        self.assertEqual(sorted(os.listdir(self.source)), ["file", "folder"])

    @unittest.skipUnless(os.getuid() == 0, "mounts")
    def test_nor_by_another_way(self):
        (self.source / "folder").mkdir()
        self.target.mkdir()
        subprocess.run(["mount", "--bind", self.source / "folder", self.target], check=True)
        try:
            self.refuse("is where the copy is made")
        finally:
            subprocess.run(["umount", "-l", self.target], check=True)
        self.assertEqual(sorted(os.listdir(self.source / "folder")), [MARK, "file"])

    def test_no_link_and_no_file(self):
        (self.place / "real").mkdir()
        self.target.symlink_to("real")
        for name in ("files", "files/", "files//"):
            self.refuse("not a directory, or a symbolic link", target=f"{self.place}/{name}")
        self.target.unlink()
        self.target.symlink_to("missing")
        self.refuse("not a directory, or a symbolic link")
        self.target.unlink()
        self.target.write_bytes(b"mine")
        self.refuse("not a directory, or a symbolic link")
        self.assertEqual(self.target.read_bytes(), b"mine")
        self.assertEqual(os.listdir(self.place / "real"), [])
        self.leave(status=NOT_FOUND, target=self.place / "no" / "where")
        self.leave(status=NOT_FOUND, source=self.place / "missing")

    def test_nothing_that_has_files(self):
        self.target.mkdir(mode=0o755)
        (self.target / "file").write_bytes(b"mine")
        self.refuse("is not empty")
        self.assertEqual(os.stat(self.target).st_mode & 0o777, 0o755)
        self.assertEqual(content(self.target), {b"file": b"mine"})

    def test_an_empty_one_becomes_the_callers_alone(self):
        self.target.mkdir()
        self.target.chmod(0o777)
        os.mkfifo(self.source / "pipe")
        self.refuse("pipe")
        self.assertEqual(os.stat(self.target).st_mode & 0o777, 0o700)

    @unittest.skipUnless(os.getuid() == 0, "another user's")
    def test_no_strangers_directory_and_no_strangers_mark(self):
        self.target.mkdir()
        os.chown(self.target, NOBODY, NOBODY)
        self.refuse("another user's")
        os.chown(self.target, 0, 0)
        (self.target / MARK).touch()
        os.chown(self.target / MARK, NOBODY, NOBODY)
        (self.target / "file").symlink_to("/etc/passwd")
        self.refuse("not of this command")
        (self.target / MARK).unlink()
        (self.target / MARK).symlink_to("/etc/passwd")
        self.leave(status=NO)
        self.assertEqual(os.readlink(self.target / "file"), "/etc/passwd")

    def test_no_mount(self):
        self.refuse("encrypts by itself", target=self.directory / "files")
        self.assertFalse((self.directory / "files").exists())
        (self.directory / "folder").mkdir()
        self.refuse("encrypts by itself", target=self.directory / "folder")
        result = self.leave(status=NO, source=self.directory)
        self.assertIn("is in the mounted workspace 'work'", result.stderr)
        self.assertIn(f"mamctl leave {self.workspace.backing} DEST", result.stderr)
        self.assertFalse(self.target.exists())


class Accomplices(LeaveCase):
    def test_a_name_that_is_swapped_leads_nowhere_else(self):
        """Directory and link, file and link, file and pipe change places all the time."""
        outside = self.place / "outside"
        outside.mkdir()
        (outside / "inner").write_bytes(SECRET)
        for name in ("folder", "file", "plain"):
            (self.source / name).mkdir() if name == "folder" else (
                self.source / name).write_bytes(b"content")
        (self.source / "folder" / "inner").write_bytes(b"content")
        (self.source / "folder-link").symlink_to(outside)
        (self.source / "file-link").symlink_to(outside / "inner")
        os.mkfifo(self.source / "plain-pipe")
        ended = threading.Event()

        def swap():
            while not ended.is_set():
                for one, other in (("folder", "folder-link"), ("file", "file-link"),
                                   ("plain", "plain-pipe")):
                    rename2(self.source / one, self.source / other, EXCHANGE)

        thread = threading.Thread(target=swap)
        thread.start()
        try:
            for number in range(20):
                target = self.place / str(number)
                self.leave(status=(NO, DONE), target=target)
                for path, found in content(target).items():
                    if found is not None and not os.path.islink(os.path.join(
                            os.fsencode(target), path)):
                        self.assertIn(found, (b"content", b""), path)
        finally:
            ended.set()
            thread.join()

    def test_a_directory_that_was_opened_stays_that(self):
        outside = self.place / "outside"
        outside.mkdir()
        (outside / "inner").write_bytes(SECRET)
        (self.source / "folder").mkdir()
        (self.source / "folder" / "inner").write_bytes(b"content")
        # The same calls each time.
        trace = self.place / "opens"
        self.leave(target=self.place / "first", prefix=(
            "strace", "-qq", "-o", trace, "-e", "trace=openat"))
        opens = trace.read_text().splitlines()
        count = 1 + next(
            at for at, line in enumerate(opens) if '"folder"' in line and "O_PATH" in line)
        with self.stopped_after("openat", count) as process:
            os.rename(self.source / "folder", self.source / "moved")
            (self.source / "folder").symlink_to(outside)
        self.assertEqual(process.returncode, DONE)
        self.assertEqual(content(self.target), {b"folder": None, b"folder/inner": b"content"})

    def test_a_file_that_changes_while_it_is_copied_is_left_out(self):
        self.write(self.directory / "file", pattern(100_000))
        with self.stopped_before_the_name() as process:
            self.assertEqual(sorted(os.listdir(self.target)), [MARK, TEMPORARY])
            self.write(self.directory / "file", pattern(100_000, 1))
        self.assertEqual(process.returncode, NO)
        self.assertIn("file has changed while it was read", self.log("err"))
        self.assertEqual(os.listdir(self.target), [MARK])
        self.leave()
        self.assert_whole()

    def test_only_one_at_a_time(self):
        self.write(self.directory / "file", b"content")
        with self.stopped_before_the_name() as process:
            self.assertIn("another mamctl leave", self.leave(status=NO).stderr)
        self.assertEqual(process.returncode, DONE)
        self.assert_whole()


if __name__ == "__main__":
    unittest.main()
