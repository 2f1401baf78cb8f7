"""Where `verify --repair` puts what it cannot mend: nothing is deleted, and everything can be had back."""
import json
import os
import pathlib
import time

from verifying import PLAIN, VerifyCase, changed
from workspace import BLOCK, DAMAGED, pattern


class Quarantine(VerifyCase):
    @property
    def broken(self):
        return changed(self.good, 2 * BLOCK + 50, bytes([self.good[2 * BLOCK + 50] ^ 1]))

    @property
    def place(self):
        return self.workspace.on_disk(".mamd", "quarantine")

    def runs(self):
        return sorted(path for path in self.place.iterdir() if path.is_dir()) if self.place.exists() else []

    def test_a_file_keeps_its_path_and_its_bytes_and_can_be_had_back(self):
        (self.disk("deep") / "er").mkdir(parents=True)
        self.lay(**{"deep/er/file": self.broken})
        before = len(self.runs())
        self.mount()
        path = self.directory / "deep/er/file"
        self.assertEqual(path.stat().st_size, len(PLAIN))  # the kernel knows it
        text = self.workspace.ctl("verify", self.directory, "--repair", status=DAMAGED).stdout
        self.assertEqual(len(self.runs()), before + 1)
        moved = self.runs()[-1] / self._testMethodName / "deep/er/file"
        self.assertIn(str(moved), text)
        self.assertIn(str(self.runs()[-1]) + ".log", text)
        self.assertEqual(moved.read_bytes(), self.broken)
        self.assertFalse(path.exists())
        self.assertEqual(os.listdir(path.parent), [])
        self.assertFalse(self.workspace.path(".mamd").exists())
        path.write_bytes(b"another one at its name")
        self.assertEqual(self.verify(), {})
        path.unlink()
        self.workspace.unmount()
        moved.rename(self.disk("deep/er/file"))
        self.mount()
        with open(path, "rb", buffering=0) as file:
            self.assertEqual(file.read(3000), PLAIN[:3000])

    def test_the_log_says_why(self):
        self.lay(one=self.broken, two=self.good[:700])
        self.verify("--repair", status=DAMAGED)
        lines = pathlib.Path(f"{self.runs()[-1]}.log").read_text().splitlines()
        reasons = {line["path"].rpartition("/")[2]: line["reason"] for line in map(json.loads, lines)}
        self.assertEqual(set(reasons), {"one", "two"})
        self.assertIn("verify", reasons["one"])
        self.assertIn("cut off", reasons["two"])

    def test_an_open_file_stays(self):
        self.lay(file=self.broken)
        self.mount()
        with open(self.directory / "file", "rb", buffering=0) as file:
            self.assertEqual(self.verify("--repair", status=DAMAGED), {"file": [("blocks", "left", (2, 2))]})
            self.assertIn("open", self.findings[0]["action"])
            self.assertEqual(file.read(3000), PLAIN[:3000])
        self.assertEqual(self.verify("--repair", status=DAMAGED), {"file": [("blocks", "quarantined", (2, 2))]})

    def test_every_name_of_a_file_is_moved(self):
        self.lay(file=self.broken)
        os.link(self.disk("file"), self.disk("second"))
        self.mount()
        self.assertEqual((self.directory / "second").stat().st_nlink, 2)
        found = self.verify("--repair", status=DAMAGED)
        self.assertEqual(found, {name: [("blocks", "quarantined", (2, 2))] for name in ("file", "second")})
        self.assertEqual(os.listdir(self.directory), ["good"])
        moved = [self.runs()[-1] / self._testMethodName / name for name in ("file", "second")]
        self.assertTrue(moved[0].samefile(moved[1]))

    def test_names_that_are_no_text(self):
        name = b"\xff line\nbreak"
        directory = os.fsencode(self.backing_of(self.directory))
        with open(os.path.join(directory, name), "wb") as file:
            file.write(changed(self.good, 700, b"x"))
        text = self.workspace.ctl("verify", self.backing_of(self.directory), "--repair", status=DAMAGED).stdout
        self.assertIn("\\377 line\\012break", text)
        moved = os.path.join(os.fsencode(self.runs()[-1]), os.fsencode(self._testMethodName), name)
        self.assertTrue(os.path.exists(moved))
        self.assertIn("line", pathlib.Path(f"{self.runs()[-1]}.log").read_text())

    def test_two_runs_in_one_second_keep_apart(self):
        now = time.time()
        self.place.mkdir(mode=0o700, exist_ok=True)
        taken = [self.place / time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now + number)) for number in range(60)]
        for place in taken:
            place.mkdir(exist_ok=True)
        for number in range(3):
            self.lay(file=changed(self.broken, 0, self.broken[:8]) + bytes(number))
            self.verify("--repair", status=DAMAGED)
        runs = [run for run in self.runs() if run not in taken][-3:]
        self.assertEqual(len(runs), 3)
        for number, run in enumerate(runs):
            self.assertRegex(run.name, "Z-[0-9]+$")
            self.assertEqual(len((run / self._testMethodName / "file").read_bytes()), len(self.broken) + number)
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
        self.assertEqual(self.verify("--repair", status=DAMAGED), {"file": [("end", "incomplete", (2, 2))]})
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
        self.assertEqual(found, {"large": [("blocks", "left", (1, 1), (255, 257), (1000, 1000), (2000, 2000))]})
        self.assertEqual(self.findings[0]["blockCount"], len(blocks))
        self.assertEqual(self.summary["files"], 202)
        self.assertEqual(self.summary["bytes"], self.summary["totalBytes"])
        self.assertGreater(self.summary["bytes"], len(data))
        self.assertFalse(path.exists())
