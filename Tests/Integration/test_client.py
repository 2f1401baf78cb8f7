"""The library MAMClient on a real workspace: Tests/Client runs its scenarios, this looks at what
they leave."""
import subprocess

from workspace import ANN, BOB, DONE, PERSONAL, WorkspaceCase

RULES = {
    "displayName": "rules", "pinRequired": False, "appDataEncryptionType": "whenDeviceLocked",
    "allowedOutboundDataTransferDestinations": "managedApps",
    "allowedInboundDataTransferSources": "managedApps",
    "saveAsBlocked": True, "allowedDataStorageLocations": ["oneDriveForBusiness"],
    "notificationRestriction": "blockOrganizationalData"}


def configuration(**values):
    return {"@odata.type": "#microsoft.graph.targetedManagedAppConfiguration",
            "customSettings": [{"name": name, "value": value} for name, value in values.items()]}


class Scenarios(WorkspaceCase):
    settings = {"MultiIdentity": True, "MultiManagedIdentities": True}
    accounts = (ANN, BOB)

    def scenario(self, name, prefix=()):
        outside = self.workspace.root / name
        outside.mkdir()
        result = subprocess.run(
            [*prefix, "clientcheck", name, self.directory, outside, self.workspace.passfile],
            capture_output=True, text=True, timeout=90, env=self.workspace.environment)
        self.assertEqual(
            (result.returncode, result.stdout), (DONE, f"{name}: as it should be\n"), result.stderr)

    def owners(self):
        return {path.name: self.workspace.owner(path) for path in self.directory.iterdir()}


class Copies(Scenarios):
    """Where policy lets content leave in the clear."""

    policy = {**RULES, "saveAsBlocked": False}

    def test_files(self):
        self.scenario("protecting")
        self.assertTrue(self.workspace.is_managed_on_disk(self.backing_of(self.directory / "file")))
        self.assertEqual(self.workspace.decode(self.backing_of(self.directory / "file")), b"text")

    def test_copies(self):
        self.scenario("copies")
        self.assertEqual(
            self.workspace.decode(self.workspace.root / "copies/sealed"), b"to be sealed")


class Client(Scenarios):
    policy = [RULES, configuration(signature="Contoso", limit="5", sync="true"),
              configuration(signature="Contoso", limit="7.5", sync="no")]

    def test_finding_the_daemon(self):
        self.scenario("finding")

    def test_what_policy_keeps(self):
        self.scenario("kept")
        self.assertEqual(self.workspace.decode(self.backing_of(self.directory / "file")), b"text")

    def test_data(self):
        # Memory that is shared has no name, which would be left.
        calls = self.workspace.root / "calls"
        self.scenario(
            "data", ("strace", "-qq", "-f", "-o", calls, "-e", "trace=?open,openat,?link,linkat"))
        made = [
            line for line in calls.read_text().splitlines()
            if "/dev/shm" in line and str(self.workspace.root) not in line]
        self.assertTrue(made)
        self.assertEqual([line for line in made if "O_TMPFILE" not in line], [])

    def test_identities(self):
        self.scenario("identities")
        self.assertEqual(
            self.owners(),
            {"anns": ANN, "anns2": ANN, "bobs": BOB, "nobodys": "nobody", "personals": PERSONAL})

    def test_threads_do_not_take_each_others_identity(self):
        self.scenario("threads")
        owners = self.owners()
        self.assertEqual(len(owners), 160)
        for name, owner in owners.items():
            self.assertEqual(owner, ANN if int(name.split("-")[0]) % 2 == 0 else BOB, name)

    def test_policy(self):
        self.scenario("policy")

    def test_configuration(self):
        self.scenario("configuration")

    def test_enrollment(self):
        self.scenario("enrollment")
        for name in ("carl@contoso.com", "dora@contoso.com"):
            self.assertIsNone(self.workspace.account(name))

    def test_watching(self):
        self.scenario("watching")

    def test_a_daemon_that_is_started_anew_is_found_again(self):
        process = subprocess.Popen(
            ["clientcheck", "restart", self.directory, self.workspace.root,
             self.workspace.passfile],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=self.workspace.environment)
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.workspace.remount()
        self.workspace.unlock(BOB)
        output, _ = process.communicate("go on\n", timeout=90)
        self.assertEqual((process.returncode, output), (DONE, "restart: as it should be\n"))
        self.assertEqual(self.owners(), {"before": ANN, "after": BOB})
