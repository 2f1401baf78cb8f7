"""A daemon killed while an account is registered, imported or joined: all is there, or nothing."""
import os
import shutil
import signal
import subprocess
import unittest

from machines import another_machine
from preloaded import derive_cheaply
from running import daemons, has_ended
from workspace import ANN, BOB, DONE, REFUSED, Workspace, wait_until

# Changes of names among the account's records: each new file, and each that takes its name.
STEPS = (1, 2, 3, 4, 6)
FEW_STEPS = (1, 3)


class Killed(unittest.TestCase):
    def kill_in(self, space, *command, step):
        """At so many changes of the names of records, or at the command's end."""
        names = record_names(space)
        with subprocess.Popen(
                command, env=space.environment, stderr=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL) as process:
            while step and process.poll() is None:
                found = record_names(space)
                step -= found != names
                names = found
            kill(space)


def record_names(space):
    return [name for place in ("enrollment", "keybags") for name in os.listdir(space.state / place)]


def kill(space):
    for pid in daemons(str(space.root)):
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: has_ended(pid))


def cheap(space):
    return derive_cheaply(space, space.root)


def exported(space):
    """Ann's keys, and the passphrase that they are under."""
    keys = space.root / "ann.keys"
    strong = space.secret("strong", "a longer passphrase for the export")
    space.serving(
        "account export", ANN, "-o", keys, "--passfile", space.passfile,
        "--export-passfile", strong)
    return keys, strong


class New(Killed):
    """Beside another account: where none has a record, a missing one says nothing."""

    def setUp(self):
        self.space = cheap(Workspace())
        self.addCleanup(self.space.close)
        self.space.init().mount().register(BOB, extra=["--no-passphrase"])

    def check(self, name):
        account = self.space.account(name)
        if account:
            self.assertEqual((account["block"], account["stage"]), (None, "enrolled"), account)
            self.space.unlock(name)

    def test_registrations(self):
        for step in STEPS:
            name = f"ann{step}@contoso.com"
            self.kill_in(
                self.space, "mamctl", "account", "register", name,
                "--passfile", self.space.passfile, step=step)
            self.space.mount()
            self.check(name)

    def test_imports(self):
        source = cheap(another_machine(self.space))
        self.addCleanup(source.close)
        keys, strong = exported(source.mount().register(ANN))
        source.unmount()
        kept = self.space.root / "kept"
        shutil.copytree(self.space.state, kept)
        for step in FEW_STEPS:
            self.kill_in(
                self.space, "mamctl", "account", "import", keys, "--export-passfile", strong,
                "--passfile", self.space.passfile, step=step)
            self.space.mount()
            self.check(ANN)
            kill(self.space)
            shutil.rmtree(self.space.state)
            shutil.copytree(kept, self.space.state)
            self.space.mount()


class Joined(Killed):
    """Ann has a file of each of two machines' keys, and the keys of one."""

    def setUp(self):
        source = cheap(Workspace()).init().mount().register()
        self.addCleanup(source.close)
        source.path("theirs").write_text("theirs")
        self.keys, self.strong = exported(source)
        source.unmount()
        self.space = cheap(another_machine(source))
        self.addCleanup(self.space.close)
        self.space.mount().serving(
            "account register", ANN, "--passfile", self.space.passfile, "--new-keys")
        self.space.path("own").write_text("own")

    def test_joins(self):
        join = (
            "account", "import", self.keys, "--join", "--export-passfile", self.strong,
            "--passfile", self.space.passfile)
        for step in FEW_STEPS:
            self.kill_in(self.space, "mamctl", *join, step=step)
            self.space.mount().unlock()
            self.assertEqual(self.space.path("own").read_text(), "own")
        # Refused where a kill came when all was done.
        self.space.serving(*join, status=(DONE, REFUSED))
        for name in ("own", "theirs"):
            self.assertEqual(self.space.path(name).read_text(), name)


if __name__ == "__main__":
    unittest.main()
