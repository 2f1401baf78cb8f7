"""Sealed files and streams that somebody copied into the mount: what opens them, and what tells of
the way that does."""
import os
import shutil
import subprocess
import unittest

from socket_client import Client, Refusal
from workspace import (
    ANN, BOB, CLOSED, DAMAGED, DONE, NO, NOT_FOUND, PERSONAL, USAGE, WorkspaceCase, pattern)


class Copies(WorkspaceCase):
    settings = {"MultiIdentity": True}

    def setUp(self):
        super().setUp()
        self.outside = self.workspace.root / self._testMethodName
        self.outside.mkdir()
        self.data = pattern(50_000)

    def backup(self, owner=ANN):
        """A file of the owner's, as the backing directory has it."""
        path = self.outside / "backup"
        self.workspace.write_as(owner, self.directory / "original", "")
        self.workspace.run_as(
            owner, "cp", self.write(self.outside / "plain", self.data),
            self.directory / "original")
        shutil.copyfile(self.backing_of(self.directory / "original"), path)
        return path

    def copy(self, source, owner=ANN, name="copy"):
        path = self.directory / name
        self.workspace.run_as(owner, "cp", source, path)
        return path

    def opened(self, path, into, status=DONE):
        into.unlink(missing_ok=True)
        result = self.workspace.ctl("decrypt", path, "-o", into, status=status)
        self.assertEqual(into.exists(), status == DONE)
        return result.stderr if status else into.read_bytes()


class CopiedIn(Copies):
    def stream(self):
        path = self.outside / "stream"
        with open(path, "wb") as output:
            subprocess.run(
                ["mamctl", "encrypt", "-", "--owner", ANN, "--workspace", self.workspace.name],
                input=self.data, stdout=output, check=True, env=self.workspace.environment)
        return path

    def copies(self):
        """Of both forms, Ann's and an unmanaged owner's, in files of Ann's and of nobody's."""
        yield self.copy(self.backup(), name="sealed")
        yield self.copy(self.backup(), "", "nobody's")
        yield self.copy(self.stream(), name="stream")
        yield self.copy(self.backup(PERSONAL), name="unmanaged")

    def test_it_opens_into_another_file(self):
        for path in self.copies():
            with self.subTest(path.name):
                self.assertEqual(self.opened(path, self.outside / "opened"), self.data)
                again = self.directory / "again"
                self.workspace.run_as(ANN, "mamctl", "decrypt", path, "-o", again, "--force")
                self.assertEqual(again.read_bytes(), self.data)
                self.assertTrue(self.workspace.is_managed_on_disk(self.backing_of(again)))
                shown = subprocess.run(
                    ["mamctl", "decrypt", path, "-o", "-"], stdout=subprocess.PIPE, check=True,
                    env=self.workspace.environment).stdout
                self.assertEqual(shown, self.data)
                self.workspace.ctl(
                    "provider", "import", path, self.outside / "cloud", "--owner", ANN)
                self.assertEqual((self.outside / "cloud").read_bytes(), self.data)
                (self.outside / "cloud").unlink()

    def test_what_does_not_open_it_says_what_does(self):
        for path in self.copies():
            with self.subTest(path.name):
                before, owner = path.read_bytes(), self.workspace.owner(path)
                named = ("", "--unmanaged") if owner == "nobody" else (owner,)
                for verb, status in (
                        (("decrypt", path), NO), (("encrypt", path, "--owner", ANN), NO),
                        (("protect", path, "--owner", *named), DONE)):
                    said = self.workspace.ctl(*verb, status=status).stderr
                    self.assertIn("holds protected data of", said)
                    self.assertIn("-o NEW", said)
                self.workspace.ctl(
                    "provider", "fetch", path, self.outside / "cloud", "--owner", ANN, status=NO)
                self.assertFalse((self.outside / "cloud").exists())
                self.assertEqual((path.read_bytes(), self.workspace.owner(path)), (before, owner))

    def test_the_socket_opens_it_into_another_file_alone(self):
        out = self.outside / "out"
        for path in self.copies():
            with self.subTest(path.name), Client(self.workspace.socket) as client, \
                    open(path, "rb") as file, open(out, "w+b") as output:
                before, owner = path.read_bytes(), self.workspace.owner(path)
                with self.assertRaises(Refusal) as caught:
                    client.call("Protection.DecryptFile", [file.fileno()], fileDescriptor=0)
                self.assertIn("holds protected data of", str(caught.exception))
                self.assertEqual((path.read_bytes(), self.workspace.owner(path)), (before, owner))
                client.call(
                    "Workspace.Decrypt", [file.fileno(), output.fileno()], sourceDescriptor=0,
                    destinationDescriptor=1)
                self.assertEqual(out.read_bytes(), self.data)

    @unittest.skipUnless(os.getuid() == 0, "only root overrides")
    def test_an_override_opens_it_into_another_file_alone(self):
        for path in self.copies():
            with self.subTest(path.name):
                before, owner = path.read_bytes(), self.workspace.owner(path)
                said = self.workspace.ctl(
                    "decrypt", path, "--override", "court", status=(NO, USAGE)).stderr
                self.assertIn("holds protected data of", said)
                self.assertEqual((path.read_bytes(), self.workspace.owner(path)), (before, owner))
                for into in ("opened", "-"):
                    shown = subprocess.run(
                        ["mamctl", "decrypt", path, "-o", into, "--override", "court", "--force"],
                        stdout=subprocess.PIPE, check=True, cwd=self.outside,
                        env=self.workspace.environment).stdout
                    opened = shown if into == "-" else (self.outside / into).read_bytes()
                    self.assertEqual(opened, self.data)
                if owner == "nobody":
                    continue  # there is no policy to override
                cloud = self.outside / "cloud"
                self.workspace.ctl(
                    "provider", "import", path, cloud, "--owner", ANN, "--override", "court",
                    "--force")
                self.assertEqual(cloud.read_bytes(), self.data)

    def test_a_damaged_one_gives_no_file(self):
        backup = self.backup()
        data = bytearray(backup.read_bytes())
        data[40_000] ^= 1
        backup.write_bytes(data)
        copy = self.copy(backup)
        self.assertIn("damaged", self.opened(copy, self.outside / "opened", DAMAGED))
        self.assertEqual(copy.read_bytes(), bytes(data))


class KeyIsNotThere(Copies):
    """Where a shell works for nobody in particular."""

    accounts = (ANN, BOB)

    def test_a_key_that_is_not_there_loses_nothing(self):
        copy = self.copy(self.backup(BOB))
        before = copy.read_bytes()
        self.workspace.ctl("decrypt", copy, status=NO)
        self.workspace.lock(BOB)
        try:
            self.assertIn(BOB, self.opened(copy, self.outside / "opened", CLOSED))
        finally:
            self.workspace.unlock(BOB)
        self.workspace.serving("wipe", BOB, "--confirm", BOB)
        self.assertIn(BOB, self.opened(copy, self.outside / "opened", NOT_FOUND))
        self.assertEqual(copy.read_bytes(), before)
