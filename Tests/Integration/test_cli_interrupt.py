"""Interrupted at any moment, a verb leaves the old or the new, and nothing beside it."""
import os
import random
import signal
import subprocess
import time
import unittest

from tracing import tasks
from workspace import ANN, BOB, LONG, NOT_MANAGED, WorkspaceCase, pattern, wait_until

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
ROUNDS = 400 if LONG else 24
SIZE = 8 << 20


class Interrupted(WorkspaceCase):
    accounts = (ANN, BOB)

    def start(self, *words, stdout=subprocess.DEVNULL):
        process = subprocess.Popen(
            ["mamctl", *map(os.fspath, words)], stdout=stdout, stderr=subprocess.DEVNULL,
            env=self.workspace.environment)
        self.addCleanup(process.wait)
        return process

    def encryption(self, file):
        """How long it takes; the file is plain again."""
        begin = time.monotonic()
        self.workspace.ctl("encrypt", file, "--owner", ANN)
        took = time.monotonic() - begin
        self.workspace.ctl("decrypt", file)
        return took

    def interrupt(self, moment, number, *words, also=()):
        """False if it was done by then, or ended with one of the other statuses."""
        process = self.start(*words)
        time.sleep(moment)
        process.send_signal(number)
        # It dies of the signal, so that a shell's loop ends too, and says 128 and the number.
        self.assertIn(process.wait(90), (0, -number, *also))
        return process.returncode == -number

    def test_files_outside(self):
        """Encrypted in place, decrypted in place, and into a new file."""
        place = self.workspace.root / "outside"
        place.mkdir()
        file, other, data = place / "file", place / "other", pattern(SIZE)
        file.write_bytes(data)
        # The shortest: most of the others take as long as that, or longer.
        takes = min(self.encryption(file) for _ in range(3))
        generator, ended = random.Random(1), 0
        for count in range(ROUNDS):
            number = SIGNALS[count % len(SIGNALS)]
            was_sealed = self.workspace.is_managed_on_disk(file)
            words = ("decrypt", file) if was_sealed else ("encrypt", file, "--owner", ANN)
            ended += self.interrupt(generator.uniform(0, takes * 1.6), number, *words)
            with self.subTest(count=count, was_sealed=was_sealed, number=number):
                is_sealed = self.workspace.is_managed_on_disk(file)
                self.assertEqual(
                    self.workspace.decode(file) if is_sealed else file.read_bytes(), data)
                self.assertEqual(os.listdir(place), ["file"])
            words = ("decrypt", file) if is_sealed else ("encrypt", file, "--owner", ANN)
            self.interrupt(generator.uniform(0, takes * 1.6), number, *words, "-o", other)
            if other.exists():
                self.assertEqual(
                    self.workspace.decode(other) if not is_sealed else other.read_bytes(), data)
                other.unlink()
            self.assertEqual(os.listdir(place), ["file"])
        print(f"{ended} of {ROUNDS} were interrupted")
        self.assertGreater(ended, 0)

    def test_files_in_the_mount(self):
        """What the daemon has begun it ends, or never began."""
        file, data = self.write(self.directory / "file", pattern(SIZE)), pattern(SIZE)
        generator = random.Random(2)
        verbs = (
            ("decrypt", file), ("encrypt", file, "--owner", ANN), ("owner", "--set", BOB, file),
            ("owner", "--set", ANN, file), ("class", "--set", "B", file),
            ("class", "--set", "policy", file),
            ("protect", file, "--owner", BOB), ("protect", file, "--owner", ANN))
        for count in range(ROUNDS):
            words = verbs[count % len(verbs)]
            # Only a managed file has a class, and no verb may have begun since `decrypt`.
            also = (NOT_MANAGED,) if words[0] == "class" else ()
            self.interrupt(
                generator.uniform(0, 0.08), SIGNALS[count % len(SIGNALS)], *words, also=also)
            self.assertEqual(file.read_bytes(), data, words)
        self.await_end_of_calls()
        self.assertEqual(os.listdir(self.directory), ["file"])
        self.workspace.ctl("verify", self.workspace.mount_point)

    def test_a_tree_stops_between_two_files(self):
        files = [
            self.write(self.directory / f"file{number:03}", b"x", durable=False)
            for number in range(300)]
        # All may be done before the signal comes: then once more, the other way.
        for owner in (BOB, ANN, BOB, ANN, BOB):
            process = self.start(
                "protect", self.directory, "--owner", owner, stdout=subprocess.PIPE)
            with process.stdout:
                process.stdout.readline()
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(90), -signal.SIGINT)
            # The daemon notices at its next reply.
            self.await_end_of_calls()
            changed = sum(
                line.startswith(owner)
                for line in self.workspace.ctl("owner", *files).stdout.splitlines())
            if changed < len(files):
                break
        self.assertTrue(0 < changed < len(files), changed)
        self.assertEqual({file.read_bytes() for file in files}, {b"x"})

    def await_end_of_calls(self):
        """Each has a thread of the daemon's."""
        daemon = self.workspace.daemon()
        wait_until(lambda: not tasks(daemon, "control-client"), message="a call goes on")


if __name__ == "__main__":
    unittest.main()
