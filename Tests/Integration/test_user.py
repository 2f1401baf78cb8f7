"""The main flow as an ordinary user, mounted through the setuid fusermount3."""
import errno
import os
import subprocess
import sys
import unittest

from ordinary_user import AS_NOBODY, programs_for_all, with_fuse_device
from running import PREFIX, remove_leftovers
from workspace import ANN, BOB, LONG, NO, PERSONAL, UNREADABLE, WorkspaceCase, pattern


class MainFlow(WorkspaceCase):
    """Runs as the user that runs it."""

    def test_main_flow(self):
        self.assertNotEqual(os.getuid(), 0)
        path = self.write(self.directory / "file", pattern(100_000))
        self.assertEqual(self.workspace.owner(path), ANN)
        self.assertTrue(self.workspace.is_managed_on_disk(self.backing_of(path)))
        self.assertEqual(self.workspace.decode(self.backing_of(path)), pattern(100_000))

        personal = self.directory / "personal"
        self.workspace.write_as(PERSONAL, personal, "personal content")
        self.assertEqual(self.workspace.owner(personal), PERSONAL)
        self.assertIn(b"personal content", self.backing_of(personal).read_bytes())

        fixed = self.directory / "fixed"
        with open(fixed, "xb", opener=lambda path, flags: os.open(path, flags, 0o444)) as file:
            file.write(b"as git makes its objects")
        self.assertIn("user.mam.sealed", os.listxattr(self.backing_of(fixed)))
        for name in (fixed, self.backing_of(fixed)):
            self.assertEqual(name.stat().st_mode & 0o777, 0o444)

        sealed, opened = self.workspace.root / "sealed", self.workspace.root / "opened"
        self.workspace.serving("encrypt", self.workspace.settings, "--owner", ANN, "-o", sealed)
        self.workspace.serving("decrypt", sealed, "-o", opened)
        self.assertEqual(opened.read_bytes(), self.workspace.settings.read_bytes())

        with open(path, "rb", buffering=0) as held:
            self.workspace.lock()
            for attempt in (path.read_bytes, lambda: os.pread(held.fileno(), 10, 0)):
                with self.refused(errno.ENOKEY):
                    attempt()
            self.assertEqual(path.stat().st_size, 100_000)
            self.workspace.unlock()
            self.assertEqual(os.pread(held.fileno(), 100, 0), pattern(100_000)[:100])

        self.workspace.remount()
        self.assertEqual(path.read_bytes(), pattern(100_000))
        self.workspace.unmount()
        self.assertEqual(os.listdir(self.workspace.mount_point), [])
        self.workspace.mount()


class ClosedRights(WorkspaceCase):
    """Root reads all; an ordinary user's daemon only what its user may."""

    def closed_folder(self):
        place = self.backing_of(self.directory / "folder")
        place.mkdir()
        place.chmod(0)
        self.addCleanup(place.chmod, 0o700)
        return place

    def test_closed_rights_are_no_damage(self):
        own = self.write(self.directory / "own", b"x")
        self.backing_of(own).chmod(0)
        self.workspace.remount()
        self.workspace.ctl("verify", self.directory)  # its daemon may give itself the right
        place = self.closed_folder()
        for options in ((), ("--repair",)):
            said = self.workspace.ctl("verify", self.directory, *options, status=UNREADABLE).stdout
            self.assertIn(
                f"{self.directory / 'folder'}: it cannot be read: Permission denied", said)
            self.assertIn("nothing wrong; 1 could not be read\n", said)
        place.chmod(0o700)
        self.workspace.ctl("verify", self.directory)

    def test_a_wipe_names_what_it_may_not_read(self):
        self.workspace.register(BOB)
        place = self.closed_folder()
        wipe = ("wipe", BOB, "--confirm", BOB)
        said = self.workspace.ctl(*wipe, status=NO).stderr
        self.assertIn(f"{place}: could not be read or removed\n", said)
        place.chmod(0o700)
        self.assertRegex(self.workspace.ctl(*wipe).stdout, "wiped, 0 files removed; (all|the|no)")


class AsOrdinaryUser(unittest.TestCase):
    """Root runs the same, and the real programs, as nobody."""

    # test_user_files has the rest.
    SUITES = (
        "test_user.MainFlow", "test_user.ClosedRights", "test_auto_enroll.Own", "test_contained",
        "test_contain_trusted", "test_contain_launchers.Managed", "test_fleet.OrdersObeyed",
        "test_giving.OwnDaemon", "test_held.WithoutRights", "test_shut.Shut", "test_setup.Setup")

    def test_as_nobody(self):
        prefix = f"{PREFIX}nobody-"
        with programs_for_all() as place:
            command = (*AS_NOBODY, sys.executable, "-B", "-m", "unittest", "-v", *self.SUITES)
            if os.stat("/dev/fuse").st_mode & 0o666 != 0o666:
                command = with_fuse_device(0o666, place, command)
            try:
                result = subprocess.run(
                    command, capture_output=True, text=True, cwd=place / "Tests" / "Integration",
                    timeout=1500 if LONG else 860,
                    env={**os.environ, "PATH": f"{place}/bin:{os.environ['PATH']}",
                         "MAMD_TEST_PREFIX": prefix})
            finally:
                remove_leftovers(prefix)
        if "unshare failed" in result.stderr or "mknod:" in result.stderr:
            self.skipTest(
                "/dev/fuse is not open to all, and there is no name space to change that in")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stderr, r"Ran ([2-9]|\d\d+) tests")
        print(*(line for line in result.stdout.splitlines() if line.startswith("test_")), sep="\n")


def load_tests(loader, standard_tests, pattern):
    chosen = (AsOrdinaryUser,) if os.getuid() == 0 else (MainFlow, ClosedRights)
    return unittest.TestSuite(map(loader.loadTestsFromTestCase, chosen))
