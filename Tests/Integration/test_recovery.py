"""After an unclean end a file's unfinished tail is cut before anyone sees the file; after a clean
one nothing is changed."""
import errno
import os
import pathlib
import re
import signal
import threading

from tracing import tasks
from verifying import PLAIN, VerifyCase, changed, zeroed
from running import has_ended
from workspace import ANN, BLOCK, DAMAGED, FIRST, PAYLOAD, wait_until

WHOLE = PLAIN[:FIRST + 4 * PAYLOAD]


class Recovery(VerifyCase):
    @property
    def lock_file(self):
        return self.workspace.on_disk(".mamd", "lock")

    def crash(self):
        """Ends the daemon as a power cut would; the mount goes when it is mounted anew."""
        pid = self.workspace.daemon()
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: has_ended(pid))

    def test_the_lock_file_is_full_while_it_is_mounted_and_empty_after_a_clean_end(self):
        self.assertEqual(self.lock_file.read_bytes(), b"")
        self.mount()
        self.assertIn(str(self.workspace.mount_point), self.lock_file.read_text())
        self.crash()
        self.assertNotEqual(self.lock_file.read_bytes(), b"")
        self.mount()
        wait_until(lambda: "all files checked" in self.log())
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
        wait_until(lambda: "repaired once their keys are available" in self.log())
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
            "cut": self.good[:3 * BLOCK + 9], "whole-blocks": self.good[:6 * BLOCK],
            "tail": zeroed(self.good, 5, 5)}
        self.lay(**ends)
        self.mount()
        self.recovered()
        self.check_tree(
            good=PLAIN, shorter=PLAIN[:-1], longer=PLAIN, cut=PLAIN[:FIRST + PAYLOAD + 9],
            tail=WHOLE,
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

    def crash_and_mount_locked(self, **files):
        """Files that a crash has left so; until there is a key all was looked at that could be."""
        self.mount()
        self.crash()
        self.lay(**files)
        self.workspace.mount()
        wait_until(lambda: "repaired once their keys are available" in self.log())

    def test_a_rotten_mark_takes_no_end_out_of_sight(self):
        """It says less than the size, and its block does not verify."""
        rotten = changed(self.good, 5 * BLOCK + 14, (100).to_bytes(2, "little"))
        self.crash_and_mount_locked(rotten=rotten)
        path = self.directory / "rotten"
        self.assertEqual(path.stat().st_size, len(PLAIN))
        self.recovered()
        self.assertEqual(path.stat().st_size, len(PLAIN))
        with self.refused(errno.EBADMSG):
            path.read_bytes()
        self.assertEqual(self.verify(status=DAMAGED), {"rotten": [("blocks", "left", (5, 5))]})
        self.assertEqual(self.disk("rotten").read_bytes(), rotten)
        self.verify("--repair", status=DAMAGED)
        with open(path, "rb", buffering=0) as file:
            self.assertEqual(os.pread(file.fileno(), 4 * 4096, 0), PLAIN[:4 * 4096])
            with self.refused(errno.EBADMSG):
                os.pread(file.fileno(), 100, len(PLAIN) - 100)

    def test_a_size_that_the_last_block_denies_goes_with_the_key(self):
        longer = self.good + bytes(300)
        self.crash_and_mount_locked(opened=longer, left=longer)
        opened, second, left = (self.directory / name for name in ("opened", "second", "left"))
        os.link(opened, second)
        # The kernel learns of it.
        sizes = {path.stat().st_size for path in (opened, second, left)}
        self.assertEqual(sizes, {len(PLAIN) + 300})
        self.workspace.unlock()
        # Whether or not the recovery has come by.
        with open(opened, "ab") as file:
            file.write(b"more")
        self.assertEqual(second.read_bytes(), PLAIN + b"more")
        self.recovered()
        self.assertEqual(second.stat().st_size, len(PLAIN) + 4)
        self.assertEqual((left.stat().st_size, left.read_bytes()), (len(PLAIN), PLAIN))
        self.assertEqual(self.verify(), {})
        # By the name that the kernel, which may have forgotten one, asked for last.
        for names in (("opened", "second"), ("left",)):
            told = [f"{name}, a file of {ANN}, was left unfinished by a crash: its size"
                    for name in names]
            self.assertEqual(sum(map(self.log().count, told)), 1)

    def test_opens_beside_the_recovery_find_the_file(self):
        """The kernel looks a name up once more if its file was given another number; not twice."""
        names = [f"file{number}" for number in range(200)]
        self.crash_and_mount_locked(**dict.fromkeys(names, self.good + bytes(300)))
        paths = [self.directory / name for name in names]
        for path in paths:
            path.stat()
        refused = []

        def open_all(paths, flags):
            for path in paths:
                try:
                    os.close(os.open(path, flags))
                except OSError as error:
                    refused.append((path.name, errno.errorcode[error.errno]))

        self.workspace.unlock()
        threads = [
            threading.Thread(target=open_all, args=arguments) for arguments in (
                (paths, os.O_RDWR | os.O_CREAT | os.O_APPEND), (paths, os.O_RDONLY),
                (paths[::-1], os.O_RDONLY))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(refused, [])
        self.recovered()

    def test_who_waits_for_a_key_sleeps(self):
        self.crash_and_mount_locked(cut=self.good[:3 * BLOCK + 9])
        pid = self.workspace.daemon()
        (thread,) = tasks(pid, "recovery")
        status = pathlib.Path(f"/proc/{pid}/task/{thread}/status")

        def wake_ups():
            return re.findall(r"voluntary_ctxt_switches:\t(\d+)", status.read_text())[0]

        def sleeps_on():
            """While commands run, which takes some tenths of a second."""
            before = wake_ups()
            for _ in range(10):
                self.workspace.serving("status")
            return wake_ups() == before

        wait_until(sleeps_on)
        self.recovered()
        self.check_tree(cut=PLAIN[:FIRST + PAYLOAD + 9])

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
        settings = (
            self.workspace.root / "config_home" / "mamd" / self.workspace.name / "settings.json")
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
