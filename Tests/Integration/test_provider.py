"""A file provider's verbs: what goes out is encrypted where policy asks for it, what comes in is
asked for and plain; items stamped."""
import json
import os
import subprocess
import unittest

import jsonschema

from socket_client import Client
from workspace import (
    ANN, BOB, CLOSED, DAMAGED, DECODER, DONE, NO, NOT_FOUND, PERSONAL, REFUSED, ROOT, USAGE,
    WorkspaceCase, pattern, tree_digest)

NEEDS = ("python3-jsonschema",)

STRICT = {
    "allowedOutboundDataTransferDestinations": "managedApps",
    "allowedInboundDataTransferSources": "managedApps"}
OPEN = {
    "allowedOutboundDataTransferDestinations": "allApps",
    "allowedInboundDataTransferSources": "allApps"}


class Provider(WorkspaceCase):
    settings = {"MultiIdentity": True}
    accounts = (ANN, BOB)

    def setUp(self):
        super().setUp()
        self.outside = self.workspace.root / self._testMethodName
        self.outside.mkdir()
        self.rules(**STRICT)

    def rules(self, **rules):
        client = Client(self.workspace.socket)
        document = {
            "displayName": "rules", "pinRequired": False,
            "appDataEncryptionType": "whenDeviceLocked", **rules}
        client.call("Policy.Import", name="default.json", document=json.dumps(document))
        client.close()

    def provider(self, verb, source, destination, *options, status=DONE, **more):
        result = self.workspace.serving(
            f"provider {verb}", source, destination, *options, status=status, **more)
        if status != DONE and "--force" not in options:
            self.assertFalse(os.path.lexists(destination))
        # Whole, or not at all.
        self.assertEqual(
            [name for name in os.listdir(destination.parent) if name.endswith(".new")], [])
        return result

    def check(self, verb, answer):
        jsonschema.validate(
            answer, json.loads((ROOT / f"docs/schema/provider-{verb}.json").read_text()))
        return answer

    def fetch(self, source, destination, *options, owner=ANN, **more):
        answer = self.provider(
            "fetch", source, destination, "--owner", owner, "--unmanaged", "--json", *options,
            **more)
        return self.check("fetch", json.loads(answer.stdout))

    def take(self, source, destination, *options, owner=ANN, **more):
        answer = self.provider(
            "import", source, destination, "--owner", owner, "--unmanaged", "--json", *options,
            **more)
        return self.check("import", json.loads(answer.stdout))

    def cached(self, name="cached", data=None):
        """A file of the provider's own cache, outside of any mount."""
        path = self.write(self.outside / name, pattern(30_000) if data is None else data)
        path.chmod(0o640)
        os.utime(path, ns=(10**18, 10**18))
        return path

    def test_what_goes_out_is_encrypted_where_policy_asks_for_it(self):
        cases = [
            (STRICT, ANN, True), (OPEN, ANN, False), (STRICT, PERSONAL, False),
            ({**STRICT, "disableProtectionOfManagedOutboundOpenInData": True}, ANN, False),
            ({**OPEN, "allowedOutboundDataTransferDestinations": "none"}, ANN, True)]
        source = self.cached()
        before = tree_digest(self.outside)
        for number, (rules, owner, encrypted) in enumerate(cases):
            with self.subTest(rules=rules, owner=owner):
                self.rules(**rules)
                copy = self.workspace.root / f"copy{number}"
                self.assertEqual(self.fetch(source, copy, owner=owner), {
                    "path": str(copy), "bytes": 30_000, "account": owner, "encrypted": encrypted})
                self.assertEqual(self.workspace.is_managed_on_disk(copy), encrypted)
                content = self.workspace.decode(copy) if encrypted else copy.read_bytes()
                self.assertEqual(content, pattern(30_000))
                status = copy.stat()
                self.assertEqual((status.st_mode & 0o777, status.st_mtime_ns), (0o640, 10**18))
        self.assertEqual(tree_digest(self.outside), before)

    def test_into_the_mount_it_is_the_accounts(self):
        for source, more in ((self.cached(), {}), ("-", {"input": pattern(30_000)})):
            copy = self.directory / f"from {source if source == '-' else 'file'}"
            self.assertTrue(self.fetch(source, copy, **more)["encrypted"])
            self.assertEqual(self.workspace.owner(copy), ANN)
            self.assertEqual(self.workspace.decode(self.backing_of(copy)), pattern(30_000))
        self.assertFalse(
            self.fetch(self.cached(), self.directory / "mine", owner=PERSONAL)["encrypted"])
        self.assertEqual(self.workspace.owner(self.directory / "mine"), PERSONAL)

    def test_standard_input_of_any_size(self):
        for size in (0, 1, 3040, 3_000_000):
            data = pattern(size)
            with self.subTest(size=size):
                sealed, plain = self.outside / f"sealed{size}", self.outside / f"plain{size}"
                self.fetch("-", sealed, input=data)
                self.assertEqual(self.workspace.decode(sealed), data)
                self.assertEqual(sealed.stat().st_mode & 0o777, 0o600)
                self.assertFalse(self.fetch("-", plain, owner=PERSONAL, input=data)["encrypted"])
                self.assertEqual(plain.read_bytes(), data)

    def test_the_cloud_has_no_ciphertext_to_hand_out(self):
        sealed = self.outside / "sealed"
        self.fetch(self.cached(), sealed)
        for source, more in ((sealed, {}), ("-", {"input": sealed.read_bytes()})):
            result = self.provider(
                "fetch", source, self.outside / "again", "--owner", ANN, status=NO, **more)
            self.assertIn("provider import", result.stderr)

    def test_what_comes_in_is_plain(self):
        sealed = self.outside / "sealed"
        self.fetch(self.cached(), sealed)
        self.workspace.write_as(ANN, self.directory / "anns", "hers")
        self.take(self.directory / "anns", self.outside / "from mount")
        self.assertEqual((self.outside / "from mount").read_text(), "hers")
        before = sealed.read_bytes()
        result = self.take(sealed, self.outside / "up")
        self.assertEqual(result, {
            "path": str(self.outside / "up"), "bytes": 30_000, "account": ANN, "encrypted": False})
        self.assertEqual((self.outside / "up").read_bytes(), pattern(30_000))
        status = (self.outside / "up").stat()
        self.assertEqual((status.st_mode & 0o777, status.st_mtime_ns), (0o640, 10**18))
        self.assertEqual(sealed.read_bytes(), before)
        self.take(sealed, self.directory / "kept")
        self.assertEqual(self.workspace.owner(self.directory / "kept"), ANN)
        self.assertEqual(
            self.workspace.decode(self.backing_of(self.directory / "kept")), pattern(30_000))

    def test_whose_provider_it_is_without_owner(self):
        source, copies = self.cached(), [self.outside / name for name in ("one", "two", "three")]
        for identity, copy in zip((ANN, BOB, PERSONAL), copies):
            self.workspace.run_as(identity, "mamctl", "provider", "fetch", source, copy)
        self.assertEqual([self.workspace.owner(copy) for copy in copies], [ANN, BOB, "nobody"])
        # Of two accounts none is the caller's only one.
        result = self.provider("fetch", source, self.outside / "four", status=(DONE, USAGE))
        if result.returncode == USAGE:
            self.assertIn("--owner", result.stderr)

    def test_what_the_account_may_not_receive_does_not_come_in(self):
        foreign, destination = self.cached(), self.outside / "up"
        self.workspace.write_as(BOB, self.directory / "bobs", "his")
        bobs = self.outside / "bobs"
        self.fetch(foreign, bobs, owner=BOB)
        for source in (foreign, bobs, self.directory / "bobs"):
            with self.subTest(source=source):
                result = self.provider(
                    "import", source, destination, "--owner", ANN, status=REFUSED)
                self.assertIn(ANN, result.stderr)
        # Bob's file does not leave under Ann's name either.
        self.provider("fetch", self.directory / "bobs", destination, "--owner", ANN, status=REFUSED)
        self.rules(**{**STRICT, "allowedInboundDataTransferSources": "allApps"})
        self.take(foreign, destination)
        self.provider("import", bobs, self.outside / "up2", "--owner", ANN, status=REFUSED)

    def test_a_locked_account_and_a_damaged_file(self):
        sealed, source = self.outside / "sealed", self.cached()
        self.fetch(source, sealed)
        self.workspace.lock()
        try:
            self.provider("fetch", source, self.outside / "no", "--owner", ANN, status=CLOSED)
            self.provider("fetch", source, self.directory / "no", "--owner", ANN, status=CLOSED)
            self.provider("import", sealed, self.outside / "no", "--owner", ANN, status=CLOSED)
        finally:
            self.workspace.unlock()
        for offset in (100, 9000):
            data = bytearray(sealed.read_bytes())
            data[offset] ^= 1
            damaged = self.write(self.outside / "damaged", bytes(data))
            self.provider("import", damaged, self.outside / "no", "--owner", ANN, status=DAMAGED)

    def test_what_is_there_is_kept_without_force(self):
        source, there = self.cached(), self.write(self.outside / "there", b"mine")
        for verb in ("fetch", "import"):
            self.workspace.serving(
                f"provider {verb}", source, there, "--owner", PERSONAL, "--unmanaged", status=NO)
            self.assertEqual(there.read_bytes(), b"mine")
        self.fetch(source, there, "--force")
        self.assertEqual(self.workspace.decode(there), pattern(30_000))

    def test_mistakes(self):
        source = self.cached()
        self.provider(
            "fetch", self.outside / "missing", self.outside / "no", "--owner", ANN,
            status=NOT_FOUND)
        self.workspace.serving(
            "provider fetch", source, self.outside / "missing" / "no", "--owner", ANN,
            status=NOT_FOUND)
        self.provider("import", "-", self.outside / "no", "--owner", ANN, status=USAGE, input=b"x")
        self.provider("fetch", self.outside, self.outside / "no", "--owner", ANN, status=NO)

    def test_from_one_workspace_into_another_nothing_is_guessed(self):
        backing, mount = self.outside / "other", self.outside / "mount"
        backing.mkdir()
        mount.mkdir()
        self.workspace.ctl("init", backing, "--name", "other")
        self.workspace.ctl("mount", backing, mount)
        self.addCleanup(self.workspace.ctl, "unmount", mount)
        self.workspace.write_as(ANN, self.directory / "anns", "hers")
        for source, options in (
                (self.directory / "anns", ()), (self.cached(), ("--workspace", "work"))):
            for verb in ("fetch", "import"):
                result = self.workspace.ctl(
                    "provider", verb, source, mount / "no", "--owner", ANN, *options, status=NO)
                self.assertIn("another workspace", result.stderr)
        self.assertEqual(list(mount.iterdir()), [])

    def test_items_are_stamped_once(self):
        folder = self.directory / "cloud"
        folder.mkdir()
        for name in ("a", "b"):
            self.workspace.write_as(PERSONAL, folder / name, "item")
        def stamp():
            lines = self.workspace.ctl(
                "provider", "stamp", folder, "--owner", ANN, "--json").stdout.splitlines()
            items = [self.check("stamp", json.loads(line)) for line in lines]
            return sorted((item["changed"], item["protection"]["owner"]) for item in items)
        self.assertEqual(stamp(), [(True, ANN)] * 2)
        self.assertEqual(stamp(), [(False, ANN)] * 2)
        self.assertEqual(self.workspace.decode(self.backing_of(folder / "a")), b"item")
        self.workspace.ctl("provider", "stamp", self.cached(), "--owner", ANN, status=NO)


class DataFiles(WorkspaceCase):
    """`data` with a file as its input, and a new file as its output."""

    def data(self, verb, *arguments, status=DONE, **more):
        return self.workspace.serving(f"data {verb}", *arguments, status=status, **more)

    def decode_stream(self, path):
        command = [
            "/usr/bin/python3", DECODER, "--state", self.workspace.state, "--passfile",
            self.workspace.passfile]
        return subprocess.run([*command, "--stream", path], capture_output=True, check=True).stdout

    def test_files_instead_of_pipes(self):
        plain, sealed, back = (self.workspace.root / name for name in ("plain", "sealed", "back"))
        self.write(plain, pattern(200_000)).chmod(0o640)
        self.data("protect", plain, "--owner", ANN, "-o", sealed)
        self.assertEqual(sealed.stat().st_mode & 0o777, 0o640)
        self.assertEqual(self.decode_stream(sealed), pattern(200_000))
        self.assertEqual(
            json.loads(self.data("info", sealed, "--json").stdout)["protection"]["owner"], ANN)
        self.data("unprotect", sealed, "-o", back)
        self.assertEqual(back.read_bytes(), pattern(200_000))
        self.data("unprotect", sealed, "-o", back, status=NO)
        self.data("unprotect", "-", "-o", back, "--force", input=sealed.read_bytes())
        self.assertEqual(back.read_bytes(), pattern(200_000))
        self.assertEqual(back.stat().st_mode & 0o777, 0o600)
        self.data(
            "protect", plain, "--owner", ANN, "-o", sealed, "--force", "--string", status=USAGE)
        text = self.write(self.workspace.root / "text", b"wort")
        self.data("protect", text, "--owner", ANN, "--string", "-o", self.workspace.root / "base64")
        self.assertEqual(
            self.data("unprotect", self.workspace.root / "base64", "--string").stdout, "wort")

    def test_of_damaged_data_no_file_appears(self):
        sealed, back = self.workspace.root / "sealed2", self.workspace.root / "back2"
        self.data("protect", "-", "--owner", ANN, "-o", sealed, input=pattern(200_000))
        damaged = bytearray(sealed.read_bytes())
        damaged[150_000] ^= 1
        self.write(sealed, bytes(damaged))
        self.data("unprotect", sealed, "-o", back, status=DAMAGED)
        self.assertEqual(
            [path.name for path in self.workspace.root.iterdir() if "back2" in path.name], [])


if __name__ == "__main__":
    unittest.main()
