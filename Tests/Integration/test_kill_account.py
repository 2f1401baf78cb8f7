"""A daemon that is killed while an account is registered or imported: the account is there as itself, or not at all."""
import os
import shutil
import signal
import subprocess
import time
import unittest

from machines import another_machine
from workspace import ANN, BOB, Workspace, daemons, wait_until

REGISTRATIONS, IMPORTS = 30, 10
# Of what comes after the account's first file: it takes a few milliseconds.
MILLISECONDS = 15


class Killed(unittest.TestCase):
    """Beside an account that is there already: where no other has a record, a missing one says nothing."""

    def setUp(self):
        self.space = Workspace()
        self.addCleanup(self.space.close)
        self.space.init().mount().register(BOB, extra=["--no-passphrase"])

    def kill_in(self, *command, after):
        """So many seconds after the first file of a new account."""
        before = self.files()
        with subprocess.Popen(
                command, env=self.space.environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL):
            while self.files() == before:
                pass
            time.sleep(after)
            self.kill()

    def files(self):
        return [name for place in ("enrollment", "keybags") for name in os.listdir(self.space.state / place)]

    def kill(self):
        for pid in daemons(str(self.space.root)):
            os.kill(pid, signal.SIGKILL)
            wait_until(lambda: not os.path.exists(f"/proc/{pid}"))

    def check(self, name):
        account = self.space.account(name)
        if account:
            self.assertEqual((account["block"], account["stage"]), ("", "enrolled"), account)
            self.space.unlock(name)

    def test_registrations(self):
        for kill in range(REGISTRATIONS):
            name = f"ann{kill}@contoso.com"
            self.kill_in(
                "mamctl", "account", "register", name, "--passfile", self.space.passfile,
                after=kill * MILLISECONDS / REGISTRATIONS / 1000)
            self.space.mount()
            self.check(name)

    def test_imports(self):
        source = another_machine(self.space)
        self.addCleanup(source.close)
        source.mount().register(ANN)
        keys = source.root / "ann.keys"
        strong = source.secret("strong", "a longer passphrase for the export")
        source.serving(
            "account export", ANN, "-o", keys, "--passfile", source.passfile, "--export-passfile", strong)
        source.unmount()
        kept = self.space.root / "kept"
        shutil.copytree(self.space.state, kept)
        for kill in range(IMPORTS):
            self.kill_in(
                "mamctl", "account", "import", keys, "--export-passfile", strong,
                "--passfile", self.space.passfile, after=kill * MILLISECONDS / IMPORTS / 1000)
            self.space.mount()
            self.check(ANN)
            self.kill()
            shutil.rmtree(self.space.state)
            shutil.copytree(kept, self.space.state)
            self.space.mount()


if __name__ == "__main__":
    unittest.main()
