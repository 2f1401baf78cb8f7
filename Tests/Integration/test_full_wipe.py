"""Wipes, locks and changes of owners on a disk that is full, that a quota limits, or that has
become read-only: done, or told, and nothing else is lost. Root only."""
import errno
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import unittest

from disk_image import DiskCase, DiskImage, run
from filling import take_all_but
from test_full_quota import QuotaImage
from test_wipe_kill import KillCase
from wipe_tree import key_ids, keybag_files, owned
from workspace import (
    ANN, BLOCK, BOB, DONE, NO, PERSONAL, WRONG_PASSPHRASE, wait_until)

NEEDS = ("btrfs-progs", "e2fsprogs", "strace")

TEXTS = {ANN: "of Ann's " * 3000, BOB: "of Bob's " * 14_000, PERSONAL: "of nobody's " * 3000}


def put_on(place, workspace):
    """The backing directory, and the daemon's state."""
    workspace.backing.rmdir()
    workspace.backing = place / "backing"
    state, home = place / "state", workspace.root / "state_home"
    for directory in (workspace.backing, state):
        directory.mkdir(mode=0o700)
    home.rmdir()
    home.symlink_to(state)


class FullCase(DiskCase):
    """A file of each owner in TEXTS, and then the disk is full."""

    mebibytes = 32

    def prepare(self):
        self.place = self.make_place()
        put_on(self.place, self.workspace)

    def make_place(self):
        return self.disk.path

    def setUp(self):
        super().setUp()
        workspace = self.workspace
        workspace.register(BOB, extra=["--no-passphrase"])
        for owner, text in TEXTS.items():
            workspace.write_as(owner, workspace.path(owner), text)
        os.sync()
        self.keys, self.account_id = key_ids(workspace), workspace.account()["id"]
        self.fill()

    def fill(self):
        """What was freed before counts once the journal has it, which may be in between."""
        with self.assertRaises(OSError):
            for number in itertools.count():
                take_all_but(0, self.disk.path / f"filler-{number}")
                (self.disk.path / f"more-{number}").write_bytes(b"1")

    def wipe(self, status):
        return self.workspace.serving("wipe", ANN, "--confirm", ANN, "--json", status=status)

    def check_files(self, *owners):
        self.assertEqual(
            {path.name: path.read_text() for path in self.workspace.mount_point.iterdir()},
            {owner: TEXTS[owner] for owner in owners})

    def check_wiped(self):
        copy = self.workspace.root / "copy"
        shutil.copy(self.workspace.on_disk(ANN), copy)
        self.assertTrue(json.loads(self.wipe(DONE).stdout)["complete"])
        for again in (False, True):
            if again:
                self.workspace.unmount()
                self.workspace.mount()
            self.assertIsNone(self.workspace.account())
            self.assertEqual(keybag_files(self.workspace, self.account_id), [])
            self.assertEqual(owned(self.workspace, self.keys), [])
            self.check_files(BOB, PERSONAL)
        self.workspace.decode(copy, status=1)
        self.workspace.ctl("verify", self.workspace.mount_point)


class Full(FullCase):
    def test_a_wipe(self):
        self.check_wiped()
        # And the next one.
        self.workspace.serving("wipe", BOB, "--confirm", BOB)
        self.check_files(PERSONAL)

    def test_a_lock(self):
        self.workspace.lock()
        with self.assertRaises(OSError) as refused:
            self.workspace.path(ANN).read_bytes()
        self.assertEqual(refused.exception.errno, errno.ENOKEY)
        self.assertEqual(self.workspace.account()["state"], "locked")
        wrong = self.workspace.secret("wrong", "wrong")
        self.workspace.unlock(passfile=wrong, status=WRONG_PASSPHRASE)
        wait_until(lambda: self.workspace.unlock(status=None).returncode == DONE)
        self.assertEqual(self.workspace.account()["state"], "unlocked")
        self.check_files(*TEXTS)

    def test_other_owners(self):
        path, personal = self.workspace.path(ANN), self.workspace.path(PERSONAL)
        changes = ([path, "--owner", PERSONAL, "--unmanaged"], [personal, "--owner", ANN])
        for change in changes:
            told = self.workspace.ctl("protect", *change, status=NO).stderr
            self.assertIn(f"{change[0]}: the file: {os.strerror(errno.ENOSPC)}", told)
            self.check_files(*TEXTS)
        self.assertEqual(self.workspace.owner(path), ANN)
        self.assertEqual(self.workspace.owner(personal), PERSONAL)
        # What is deleted has room for what is changed, and made.
        free = os.statvfs(self.disk.path).f_bfree
        self.workspace.path(BOB).unlink()
        wait_until(
            lambda: os.statvfs(self.disk.path).f_bfree >= free + len(TEXTS[BOB]) // BLOCK,
            message="nothing is free")
        for change in changes:
            self.workspace.ctl("protect", *change)
        self.workspace.write_as(BOB, self.workspace.path(BOB), TEXTS[BOB][:20_000])
        self.workspace.remount()
        self.assertEqual(self.workspace.path(BOB).read_text(), TEXTS[BOB][:20_000])
        self.workspace.path(BOB).unlink()
        self.check_files(ANN, PERSONAL)
        self.assertEqual(self.workspace.owner(path), PERSONAL)
        self.assertEqual(self.workspace.owner(personal), ANN)
        self.workspace.ctl("verify", self.workspace.mount_point)


class Quota(FullCase):
    image_kind = QuotaImage
    mebibytes = 512

    def make_place(self):
        run("btrfs", "subvolume", "create", self.disk.path / "limited")
        try:
            run("btrfs", "quota", "enable", self.disk.path)
        except subprocess.CalledProcessError as problem:
            raise unittest.SkipTest(f"no quota of btrfs: {problem.stderr}") from problem
        return self.disk.path / "limited"

    def fill(self):
        run("btrfs", "qgroup", "limit", "8M", self.place)
        with open(self.place / "filler", "wb", buffering=0) as file:
            with self.assertRaises(OSError) as refused:
                while True:
                    file.write(bytes(4096))
                    os.fsync(file.fileno())
        self.assertEqual(refused.exception.errno, errno.EDQUOT)

    def test_a_wipe(self):
        self.check_wiped()


class FailingImage(DiskImage):
    def mount(self, image, path, *options):
        super().mount(image, path, "errors=remount-ro", *options)


class ReadOnly(FullCase):
    image_kind = FailingImage

    def fill(self):
        """As after an error of the disk: read-only, whoever writes."""
        device = run("findmnt", "-n", "-o", "SOURCE", self.disk.path).stdout.strip()
        pathlib.Path("/sys/fs/ext4", pathlib.Path(device).name, "trigger_fs_error").write_text("1")

    def test_a_wipe_is_refused(self):
        told = json.loads(self.wipe(NO).stdout)
        self.assertIn(os.strerror(errno.EROFS), told["error"]["message"])
        self.assertEqual(self.workspace.account()["state"], "unlocked")
        self.check_files(*TEXTS)
        self.workspace.unmount()
        self.disk.close()
        # A copy: in another mount namespace the file system may still be mounted, and read-only.
        image = shutil.copy(self.disk.image, self.disk.image.with_name("mended"))
        self.disk.mount(image, self.disk.path)
        self.workspace.mount().unlock()
        self.check_files(*TEXTS)
        self.check_wiped()


class Killed(KillCase):
    """The first start after it finds the disk full, too."""

    @classmethod
    def before_init(cls):
        cls.addClassCleanup(cls.workspace.close)
        disk = DiskImage(cls.workspace.root)
        cls.addClassCleanup(disk.close)
        cls.filler = disk.path / "filler"
        put_on(disk.path, cls.workspace)

    def wipe_under(self, *options):
        take_all_but(0, self.filler)
        return super().wipe_under(*options)

    def check_one(self, wipe):
        try:
            return super().check_one(wipe)
        finally:
            self.filler.unlink(missing_ok=True)

    def test_at_each_call_that_decides(self):
        calls = []
        self.assertFalse(self.check_one(lambda: self.wipe_traced(calls)))
        # What the disk refuses, and what takes the place of the spare.
        decision = calls.index("renameat")
        self.assertEqual(
            calls[:decision + 2],
            ["pwrite64", "unlinkat", "pwrite64", "ftruncate", "fsync", "renameat", "fsync"])
        for point in [*range(decision + 3), len(calls) - 1]:
            with self.subTest(f"{calls[point]}, call {point}"):
                self.assertTrue(self.check_one(lambda: self.wipe_until(calls[:point + 1])))
        self.assertEqual(self.outcomes["not begun"], decision + 1)


if __name__ == "__main__":
    unittest.main()
