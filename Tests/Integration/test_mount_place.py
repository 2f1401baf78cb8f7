"""Root's daemon and a user that owns a part of the path to its mount point."""
import os
import signal
import subprocess
import unittest

from ordinary_user import NOBODY
from running import call, mounts
from workspace import Workspace, wait_until

MNT_DETACH = 2


@unittest.skipUnless(os.getuid() == 0, "root's daemon alone reaches what its user does not")
class Led(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace().init()
        self.addCleanup(self.workspace.close)
        self.home = self.directory("home", NOBODY)
        self.victim = self.directory("victim")

    def directory(self, name, owner=0):
        path = self.workspace.root / name
        path.mkdir()
        os.chown(path, owner, owner)
        return path

    def link(self, path, target, owner=NOBODY):
        path.symlink_to(target)
        os.lchown(path, owner, owner)
        return path

    def serve(self, place, real=None):
        """Starts mamd and waits until it serves. `real`: where the path leads."""
        with open(self.workspace.log, "ab") as log:
            daemon = subprocess.Popen(
                ["mamd", "-f", "--", self.workspace.backing, place], stdin=subprocess.DEVNULL,
                stderr=log, env=self.workspace.environment)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.kill)
        wait_until(lambda: mounts(str(self.workspace.root)) == [str(real or place)])
        os.listdir(place)
        return daemon

    def refusal(self, place):
        """What mamd says that does not mount there."""
        said = subprocess.run(
            ["timeout", "60", "mamd", "-f", "--", self.workspace.backing, place],
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            env=self.workspace.environment)
        self.assertEqual(mounts(str(self.workspace.root)), [])
        self.assertEqual(said.returncode, 1, said.stderr)
        return said.stderr

    def other_file_system(self, place):
        call("mount", b"none", os.fsencode(place), b"tmpfs", 0, None)
        self.addCleanup(call, "umount2", os.fsencode(place), MNT_DETACH)
        (place / "other").touch()

    def test_a_users_link_is_not_followed(self):
        (self.victim / "Work").mkdir()
        for link, place in (
                (self.link(self.home / "Work", self.victim / "Work"), self.home / "Work"),
                (self.link(self.home / "a", self.victim), self.home / "a" / "Work")):
            self.assertIn(f"{link} is a symbolic link of user {NOBODY}", self.refusal(place))
            said = self.workspace.ctl("mount", self.workspace.backing, place, status=1)
            self.assertIn(f"{link} is a symbolic link of user {NOBODY}", said.stderr)

    def test_a_users_link_is_not_followed_behind_one_of_roots(self):
        link = self.link(self.home / "a", self.victim)
        (self.victim / "Work").mkdir()
        place = self.link(self.workspace.root / "short", "home/a/../victim/Work", owner=0)
        self.assertIn(f"{link} is a symbolic link of user {NOBODY}", self.refusal(place))

    def test_a_link_of_roots_is_followed(self):
        (self.victim / "Work").mkdir()
        for target in (self.victim, "victim"):
            link = self.link(self.workspace.root / "link", target, owner=0)
            daemon = self.serve(link / "Work", self.victim / "Work")
            daemon.send_signal(signal.SIGTERM)
            self.assertEqual(daemon.wait(60), 0)
            link.unlink()

    def test_a_directory_with_something_in_it_is_not_hidden(self):
        (self.victim / "precious").touch()
        self.assertIn("not empty: a mount would hide precious;", self.refusal(self.victim))

    def test_no_other_mount_is_taken_away(self):
        place = self.home / "a" / "Work"
        place.mkdir(parents=True)
        daemon = self.serve(place)
        (place / "file").write_text("kept")
        other = self.victim / "Work"
        other.mkdir()
        self.other_file_system(other)
        (self.home / "a").rename(self.home / "b")
        self.link(self.home / "a", self.victim)

        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(daemon.wait(60), 0)
        self.assertEqual(os.listdir(other), ["other"])
        self.assertEqual(mounts(str(self.workspace.root)), [])
        self.assertTrue(self.workspace.on_disk("file").read_bytes().endswith(b"kept"))

    def test_a_mount_that_cannot_be_reached_is_left_and_named(self):
        place = self.home / "Work"
        place.mkdir()
        daemon = self.serve(place)
        self.other_file_system(place)
        daemon.send_signal(signal.SIGTERM)
        self.assertEqual(daemon.wait(60), 0)
        self.assertEqual(os.listdir(place), ["other"])
        self.assertIn(f"{place} could not be unmounted", self.workspace.log.read_text())
