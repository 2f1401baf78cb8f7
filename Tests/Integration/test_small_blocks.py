"""A file system whose blocks are smaller than ours tears them: `init` refuses it, a mount warns."""
import unittest

from disk_image import DiskImage
from workspace import NO, Workspace


class SmallBlocks(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)

    def disk(self, size):
        disk = DiskImage(self.workspace.root, features=("-b", str(size)))
        self.addCleanup(disk.close)
        self.workspace.backing = disk.path / "backing"
        return disk

    def init(self, *options, status=0):
        return self.workspace.ctl(
            "init", self.workspace.backing, "--name", self.workspace.name, *options, status=status)

    def mount(self):
        self.addCleanup(self.workspace.unmount)
        self.workspace.mount()
        return self.workspace.log.read_text()

    def test_they_are_refused_unless_they_are_meant_and_told_at_each_mount(self):
        self.disk(1024)
        refusal = self.init(status=NO).stderr
        self.assertIn("blocks of 1024 bytes", refusal)
        self.assertIn("--small-blocks", refusal)
        self.assertFalse(self.workspace.backing.exists())
        self.workspace.backing.mkdir()
        self.init(status=NO)
        self.init("--small-blocks")
        self.assertIn("blocks of 1024 bytes", self.mount())

    def test_blocks_of_4096_are_nothing_to_speak_of(self):
        self.disk(4096)
        self.init()
        self.assertNotIn("blocks of", self.mount())


if __name__ == "__main__":
    unittest.main()
