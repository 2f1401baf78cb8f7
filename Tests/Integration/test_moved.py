"""A backing directory that is not where the settings have it: renamed, or on a disk that is not
attached. No hint goes in circles, and what is confirmed is remembered."""
import json

from workspace import NO, NOT_FOUND, UNREACHABLE, USAGE, WorkspaceCase

CONFIRM = (
    "attach their disk; if they were moved: mamctl mount --name work BACKING MOUNTPOINT; if they "
    "are gone: mamctl workspace remove work")


class Moved(WorkspaceCase):
    def setUp(self):
        super().setUp()
        self.write(self.directory / "file", b"content")
        self.workspace.unmount()
        self.old = self.workspace.backing
        self.unit = self.workspace.root / "config_home" / "mamd" / "work" / "mount"
        self.unit.write_text(
            f"# where\nBACKING={self.old}\nMOUNTPOINT={self.workspace.mount_point}\nOPTIONS=rw\n")
        self.new = self.workspace.root / "else  where"
        self.old.rename(self.new)

    def tearDown(self):
        if self.new.exists():
            self.new.rename(self.old)
            self.workspace.ctl(
                "mount", "--name", "work", self.old, self.workspace.mount_point)
        else:
            self.workspace.mount()
        self.workspace.unlock()

    def assert_named(self):
        place = self.workspace.mount_point
        said = self.workspace.ctl("status", status=UNREACHABLE).stdout
        self.assertIn(f"missing  {self.old}\n", said)
        self.assertIn(f"next  {CONFIRM}\n", said)
        (told,) = json.loads(self.workspace.ctl("status", "--json", status=UNREACHABLE).stdout)
        self.assertEqual((told["missing"], told["next"]), (True, CONFIRM))
        for words in (
                ("mount", self.old, place), ("init", self.old, "--name", "work"),
                ("setup", "--backing", self.old, "--name", "work", "--no-account",
                 "--no-service", place)):
            said = self.workspace.ctl(*words, status=NOT_FOUND).stderr
            self.assertIn(f"the files of the workspace 'work' are not at {self.old}\n", said)
            self.assertIn(CONFIRM, said)

    def test_what_is_missing_is_named(self):
        self.assert_named()
        # The directory that a disk covered.
        self.old.mkdir()
        self.assert_named()
        self.old.rmdir()

    def test_what_is_refused_has_changed_nothing(self):
        settings = self.unit.parent
        kept = {path.name: path.read_bytes() for path in settings.iterdir() if path.is_file()}
        manifest = self.new / ".mamd" / "workspace.json"
        known = manifest.read_bytes()
        absent = self.workspace.root / "absent"
        said = self.workspace.ctl("mount", "--name", "work", self.new, absent, status=NOT_FOUND)
        self.assertIn(f"mkdir {absent}", said.stderr)
        place = self.workspace.mount_point
        said = self.workspace.ctl("mount", "--name", "other", self.new, place, status=NO).stderr
        self.assertIn("is the workspace 'work', which was moved", said)
        self.assertIn("mamctl workspace rename work other", said)
        self.assertFalse((settings.parent / "other").exists())
        self.assertEqual(manifest.read_bytes(), known)
        self.assertEqual(
            {path.name: path.read_bytes() for path in settings.iterdir() if path.is_file()}, kept)

    def test_the_only_workspace_needs_no_paths(self):
        place = self.workspace.mount_point
        self.assertIn(CONFIRM, self.workspace.ctl("mount", status=NOT_FOUND).stderr)
        self.new.rename(self.old)
        self.workspace.ctl("mount")
        self.assertTrue(place.is_mount())
        said = self.workspace.ctl("mount", status=USAGE).stderr
        self.assertIn(f"mounted already: {place}\n", said)
        self.workspace.ctl("unmount")
        self.assertFalse(place.is_mount())
        said = self.workspace.ctl("unmount", status=USAGE).stderr
        self.assertIn("no workspace is mounted", said)
        said = self.workspace.ctl("lock", status=UNREACHABLE).stderr
        self.assertIn(f"try: mamctl mount {self.old} {place}\n", said)
        place.rmdir()
        said = self.workspace.ctl("mount", status=NOT_FOUND).stderr
        self.assertIn(f"mkdir {place}, or mamctl mount {self.old} MOUNTPOINT", said)
        place.mkdir()

    def test_a_mount_point_that_moved_too_is_remembered(self):
        place = self.workspace.mount_point
        moved = place.rename(self.workspace.root / "Moved")
        try:
            self.workspace.ctl("mount", "--name", "work", self.new, moved)
            self.workspace.ctl("unmount", moved)
            said = self.workspace.ctl("status", status=UNREACHABLE).stdout
            self.assertIn(f"next  mamctl mount '{self.new}' {moved}\n", said)
            self.workspace.ctl("mount")
            self.assertTrue(moved.is_mount())
            self.workspace.ctl("unmount", moved)
            # One that is there stays, wherever it is mounted once.
            place.mkdir()
            self.workspace.ctl("mount", "--name", "work", self.new, place)
            self.workspace.ctl("unmount", place)
            self.assertIn(f"MOUNTPOINT={moved}\n", self.unit.read_text())
        finally:
            place.is_dir() or place.mkdir()
            moved.rmdir()

    def test_what_is_confirmed_is_remembered(self):
        place = self.workspace.mount_point
        self.workspace.ctl("mount", "--name", "work", self.new, place)
        self.assertEqual(
            self.unit.read_text(),
            f"# where\nBACKING={self.new}\nMOUNTPOINT={place}\nOPTIONS=rw\n")
        self.workspace.unmount()
        self.assertNotIn("missing", self.workspace.ctl("status", status=UNREACHABLE).stdout)
        self.workspace.ctl("mount", self.new, place)
        self.assertIn(f"backing  {self.new}\n", self.workspace.ctl("status").stdout)
        self.workspace.unlock()
        self.assertEqual((self.directory / "file").read_bytes(), b"content")
        self.workspace.unmount()
