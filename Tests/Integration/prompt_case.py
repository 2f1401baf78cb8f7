"""A desktop whose agent asks for the passphrase of a locked account."""
import unittest

import desktop_session
from desktop_session import DesktopSession, locked_workspace

TITLE = "Unlock managed files"


@unittest.skipIf(desktop_session.missing(), desktop_session.missing())
class PromptCase(unittest.TestCase):
    def setUp(self):
        self.workspace, self.file = locked_workspace(self)
        self.session = DesktopSession(self.workspace.environment).start()
        self.addCleanup(self.session.close)
        self.agent = self.session.start_agent()

    def state(self):
        return self.workspace.account()["state"]

    def asked(self):
        """The prompt, with the keyboard."""
        window = self.session.await_window(TITLE)
        self.session.focus(window)
        self.session.await_entry()
        return window
