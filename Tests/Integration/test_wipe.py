"""Wiping an account: its keys and all its files go, and no byte of anybody else's."""
import errno
import json
import os
import shutil
import subprocess
import sys
import unittest

from wipe_tree import SIZES, WipeCase, key_ids, others, owned, write_all
from workspace import ANN, BOB, LONG, NOT_FOUND, PROGRAMS, WorkspaceCase, pattern


class Whole(WipeCase):
    def test_all_its_files_go_and_no_other_byte_changes(self):
        with self.wiping_all_cleanly():
            answer = self.workspace.serving("wipe", ANN.upper(), "--confirm", ANN, "--json")
        answer = json.loads(answer.stdout)
        # Two places of each size, a link and an odd name in each, and the two copies in the hidden
        # directory.
        self.assertEqual((answer["complete"], answer["files"]), (True, 2 * (len(SIZES) + 2) + 2))
        names = sorted(os.listdir(self.directory))
        self.assertEqual(
            names, ["damaged", "deep", "empty", "foreign", "links", "nothing", "personal",
                    "symlink"])
        self.assertEqual(os.listdir(self.directory / "deep" / "er"), [])
        for size in SIZES:
            self.assertEqual(
                (self.directory / "deep" / f"{BOB} {size}").read_bytes(), pattern(size, size))
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
            self.assertEqual(self.workspace.info(restored)["state"], "keyMissing")
            os.unlink(restored)
            self.workspace.serving(
                "decrypt", copy, "-o", self.workspace.root / "out", status=NOT_FOUND)

    def test_a_locked_account(self):
        with self.wiping_all_cleanly():
            self.workspace.lock()
            self.wipe()

    def test_an_account_before_its_first_unlock(self):
        with self.wiping_all_cleanly(self.workspace.unmount, self.workspace.mount):
            self.assertEqual(self.workspace.account()["state"], "beforeFirstUnlock")
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
        paths = write_all(
            self.workspace, ANN, directory, {f"file {number}": b"x" for number in range(60)})
        keys = key_ids(self.workspace)
        mover = subprocess.Popen(
            [sys.executable, PROGRAMS / "move_files.py", directory], stdout=subprocess.PIPE)
        self.addCleanup(mover.kill)
        mover.stdout.readline()
        self.wipe()
        self.assertEqual(owned(self.workspace, keys), [])
        # It ends when there is nothing to move any more.
        mover.communicate(timeout=60)
        self.assertFalse([path for path in paths if path.exists()])


class DefaultOwner(WorkspaceCase):
    def test_it_is_nobody_after_the_wipe(self):
        self.write(self.directory / "before", b"1")
        self.assertEqual(self.workspace.owner(self.directory / "before"), ANN)
        self.workspace.serving("wipe", ANN, "--confirm", ANN)
        self.write(self.directory / "after", b"2")
        self.assertEqual(self.workspace.info(self.directory / "after")["owner"], "")
        self.assertEqual(os.listdir(self.directory), ["after"])


if __name__ == "__main__":
    unittest.main()
