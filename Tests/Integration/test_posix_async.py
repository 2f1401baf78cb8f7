"""Programs that mix direct writes with the page cache, as databases do."""
import os
import struct
import subprocess
import sys
import time

from asynchronous import PAGE, direct_writer
from workspace import LONG, PROGRAMS, WorkspaceCase

SECONDS, WRITES = 60 if LONG else 3, 100


class AsynchronousWrites(WorkspaceCase):
    def test_what_has_ended_is_what_a_cached_read_sees(self):
        path, offset = self.directory / "file", 8 * PAGE
        self.write(path, bytes(16 * PAGE))
        readers = [
            subprocess.Popen(
                [sys.executable, PROGRAMS / "read_on.py", path, str(offset)],
                stdout=subprocess.PIPE)
            for _ in range(2)]
        try:
            for reader in readers:
                reader.stdout.readline()
            count, stale = self.write_and_read(path, offset)
        finally:
            for reader in readers:
                reader.kill()
                reader.communicate()
        print(f"{count} writes, {stale} stale reads after them", flush=True)
        self.assertEqual(stale, 0)

    def write_and_read(self, path, offset):
        file = os.open(path, os.O_RDONLY)
        count = stale = 0
        end = time.monotonic() + SECONDS
        with direct_writer(path) as writer:
            while time.monotonic() < end or count < WRITES:
                count += 1
                mark = struct.pack("<Q", count)
                writer.page[:8] = mark
                writer.write(offset)
                stale += os.pread(file, 8, offset) != mark
        os.close(file)
        return count, stale
