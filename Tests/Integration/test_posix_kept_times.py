"""Times after the kernel's forgetting and a remount; which reads move the access time."""
import contextlib
import os
import pathlib
import subprocess
import threading
import time
import unittest

from posix_calls import AT_FDCWD
from posix_times import times_now
from workspace import (
    Workspace, WorkspaceCase, make_the_kernel_forget, wait_until)

ACCESS, MODIFICATION, CHANGE = range(3)
# Access times are moved by reads that follow with every option but the two that say no.
LONG_AGO = (1_000_000_000, 2_000_000_000)


def times_of(path):
    # Not by a descriptor: with a path the kernel looks again at what it forgets meanwhile.
    return times_now(AT_FDCWD, os.fsencode(path))


def now():
    seconds, nanoseconds = divmod(time.clock_gettime_ns(time.CLOCK_REALTIME), 1_000_000_000)
    return seconds, nanoseconds


CHANGES = {
    "write": lambda path: path.write_bytes(b"y" * 9000),
    "append": lambda path: path.open("ab").write(b"more"),
    "chmod": lambda path: path.chmod(0o640),
    "setxattr": lambda path: os.setxattr(path, "user.note", b"x"),
    "link": lambda path: os.link(path, f"{path}.second"),
    "rename": lambda path: (os.rename(path, f"{path}.x"), os.rename(f"{path}.x", path)),
    "truncate": lambda path: os.truncate(path, 100),
    "utimens": lambda path: os.utime(path, ns=(123_456_789, 987_654_321)),
    "utimens to now": os.utime,
}


@unittest.skipUnless(os.geteuid() == 0, "only root can make the kernel forget")
class KeptTimes(WorkspaceCase):
    def changed(self):
        """A file or directory for each change, some time after it was made."""
        for name in CHANGES:
            self.write(self.directory / name, b"x" * 5000)
        (self.directory / "folder").mkdir()
        os.symlink("nowhere", self.directory / "symbolic")
        time.sleep(0.012)
        for name, change in CHANGES.items():
            change(self.directory / name)
        (self.directory / "folder").chmod(0o700)
        (self.directory / "folder" / "inner").mkdir()
        return [*map(self.directory.joinpath, CHANGES), self.directory / "folder",
                self.directory / "folder" / "inner", self.directory / "symbolic"]

    def check(self, step):
        paths = self.changed()
        before = {path: times_of(path) for path in paths}
        os.sync()
        synced = now()
        step()
        after = {path: times_of(path) for path in paths}
        for path in paths:
            with self.subTest(path=path.name):
                self.assertEqual(after[path][:CHANGE], before[path][:CHANGE])
                if path.name in CHANGES:
                    # The backing file's own: that of the moment in which the kernel told the time.
                    self.assertGreaterEqual(after[path][CHANGE], before[path][CHANGE])
                    self.assertLessEqual(after[path][CHANGE], synced)
                else:
                    self.assertEqual(after[path], before[path])
        step()
        self.assertEqual({path: times_of(path) for path in paths}, after)

    def test_after_the_kernel_has_forgotten(self):
        self.check(make_the_kernel_forget)

    def test_after_a_remount(self):
        self.check(self.workspace.remount)

    def check_quick_files(self, prefix):
        """Of files that are written in the same tick of the kernel's clock in which they were made,
        and stored some ticks later."""
        paths = [self.directory / f"{prefix}{number}" for number in range(200)]
        with contextlib.ExitStack() as stack:
            for path in paths:
                stack.enter_context(path.open("wb", buffering=0)).write(b"x")
            time.sleep(0.05)
        before = [times_of(path)[MODIFICATION] for path in paths]
        make_the_kernel_forget()
        self.assertEqual([times_of(path)[MODIFICATION] for path in paths], before)

    def test_of_files_that_were_written_as_soon_as_they_were_made(self):
        self.check_quick_files("quick")

    def test_beside_sync(self):
        """Of which the kernel tells the time before the data is stored."""
        is_over = threading.Event()

        def sync():
            while not is_over.is_set():
                os.sync()

        thread = threading.Thread(target=sync)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(is_over.set)
        for number in range(5):
            self.check_quick_files(f"synced{number}-")


class AccessTimes(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace()
        self.addCleanup(self.close)

    def close(self):
        self.workspace.close()
        if os.path.ismount(self.workspace.backing):
            subprocess.run(["umount", "-l", self.workspace.backing], check=True)
        subprocess.run(["rm", "-r", self.workspace.root], stderr=subprocess.DEVNULL)

    def mounted(self, *options):
        self.workspace.init().mount(*(("-o", ",".join(options)) if options else ()))
        self.file = self.workspace.path("file")
        self.workspace.run_as(
            "ann.personal@example.org", "sh", "-c", 'echo text > "$1"', "sh", self.file)
        self.folder = self.workspace.path("folder")
        self.folder.mkdir()
        self.folder.joinpath("inner").mkdir()

    def moves(self, path, read):
        before = times_of(path)
        time.sleep(0.012)
        read(path)
        after = times_of(path)
        self.assertEqual(after[MODIFICATION:], before[MODIFICATION:], "a read changed something")
        return before[ACCESS] != after[ACCESS]

    def moves_when_old(self):
        """Whether a read moves the file's, and a listing the directory's, both long not read."""
        for path in (self.file, self.folder):
            os.utime(path, ns=LONG_AGO)
        read = pathlib.Path.read_bytes
        return self.moves(self.file, read), self.moves(self.folder, os.listdir)

    def test_without_an_option(self):
        self.mounted()
        self.assertEqual(self.moves_when_old(), (True, True))

    def test_noatime(self):
        self.mounted("noatime")
        self.assertEqual(self.moves_when_old(), (False, False))

    @unittest.skipUnless(os.geteuid() == 0, "fusermount3 does not know it")
    def test_nodiratime(self):
        self.mounted("nodiratime")
        self.assertEqual(self.moves_when_old(), (True, False))

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_what_a_later_change_of_the_mount_says(self):
        self.mounted()
        for option, expected in (
                ("noatime", (False, False)), ("nodiratime,atime,relatime", (True, False)),
                ("diratime,atime,relatime", (True, True))):
            subprocess.run(
                ["mount", "-i", "-o", f"remount,bind,{option}", self.workspace.mount_point],
                check=True)
            # The daemon asks once in a second.
            wait_until(
                lambda: self.moves_when_old() == expected, message=f"{option} is not followed")
            self.assertEqual(self.moves_when_old(), expected)

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_strictatime_and_relatime_over_a_strict_backing_directory(self):
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "strictatime,mode=700", "tmpfs", self.workspace.backing],
            check=True)
        self.mounted("strictatime")
        # The second read of what has not changed since the first.
        for expected in (True, False):
            self.file.read_bytes()
            os.listdir(self.folder)
            self.assertEqual(self.moves(self.file, pathlib.Path.read_bytes), expected)
            self.assertEqual(self.moves(self.folder, os.listdir), expected)
            self.workspace.unmount()
            self.workspace.mount()


if __name__ == "__main__":
    unittest.main()
