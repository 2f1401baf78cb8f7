"""Wiping an account while names change: nothing outruns it, and nobody waits for it."""
import contextlib
import os
import subprocess
import sys
import threading
import time
import unittest

from wipe_tree import WipeCase, key_ids, keybag_files, owned, write_all
from workspace import ANN, NO, PROGRAMS

NEEDS = ("e2fsprogs",)


class Others(WipeCase):
    def test_they_are_served_all_the_time(self):
        """One that moves names on each thread of the daemon, and one that asks it something
        else."""
        names, movers = 40_000, 16
        backing = self.backing_of(self.directory)
        for number in range(movers):
            first = backing / str(number) / "plain 0"
            first.parent.mkdir()
            first.touch()
            # Links: names are what counts.
            for name in range(1, names // movers):
                os.link(first, first.with_name(f"plain {name}"))
        shares = []
        # A wipe that keeps others waiting does so each time; a busy machine does not.
        while not shares or shares[-1] >= 1 / 4:
            self.assertLess(len(shares), 3, f"kept waiting for these shares of wipes: {shares}")
            if self.workspace.account() is None:
                self.workspace.register()
            write_all(self.workspace, ANN, self.directory, {"file": b"content"})
            os.listdir(self.directory)
            shares.append(self.longest_wait(movers))

    def longest_wait(self, movers):
        """For an answer while the account is wiped, as a share of the time that this takes."""
        answers = []
        wipe = threading.Thread(target=lambda: answers.append(self.wipe()))
        threads = [
            threading.Thread(target=self.move, args=(number, wipe)) for number in range(movers)]
        start = time.monotonic()
        wipe.start()
        for thread in threads:
            thread.start()
        last, longest = start, 0
        while wipe.is_alive():
            os.statvfs(self.workspace.mount_point)
            last, before = time.monotonic(), last
            longest = max(longest, last - before)
        for thread in [wipe, *threads]:
            thread.join()
        self.assertEqual(len(answers), 1)
        return longest / (time.monotonic() - start)

    def move(self, number, wipe):
        names = [self.directory / str(number) / name for name in ("plain 0", "moved")]
        while wipe.is_alive():
            os.rename(*names)
            os.rename(*reversed(names))


class Outrunning(WipeCase):
    def test_directories_that_move_without_end(self):
        """The wipe proves that nothing is left, or says that it cannot, and ends when it can."""
        for place in ("here", "there"):
            (self.directory / place).mkdir()
        for number in range(8):
            (self.directory / "here" / str(number)).mkdir()
            write_all(
                self.workspace, ANN, self.directory / "here" / str(number), {"file": b"content"})
        # So that a walk takes longer than it takes the mover to come on.
        (self.directory / "others").mkdir()
        for number in range(3000):
            (self.backing_of(self.directory / "others") / str(number)).touch()
        keys, account_id = key_ids(self.workspace), self.workspace.account()["id"]
        mover = subprocess.Popen(
            [sys.executable, PROGRAMS / "move_directories.py", self.directory],
            stdout=subprocess.PIPE)
        self.addCleanup(mover.stdout.close)
        self.addCleanup(mover.wait)
        self.addCleanup(mover.kill)
        mover.stdout.readline()
        # On a busy machine a walk may meet the mover asleep.
        status = self.wipe(None).returncode
        self.assertIn(status, (0, NO))
        mover.kill()
        mover.wait()
        if status == NO:
            self.assertEqual(
                [path.parent.name for path in keybag_files(self.workspace, account_id)], ["wipes"])
            self.wipe()
        self.assertEqual(owned(self.workspace, keys), [])
        self.assertEqual(keybag_files(self.workspace, account_id), [])

    def test_a_file_without_a_name_gets_none_after_the_wipe(self):
        """Held open, or only by a descriptor that reads nothing."""
        for kind in ("open", "path"):
            with self.subTest(kind):
                if self.workspace.account() is None:
                    self.workspace.register()
                path = self.directory / kind
                holder = subprocess.Popen(
                    ["mamctl", "run", "--workspace", self.workspace.name, "--identity", ANN, "--",
                     "/usr/bin/python3", "-B", PROGRAMS / "link_later.py", kind, self.directory,
                     path],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                    env=self.workspace.environment)
                self.addCleanup(holder.kill)
                self.assertEqual(holder.stdout.readline(), "ready\n")
                keys = key_ids(self.workspace)
                self.wipe()
                answer, _ = holder.communicate("link\n", timeout=60)
                self.assertEqual(answer, "EKEYREVOKED\n")
                self.assertFalse(path.exists())
                self.assertEqual(owned(self.workspace, keys), [])


class Stuck(WipeCase):
    @contextlib.contextmanager
    def immutable(self, path):
        subprocess.run(["chattr", "+i", path], check=True)
        try:
            yield
        finally:
            subprocess.run(["chattr", "-i", path], check=True)

    @unittest.skipUnless(os.getuid() == 0, "makes a file that cannot be removed")
    def test_one_copy_of_the_keybag_keeps_nothing_else(self):
        for suffix in (".keybag", ".keybag.copy"):
            with self.subTest(suffix):
                if self.workspace.account() is None:
                    self.workspace.register()
                write_all(self.workspace, ANN, self.directory, {"file": b"content"})
                account_id, keys = self.workspace.account()["id"], key_ids(self.workspace)
                stuck = self.workspace.state / "keybags" / f"{account_id}{suffix}"
                left = sorted([stuck, self.workspace.state / "wipes" / account_id])
                with self.immutable(stuck):
                    for again in (lambda: None, self.workspace.unmount, self.workspace.mount):
                        again()
                        if self.workspace.mount_point.is_mount():
                            self.wipe(NO)
                        self.assertEqual(sorted(keybag_files(self.workspace, account_id)), left)
                        self.assertEqual(owned(self.workspace, keys), [])
                self.wipe()
                self.assertEqual(keybag_files(self.workspace, account_id), [])



if __name__ == "__main__":
    unittest.main()
