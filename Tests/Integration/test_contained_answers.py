"""What policy answers to a program that asks, the kernel holds to where nobody asks.

Each test asks `mamctl can` what the SDK's questions for "save to" and "open in" answer. Programs
that know nothing of policy then do it.
"""
import errno
import subprocess
import sys

from test_contained import RESTRICTED, SECRET, Contained
from workspace import ANN, BOB, DONE, PERSONAL, PROGRAMS, REFUSED, SETTINGS, Workspace

SAVE = PROGRAMS / "save_beside.py"


class Answers(Contained):
    settings = {**SETTINGS, "Containment": "required", "MultiManagedIdentities": True}

    def can(self, *question):
        result = self.workspace.serving("can", *question, status=None)
        self.assertIn(result.returncode, (DONE, REFUSED), result.stderr)
        return result.returncode == DONE

    def save(self, source, target, prefix=()):
        """The exit status: 0 or the errno."""
        done = subprocess.run(
            [*prefix, sys.executable, SAVE, source, target], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60,
            env=self.workspace.environment)
        return done.returncode

    def in_clear(self, path):
        return path.exists() and SECRET in path.read_bytes()


class Kept(Answers):
    """Policy keeps the data: no program saves it elsewhere, and none outside opens it."""

    policy = {**RESTRICTED, "saveAsBlocked": True}

    def test_save_to(self):
        plan, outside = self.secret(), self.workspace.root / "saved"
        self.assertFalse(self.can("save", "--location", "Other", "--owner", ANN))
        self.assertEqual(self.save(plan, outside, self.words()), errno.EACCES)
        # Outside it fails already to open the file.
        self.assertNotEqual(self.save(plan, outside), 0)
        as_ann = ["mamctl", "run", "--workspace", self.workspace.name, "--identity", ANN, "--"]
        self.assertNotEqual(self.save(plan, outside, as_ann), 0)
        self.assertEqual(list(self.workspace.root.glob("saved*")), [])

    def test_save_in_the_workspace(self):
        plan, copy = self.secret(), self.directory / "copy.txt"
        self.assertEqual(self.save(plan, copy, self.words()), 0)
        self.assertEqual(self.workspace.owner(copy), ANN)
        self.assertNotIn(SECRET, self.backing_of(copy).read_bytes())

    def test_open_in(self):
        plan = self.secret()
        self.workspace.register(BOB)
        for receiver, options in ((PERSONAL, ("--unmanaged",)), (BOB, ())):
            with self.subTest(receiver):
                viewer = ["mamctl", "run", "--workspace", self.workspace.name, "--identity",
                          receiver, *options, "--", "grep", "-q", "Fabrikam", plan]
                self.assertEqual(self.status_of(viewer), 2)
        self.assertFalse(self.can("receive", plan, "--account", PERSONAL))
        self.assertEqual(self.status_of(["grep", "-q", "Fabrikam", plan]), 2)
        self.assertTrue(self.can("receive", plan, "--account", ANN))
        self.assertEqual(self.status_of(self.words("grep", "-q", "Fabrikam", plan)), 0)

    def status_of(self, command):
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, timeout=60, env=self.workspace.environment).returncode


class KeptWholly(Kept):
    policy = {**RESTRICTED, "allowedOutboundDataTransferDestinations": "none"}


class SentToAll(Answers):
    """Policy restricts nothing, and neither does the kernel."""

    policy = {**RESTRICTED, "allowedOutboundDataTransferDestinations": "allApps"}

    def test_save_to_and_open_in(self):
        plan, outside = self.secret(), self.workspace.root / "saved"
        self.assertTrue(self.can("save", "--location", "Other", "--owner", ANN))
        self.assertTrue(self.can("receive", plan, "--account", PERSONAL))
        self.assertEqual(self.save(plan, outside), 0)
        self.assertTrue(self.in_clear(outside))


class OtherWorkspace(Answers):
    """A program that is contained in one workspace is an outsider in another."""

    def test_it_reads_no_sealed_file_there(self):
        other = Workspace("other", settings=self.settings, policy=RESTRICTED)
        self.addCleanup(other.close)
        other.init().mount().register()
        theirs = other.write_contained(other.path("theirs.txt"), SECRET)
        self.assertEqual(self.save(self.secret(), self.directory / "own", self.words()), 0)
        self.assertEqual(self.save(theirs, self.directory / "taken", self.words()), 1)
        self.assertFalse((self.directory / "taken").exists())


if __name__ == "__main__":
    import unittest

    unittest.main()
