"""A store that opens files by their paths and exchanges no names, which a preloaded library stands
in for: what replaces a file stays whole."""
import os

import preloaded
from workspace import ANN, ROOT, WorkspaceCase, pattern

SIZES = (1, 3000, 70_000, 5 << 20)


class Replaced(WorkspaceCase):
    def setUp(self):
        self.workspace.unmount()
        preloaded.preload("store_of_paths", ROOT / ".build", self.workspace.environment)
        self.workspace.mount()
        self.workspace.unlock()
        super().setUp()

    def protect(self, path, owner):
        self.workspace.ctl("protect", "--owner", owner, "--unmanaged", path)
        self.assertEqual(
            self.workspace.is_managed_on_disk(self.backing_of(path)), owner != "")

    def test_the_new_file_is_whole_whoever_had_the_old_one(self):
        for size in SIZES:
            data = pattern(size, size)
            path = self.write(self.directory / f"file{size}", data)
            with open(path, "rb", buffering=0) as held:
                for owner in (ANN, "", ANN):
                    with self.subTest(size=size, owner=owner):
                        self.protect(path, owner)
                        self.assertEqual(os.pread(held.fileno(), size + 1, 0), data)
                        self.workspace.lock()
                        self.workspace.unlock()
                        self.assertEqual(path.read_bytes(), data)
        self.workspace.remount()
        for size in SIZES:
            path = self.directory / f"file{size}"
            self.assertEqual(path.read_bytes(), pattern(size, size))
            self.assertEqual(self.workspace.decode(self.backing_of(path)), pattern(size, size))
