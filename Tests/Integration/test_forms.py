"""Two sealed forms, a file's and a stream's, and the mount, where neither is seen: all verbs know
all three."""
import json
import os
import subprocess

from socket_client import Client, Refusal
from workspace import ANN, CLOSED, DAMAGED, NO, NOT_MANAGED, PERSONAL, USAGE, WorkspaceCase, pattern

DATA = pattern(200_000)


class Forms(WorkspaceCase):
    def setUp(self):
        super().setUp()
        self.outside = self.workspace.root / self.id().rpartition(".")[2]
        self.outside.mkdir()
        plain = self.write(self.outside / "plain", DATA)
        self.stream, self.file = self.outside / "stream", self.outside / "file"
        self.workspace.serving("data protect", plain, "--owner", ANN, "-o", self.stream)
        self.workspace.serving("encrypt", plain, "--owner", ANN, "-o", self.file)
        self.inside = self.write(self.directory / "inside", DATA)

    def data(self, verb, source, *options, status=0):
        result = subprocess.run(
            ["mamctl", "data", verb, *options, "--workspace", self.workspace.name,
            *([] if source is None else [source])],
            capture_output=True, timeout=60, env=self.workspace.environment)
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stdout

    def test_each_form_is_known_by_all_verbs(self):
        for path in (self.stream, self.file, self.inside):
            with self.subTest(path.name):
                self.assertEqual(self.workspace.owner(path), ANN)
                self.assertTrue(self.workspace.info(path)["managed"])
                self.workspace.ctl("is-encrypted", path)
                out = self.outside / f"{path.name}.plain"
                self.workspace.serving("decrypt", path, "-o", out)
                self.assertEqual(out.read_bytes(), DATA)
                shown = subprocess.run(
                    ["mamctl", "decrypt", path, "-o", "-", "--workspace", self.workspace.name],
                    capture_output=True, env=self.workspace.environment, check=True).stdout
                self.assertEqual(shown, DATA)
        for path in (self.stream, self.file):
            with self.subTest(path.name):
                self.assertEqual(
                    json.loads(self.data("info", path, "--json"))["protection"]["owner"], ANN)
                self.assertEqual(self.data("unprotect", path), DATA)
                self.workspace.serving("encrypt", path, "--owner", ANN, status=NO)
                self.workspace.serving("decrypt", path)
                self.assertEqual(path.read_bytes(), DATA)
                self.workspace.ctl("is-encrypted", path, status=NO)

    def test_the_socket_says_the_same(self):
        client = Client(self.workspace.socket)
        self.addCleanup(client.close)
        for path in (self.stream, self.file, self.inside):
            self.assertTrue(
                client.call("Protection.IsFileEncrypted", path=str(path))["encrypted"], path.name)
            out = self.outside / "out"
            with open(path, "rb") as source, open(out, "w+b") as sink:
                answer = client.call(
                    "Workspace.Decrypt", descriptors=[source.fileno(), sink.fileno()],
                    sourceDescriptor=0, destinationDescriptor=1)
            self.assertEqual((answer["bytes"], out.read_bytes()), (len(DATA), DATA))
        plain = self.outside / "plain"
        self.assertFalse(client.call("Protection.IsFileEncrypted", path=str(plain))["encrypted"])
        self.workspace.ctl("decrypt", self.inside)
        self.assertFalse(
            client.call("Protection.IsFileEncrypted", path=str(self.inside))["encrypted"])
        with open(self.inside, "rb") as source, open(out, "w+b") as sink, self.assertRaises(
                Refusal):
            client.call(
                "Workspace.Decrypt", descriptors=[source.fileno(), sink.fileno()],
                sourceDescriptor=0, destinationDescriptor=1)
        self.workspace.ctl("decrypt", self.inside, "-o", self.outside / "no", status=NOT_MANAGED)

    def test_a_locked_account_closes_all_forms(self):
        self.workspace.lock()
        self.addCleanup(self.workspace.unlock)
        for path in (self.stream, self.file, self.inside):
            self.workspace.serving("decrypt", path, "-o", self.outside / "no", status=CLOSED)
            self.assertFalse(os.path.lexists(self.outside / "no"))
            self.assertEqual(self.workspace.owner(path), ANN)

    def test_policy_keeps_it_from_others(self):
        client = Client(self.workspace.socket)
        self.addCleanup(client.close)
        before = (self.workspace.policies / "default.json").read_text()
        self.addCleanup(client.call, "Policy.Import", name="default.json", document=before)
        client.call("Policy.Import", name="default.json", document=json.dumps({
            "displayName": "strict", "pinRequired": False,
            "allowedOutboundDataTransferDestinations": "managedApps",
            "allowedInboundDataTransferSources": "managedApps"}))
        opened = os.open(self.inside, os.O_RDONLY)
        self.addCleanup(os.close, opened)
        for path in (self.stream, self.file, self.inside):
            result = self.workspace.run_as(
                PERSONAL, "mamctl", "decrypt", path, "-o", self.outside / "no", "--workspace",
                self.workspace.name, check=False)
            self.assertNotEqual(result.returncode, 0)
            self.assertFalse(os.path.lexists(self.outside / "no"))
        client.call("Identity.SetProcessIdentity", identity=PERSONAL)
        with open(self.outside / "out", "w+b") as sink, self.assertRaises(Refusal) as refusal:
            client.call(
                "Workspace.Decrypt", descriptors=[opened, sink.fileno()], sourceDescriptor=0,
                destinationDescriptor=1)
        self.assertEqual(refusal.exception.name, "Refused")
        client.call("Identity.SetProcessIdentity", identity=None)
        # The owner of the stream counts, not that it is no file.
        for source in (self.stream, self.file, self.inside):
            self.workspace.serving("can receive", source, "--item", "--account", ANN)
            result = self.workspace.run_as(
                PERSONAL, "mamctl", "can", "receive", source, "--item", "--workspace",
                self.workspace.name, check=False)
            self.assertEqual(result.returncode, 6, result.stderr)
        for source in (self.stream, self.file):
            with open(source, "rb") as head:
                self.workspace.serving(
                    "can receive", "-", "--item", "--account", ANN, input=head.read(1024))

    def test_damage_is_told(self):
        for path, offset in ((self.stream, 20), (self.file, 40)):
            data = bytearray(path.read_bytes())
            data[offset] ^= 1
            path.write_bytes(data)
            for verb in ("owner", "is-encrypted", "info"):
                self.workspace.ctl(verb, path, status=DAMAGED)
            self.workspace.serving("decrypt", path, "-o", self.outside / "no", status=DAMAGED)

    def test_a_sealed_file_in_a_pipe_is_not_handed_on_as_it_is(self):
        with open(self.file, "rb") as file:
            result = subprocess.run(
                ["sh", "-c", f"cat | mamctl data unprotect --workspace {self.workspace.name}"],
                stdin=file, capture_output=True, env=self.workspace.environment)
        self.assertEqual((result.returncode, result.stdout), (USAGE, b""))
        self.assertIn(b"mamctl decrypt", result.stderr)

    def test_info_tells_what_a_file_of_the_mount_holds(self):
        for name, path in (("stream", self.stream), ("file", self.file)):
            there = self.write(self.directory / name, path.read_bytes())
            self.assertIn(f"protected data of {ANN}", self.workspace.ctl("info", there).stdout)
        self.assertNotIn("protected data", self.workspace.ctl("info", self.inside).stdout)
