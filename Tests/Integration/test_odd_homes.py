"""Homes and XDG directories with names that few have: settings, keys and sockets are there and
nowhere else, or nothing is written."""
import os
import subprocess
import unittest

from ordinary_user import AS_NOBODY, NOBODY, programs_for_all
from workspace import ANN, DONE, USAGE, Workspace

NAMES = ("back\\slash", "new\nline", "tab\there", "b\\134s", 'quote"d')
VARIABLES = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR")


def tree(root):
    """All paths below a directory, in bytes."""
    return sorted(
        os.path.join(place, name) for place, directories, files in os.walk(os.fsencode(root))
        for name in directories + files)


class OddHomes(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        self.root = self.workspace.root

    def move_to(self, name):
        home = self.root / name
        for variable in VARIABLES:
            directory = home / variable.lower()
            directory.mkdir(mode=0o700, parents=True)
            self.workspace.environment[variable] = os.fspath(directory)
        self.workspace.environment["HOME"] = os.fspath(home)
        return home

    def test_all_is_in_the_directory_that_was_named(self):
        for name in NAMES:
            with self.subTest(name):
                home = self.move_to(name)
                before = set(os.listdir(self.root))
                backing, mount, work = home / "backing", home / "mount", f"w{NAMES.index(name)}"
                mount.mkdir()
                there = tree(self.root)
                said = self.workspace.ctl(
                    "setup", home / "Work", "--no-account", status=USAGE).stderr
                self.assertIn("a unit cannot have", said)
                self.assertEqual(tree(self.root), there)
                self.workspace.ctl(
                    "init", backing, "--name", work, "--settings", self.workspace.settings)
                self.workspace.ctl("mount", backing, mount)
                passfile = "--passfile", self.workspace.passfile, "--workspace", work
                self.workspace.ctl("account", "register", ANN, *passfile)
                (mount / "file").write_text("content")
                self.assertEqual(self.workspace.owner(mount / "file"), ANN)
                self.workspace.ctl("lock", ANN, "--now", "--workspace", work)
                self.workspace.ctl("unlock", ANN, *passfile)
                self.workspace.ctl("unmount", mount)
                self.assertIn(work, self.workspace.ctl("workspace", "list").stdout)
                self.workspace.ctl("workspace", "rename", work, f"{work}x")
                self.workspace.ctl("mount", backing, mount)
                self.workspace.ctl("unmount", mount)
                self.assertEqual(set(os.listdir(self.root)), before)
                for place, file in (
                        ("xdg_config_home", "settings.json"), ("xdg_state_home", "device-secret")):
                    self.assertTrue((home / place / "mamd" / f"{work}x" / file).exists(), file)

    def test_what_is_no_text_is_refused_before_anything_is_written(self):
        odd = os.path.join(os.fsencode(self.root), b"caf\xe9")
        os.makedirs(odd, 0o700)
        for variable in VARIABLES:
            with self.subTest(variable):
                environment = {**self.workspace.environment, variable: odd}
                before = tree(self.root)
                for command in (
                        ("init", self.root / "new", "--name", "odd"),
                        ("setup", self.root / "new", "--no-account"),
                        ("mount", self.workspace.backing, self.workspace.mount_point)):
                    said = self.workspace.ctl(
                        *command, status=USAGE, environment=environment).stderr
                    self.assertIn(f"${variable} is not UTF-8", said)
                daemon = subprocess.run(
                    ["mamd", self.workspace.backing, self.workspace.mount_point],
                    capture_output=True, text=True, env=environment)
                self.assertNotEqual(daemon.returncode, DONE)
                self.assertIn(f"${variable} is not UTF-8", daemon.stderr)
                self.assertEqual(tree(self.root), before)
                self.workspace.ctl("init", "--help", environment=environment)
                self.refused_by_mamfleet(
                    f"${variable} is not UTF-8", ["run", "work"], environment)

    def refused_by_mamfleet(self, reason, words, environment=None):
        result = subprocess.run(
            ["mamfleet", *words], capture_output=True, text=True,
            env=environment or self.workspace.environment)
        self.assertEqual(result.returncode, USAGE, result.stderr)
        self.assertIn(reason, result.stderr)

    def test_mamfleet_takes_paths_as_they_are_or_not_at_all(self):
        odd = os.path.join(os.fsencode(self.root), b"caf\xe9")
        before = tree(self.root)
        self.refused_by_mamfleet("caf\\351 is not UTF-8", ["pull", odd])
        self.assertEqual(tree(self.root), before)
        # Named as it is, and not taken for another one.
        result = subprocess.run(
            ["mamfleet", "pull", f"{self.root}/no\\directory"], capture_output=True, text=True,
            env=self.workspace.environment)
        self.assertIn("no\\134directory", result.stderr)

    @unittest.skipUnless(os.getuid() == 0, "becomes another user")
    def test_a_users_home_that_is_no_text_is_refused(self):
        odd = os.path.join(os.fsencode(self.root), b"caf\xe9")
        os.makedirs(odd)
        os.chown(odd, NOBODY, NOBODY)
        self.root.chmod(0o755)
        environment = {**self.workspace.environment, "HOME": odd}
        for variable in VARIABLES:
            del environment[variable]
        with programs_for_all() as place:
            environment["PATH"] = f"{place / 'bin'}:{environment['PATH']}"
            said = self.workspace.ctl(
                "init", os.fsdecode(os.path.join(odd, b"work")), "--name", "odd", status=USAGE,
                environment=environment, prefix=AS_NOBODY).stderr
        self.assertIn("$HOME is not UTF-8", said)
        self.assertEqual(os.listdir(odd), [])

    def test_a_place_that_no_unit_can_have_is_refused_for_one(self):
        self.workspace.init()
        unit = self.workspace.policies.parent / "mount"
        unit.write_text(f"BACKING={self.workspace.backing}\nMOUNTPOINT=/nowhere\n")
        record = self.workspace.policies.parent / "workspace.json"
        before = unit.read_text(), record.read_text()
        odd = self.root / "new\nline"
        self.workspace.backing.rename(odd)
        said = self.workspace.ctl(
            "mount", "--name", self.workspace.name, odd, self.workspace.mount_point,
            status=USAGE).stderr
        self.assertIn("a unit cannot have", said)
        self.assertEqual((unit.read_text(), record.read_text()), before)
