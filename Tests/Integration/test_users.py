"""Several users with accounts of their own on one workspace of root's: nobody acts on another's
account."""
import base64
import errno
import json
import os
import socket
import subprocess
import tempfile
import unittest

from ordinary_user import NOBODY
from socket_client import Client, Refusal
from tracing import injecting
from workspace import ANN, BOB, WorkspaceCase, tree_digest

ANNS, BOBS = 4711, NOBODY
OID = "anns-object-id"

# The parameters by which a method names an account, or somebody to act for.
NAMING = {"account", "accounts", "identity", "identities", "owner", "receiver", "source", "target"}
# What each other method may tell or do to anybody, and why it harms no account.
HARMLESS = {
    "Workspace.Status": "tells names and states, no content",
    "Workspace.ListAccounts": "the same",
    "Workspace.ProtectionInfo": "tells what the file's header does",
    "Workspace.Inspect": "tells what the two others do",
    "Workspace.WhyRefused": "tells what open(2) would, and the owner as the file's header does",
    "Workspace.Watch": "tells of the caller's own accounts",
    "Identity.GetIdentity": "tells of the calling process",
    "Identity.GetUserInterfaceIdentity": "tells of the calling user's session",
    "Identity.AwaitSwitches": "the same",
    "Identity.AnswerSwitch": "answers for the calling user's session: test_identity_switch",
    "Policy.SameIdentity": "tells what ListAccounts does",
    "Policy.ManagedAccounts": "the same",
    "Policy.ManagedPrograms": "tells a setting",
    "Fleet.Show": "tells which organisation, without its documents and orders",
    "SignIn.Show": "tells settings",
    "Policy.Check": "reads what it is given",
    "Policy.Metrics": "tells numbers, of nobody's",
    "Identity.NoteRefusal": "records one of two words of ours, in the caller's own share",
    "Identity.BlockedAccounts": "tells of the caller's own accounts",
    "Enrollment.List": "the same",
    "Enrollment.AllowedAccounts": "tells a setting",
    "Protection.DataInfo": "tells what the data's header does",
    "Protection.StringInfo": "the same",
    "Protection.IsFileEncrypted": "the same",
    "Report.Census": "tells of the caller's own accounts' files: test_report",
    "Fleet.Preview": "tells of the caller's own accounts: test_report_me",
}
# Methods that name a file, data or a new account, or are for the administrator: each is called
# below.
OTHERS = {
    "Workspace.Decrypt", "Workspace.SetClass", "Workspace.Verify", "Workspace.RegisterAccount",
    "Enrollment.Register",
    "Enrollment.CheckIn", "Enrollment.SetThreatLevel", "Enrollment.AdvanceClock",
    "Protection.UnprotectData",
    "Protection.UnprotectString", "Protection.DecryptFile", "Policy.Import",
    "Fleet.Join", "Fleet.Leave", "Fleet.Deliver", "Fleet.Enrol", "Fleet.Status",
    "Fleet.Records", "Fleet.Audit", "SignIn.Finish", "SignIn.DeliverKeys",
    "Recovery.ImportKeys", "Recovery.ExamineKeys", "Report.LastVerify"}


@unittest.skipUnless(os.getuid() == 0, "acts as several users, which only root can")
class Users(WorkspaceCase):
    mounted = False
    settings = {
        "MultiManagedIdentities": False, "DebugSettingsEnabled": True,
        "AllowedAccounts": [ANN, BOB, "third@contoso.com"]}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        try:
            cls.workspace.mount()
            # The system daemon's socket and mount let every user in.
            folder = cls.workspace.socket.parent
            for place in (cls.workspace.root, cls.workspace.mount_point, folder.parent, folder):
                os.chmod(place, 0o755)
            cls.secret = cls.workspace.passfile.read_text().strip()
            for name, user, oid in ((ANN, ANNS, OID), (BOB, BOBS, "bobs-object-id")):
                with Client(cls.workspace.socket, user) as client:
                    client.call(
                        "Workspace.RegisterAccount", name=name, objectId=oid, passphrase=cls.secret)
            cls.file = cls.workspace.path("anns")
            with Client(cls.workspace.socket) as client:
                cls.workspace.write_as(ANN, cls.file, "precious")
            os.chown(cls.file, ANNS, ANNS)
            os.chmod(cls.file, 0o644)
        except BaseException:
            cls.tearDownClass()
            raise

    def stranger(self):
        client = Client(self.workspace.socket, BOBS)
        self.addCleanup(client.close)
        return client

    def files(self):
        """A plain file, an empty one, a copy of Ann's sealed file, and hers in the mount, as
        descriptors."""
        plain, empty = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        plain.write(b"plain")
        plain.flush()
        sealed = open(self.workspace.on_disk("anns"), "rb")
        hers = os.open(self.file, os.O_PATH)
        self.addCleanup(os.close, hers)
        for file in (plain, empty, sealed):
            self.addCleanup(file.close)
        return plain.fileno(), empty.fileno(), sealed.fileno(), hers

    def state(self):
        self.assertEqual(self.workspace.account()["state"], "unlocked")
        digest = tree_digest(self.workspace.state / "keybags", self.workspace.backing)
        return digest, self.workspace.owner(self.file)

    def test_why_anothers_file_is_refused_is_said_alike(self):
        *_, hers = self.files()
        opened = subprocess.run(
            ["setpriv", f"--reuid={BOBS}", f"--regid={BOBS}", "--clear-groups", "cat", self.file],
            capture_output=True, text=True)
        self.assertIn(os.strerror(errno.EACCES), opened.stderr)
        refusal = self.stranger().call(
            "Workspace.WhyRefused", [hers], fileDescriptor=0, act="read")["refusal"]
        self.assertEqual((refusal["error"], refusal["errno"]), ("Refused", errno.EACCES))
        self.assertEqual(refusal["reason"], f"it belongs to {ANN}, an account of uid {ANNS}")
        for method, more in (
                ("Workspace.SetOwner", {"owner": ""}), ("Workspace.SetClass", {"class": "D"}),
                ("Protection.Protect", {"owner": BOB}), ("Protection.DecryptFile", {}),
                ("Policy.CanReceive", {"account": BOB})):
            with self.subTest(method), self.assertRaisesRegex(Refusal, refusal["reason"]):
                self.stranger().call(method, [hers], fileDescriptor=0, **more)

    def test_status_tells_others_names_and_states_only(self):
        mine = {account["name"]: account for account in Client(
            self.workspace.socket).call("Workspace.Status")["accounts"]}[ANN]
        self.assertIsNotNone(mine["openFiles"])
        self.addCleanup(self.stranger().call, "Workspace.Unlock", passphrase=self.secret)
        with open(self.file):
            for method in ("Workspace.Status", "Workspace.ListAccounts", "Workspace.Lock"):
                reply = self.stranger().call(method)
                (hers,) = [one for one in reply["accounts"] if one["name"] == ANN]
                told = {key: value for key, value in hers.items() if value}
                self.assertEqual(
                    told, {key: mine[key] for key in ("id", "name", "objectId", "uid", "state")}
                    | {"hasPassphrase": True}, method)
                self.assertEqual(reply.get("openFiles", 0), 0)

    def test_every_method_that_names_an_account_refuses_another_user(self):
        before, checked = self.state(), 0
        for interface, methods in self.stranger().interfaces().items():
            for method, parameters in methods.items():
                name = f"{interface.removeprefix('io.mamd.')}.{method}"
                if not NAMING & set(parameters):
                    self.assertTrue(
                        name in HARMLESS or name in OTHERS,
                        f"{name} is new: say here whom it may harm, and test it")
                    continue
                for naming in sorted(NAMING & set(parameters)):
                    for text in (ANN, ANN.upper(), OID):
                        with self.subTest(method=name, parameter=naming, text=text):
                            self.refuse(name, parameters, naming, text)
                        checked += 1
        self.assertGreaterEqual(checked, 60)
        self.assertEqual(self.state(), before)

    # What a parameter must look like to be asked any further.
    VALUES = {
        "location": "other", "url": "https://example.org", "mode": "open",
        "question": "isPINRequired", "type": "string", "way": "browser",
        "slot": "1f0e7d2b", "SlotType": "passphrase"}

    def refuse(self, name, parameters, naming, text):
        """Calls with all that the method could want, so that nothing but the caller's user is in
        the way."""
        plain, empty, _, hers = self.files()
        descriptors, values = [], {}
        for parameter, kind in parameters.items():
            if parameter == naming:
                values[parameter] = [text] if "[]" in kind else text
            elif parameter.endswith("Descriptor") and parameter[:-10] not in (
                    "passphrase", "newPassphrase"):
                values[parameter] = len(descriptors)
                descriptors.append(
                    {"source": plain, "destination": empty}.get(parameter[:-10], hers))
            elif parameter in ("passphrase", "newPassphrase"):
                values[parameter] = self.secret
            elif parameter == "thread":
                values[parameter] = os.getpid()
            elif parameter == "now":
                values[parameter] = True
            elif not kind.startswith("?"):
                values[parameter] = self.VALUES.get(kind) or self.VALUES.get(parameter) or {
                    "string": "text", "int": 0, "bool": False}.get(kind, [])
        # One user has so many connections and no more.
        with self.assertRaises(Refusal) as caught, self.stranger() as stranger:
            stranger.call(name, descriptors, more=True, **values)
        self.assertEqual(caught.exception.name, "Refused", caught.exception)

    def test_what_cannot_be_read_is_named_with_the_next_step(self):
        os.chmod(self.workspace.mount_point, 0o1777)
        closed = self.workspace.path("closed")
        closed.mkdir(mode=0)
        os.chown(closed, BOBS, BOBS)
        third = {"name": "third@contoso.com", "noPassphrase": True}
        with injecting(self.workspace.daemon(), "getdents64", "error=EIO"):
            with Client(self.workspace.socket, 4712) as client, \
                    self.assertRaisesRegex(Refusal, "the daemon's log names it.*AccountUsers"):
                client.call("Workspace.RegisterAccount", **third)
        self.assertIn(
            "the backing directory cannot be read: Input/output error",
            self.workspace.daemon_log.read_text())
        # What a user closes keeps nobody from a name.
        with Client(self.workspace.socket, 4712) as client:
            client.call("Workspace.RegisterAccount", **third)
        self.workspace.serving("wipe", "third@contoso.com", "--confirm", "third@contoso.com")
        closed.rmdir()

    def test_what_acts_on_files_refuses_another_users(self):
        before = self.state()
        _, empty, sealed, hers = self.files()
        with Client(self.workspace.socket, ANNS) as ann:
            data = ann.call("Protection.ProtectString", owner=ANN, text="precious")["text"]
            export = tempfile.TemporaryFile()
            self.addCleanup(export.close)
            ann.call(
                "Recovery.ExportKeys", [export.fileno()], account=ANN, passphrase=self.secret,
                exportPassphrase="of the export", fileDescriptor=0)
        with tempfile.TemporaryFile() as file:
            file.write(base64.b64decode(data))
            file.seek(0)
            protected = os.dup(file.fileno())
        self.addCleanup(os.close, protected)
        calls = (
            ("Workspace.Decrypt", [sealed, empty],
            {"sourceDescriptor": 0, "destinationDescriptor": 1}),
            ("Workspace.SetClass", [hers], {"fileDescriptor": 0, "class": "D"}),
            ("Workspace.SetOwner", [hers], {"fileDescriptor": 0, "owner": ""}),
            ("Workspace.SetOwner", [hers], {"fileDescriptor": 0, "owner": BOB}),
            ("Workspace.Verify", [], {"more": True}),
            ("Workspace.Verify", [hers], {"more": True, "fileDescriptor": 0, "repair": True}),
            ("Report.LastVerify", [], {}),
            # He has one already.
            ("Workspace.RegisterAccount", [], {"name": "third@contoso.com", "noPassphrase": True}),
            ("Enrollment.CheckIn", [], {}),
            ("Policy.Import", [], {"name": "loose.json", "document": "{}"}),
            ("Fleet.Join", [], {"root": "{}", "fingerprint": "0" * 64}),
            ("Fleet.Leave", [], {}),
            ("Fleet.Deliver", [], {"document": "{}"}),
            ("Fleet.Enrol", [], {"invitation": "i1", "transportKey": "U" + "A" * 55}),
            ("Fleet.Status", [], {}),
            ("Fleet.Records", [], {}),
            ("Fleet.Audit", [], {"after": 0, "limit": 10}),
            ("Enrollment.SetThreatLevel", [], {"level": "high"}),
            ("Enrollment.AdvanceClock", [], {"seconds": 1}),
            ("Protection.UnprotectData", [protected, empty],
            {"sourceDescriptor": 0, "destinationDescriptor": 1}),
            ("Protection.UnprotectString", [], {"text": data}),
            ("Protection.DecryptFile", [hers], {"fileDescriptor": 0}),
            # Her keys, which are here already.
            ("Recovery.ImportKeys", [export.fileno()], {
                "fileDescriptor": 0, "exportPassphrase": "export", "noPassphrase": True}),
            ("Recovery.ImportKeys", [export.fileno()], {
                "fileDescriptor": 0, "exportPassphrase": "export", "join": True,
                "passphrase": self.secret}),
            ("Recovery.ExamineKeys", [export.fileno()],
            {"fileDescriptor": 0, "exportPassphrase": "export"}),
            # What her policy says of her data.
            ("Policy.CanSave", [hers], {"fileDescriptor": 0, "location": "other"}),
            ("Policy.SaveLocations", [hers], {"fileDescriptor": 0}),
            ("Policy.CanReceive", [hers], {"fileDescriptor": 0}),
        )
        for name, descriptors, parameters in calls:
            with self.assertRaises(Refusal, msg=name) as caught:
                self.stranger().call(name, descriptors, **parameters)
            self.assertEqual(caught.exception.name, "Refused", (name, caught.exception))
        self.assertEqual(os.fstat(empty).st_size, 0)
        self.assertEqual(self.state(), before)

    def test_nobody_registers_anothers_account(self):
        # By one of the texts that mean hers, under whatever heading.
        names = [
            {"name": ANN}, {"name": "other@contoso.com", "objectId": OID}, {"name": OID},
            {"name": "other@contoso.com", "objectId": ANN},
            {"name": self.workspace.account(ANN)["id"]}]
        with Client(self.workspace.socket, ANNS) as ann:
            for left in (False, True):
                # Also not one that its user has deregistered and may come back to.
                if left:
                    ann.call("Enrollment.Deregister", account=ANN, wipe=False)
                for name in names:
                    name["passphrase"] = self.secret
                    self.assertFalse(
                        self.stranger().call("Enrollment.Register", **name)["status"]["didSucceed"])
                    with self.assertRaises(Refusal) as caught:
                        self.stranger().call("Workspace.RegisterAccount", **name)
                    self.assertEqual(caught.exception.name, "Refused")
            self.assertTrue(ann.call("Enrollment.Register", **names[0])["status"]["didSucceed"])
        self.state()

    def test_the_daemon_lends_nobody_its_name_on_a_socket(self):
        pipe, into = os.pipe()
        self.addCleanup(os.close, pipe)
        os.write(into, b"MAINPID=1")
        os.close(into)
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        with mine, theirs:
            self.refused_end([pipe, mine.fileno()], "InvalidInput")
            theirs.setblocking(False)
            with self.assertRaises(BlockingIOError):
                theirs.recv(100)

    def test_the_daemon_uses_no_file_of_the_kernels_for_others(self):
        empty = self.files()[1]
        with open("/proc/self/oom_score_adj", "r+b") as file:
            self.refused_end([empty, file.fileno()], "Refused")
            self.refused_end([file.fileno(), empty], "Refused")
        self.assertEqual(os.fstat(empty).st_size, 0)

    def refused_end(self, descriptors, why):
        with self.assertRaises(Refusal) as caught:
            self.stranger().call(
                "Protection.UnprotectData", descriptors, sourceDescriptor=0,
                destinationDescriptor=1)
        self.assertEqual(caught.exception.name, why, caught.exception)

    def test_names_below_anothers_directory_are_not_told(self):
        mine = self.workspace.path("bobs")
        (mine / "anns" / "deep").mkdir(parents=True)
        for path, user in ((mine, BOBS), (mine / "anns", ANNS), (mine / "anns" / "deep", ANNS)):
            os.chown(path, user, user)
            path.chmod(0o700)
        top = os.open(mine, os.O_PATH)
        self.addCleanup(os.close, top)
        with self.stranger() as client:
            client.send("Protection.Protect", [top], more=True, owner=BOB, fileDescriptor=0)
            told = ""
            while '"summary"' not in told:
                told += json.dumps(client.receive())
        self.assertIn("bobs/anns", told)
        self.assertNotIn("deep", told)

    def test_what_names_no_account_means_the_callers_own(self):
        with Client(self.workspace.socket, BOBS) as client:
            client.call("Workspace.Lock", now=True)
            self.assertEqual(self.workspace.account(BOB)["state"], "locked")
            self.assertEqual(self.workspace.account(ANN)["state"], "unlocked")
            self.assertEqual(
                client.call("Workspace.Unlock", passphrase=self.secret)["account"]["name"], BOB)
            event = client.call("Workspace.Watch", more=True)
            self.assertEqual(event["event"]["account"]["name"], BOB)

    def test_only_its_user_keeps_an_account_open(self):
        for user in (BOBS, 0):
            with Client(self.workspace.socket, user) as other, self.assertRaises(Refusal) as caught:
                other.call("Workspace.KeepOpen", account=ANN)
            self.assertEqual(caught.exception.name, "Refused", user)
        with Client(self.workspace.socket, ANNS) as ann:
            self.assertEqual(ann.call("Workspace.KeepOpen"), {"idleSeconds": None})

    def test_each_users_sessions_are_their_own(self):
        with Client(self.workspace.socket, BOBS) as bob, Client(self.workspace.socket, ANNS) as ann:
            self.assertEqual(
                bob.call("Identity.SetUserInterfaceIdentity", identity=BOB)["word"], "success")
            self.assertIsNone(ann.call("Identity.GetUserInterfaceIdentity")["identities"])
            self.assertEqual(ann.call("Identity.GetIdentity")["acting"]["name"], ANN)
            self.assertEqual(bob.call("Identity.GetIdentity")["acting"]["name"], BOB)
