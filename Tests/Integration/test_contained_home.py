"""The sealed home of contained programs: where it is, and that a lock clears its caches."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

from test_contained import Contained
from running import has_ended
from tracing import injecting, tasks
from workspace import ANN, PROGRAMS, REFUSED, Workspace, wait_until

NEEDS = ("chromium",)

LONG = "a-name-that-leaves-no-room-for-a-socket-beside-it@subsidiary.contoso.com"
ROOM = 107 - len("/org.chromium.Chromium.XXXXXX/SingletonSocket")


class Home(Contained):
    @property
    def home(self):
        return self.workspace.mount_point / f".contained-{os.getuid()}" / ANN

    def scatter(self):
        """What a program leaves in both caches, its settings, and its document."""
        self.contained(
            "sh", "-ec", 'mkdir -p "$XDG_CACHE_HOME/a/b"; echo x > "$XDG_CACHE_HOME/a/b/page";'
            'echo x > "$TMPDIR/copy"; echo x > "$XDG_CONFIG_HOME/settings"; echo x > "$1"',
            "sh", self.directory / "document")
        return self.disk("cache/a"), self.disk("tmp/copy")

    def disk(self, name):
        return self.backing_of(self.home / name)

    def kept(self):
        return all(path.exists() for path in (
            self.disk("config/settings"), self.backing_of(self.directory / "document"),
            self.disk("cache"), self.disk("tmp")))


class Covered(Contained):
    @unittest.skipUnless(os.getuid() == 0, "mounts another file system")
    def test_a_workspace_of_which_another_mount_covers_a_part_is_refused(self):
        for place in (self.directory, self.workspace.mount_point):
            with self.subTest(place=place):
                subprocess.run(["mount", "-t", "tmpfs", "none", place], check=True)
                try:
                    told = self.contained("true", status=REFUSED)
                finally:
                    subprocess.run(["umount", place], check=True)
                self.assertIn(b"another file system (tmpfs)", b" ".join(told.split()))
        self.contained("true")

    @unittest.skipUnless(os.getuid() == 0, "mounts another file system")
    def test_another_workspace_of_that_name_in_its_place_is_refused(self):
        false = Workspace(name=self.workspace.name)
        self.addCleanup(false.close)
        false.init().mount()
        self.mount("--bind", false.mount_point, self.workspace.mount_point)
        try:
            told = self.contained("touch", self.workspace.path("written"), status=REFUSED)
        finally:
            subprocess.run(["umount", self.workspace.mount_point], check=True)
        self.assertIn(b"another file system (fuse.mamd)", b" ".join(told.split()))
        self.assertEqual(os.listdir(false.mount_point), [])
        self.contained("true")

    @unittest.skipUnless(os.getuid() == 0, "mounts another file system")
    def test_one_that_comes_later_ends_what_is_contained(self):
        place = self.directory / "place"
        place.mkdir()
        for moved in False, True:
            with self.subTest(moved=moved):
                self.ended_by_mount(place, moved)

    def ended_by_mount(self, place, moved):
        """Also what is in the background, and in a session of its own."""
        marks = [self.directory / f"{name}{moved}" for name in ("one", "two")]
        private = self.workspace.root / "private"
        elsewhere = private / "elsewhere"
        if moved:
            # Mounts move out of a private one only.
            private.mkdir()
            self.mount("--bind", private, private)
            self.addCleanup(subprocess.run, ["umount", private], check=True)
            self.mount("--make-private", private)
            elsewhere.mkdir()
            self.mount("-t", "tmpfs", "none", elsewhere)
        child = subprocess.Popen(
            self.words(
                "sh", "-c", 'setsid sh -c \'mkdir "$1"; exec sleep 3600\' sh "$1" & mkdir "$2";'
                "exec sleep 3600", "sh", *marks), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.workspace.environment)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        wait_until(lambda: all(mark.exists() for mark in marks), message="they did not begin")
        # A mount elsewhere is nothing to it.
        other = self.workspace.root / "other"
        other.mkdir(exist_ok=True)
        self.mount("-t", "tmpfs", "none", other)
        subprocess.run(["umount", other], check=True)
        self.assertEqual(self.workspace.account()["containedPrograms"], 1)
        self.mount(*(("--move", elsewhere) if moved else ("-t", "tmpfs", "none")), place)
        try:
            self.assertEqual(child.wait(timeout=120), -signal.SIGKILL)
            wait_until(lambda: self.workspace.account()["containedPrograms"] == 0)
            wait_until(lambda: "another file system was mounted" in self.workspace.serving(
                "audit", "--event", "refused", "--account", ANN).stdout)
        finally:
            subprocess.run(["umount", place], check=True)
        self.contained("true")

    @unittest.skipUnless(os.getuid() == 0, "mounts another file system")
    def test_one_that_comes_later_ends_what_forks_all_the_time(self):
        """What lives too short a time to be found and signalled."""
        place, written = self.directory / "place", self.directory / "place" / "written"
        place.mkdir()
        chains = 6
        child = subprocess.Popen(
            self.words(
                "perl", "-e", "use POSIX; for (1..$ARGV[0]) { next if fork; POSIX::setsid;"
                "while (1) { open F, '>>', $ARGV[1] and syswrite F, 'x'; close F; exit if fork } }"
                "sleep 3600", chains, written),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=self.workspace.environment)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        wait_until(written.exists, message="they did not begin")
        self.mount("-t", "tmpfs", "none", place)
        try:
            self.assertEqual(child.wait(timeout=120), -signal.SIGKILL)
            before = written.stat().st_size if written.exists() else 0
            wait_until(lambda: self.workspace.account()["containedPrograms"] == 0)
            # Each has a write under way at most, and the child that is to be its successor.
            after = written.stat().st_size if written.exists() else 0
            self.assertLessEqual(after - before, 2 * chains)
        finally:
            subprocess.run(["umount", place], check=True)

    def mount(self, *words):
        subprocess.run(["mount", *words], check=True)


class Cleared(Home):
    settings = {**Contained.settings, "DocumentBrowserFileCachePath": "contained"}

    def test_a_lock_clears_the_caches(self):
        caches = self.scatter()
        self.assertTrue(all(path.exists() for path in caches))
        self.workspace.lock()
        wait_until(lambda: not any(path.exists() for path in caches))
        self.assertTrue(self.kept())
        self.workspace.unlock()
        # The kernel has forgotten the names: they can be made again.
        self.scatter()
        self.assertEqual((self.home / "cache/a/b/page").stat().st_size, 2)

    def test_a_program_that_runs_loses_its_file_and_goes_on(self):
        plan = self.secret()
        text = self.contained(
            sys.executable, PROGRAMS / "lock_beside_open_file.py", self.workspace.name)
        self.workspace.unlock()
        self.assertIn(b"gone True", text)
        self.assertTrue(plan.exists())

    def test_what_a_killed_daemon_left_goes_at_the_next_unlock(self):
        caches = self.scatter()
        pid = self.workspace.daemon()
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: has_ended(pid))
        self.workspace.mount()
        self.assertTrue(all(path.exists() for path in caches))
        self.workspace.unlock()
        wait_until(lambda: not any(path.exists() for path in caches))
        self.assertTrue(self.kept())

    @unittest.skipUnless(os.getuid() == 0, "the daemon lets nobody but root trace it")
    def test_a_lock_does_not_wait_for_it(self):
        cache = self.home / "cache"
        self.scatter()
        for number in range(50):
            (cache / f"link{number}").symlink_to("nowhere")
        with injecting(self.workspace.daemon(), "unlinkat", "delay_enter=2000000"):
            self.workspace.lock()
            self.assertGreater(len(os.listdir(self.disk("cache"))), 0, "all went within the lock")
        wait_until(lambda: not os.listdir(self.disk("cache")))
        self.workspace.unlock()


class Tmp(Home):
    settings = {**Contained.settings, "DocumentBrowserFileCachePath": "contained/tmp"}

    def test_only_the_cache_that_is_named(self):
        cache, temporary = self.scatter()
        self.workspace.lock()
        wait_until(lambda: not temporary.exists())
        self.assertTrue(cache.exists() and self.kept())
        self.workspace.unlock()


class Without(Home):
    def test_caches_stay(self):
        caches = self.scatter()
        self.workspace.lock()
        self.workspace.unlock()
        pid = self.workspace.daemon()
        wait_until(lambda: not tasks(pid, "clear-caches"))
        self.assertTrue(all(path.exists() for path in caches))


class Long(Contained):
    mounted = False
    account = LONG
    settings = {**Contained.settings, "DocumentBrowserFileCachePath": "contained"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # So short that a socket fits beside the other name, whatever the user's number.
        place = tempfile.mkdtemp(prefix="m-", dir="/tmp")
        cls.addClassCleanup(os.rmdir, place)
        cls.workspace.mount_point = pathlib.Path(place)
        cls.workspace.mount()
        for account in (ANN, LONG):
            cls.workspace.register(account)

    @classmethod
    def tearDownClass(cls):
        cls.workspace.unmount()
        super().tearDownClass()

    def test_a_socket_fits_beside_a_long_name_and_a_lock_clears_it(self):
        text = self.contained("sh", "-ec", 'echo x > "$TMPDIR/file"; echo "$TMPDIR"')
        path = pathlib.Path(text.decode().strip())
        home = self.workspace.mount_point / f".contained-{os.getuid()}"
        self.assertEqual(path.parent, home)
        self.assertRegex(path.name, "^t-[a-z2-7]{8}$")
        self.assertLessEqual(len(os.fspath(path)), ROOM)
        self.assertEqual(path.stat().st_mode & 0o7777, 0o700)
        self.assertEqual(self.workspace.owner(path / "file"), LONG)
        self.workspace.lock(LONG)
        wait_until(lambda: not os.listdir(self.backing_of(path)))

    def test_a_short_name_keeps_it_in_the_home(self):
        self.account = ANN
        path = self.workspace.mount_point / f".contained-{os.getuid()}" / ANN / "tmp"
        text = self.contained("sh", "-c", 'echo "$TMPDIR"')
        self.assertEqual(text.decode().strip(), os.fspath(path))
