"""Backups and copies: the backing directory by rsync, tar, rclone and Syncthing, read on another
machine; while it is being written too."""
import os
import shutil
import subprocess
import threading
import unittest
import urllib.request

from machines import POLICY, SETTINGS, another_machine, populate, tree
from ports import free_port
from preloaded import derive_cheaply
from test_recovery_keys import EXPORT_PASSPHRASE
from workspace import ANN, DAMAGED, DATA, DONE, NO, WorkspaceCase, pattern, wait_until

NEEDS = ("rclone", "rsync", "syncthing")


def run(*command, **options):
    return subprocess.run(list(map(os.fspath, command)), check=True, capture_output=True, **options)


def by_rsync(source, destination):
    # Sparse files, attributes and access lists; the copy is made in place of nothing.
    run("rsync", "-aSXA", f"{source}/", f"{destination}/")


def by_tar(source, destination):
    archive = destination.with_suffix(".tar")
    run("tar", "-C", source, "-cSf", archive, "--xattrs", "--xattrs-include=user.*", "--acls", ".")
    destination.mkdir(mode=0o700)
    run("tar", "-C", destination, "-xpSf", archive, "--xattrs", "--xattrs-include=user.*", "--acls")


def by_rclone(source, destination):
    run(
        "rclone", "copy", "--config", os.devnull, "--metadata", "--links",
        "--create-empty-src-dirs", source, destination)


class BackupCase(WorkspaceCase):
    settings = SETTINGS
    policy = POLICY

    @classmethod
    def before_init(cls):
        cls.make_cheap(cls.workspace)

    @classmethod
    def make_cheap(cls, workspace):
        derive_cheaply(workspace, cls.workspace.root)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.export_passfile = cls.workspace.secret("export passphrase", EXPORT_PASSPHRASE)
        cls.keys = cls.workspace.root / "ann.keys"
        cls.workspace.serving(
            "account export", ANN, "-o", cls.keys, "--passfile", cls.workspace.passfile,
            "--export-passfile", cls.export_passfile)

    def restored(self, copy=None):
        """The copy, mounted on another machine with the account's keys."""
        other = another_machine(self.workspace, copy)
        self.addCleanup(other.close)
        self.make_cheap(other)
        other.mount()
        other.serving(
            "account import", self.keys, "--export-passfile", self.export_passfile, "--passfile",
            other.passfile)
        return other

    def verify(self, workspace, status=DONE):
        return workspace.serving("verify", workspace.mount_point, status=status)


class AtRest(BackupCase):
    def check(self, copy, keeps_attributes=True):
        before = populate(self.workspace, self.directory)
        other = self.restored(copy)
        place = other.path(self.directory.name)
        self.assertEqual(tree(place), before)
        if keeps_attributes:
            # The daemon here has not set what directories ask for, until a repair says that it has.
            self.verify(other, status=DAMAGED)
            other.serving("verify", "--repair", other.mount_point)
        self.verify(other)
        # What is asked for of a directory comes along where its attributes do, and new files follow
        # it.
        (place / "deep" / "new").write_bytes(b"new")
        self.assertEqual(
            other.info(place / "deep" / "new")["class"], "B" if keeps_attributes else "D")
        self.assertEqual(
            (place / "class A").stat().st_mtime, (self.directory / "class A").stat().st_mtime)
        return other

    def test_rsync(self):
        other = self.check(by_rsync)
        sparse = other.on_disk(self.directory.name, "sparse")
        self.assertLess(sparse.stat().st_blocks * 512, 1 << 20)
        # Back again, over the old files: what was made there is here.
        (other.path(self.directory.name) / "made there").write_bytes(pattern(9000))
        after = tree(other.path(self.directory.name))
        self.workspace.unmount()
        other.unmount()
        run(
            "rsync", "-aSXA", "--delete", "--exclude=/.mamd/lock", f"{other.backing}/",
            f"{self.workspace.backing}/")
        self.workspace.mount()
        self.workspace.unlock()
        self.assertEqual(tree(self.directory), after)
        self.verify(self.workspace, status=DAMAGED)
        self.workspace.serving("verify", "--repair", self.workspace.mount_point)
        self.verify(self.workspace)

    def test_tar(self):
        self.check(by_tar)

    def test_rclone(self):
        # Which has no attributes of directories.
        self.check(by_rclone, keeps_attributes=False)

    def test_two_copies_on_one_machine(self):
        populate(self.workspace, self.directory)
        copy = self.workspace.root / "second copy"
        by_rsync(self.workspace.backing, copy)
        mount = self.workspace.root / "second mount"
        mount.mkdir()
        # One machine serves a workspace once: its name is its socket's, its keys' and its log's.
        refused = self.workspace.ctl("mount", copy, mount, status=NO)
        self.assertIn("mamctl mount --name work", refused.stderr)
        refused = self.workspace.ctl("mount", "--name", "work", copy, mount, status=NO)
        self.assertIn("another daemon", refused.stderr)
        self.assertFalse(os.path.ismount(mount))
        self.workspace.unmount()
        self.workspace.ctl("mount", "--name", "work", copy, mount)
        self.workspace.unlock()
        self.assertEqual(
            tree(mount / self.directory.name).keys(), tree(copy / self.directory.name).keys())
        self.assertEqual(
            (mount / self.directory.name / "class A").read_bytes(), pattern(20_000, ord("A")))
        self.workspace.ctl("unmount", mount)
        self.workspace.mount("--name", "work")
        self.workspace.unlock()


class WhileWriting(BackupCase):
    def test_a_live_copy_has_every_block_old_or_new_and_verify_tells_the_rest(self):
        size = 1500 * 4064
        old, new = b"o" * size, b"n" * size
        path = self.directory / "written over"
        still = populate(self.workspace, self.directory)
        path.write_bytes(old)
        os.sync()
        stop, passes = threading.Event(), [0]

        def write():
            content = new
            while not stop.is_set():
                with open(path, "r+b") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                with open(self.directory / "grows", "ab") as file:
                    file.write(pattern(3000))
                passes[0] += 1
                content = old if content is new else new

        writer = threading.Thread(target=write)
        writer.start()
        try:
            wait_until(lambda: passes[0] > 1)
            copies = [self.workspace.root / f"copy {number}" for number in range(3)]
            for copy in copies:
                by_rsync(self.workspace.backing, copy)
            # It has not ended meanwhile.
            written = passes[0]
            wait_until(lambda: passes[0] > written)
        finally:
            stop.set()
            writer.join()
        for copy in copies:
            self.check_live_copy(copy, path, still, size)

    def check_live_copy(self, copy, path, still, size):
        other = self.restored(lambda _, destination: shutil.move(copy, destination))
        place = other.path(self.directory.name)
        # Files that nobody wrote are whole; of others a block may not open.
        self.assertEqual(tree(place, still), still)
        letters, torn = set(), 0
        with open(place / path.name, "rb", buffering=0) as file:
            for offset in range(0, size, 4064):
                try:
                    block = os.pread(file.fileno(), 4064, offset)
                except OSError:
                    # Read in the middle of the block's write: refused, and never wrong bytes.
                    torn += 1
                    continue
                self.assertTrue(set(block) <= set(b"on"), f"wrong bytes at {offset}")
                letters.update(block)
        self.assertLess(torn, 5)
        self.assertTrue(letters)
        verified = self.verify(other, status=None)
        self.assertEqual(verified.returncode, DAMAGED if torn else verified.returncode)
        self.assertIn(verified.returncode, (DONE, DAMAGED))
        other.close()


@unittest.skipUnless(shutil.which("syncthing"), "Syncthing is not installed")
class Syncthing(BackupCase):
    def test_both_ways_between_two_machines(self):
        before = populate(self.workspace, self.directory)
        there = self.workspace.root / "synchronised"
        # It wants a sign that the folder is the right one: here the workspace's own directory.
        (there / ".mamd").mkdir(parents=True)
        folders = [self.workspace.backing, there]
        for folder in folders:
            # What belongs to one machine is not for the other: its lock, and what is unfinished.
            (folder / ".stignore").write_text("/.mamd/lock\n/.mamd/work\n")
        self.peers = [Peer(self, number, folder) for number, folder in enumerate(folders)]
        for peer, other in zip(self.peers, reversed(self.peers)):
            peer.configure(other)
        for peer in self.peers:
            peer.start()
        name = self.directory.name
        wait_until(
            lambda: (there / ".mamd" / "workspace.json").exists() and same(folders, name),
            message="not the same")
        other = self.restored(lambda _, destination: destination.symlink_to(there))
        place = other.path(name)
        self.assertEqual(tree(place), before)
        self.verify(other)
        # A file that is made there is read here.
        (place / "from there").write_bytes(pattern(9000))
        os.sync()
        other.unmount()
        # Nobody else may change files below a mount: it knows what it has read.
        self.workspace.unmount()
        for peer in self.peers:
            peer.scan()
        wait_until(lambda: same(folders, name), message="did not come back")
        self.workspace.mount()
        self.workspace.unlock()
        self.assertEqual(
            tree(self.directory), {**before, "from there": tree(self.directory)["from there"]})
        self.assertEqual((self.directory / "from there").read_bytes(), pattern(9000))
        self.verify(self.workspace)


def same(folders, name):
    one, other = (tree(folder / name) for folder in folders)
    return one == other


class Peer:
    """A Syncthing that knows one other, by its address on this machine, and nobody else."""

    def __init__(self, case, number, folder):
        self.case, self.folder = case, folder
        self.home = case.workspace.root / f"syncthing {number}"
        run(
            "syncthing", "generate", "--home", self.home, "--no-default-folder",
            env=self.environment())
        text = run("syncthing", "--home", self.home, "--device-id", env=self.environment()).stdout
        self.id = text.decode().strip()
        self.port, self.gui = free_port(), free_port()

    def environment(self):
        return {
            **os.environ, "HOME": str(self.case.workspace.root), "STNOUPGRADE": "1",
            "STNODEFAULTFOLDER": "1"}

    def configure(self, other):
        text = (DATA / "syncthing.xml").read_text()
        (self.home / "config.xml").write_text(text.format(
            folder=self.folder, this=self.id, other=other.id, port=self.port, gui=self.gui,
            other_port=other.port))

    def start(self):
        with open(self.home / "log", "wb") as log:
            process = subprocess.Popen(
                ["syncthing", "serve", "--home", self.home, "--no-browser", "--no-restart"],
                env=self.environment(), stdout=log, stderr=subprocess.STDOUT)
        self.case.addCleanup(process.wait)
        self.case.addCleanup(process.terminate)

    def scan(self):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.gui}/rest/db/scan?folder=work", method="POST",
            headers={"X-API-Key": "key"})
        urllib.request.urlopen(request, timeout=90).read()
