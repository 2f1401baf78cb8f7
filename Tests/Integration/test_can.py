"""Answers over the real socket, each row against a table of its own: saving, opening, receiving,
links, the clipboard, and mamctl's status."""
import itertools
import json

from socket_client import Client, Refusal
from workspace import ANN, BOB, DONE, PERSONAL, REFUSED, USAGE, WorkspaceCase

LEVELS = ("allApps", "managedApps", "none")
SAVE = [
    "Other", "OneDriveForBusiness", "SharePoint", "Box", "Dropbox", "GoogleDrive", "LocalDrive",
    "CameraRoll",
        "AccountDocument", "IManage", "Egnyte"]
SAVE_LISTED = {
    "OneDriveForBusiness": "oneDriveForBusiness", "SharePoint": "sharePoint", "Box": "box",
               "LocalDrive": "localStorage", "CameraRoll": "photoLibrary",
               "AccountDocument": "accountDocument",
               "IManage": "iManage", "Egnyte": "egnyte"}
OPEN = [
    "Other", "OneDriveForBusiness", "SharePoint", "Camera", "LocalStorage", "Photos",
    "AccountDocument", "Box",
        "IManage", "Egnyte"]
OPEN_LISTED = {
    "OneDriveForBusiness": "oneDriveForBusiness", "SharePoint": "sharePoint", "Camera": "camera",
               "Photos": "photoLibrary"}


class Answers(WorkspaceCase):
    """Ann and Bob have policies of their own, by groups; Ann's personal account has none."""

    settings = {
        "MultiIdentity": True, "MultiManagedIdentities": True, "Groups": {"a": [ANN], "b": [BOB]},
                "ManagedPrograms": ["/bin/sh"]}
    accounts = (ANN, BOB)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.workspace.ctl("status", "--workspace", "work")
        (cls.workspace.root / "config_home/mamd/work/policies/default.json").unlink()

    def setUp(self):
        super().setUp()
        self.client = Client(self.workspace.socket)
        self.addCleanup(self.client.close)

    def put(self, group, **rules):
        document = {"displayName": group, "pinRequired": False, **rules, "assignments": [
            {"target": {
                "@odata.type": "#microsoft.graph.groupAssignmentTarget", "groupId": group}}]}
        self.client.call("Policy.Import", name=f"{group}.json", document=json.dumps(document))

    def is_allowed(self, method, **parameters):
        return self.client.call(f"Policy.{method}", **parameters)["decision"]["allowed"]

    def check(self, expected, method, **parameters):
        decision = self.client.call(f"Policy.{method}", **parameters)["decision"]
        self.assertEqual(decision["allowed"], expected, (method, parameters, decision))
        self.assertTrue(decision["reason"])
        self.rows += 1

    rows = 0

    def test_saving(self):
        for out, blocked, inbound in itertools.product(LEVELS, (False, True), LEVELS):
            self.put("b", allowedInboundDataTransferSources=inbound)
            for listed in (False, True):
                self.put("a", allowedOutboundDataTransferDestinations=out, saveAsBlocked=blocked,
                            allowedDataStorageLocations=list(SAVE_LISTED.values()) if listed
                            else [])
                for location, account in itertools.product(SAVE, (ANN, BOB, PERSONAL, None)):
                    expected = self.may_save(out, blocked, listed, location, account, inbound)
                    self.check(expected, "CanSave", location=location, owner=ANN, account=account)
        self.assertEqual(self.rows, 3 * 2 * 3 * 2 * 11 * 4)

    @staticmethod
    def may_save(out, blocked, listed, location, account, inbound):
        if account == BOB and inbound != "allApps":
            return False
        if out != "managedApps" or not blocked:
            return out != "none"
        if not listed or location not in SAVE_LISTED:
            return False
        return location == "CameraRoll" or account == ANN

    def test_opening(self):
        for inbound, blocked, out in itertools.product(LEVELS, (False, True), LEVELS):
            self.put("b", allowedOutboundDataTransferDestinations=out)
            for listed in (False, True):
                self.put("a", allowedInboundDataTransferSources=inbound,
                            blockDataIngestionIntoOrganizationDocuments=blocked,
                            allowedDataIngestionLocations=list(OPEN_LISTED.values()) if listed
                            else [])
                for location, account in itertools.product(OPEN, (ANN, BOB, PERSONAL, None)):
                    expected = self.may_open(inbound, blocked, listed, location, account, out)
                    self.check(
                        expected, "CanOpen", location=location, receiver=ANN, account=account)
        self.assertEqual(self.rows, 3 * 2 * 3 * 2 * 10 * 4)

    @staticmethod
    def may_open(inbound, blocked, listed, location, account, out):
        if account == BOB and out != "allApps":
            return False
        if inbound != "managedApps" or not blocked:
            return inbound != "none"
        if location == "LocalStorage":
            return account == ANN
        if not listed or location not in OPEN_LISTED:
            return False
        return location in ("Camera", "Photos") or account == ANN

    def test_receiving(self):
        for inbound, out in itertools.product(LEVELS, LEVELS):
            self.put(
                "a", allowedInboundDataTransferSources=inbound,
                protectInboundDataFromUnknownSources=True)
            self.put("b", allowedOutboundDataTransferDestinations=out)
            for owner, item in itertools.product((ANN, BOB, PERSONAL, None), (False, True)):
                expected = {
                    ANN: inbound != "none", BOB: out == "allApps" and inbound == "allApps",
                }.get(owner, inbound == "allApps")
                self.check(expected, "CanReceive", owner=owner, account=ANN, item=item)
            taken = self.client.call("Policy.CanReceive", account=ANN)["becomesReceivers"]
            self.assertEqual(taken, inbound == "allApps")
            # Nobody restricts an unmanaged receiver but the owner.
            self.check(out == "allApps", "CanReceive", owner=BOB, account=PERSONAL)
            self.check(True, "CanReceive", account=PERSONAL)

    def test_what_nobody_owns_becomes_the_receivers(self):
        self.put("a", protectInboundDataFromUnknownSources=True)
        outside = self.workspace.root / "outside"
        outside.write_bytes(b"from outside")
        for name in "foreign", "nobody's":
            path = self.directory / name
            if name == "foreign":
                self.backing_of(path).write_bytes(outside.read_bytes())
            else:
                self.workspace.run_as("", "cp", outside, path)
            with self.subTest(name):
                self.check_becoming(path)
        # What is not in the mount is not the daemon's to change.
        self.assertTrue(self.becomes(outside))
        self.assertEqual(outside.read_bytes(), b"from outside")

    def becomes(self, path):
        return json.loads(
            self.workspace.serving("can receive", path, "--account", ANN, "--json").stdout
        )["becomesReceivers"]

    def check_becoming(self, path):
        with open(path, "rb") as reader:
            self.assertTrue(self.becomes(path))
            self.assertEqual(reader.read(), b"from outside")
        self.assertEqual(self.workspace.owner(path), ANN)
        self.assertTrue(self.workspace.is_managed_on_disk(self.backing_of(path)))
        self.assertEqual(path.read_bytes(), b"from outside")
        self.assertFalse(self.becomes(path))

    def test_a_files_owner_decides_what_may_be_received(self):
        self.put("a", allowedInboundDataTransferSources="managedApps")
        self.put("b")
        self.workspace.write_as(ANN, self.directory / "own", "x")
        self.workspace.write_as(BOB, self.directory / "bobs", "x")
        outside = self.workspace.root / "outside"
        outside.write_text("x")
        for path, status in (
                (self.directory / "own", DONE), (self.directory / "bobs", REFUSED),
                (outside, REFUSED),
                             (self.backing_of(self.directory / "own"), DONE)):
            self.workspace.serving("can receive", path, "--account", ANN, status=status)
        sealed = self.backing_of(self.directory / "own").read_bytes()
        self.workspace.serving("can receive", "-", "--account", ANN, input=sealed)
        self.workspace.serving("can receive", "-", "--account", ANN, input=b"plain", status=REFUSED)

    def test_links_and_the_clipboard(self):
        self.put("b")
        self.put("a", allowedOutboundDataTransferDestinations="managedApps",
                    allowedOutboundClipboardSharingLevel="managedApps",
                    allowedOutboundClipboardSharingExceptionLength=5,
                    managedBrowserToOpenLinksRequired=True,
                    customBrowserProtocol="mybrowser")
        for url, expected, opens in (
                ("https://a.example/x", True, "mybrowsers://a.example/x"),
                ("http://a", True, "mybrowser://a"),
                ("foo://x", False, None), ("skype:echo", True, "skype:echo"), ("", False, None),
                ("no url", False, None)):
            reply = self.client.call("Policy.CanOpenURL", url=url, account=ANN)
            self.assertEqual((reply["decision"]["allowed"], reply["opens"]), (expected, opens), url)
        self.check(True, "CanOpenURL", url="foo://x", account=ANN, knownManagedScheme=True)
        for count, target, expected in (
                (5, None, True), (6, None, False), (6, BOB, True), (6, PERSONAL, False)):
            self.check(expected, "CanCopy", count=count, account=ANN, target=target)
        for source, expected in ((ANN, True), (BOB, True), (PERSONAL, False), (None, False)):
            self.check(expected, "CanPaste", count=100, account=ANN, source=source)

    def test_the_command_line_tells_by_its_status(self):
        self.put("a", allowedOutboundDataTransferDestinations="none", printBlocked=True,
                    notificationRestriction="blockOrganizationalData")
        ctl = self.workspace.serving
        refused = ctl("can print", "--account", ANN, status=REFUSED)
        self.assertIn("printBlocked", refused.stdout)
        ctl("can isAppSharingAllowed", "--account", ANN, status=REFUSED)
        ctl("can isNonsense", "--account", ANN, status=USAGE)
        self.assertIn("'isPrintingAllowed'", ctl("can isPrintngAllowed", status=USAGE).stderr)
        ctl("can notify", "--account", ANN, status=REFUSED)
        ctl("can share", "/bin/sh", "--account", ANN, status=REFUSED)
        ctl("can share", "/bin/sh", "--account", PERSONAL)
        ctl("can pick", "import", "--account", ANN)
        ctl("can pick", "open", "--account", ANN, status=REFUSED)
        ctl("can save", "--location", "Nowhere", status=USAGE)
        ctl("can copy", "many", status=USAGE)
        self.assertEqual(len(json.loads(ctl("can", "--json").stdout)["answers"]), 16)
        self.assertEqual(len(json.loads(ctl("can save", "--json").stdout)["locations"]), len(SAVE))
        self.assertEqual(len(json.loads(ctl("can open", "--json").stdout)["locations"]), len(OPEN))

    def test_the_callers_identity_is_asked_about_unless_it_names_one(self):
        self.put("a", printBlocked=True)
        self.put("b")
        for identity, status in ((ANN, REFUSED), (BOB, DONE), (PERSONAL, DONE), ("", DONE)):
            answer = self.workspace.run_as(
                identity, "mamctl", "can", "print", "--workspace", "work", check=False)
            self.assertEqual(answer.returncode, status, (identity, answer))

    def test_several_accounts_together_get_the_strictest_of_each_rule(self):
        self.put("a", printBlocked=True)
        self.put("b", contactSyncBlocked=True)
        for question in ("isPrintingAllowed", "isContactSyncAllowed"):
            self.check(False, "Ask", question=question, accounts=[BOB, ANN, PERSONAL])
        self.check(True, "Ask", question="isPrintingAllowed", accounts=[PERSONAL])

    def test_nonsense_is_refused(self):
        for method, parameters in (
                ("CanSave", {"location": "Camera"}), ("CanOpen", {"location": "LocalDrive"}),
                ("Ask", {"question": "x"}),
                ("CanPickDocuments", {"mode": "x"}), ("CanCopy", {"count": "1"}),
                ("CanCopy", {"count": 1, "x": 1}),
                ("IsManaged", {"account": "\n"}), ("IsManaged", {"account": "a" * 600})):
            with self.assertRaises(Refusal, msg=(method, parameters)):
                self.client.call(f"Policy.{method}", **parameters)
        self.check(True, "CanOpenURL", url="x" * 100_000, account=PERSONAL)

    def test_identities(self):
        for second, same in ((ANN.upper(), True), (BOB, False)):
            answer = self.client.call("Policy.SameIdentity", first=ANN, second=second)
            self.assertEqual(answer["same"], same)
        self.assertTrue(self.client.call("Policy.IsManaged", account=ANN.upper())["managed"])
        self.assertFalse(self.client.call("Policy.IsManaged", account=PERSONAL)["managed"])
        accounts = self.client.call("Policy.ManagedAccounts")["accounts"]
        self.assertEqual(sorted(account["name"] for account in accounts), [ANN, BOB])
