"""By what descriptors the daemon holds the files that the kernel knows: such as may read them, or
not."""
import collections
import os
import pathlib
import subprocess
import unittest

from workspace import (
    ANN, PERSONAL, Workspace, WorkspaceCase, kept_known, make_the_kernel_forget, pattern,
    wait_until)

PATH_ONLY = 0x20_0000


@unittest.skipUnless(os.getuid() == 0, "mounts the file system that it looks at")
class OnTemporary(WorkspaceCase):
    kind = "tmpfs"
    has_attributes = True
    may_read = True

    @classmethod
    def setUpClass(cls):
        cls.workspace = Workspace()
        try:
            subprocess.run(
                ["mount", "-t", cls.kind, "-o", "mode=0700", "none", cls.workspace.backing],
                check=True)
            cls.workspace.init().mount().register()
        except BaseException:
            cls.tearDownClass()
            raise

    @classmethod
    def tearDownClass(cls):
        subprocess.run(["umount", "--lazy", cls.workspace.backing], stderr=subprocess.DEVNULL)
        cls.workspace.close()

    def setUp(self):
        super().setUp()
        self.file = self.write(self.directory / "file", pattern(10_000))
        self.fifo, self.link, self.folder = (
            self.directory / name for name in ("fifo", "link", "folder"))
        os.mkfifo(self.fifo)
        self.link.symlink_to("file")
        self.folder.mkdir()
        self.forget()

    def forget(self, but=()):
        """The kernel knows no file of this test, but for those that are open."""
        def is_forgotten():
            make_the_kernel_forget()
            return self.held().keys() <= set(but)

        wait_until(is_forgotten, message="the daemon holds what the kernel has forgotten")

    def held(self):
        """For each file in this test's directory the flags of the daemon's descriptors."""
        pid = self.workspace.daemon()
        prefix = f"{self.workspace.on_disk(self._testMethodName)}/"
        found = collections.defaultdict(list)
        for number in os.listdir(f"/proc/{pid}/fd"):
            try:
                path = os.readlink(f"/proc/{pid}/fd/{number}")
                lines = pathlib.Path(f"/proc/{pid}/fdinfo/{number}").read_text().splitlines()
            except FileNotFoundError:
                continue
            (flags,) = [int(line.split()[1], 8) for line in lines if line.startswith("flags:")]
            if path.startswith(prefix):
                found[path.removeprefix(prefix)].append(flags)
        return found

    def check(self):
        with kept_known(self.file, self.fifo, self.link, self.folder):
            found = self.held()
        for name in ("fifo", "link", "folder"):
            self.assertTrue(found[name][0] & PATH_ONLY, name)
        (flags,) = found["file"]
        self.assertEqual(not flags & PATH_ONLY, self.may_read)
        if self.may_read:
            self.assertEqual(flags & os.O_ACCMODE, os.O_RDONLY)

    def test_listed(self):
        self.assertEqual(
            {entry.name: entry.stat(follow_symlinks=False).st_size
            for entry in os.scandir(self.directory)}["file"], 10_000)
        self.check()

    def test_looked_up(self):
        for path in (self.file, self.fifo, self.link, self.folder):
            os.lstat(path)
        self.assertEqual(self.file.stat().st_size, 10_000)
        self.check()

    def test_a_fifo_is_not_opened(self):
        """A writer that opens it would take the daemon for the reader that it waits for."""
        writer = subprocess.Popen(["sh", "-c", 'echo > "$1"', "sh", self.backing_of(self.fifo)])
        self.addCleanup(writer.wait)
        self.addCleanup(writer.kill)
        wait_until(lambda: self.waits_for_a_reader(writer))
        for look in (
                lambda: os.lstat(self.fifo),
                lambda: [
                    entry.stat(follow_symlinks=False) for entry in os.scandir(self.directory)]):
            self.forget()
            look()
        self.forget()
        self.assertTrue(self.waits_for_a_reader(writer))

    def waits_for_a_reader(self, writer):
        """A reader that comes and goes takes it out of its open(2) for good."""
        return "fifo_open" in pathlib.Path(f"/proc/{writer.pid}/stack").read_text()

    def test_made(self):
        path = self.write(self.directory / "new", pattern(5_000))
        with kept_known(path):
            # The kernel tells of a close once the closing program has gone on.
            wait_until(lambda: len(self.held()["new"]) == 1)
            (flags,) = self.held()["new"]
        self.assertEqual(not flags & PATH_ONLY, self.may_read)
        self.assertEqual(path.read_bytes(), pattern(5_000))

    def test_read_then_written_by_others(self):
        with open(self.file, "rb", buffering=0) as reader:
            self.assertEqual(reader.read(100), pattern(10_000)[:100])
            with open(self.file, "r+b", buffering=0) as writer:
                os.pwrite(writer.fileno(), b"changed", 50)
                os.fsync(writer.fileno())
            self.assertEqual(os.pread(reader.fileno(), 7, 50), b"changed")
        self.forget()
        self.assertEqual(self.file.read_bytes()[50:57], b"changed")

    def test_given_to_another_while_it_is_read(self):
        if self.has_attributes:
            os.setxattr(self.file, "user.x", b"value")
        with open(self.file, "rb", buffering=0) as reader:
            self.assertEqual(os.pread(reader.fileno(), 100, 0), pattern(10_000)[:100])
            for owner in (PERSONAL, ANN):
                self.workspace.serving("protect", self.file, "--owner", owner, "--unmanaged")
                self.forget(but=["file"])
                self.assertEqual(os.pread(reader.fileno(), 10_000, 0), pattern(10_000))
                if self.has_attributes:
                    self.assertEqual(os.getxattr(self.file, "user.x"), b"value")
        # What it is now is not what was held.
        self.assertEqual(self.file.read_bytes(), pattern(10_000))
        self.assertEqual(self.workspace.owner(self.file), ANN)

    def test_replaced_behind_the_mount(self):
        backing = self.backing_of(self.file)
        os.lstat(self.file)
        self.workspace.unmount()
        backing.unlink()
        os.mkfifo(backing)
        self.workspace.mount()
        self.workspace.unlock()
        with kept_known(self.file):
            self.assertTrue(self.held()["file"][0] & PATH_ONLY)


class WithoutRights(WorkspaceCase):
    """A file that its owner may neither read nor write; an ordinary user's daemon may not either
    (test_user)."""

    def test_is_known_and_can_be_had_back(self):
        path = self.write(self.directory / "file", pattern(10_000))
        path.chmod(0)
        self.workspace.remount()
        self.assertEqual(path.stat().st_size, 10_000)
        (entry,) = os.scandir(self.directory)
        self.assertEqual(entry.stat().st_size, 10_000)
        self.assertEqual(path.stat().st_mode & 0o7777, 0)
        path.chmod(0o600)
        self.assertEqual(path.read_bytes(), pattern(10_000))
        with open(path, "r+b") as file:
            file.write(b"more")
        self.assertEqual(path.read_bytes()[:10], b"more" + pattern(10_000)[4:10])


class Elsewhere(OnTemporary):
    """A file system that is not known to be of this machine's alone: nothing is held open there
    that nobody has open."""
    kind = "ramfs"
    has_attributes = False
    may_read = False


if __name__ == "__main__":
    unittest.main()
