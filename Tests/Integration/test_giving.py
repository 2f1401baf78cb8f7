"""Content of an account gets another owner, or leaves in the clear, only where the policies of both
sides permit it; the audit has both answers, and root's reason for acting against policy."""
import collections
import json
import os
import pathlib
import sys
import unittest

from ordinary_user import NOBODY
from socket_client import Client, Refusal
from workspace import (
    ANN, BOB, DONE, PERSONAL, REFUSED, USAGE, WorkspaceCase, pattern)

CONTENT = pattern(10_000)
TEXT = "a secret"
CLOSED = {
    "allowedOutboundDataTransferDestinations": "managedApps", "saveAsBlocked": True,
    "disableProtectionOfManagedOutboundOpenInData": True}
REASON = "court order 7"
OUTBOUND, INBOUND, STORAGE = (
    "allowedOutboundDataTransferDestinations", "allowedInboundDataTransferSources",
    "allowedDataStorageLocations")

# How content leaves: the words behind mamctl, the file that it reads, what it reads from standard
# input, whose the content is then, the call of the daemon, and whether it changes the file itself.
Way = collections.namedtuple("Way", "words file input receiver call in_place", defaults=[
    None, None, "nobody", "Workspace.Decrypt", False])


class Giving(WorkspaceCase):
    settings = {"Groups": {"a": [ANN], "b": [BOB]}}
    accounts = (ANN, BOB)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.workspace.policies / "default.json").unlink()

    def setUp(self):
        super().setUp()
        self.outside = self.workspace.root / self._testMethodName
        self.outside.mkdir()
        self.rules()

    def rules(self, anns=None, bobs=None):
        with Client(self.workspace.socket) as client:
            for group, rules in (("a", anns), ("b", bobs)):
                document = {
                    "displayName": group, "pinRequired": False, **(rules or {}), "assignments": [
                        {"target": {
                            "@odata.type": "#microsoft.graph.groupAssignmentTarget",
                            "groupId": group}}]}
                client.call(
                    "Policy.Import", name=f"{group}.json", document=json.dumps(document))

    def prepare(self):
        """Ann's content, in each form that it has."""
        self.rules()
        # Of its own each time, as a directory that was given away is its new owner's.
        self.folder = self.directory / str(len(os.listdir(self.directory)))
        self.folder.mkdir()
        self.path = self.write(self.folder / "plan", CONTENT)
        self.assertEqual(self.owner(), ANN)
        self.sealed, self.out = self.outside / "sealed", self.outside / "out"
        self.sealed.write_bytes(self.backing_of(self.path).read_bytes())
        for name in (self.out, self.outside / "plan"):
            name.unlink(missing_ok=True)

    def owner(self):
        """Of the file."""
        return os.getxattr(self.path, "user.mam.owner").decode()

    def sealed_data(self, data, *options):
        result = self.run_with_input(
            ("data", "protect", "--owner", ANN, *options, "--workspace", "work"), data)
        return result.stdout

    def run_with_input(self, words, data, identity=ANN):
        shell = 'mamctl "$@"' if data is None else f'cat "{self.given(data)}" | mamctl "$@"'
        return self.workspace.run_as(
            identity, "sh", "-c", shell, "sh", *map(os.fspath, words), check=False)

    def given(self, data):
        path = self.outside / "input"
        path.write_bytes(data)
        return path

    def ways(self):
        """Each way out of Ann's account, anew for each use but for what comes on standard input."""
        path, sealed, out = self.path, self.sealed, self.out
        stream, text = self.streams
        protect = "Protection.VerifyAndProtect"
        here = ("--workspace", "work")
        return [
            Way(("owner", "--set", "", "--unmanaged", path), path, None, "nobody", protect, True),
            Way(("owner", "--set", PERSONAL, "--unmanaged", path), path, None, PERSONAL, protect,
                True),
            Way(("owner", "--set", BOB, path), path, None, BOB, protect, True),
            Way(("protect", path, "--owner", "", "--unmanaged"), path, None, "nobody", protect,
                True),
            Way(("protect", self.folder, "--owner", BOB), path, None, BOB, protect, True),
            Way(("verify-protect", path, "--owner", BOB), path, None, BOB, protect, True),
            Way(("provider", "stamp", path, "--owner", "", "--unmanaged"), path, None, "nobody",
                protect, True),
            Way(("encrypt", path, "--owner", BOB), path, None, BOB, "Protection.EncryptFile", True),
            Way(("decrypt", path), path, None, "nobody", "Protection.DecryptFile", True),
            Way(("encrypt", path, "--owner", BOB, "-o", out), path, None, BOB, "Workspace.Encrypt"),
            Way(("encrypt", path, "--owner", BOB, "-o", "-"), path, None, BOB,
                "Protection.ProtectData"),
            Way(("data", "protect", path, "--owner", BOB, "-o", out, *here), path, None, BOB,
                "Protection.ProtectData"),
            Way(("decrypt", path, "-o", out), path),
            Way(("decrypt", path, "-o", f"{self.outside}/"), path),
            Way(("decrypt", path, "-o", "-"), path),
            Way(("decrypt", sealed, "-o", out, *here), sealed),
            Way(("decrypt", sealed, "-o", "-", *here), sealed),
            Way(("decrypt", sealed, *here), sealed, in_place=True),
            Way(("decrypt", "-", *here), None, stream, call="Protection.UnprotectData"),
            Way(("data", "unprotect", *here), None, stream, call="Protection.UnprotectData"),
            Way(("data", "unprotect", sealed, "-o", out, *here), sealed,
                call="Protection.UnprotectData"),
            Way(("data", "unprotect", path, "-o", out, *here), path,
                call="Protection.UnprotectData"),
            Way(("data", "unprotect", "--string", *here), None, text,
                call="Protection.UnprotectString"),
            Way(("provider", "fetch", path, out, "--owner", ANN), path),
            Way(("provider", "import", path, out, "--owner", ANN), path),
            Way(("provider", "import", sealed, out, "--owner", ANN, *here), sealed),
        ]

    def each_way(self, check):
        self.prepare()
        self.streams = self.sealed_data(CONTENT), self.sealed_data(TEXT.encode(), "--string")
        for number in range(len(self.ways())):
            self.prepare()
            way = self.ways()[number]
            with self.subTest(words=" ".join(map(str, way.words))):
                check(way)

    def place(self, way):
        """The file as the audit names it."""
        if way.file == self.path:
            return f"{self._testMethodName}/{self.folder.name}/plan"
        return way.file and str(way.file)

    def audit(self, event):
        """As `mamctl audit --event` tells it, which is asked too often to start it each time."""
        with Client(self.workspace.socket) as client:
            client.send("Audit.List", more=True, event=event)
            found = []
            while (reply := client.receive()).get("continues"):
                found.append(reply["parameters"]["record"])
        return found

    def last(self, event, way):
        """The audit's record of it: there is one, and it says who did what."""
        found = [record for record in self.audit(event) if record["operation"] == way.call][-1]
        self.assertEqual(
            (found["account"], found["receiver"], found["path"], found["uid"], found["program"]),
            (ANN, way.receiver, self.place(way), os.getuid(), "mamctl"))
        return found

    def count(self, event):
        return sum(record["count"] for record in self.audit(event))

    def check_unchanged(self, way):
        self.assertFalse(self.out.exists())
        self.assertFalse((self.outside / "plan").exists())
        self.assertEqual(self.owner(), ANN)
        self.assertEqual(
            self.workspace.run_as(ANN, "cat", self.path).stdout, CONTENT)
        self.assertTrue(self.workspace.is_managed_on_disk(self.backing_of(self.path)))
        self.assertTrue(self.workspace.is_managed_on_disk(self.sealed))

    def check_given(self, way, result):
        """The content is where it was to be, and the receiver's."""
        self.assertEqual(result.returncode, DONE, result.stderr)
        if way.in_place and way.file == self.path:
            self.assertEqual(self.workspace.owner(self.path), way.receiver)
            self.assertEqual(self.workspace.run_as(BOB, "cat", self.path).stdout, CONTENT)
        elif way.receiver == BOB:
            sealed = self.out.read_bytes() if self.out.exists() else result.stdout
            self.assertEqual(
                self.run_with_input(("info", "--json", "-", "--workspace", "work"), sealed, BOB)
                .returncode, DONE)
            self.assertIn(BOB.encode(), sealed[:1024])
            self.assertNotIn(CONTENT[:64], sealed)
        else:
            copies = [self.out, self.outside / "plan", self.sealed if way.in_place else self.out]
            plain = next((copy.read_bytes() for copy in copies if copy.exists()), result.stdout)
            self.assertIn(plain, (CONTENT, TEXT.encode()))

    def test_what_policy_keeps_leaves_by_no_way(self):
        def check(way):
            self.rules(CLOSED)
            before = self.count("given") + self.count("overridden")
            refused = self.count("refused")
            result = self.run_with_input(way.words, way.input)
            self.assertEqual(result.returncode, REFUSED, result.stderr)
            rule = OUTBOUND if way.receiver == BOB else STORAGE
            self.assertIn(f"({rule})".encode(), result.stderr)
            self.assertIn(ANN.encode(), result.stderr)
            self.assertTrue(result.stdout in (b"", b"[]\n"), result.stdout)
            self.check_unchanged(way)
            record = self.last("refused", way)
            self.assertEqual(record["rule"], rule)
            self.assertIn(record["reason"].encode(), result.stderr)
            self.assertEqual(self.count("refused"), refused + 1)
            self.assertEqual(self.count("given") + self.count("overridden"), before)

        self.each_way(check)

    def test_what_policy_permits_leaves_and_is_told(self):
        def check(way):
            before = self.count("given")
            self.check_given(way, self.run_with_input(way.words, way.input))
            record = self.last("given", way)
            self.assertEqual(record["rule"], INBOUND if way.receiver == BOB else OUTBOUND)
            self.assertEqual(self.count("given"), before + 1)

        self.each_way(check)

    @unittest.skipUnless(os.getuid() == 0, "root's right")
    def test_root_overrides_with_a_reason(self):
        def check(way):
            self.rules(CLOSED, {INBOUND: "none"})
            words = (*way.words, "--override", REASON)
            # Whether root works for the account or for nobody.
            result = self.run_with_input(words, way.input, "")
            self.check_given(way, result)
            record = self.last("overridden", way)
            self.assertEqual(
                (record["reason"], record["rule"]),
                (REASON, OUTBOUND if way.receiver == BOB else STORAGE))

        self.each_way(check)

    @unittest.skipUnless(os.getuid() == 0, "root's right")
    def test_an_override_does_not_need_an_account_of_the_daemons_user(self):
        """The daemon opens the file for root, as itself: of another account than Ann's, which is
        root's here."""
        path = self.directory / "bobs"
        self.workspace.write_as(BOB, path, "his")
        self.rules({}, CLOSED)
        for name, words in (
                ("decrypted", ("decrypt", path)), ("unprotected", ("data", "unprotect", path)),
                ("imported", ("provider", "import", path))):
            out = self.outside / name
            words += (out, "--owner", BOB) if name == "imported" else ("-o", out)
            self.assertNotEqual(self.run_with_input(words, None, "").returncode, DONE)
            self.assertFalse(out.exists())
            result = self.run_with_input((*words, "--override", REASON), None, "")
            self.assertEqual((result.returncode, result.stderr), (DONE, b""), words)
            self.assertEqual(out.read_text(), "his")
        self.assertEqual(self.workspace.run_as(ANN, "cat", path, check=False).returncode, 1)

    def test_the_receivers_policy_is_asked_too(self):
        self.prepare()
        self.rules({}, {INBOUND: "managedApps"})
        for verb in (("owner", "--set", BOB), ("encrypt", "--owner", BOB)):
            result = self.workspace.ctl(*verb, self.path, status=REFUSED)
            self.assertIn(f"({INBOUND})", result.stderr)
            self.assertIn(f"{BOB} does not receive from {ANN}", result.stderr)
        self.workspace.ctl("protect", self.path, "--owner", PERSONAL, "--unmanaged")
        # What was nobody's, or no account's, is not taken from an account.
        self.workspace.ctl("protect", self.path, "--owner", BOB)
        self.assertEqual(self.workspace.owner(self.path), BOB)

    def test_what_stays_with_its_account_is_no_transfer(self):
        self.prepare()
        self.rules({**CLOSED, OUTBOUND: "none"})
        before = [self.count(event) for event in ("refused", "given")]
        copy = self.folder / "copy"
        for words in (
                ("owner", "--set", ANN, self.path), ("protect", self.path, "--owner", ANN.upper()),
                ("encrypt", self.path, "--owner", ANN),
                ("encrypt", self.path, "--owner", ANN, "-o", self.out),
                ("decrypt", self.sealed, "-o", copy, "--workspace", "work"),
                ("provider", "import", self.sealed, self.folder / "imported", "--owner", ANN),
                ("protect", "--only-new", self.folder, "--owner", ANN)):
            self.assertEqual(self.run_with_input(words, None).returncode, DONE, words)
        self.assertEqual(self.workspace.owner(copy), ANN)
        self.assertEqual(self.workspace.run_as(ANN, "cat", copy).stdout, CONTENT)
        self.assertEqual([self.count(event) for event in ("refused", "given")], before)

    def test_what_lies_outside_is_as_free_as_the_policy_says(self):
        """`saveAsBlocked` alone restricts nothing, and a list of places no plain copy."""
        self.prepare()
        for rules, status in (
                ({"saveAsBlocked": True}, DONE), ({OUTBOUND: "managedApps"}, DONE),
                ({OUTBOUND: "none"}, REFUSED),
                ({**CLOSED, STORAGE: ["localStorage"]}, REFUSED)):
            self.rules(rules)
            result = self.run_with_input(
                ("decrypt", self.sealed, "-o", self.out, "--force", "--workspace", "work"), None)
            self.assertEqual(result.returncode, status, (rules, result.stderr))
            asked = json.loads(self.workspace.serving(
                "can save", "--json", "--location", "LocalDrive", "--owner", ANN,
                status=status).stdout)["decision"]
            if status == REFUSED:
                self.assertEqual(
                    asked["rule"], "saveAsBlocked" if STORAGE in rules else OUTBOUND)
                self.assertIn(f"{asked['reason']} ({asked['rule']})".encode(), result.stderr)

    def test_of_a_directory_each_file_is_decided_and_told(self):
        self.prepare()
        self.workspace.write_as(PERSONAL, self.folder / "free", "mine")
        self.rules(CLOSED)
        result = self.run_with_input(
            ("protect", "--json", self.folder, "--owner", "", "--unmanaged"), None)
        self.assertEqual(result.returncode, REFUSED, result.stderr)
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        found = {line["path"].rpartition("/")[2]: line for line in lines}
        self.assertEqual(found["plan"]["error"]["status"], REFUSED)
        self.assertIn(STORAGE, found["plan"]["error"]["message"])
        self.assertTrue(found["free"]["changed"])
        self.assertEqual(self.workspace.owner(self.path), ANN)

    def test_an_override_needs_a_reason_and_something_to_override(self):
        self.prepare()
        self.rules(CLOSED)
        plain = self.write(self.outside / "plain", b"x")
        self.workspace.ctl("decrypt", self.path, "--override", " ", status=(USAGE, REFUSED))
        self.workspace.serving(
            "provider fetch", plain, self.out, "--owner", ANN, "--override", REASON, status=USAGE)
        self.assertEqual(self.workspace.owner(self.path), ANN)

    def test_a_programs_own_use_is_a_read_by_its_identity(self):
        self.prepare()
        text = self.sealed_data(TEXT.encode(), "--string").decode().strip()
        self.rules({OUTBOUND: "none"}, {INBOUND: "none"})
        code = (
            "import sys; sys.path.insert(0, sys.argv[1]); from socket_client import Client; "
            "print(Client(sys.argv[2]).call('Protection.UnprotectString', text=sys.argv[3], "
            "ownUse=True)['text'])")
        before = self.count("given")
        for identity, status in ((ANN, DONE), (BOB, 1), (PERSONAL, 1), ("", 1)):
            result = self.workspace.run_as(
                identity, sys.executable, "-B", "-c", code, pathlib.Path(__file__).parent,
                self.workspace.socket, text, check=False)
            self.assertEqual(result.returncode, status, (identity, result.stderr))
            self.assertEqual(TEXT.encode() in result.stdout, status == DONE, identity)
        self.assertEqual(self.count("given"), before)

    @unittest.skipUnless(os.getuid() == 0, "only root can be somebody else")
    def test_no_other_user_overrides(self):
        self.prepare()
        for place in (self.workspace.root, *self.workspace.socket.parents[:2]):
            place.chmod(0o711)
        os.chown(self.path, NOBODY, NOBODY)
        data = self.sealed_data(CONTENT)
        text = self.sealed_data(TEXT.encode(), "--string").decode().strip()
        self.rules(CLOSED)
        source, sink = (self.outside / name for name in ("source", "sink"))
        source.write_bytes(data)
        sink.touch()
        with Client(self.workspace.socket, NOBODY) as client, open(self.path, "rb") as file, \
                open(source, "rb") as stream, open(sink, "r+b") as output:
            ends = {"sourceDescriptor": 0, "destinationDescriptor": 1}
            for method, descriptors, parameters in (
                    ("Workspace.SetOwner", [file], {"owner": "", "fileDescriptor": 0}),
                    ("Workspace.Decrypt", [file, output], ends),
                    ("Protection.Protect", [file], {"owner": "", "fileDescriptor": 0}),
                    ("Protection.VerifyAndProtect", [file], {"owner": "", "fileDescriptor": 0}),
                    ("Protection.DecryptFile", [file], {"fileDescriptor": 0}),
                    ("Protection.UnprotectData", [stream, output], ends),
                    ("Protection.UnprotectString", [], {"text": text})):
                with self.subTest(method=method), self.assertRaises(Refusal) as caught:
                    client.call(
                        method, [each.fileno() for each in descriptors], override=REASON,
                        **parameters)
                self.assertEqual(caught.exception.name, "Refused")
                self.assertIn("only root may override policy", str(caught.exception))
        self.assertEqual((sink.read_bytes(), self.workspace.owner(self.path)), (b"", ANN))

    def test_a_person_reads_it_in_one_line(self):
        self.prepare()
        self.workspace.ctl("protect", self.path, "--owner", BOB)
        line = self.workspace.serving("audit", "--event", "given").stdout.splitlines()[-1]
        self.assertIn(f"\tgiven\t{ANN} → {BOB}\t{self._testMethodName}/0/plan\t", line)
        self.assertTrue(line.endswith(f"\t({INBOUND})"), line)


@unittest.skipIf(os.getuid() == 0, "an ordinary user's own daemon")
class OwnDaemon(WorkspaceCase):
    """`test_user` runs it."""

    policy = {"displayName": "closed", "pinRequired": False, **CLOSED}

    def test_its_user_overrides_nothing(self):
        path = self.write(self.directory / "plan", CONTENT)
        for words in (
                ("decrypt", path), ("decrypt", path, "-o", self.workspace.root / "out"),
                ("protect", path, "--owner", "", "--unmanaged")):
            result = self.workspace.ctl(*words, "--override", REASON, status=REFUSED)
            self.assertIn("only root may override policy", result.stderr)
            result = self.workspace.ctl(*words, status=REFUSED)
            self.assertIn(STORAGE, result.stderr)
        self.assertEqual((self.workspace.owner(path), path.read_bytes()), (ANN, CONTENT))


if __name__ == "__main__":
    unittest.main()
