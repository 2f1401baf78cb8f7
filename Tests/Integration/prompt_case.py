"""A desktop whose agent asks for the passphrase of a locked account."""
import subprocess
import sys
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

    def meet(self, times=1, program=None):
        """A program that tries to open the file."""
        command = [program or sys.executable, "-c", (
            "import sys\nfor _ in range(int(sys.argv[2])):\n    try: open(sys.argv[1])\n"
            "    except OSError: pass"), str(self.file), str(times)]
        subprocess.run(command, check=True, timeout=60)

    def state(self):
        return self.workspace.account()["state"]

    def asked(self):
        """The prompt, with the keyboard."""
        window = self.session.await_window(TITLE)
        self.session.focus(window)
        return window
