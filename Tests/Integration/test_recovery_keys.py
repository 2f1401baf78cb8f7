"""An account's keys on another machine: by an export, and by the organisation's recovery key when
all else is lost."""
import json
import shutil
import subprocess
import tempfile

from machines import POLICY, SETTINGS, another_machine, populate, tree
from socket_client import Client, Refusal
from workspace import (
    ANN, BOB, DAMAGED, DECODER, DONE, NO, PASSPHRASE, REFUSED, USAGE, WRONG_PASSPHRASE,
    WorkspaceCase, wait_until)

EXPORT_PASSPHRASE = "a much longer passphrase, for this one file"


class Machines(WorkspaceCase):
    settings = SETTINGS

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.export_passfile = cls.workspace.secret("export passphrase", EXPORT_PASSPHRASE)

    def machine(self, **options):
        other = another_machine(self.workspace, **options)
        self.addCleanup(other.close)
        return other

    def export(self, name="ann.keys", *extra, account=ANN, status=DONE, passfile=None):
        path = self.workspace.root / name
        result = self.workspace.serving(
            "account export", account, "-o", path,
            "--passfile", passfile or self.workspace.passfile,
            "--export-passfile", self.export_passfile, *extra, status=status)
        return result if status else path

    def import_keys(self, machine, path, *extra, status=DONE, how=None):
        how = how or ["--export-passfile", self.export_passfile]
        return machine.serving(
            "account import", path, *how, "--passfile", machine.passfile, *extra, status=status)

    def decode(self, path, *options):
        result = subprocess.run(
            ["/usr/bin/python3", DECODER, *options, path], capture_output=True, check=True)
        return result.stdout


class Exports(Machines):
    policy = POLICY

    def test_files_of_every_class_open_on_another_machine(self):
        before = populate(self.workspace, self.directory)
        path = self.export()
        self.assertEqual(path.stat().st_mode & 0o7777, 0o600)
        self.assertEqual(path.stat().st_size, 1024)
        other = self.machine()
        other.mount()
        place = other.path(self.directory.name)
        with self.assertRaises(OSError):
            (place / "class A").read_bytes()
        self.assertEqual(other.info(place / "class A")["state"], "keyMissing")
        answer = json.loads(self.import_keys(other, path, "--json").stdout)
        self.assertEqual(answer["id"], self.workspace.account()["id"])
        self.assertEqual(tree(place), before)
        # The same keys, and another device: each has a passphrase of its own from here on.
        self.assertNotEqual(
            *[(space.state / "device-secret").read_bytes() for space in (self.workspace, other)])
        (place / "new").write_bytes(b"made there")
        other.unmount()
        other.mount()
        other.unlock()
        self.assertEqual(tree(place), {**before, "new": tree(place)["new"]})
        # What directories ask for was set by the other machine's daemon: a repair takes it over.
        other.serving("verify", "--repair", other.mount_point)
        self.assertEqual(other.serving("verify", other.mount_point).returncode, DONE)
        shutil.copy(
            other.on_disk(self.directory.name, "new"),
            self.workspace.on_disk(self.directory.name, "back"))
        self.assertEqual((self.directory / "back").read_bytes(), b"made there")

    def test_the_second_decoder_reads_with_an_export_alone(self):
        populate(self.workspace, self.directory)
        path = self.export("alone.keys")
        for name in ("class B", "class C"):
            found = self.decode(
                self.backing_of(self.directory / name), "--export", path, "--passfile",
                self.export_passfile)
            self.assertEqual(found, (self.directory / name).read_bytes(), name)

    def test_an_export_of_a_locked_account_takes_its_passphrase_and_unlocks_nothing(self):
        self.workspace.lock()
        wrong = self.workspace.secret("wrong", "not it")
        refused = self.export("none.keys", status=WRONG_PASSPHRASE, passfile=wrong)
        self.assertRegex(refused.stderr, r"\d+ s\b")
        self.assertFalse((self.workspace.root / "none.keys").exists())
        wait_until(lambda: self.workspace.account()["retryAfterSeconds"] == 0)
        self.export("locked.keys")
        self.assertEqual(self.workspace.account()["state"], "locked")
        self.workspace.unlock()
        # Also while it is unlocked.
        self.export("none.keys", status=WRONG_PASSPHRASE, passfile=wrong)
        wait_until(lambda: self.workspace.account()["retryAfterSeconds"] == 0)

    def test_what_exists_is_kept_and_an_empty_passphrase_refused(self):
        path = self.export("kept.keys")
        before = path.read_bytes()
        self.export("kept.keys", status=NO)
        self.assertEqual(path.read_bytes(), before)
        self.export("kept.keys", "--force")
        self.assertNotEqual(path.read_bytes(), before)
        # In the workspace it would be sealed under the keys that it holds.
        result = self.export(self.directory / "inside.keys", status=USAGE)
        self.assertIn("workspace", result.stderr)
        self.assertEqual(list(self.directory.iterdir()), [])
        empty = self.workspace.secret("empty", "")
        self.workspace.serving(
            "account export", ANN, "-o", self.workspace.root / "empty.keys", "--passfile",
            self.workspace.passfile, "--export-passfile", empty, status=USAGE)
        self.assertEqual(list(self.workspace.root.glob("*empty.keys*")), [])

    def test_a_weak_passphrase_is_refused_and_costs_no_try(self):
        weak = self.workspace.secret("weak", "seven 7")
        how = (
            "account export", ANN, "-o", self.workspace.root / "weak.keys", "--export-passfile",
            weak)
        wrong = self.workspace.secret("wrong of weak", "not it")
        result = self.workspace.serving(*how, "--passfile", wrong, status=REFUSED)
        self.assertIn("at least 8 characters", result.stderr)
        self.assertIn("try: mamctl account export", result.stderr)
        self.assertNotIn("seven", result.stderr)
        self.assertEqual(self.workspace.account()["retryAfterSeconds"], 0)
        self.assertEqual(list(self.workspace.root.glob("*weak.keys*")), [])
        with Client(self.workspace.socket) as client, tempfile.TemporaryFile() as file:
            with self.assertRaises(Refusal) as caught:
                client.call(
                    "Recovery.ExportKeys", [file.fileno()], account=ANN, passphrase=PASSPHRASE,
                    exportPassphrase="seven 7", fileDescriptor=0)
            self.assertEqual(caught.exception.name, "Refused")
            self.assertEqual(file.read(), b"")
        (*_, record) = map(json.loads, self.workspace.serving(
            "audit", "--event", "refused", "--json").stdout.splitlines())
        self.assertEqual((record["operation"], record["account"]), ("Recovery.ExportKeys", ANN))

    def compare(self, path):
        with Client(self.workspace.socket) as client, open(path, "rb") as file:
            return client.call(
                "Recovery.CompareKeys", [file.fileno()], account=ANN, fileDescriptor=0)

    def test_an_export_is_compared_unopened_with_the_account(self):
        path = self.export("compared.keys")
        self.workspace.lock()
        told = self.compare(path)
        self.assertEqual((told["holdsAllKeys"], told["export"]["name"]), (True, ANN))
        self.assertEqual(self.workspace.account()["state"], "locked")
        self.workspace.unlock()
        # Another's, of the same name.
        other = self.machine()
        other.mount()
        other.register(extra=("--passfile", other.passfile, "--new-keys"))
        strange = other.root / "strange.keys"
        other.serving(
            "account export", ANN, "-o", strange, "--passfile", other.passfile,
            "--export-passfile", self.export_passfile)
        self.assertFalse(self.compare(strange)["holdsAllKeys"])
        good = path.read_bytes()
        for content, error in (
                (good[:-1], "Damaged"), (good[:64] + b"\0" + good[65:], "Damaged"),
                (b"", "InvalidInput"), (b"text", "InvalidInput")):
            path.write_bytes(content)
            with self.assertRaises(Refusal) as caught:
                self.compare(path)
            self.assertEqual(caught.exception.name, error, content[:8])

    def test_a_changed_or_foreign_file_registers_nothing(self):
        path = self.export("changed.keys")
        other = self.machine()
        other.mount()
        good = path.read_bytes()
        for offset, status in (
                (0, USAGE), (8, USAGE), (20, DAMAGED), (64, DAMAGED), (900, DAMAGED),
                (1021, DAMAGED)):
            path.write_bytes(good[:offset] + bytes([good[offset] ^ 1]) + good[offset + 1:])
            # Version 0 is as impossible as version 3 is new.
            self.import_keys(other, path, status=(status, DAMAGED))
        for offset in (70, 700, 850, 980):
            # With a checksum that is right: only the keys can tell.
            path.write_bytes(forge(good, offset))
            self.import_keys(other, path, status=(DAMAGED, WRONG_PASSPHRASE))
        path.write_bytes(costly(good))
        self.assertIn("forged", self.import_keys(other, path, status=DAMAGED).stderr)
        for bad in (good[:-1], good + b"\0", b"", b"text"):
            path.write_bytes(bad)
            self.import_keys(other, path, status=(USAGE, DAMAGED))
        path.write_bytes(good)
        wrong = self.workspace.secret("wrong export", "not it")
        self.import_keys(other, path, status=WRONG_PASSPHRASE, how=["--export-passfile", wrong])
        self.assertEqual(list((other.state / "keybags").iterdir()), [])
        self.import_keys(other, path)

    def test_an_account_that_is_here_is_not_imported_over(self):
        path = self.export("over.keys")
        self.assertIn(
            "already", self.import_keys(self.workspace, path, status=(NO, REFUSED)).stderr)
        other = self.machine()
        other.mount()
        # Beside other tests' files, which the first keys sealed.
        other.register(extra=("--passfile", other.passfile, "--new-keys"))
        keybags = sorted(file.read_bytes() for file in (other.state / "keybags").iterdir())
        self.import_keys(other, path, status=(NO, REFUSED))
        self.assertEqual(
            sorted(file.read_bytes() for file in (other.state / "keybags").iterdir()), keybags)
        # A keybag of its own that is damaged may still be mended by somebody.
        other.serving("wipe", ANN, "--confirm", ANN)
        account = self.workspace.account()["id"]
        (other.state / "keybags" / f"{account}.keybag").write_bytes(b"damaged")
        self.assertIn("move it away", self.import_keys(other, path, status=USAGE).stderr)
        # The magic of one, and a version that is not known here: nobody is to move it away.
        for name, kind in ((f"keybags/{account}.keybag", b"K"), (f"wipes/{account}", b"W")):
            (other.state / name).write_bytes(b"\x89MAM" + kind + b"\r\n\x1a\x09\0")
            said = self.import_keys(other, path, status=REFUSED).stderr
            self.assertIn(f"a newer mamd wrote {name}", said)
            self.assertIn("install that mamd", said)
            (other.state / name).unlink()
        self.import_keys(other, path)

    def test_allowed_accounts_hold_for_imports_too(self):
        path = self.export("allowed.keys")
        other = self.machine()
        settings = other.policies.parent / "settings.json"
        settings.write_text(
            json.dumps({**json.loads(settings.read_text()), "AllowedAccounts": [BOB]}))
        other.mount()
        self.import_keys(other, path, status=REFUSED)
        self.assertEqual(other.account(), None)


class Backups(Machines):
    policy = {**POLICY, "dataBackupBlocked": True}

    def test_policy_may_keep_the_keys_here(self):
        result = self.export("blocked.keys", status=REFUSED)
        self.assertIn("dataBackupBlocked", result.stderr)
        self.assertFalse((self.workspace.root / "blocked.keys").exists())


class Strict(Machines):
    policy = {**POLICY, "pinRequired": True, "minimumPinLength": 20}

    def test_an_export_wants_of_its_passphrase_what_policy_wants(self):
        self.export_passfile = self.workspace.secret("short", "nineteen characters")
        result = self.export("short.keys", status=REFUSED)
        self.assertIn("at least 20 characters (minimumPinLength)", result.stderr)
        self.export_passfile = self.workspace.secret("long", "and twenty characters")
        self.export("long.keys")


def checksummed(data):
    import zlib

    return data[:1020] + zlib.crc32(data[:1020]).to_bytes(4, "little")


def forge(data, offset):
    return checksummed(data[:offset] + bytes([data[offset] ^ 1]) + data[offset + 1:])


def costly(data):
    return checksummed(data[:56] + ((256 << 20) + 1024).to_bytes(8, "little") + data[64:])
