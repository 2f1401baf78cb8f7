"""scripts/dev bench on mamd alone: its requests, beside more of everything, and for hours."""
import json
import os
import pathlib
import tempfile
import unittest
from unittest import mock

from bench_run import options, programs_of_bench
from running import PREFIX

from fuse_requests import measure_requests, waits
from growth import growth_table, measure_growth
from hours import COLUMNS, judged, measure_hours


# Of each operation, once.
REQUESTS = {
    "create a file of 4 KiB": "LOOKUP CREATE GETXATTR WRITE SETATTR RELEASE GETATTR",
    "open, read, close": "LOOKUP OPEN READ RELEASE",
    "unlink": "LOOKUP UNLINK SETATTR GETATTR"}


def setUpModule():
    programs_of_bench()


@unittest.skipIf(os.getuid() != 0, "mounts a tmpfs, which only root can")
class Grown(unittest.TestCase):
    def test_each_operation_is_measured_at_each_size(self):
        with tempfile.TemporaryDirectory(prefix=PREFIX) as directory:
            file = pathlib.Path(directory, "growth.json")
            with mock.patch("builtins.print"):
                status = measure_growth(options("--growth", "--quick", "--json", str(file)))
            figures = json.loads(file.read_text())["growth"]
        self.assertEqual(status, 0)
        self.assertEqual(
            {grows: len(operations) for grows, operations in figures.items()},
            {"files in the tree": 4, "clients": 1, "MiB in the file": 2, "open files": 3,
            "accounts": 5})
        for operations in figures.values():
            for operation, sizes in operations.items():
                self.assertEqual(len(sizes), 1 if "register" in operation else 2, operation)
                self.assertTrue(all(min(found) > 0 for found in sizes.values()), operation)

    def test_what_grows_is_marked(self):
        found = growth_table("files", {
            "one": {10: (4, 8), 1_000: (4.5, 16)}, "two": {10: (4, 8), 1_000: (2, 9)}})
        self.assertEqual(
            [line.split("  ")[-1].strip() for line in found.splitlines()],
            ["slope", "1.12", "NOT FLAT", "0.50", "1.12"])


@unittest.skipIf(os.getuid() != 0, "mounts a tmpfs, which only root can")
class Requests(unittest.TestCase):
    def test_those_of_each_operation_are_counted(self):
        with tempfile.TemporaryDirectory(prefix=PREFIX) as directory:
            file = pathlib.Path(directory, "requests.json")
            with mock.patch("builtins.print"):
                status = measure_requests(options("--requests", "--json", str(file)))
            found = json.loads(file.read_text())["mamd"]
        self.assertEqual(status, 0)
        # The first and the last of many have one more or less.
        self.assertEqual(
            {operation: {name: round(number) for name, (number, _) in found[operation].items()}
             for operation in REQUESTS},
            {operation: dict.fromkeys(names.split(), 1) for operation, names in REQUESTS.items()})
        self.assertGreater(min(
            time for requests in found.values() for _, time in requests.values()), 0)

    def test_a_wait_is_that_of_its_request(self):
        found = waits("""
 cat-1 [0] ..... 10.000001: fuse_request_send: connection 4 req 8 opcode 1 (FUSE_LOOKUP) len 43
 cat-1 [0] ..... 10.000003: fuse_request_send: connection 4 req 9 opcode 14 (FUSE_OPEN) len 48
 mamd-2 [1] ..... 10.000021: fuse_request_end: connection 4 req 8 len 144 error 0
""")
        self.assertEqual({name: [round(1e6 * time) for time in times]
                          for name, times in found.items()}, {"LOOKUP": [20]})


@unittest.skipIf(os.getuid() != 0, "mounts a tmpfs, which only root can")
class Hours(unittest.TestCase):
    def test_the_daemon_is_sampled_under_load(self):
        with tempfile.TemporaryDirectory(prefix=PREFIX) as directory:
            file = pathlib.Path(directory, "hours.json")
            with mock.patch("builtins.print"):
                # Whatever it says of so short a time.
                measure_hours(options("--hours", "0.0001", "--quick", "--json", str(file)))
            found = json.loads(file.read_text())
        self.assertGreaterEqual(len(found["samples"]), 2)
        self.assertGreaterEqual(len(found["new"]), 2)
        for sample in found["samples"] + found["new"]:
            self.assertEqual([*sample], [*COLUMNS])
            self.assertGreater(min(sample.values()), 0)

    def test_drift_and_leaks_are_marked(self):
        steady = [100, 20, 8, 50, 9]
        # The first minutes were a faster machine's.
        samples = [dict(zip(COLUMNS, [150, 13, *steady[2:]]))] * 10
        new = [dict(zip(COLUMNS, [*steady[:2], 6, 40, 8]))] * 5
        said, wrong = judged(samples + [dict(zip(COLUMNS, steady))] * 40, new)
        self.assertEqual((wrong, "DRIFT" in said, "LEAK" in said), (False, False, False))
        for place, worse in enumerate((80, 23, 9, 56, 10)):
            last = [*steady[:place], worse, *steady[place + 1:]]
            said, wrong = judged(samples + [dict(zip(COLUMNS, last))] * 40, new)
            self.assertTrue(wrong)
            self.assertIn("DRIFT" if place < 2 else "LEAK", said.splitlines()[place + 1])


if __name__ == "__main__":
    unittest.main()
