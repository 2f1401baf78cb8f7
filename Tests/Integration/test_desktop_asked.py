"""Whom mamd-prompt asks, and for which account: many programs, two accounts, another user's."""
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

import desktop_session
from desktop_session import DesktopSession
from ordinary_user import AS_NOBODY
from workspace import ANN, BOB, PASSPHRASE, PROGRAMS, Workspace, wait_until

TITLE = "Unlock managed files"
# Longer than a refusal takes to become a window.
PATIENCE = 2


@unittest.skipIf(desktop_session.missing(), desktop_session.missing())
class Asked(unittest.TestCase):
    def setUp(self):
        settings = {"LockOn": {"IdleSeconds": 0}, "LockGraceSeconds": 0}
        self.workspace = Workspace(settings=settings).init().mount()
        self.addCleanup(self.workspace.close)
        self.files = {}
        for account in (ANN, BOB):
            self.workspace.register(account)
            self.files[account] = self.workspace.path(f"{account}.txt")
            self.workspace.write_as(account, self.files[account], "Contoso pays.")
        self.workspace.await_closed()
        for account in (ANN, BOB):
            self.workspace.lock(account)
        self.session = DesktopSession(self.workspace.environment).start()
        self.addCleanup(self.session.close)
        self.agent = self.session.start_agent()

    def meet(self, account, times=25):
        return subprocess.Popen(
            [sys.executable, PROGRAMS / "open_often.py", self.files[account], str(times)])

    def entries(self):
        """The processes that show prompts, or are ready to."""
        found = []
        for pid in desktop_session.children(self.agent.pid):
            with contextlib.suppress(OSError):
                if "mamd-entry" in pathlib.Path(f"/proc/{pid}/cmdline").read_text():
                    found.append(pid)
        return found

    def states(self):
        return [self.workspace.account(account)["state"] for account in (ANN, BOB)]

    def test_a_thousand_refusals_of_many_programs_ask_once(self):
        for program in [self.meet(ANN) for _ in range(40)]:
            self.assertEqual(program.wait(timeout=60), 0)
        self.session.await_window(TITLE)
        time.sleep(PATIENCE)
        self.assertEqual(len(self.session.windows(TITLE)), 1)

    def test_the_prompt_is_for_the_account_that_was_refused(self):
        self.meet(BOB).wait(timeout=60)
        self.session.focus(self.session.await_window(TITLE))
        self.session.await_entry()
        self.session.await_text(BOB)
        self.assertNotIn(ANN, str(self.session.texts()))
        self.session.type(PASSPHRASE)
        self.session.keys("Return")
        self.session.await_none(TITLE)
        self.assertEqual(self.states(), ["locked", "unlocked"])

    def test_each_account_has_a_prompt_of_its_own(self):
        wait_until(lambda: len(self.entries()) == 1, message="not one process is ready")
        (first,) = self.entries()
        os.kill(first, signal.SIGSTOP)
        for account in (ANN, BOB):
            self.meet(account, times=1).wait(timeout=60)
        # The second account is refused before the first one's window is there.
        time.sleep(PATIENCE)
        os.kill(first, signal.SIGCONT)
        wait_until(lambda: len(self.session.windows(TITLE)) == 2, message="not two prompts")
        texts = str(self.session.texts())
        self.assertIn(ANN, texts)
        self.assertIn(BOB, texts)
        self.workspace.unlock(BOB)
        wait_until(
            lambda: len(self.session.windows(TITLE)) == 1, message="Bob's prompt stays")
        self.session.await_text(ANN)

    @unittest.skipUnless(os.getuid() == 0, "acts as another user, which only root can")
    def test_another_users_program_asks_nobody(self):
        for place in (self.workspace.root, self.workspace.mount_point):
            os.chmod(place, 0o755)
        said = subprocess.run(
            [*AS_NOBODY, "cat", self.files[ANN]], capture_output=True, text=True, timeout=60)
        self.assertIn("Required key not available", said.stderr)
        time.sleep(PATIENCE)
        self.assertEqual(self.session.windows(TITLE), [])
        # Nor is anybody kept from being asked.
        self.meet(ANN).wait(timeout=60)
        self.session.await_window(TITLE)


if __name__ == "__main__":
    unittest.main()
