"""A backup under a fresh state directory: what is said of its keys, and what brings them back."""
import unittest

from machines import another_machine
from terminal import Terminal
from workspace import ANN, BOB, DONE, NOT_FOUND, REFUSED, Workspace

IMPORT = "mamctl account import FILE"


class Restored(unittest.TestCase):
    """Ann's file and her keys in an export; a machine that has the file alone."""

    @classmethod
    def setUpClass(cls):
        cls.source = Workspace().init().mount().register()
        cls.addClassCleanup(cls.source.close)
        cls.source.path("plan").write_text("the only copy")
        cls.strong = cls.source.secret("strong", "a longer passphrase for the export")
        cls.keys = cls.source.root / "ann.keys"
        cls.source.serving(
            "account export", ANN, "-o", cls.keys, "--passfile", cls.source.passfile,
            "--export-passfile", cls.strong)
        cls.source.unmount()

    def setUp(self):
        self.space = another_machine(self.source)
        self.addCleanup(self.space.close)
        self.space.mount()

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
        self.register(ANN, "--new-keys")
        self.assertNotIn(IMPORT, self.space.ctl("status").stdout)

    def test_a_terminal_is_asked(self):
        for answer, status in (("no", 1), ("yes", 0)):
            terminal = Terminal(
                ["mamctl", "account", "register", ANN, "--no-passphrase"], self.space.environment)
            terminal.read(until=b"Type yes")
            terminal.type(answer + "\n")
            self.assertEqual(terminal.finish()[0], status)


if __name__ == "__main__":
    unittest.main()
