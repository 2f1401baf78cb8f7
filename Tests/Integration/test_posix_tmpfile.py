"""Files without a name: open(2) with O_TMPFILE, and what a link makes of them."""
import errno
import os

from posix_calls import link_open
from running import open_files
from workspace import ANN, PERSONAL, WorkspaceCase, pattern, wait_until


class TemporaryFiles(WorkspaceCase):
    def open(self, flags=os.O_RDWR, mode=0o640):
        descriptor = os.open(self.directory, os.O_TMPFILE | flags, mode)
        self.addCleanup(os.close, descriptor)
        return descriptor

    def test_it_is_nowhere_until_it_is_linked(self):
        descriptor = self.open()
        os.write(descriptor, pattern(20_000))
        self.assertEqual(os.fstat(descriptor).st_nlink, 0)
        self.assertEqual(os.listdir(self.directory), [])
        self.assertEqual(os.listdir(self.backing_of(self.directory)), [])
        path = self.directory / "linked"
        link_open(descriptor, path)
        self.assertEqual(os.fstat(descriptor).st_nlink, 1)
        self.assertEqual(
            (path.stat().st_ino, path.stat().st_size), (os.fstat(descriptor).st_ino, 20_000))
        os.write(descriptor, b"more")
        self.assertEqual(path.read_bytes(), pattern(20_000) + b"more")

    def test_what_it_holds_is_sealed_and_owned(self):
        descriptor = self.open()
        os.write(descriptor, b"precious " * 2_000)
        os.fsync(descriptor)
        path = self.directory / "linked"
        link_open(descriptor, path)
        self.assertEqual(self.workspace.owner(path), ANN)
        self.assertNotIn(b"precious", self.backing_of(path).read_bytes())
        self.assertEqual(self.workspace.decode(self.backing_of(path)), b"precious " * 2_000)

    def test_somebody_else_s_is_theirs(self):
        path = self.directory / "linked"
        code = (
            f"import os, sys; sys.path.insert(0, {os.path.dirname(__file__)!r})\n"
            f"from posix_calls import link_open\n"
            f"fd = os.open({os.fspath(self.directory)!r}, os.O_TMPFILE | os.O_RDWR)\n"
            f"os.write(fd, b'my own'); link_open(fd, {os.fspath(path)!r})")
        self.workspace.run_as(PERSONAL, "/usr/bin/python3", "-B", "-c", code)
        self.assertEqual(self.workspace.owner(path), PERSONAL)
        self.assertIn(b"my own", self.backing_of(path).read_bytes())

    def test_an_exclusive_one_cannot_be_linked(self):
        descriptor = self.open(os.O_RDWR | os.O_EXCL)
        with self.refused(errno.ENOENT):
            link_open(descriptor, self.directory / "linked")
        self.assertEqual(os.listdir(self.directory), [])

    def test_linking_replaces_nothing(self):
        path = self.write(self.directory / "there", b"old")
        with self.refused(errno.EEXIST):
            link_open(self.open(), path)
        self.assertEqual(path.read_bytes(), b"old")

    def test_what_nobody_links_leaves_nothing(self):
        files = self.files()
        kept = self.open()
        os.write(kept, b"kept")
        # An ordinary user may not look into a daemon that has keys.
        if os.getuid() == 0:
            self.assertEqual(len(self.files_without_name()), 1)
        for _ in range(200):
            descriptor = os.open(self.directory, os.O_TMPFILE | os.O_RDWR)
            os.write(descriptor, b"gone")
            os.close(descriptor)
        self.assertEqual(self.files(), files)
        if os.getuid() == 0:
            wait_until(lambda: len(self.files_without_name()) == 1)

    def files(self):
        return sorted(self.workspace.backing.rglob("*"))

    def files_without_name(self):
        """Those that the daemon has open."""
        place = str(self.backing_of(self.directory))
        return {
            name for name in open_files(self.workspace.daemon())
            if name.startswith(place) and name.endswith(" (deleted)")}

    def test_it_is_locked_like_any_other(self):
        descriptor = self.open()
        os.write(descriptor, pattern(9_000))
        self.workspace.lock()
        self.addCleanup(self.workspace.unlock)
        for attempt in (
                lambda: os.pread(descriptor, 10, 0), lambda: os.pwrite(descriptor, b"x", 0),
                self.open):
            with self.refused(errno.ENOKEY):
                attempt()
        path = self.directory / "linked"
        link_open(descriptor, path)
        self.workspace.unlock()
        self.assertEqual(path.read_bytes(), pattern(9_000))

    def test_it_survives_the_daemon_once_it_is_linked(self):
        descriptor = os.open(self.directory, os.O_TMPFILE | os.O_WRONLY)
        os.write(descriptor, pattern(50_000))
        path = self.directory / "linked"
        link_open(descriptor, path)
        os.close(descriptor)
        self.workspace.remount()
        self.assertEqual(path.read_bytes(), pattern(50_000))
