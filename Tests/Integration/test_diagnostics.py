"""What a bundle of diagnostics has in it, and what it must not have."""
import base64
import json
import os
import pathlib
import subprocess
import tarfile

from workspace import ANN, PASSPHRASE, WorkspaceCase

OID = "0f1e2d3c-anns-object"
FILE = "the secret plan of spring"
GROUP = "people-of-the-cellar"


class Diagnostics(WorkspaceCase):
    settings = {
        "Groups": {GROUP: [ANN]}, "ValuesToScrubFromLogging": ["token"], "AllowedAccounts": [ANN],
        "ADALClientId": "client-of-somebody", "LockGraceSeconds": 7,
        "LockOn": {"SessionLock": "now"}}
    policy = [
        {"displayName": "Rules of the Cellar", "pinRequired": False,
        "appDataEncryptionType": "whenDeviceLocked",
         "customBrowserProtocol": "cellar-browser", "minimumRequiredOsVersion": "1.2"},
        {"@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "displayName": "values",
        "customSettings": [
            {"name": "token", "value": "hunter2-and-more"}]}]
    accounts = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        try:
            cls.workspace.register(ANN, extra=("--passfile", cls.workspace.passfile, "--oid", OID))
            path = cls.workspace.path(FILE)
            path.write_bytes(b"content of the cellar")
            cls.workspace.lock()
            subprocess.run(["cat", path], capture_output=True)
            cls.workspace.serving("can", "print", "--account", ANN, status=None)
        except BaseException:
            cls.tearDownClass()
            raise

    def secrets(self):
        """Key material, as it might be written down."""
        raw = [(self.workspace.state / "device.key").read_bytes()] if (
            self.workspace.state / "device.key").exists() else []
        keybag = next((self.workspace.state / "keybags").glob("*.keybag")).read_bytes()
        raw += [keybag[640:656]] + [keybag[start:start + 32] for start in range(752, 1008, 32)]
        for path in self.workspace.state.iterdir():
            if path.is_file() and path.suffix != ".log":
                data = path.read_bytes()
                raw += [
                    data[start:start + 32] for start in range(0, min(len(data), 256), 32)
                    if len(data) >= start + 32]
        self.assertGreater(len(raw), 8)
        for secret in raw:
            if len(set(secret)) > 4:
                yield from (
                    secret.hex(), secret.hex().upper(),
                    base64.b64encode(secret).decode().rstrip("=")[:-1])

    def check(self, text, with_names=False):
        for word in (
                PASSPHRASE, "hunter2", "content of the cellar", "client-of-somebody",
                *self.secrets()):
            self.assertNotIn(word, text)
        names = (
            ANN, "ann@", OID, FILE, "secret plan", "Cellar", "cellar", str(self.workspace.root),
            GROUP)
        if with_names:
            self.assertIn(ANN, text)
            self.assertIn(FILE, text)
        else:
            for name in names:
                self.assertNotIn(name, text)

    def bundle(self, *options):
        text = self.workspace.ctl("diagnostics", "--json", *options).stdout
        return text, json.loads(text)

    def test_names_are_numbers_all_over_it(self):
        text, found = self.bundle()
        self.check(text)
        (workspace,) = found["workspaces"]
        self.assertEqual(workspace["status"]["accounts"][0]["name"], "account-1")
        self.assertEqual(workspace["keybags"][0]["account"], "account-1")
        self.assertEqual(workspace["policies"][0]["account"], "account-1")
        refused = [record for record in workspace["audit"] if record["event"] == "refused"]
        self.assertEqual({record["account"] for record in refused}, {"account-1"})
        self.assertTrue(all(record["path"].startswith("path-") for record in refused))

    def test_what_helps_is_there(self):
        _, found = self.bundle()
        (workspace,) = found["workspaces"]
        self.assertEqual(found["system"]["kernel"], os.uname().release)
        self.assertIn("OpenSSL", found["system"]["openssl"])
        has_instructions = {"aes", "pclmulqdq", "avx2", "bmi2"} <= set(
            pathlib.Path("/proc/cpuinfo").read_text().split())
        self.assertEqual(found["system"]["ipsecMB"] is not None, has_instructions)
        values = workspace["settings"]["values"]
        self.assertEqual(values["LockGraceSeconds"], 7)
        self.assertEqual(values["LockOn"], {"SessionLock": "now"})
        self.assertEqual(values["Groups"], "1 members")
        rules = workspace["policies"][0]["rules"]
        self.assertEqual(rules["appDataEncryptionType"], "whenDeviceLocked")
        self.assertEqual(workspace["keybags"][0]["state"], "both copies are intact")
        self.assertEqual(workspace["keybags"][0]["derivationMiB"], 8)
        self.assertIn("mamd_locks_total 1", workspace["metrics"])
        self.assertIn("default_permissions", workspace["mount"]["options"])
        self.assertTrue(
            any("mamd: … is locked" in line for line in workspace["log"]), workspace["log"])
        self.assertGreater(workspace["disk"]["blocks"], 0)

    def test_with_names_there_are_still_no_secrets(self):
        text, _ = self.bundle("--with-names")
        self.check(text, with_names=True)

    def test_without_a_daemon_it_tells_what_the_files_do(self):
        self.workspace.unmount()
        try:
            text, found = self.bundle()
        finally:
            # As all these tests expect it.
            self.workspace.mount()
            self.workspace.unlock()
            self.workspace.lock()
        self.check(text)
        (workspace,) = found["workspaces"]
        self.assertFalse(workspace["isServed"])
        self.assertEqual(workspace["keybags"][0]["account"], "account-1")
        self.assertEqual(workspace["audit"][-1]["event"], "stopped")
        self.assertNotIn("status", workspace)

    def test_the_archive_is_private_and_says_what_it_is(self):
        archive = self.workspace.root / "bundle.tar.gz"
        result = self.workspace.ctl("diagnostics", "-o", archive)
        self.assertIn("Look through it before you send it", result.stderr)
        self.assertEqual(result.stdout, f"{archive}\n")
        self.assertEqual(archive.stat().st_mode & 0o777, 0o600)
        with tarfile.open(archive) as tar:
            texts = {
                member.name: tar.extractfile(member).read().decode() for member in tar
                if member.isfile()}
        self.assertIn("mamd-diagnostics/system.json", texts)
        for text in texts.values():
            self.check(text)

    def test_an_account_without_a_state_and_no_workspace_at_all_are_no_failure(self):
        empty = {
            **self.workspace.environment, "XDG_CONFIG_HOME": "/nonexistent",
            "XDG_STATE_HOME": "/nonexistent", "XDG_RUNTIME_DIR": "/nonexistent"}
        result = self.workspace.ctl(
            "diagnostics", "--json", "--workspace", "nothing", environment=empty)
        self.assertEqual(json.loads(result.stdout)["workspaces"][0]["keybags"], [])
