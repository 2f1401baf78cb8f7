"""Power cuts: some 150 of Tests/Crash, and a real ext4 in the middle of its work."""
import os
import pathlib
import sys
import time
import unittest

from disk_image import DiskImage
from workspace import BLOCK, LONG, ROOT, Workspace, pattern, wait_until

sys.path.insert(0, str(ROOT / "Tests" / "Crash"))
from crash import Run, print_report
from recorder import AS_ROOT

NEEDS = ("gcc", "libc6-dev")

SEEDS, POINTS = ((1, 2), 50) if not LONG else (range(1, 21), 500)


@AS_ROOT
class PlayedBack(unittest.TestCase):
    def recorded(self, seed, steps=300, **options):
        run = Run("mamd", seed, steps, **options)
        self.addCleanup(run.close)
        run.record()
        return run

    def test_what_was_acknowledged_is_there_after_any_cut(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                self.check(self.recorded(seed), POINTS)

    def test_it_is_there_after_any_cut_of_a_real_ext4(self):
        """In the order in which it came to the disk, and in any that its flushes allow."""
        for in_order in (True, False):
            with self.subTest(in_order=in_order):
                run = self.recorded(4, disk="ext4", in_order=in_order)
                self.check(run, POINTS // 5)

    def check(self, run, points):
        start = time.monotonic()
        report = run.check(range(points), os.cpu_count())
        print_report(report, time.monotonic() - start, run.seed)
        self.assertEqual(report.figures["points"], points)
        self.assertGreater(report.figures["old"], 0)
        if report.faults:
            kept = run.keep(pathlib.Path(ROOT, ".build", "crash"))
            self.fail(f"{report.faults[:5]}; scripts/dev crash --again {kept}")

    def test_a_disk_that_forgets_syncs_is_noticed(self):
        run = self.recorded(3)
        run.recording.forget_syncs()
        report = run.check(range(24), os.cpu_count())
        self.assertGreater(
            report.figures["violation: lost"] + report.figures["violation: stale"], 0)


class RealDisk(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        # Metadata are committed every second; data go out after 30.
        self.disk = DiskImage(self.workspace.root, options=("commit=1",))
        self.addCleanup(self.disk.close)
        self.workspace.backing = self.disk.path / "backing"
        self.workspace.backing.mkdir()
        self.workspace.init().mount().register(extra=["--no-passphrase"])
        self.addCleanup(self.workspace.unmount)

    def test_a_size_is_not_there_before_its_data(self):
        """Files that nobody synced, new ones and ones that grew."""
        old = [self.workspace.path(f"old{number}") for number in range(4)]
        for path in old:
            path.write_bytes(pattern(5000))
        os.sync()
        for number, path in enumerate(old):
            with open(path, "ab") as file:
                file.write(pattern(9000 + 3000 * number))
            path.with_name(f"new{number}").write_bytes(pattern(100 + 4000 * number))
        wait_until(lambda: self.check_after_a_cut() == 8, message="not all files are committed")

    def check_after_a_cut(self):
        """How many files are there."""
        with self.disk.after_power_cut() as disk:
            found = [path for path in (disk / "backing").iterdir() if path.is_file()]
            for path in found:
                data = path.read_bytes()
                blocks = [
                    data[start : start + BLOCK]
                    for start in range(0, len(data) // BLOCK * BLOCK, BLOCK)]
                self.assertNotIn(bytes(BLOCK), blocks, path.name)
            return len(found)
