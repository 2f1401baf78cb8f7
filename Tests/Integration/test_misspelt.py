"""An owner that is no account has plain files: to give it one takes a word that it is meant."""
import os

from socket_client import Client, Refusal
from workspace import ANN, DONE, NOT_MANAGED, PERSONAL, USAGE, WorkspaceCase

MISSPELT = "ann@contos.com"


class Misspelt(WorkspaceCase):
    def setUp(self):
        super().setUp()
        self.path = self.write(self.directory / "file", b"precious")

    def assert_untouched(self):
        self.assertEqual(self.workspace.owner(self.path), ANN)
        self.assertTrue(self.workspace.is_managed_on_disk(self.backing_of(self.path)))

    def refuse(self, verb, *words, **more):
        said = self.workspace.ctl(*verb.split(), *words, status=NOT_MANAGED, **more).stderr
        self.assertIn(f"did you mean '{ANN}'?", said)
        return said

    def test_files_and_directories(self):
        for verb in ("protect", "verify-protect", "provider stamp"):
            for path in (self.path, self.directory):
                said = self.refuse(verb, path, "--owner", MISSPELT)
                self.assertIn("--unmanaged", said)
                self.assert_untouched()
        for path in (self.path, self.directory):
            self.refuse("owner", "--set", MISSPELT, path)
        self.assert_untouched()
        self.assertEqual(self.workspace.owner(self.write(self.directory / "later", b"x")), ANN)

    def test_an_empty_one_must_be_meant(self):
        for verb in ("protect", "verify-protect", "provider stamp"):
            for path in (self.path, self.directory):
                said = self.workspace.ctl(*verb.split(), path, "--owner", "", status=USAGE).stderr
                self.assertIn("--owner is empty", said)
                self.assertIn("add --unmanaged", said)
                self.assert_untouched()
        self.workspace.ctl("owner", "--set", "", self.path, status=USAGE)
        self.workspace.ctl(
            "provider", "fetch", self.path, self.directory / "out", "--owner", "", status=USAGE)
        self.assert_untouched()

    def test_data_and_copies(self):
        self.refuse("data protect", "--owner", MISSPELT, input=b"x")
        self.refuse("data protect", "--owner", MISSPELT, "--string", input=b"x")
        plain, out = self.write(self.workspace.root / "plain", b"x"), self.directory / "out"
        self.refuse("encrypt", plain, "--owner", MISSPELT, "-o", self.workspace.root / "sealed")
        self.refuse("encrypt", self.path, "--owner", MISSPELT)
        self.refuse("provider fetch", plain, out, "--owner", MISSPELT)
        self.refuse("provider import", plain, out, "--owner", MISSPELT)
        self.assertFalse(os.path.lexists(out))

    def test_run(self):
        mark = self.directory / "mark"
        self.refuse("run", "--identity", MISSPELT, "--", "touch", mark)
        self.assertFalse(os.path.lexists(mark))
        self.workspace.ctl("run", "--identity", "", "--", "touch", mark)

    def test_who_says_that_it_is_meant_is_told_what_came_of_it(self):
        for verb in (("protect", "--owner"), ("owner", "--set")):
            said = self.workspace.ctl(*verb, PERSONAL, "--unmanaged", self.path).stdout
            self.assertEqual(said, f"{PERSONAL}\t{self.path}\tnow plain\n")
            self.assertIn(b"precious", self.backing_of(self.path).read_bytes())
            self.workspace.ctl("protect", "--owner", ANN, self.path)
        self.assertEqual(
            self.workspace.ctl("owner", self.directory, status=NOT_MANAGED).stdout,
            f"-\t{self.directory}\n")
        self.assertIn(
            "NSFileProtectionComplete, if that is an account",
            self.workspace.ctl("info", self.directory).stdout)
        said = self.workspace.ctl("owner", "--set", PERSONAL, "--unmanaged", self.directory).stdout
        self.assertIn("\twhat is made there is plain", said)
        self.assertEqual(self.workspace.owner(self.directory), PERSONAL)
        self.assertIn("none: they are plain", self.workspace.ctl("info", self.directory).stdout)
        self.workspace.ctl("owner", "--set", ANN, self.directory)
        self.assertEqual(
            self.workspace.ctl("owner", self.directory).stdout, f"{ANN}\t{self.directory}\n")
        said = self.workspace.ctl("protect", "--owner", "", "--unmanaged", self.path).stdout
        self.assertEqual(said, f"nobody\t{self.path}\tnow plain\n")

    def test_who_works_for_it_has_said_so(self):
        self.workspace.run_as(PERSONAL, "mamctl", "owner", "--set", PERSONAL, self.path)
        self.assertEqual(self.workspace.owner(self.path), PERSONAL)

    def test_the_socket(self):
        client = Client(self.workspace.socket)
        self.addCleanup(client.close)
        with open(self.path, "rb") as file:
            def give(owner, **more):
                client.call(
                    "Workspace.SetOwner", descriptors=[file.fileno()], fileDescriptor=0,
                    owner=owner, **more)

            for more in ({}, {"unmanaged": False}):
                with self.assertRaises(Refusal) as refusal:
                    give(MISSPELT, **more)
                self.assertEqual(refusal.exception.name, "UnmanagedOwner")
                self.assert_untouched()
            with self.assertRaises(Refusal):
                give(None)
            self.assert_untouched()
            give(MISSPELT, unmanaged=True)
        self.workspace.ctl("owner", self.path, status=NOT_MANAGED)
        with self.assertRaises(Refusal) as refusal:
            client.call("Identity.SetProcessIdentity", identity=MISSPELT, unmanaged=False)
        self.assertEqual(refusal.exception.name, "UnmanagedOwner")
        # A program may work for anybody.
        client.call("Identity.SetProcessIdentity", identity=PERSONAL)
        client.call("Identity.SetProcessIdentity", identity=None)
        self.workspace.ctl("protect", self.path, status=DONE)
