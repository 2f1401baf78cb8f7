"""Locks and unlocks under writers: every byte that was taken is there. MAMD_LONG=1 locks a thousand
times."""
import contextlib
import json
import os
import pathlib
import random
import subprocess
import sys
import time
import unittest

from running import call
from tracing import injecting
from workspace import LONG, WorkspaceCase, pattern, wait_until

NEEDS = ("strace",)

PROGRAM = pathlib.Path(__file__).with_name("lock_writers.py")
CYCLES = 1000 if LONG else 8
HANDLES = ("keep", "reopen")
ALONE = [(way, handle) for way in ("write", "pwrite", "append", "map") for handle in HANDLES]
SHARERS = 4


class LockWriters(WorkspaceCase):
    def test_no_byte_that_was_taken_is_lost(self):
        writers = {
            f"{way}-{handle}": self.start(way, handle, f"{way}-{handle}") for way, handle in ALONE}
        for part in range(SHARERS):
            writers[f"part-{part}"] = self.start(
                "share", HANDLES[part % 2], f"part-{part}", "shared", part)
        self.root = os.open(self.workspace.mount_point, os.O_RDONLY)
        self.addCleanup(lambda: [writer.kill() for writer in writers.values()])
        for writer in writers.values():
            self.assertEqual(writer.stdout.readline(), "ready\n")
        longest = max(self.cycle(writers) for _ in range(CYCLES))
        self.stop_each(writers)
        figures = {name: self.end(name, writer) for name, writer in writers.items()}
        os.close(self.root)
        self.workspace.remount()
        shared = b"".join(self.model(f"part-{part}") for part in range(SHARERS))
        alone = {f"{way}-{handle}": self.model(f"{way}-{handle}") for way, handle in ALONE}
        for name, expected in {"shared": shared, **alone}.items():
            with self.subTest(name):
                self.assertTrue(
                    (self.directory / name).read_bytes() == expected, "not what was taken")
        totals = {
            key: sum(figure[key] for figure in figures.values())
            for key in ("number", "bytes", "refusals", "checks")}
        print(
            f"{CYCLES} locks, the longest {longest:.2f} s; {totals['number']} writes and stores, "
            f"{totals['bytes'] >> 20} MiB taken, {totals['refusals']} refusals, {totals['checks']} "
            f"checks", flush=True)

    def start(self, way, handle, name, file=None, *part):
        return subprocess.Popen(
            [sys.executable, "-B", PROGRAM, way, handle, self.directory / (file or name),
             self.workspace.root / name, *map(str, part)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def model(self, name):
        """What a writer says that its file must hold."""
        return (self.workspace.root / name).read_bytes()

    def cycle(self, writers):
        """One lock and unlock; how long the lock took."""
        time.sleep(random.uniform(0, 0.2))
        start = time.monotonic()
        self.workspace.lock()
        seconds = time.monotonic() - start
        self.write_back()
        self.workspace.unlock()
        for name, writer in writers.items():
            if writer.poll() is not None:
                self.end(name, writer)
        return seconds

    def stop_each(self, writers):
        """By a lock that lasts until then: none of the short ones may have met it."""
        self.workspace.lock()
        for name, writer in writers.items():
            if writer.stdout.readline() != "refused\n":
                self.end(name, writer)
        self.workspace.unlock()

    def write_back(self):
        """Has the kernel write what it should not have any more, which shows: it fails without a
        key."""
        with contextlib.suppress(OSError):
            call("syncfs", self.root)

    def end(self, name, writer):
        """Its figures, once it was told to end; a failure if it found a byte lost."""
        output, errors = writer.communicate(timeout=120)
        self.assertEqual(writer.returncode, 0, f"{name}: {errors}")
        figures = json.loads(output)
        with self.subTest(f"{name} was stopped by a lock, and checked its file after it"):
            self.assertGreater(figures["refusals"], 0)
            self.assertGreater(figures["checks"], 1)
        return figures


@unittest.skipUnless(os.getuid() == 0, "delays the daemon's answers, which only root may")
class Truncating(WorkspaceCase):
    def test_an_open_that_has_cut_the_file_succeeds_while_the_window_closes(self):
        """On a busy machine the kernel's question after it comes late: here each answer of the
        daemon's takes a while."""
        path = self.write(self.directory / "file", pattern(1 << 20))
        self.workspace.remount()
        backing = self.backing_of(path)
        size = backing.stat().st_size
        with injecting(self.workspace.daemon(), "writev", "delay_enter=100000"):
            program = subprocess.Popen(
                ["sh", "-c", ': >"$1"', "sh", path], stderr=subprocess.PIPE, text=True)
            wait_until(lambda: backing.stat().st_size < size, message="the file is not cut")
            self.workspace.lock()
            _, said = program.communicate(timeout=90)
        self.assertEqual(program.returncode, 0, said)
