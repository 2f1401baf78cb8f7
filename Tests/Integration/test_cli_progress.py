"""How far a long work is: on a terminal, as wide as that is, and gone at the end; nothing in a
pipe."""
import os
import re
import subprocess
import threading
import time
import unittest

from terminal import on_terminal
from workspace import ANN, DONE, WorkspaceCase, pattern

LINE = re.compile(r"\r\x1b\[K([^\r]+)")
FILES = 1500


class Progress(WorkspaceCase):
    def slowly(self, environment, columns=80):
        """The lines that are shown while standard input gives 4 MiB in a second, and all that is
        shown."""
        reading, writing = os.pipe()

        def feed():
            with open(writing, "wb", buffering=0) as pipe:
                for number in range(16):
                    pipe.write(pattern(256 << 10, number))
                    time.sleep(0.06)

        thread = threading.Thread(target=feed)
        begin = time.monotonic()
        thread.start()
        out = self.workspace.root / "sealed"
        status, shown = on_terminal(
            ["mamctl", "encrypt", "-", "--owner", ANN, "-o", out, "--force"], environment,
            columns=columns,
            stdin=reading, stdout=subprocess.DEVNULL)
        self.seconds = time.monotonic() - begin
        thread.join()
        os.close(reading)
        self.assertEqual(status, DONE)
        self.assertEqual(out.stat().st_size // (1 << 20), 4)
        return LINE.findall(shown), shown

    def test_the_line(self):
        lines, shown = self.slowly(self.workspace.environment)
        # At most ten a second, beginning after a moment.
        self.assertLess(2, len(lines))
        self.assertLess(len(lines), 10 * self.seconds + 2)
        self.assertRegex(lines[-1], r"^[1-4]\.\d MiB  [\d.]+ (KiB|MiB)/s$")
        self.assertTrue(shown.endswith("\r\x1b[K"), shown[-40:])
        narrow, _ = self.slowly(self.workspace.environment, columns=20)
        self.assertTrue(narrow)
        self.assertLess(max(map(len, narrow)), 20)

    def test_none_where_nobody_sees_it(self):
        self.assertEqual(self.slowly({**self.workspace.environment, "TERM": "dumb"}), ([], ""))

    def test_a_file_grows(self):
        """The daemon tells nothing of its conversions: the size of what it writes does."""
        big = self.workspace.root / "big"
        with open(big, "wb") as file:
            file.truncate(700 << 20)
        status, shown = on_terminal(
            ["mamctl", "encrypt", big, "--owner", ANN], self.workspace.environment,
            stdout=subprocess.DEVNULL)
        self.assertEqual(status, DONE)
        lines = LINE.findall(shown)
        self.assertTrue(lines, "700 MiB took less than a moment")
        self.assertTrue(all("/700 MiB" in line for line in lines), lines)
        self.assertRegex(lines[-1], r"  \[#+-*\]$")
        self.assertLess(max(map(len, lines)), 80)
        big.unlink()

    def test_trees(self):
        """protect, verify and wipe of many files; each shows the last count it was told, and is
        right at its end."""
        # Every change of an owner is synced, which takes its time.
        synced = self.directory / "synced"
        synced.mkdir()
        for number in range(FILES):
            place = synced if number < 400 else self.directory
            (place / f"file{number}").write_bytes(b"x")
        environment = self.workspace.environment

        def lines(*words, **options):
            status, shown = on_terminal(
                ["mamctl", *words], environment, stdout=subprocess.DEVNULL, **options)
            self.assertEqual(status, DONE, shown)
            self.assertTrue(shown.endswith("\r\x1b[K") or not shown, shown[-40:])
            return LINE.findall(shown)

        shown = lines("protect", synced, "--owner", "")
        self.assertTrue(shown)
        self.assertRegex(shown[-1], r"^files [\d,]+  [\d,]+ changed(  \d+ files/s)?$")
        lines("protect", synced, "--owner", ANN)
        for line in lines("verify", self.workspace.mount_point):
            self.assertRegex(line, r"^files [\d,]+  .*B/.*B")
        for line in lines("wipe", ANN, "--confirm", ANN, stdin=subprocess.DEVNULL):
            self.assertRegex(line, r"^files [\d,]+  [\d,]+ removed( |$)")
        self.assertEqual((os.listdir(self.directory), os.listdir(synced)), (["synced"], []))


if __name__ == "__main__":
    unittest.main()
