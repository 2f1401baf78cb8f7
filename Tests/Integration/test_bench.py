"""scripts/dev bench: with next to nothing to do, on mamd and the store alone."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from unittest import mock

from bench_run import TINY, options, programs_of_bench
from running import PREFIX

from filesystems import Bare, Mamd, check_sealed
from measuring import measure, mounted
from meter import Cost, Meter
from options import parse
from output import put_out
from results import Results
from stores import Memory
from tables import BEGIN, END, all_tables, into_document, main_tables
from targets import TARGETS, check
from workloads import ALL, CLIENTS, WORKLOADS

SVG = "{http://www.w3.org/2000/svg}"


def setUpModule():
    programs_of_bench()


def turned(path, offset):
    """One bit of a file is another one from now on."""
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ 1]))


class Bad(Bare):
    """`name`: of the file that is damaged whenever everything is to be cold."""

    damaged, offset = "large", 4096 * 7

    def remount(self):
        path = self.files / self.damaged
        if path.exists():
            turned(path, self.offset)


class Sloppy(Bare):
    """Lies in the clear, and says that it does not."""

    seals = True


@unittest.skipIf(os.getuid() != 0, "mounts a tmpfs, which only root can")
class Measured(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results, cls.failed = measure(options("--on", "mamd,bare"))

    def test_every_workload_was_measured_on_both(self):
        self.assertEqual(self.failed, [])
        self.assertEqual(set(self.results.figures["tmpfs"]), set(ALL))
        for key, places in self.results.figures["tmpfs"].items():
            self.assertEqual(
                {place: len(figures) for place, figures in places.items()}, {"mamd": 1, "bare": 1},
                key)
            self.assertTrue(
                all(figure > 0 for figures in places.values() for figure in figures), key)

    def test_requests_are_counted_where_there_is_a_daemon(self):
        costs = self.results.costs["tmpfs"]["create"]
        ((_, _, requests, wakeups),) = costs["mamd"]
        if wakeups is None:
            self.skipTest("this kernel counts none")
        # LOOKUP, CREATE, GETXATTR, WRITE, SETATTR, FLUSH, RELEASE and GETATTR, or a few less.
        self.assertGreater(requests, 3)
        self.assertLess(requests, 12)
        self.assertGreater(wakeups, requests / 2)
        self.assertIsNone(costs["bare"][0][2])

    def test_the_file_has_all_of_it_and_can_be_read_again(self):
        with tempfile.TemporaryDirectory(prefix=PREFIX) as directory:
            file = pathlib.Path(directory, "figures.json")
            self.results.save(file)
            whole, again = json.loads(file.read_text()), Results.load(file)
        self.assertEqual(again, self.results)
        self.assertEqual(
            set(whole),
            {"format", "places", "machine", "settings", "figures", "costs", "reasons", "medians",
            "units"})
        self.assertLessEqual(
            {"date", "revision", "processor", "features", "cores", "memory_mib", "kernel", "load",
            "versions"},
            set(whole["machine"]))
        self.assertEqual(
            whole["medians"]["tmpfs"]["write"]["mamd"],
            self.results.figures["tmpfs"]["write"]["mamd"][0])


@unittest.skipIf(os.getuid() != 0, "mounts a tmpfs, which only root can")
class Counted(unittest.TestCase):
    def test_the_name_of_another_mount_may_be_any_bytes(self):
        with tempfile.TemporaryDirectory(prefix=PREFIX) as directory:
            odd = os.fsencode(directory) + b"/\xff"
            os.mkdir(odd)
            subprocess.run(["mount", "-t", "tmpfs", "none", odd], check=True)
            self.addCleanup(subprocess.run, ["umount", "-l", odd], capture_output=True)
            self.assertIsNone(Meter(mount_point=directory).cost(1).requests)
            subprocess.run(["umount", odd], check=True)


@unittest.skipIf(os.getuid() != 0, "mounts a tmpfs, which only root can")
class Noticed(unittest.TestCase):
    """What is wrong with a place is a failure, and no figure."""

    def failures(self, only, **attributes):
        bad = type("Bad", (Bad,), attributes)
        with mock.patch.dict("filesystems.FILE_SYSTEMS", bare=bad):
            results, failed = measure(options("--on", "bare", "--only", only))
        return results, " ".join(failed)

    def test_a_wrong_page(self):
        results, failed = self.failures("read-cold")
        self.assertIn("page 7 is wrong", failed)
        self.assertIn("page 7", results.reasons["tmpfs"]["read-cold"]["bare"])
        self.assertNotIn("read-cold", results.figures.get("tmpfs", {}))

    def test_a_wrong_byte_inside_a_page(self):
        _, failed = self.failures("read-warm", offset=4096 * 7 + 1000)
        self.assertIn("page 7 is wrong inside", failed)

    def test_a_wrong_small_file(self):
        _, failed = self.failures("read-files", damaged="small/file000003", offset=2000)
        self.assertIn("page 3 is wrong inside", failed)

    def test_a_line_that_grep_does_not_find(self):
        with mock.patch("archive.Archive.word", "__BITS_PER_LONG"):
            _, failed = self.failures(
                "grep", damaged="tree/bitsperlong.h", offset=self.place_of("__BITS_PER_LONG"))
        self.assertIn("grep found", failed)

    def place_of(self, word):
        return (TINY.tree / "bitsperlong.h").read_text().index(word)

    def test_content_in_the_clear(self):
        with tempfile.TemporaryDirectory(prefix=PREFIX) as directory:
            with mounted([Sloppy, Mamd], Memory, pathlib.Path(directory)) as (places, missing):
                self.assertEqual([place.name for place in places], ["mamd"])
                self.assertIn("in the clear", missing["bare"])
                with mock.patch.object(Mamd, "seals", False), self.assertRaisesRegex(
                        RuntimeError, "nowhere"):
                    check_sealed(places[0])


class PutOut(unittest.TestCase):
    """Tables, pictures and targets, from figures that are made up."""

    def setUp(self):
        self.results = Results(
            ["mamd", "mamd+ring", "gocryptfs", "securefs", "passthrough_ll"],
            settings={"rounds": 3})
        for key, row in ALL.items():
            for place, speed in zip(self.results.places, (4, 6, 2, 5, 4)):
                for wobble in (1.0, 0.5, 1.5):
                    self.results.add(
                        "tmpfs", key, place, wobble * (speed * 100 if row.is_rate else 100 / speed),
                        Cost(wobble * 100 / speed, 2, 4, None))

    def test_ratios_are_of_speed_whatever_the_unit(self):
        for key in ("write", "untar"):
            self.assertAlmostEqual(self.results.ratio("tmpfs", key, "mamd", "gocryptfs"), 2)
            self.assertEqual(
                self.results.fastest("tmpfs", key, ["gocryptfs", "securefs"]), "securefs")
        self.assertAlmostEqual(self.results.mean_ratio("tmpfs", "mamd+ring", "passthrough_ll"), 1.5)

    def test_costs_are_compared_as_times(self):
        self.assertEqual(self.results.cost("tmpfs", "write", "mamd"), Cost(25, 2, 4, None))
        self.assertAlmostEqual(
            self.results.mean_cost_ratio("tmpfs", "mamd+ring", "passthrough_ll"), 2 / 3)

    def test_a_meter_counts_children_and_running_programs(self):
        busy = "import time\nend = time.process_time() + {}\nwhile time.process_time() < end: pass"
        with subprocess.Popen(["sleep", "60"]) as other:
            self.addCleanup(other.kill)
            meter = Meter()
            subprocess.run([sys.executable, "-c", busy.format(0.3)], check=True)
            cost = meter.cost(10)
            other.kill()
        self.assertGreater(cost.processor, 30_000)
        self.assertGreater(cost.switches, 0)

    def test_targets(self):
        lines, missed = check(self.results)
        over = {0: 2.0, 1: 3.0}
        expected = sum(
            targets[column] > over[column] for targets in TARGETS.values() for column in over)
        self.assertEqual(missed, expected)
        self.assertEqual(sum("MISSED" in line for line in lines), expected)
        self.assertEqual(set(TARGETS), set(WORKLOADS))
        del self.results.figures["tmpfs"]["write"]["mamd"]
        self.assertEqual(check(self.results)[1], expected + 1 - (TARGETS["write"][0] > 2))

    def test_a_document_gets_the_table_and_keeps_the_rest(self):
        with tempfile.TemporaryDirectory(prefix=PREFIX) as directory:
            document = pathlib.Path(directory, "BENCHMARKS.md")
            document.write_text(f"Before.\n\n{BEGIN}\nyesterday\n{END}\n\nAfter.\n")
            with mock.patch.multiple(
                    "output", DOCUMENT=document, IMAGES=pathlib.Path(directory, "images"),
                    RUNS=pathlib.Path(directory, "runs")), mock.patch("builtins.print"):
                put_out(self.results, parse(["--write-docs"]))
                # Another kind of processor, and the same once more: one is whole.
                self.results.settings["cipher"] = "openssl"
                put_out(self.results, parse(["--write-docs"]))
                put_out(self.results, parse(["--write-docs"]))
            text, pictures = document.read_text(), sorted(
                path.name for path in pathlib.Path(directory, "images").iterdir())
        self.assertRegex(text, r"(?s)^Before\.\n.*\n    write 1 MiB, fsync .*After\.\n$")
        self.assertEqual(text.count("\n    CPU us on tmpfs "), 2)
        self.assertEqual(text.count("\n    mean against pass "), 2)
        self.assertEqual(text.count("\n    write 1 MiB, fsync "), 1)
        self.assertEqual([line for line in text.splitlines() if len(line) > 100], [])
        self.assertNotIn("yesterday", text)
        self.assertRegex(text, r"\n    mean against pass +1\.00 +0\.67 +2\.00 +0\.80 +1\.00\n")
        self.assertEqual(pictures, ["bench-clients-tmpfs.svg", "bench-tmpfs.svg"])
        self.assertTrue(all(f"](images/{name})" in text for name in pictures))
        with self.assertRaises(ValueError):
            into_document("no marks", "")

    def test_a_document_has_room_for_all_places(self):
        results = Results([*parse(["--ring"]).kinds])
        for key in WORKLOADS:
            for place in results.places:
                results.add("tmpfs", key, place, 9_999.4, Cost(99_940, 99.9, 99.9, 99.9))
        self.assertEqual(
            [line for line in main_tables(results).splitlines() if len(line.encode()) > 100], [])

    def test_a_terminal_gets_the_other_rows_and_ratios_too(self):
        printed = all_tables(self.results)
        self.assertRegex(printed, r"\n    geometric mean +2\.00 +1\.00 +3\.00 +1\.50\n")
        self.assertRegex(printed, r"\n    two writers against one +1\.00 ")

    def test_pictures_are_well_formed_and_show_every_figure(self):
        with tempfile.TemporaryDirectory(prefix=PREFIX) as directory:
            from plots import write_plots

            bars, lines = (
                xml.parse(pathlib.Path(directory, name))
                for name in write_plots(self.results, pathlib.Path(directory)))
        texts = [text.text for text in bars.iter(SVG + "text")]
        self.assertEqual(sum(text == "2.00" for text in texts), 2 * len(WORKLOADS))
        self.assertLessEqual({row.title for row in WORKLOADS.values()}, set(texts))
        self.assertEqual(
            len([*lines.iter(SVG + "circle")]), len(CLIENTS) * len(self.results.places))

    def test_an_unknown_name_is_refused(self):
        for words in (["--only", "wrte"], ["--on", "mamdd"], ["--store", "xfs"]):
            with self.assertRaises(SystemExit), mock.patch("sys.stderr"):
                parse(words)


if __name__ == "__main__":
    unittest.main()
