"""Protection classes: where a file's comes from, and what happens when the rules change."""
import errno
import json
import os

from tracing import tasks
from workspace import (
    CLOSED, DONE, NO, NOT_MANAGED, PERSONAL, USAGE, WorkspaceCase, Workspace, pattern,
    wait_until)

OPEN_POLICY = {"DeviceDefaultProtectionLevel": "NSFileProtectionNone"}


def set_policy(workspace, encryption):
    """Replaces the policy that `init` wrote; the daemon reads it when it starts."""
    for path in (workspace.root / "config_home" / "mamd" / workspace.name / "policies").glob(
            "*.json"):
        document = json.loads(path.read_text())
        path.write_text(json.dumps({**document, "appDataEncryptionType": encryption}))


def set_settings(workspace, **changes):
    path = workspace.root / "config_home" / "mamd" / workspace.name / "settings.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


class Asked(WorkspaceCase):
    """Under a policy that leaves everything open each class can be asked for."""

    @classmethod
    def setUpClass(cls):
        cls.workspace = Workspace(settings=OPEN_POLICY).init()
        set_policy(cls.workspace, "useDeviceSettings")
        cls.workspace.mount().register()

    def ask(self, letter, *paths, status=DONE):
        return self.workspace.ctl("class", "--set", letter, *paths, status=status)

    def class_of(self, path):
        return self.workspace.ctl("class", path).stdout.split("\t")[0]

    def test_children_inherit_and_existing_ones_stay(self):
        before = self.write(self.directory / "before", b"content")
        (self.directory / "folder").mkdir()
        self.ask("B", self.directory)
        after = self.write(self.directory / "after", b"content")
        (self.directory / "new").mkdir()
        below = self.write(self.directory / "new" / "below", b"content")
        found = {path.name: self.class_of(path) for path in self.directory.iterdir()}
        self.assertEqual(found, {"before": "D", "folder": "-", "after": "B", "new": "B"})
        self.assertEqual(self.class_of(below), "B")
        for path in (before, after, below):
            self.assertEqual(path.read_bytes(), b"content")

    def test_it_survives_a_remount_and_a_move(self):
        self.ask("A", self.directory)
        path = self.write(self.directory / "file", b"content")
        moved = self.workspace.path("moved")
        os.rename(path, moved)
        self.workspace.remount()
        self.assertEqual(self.class_of(self.directory), "A")
        self.assertEqual(self.class_of(moved), "A")
        self.assertEqual(self.class_of(self.write(self.directory / "second", b"x")), "A")

    def test_a_file_changes_class_and_keeps_content_and_time(self):
        path = self.write(self.directory / "file", pattern(20_000))
        os.utime(path, ns=(1_000_000_000, 2_000_000_000))
        with open(path, "rb") as held:
            for letter in "ABCDBAD":
                self.ask(letter, path)
                self.assertEqual(self.class_of(path), letter)
                self.assertEqual(os.pread(held.fileno(), 20_000, 0), pattern(20_000))
        self.assertEqual(self.backing_of(path).stat().st_mtime_ns, 2_000_000_000)
        self.assertEqual(self.workspace.decode(self.backing_of(path)), pattern(20_000))

    def test_the_attribute_answers_and_is_not_listed_nor_set(self):
        path = self.write(self.directory / "file", b"content")
        self.ask("B", self.directory, path)
        for place in (path, self.directory):
            self.assertEqual(os.getxattr(place, "user.mam.class"), b"B")
            self.assertEqual(os.listxattr(place), [])
            with self.refused(errno.EPERM):
                os.setxattr(place, "user.mam.class", b"D")
            with self.refused(errno.EPERM):
                os.removexattr(place, "user.mam.class")
        os.setxattr(self.directory, "user.other", b"seen")
        self.assertEqual(os.listxattr(self.directory), ["user.other"])

    def test_a_directory_that_forbids_its_owner_to_write(self):
        self.ask("B", self.directory)
        os.mkdir(self.directory / "sealed", 0o500)
        self.assertEqual(self.class_of(self.directory / "sealed"), "B")
        self.assertEqual((self.directory / "sealed").stat().st_mode & 0o777, 0o500)

    def test_an_unknown_class_in_the_backing_directory_is_taken_for_the_strictest(self):
        self.workspace.unmount()
        os.setxattr(self.backing_of(self.directory), "user.mam.class", b"lenient")
        self.workspace.mount().unlock()
        self.assertEqual(self.class_of(self.write(self.directory / "file", b"x")), "A")

    def test_policy_again(self):
        self.ask("A", self.directory)
        path = self.write(self.directory / "file", b"content")
        self.ask("policy", self.directory, path)
        self.assertEqual([self.class_of(place) for place in (self.directory, path)], ["-", "D"])

    def test_unmanaged_files_have_none(self):
        path = self.directory / "personal"
        self.workspace.write_as(PERSONAL, path, "mine")
        self.assertEqual(self.class_of(path), "-")
        self.ask("A", path, status=NOT_MANAGED)
        self.assertEqual(path.read_text(), "mine")

    def test_who_asks_for_less_than_policy_is_told(self):
        space = Workspace().init()
        self.addCleanup(space.close)
        space.mount().register()
        path = self.write(space.path("file"), b"content")
        answer = space.ctl("class", "--set", "C", path)
        self.assertEqual(answer.stdout, f"A\t{path}\n")
        self.assertIn("policy asks for class A", answer.stderr)
        self.assertEqual(space.ctl("class", "--set", "A", path).stderr, "")

    def test_bad_classes_are_refused(self):
        for letter in ("E", "", "AB", "none"):
            self.ask(letter, self.directory, status=USAGE)

    def test_a_class_b_file_made_open_to_nobody_is_sealed_with_it(self):
        path = self.write(self.directory / "file", pattern(9_000))
        path.read_bytes()
        self.workspace.lock()
        try:
            self.ask("B", path)  # D to B needs the public key alone
            with self.refused(errno.ENOKEY):
                path.read_bytes()
            self.ask("D", path, status=CLOSED)
        finally:
            self.workspace.unlock()
        self.assertEqual(path.read_bytes(), pattern(9_000))


class ChangedRules(WorkspaceCase):
    """The effective class of existing files follows policy and settings."""

    mounted = False

    def setUp(self):
        super().setUp()
        self.space = Workspace().init()
        self.addCleanup(self.space.close)
        self.space.mount().register()

    def files(self, count=20):
        paths = []
        for number in range(count):
            folder = self.space.path(f"folder {number % 3}", "below")
            folder.mkdir(parents=True, exist_ok=True)
            paths.append(self.write(folder / f"file {number}", pattern(5_000, seed=number)))
        return paths

    def classes(self, paths):
        told = json.loads(self.space.ctl("info", "--json", *paths).stdout)
        self.assertEqual(len(told), len(paths))
        return {each["class"] for each in told}

    def test_a_lower_ceiling_reaches_existing_files_at_the_next_unlock(self):
        paths = self.files()
        asked = self.write(self.space.path("asked"), b"asked")
        self.space.ctl("class", "--set", "A", asked)
        self.assertEqual(self.classes(paths), {"A"})
        self.space.unmount()
        set_settings(
            self.space,
            MaxFileProtectionLevel="NSFileProtectionCompleteUntilFirstUserAuthentication")
        self.space.mount()
        info = self.space.info(paths[0])
        self.assertEqual(
            (info["class"], info["effectiveClass"], info["state"]), ("A", "C", "closed"))
        self.assertIn("MaxFileProtectionLevel", info["reason"])
        self.assertIn("after the next unlock", info["reason"])
        with self.refused(errno.ENOKEY):
            paths[0].read_bytes()
        self.space.unlock()
        wait_until(
            lambda: self.classes([*paths, asked]) == {"C"},
            message="not all files were re-wrapped")
        self.space.lock()
        for number, path in enumerate(paths):
            self.assertEqual(path.read_bytes(), pattern(5_000, seed=number))
        self.assertEqual(asked.read_bytes(), b"asked")
        # Back again: what was asked for is kept.
        self.space.unmount()
        set_settings(self.space, MaxFileProtectionLevel="NSFileProtectionComplete")
        set_policy(self.space, "afterDeviceRestart")
        self.space.mount().unlock()
        wait_until(
            lambda: self.classes([asked]) == {"A"},
            message="the file that was asked for is not A again")
        self.assertEqual(self.classes(paths), {"C"})

    def test_a_stricter_policy_reaches_a_file_when_it_is_opened(self):
        set_policy(self.space, "afterDeviceRestart")
        self.space.remount()
        path = self.write(self.space.path("file"), pattern(5_000))
        self.assertEqual(self.classes([path]), {"C"})
        data = self.space.on_disk("file").read_bytes()
        self.space.unmount()
        set_policy(self.space, "whenDeviceLocked")
        self.space.mount().unlock()
        wait_until(lambda: self.classes([path]) == {"A"}, message="not re-wrapped")
        daemon = self.space.daemon()
        wait_until(lambda: not tasks(daemon, "class-update"))
        # The pass over the tree is done; a copy of the old file dropped in is changed when it is
        # opened.
        self.space.on_disk("late").write_bytes(data)
        late = self.space.path("late")
        self.assertEqual(self.classes([late]), {"C"})
        self.assertIn("when it is next opened", self.space.info(late)["reason"])
        self.assertEqual(late.read_bytes(), pattern(5_000))
        self.assertEqual(self.classes([late]), {"A"})
        self.space.lock()
        with self.refused(errno.ENOKEY):
            late.read_bytes()

    def test_a_read_only_mount_changes_nothing(self):
        path = self.files(1)[0]
        before = self.space.on_disk(path.relative_to(self.space.mount_point)).read_bytes()
        self.space.unmount()
        set_settings(self.space, MaxFileProtectionLevel="NSFileProtectionNone")
        self.space.mount("-o", "ro").unlock()
        self.assertEqual(path.read_bytes(), pattern(5_000))
        for place in (path, path.parent):
            self.space.ctl("class", "--set", "A", place, status=NO)
        self.space.ctl("owner", "--set", "", "--unmanaged", path, status=NO)
        # What goes through the files begins with the unlock, on a thread of its own.
        daemon = self.space.daemon()
        wait_until(lambda: not tasks(daemon, "class-update"))
        self.assertEqual(
            self.space.on_disk(path.relative_to(self.space.mount_point)).read_bytes(), before)

    def test_a_lock_in_the_middle_is_made_up_for(self):
        paths = self.files(400)
        self.space.unmount()
        set_settings(
            self.space,
            MaxFileProtectionLevel="NSFileProtectionCompleteUntilFirstUserAuthentication")
        self.space.mount()
        for _ in range(5):
            self.space.unlock()
            self.space.lock()
        self.space.unlock()
        wait_until(lambda: self.classes(paths) == {"C"}, message="not all files were re-wrapped")
        for number, path in enumerate(paths):
            self.assertEqual(path.read_bytes(), pattern(5_000, seed=number))
