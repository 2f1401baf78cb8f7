"""The window that asks to whom files are given, as Dolphin's menu starts it."""
import unittest

import desktop_session
from desktop_session import DESKTOP, DesktopSession
from workspace import ANN, BOB, Workspace, wait_until


@unittest.skipIf(desktop_session.missing(), desktop_session.missing())
class Giving(unittest.TestCase):
    def setUp(self):
        settings = {"LockOn": {"IdleSeconds": 0}, "LockGraceSeconds": 0}
        self.workspace = Workspace(settings=settings).init().mount().register().register(BOB)
        self.addCleanup(self.workspace.close)
        self.session = DesktopSession(self.workspace.environment).start()
        self.addCleanup(self.session.close)
        self.folder = self.workspace.path("folder")
        self.workspace.run_as(ANN, "mkdir", self.folder)
        self.files = {ANN: self.folder / "plan", BOB: self.folder / "reply"}
        for owner, file in self.files.items():
            self.workspace.write_as(owner, file, "Contoso pays.")

    def owners(self):
        return [self.workspace.owner(file) for file in self.files.values()]

    def give(self, *paths):
        program = self.session.run(DESKTOP / "mamd-give", *paths)
        self.session.focus(self.session.await_window("^Give to$"))
        return program

    def test_to_an_account(self):
        program = self.give(self.files[BOB])
        self.session.await_text(ANN)
        self.session.keys("alt+g")
        self.assertEqual(program.wait(60), 0)
        self.assertEqual(self.owners(), [ANN, ANN])

    def test_a_folder_to_nobody_asks_and_says_whose(self):
        program = self.give(self.folder)
        self.session.keys("Down", "Down")
        self.session.keys("alt+g")
        self.session.await_text("Decrypt 2 files?")
        for owner in self.files:
            self.session.await_text(f"1 file of {owner}")
        self.assertEqual(self.owners(), [ANN, BOB])
        self.session.focus(self.session.await_window("^Decrypt 2 files"))
        self.session.keys("alt+d")
        self.assertEqual(program.wait(60), 0)
        wait_until(lambda: self.owners() == ["nobody"] * 2, message="not given")

    def test_without_an_answer_nothing_happens(self):
        program = self.give(self.folder)
        self.session.keys("Escape")
        self.assertEqual(program.wait(60), 0)
        self.assertEqual(self.owners(), [ANN, BOB])


if __name__ == "__main__":
    unittest.main()
