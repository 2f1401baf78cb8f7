"""Threads that take requests do not share a descriptor of /dev/fuse: in the kernel they would wait
for each other there."""
import os
import unittest

from running import open_files
from workspace import WorkspaceCase, wait_until


class Threads(WorkspaceCase):
    def devices(self):
        """The daemon's descriptors of /dev/fuse."""
        return open_files(self.workspace.daemon()).count("/dev/fuse")

    @unittest.skipUnless(os.getuid() == 0, "the daemon shows its descriptors to root alone")
    def test_each_has_a_descriptor_of_its_own(self):
        # The mount's, and one for each of the two threads that libfuse has from the first request.
        self.write(self.directory / "file", b"x")
        wait_until(lambda: self.devices() >= 3, message="they share one")

    def test_libfuse_does_not_complain(self):
        logs = (self.workspace.log, self.workspace.daemon_log)
        said = "".join(log.read_text(errors="replace") for log in logs if log.exists())
        self.assertNotIn("clone_fd", said)
