"""After an unclean end a file's unfinished tail is cut before anyone sees the file; after a clean one nothing is changed."""
import os
import signal

from verifying import PLAIN, VerifyCase, zeroed
from workspace import ANN, BLOCK, FIRST, PAYLOAD, daemons, wait_until

WHOLE = PLAIN[:FIRST + 4 * PAYLOAD]


class Recovery(VerifyCase):
    @property
    def lock_file(self):
        return self.workspace.on_disk(".mamd", "lock")

    def crash(self):
        """Ends the daemon as a power cut would; the mount goes when it is mounted anew."""
        (pid,) = daemons(str(self.workspace.root))
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not os.path.exists(f"/proc/{pid}"))

    def test_the_lock_file_is_full_while_it_is_mounted_and_empty_after_a_clean_end(self):
        self.assertEqual(self.lock_file.read_bytes(), b"")
        self.mount()
        self.assertIn(str(self.workspace.mount_point), self.lock_file.read_text())
        self.crash()
        self.assertNotEqual(self.lock_file.read_bytes(), b"")
        self.mount()
        wait_until(lambda: "all files were looked at" in self.log())
        self.workspace.unmount()
        self.assertEqual(self.lock_file.read_bytes(), b"")

    def test_an_unfinished_tail_is_cut_when_the_file_is_looked_up(self):
        self.mount()
        self.crash()
        self.lay(tail=zeroed(self.good, 5, 5), zeros=zeroed(self.good, 2, 2))
        size = len(self.disk("zeros").read_bytes())
        self.workspace.mount()
        # Without the key.
        self.assertEqual((self.directory / "tail").stat().st_size, len(WHOLE))
        self.workspace.unlock()
        self.check_tree(tail=WHOLE, good=PLAIN)
        with open(self.directory / "tail", "ab") as file:
            file.write(b"more")
        self.assertEqual((self.directory / "tail").read_bytes(), WHOLE + b"more")
        self.assertEqual(self.disk("zeros").stat().st_size, size)
        self.assertIn("left unfinished by a crash: its size", self.log())

    def test_files_that_nobody_looks_up_are_mended_too(self):
        self.mount()
        self.crash()
        self.disk("deep").mkdir()
        self.lay(**{"deep/tail": zeroed(self.good, 3, 5), "deep/cut": self.good[:2 * BLOCK + 500]})
        self.workspace.mount()
        # Their last blocks say that more follows: to seal them anew takes the key.
        wait_until(lambda: "mended once their keys are at hand" in self.log())
        self.assertLess(self.disk("deep/tail").stat().st_size, len(self.good))
        self.workspace.unmount()
        self.workspace.mount()
        self.recovered()
        self.assertEqual(self.verify(), {})
        self.assertEqual((self.directory / "deep/tail").read_bytes(), PLAIN[:FIRST + 2 * PAYLOAD])
        self.assertEqual((self.directory / "deep/cut").read_bytes(), PLAIN[:FIRST + 500])
        self.workspace.unmount()
        self.assertEqual(self.lock_file.read_bytes(), b"")
        for name in ("tail", "cut"):
            told = f"deep/{name}, a file of {ANN}, was left unfinished by a crash: its end"
            self.assertEqual(self.log().count(told), 1)

    def test_every_end_that_a_crash_can_leave_is_mended_and_told_once(self):
        self.mount()
        self.crash()
        ends = {
            "shorter": self.good[:-1], "longer": self.good + bytes(300),
            "cut": self.good[:3 * BLOCK + 9], "whole-blocks": self.good[:6 * BLOCK], "tail": zeroed(self.good, 5, 5)}
        self.lay(**ends)
        self.mount()
        self.recovered()
        self.check_tree(
            good=PLAIN, shorter=PLAIN[:-1], longer=PLAIN, cut=PLAIN[:FIRST + PAYLOAD + 9], tail=WHOLE,
            **{"whole-blocks": WHOLE})
        self.assertEqual(self.verify(), {})
        records = self.workspace.serving("audit", "--json").stdout
        for name in ends:
            path = f"{self._testMethodName}/{name}"
            self.assertIn(f"{path}, a file of {ANN}, was left unfinished by a crash", self.log())
            self.assertIn(path, records)
        before = self.log().count("left unfinished by a crash")
        self.workspace.remount()
        self.crash()
        self.mount()
        self.recovered()
        self.assertEqual(self.log().count("left unfinished by a crash"), before)

    def test_a_locked_account_keeps_no_other_from_its_files(self):
        """An unclean session, and then ends before all was mended: the next one still mends."""
        self.mount()
        self.crash()
        self.lay(cut=self.good[:3 * BLOCK + 9])
        for _ in range(2):
            self.workspace.mount()
            self.workspace.unmount()
        self.mount()
        # Whether or not it was mended by now.
        self.assertEqual((self.directory / "cut").read_bytes(), PLAIN[:FIRST + PAYLOAD + 9])

    def test_after_a_clean_end_nothing_is_cut(self):
        tail = zeroed(self.good, 5, 5)
        self.lay(tail=tail)
        self.mount()
        self.assertEqual((self.directory / "tail").stat().st_size, len(PLAIN))
        self.workspace.unmount()
        self.assertEqual(self.disk("tail").read_bytes(), tail)

    def test_a_read_only_mount_cuts_nothing_and_leaves_it_to_the_next(self):
        tail = zeroed(self.good, 5, 5)
        self.mount()
        self.crash()
        self.lay(tail=tail)
        self.workspace.mount("-o", "ro")
        self.assertEqual((self.directory / "tail").stat().st_size, len(PLAIN))
        self.workspace.unmount()
        self.assertEqual(self.disk("tail").read_bytes(), tail)
        self.verify("locked", status=7)
        self.assertNotEqual(self.lock_file.read_bytes(), b"")
        self.workspace.mount()
        self.assertEqual((self.directory / "tail").stat().st_size, len(WHOLE))

    def test_a_start_that_fails_is_no_unclean_end(self):
        settings = self.workspace.root / "config_home" / "mamd" / self.workspace.name / "settings.json"
        text = settings.read_text()
        settings.write_text("[]")
        self.workspace.mount(status=1)
        settings.write_text(text)
        self.assertEqual(self.lock_file.read_bytes(), b"")

    def test_a_check_without_a_mount_leaves_the_lock_file_as_it_is(self):
        self.verify("--repair")
        self.assertEqual(self.lock_file.read_bytes(), b"")
        self.mount()
        self.crash()
        text = self.lock_file.read_bytes()
        self.workspace.ctl("unmount", self.workspace.mount_point, status=None)
        self.verify("--repair")
        self.assertEqual(self.lock_file.read_bytes(), text)
