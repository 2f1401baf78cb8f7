"""Wiping an account: its keys and all its files go, and no byte of anybody else's."""
import contextlib
import errno
import json
import os
import shutil
import subprocess
import sys
import time
import unittest

from page_cache import cachestat
from test_lock_cache import FileUsers
from test_sharing import call
from wipe_tree import SIZES, key_ids, keybag_files, others, owned, populate, write_all
from workspace import (
    ANN, BOB, LONG, NO, NOT_FOUND, REFUSED, USAGE, WorkspaceCase, pattern, tree_digest, wait_until)


class WipeCase(WorkspaceCase):
    """ANN is registered anew for each test; BOB stays. Nobody is anybody's default owner."""

    settings = {"MultiIdentity": True, "LockDeadlineSeconds": 2}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.workspace.register(BOB)

    def setUp(self):
        if self.workspace.account() is None:
            self.workspace.register()
        super().setUp()

    def wipe(self, status=0):
        return self.workspace.serving("wipe", ANN, "--yes", status=status)

    def wiped_cleanly(self, keys, kept, account_id):
        self.assertEqual(owned(self.workspace, keys), [])
        files, directories = others(self.workspace, keys)
        self.assertEqual(set(files), set(kept[0]))
        self.assertEqual((files, directories), kept)
        self.assertEqual(keybag_files(self.workspace, account_id), [])
        self.assertIsNone(self.workspace.account())

    @contextlib.contextmanager
    def wiping_all_cleanly(self, *prepare):
        """A populated tree, of which the block wipes ANN's part."""
        populate(self.workspace, self.directory)
        for step in prepare:
            step()
        keys, account_id = key_ids(self.workspace), self.workspace.account()["id"]
        kept = others(self.workspace, keys)
        self.assertGreater(len(owned(self.workspace, keys)), 2 * len(SIZES))
        yield
        self.wiped_cleanly(keys, kept, account_id)


class Whole(WipeCase):
    def test_all_its_files_go_and_no_other_byte_changes(self):
        with self.wiping_all_cleanly():
            answer = self.workspace.serving("wipe", ANN.upper(), "--yes", "--json")
        answer = json.loads(answer.stdout)
        # Two places of each size, a link and an odd name in each, and the two copies in the hidden directory.
        self.assertEqual((answer["complete"], answer["files"]), (True, 2 * (len(SIZES) + 2) + 2))
        names = sorted(os.listdir(self.directory))
        self.assertEqual(names, ["damaged", "deep", "empty", "foreign", "links", "nothing", "personal", "symlink"])
        self.assertEqual(os.listdir(self.directory / "deep" / "er"), [])
        for size in SIZES:
            self.assertEqual((self.directory / "deep" / f"{BOB} {size}").read_bytes(), pattern(size, size))
        self.assertEqual((self.directory / "personal").read_bytes(), b"mine")
        self.wipe(NOT_FOUND)
        self.assertNotIn(ANN, self.workspace.serving("status").stdout)

    def test_nothing_opens_a_copy_that_was_saved_before(self):
        for letter in "ABCD":
            (self.directory / letter).mkdir()
            self.workspace.ctl("class", "--set", letter, self.directory / letter)
            write_all(self.workspace, ANN, self.directory / letter, {"file": b"secret"})
        copies = {}
        for letter in "ABCD":
            copies[letter] = self.workspace.root / f"copy {letter}"
            shutil.copy(self.backing_of(self.directory / letter / "file"), copies[letter])
            self.assertEqual(self.workspace.decode(copies[letter]), b"secret")
        self.wipe()
        # Nor do the keys of a new account of the same name.
        self.workspace.register()
        for letter, copy in copies.items():
            self.workspace.decode(copy, status=1)
            restored = self.directory / f"restored {letter}"
            shutil.copy(copy, self.backing_of(restored))
            with self.refused(errno.ENOKEY):
                restored.read_bytes()
            self.assertEqual(self.workspace.info(restored)["state"], "key-missing")
            os.unlink(restored)
            self.workspace.serving("decrypt", copy, "-o", self.workspace.root / "out", status=NOT_FOUND)

    def test_a_locked_account(self):
        with self.wiping_all_cleanly():
            self.workspace.lock()
            self.wipe()

    def test_an_account_before_its_first_unlock(self):
        with self.wiping_all_cleanly(self.workspace.unmount, self.workspace.mount):
            self.assertEqual(self.workspace.account()["state"], "before-first-unlock")
            self.wipe()
        self.workspace.unlock(BOB)

    def test_files_in_directories_that_cannot_be_written(self):
        place = self.directory / "place"
        place.mkdir()
        write_all(self.workspace, ANN, place, {"file": b"content"})
        (place / "file").chmod(0)
        place.chmod(0o555)
        self.addCleanup(place.chmod, 0o755)
        self.wipe()
        self.assertEqual(os.listdir(place), [])
        self.assertEqual(place.stat().st_mode & 0o777, 0o555)

    def test_an_account_without_files(self):
        with_none = others(self.workspace, key_ids(self.workspace))
        self.wipe()
        self.assertEqual(others(self.workspace, set()), with_none)

    def test_files_that_move_all_the_time_go_too(self):
        """A walk misses what is moved behind it."""
        for round in range(50 if LONG else 5):
            with self.subTest(round):
                self.wipe_while_moving(self.directory / str(round))

    def wipe_while_moving(self, directory):
        if self.workspace.account() is None:
            self.workspace.register()
        places = [directory / str(number) for number in range(40)]
        for place in places:
            place.mkdir(parents=True)
        paths = write_all(self.workspace, ANN, directory, {f"file {number}": b"x" for number in range(60)})
        keys = key_ids(self.workspace)
        mover = subprocess.Popen([sys.executable, "-c", MOVER, directory], stdout=subprocess.PIPE)
        mover.stdout.readline()
        self.wipe()
        self.assertEqual(owned(self.workspace, keys), [])
        # It ends when there is nothing to move any more.
        mover.communicate(timeout=30)
        self.assertFalse([path for path in paths if path.exists()])


# Moves every file of a directory to a random one below it, again and again.
MOVER = """
import os, random, sys
root = sys.argv[1]
where = {name: root for name in os.listdir(root) if name.startswith("file")}
print("ready", flush=True)
while where:
    for name, place in list(where.items()):
        new = os.path.join(root, str(random.randrange(40)))
        try:
            os.rename(os.path.join(place, name), os.path.join(new, name))
            where[name] = new
        except FileNotFoundError:
            del where[name]
"""


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
        paths = write_all(self.workspace, ANN, self.directory, {name: pattern(size) for name in names})
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
                with self.refused(errno.EKEYREVOKED):
                    use()
            os.fstat(descriptor)
            # Pages that a refused read has left empty go a moment later.
            wait_until(lambda: cachestat(descriptor).cached == 0, message="cached pages of a wiped file")
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

    @unittest.skipUnless(os.getuid() == 0, "makes a page that the kernel has to wait for, which only root can")
    def test_a_writer_that_hangs_does_not_hold_the_wipe_up(self):
        (path,) = write_all(self.workspace, ANN, self.directory, {"file": pattern(1 << 20)})
        slow = self.users.start("write-slowly", path)
        start = time.monotonic()
        answer = self.wipe()
        self.assertLess(time.monotonic() - start, 8)
        self.assertIn(str(slow.pid), answer.stderr)
        self.assertFalse(path.exists())
        self.users.tell(slow)
        # Its page may have come into the cache before it was refused; it is not stored.
        self.assertIn("EKEYREVOKED", {slow.stdout.readline().strip() for _ in range(2)})


class Refused(WipeCase):
    def state(self):
        return tree_digest(self.workspace.state / "keybags", self.workspace.state / "wipes"), tree_digest(
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
        for directory in (self.workspace.root, self.workspace.socket.parents[1], self.workspace.socket.parent):
            directory.chmod(0o711)
        self.workspace.socket.chmod(0o666)
        answer = call(self.workspace, "Wipe", {"account": ANN}, [], user=65534)
        self.assertEqual(answer["error"], "io.mamd.Workspace.Refused")
        self.assertEqual(self.state(), before)
        # The user that registered an account may wipe it, and no other.
        own = call(
            self.workspace, "RegisterAccount", {"name": "own@contoso.com", "noPassphrase": True}, [], user=65534)
        self.assertNotIn("error", own)
        answer = call(self.workspace, "Wipe", {"account": "own@contoso.com"}, [], user=65534)
        self.assertEqual(answer["parameters"]["complete"], True)
        self.assertIsNone(self.workspace.account("own@contoso.com"))

    def test_without_a_terminal_it_has_to_be_said(self):
        before = self.state()
        self.assertIn("--yes", self.workspace.serving("wipe", ANN, status=USAGE).stderr)
        self.workspace.serving("wipe", "--yes", status=USAGE)
        self.workspace.serving("wipe", "nobody@nowhere.example", "--yes", status=NOT_FOUND)
        self.assertEqual(self.state(), before)

    def test_on_a_terminal_the_name_is_typed(self):
        before = self.state()
        for typed in ("y", ANN[:-1], ""):
            self.assertEqual(self.typing(typed), NO)
            self.assertEqual(self.state(), before)
        self.assertEqual(self.typing(ANN), 0)
        self.assertIsNone(self.workspace.account())

    def typing(self, text):
        import pty

        pid, terminal = pty.fork()
        if pid == 0:
            os.execvpe("mamctl", ["mamctl", "wipe", ANN, "--workspace", "work"], self.workspace.environment)
        output = b""
        with contextlib.suppress(OSError):  # EIO at its end
            while b"go on: " not in output:
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
        paths = write_all(self.workspace, ANN, self.directory, {"stuck": b"stuck", "other": b"other"})
        stuck = self.backing_of(paths[0])
        subprocess.run(["chattr", "+i", stuck], check=True)
        self.addCleanup(subprocess.run, ["chattr", "-i", stuck], stderr=subprocess.DEVNULL)
        account_id = self.workspace.account()["id"]
        answer = self.wipe(NO)
        self.assertIn(str(stuck.relative_to(self.workspace.backing)), answer.stderr)
        self.assertEqual(os.listdir(self.directory), ["stuck"])
        for again in (self.still_wiping, self.workspace.unmount, self.workspace.mount, self.still_wiping):
            again()
        self.assertEqual([path.parent.name for path in keybag_files(self.workspace, account_id)], ["wipes"])
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
        self.assertIn("wiped", self.workspace.info(path)["reason"])
        self.assertIsNone(self.workspace.account())
        self.workspace.unlock(status=NOT_FOUND)
        self.workspace.serving("account register", ANN, "--no-passphrase", status=REFUSED)
        # What was to be sealed must not become plain.
        made = self.workspace.run_as(ANN, "sh", "-c", 'echo secret > "$1"', "sh", self.directory / "new", check=False)
        self.assertNotEqual(made.returncode, 0)
        self.assertFalse((self.directory / "new").exists())


class DefaultOwner(WorkspaceCase):
    def test_it_is_nobody_after_the_wipe(self):
        self.write(self.directory / "before", b"1")
        self.assertEqual(self.workspace.owner(self.directory / "before"), ANN)
        self.workspace.serving("wipe", ANN, "--yes")
        self.write(self.directory / "after", b"2")
        self.assertEqual(self.workspace.info(self.directory / "after")["owner"], "")
        self.assertEqual(os.listdir(self.directory), ["after"])


if __name__ == "__main__":
    unittest.main()
