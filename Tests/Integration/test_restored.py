"""A backup under a fresh state directory: what is said of its keys, and what brings them back."""
import os
import subprocess
import unittest

from machines import another_machine
from preloaded import derive_cheaply
from socket_client import Client, Refusal
from terminal import Terminal
from verifying import PLAIN
from workspace import (
    ANN, BLOCK, BOB, DECODER, DONE, FIRST, NOT_FOUND, PAYLOAD, REFUSED, WRONG_PASSPHRASE, Workspace,
    wait_until)

IMPORT = "mamctl account import FILE"


class Restored(unittest.TestCase):
    """Ann's file and her keys in an export; a machine that has the file alone."""

    @classmethod
    def setUpClass(cls):
        cls.source = Workspace()
        cls.addClassCleanup(cls.source.close)
        derive_cheaply(cls.source, cls.source.root).init().mount().register()
        cls.source.path("plan").write_text("the only copy")
        cls.strong = cls.source.secret("strong", "a longer passphrase for the export")
        cls.keys = cls.source.root / "ann.keys"
        cls.account_id = cls.source.account()["id"]
        cls.source.serving(
            "account export", ANN, "-o", cls.keys, "--passfile", cls.source.passfile,
            "--export-passfile", cls.strong)
        cls.source.unmount()

    def setUp(self):
        self.space = another_machine(self.source)
        self.addCleanup(self.space.close)
        self.dear = dict(self.space.environment)
        derive_cheaply(self.space, self.source.root).mount()

    def register(self, name, *options, status=DONE):
        return self.space.serving(
            "account register", name, "--passfile", self.space.passfile, *options, status=status)


class Hints(Restored):
    def test_all_that_misses_the_keys_names_the_import(self):
        self.assertIn(IMPORT, self.space.log.read_text())
        self.assertIn(IMPORT, self.space.ctl("status").stdout)
        self.assertIn(IMPORT, self.space.serving("account list").stdout)
        self.assertIn(IMPORT, self.space.unlock(status=NOT_FOUND).stderr)
        self.assertIn(IMPORT, self.space.info(self.space.path("plan"))["reason"])

    def test_a_name_that_sealed_files_carry_wants_a_word_for_new_keys(self):
        refused = self.register(ANN, status=REFUSED).stderr
        self.assertIn("plan", refused)
        self.assertIn(IMPORT, refused)
        self.assertIn(IMPORT, self.space.ctl("status").stdout)
        self.register(BOB)
        self.register(ANN, status=REFUSED)
        by_login = self.space.serving(
            "account login", ANN, "--register", "--passfile", self.space.passfile, status=REFUSED)
        self.assertIn(f"mamctl account register {ANN} --new-keys", by_login.stderr)
        self.register(ANN, "--new-keys")
        self.assertNotIn(IMPORT, self.space.ctl("status").stdout)

    def test_a_program_asks_for_new_keys(self):
        result = subprocess.run(
            ["clientcheck", "newKeys", self.space.mount_point, self.space.root,
             self.space.passfile],
            capture_output=True, text=True, timeout=60, env=self.space.environment)
        self.assertEqual(result.stdout, "newKeys: as it should be\n", result.stderr)

    def test_an_import_that_is_to_join_registers_nobody(self):
        refused = self.space.serving(
            "account import", self.keys, "--export-passfile", self.strong, "--no-passphrase",
            "--join", status=REFUSED).stderr
        self.assertIn(f"there is no account {ANN} to join", refused)
        with Client(self.space.socket) as client, open(self.keys, "rb") as keys:
            with self.assertRaisesRegex(Refusal, "without join the import registers it"):
                client.call(
                    "Recovery.ImportKeys", [keys.fileno()], fileDescriptor=0, join=True,
                    exportPassphrase=self.strong.read_text().strip(), noPassphrase=True)
        self.assertIsNone(self.space.account())

    def test_a_terminal_is_asked(self):
        for answer, status in (("no", 1), ("yes", 0)):
            terminal = Terminal(
                ["mamctl", "account", "register", ANN, "--no-passphrase"], self.space.environment)
            terminal.read(until=b"Type yes")
            terminal.type(answer + "\n")
            self.assertEqual(terminal.finish()[0], status)


class Joining(Restored):
    """Ann was registered anew before her keys were at hand."""

    def setUp(self):
        super().setUp()
        self.register(ANN, "--new-keys")
        self.space.path("new").write_text("since then")

    def join(self, *options, passfile=None, status=DONE, ending=("--join",)):
        return self.space.serving(
            "account import", self.keys, "--export-passfile", self.strong,
            "--passfile", passfile or self.space.passfile, *options, *ending, status=status)

    def test_old_and_new_files_open_and_so_they_do_after_a_restart(self):
        said = self.join().stderr
        self.assertIn("1 of the 1 sealed file ", said)
        self.check()
        self.space.remount()
        self.check()
        wait_until(
            lambda: self.key_of("plan") == self.key_of("new"), message="plan has its old key")
        self.check()
        self.assertEqual(self.space.decode(self.space.on_disk("plan")), b"the only copy")

    def check(self):
        self.assertEqual(self.space.path("plan").read_text(), "the only copy")
        self.assertEqual(self.space.path("new").read_text(), "since then")

    def key_of(self, name):
        return self.space.on_disk(name).read_bytes()[32:48]

    def test_nothing_joins_without_a_word(self):
        refused = self.join(ending=(), status=REFUSED).stderr
        self.assertIn("written", refused)
        self.assertIn(self.account_id, refused)
        with self.assertRaises(OSError):
            self.space.path("plan").read_text()

    def test_the_passphrase_here_is_wanted_and_a_locked_account_stays_locked(self):
        self.join(
            passfile=self.space.secret("wrong", "another passphrase"), status=WRONG_PASSPHRASE)
        wait_until(lambda: self.space.account()["retryAfterSeconds"] == 0)
        self.space.lock()
        self.join()
        for name in ("plan", "new"):
            with self.assertRaises(OSError):
                self.space.path(name).read_text()
        self.space.unlock()
        self.check()

    def test_a_second_decoder_reads_an_export_of_both(self):
        self.join()
        both = self.space.root / "both.keys"
        # The decoder derives keys as the export says.
        self.space.environment = self.dear
        self.space.remount()
        self.space.serving(
            "account export", ANN, "-o", both, "--passfile", self.space.passfile,
            "--export-passfile", self.strong)
        # One file is under her former keys, the other under those of here.
        for path, content in (
                (self.source.on_disk("plan"), b"the only copy"),
                (self.space.on_disk("new"), b"since then")):
            read = subprocess.run(
                ["/usr/bin/python3", DECODER, "--export", both, "--passfile", self.strong, path],
                capture_output=True)
            self.assertEqual(read.stdout, content, read.stderr)


class CutByACrash(unittest.TestCase):
    """Ann's file, on a machine that does not have her keys."""

    def setUp(self):
        source = Workspace()
        self.addCleanup(source.close)
        derive_cheaply(source, source.root).init().mount().register()
        source.path("cut").write_bytes(PLAIN)
        strong = source.secret("strong", "a longer passphrase for the export")
        self.keys = source.root / "ann.keys"
        export = "--export-passfile", strong
        source.serving(
            "account export", ANN, "-o", self.keys, "--passfile", source.passfile, *export)
        source.unmount()
        self.space = derive_cheaply(another_machine(source), source.root)
        self.addCleanup(self.space.close)
        self.importing = "account import", self.keys, "--passfile", self.space.passfile, *export
        self.cut("cut")
        self.space.mount()
        self.wait_for("repaired once their keys are available")

    def cut(self, name):
        os.truncate(self.space.on_disk(name), 3 * BLOCK + 9)

    def wait_for(self, text):
        wait_until(lambda: text in self.space.daemon_log.read_text())

    def marked(self):
        return (self.space.state / "clean-end").read_text().splitlines()[1:]

    def test_it_can_be_read_as_soon_as_its_key_comes(self):
        self.space.serving(*self.importing)
        self.assertEqual(self.space.path("cut").read_bytes(), PLAIN[:FIRST + PAYLOAD + 9])
        self.wait_for("all files checked")
        self.space.unmount()
        self.assertEqual(self.marked(), [])

    def test_no_other_accounts_files_wait_with_it(self):
        self.space.register(BOB)
        self.space.path("other").write_bytes(PLAIN)
        self.space.unmount()
        self.assertEqual(len(self.marked()), 1)
        self.cut("other")
        self.space.mount().unlock(BOB)
        with self.assertRaises(OSError):
            self.space.path("other").read_bytes()
        self.space.serving(*self.importing)
        self.assertEqual(self.space.path("cut").read_bytes(), PLAIN[:FIRST + PAYLOAD + 9])


if __name__ == "__main__":
    unittest.main()
