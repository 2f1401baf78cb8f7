"""An account's two names: the one that people type, and the directory's object id."""
from socket_client import Client
from workspace import ANN, BOB, WorkspaceCase, wait_until


class Linked(WorkspaceCase):
    """A name and an object id that are one account's: learnt after the account was registered."""
    policy = {
        "@odata.type": "#microsoft.graph.iosManagedAppProtection", "displayName": "transfers",
        "version": "1",
        "allowedOutboundDataTransferDestinations": "managedApps",
        "appDataEncryptionType": "whenDeviceLocked"}
    oid = "5A3C1f0e-7d2b-4a6e-9c11-0b8d5e2f7a90"

    def test_a_link_joins_both_forms_and_rewrites_no_file(self):
        workspace = self.workspace
        link = ("--oid", self.oid, "--passfile", workspace.passfile)
        workspace.register(BOB, extra=["--passfile", str(workspace.passfile), "--oid", "bobs-id"])
        path = self.write(self.directory / "file", b"content")
        workspace.write_as(self.oid, self.directory / "before", "other")
        self.assertFalse(workspace.info(self.directory / "before")["managed"])
        self.assertEqual(workspace.run_as(self.oid, "cat", path, check=False).returncode, 1)
        sealed, moment = self.backing_of(path).read_bytes(), self.backing_of(
            path).stat().st_mtime_ns
        with Client(workspace.socket) as client:
            self.assertFalse(client.call("Policy.SameIdentity", first=ANN, second=self.oid)["same"])
            wrong = workspace.secret("wrong", "not this one")
            workspace.serving(
                "account link", ANN, "--oid", self.oid, "--passfile", wrong, status=12)
            wait_until(lambda: workspace.account()["retryAfterSeconds"] == 0)
            workspace.serving(
                "account link", ANN, "--oid", "bobs-id", "--passfile", workspace.passfile, status=1)
            self.assertIn(self.oid, workspace.serving("account link", ANN, *link).stdout)
            self.assertTrue(
                client.call("Policy.SameIdentity", first=ANN.upper(), second=self.oid.lower())[
                    "same"])
        # The first spelling stays, another id is refused.
        workspace.serving(
            "account link", ANN, "--oid", self.oid.lower(), "--passfile", workspace.passfile)
        workspace.serving(
            "account link", ANN, "--oid", "another", "--passfile", workspace.passfile, status=2)
        self.assertEqual(workspace.account()["objectId"], self.oid)
        for _ in range(2):
            self.assertEqual(workspace.run_as(self.oid.lower(), "cat", path).stdout, b"content")
            self.assertEqual(self.backing_of(path).read_bytes(), sealed)
            self.assertEqual(self.backing_of(path).stat().st_mtime_ns, moment)
            workspace.write_as(self.oid, self.directory / "after", "managed")
            self.assertEqual(workspace.owner(self.directory / "after"), ANN)
            self.assertTrue(workspace.is_managed_on_disk(self.backing_of(self.directory / "after")))
            # The passphrase is the same, and the keys are; after a new start too.
            workspace.remount()
