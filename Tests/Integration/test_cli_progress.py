"""How far a long work is: on a terminal, as wide as that is, and gone at the end; nothing in a
pipe."""
import os
import re
import signal
import subprocess
import threading
import time
import unittest

from terminal import Terminal, on_terminal
from workspace import ANN, DONE, WorkspaceCase, pattern

LINE = re.compile(r"\r\x1b\[K([^\r]+)")
FILES = 1500


class Progress(WorkspaceCase):
    def slowly(self, environment, columns=80, lines=3):
        """The lines that are shown while standard input gives 4 MiB, the second half when so many
        have been; and all that is shown."""
        reading, writing = os.pipe()
        out = self.workspace.root / "sealed"
        begin = time.monotonic()
        terminal = Terminal(
            ["mamctl", "encrypt", "-", "--owner", ANN, "-o", out, "--force"], environment,
            columns=columns, stdin=reading, stdout=subprocess.DEVNULL)
        os.close(reading)

        def feed():
            with open(writing, "wb", buffering=0) as pipe:
                pipe.write(pattern(2 << 20))
                while len(LINE.findall(terminal.shown.decode())) < lines:
                    pipe.write(b"x")
                    time.sleep(0.02)
                pipe.write(pattern(2 << 20))

        thread = threading.Thread(target=feed)
        thread.start()
        status, shown = terminal.finish()
        self.seconds = time.monotonic() - begin
        thread.join()
        self.assertEqual(status, DONE)
        self.assertEqual(out.stat().st_size // (1 << 20), 4)
        return LINE.findall(shown), shown

    def shown_of(self, *words, lines):
        """What is shown while the daemon stands still most of the time, until there are so many
        lines: a quick one would be done before anything is shown."""
        daemon = self.workspace.daemon()
        terminal = Terminal(
            ["mamctl", *words], self.workspace.environment, stdout=subprocess.DEVNULL)

        def hold():
            while terminal.process.poll() is None and len(
                    LINE.findall(terminal.shown.decode())) < lines:
                os.kill(daemon, signal.SIGSTOP)
                time.sleep(0.05)
                os.kill(daemon, signal.SIGCONT)
                time.sleep(0.002)

        thread = threading.Thread(target=hold)
        thread.start()
        status, shown = terminal.finish()
        thread.join()
        self.assertEqual(status, DONE, shown)
        self.assertTrue(shown.endswith("\r\x1b[K"), shown[-40:])
        return shown

    def test_the_line(self):
        lines, shown = self.slowly(self.workspace.environment)
        # At most ten a second, beginning after a moment.
        self.assertLess(len(lines), 10 * self.seconds + 2)
        self.assertRegex(lines[-1], r"^[1-4]\.\d MiB  [\d.]+ (KiB|MiB)/s$")
        self.assertTrue(shown.endswith("\r\x1b[K"), shown[-40:])
        narrow, _ = self.slowly(self.workspace.environment, columns=20, lines=1)
        self.assertTrue(narrow)
        self.assertLess(max(map(len, narrow)), 20)

    def test_none_where_nobody_sees_it(self):
        environment = {**self.workspace.environment, "TERM": "dumb"}
        self.assertEqual(self.slowly(environment, lines=0), ([], ""))

    def test_a_file_grows(self):
        """The daemon tells nothing of its conversions: the size of what it writes does."""
        big = self.workspace.root / "big"
        with open(big, "wb") as file:
            file.truncate(200 << 20)
        lines = LINE.findall(self.shown_of("encrypt", big, "--owner", ANN, lines=10))
        self.assertTrue(lines, "200 MiB took less than a moment")
        self.assertTrue(all("/200 MiB" in line for line in lines), lines)
        self.assertRegex(lines[-1], r"  \[#+-*\]$")
        self.assertLess(max(map(len, lines)), 80)
        big.unlink()

    def test_leaving(self):
        for number in range(60):
            (self.directory / f"file{number}").write_bytes(pattern(1000))
        target = self.workspace.root / "left"
        lines = LINE.findall(self.shown_of(
            "leave", self.backing_of(self.directory), target, "--workspace", "work", lines=1))
        self.assertTrue(lines)
        for line in lines:
            self.assertRegex(line, r"^files (0|[1-9]\d*  [\d.]+ K?i?B)( |$)")
        self.assertEqual(len(os.listdir(target)), 60)

    def test_trees(self):
        """protect, verify and wipe of many files; each shows the last count it was told, and is
        right at its end."""
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

        shown = LINE.findall(
            self.shown_of("protect", synced, "--owner", "", "--unmanaged", lines=1))
        self.assertTrue(shown)
        self.assertRegex(shown[-1], r"^files [\d,]+  [\d,]+ changed(  \d+ files/s)?$")
        lines("protect", synced, "--owner", ANN)
        for line in lines("verify", self.workspace.mount_point):
            self.assertRegex(line, r"^files [\d,]+  .*B/.*B")
        self.addCleanup(self.workspace.register)
        for line in lines("wipe", ANN, "--confirm", ANN, stdin=subprocess.DEVNULL):
            self.assertRegex(line, r"^files [\d,]+  [\d,]+ removed( |$)")
        self.assertEqual((os.listdir(self.directory), os.listdir(synced)), (["synced"], []))


if __name__ == "__main__":
    unittest.main()
