"""Verbs that write files refuse a backing directory that a daemon serves: nothing would encrypt
what they put there."""
import os
import shutil

from workspace import ANN, NO, Workspace, WorkspaceCase

CONTENT = b"for nobody else"


class BackingPlace(WorkspaceCase):
    def setUp(self):
        super().setUp()
        self.file = self.write(self.directory / "file", CONTENT)
        self.source = self.backing_of(self.directory)
        self.out = self.source / "out"

    def refuse(self, *verb, out=None, workspace=None, **options):
        """Names the file, the reason and a place to write to, and leaves nothing behind."""
        out, workspace = out or self.out, workspace or self.workspace
        before = sorted(os.listdir(self.source))
        result = self.workspace.ctl(*verb, status=NO, **options)
        self.assertIn(
            f"{out} would be in the backing directory of the mounted workspace"
            f" '{workspace.name}'", result.stderr)
        self.assertRegex(result.stderr, f"outside, or in the workspace's mount, {workspace.path()}")
        self.assertEqual(sorted(os.listdir(self.source)), before)

    def test_what_is_opened(self):
        self.refuse("decrypt", self.file, "-o", self.out)
        self.refuse("decrypt", self.file, "-o", f"{self.source}/", out=self.source / "file")
        self.refuse("decrypt", self.backing_of(self.file), "-o", self.out)
        self.refuse("data", "unprotect", self.backing_of(self.file), "-o", self.out)
        self.refuse("provider", "import", self.file, self.out)

    def test_what_is_sealed(self):
        plain = self.write(self.workspace.root / "plain", CONTENT)
        self.refuse("encrypt", plain, "-o", self.out, "--owner", ANN)
        self.refuse("provider", "fetch", plain, self.out, "--owner", ANN)

    def test_in_place(self):
        sealed = self.backing_of(self.file)
        before = sealed.read_bytes()
        self.refuse("decrypt", sealed, out=sealed)
        self.assertEqual(sealed.read_bytes(), before)

    def test_reports_and_keys(self):
        self.refuse("report", "--html", self.out)
        self.refuse("account", "export", ANN, "-o", self.out)

    def test_leave(self):
        other = Workspace(name="other").init()
        self.addCleanup(other.close)
        other.mount()
        for place in (other.on_disk("files"), other.on_disk()):
            self.refuse("leave", self.source, place, out=place, workspace=other)
        self.assertEqual(os.listdir(other.backing), [".mamd"])

    def test_a_copy_of_the_directory_is_an_ordinary_one(self):
        copy = self.workspace.root / "copy"
        shutil.copytree(self.workspace.backing, copy)
        self.workspace.ctl("decrypt", self.file, "-o", copy / "out")
        self.assertEqual((copy / "out").read_bytes(), CONTENT)

    def test_so_is_one_that_nobody_serves(self):
        other = Workspace(name="idle").init()
        self.addCleanup(other.close)
        self.workspace.ctl("decrypt", self.file, "-o", other.on_disk("out"))
        self.assertEqual(other.on_disk("out").read_bytes(), CONTENT)

    def test_a_mount_in_such_a_directory_encrypts(self):
        self.workspace.ctl("decrypt", self.file, "-o", self.directory / "out")
        self.assertEqual((self.directory / "out").read_bytes(), CONTENT)
