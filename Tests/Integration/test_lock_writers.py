"""Locks and unlocks under writers: every byte that was taken is there. MAMD_LONG=1 locks a thousand times."""
import json
import pathlib
import random
import subprocess
import sys
import time

from workspace import LONG, WorkspaceCase

PROGRAM = pathlib.Path(__file__).with_name("lock_writers.py")
CYCLES = 1000 if LONG else 20
WAYS = ("write", "pwrite", "append", "map")


class LockWriters(WorkspaceCase):
    def test_no_byte_that_was_taken_is_lost(self):
        writers = {}
        for way in WAYS:
            for handle in ("keep", "reopen"):
                name = f"{way}-{handle}"
                writers[name] = subprocess.Popen(
                    [sys.executable, "-B", PROGRAM, way, handle, self.directory / name, self.workspace.root / name],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: [writer.kill() for writer in writers.values()])
        for writer in writers.values():
            self.assertEqual(writer.stdout.readline(), "ready\n")
        longest = max(self.cycle(writers) for _ in range(CYCLES))
        figures = {name: self.end(name, writer) for name, writer in writers.items()}
        self.workspace.remount()
        for name in writers:
            with self.subTest(name):
                expected = (self.workspace.root / name).read_bytes()
                self.assertTrue((self.directory / name).read_bytes() == expected, "not what was taken")
        totals = {key: sum(figure[key] for figure in figures.values()) for key in ("number", "bytes", "refusals", "checks")}
        print(
            f"{CYCLES} locks, the longest {longest:.2f} s; {totals['number']} writes and stores, "
            f"{totals['bytes'] >> 20} MiB taken, {totals['refusals']} refusals, {totals['checks']} checks", flush=True)

    def cycle(self, writers):
        """One lock and unlock; how long the lock took."""
        time.sleep(random.uniform(0, 0.2))
        start = time.monotonic()
        self.workspace.lock()
        seconds = time.monotonic() - start
        time.sleep(random.uniform(0, 0.05))
        self.workspace.unlock()
        for name, writer in writers.items():
            if writer.poll() is not None:
                self.end(name, writer)
        return seconds

    def end(self, name, writer):
        """Its figures, once it was told to end; a failure if it found a byte lost."""
        output, errors = writer.communicate(timeout=60)
        self.assertEqual(writer.returncode, 0, f"{name}: {errors}")
        figures = json.loads(output)
        with self.subTest(f"{name} was stopped by a lock, and checked its file after it"):
            self.assertGreater(figures["refusals"], 0)
            self.assertGreater(figures["checks"], 1)
        return figures
