"""Where a daemon listens: after a logout, without a session, and when no place of its is left."""
import errno
import os
import shutil
import subprocess

from workspace import ANN, NO, UNREACHABLE, WorkspaceCase, pattern

LONG_NAME = "x" * 60


class Placed(WorkspaceCase):
    def setUp(self):
        super().setUp()
        self.file = self.write(self.directory / "file", pattern(10_000))
        self.addCleanup(self.back)

    def back(self):
        """As a new login makes it."""
        self.workspace.socket.parent.parent.mkdir(mode=0o700, exist_ok=True)

    def log_out(self):
        shutil.rmtree(self.workspace.socket.parent.parent)

    @property
    def lasting(self):
        return self.workspace.state.with_name(f"{self.workspace.name}.sock")


class Logout(Placed):
    def assert_reached(self):
        self.assertEqual(self.workspace.status()["mountPoint"], str(self.workspace.mount_point))
        self.workspace.ctl("lock", "--all", "--now")
        with self.refused(errno.ENOKEY):
            self.file.read_bytes()
        self.workspace.unlock()
        self.assertEqual(self.file.read_bytes(), pattern(10_000))
        self.workspace.ctl("verify", self.workspace.mount_point)

    def test_a_logout_leaves_the_account_to_lock(self):
        self.log_out()
        self.assert_reached()
        self.back()
        self.assert_reached()
        self.workspace.remount()
        self.assertTrue(self.workspace.socket.is_socket())
        self.workspace.unmount()
        self.assertFalse(self.lasting.exists())
        self.workspace.mount()
        self.workspace.unlock()

    def test_one_daemon_is_one_workspace(self):
        self.assertEqual(self.workspace.ctl("status").stdout.count("backing  "), 1)
        self.assertEqual(self.workspace.ctl("lock", "--all").stdout.count("work:"), 1)
        self.workspace.unlock()

    def test_what_listens_for_systemd_does_not_hide_it(self):
        """Such as the socket unit at the next login: it would start a second daemon."""
        self.log_out()
        self.workspace.socket.parent.mkdir(parents=True)
        holder = subprocess.Popen(
            ["/usr/bin/python3", "-c", (
                "import socket, sys, time\n"
                "listener = socket.socket(socket.AF_UNIX)\n"
                "listener.bind(sys.argv[1]), listener.listen()\n"
                "print(flush=True), time.sleep(600)"), self.workspace.socket],
            stdout=subprocess.PIPE)
        self.addCleanup(self.log_out)
        self.addCleanup(holder.communicate)
        self.addCleanup(holder.kill)
        holder.stdout.readline()
        self.assert_reached()


class Unreached(Placed):
    def test_no_lock_is_told_that_did_not_happen(self):
        self.log_out()
        self.lasting.unlink()
        place = self.workspace.mount_point
        for words in (("lock", "--all", "--now"), ("lock", "--now"), ("status",),
                      ("lock", ANN, "--now"), ("lock", "--now", "--workspace", "work")):
            said = self.workspace.ctl(*words, status=UNREACHABLE)
            self.assertIn(f"mamctl unmount {place}", said.stdout + said.stderr)
        self.assertEqual(self.file.read_bytes(), pattern(10_000))
        said = self.workspace.ctl("mount", self.workspace.backing, place, status=NO).stderr
        self.assertIn(f"try: mamctl unmount {place}", said)
        self.assertIn("does not answer", self.workspace.ctl("workspace", "list").stdout)
        self.workspace.ctl("unmount", place)
        self.workspace.await_end()
        self.workspace.ctl("lock", "--all", "--now")
        self.back()
        self.workspace.mount()
        self.workspace.unlock()
        self.assertEqual(self.file.read_bytes(), pattern(10_000))


class NoSession(WorkspaceCase):
    """Where the directory of a session's sockets cannot be made, as in cron."""
    mounted = False

    def setUp(self):
        super().setUp()
        self.workspace.environment["XDG_RUNTIME_DIR"] = "/proc/no-session"
        self.addCleanup(self.workspace.unmount)

    def test_all_works(self):
        self.workspace.mount().register()
        path = self.write(self.workspace.path("file"), b"content")
        self.workspace.ctl("lock", "--all", "--now")
        with self.refused(errno.ENOKEY):
            path.read_bytes()
        self.workspace.unlock()
        self.workspace.unmount()
        self.workspace.ctl("verify", self.workspace.backing, status=5)
        self.workspace.mount()
        self.workspace.unlock()
        self.assertEqual(path.read_bytes(), b"content")


class LongPath(WorkspaceCase):
    """A home whose path is longer than a socket's address."""
    mounted = False

    def test_all_works(self):
        home = self.workspace.root / LONG_NAME / LONG_NAME
        home.mkdir(parents=True, mode=0o700)
        for variable in ("XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
            shutil.move(self.workspace.environment[variable], home)
            place = os.path.join(home, os.path.basename(self.workspace.environment[variable]))
            self.workspace.environment[variable] = place
        self.workspace.mount()
        self.workspace.serving("account register", ANN, "--passfile", self.workspace.passfile)
        shutil.rmtree(self.workspace.environment["XDG_RUNTIME_DIR"])
        self.workspace.ctl("lock", "--all", "--now")
        self.workspace.unlock()
        self.workspace.unmount()
