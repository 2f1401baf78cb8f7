"""The limit on the size of files of the program that mounted: it is none of the programs that use
the mount."""
import errno
import os

from workspace import WorkspaceCase, pattern

LIMIT = 1 << 20


class Limited(WorkspaceCase):
    def remount(self, limit):
        self.workspace.unmount()
        self.workspace.ctl(
            "mount", self.workspace.backing, self.workspace.mount_point,
            prefix=["prlimit", f"--fsize={limit}"])
        self.workspace.unlock()

    def test_a_limit_that_may_be_raised_does_not_count(self):
        self.remount(f"{LIMIT}:unlimited")
        path = self.write(self.directory / "file", pattern(4 * LIMIT))
        self.assertEqual(path.read_bytes(), pattern(4 * LIMIT))

    def test_one_that_may_not_be_is_an_error_and_nothing_else_is_harmed(self):
        self.remount(LIMIT)
        other = self.write(self.directory / "other", pattern(10_000))
        with open(self.directory / "file", "wb", buffering=0) as file, self.refused(errno.EFBIG):
            file.write(pattern(4 * LIMIT))
            os.fsync(file.fileno())
        self.assertEqual(other.read_bytes(), pattern(10_000))
        self.workspace.ctl("verify", self.workspace.mount_point)
        self.workspace.remount()
        self.assertEqual(other.read_bytes(), pattern(10_000))
