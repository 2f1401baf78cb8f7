"""A wipe that is asked for twice: the one that comes to its end later leaves alone what came after
the first."""
import pathlib
import shutil
import subprocess
import tempfile

from running import PREFIX
from workspace import ANN, DONE, WorkspaceCase, pattern, wait_until

# Of the first wipe it waits, of the second it does not.
HOOK = 'if mkdir "$0/waits" 2>/dev/null; then until [ -e "$0/go" ]; do sleep 0.05; done; fi'


class Twice(WorkspaceCase):
    @classmethod
    def setUpClass(cls):
        cls.gate = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        cls.addClassCleanup(shutil.rmtree, cls.gate)
        cls.settings = {
            "Hooks": {"Wipe": ["/bin/sh", "-c", HOOK, str(cls.gate)], "TimeoutSeconds": 300}}
        super().setUpClass()

    def test_files_of_the_account_that_came_after_the_first_stay(self):
        old = self.write(self.directory / "old", pattern(10_000))
        first = subprocess.Popen(
            ["mamctl", "wipe", ANN, "--confirm", ANN, "--workspace", self.workspace.name],
            stdout=subprocess.DEVNULL, env=self.workspace.environment)
        wait_until((self.gate / "waits").exists)
        self.workspace.serving("wipe", ANN, "--confirm", ANN)
        self.assertFalse(old.exists())
        self.workspace.register()
        sealed, plain = self.directory / "sealed", self.directory / "plain"
        for path in (sealed, plain):
            self.workspace.write_as(ANN, path, "new work")
        self.workspace.ctl("decrypt", plain)
        (self.gate / "go").touch()
        self.assertEqual(first.wait(90), DONE)
        for path in (sealed, plain):
            self.assertEqual(path.read_text(), "new work")
        self.assertEqual(self.workspace.owner(plain), "nobody")
