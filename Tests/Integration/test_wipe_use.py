"""Wiping an account whose files are in use, or cannot be removed; the right to; and what is told of
it."""
import contextlib
import errno
import os
import pty
import subprocess
import unittest

from page_cache import cachestat
from socket_client import Client
from test_lock_cache import FileUsers
from wipe_tree import WipeCase, keybag_files, write_all
from workspace import ANN, BOB, NO, NOT_FOUND, REFUSED, USAGE, pattern, tree_digest, wait_until

NEEDS = ("e2fsprogs",)


class InUse(WipeCase):
    def setUp(self):
        super().setUp()
        self.users = FileUsers()
        self.addCleanup(self.users.kill)

    def held(self, path):
        descriptor = os.open(path, os.O_RDWR)
        self.addCleanup(os.close, descriptor)
        return descriptor

    def test_handles_mappings_and_cached_pages(self):
        size = 1 << 20
        names = ("held", "dirty", "map-shared", "map-private", "store", "read", "write", "closed")
        paths = write_all(
            self.workspace, ANN, self.directory, {name: pattern(size) for name in names})
        held = [self.held(path) for path in paths[:-1]]
        for descriptor in held:
            os.pread(descriptor, size, 0)
        for path in paths[2:-1]:
            self.users.start(path.name, path)
        os.unlink(paths[0])  # held open, without a name
        os.pwrite(held[1], b"dirty" * 50_000, 5)
        paths[-1].read_bytes()
        mine = self.workspace.path("bob's")
        write_all(self.workspace, BOB, self.workspace.mount_point, {"bob's": pattern(size, 1)})
        other = self.held(mine)
        os.pwrite(other, b"unsaved", 0)
        self.wipe()
        for descriptor in held:
            for use in (lambda: os.pread(descriptor, 1, 0), lambda: os.pwrite(descriptor, b"x", 0),
                        lambda: os.ftruncate(descriptor, 0), lambda: os.fsync(descriptor),
                        lambda: os.posix_fallocate(descriptor, 0, 1)):
                # EIO is the kernel's own word for a page that another reader was refused, and for
                # one not written back.
                with self.refused(errno.EKEYREVOKED, errno.EIO):
                    use()
            with self.refused(errno.EKEYREVOKED):
                os.ftruncate(descriptor, 0)
            os.fstat(descriptor)
            # Pages that a refused read has left empty go a moment later.
            wait_until(
                lambda: cachestat(descriptor).cached == 0, message="cached pages of a wiped file")
        for program in self.users.programs[:2]:
            self.users.tell(program)
        self.assertEqual(self.users.end(), [-7, -7, -7, 0, 0])  # SIGBUS
        self.assertEqual(os.pread(other, size, 0), b"unsaved" + pattern(size, 1)[7:])
        os.fsync(other)
        # The whole is as if it had never been: also for a program that makes the same name again.
        write_all(self.workspace, BOB, self.directory, {"dirty": b"new"})
        self.assertEqual(paths[1].read_bytes(), b"new")
        with self.refused(errno.EKEYREVOKED):
            os.pread(held[1], 1, 0)

    @unittest.skipUnless(
        os.getuid() == 0, "makes a page that the kernel has to wait for, which only root can")
    def test_a_writer_that_hangs_does_not_hold_the_wipe_up(self):
        (path,) = write_all(self.workspace, ANN, self.directory, {"file": pattern(1 << 20)})
        slow = self.users.start("write-slowly", path)
        # It would hang for ever.
        answer = self.wipe()
        self.assertIn(str(slow.pid), answer.stderr)
        self.assertFalse(path.exists())
        self.users.tell(slow)
        # Its page may have come into the cache before it was refused; it is not stored.
        self.assertIn("EKEYREVOKED", {slow.stdout.readline().strip() for _ in range(2)})


class Refused(WipeCase):
    def state(self):
        return tree_digest(
            self.workspace.state / "keybags", self.workspace.state / "wipes"), tree_digest(
            self.directory)

    def test_a_read_only_mount(self):
        write_all(self.workspace, ANN, self.directory, {"file": b"content"})
        before = self.state()
        self.workspace.unmount()
        self.workspace.mount("-o", "ro")
        self.assertIn("read-only", self.wipe(REFUSED).stderr)
        self.workspace.unlock()
        self.assertEqual(self.state(), before)
        self.workspace.unmount()
        self.workspace.mount()
        self.workspace.unlock()
        self.workspace.unlock(BOB)

    @unittest.skipUnless(os.getuid() == 0, "becomes another user")
    def test_another_user(self):
        write_all(self.workspace, ANN, self.directory, {"file": b"content"})
        before = self.state()
        for directory in (
                self.workspace.root, self.workspace.socket.parents[1],
                self.workspace.socket.parent):
            directory.chmod(0o711)
        self.workspace.socket.chmod(0o666)
        with Client(self.workspace.socket, 65534) as client:
            answer = client.ask("Workspace.Wipe", account=ANN, confirmed=True)
            self.assertEqual(answer["error"], "io.mamd.Workspace.Refused")
            self.assertEqual(self.state(), before)
            # The user that registered an account may wipe it, and no other.
            own = "own@contoso.com"
            client.call("Workspace.RegisterAccount", name=own, noPassphrase=True)
            self.assertTrue(client.call("Workspace.Wipe", account=own, confirmed=True)["complete"])
        self.assertIsNone(self.workspace.account("own@contoso.com"))

    def test_without_a_terminal_it_has_to_be_said(self):
        before = self.state()
        self.assertIn(f"--confirm {ANN}", self.workspace.serving("wipe", ANN, status=USAGE).stderr)
        for wrong in (
                "--confirm", f"--confirm={BOB}", "--confirm=", f"--confirm={ANN[:-1]}", "--yes"):
            self.workspace.serving("wipe", ANN, wrong, status=USAGE)
            self.workspace.serving("account deregister", ANN, "--wipe", wrong, status=USAGE)
        self.workspace.serving("wipe", "--confirm", ANN, status=USAGE)
        stranger = "nobody@nowhere.example"
        self.workspace.serving("wipe", stranger, "--confirm", stranger, status=NOT_FOUND)
        self.assertEqual(self.state(), before)

    def test_on_a_terminal_the_name_is_typed(self):
        before = self.state()
        for typed in ("y", ANN[:-1], ""):
            self.assertEqual(self.typing(typed), NO)
            # At a terminal it is typed in any case.
            self.assertEqual(self.typing(typed, "--confirm", ANN), NO)
            self.assertEqual(self.state(), before)
        self.assertEqual(self.typing(ANN), 0)
        self.assertIsNone(self.workspace.account())

    def typing(self, text, *more):
        pid, terminal = pty.fork()
        if pid == 0:
            os.execvpe(
                "mamctl", ["mamctl", "wipe", ANN, *more, "--workspace", "work"],
                self.workspace.environment)
        output = b""
        with contextlib.suppress(OSError):  # EIO at its end
            while b"to continue: " not in output:
                output += os.read(terminal, 4096)
            os.write(terminal, text.encode() + b"\n")
            while os.read(terminal, 4096):
                pass
        os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


class Told(WipeCase):
    def test_a_watcher_is_told_when_all_is_gone(self):
        watcher = subprocess.Popen(
            ["mamctl", "watch", "--workspace", "work"], stdout=subprocess.PIPE, text=True,
            env=self.workspace.environment)
        self.addCleanup(watcher.stdout.close)
        self.addCleanup(watcher.wait)
        self.addCleanup(watcher.kill)
        states = sorted(watcher.stdout.readline() for _ in range(2))
        self.assertEqual(states, [f"{ANN}\tavailable\n", f"{BOB}\tavailable\n"])
        self.wipe()
        self.assertEqual(watcher.stdout.readline(), f"{ANN}\twiped\n")

    @unittest.skipUnless(os.getuid() == 0, "makes a file that cannot be removed")
    def test_what_cannot_be_removed_is_named_and_the_wipe_goes_on_later(self):
        paths = write_all(
            self.workspace, ANN, self.directory, {"stuck": b"stuck", "other": b"other"})
        stuck = self.backing_of(paths[0])
        subprocess.run(["chattr", "+i", stuck], check=True)
        self.addCleanup(subprocess.run, ["chattr", "-i", stuck], stderr=subprocess.DEVNULL)
        account_id = self.workspace.account()["id"]
        answer = self.wipe(NO)
        self.assertIn(str(stuck.relative_to(self.workspace.backing)), answer.stderr)
        self.assertEqual(os.listdir(self.directory), ["stuck"])
        for again in (
                self.still_wiping, self.workspace.unmount, self.workspace.mount, self.still_wiping):
            again()
        self.assertEqual(
            [path.parent.name for path in keybag_files(self.workspace, account_id)], ["wipes"])
        subprocess.run(["chattr", "-i", stuck], check=True)
        os.unlink(paths[0])  # its user may help, too
        self.wipe()
        self.assertEqual(keybag_files(self.workspace, account_id), [])
        self.workspace.unlock(BOB)

    def still_wiping(self):
        path = self.directory / "stuck"
        path.stat()
        with self.refused(errno.EKEYREVOKED):
            path.read_bytes()
        # Nor could it get past the wipe.
        for move in (os.rename, os.link):
            with self.refused(errno.EKEYREVOKED):
                move(path, self.directory / "moved")
        self.assertIn("wiped", self.workspace.info(path)["reason"])
        self.assertIsNone(self.workspace.account())
        self.workspace.unlock(status=NOT_FOUND)
        self.workspace.serving("account register", ANN, "--no-passphrase", status=REFUSED)
        # What was to be sealed must not become plain.
        made = self.workspace.run_as(
            ANN, "sh", "-c", 'echo secret > "$1"', "sh", self.directory / "new", check=False)
        self.assertNotEqual(made.returncode, 0)
        self.assertFalse((self.directory / "new").exists())


if __name__ == "__main__":
    unittest.main()
