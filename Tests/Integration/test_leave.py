"""`leave`: whoever goes keeps ordinary files, and knows which ones are missing."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import threading
import unittest

from ordinary_user import NOBODY
from posix_calls import EXCHANGE, rename2
from workspace import (
    ANN, CLOSED, DAMAGED, DONE, NO, NOT_FOUND, PERSONAL, REFUSED, UNREACHABLE, USAGE, Workspace,
    WorkspaceCase, pattern, wait_until)

NEEDS = ("strace",)
MARK, TEMPORARY = ".mamctl-leave", ".mamctl-leave.new"
SECRET = b"what nobody may have"
# Writes a file and does not close it.
WRITER = """
import sys
file = open(sys.argv[1], "r+b", buffering=0)
file.write(b"x" * 20_000)
print("written", flush=True)
sys.stdin.read()
"""


def content(root):
    """Each name below, as bytes, with what it is."""
    found = {}
    top = os.fsencode(root)
    for place, folders, names in os.walk(top):
        for name in [*folders, *names]:
            path = os.path.join(place, name)
            key = os.path.relpath(path, top)
            if os.path.islink(path):
                found[key] = os.readlink(path)
            elif os.path.isdir(path):
                found[key] = None
            else:
                with open(path, "rb") as file:
                    found[key] = file.read()
    return found


class LeaveCase(WorkspaceCase):
    def setUp(self):
        super().setUp()
        self.source = self.backing_of(self.directory)
        self.place = self.workspace.root / f"place-{self._testMethodName}"
        self.place.mkdir()
        self.target = self.place / "files"

    def leave(self, status=DONE, source=None, target=None, **options):
        return self.workspace.serving(
            "leave", source or self.source, target or self.target, status=status, **options)

    def assert_whole(self):
        """All that the mount shows is there, and nothing else."""
        self.assertEqual(content(self.target), content(self.directory))

    def personal(self, name, data):
        """An unmanaged owner's file."""
        path = self.write(self.directory / name, data)
        self.workspace.ctl("protect", path, "--owner", PERSONAL, "--unmanaged", "--quiet")
        return path

    def files(self):
        self.write(self.directory / "sealed", pattern(100_000))
        self.personal("personal", pattern(50_000, 1))
        (self.source / "foreign").write_bytes(pattern(30_000, 2))


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
        self.assertRegex(result.stdout, r"\A9 files, .* copied to .*/files\n\Z")
        self.assertEqual(result.stderr, "")
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

    def test_a_locked_account_is_named_and_the_rest_is_there(self):
        self.files()
        self.write(self.directory / "other", b"sealed too")
        self.workspace.lock()
        try:
            result = self.leave(status=CLOSED)
        finally:
            self.workspace.unlock()
        for name in ("sealed", "other"):
            self.assertIn(str(self.source / name), result.stderr)
        self.assertEqual(result.stderr.count("  try: "), 1)
        self.assertIn(f"left out of {ANN}'s: 2 files\n", result.stdout)
        self.assertEqual(
            sorted(os.listdir(self.target)), [MARK, "foreign", "personal"])
        self.assertEqual(os.stat(self.target).st_mode & 0o777, 0o700)
        answer = json.loads(
            self.workspace.serving("leave", self.source, self.target, "--json").stdout)
        self.assertEqual((answer["files"], answer["present"], answer["left"]), (2, 2, []))
        self.assert_whole()

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

    def test_an_interrupted_run_leaves_no_unfinished_file(self):
        self.write(self.directory / "file", b"content")
        with self.stopped_before_the_name() as process:
            os.kill(self.stopped, signal.SIGINT)
        self.assertNotEqual(process.returncode, DONE)
        self.assertEqual(os.listdir(self.target), [MARK])
        self.leave()
        self.assert_whole()

    def test_only_one_at_a_time(self):
        self.write(self.directory / "file", b"content")
        with self.stopped_before_the_name() as process:
            self.assertIn("another mamctl leave", self.leave(status=NO).stderr)
        self.assertEqual(process.returncode, DONE)
        self.assert_whole()

    def log(self, name):
        return (self.place / name).read_text()

    def stopped_before_the_name(self):
        return self.stopped_after("fsync", 1)

    @contextlib.contextmanager
    def stopped_after(self, calls, count):
        """A run that stands still after so many calls, until the block has ended."""
        with open(self.place / "err", "wb") as errors, subprocess.Popen(
                ["strace", "-qq", "-o", self.place / "trace", "-e", f"trace={calls}",
                 "-e", f"inject={calls}:signal=STOP:when={count}", "mamctl", "leave", self.source,
                 self.target, "--workspace", self.workspace.name],
                stdout=subprocess.DEVNULL, stderr=errors,
                env=self.workspace.environment) as process:
            trace = self.place / "trace"
            wait_until(lambda: trace.exists() and "--- stopped by SIGSTOP" in trace.read_text())
            (pid,) = pathlib.Path(
                f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            self.stopped = int(pid)
            try:
                yield process
            finally:
                os.kill(self.stopped, signal.SIGCONT)
                process.wait(90)

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
