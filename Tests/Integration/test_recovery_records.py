"""An organisation's recovery key: records beside the files while policy names it, and work that
outlives machine and passphrase."""
import json
import os
import shutil
import subprocess
import unittest

from machines import POLICY, SETTINGS, account_of, another_machine, populate, records, tree
from test_recovery_keys import checksummed, forge
from workspace import (
    ANN, BOB, DECODER, DONE, REFUSED, USAGE, WRONG_PASSPHRASE, Workspace, wait_until)


class RecordsCase(unittest.TestCase):
    def setUp(self):
        self.workspace = self.started({**POLICY, "displayName": "base"})

    def started(self, policy):
        workspace = Workspace(settings=SETTINGS, policy=policy)
        self.addCleanup(workspace.close)
        return workspace.init().mount().register()

    def keygen(self, name, *how):
        path = self.workspace.root / name
        answer = self.workspace.ctl(
            "recovery", "keygen", "--json", "-o", path, *(how or ["--no-passphrase"]))
        return path, json.loads(answer.stdout)["publicKey"]

    def put(self, name, public, **more):
        document = {**POLICY, "displayName": name, "mamdRecoveryPublicKey": public, **more}
        (self.workspace.policies / f"{name}.json").write_text(json.dumps(document))

    def await_records(self, count, workspace=None):
        workspace = workspace or self.workspace
        wait_until(
            lambda: len(records(workspace)) == count, message=f"there were {records(workspace)}")
        return records(workspace)

    def log(self, workspace=None):
        workspace = workspace or self.workspace
        logs = [log for log in (workspace.log, workspace.daemon_log) if log.exists()]
        return "".join(log.read_text(errors="replace") for log in logs)

    def recover(self, machine, record, key, *extra, status=DONE):
        return machine.serving(
            "account import", record, "--recovery-key", key, "--passfile", machine.passfile, *extra,
            status=status)


class Lost(RecordsCase):
    def test_a_weak_passphrase_makes_no_key(self):
        path = self.workspace.root / "weak.key"
        result = self.workspace.ctl(
            "recovery", "keygen", "-o", path, "--passfile",
            self.workspace.secret("weak", "seven 7"), status=REFUSED)
        self.assertIn("at least 8 characters", result.stderr)
        self.assertIn("try: mamctl recovery keygen", result.stderr)
        self.assertFalse(path.exists())

    def test_the_administrator_opens_the_work_of_a_lost_machine_with_a_lost_passphrase(self):
        secret = self.workspace.secret("key's passphrase", "the administrator's own")
        key, public = self.keygen("org.key", "--passfile", secret)
        self.assertEqual(key.stat().st_mode & 0o7777, 0o600)
        self.put("recovery", public)
        self.await_records(1)
        directory = self.workspace.path("files")
        before = populate(self.workspace, directory)
        self.workspace.unmount()
        other = another_machine(self.workspace)
        self.addCleanup(other.close)
        # Of the machine nothing is left but its backup.
        shutil.rmtree(self.workspace.state)
        shutil.rmtree(self.workspace.backing)
        other.mount()
        (record,) = records(other)
        shown = json.loads(other.ctl("recovery", "show", "--json", record).stdout)
        self.assertEqual((shown["name"], shown["recoveryKey"]), (ANN, public))
        for letter in "BD":
            result = subprocess.run(
                ["/usr/bin/python3", DECODER, "--export", record, "--recovery-key", key,
                 "--passfile", secret, other.on_disk("files", f"class {letter}")],
                capture_output=True, check=True)
            self.assertEqual(len(result.stdout), 20_000)
        wrong = other.secret("wrong", "not it")
        self.recover(other, record, key, "--key-passfile", wrong, status=WRONG_PASSPHRASE)
        stranger, _ = self.keygen("other.key")
        self.assertIn("another one", self.recover(other, record, stranger, status=USAGE).stderr)
        self.assertIn("--recovery-key", other.serving(
            "account import", record, "--passfile", other.passfile, status=USAGE).stderr)
        self.assertEqual(list((other.state / "keybags").iterdir()), [])
        answer = self.recover(other, record, key, "--key-passfile", secret)
        self.assertIn("the organisation has a recovery key", answer.stdout)
        self.assertEqual(tree(other.path("files")), before)
        # What directories ask for was set by the other machine's daemon: a repair takes it over.
        other.serving("verify", "--repair", other.mount_point)
        self.assertEqual(other.serving("verify", other.mount_point).returncode, DONE)


class Kept(RecordsCase):
    def test_every_key_in_force_gets_a_record_and_one_that_is_not_loses_it(self):
        self.assertEqual(records(self.workspace), [])
        self.assertFalse(self.workspace.account()["isRecoverable"])
        (_, first), (_, second) = self.keygen("one.key"), self.keygen("two.key")
        self.put("one", first)
        (record,) = self.await_records(1)
        self.assertEqual(record.stat().st_mode & 0o7777, 0o600)
        wait_until(lambda: "can open the files of" in self.log())
        self.assertTrue(self.workspace.account()["isRecoverable"])
        self.assertIn(
            "the organisation can open its files", self.workspace.serving("status").stdout)
        before = record.read_bytes()
        self.put("two", [second])
        self.await_records(2)
        self.assertEqual(record.read_bytes(), before)
        rule = json.loads(self.workspace.serving("policy show", ANN, "--json").stdout)["rules"][
            "mamdRecoveryPublicKey"]
        self.assertEqual(rule["value"], sorted([first, second]))
        registered = self.workspace.serving(
            "account register", BOB, "--passfile", self.workspace.passfile)
        self.assertIn("recovery key", registered.stdout)
        self.assertEqual(len(records(self.workspace)), 4)
        # A document that is not understood takes nothing away.
        base = self.workspace.policies / "one.json"
        base.write_text("{")
        wait_until(
            lambda: "one.json" in self.workspace.serving("policy show", ANN, "--json").stdout)
        self.assertEqual(len(records(self.workspace)), 4)
        base.unlink()
        left = self.await_records(2)
        self.assertNotIn(record, left)

    def test_the_last_record_goes_only_when_there_is_another_or_could_be(self):
        """Of a locked account no new one can be sealed, and of any where there is no room."""
        (_, first), (_, second) = self.keygen("one.key"), self.keygen("two.key")
        document = self.workspace.policies / "key.json"
        self.put("key", first)
        (record,) = self.await_records(1)

        def named(key):
            rules = json.loads(self.workspace.serving("policy show", ANN, "--json").stdout)["rules"]
            return rules.get("mamdRecoveryPublicKey", {}).get("value") == key

        self.workspace.lock()
        document.unlink()
        wait_until(lambda: named(None))
        self.put("key", second)
        wait_until(lambda: named(second))
        self.assertEqual(records(self.workspace), [record])
        # The name of the new one is taken by what cannot be replaced.
        in_the_way = record.with_name(self.name_of_record(record, second))
        in_the_way.mkdir()
        self.workspace.unlock()
        wait_until(lambda: "no recovery record" in self.log())
        self.assertTrue(record.exists())
        in_the_way.rmdir()
        self.workspace.lock()
        self.workspace.unlock()
        self.assertEqual(records(self.workspace), [in_the_way])
        document.unlink()
        self.await_records(0)

    def name_of_record(self, record, public):
        """As the daemon names it, on another workspace."""
        other = self.started({**POLICY, "displayName": "base", "mamdRecoveryPublicKey": public})
        (name,) = self.await_records(1, other)
        return record.name.split(".")[0] + "." + name.name.split(".", 1)[1]

    def test_a_slip_of_the_hand_is_no_key(self):
        _, public = self.keygen("org.key")
        for bad in (public[:-1], public.swapcase(), "", [], ["", public], 7):
            path = self.workspace.root / "slip.json"
            path.write_text(json.dumps({**POLICY, "mamdRecoveryPublicKey": bad}))
            result = self.workspace.ctl("policy", "check", path, status=None)
            self.assertNotEqual(result.returncode, DONE, bad)
            self.assertIn("mamctl recovery keygen", result.stdout + result.stderr)
        path.write_text(json.dumps({**POLICY, "mamdRecoveryPublicKey": public}))
        self.workspace.ctl("policy", "check", path)

    def test_what_is_missing_damaged_or_forged_is_written_again_and_stops_no_unlock(self):
        _, public = self.keygen("org.key")
        self.put("recovery", public)
        (record,) = self.await_records(1)
        good = record.read_bytes()
        elsewhere = record.parent / f"{'0' * 31}1.0123456789abcdef.keys"
        elsewhere.write_bytes(b"another machine's")
        bad = [
            None, b"", good[:500], forge(good, 900), forge(good, 980), forge(good, 70),
            os.urandom(1024)]
        for content in bad:
            record.unlink()
            if content is not None:
                record.write_bytes(content)
            self.workspace.lock()
            self.workspace.unlock()
            self.assertNotEqual(record.read_bytes(), content)
            self.assertEqual(account_of(record), self.workspace.account()["id"])
        record.unlink()
        record.mkdir()
        self.workspace.lock()
        self.workspace.unlock()
        wait_until(lambda: "no recovery record" in self.log())
        record.rmdir()
        # One that is right stays as it is, and so does another machine's.
        self.workspace.remount()
        right = record.read_bytes()
        self.workspace.remount()
        self.assertEqual(record.read_bytes(), right)
        self.assertEqual(elsewhere.read_bytes(), b"another machine's")

    def test_a_locked_account_waits_for_its_unlock(self):
        _, public = self.keygen("org.key")
        self.workspace.unmount()
        self.workspace.mount()
        self.put("recovery", public)
        wait_until(lambda: self.workspace.account()["isRecoverable"])
        self.assertEqual(records(self.workspace), [])
        self.workspace.unlock()
        self.assertEqual(len(records(self.workspace)), 1)

    def test_a_wipe_takes_the_records_with_the_keys_and_a_read_only_mount_changes_none(self):
        _, public = self.keygen("org.key")
        self.put("recovery", public)
        self.workspace.register(BOB)
        wait_until(lambda: len(records(self.workspace)) == 2)
        self.workspace.unmount()
        for path in records(self.workspace):
            path.write_bytes(b"damaged")
        self.workspace.mount("-o", "ro")
        self.workspace.unlock()
        self.assertEqual({path.read_bytes() for path in records(self.workspace)}, {b"damaged"})
        self.workspace.unmount()
        self.workspace.mount()
        account = self.workspace.account()["id"]
        unfinished = records(self.workspace)[0].parent / f".{account}.0123456789abcdef.keys.77.new"
        unfinished.write_bytes(b"left by a crash")
        self.workspace.serving("wipe", ANN, "--confirm", ANN)
        self.assertFalse(unfinished.exists())
        self.assertEqual(
            [account_of(path) for path in records(self.workspace)],
            [self.workspace.account(BOB)["id"]])

    def test_a_wipe_that_a_crash_came_before_removes_them_at_the_next_start(self):
        _, public = self.keygen("org.key")
        self.put("recovery", public)
        (record,) = self.await_records(1)
        self.workspace.unmount()
        account = account_of(record)
        keybag = (self.workspace.state / "keybags" / f"{account}.keybag").read_bytes()
        # The decision, as a wipe makes it durable before anything else: docs/FORMAT.md, section 5.
        intent = b"\x89MAMW\r\n\x1a" + b"\1\0" + bytes(2) + keybag[12:32] + bytes(16)
        intent += keybag[48:52] + bytes(12)
        intent += keybag[64:640] + keybag[688:752] + bytes(320)
        (self.workspace.state / "wipes" / account).write_bytes(checksummed(intent))
        self.workspace.mount()
        self.assertEqual(records(self.workspace), [])
        self.assertIsNone(self.workspace.account())
        self.assertFalse((self.workspace.state / "wipes" / account).exists())
