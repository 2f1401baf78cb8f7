"""Where `verify --repair` puts what it cannot mend: nothing is deleted, and everything can be had
back."""
import errno
import json
import os
import pathlib
import shutil
import time

from verifying import PLAIN, VerifyCase, changed, zeroed
from workspace import BLOCK, DAMAGED, FIRST, HEADER, PAYLOAD, pattern


class Quarantine(VerifyCase):
    @property
    def broken(self):
        return changed(self.good, 2 * BLOCK + 50, bytes([self.good[2 * BLOCK + 50] ^ 1]))

    @property
    def place(self):
        return self.workspace.on_disk(".mamd", "quarantine")

    def runs(self):
        return sorted(
            path for path in self.place.iterdir() if path.is_dir()) if self.place.exists() else []

    def test_a_file_without_a_header_is_moved_and_can_be_had_back(self):
        (self.disk("deep") / "er").mkdir(parents=True)
        beheaded = changed(self.good, 100, b"?")
        self.lay(**{"deep/er/file": beheaded})
        before = len(self.runs())
        self.mount()
        path = self.directory / "deep/er/file"
        text = self.workspace.ctl("verify", self.directory, "--repair", status=DAMAGED).stdout
        self.assertEqual(len(self.runs()), before + 1)
        moved = self.runs()[-1] / self._testMethodName / "deep/er/file"
        self.assertIn(str(moved), text)
        self.assertIn(str(self.runs()[-1]) + ".log", text)
        self.assertEqual(moved.read_bytes(), beheaded)
        self.assertFalse(path.exists())
        self.assertEqual(os.listdir(path.parent), [])
        self.assertFalse(self.workspace.path(".mamd").exists())
        path.write_bytes(b"another one at its name")
        self.assertEqual(self.verify(), {})
        path.unlink()
        self.workspace.unmount()
        moved.rename(self.disk("deep/er/file"))
        self.mount()
        with self.refused(errno.EBADMSG):
            path.read_bytes()

    def test_a_damaged_block_is_given_up_and_every_other_stays(self):
        (self.disk("deep") / "er").mkdir(parents=True)
        self.lay(**{"deep/er/file": self.broken})
        os.chmod(self.disk("deep/er/file"), 0o640)
        self.mount()
        path = self.directory / "deep/er/file"
        self.assertEqual(path.stat().st_size, len(PLAIN))  # the kernel knows it
        text = self.workspace.ctl("verify", self.directory, "--repair", status=DAMAGED).stdout
        self.assertIn("marked as lost", text)
        place = pathlib.Path(
            "quarantine", self.runs()[-1].name, self._testMethodName, "deep/er/file")
        self.assertIn(f".mamd/{place}", text)
        copy = self.place.parent / place
        kept = bytearray(len(self.broken))
        for first, last in ((0, HEADER), (2 * BLOCK, 3 * BLOCK)):
            kept[first:last] = self.broken[first:last]
        self.assertEqual(copy.read_bytes(), bytes(kept))
        self.assertEqual((copy.stat().st_mode & 0o777, path.stat().st_mode & 0o777), (0o600, 0o640))
        start, end = FIRST + PAYLOAD, FIRST + 2 * PAYLOAD
        for attempt in range(2):
            with self.subTest(attempt=attempt), open(path, "rb", buffering=0) as file:
                self.assertEqual(os.fstat(file.fileno()).st_size, len(PLAIN))
                self.assertEqual(os.pread(file.fileno(), 4096, 0), PLAIN[:4096])
                with self.refused(errno.EBADMSG):
                    os.pread(file.fileno(), 10, start)
                self.assertEqual(os.pread(file.fileno(), 4096, 16384), PLAIN[16384:])
            self.workspace.remount()
        # Known again, and not given up twice.
        runs = self.runs()
        found = {"deep/er/file": [("lost", "left", (2, 2))]}
        self.assertEqual(self.verify("--repair", status=DAMAGED), found)
        self.assertEqual(self.runs(), runs)
        with open(path, "r+b", buffering=0) as file:
            first, last = start // 4096 * 4096, -(-end // 4096) * 4096
            os.pwrite(file.fileno(), PLAIN[first:last], first)
        self.assertEqual(self.verify(), {})
        self.assertEqual(path.read_bytes(), PLAIN)

    def test_a_lost_block_at_the_end_and_an_unfinished_tail(self):
        last = len(self.good) // BLOCK - 1
        # Its mark says another end, and does not verify either.
        at_end = changed(self.good, last * BLOCK + 14, b"??")
        # The tail is cut behind a block that is lost, which is the last one from then on: a full
        # block, or one that says that 100 bytes of it are used.
        before_tail = zeroed(changed(self.good, 3 * BLOCK + 50, b"????"), 4, last)
        partly = changed(before_tail, 3 * BLOCK + 14, (101).to_bytes(2, "little"))
        self.lay(
            end=at_end, tail=before_tail, partly=partly, first=changed(self.good, 2000, b"????"))
        self.verify("--repair", status=DAMAGED)
        found = {
            "end": [("lost", "left", (last, last))], "tail": [("lost", "left", (3, 3))],
            "partly": [("lost", "left", (3, 3))],
            "first": [("lost", "left", (0, 0))]}
        self.assertEqual(self.verify("--repair", status=DAMAGED), found)
        self.mount()
        for name in found:
            with open(self.directory / name, "rb", buffering=0) as file:
                if name != "first":
                    self.assertEqual(os.pread(file.fileno(), 2000, 0), PLAIN[:2000])
                if name != "end":
                    self.assertEqual(
                        os.pread(file.fileno(), 4096, 8192 if name == "first" else 4096),
                        PLAIN[8192:12288] if name == "first" else PLAIN[4096:8192])
        self.assertEqual((self.directory / "end").stat().st_size, len(PLAIN))
        self.assertEqual((self.directory / "tail").stat().st_size, FIRST + 3 * PAYLOAD)
        self.assertEqual((self.directory / "partly").stat().st_size, FIRST + 2 * PAYLOAD + 100)

    def test_the_log_says_why(self):
        self.lay(one=self.broken, two=self.good[:700])
        self.verify("--repair", status=DAMAGED)
        lines = pathlib.Path(f"{self.runs()[-1]}.log").read_text().splitlines()
        reasons = {
            line["path"].rpartition("/")[2]: line["reason"] for line in map(json.loads, lines)}
        self.assertEqual(set(reasons), {"one", "two"})
        self.assertIn("verify", reasons["one"])
        self.assertIn("cut off", reasons["two"])

    def test_an_open_file_stays(self):
        self.lay(file=self.broken)
        self.mount()
        with open(self.directory / "file", "rb", buffering=0) as file:
            self.assertEqual(
                self.verify("--repair", status=DAMAGED), {"file": [("blocks", "left", (2, 2))]})
            self.assertIn("open", self.findings[0]["action"])
            self.assertEqual(file.read(3000), PLAIN[:3000])
        self.workspace.await_closed()
        self.assertEqual(
            self.verify("--repair", status=DAMAGED), {"file": [("blocks", "incomplete", (2, 2))]})

    def test_every_name_of_a_file_is_moved(self):
        self.lay(file=changed(self.good, 100, b"?"))
        os.link(self.disk("file"), self.disk("second"))
        found = self.verify("--repair", status=DAMAGED)
        self.assertEqual(found, {name: [("header", "quarantined")] for name in ("file", "second")})
        self.mount()
        self.assertEqual(os.listdir(self.directory), ["good"])
        moved = [self.runs()[-1] / self._testMethodName / name for name in ("file", "second")]
        self.assertTrue(moved[0].samefile(moved[1]))

    def test_a_file_with_two_names_is_marked_once(self):
        self.lay(file=self.broken)
        os.link(self.disk("file"), self.disk("second"))
        self.mount()
        self.assertEqual((self.directory / "second").stat().st_nlink, 2)
        found = self.verify("--repair", status=DAMAGED)
        self.assertEqual(
            sorted(found.values()),
            [[("blocks", "incomplete", (2, 2))], [("lost", "left", (2, 2))]])
        self.assertEqual((self.directory / "second").stat().st_nlink, 2)

    def test_names_that_are_no_text(self):
        name = b"\xff line\nbreak"
        directory = os.fsencode(self.backing_of(self.directory))
        with open(os.path.join(directory, name), "wb") as file:
            file.write(changed(self.good, 700, b"x"))
        text = self.workspace.ctl(
            "verify", self.backing_of(self.directory), "--repair", status=DAMAGED).stdout
        self.assertIn("\\377 line\\012break", text)
        moved = os.path.join(os.fsencode(self.runs()[-1]), os.fsencode(self._testMethodName), name)
        self.assertTrue(os.path.exists(moved))
        self.assertIn("line", pathlib.Path(f"{self.runs()[-1]}.log").read_text())

    def test_two_runs_in_one_second_keep_apart(self):
        now = time.time()
        self.place.mkdir(mode=0o700, exist_ok=True)
        taken = [
            self.place / time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now + number))
            for number in range(60)]
        for place in taken:
            place.mkdir(exist_ok=True)
        for number in range(3):
            self.lay(file=changed(self.broken, 0, self.broken[:8]) + bytes(number))
            self.verify("--repair", status=DAMAGED)
        runs = [run for run in self.runs() if run not in taken][-3:]
        self.assertEqual(len(runs), 3)
        for run in runs:
            self.assertRegex(run.name, "Z-[0-9]+$")
            # By then it has the size that its last block tells.
            kept = (run / self._testMethodName / "file").read_bytes()
            self.assertEqual(len(kept), len(self.broken))
        # Their times are yet to come: other tests would take them for the newest.
        for run in runs:
            shutil.rmtree(run)
            pathlib.Path(f"{run}.log").unlink()
        for place in taken:
            if not any(place.iterdir()):
                place.rmdir()

    def test_nothing_is_moved_without_repair_nor_in_a_read_only_mount(self):
        before = len(self.runs())
        self.lay(file=self.broken)
        self.assertEqual(self.verify(status=DAMAGED), {"file": [("blocks", "left", (2, 2))]})
        self.workspace.mount("-o", "ro").unlock()
        result = self.workspace.ctl("verify", self.directory, "--repair", status=1)
        self.assertIn("Read-only", result.stderr)
        self.assertEqual(self.disk("file").read_bytes(), self.broken)
        self.assertEqual(len(self.runs()), before)
        self.workspace.unmount()
        self.verify("--repair", status=DAMAGED)

    def test_a_file_that_only_a_crash_can_explain_is_not_moved(self):
        self.lay(file=self.good[:3 * BLOCK])
        self.assertEqual(
            self.verify("--repair", status=DAMAGED), {"file": [("end", "incomplete", (2, 2))]})
        self.assertTrue(self.disk("file").exists())

    def test_large_files_and_many(self):
        data = pattern(9_000_000, seed=3)
        self.mount()
        path = self.write(self.directory / "large", data)
        for number in range(200):
            (self.directory / f"small-{number:03}").write_bytes(data[number:2 * number + 1])
        self.workspace.unmount()
        sealed = bytearray(self.disk("large").read_bytes())
        blocks = [1, 255, 256, 257, 1000, 2000]
        for block in blocks:
            sealed[block * BLOCK + 40] ^= 0x80
        self.lay(large=bytes(sealed))
        found = self.verify(status=DAMAGED)
        self.assertEqual(
            found, {"large": [("blocks", "left", (1, 1), (255, 257), (1000, 1000), (2000, 2000))]})
        self.assertEqual(self.findings[0]["blockCount"], len(blocks))
        self.assertEqual(self.summary["files"], 202)
        self.assertEqual(self.summary["bytes"], self.summary["totalBytes"])
        self.assertGreater(self.summary["bytes"], len(data))
        self.assertFalse(path.exists())
