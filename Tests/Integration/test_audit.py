"""What the audit keeps, and which users it tells."""
import errno
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from audit_files import files, records, stored
from posix_calls import link_open
from running import has_ended
from socket_client import Client, Refusal
from workspace import (
    ANN, BOB, CLOSED, DAMAGED, ROOT, USAGE, WRONG_PASSPHRASE, WorkspaceCase, wait_until)

NEEDS = ("systemd",)


class Events(WorkspaceCase):
    def last(self, event, **wanted):
        found = [record for record in records(self.workspace, "--event", event)
                 if all(record[key] == value for key, value in wanted.items())]
        self.assertTrue(found, f"no {event} with {wanted}")
        return found[-1]

    def refusals(self):
        return [record for record in stored(self.workspace) if record["event"] == "refused"]

    def test_a_refused_open_tells_what_was_wanted_by_whom_and_why(self):
        path = self.write(self.directory / "pl\nän", b"content")
        self.workspace.lock()
        self.addCleanup(self.workspace.unlock)
        with self.refused(errno.ENOKEY):
            path.read_bytes()
        record = self.last("refused", operation="open")
        self.assertEqual(record["path"], f"{self._testMethodName}/pl\\012\\303\\244n")
        self.assertEqual((record["pid"], record["uid"]), (os.getpid(), os.getuid()))
        self.assertTrue(
            sys.executable.rpartition("/")[2].startswith(record["program"][:6]), record["program"])
        self.assertEqual((record["account"], record["class"], record["count"]), (ANN, "A", 1))
        self.assertIn("the access window of", record["reason"])
        self.assertRegex(record["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")

    def test_a_file_that_was_made_without_a_name_is_told_by_the_one_it_has(self):
        """As `decrypt -o` and many programs make files."""
        paths = [self.directory / name for name in ("kept", "moved")]
        for path in paths:
            descriptor = os.open(self.directory, os.O_TMPFILE | os.O_RDWR)
            os.write(descriptor, b"content")
            link_open(descriptor, path)
            os.close(descriptor)
        paths[1] = paths[1].rename(self.directory / "has moved")
        self.workspace.lock()
        self.addCleanup(self.workspace.unlock)
        for path in paths:
            with self.refused(errno.ENOKEY):
                path.read_bytes()
            self.last("refused", operation="open", path=f"{self._testMethodName}/{path.name}")

    def test_refused_creations_reads_and_uses_are_told(self):
        path = self.write(self.directory / "open", b"x" * 100_000)
        with open(path, "r+b") as file:
            self.workspace.lock()
            self.addCleanup(self.workspace.unlock)
            with self.refused(errno.ENOKEY):
                os.pread(file.fileno(), 10, 0)
            with self.refused(errno.ENOKEY):
                os.pwrite(file.fileno(), b"y", 0)
            with self.refused(errno.ENOKEY):
                (self.directory / "new").write_bytes(b"")
        mine = [record for record in records(self.workspace, "--event", "refused")
                if (record["path"] or "").startswith(self._testMethodName)]
        self.assertEqual(
            {record["operation"] for record in mine} - {"read", "write"}, {"use", "create"})
        self.assertEqual(
            [record["path"] for record in mine if record["operation"] == "create"],
            [f"{self._testMethodName}/new"])

    def test_what_comes_again_is_told_once_and_then_counted(self):
        path = self.write(self.directory / "polled", b"content")
        self.workspace.lock()
        size = sum(file.stat().st_size for file in files(self.workspace))
        begin = time.monotonic()
        for _ in range(3000):
            with self.refused(errno.ENOKEY):
                path.read_bytes()
        # What came again is told every ten seconds.
        most = 2 + int((time.monotonic() - begin) / 10)
        name = f"{self._testMethodName}/polled"
        told = [record for record in records(self.workspace) if record["path"] == name]
        self.assertEqual([record["count"] for record in told][:1], [1])
        self.assertLessEqual(len(told), most)
        self.workspace.unmount()
        counted = [
            record["count"] for record in stored(self.workspace) if record.get("path") == name]
        self.assertEqual(sum(counted), 3000)
        grown = sum(file.stat().st_size for file in files(self.workspace)) - size
        self.assertLess(grown, 2048 + 1024 * most)
        self.workspace.mount()
        self.workspace.unlock()

    def test_many_files_are_told_together_and_push_nothing_else_out(self):
        for number in range(400):
            self.write(self.directory / str(number), b"content", durable=False)
        before = self.refusals()
        self.workspace.lock()
        begin = time.monotonic()
        for number in range(400):
            with self.refused(errno.ENOKEY):
                (self.directory / str(number)).read_bytes()
        # So many each ten seconds are told one by one.
        most = 300 + 130 * int((time.monotonic() - begin) / 10)
        self.workspace.unmount()
        mine = self.refusals()[len(before):]
        self.assertGreaterEqual(sum(record["count"] for record in mine), 400)
        self.assertLess(len(mine), most)
        self.workspace.mount()
        self.workspace.unlock()

    def test_locks_unlocks_and_wrong_passphrases_tell_who(self):
        self.workspace.lock()
        wrong = self.workspace.secret("wrong", "not it")
        self.workspace.unlock(passfile=wrong, status=WRONG_PASSPHRASE)
        wait_until(lambda: self.workspace.account()["retryAfterSeconds"] == 0)
        self.workspace.unlock()
        for event in ("locked", "wrong-passphrase", "unlocked"):
            record = self.last(event, account=ANN)
            self.assertEqual((record["program"], record["uid"]), ("mamctl", os.getuid()), event)
        for path in files(self.workspace):
            self.assertNotIn(b"not it", path.read_bytes())

    def test_a_refused_call_is_told_with_its_method(self):
        path = self.write(self.directory / "sealed", b"content")
        copy = self.workspace.root / "copy.sealed"
        copy.write_bytes(self.backing_of(path).read_bytes())
        self.workspace.lock()
        self.addCleanup(self.workspace.unlock)
        self.workspace.serving("decrypt", copy, "-o", self.workspace.root / "plain", status=CLOSED)
        record = self.last("refused", operation="Workspace.Decrypt")
        self.assertEqual((record["account"], record["program"]), (ANN, "mamctl"))

    def test_damage_is_told_with_file_and_block_and_once_by_a_check(self):
        path = self.write(self.directory / "damaged", b"x" * 20_000)
        self.workspace.remount()
        with open(self.backing_of(path), "r+b") as file:
            file.seek(4096 * 2 + 100)
            file.write(b"damage")
        with self.refused(errno.EBADMSG):
            path.read_bytes()
        record = self.last("damaged", operation="read")
        self.assertEqual(
            (record["path"], record["account"]), (f"{self._testMethodName}/damaged", ANN))
        self.assertIn("block 2", record["reason"])
        self.workspace.ctl("verify", self.workspace.mount_point, status=DAMAGED)
        self.assertEqual(
            self.last("damaged", operation="Workspace.Verify")["path"],
            f"{self._testMethodName}/damaged")
        path.unlink()

    def test_following_tells_what_comes(self):
        self.workspace.lock()
        self.workspace.unlock()
        before = len(records(self.workspace, "--event", "locked"))
        with subprocess.Popen(
                ["mamctl", "audit", "--follow", "--json", "--event", "locked",
                 "--workspace", "work"],
                env=self.workspace.environment, stdout=subprocess.PIPE, text=True) as follower:
            # It ends at a failure too: its end is waited for. Nor does a line that never comes hold
            # up the rest.
            guard = threading.Timer(90, follower.kill)
            guard.start()
            self.addCleanup(guard.cancel)
            try:
                lines = [follower.stdout.readline() for _ in range(before)]
                # It has told what there was: what it tells now comes.
                self.workspace.lock()
                self.workspace.unlock()
                lines.append(follower.stdout.readline())
            finally:
                follower.send_signal(signal.SIGTERM)
            self.assertTrue(all('"event":"locked"' in line for line in lines), lines)

    def test_questions_choose_by_time_account_event_and_number(self):
        # The next daemon has nothing left to tell of what came again.
        self.workspace.remount()
        self.workspace.lock()
        self.workspace.unlock()
        all_of_it = records(self.workspace)
        self.assertEqual(all_of_it, sorted(all_of_it, key=lambda record: record["sequence"]))
        self.assertEqual(
            [record["event"] for record in records(self.workspace, "--limit", "2")],
            ["locked", "unlocked"])
        self.assertEqual(records(self.workspace, "--before", "-1h"), [])
        self.assertEqual(records(self.workspace, "--since", "-1h"), all_of_it)
        middle = all_of_it[len(all_of_it) // 2]["time"]
        self.assertEqual(
            len(records(self.workspace, "--since", middle))
            + len(records(self.workspace, "--before", middle)),
            len(all_of_it))
        self.assertEqual(records(self.workspace, "--account", "nobody@example.org"), [])
        self.assertEqual(
            {record["account"] for record in records(self.workspace, "--account", ANN.upper())},
            {ANN})
        for words in (["--since", "yesterday"], ["--event", "lokced"], ["--limit", "-1"]):
            self.workspace.serving("audit", *words, status=USAGE)
        text = self.workspace.serving("audit", "--limit", "1").stdout
        self.assertIn(f"\tunlocked\t{ANN}\tmamctl[", text)


class Files(WorkspaceCase):
    policy = [
        {"displayName": "rules", "pinRequired": False, "appDataEncryptionType": "whenDeviceLocked",
         "allowedOutboundDataTransferDestinations": "managedApps"},
        {"@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "displayName": "values",
         "customSettings": [{"name": "token", "value": "hunter2-and-more"}]}]
    settings = {"ValuesToScrubFromLogging": ["token"]}

    def test_only_the_daemons_user_can_read_them_and_no_kept_out_value_is_there(self):
        self.write(self.directory / "hunter2-and-more", b"content")
        self.workspace.lock()
        with self.refused(errno.ENOKEY):
            (self.directory / "hunter2-and-more").read_bytes()
        self.workspace.unlock()
        self.assertTrue(any("***" in (record["path"] or "") for record in records(self.workspace)))
        self.assertEqual((self.workspace.state / "audit").stat().st_mode & 0o777, 0o700)
        for path in files(self.workspace):
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)
            self.assertNotIn(b"hunter2", path.read_bytes())

    def test_what_a_caller_made_up_is_in_no_record(self):
        secret = "c2VjcmV0"
        with Client(self.workspace.socket) as client:
            self.assertFalse(client.call(
                "Policy.CanOpenURL", url=f"{secret}://x", account=ANN)["decision"]["allowed"])
            self.assertFalse(client.call(
                "Policy.CanReceive", owner=ANN, account=secret)["decision"]["allowed"])
            with self.assertRaises(Refusal):
                client.call(f"Policy.{secret}")
        denied = records(self.workspace, "--event", "denied")
        self.assertIn(f"{ANN} does not send to …", [record["reason"] for record in denied])
        self.assertEqual({record["account"] for record in denied}, {ANN, None})
        for path in files(self.workspace):
            self.assertNotIn(secret.lower(), path.read_text().lower())

    def test_a_killed_daemon_loses_a_second_and_the_next_one_goes_on(self):
        self.workspace.lock()
        wait_until(
            lambda: [record["event"] for record in stored(self.workspace)][-1:] == ["locked"],
            message="it is not stored")
        pid = self.workspace.daemon()
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: has_ended(pid))
        with open(files(self.workspace)[0], "ab") as file:
            file.write(b'{"time":"2026-05-0')
        subprocess.run(["fusermount3", "-u", "-z", self.workspace.mount_point], check=True)
        self.workspace.mount()
        self.workspace.unlock()
        after = records(self.workspace)
        self.assertEqual([record["sequence"] for record in after], list(range(1, len(after) + 1)))
        self.assertEqual([record["event"] for record in after[-2:]], ["started", "unlocked"])
        self.assertEqual(len(stored(self.workspace)), len(after))

    def test_a_wipe_is_told_before_and_after(self):
        self.workspace.register(BOB)
        self.workspace.write_as(BOB, self.directory / "bobs", "content")
        self.workspace.serving("wipe", BOB, "--confirm", BOB)
        events = [record["event"] for record in records(self.workspace, "--account", BOB)]
        self.assertEqual(events[:2], ["registered", "unlocked"])
        self.assertEqual(events[-2:], ["wipe-decided", "wiped"])

    def test_a_full_or_missing_place_is_no_reason_not_to_serve(self):
        self.workspace.unmount()
        audit = self.workspace.state / "audit"
        kept = audit.rename(self.workspace.state / "kept")
        audit.write_bytes(b"in the way")
        self.workspace.mount()
        self.workspace.unlock()
        self.assertEqual(records(self.workspace), [])
        self.workspace.unmount()
        audit.unlink()
        kept.rename(audit)
        self.workspace.mount()
        self.workspace.unlock()


@unittest.skipUnless(os.getuid() == 0, "acts as several users, which only root can")
class Rights(WorkspaceCase):
    mounted = False
    ANNS, BOBS = 4711, 4712
    settings = {"AccountUsers": {ANN: ANNS, BOB: BOBS}}

    def setUp(self):
        self.workspace.mount()
        folder = self.workspace.socket.parent
        for place in (self.workspace.root, folder.parent, folder):
            os.chmod(place, 0o755)
        secret = self.workspace.passfile.read_text().strip()
        for name, user in ((ANN, self.ANNS), (BOB, self.BOBS)):
            with Client(self.workspace.socket, user) as client:
                client.call("Workspace.RegisterAccount", name=name, passphrase=secret)

    def listed(self, user, **parameters):
        with Client(self.workspace.socket, user) as client:
            reply = client.call("Audit.List", more=True, limit=1, **parameters)
        return reply.get("record")

    def test_users_are_told_of_their_accounts_and_processes_only(self):
        with Client(self.workspace.socket) as root:
            root.call("Workspace.Lock", account=ANN, now=True)
        record = self.listed(self.ANNS)
        self.assertEqual((record["event"], record["account"]), ("locked", ANN))
        self.assertEqual((record["uid"], record["pid"], record["program"]), (None, None, None))
        self.assertEqual(self.listed(self.BOBS)["account"], BOB)
        self.assertEqual(self.listed(0, account=ANN)["uid"], 0)
        self.assertIsNone(self.listed(65534))
        with self.assertRaises(Refusal) as caught:
            self.listed(self.BOBS, account=ANN)
        self.assertEqual(caught.exception.name, "Refused")
        self.assertEqual(self.listed(self.BOBS, event="unlocked")["pid"], os.getpid())


@unittest.skipUnless(shutil.which("journalctl"), "there is no journalctl")
class Catalogue(unittest.TestCase):
    def test_the_journal_takes_every_entry(self):
        with tempfile.TemporaryDirectory() as root:
            place = pathlib.Path(root, "usr/lib/systemd/catalog")
            place.mkdir(parents=True)
            pathlib.Path(root, "var/lib/systemd/catalog").mkdir(parents=True)
            shutil.copy(ROOT / "systemd/mamd.catalog", place)
            subprocess.run(
                ["journalctl", f"--root={root}", "--update-catalog"], check=True,
                capture_output=True)
            listed = subprocess.run(
                ["journalctl", f"--root={root}", "--list-catalog"], check=True, capture_output=True,
                text=True).stdout
        table = (ROOT / "Sources/MAMAudit/LogMessage.swift").read_text()
        ids = re.findall(r'"([0-9a-f]{32})"', table)
        self.assertGreater(len(ids), 20)
        self.assertEqual(sorted(line.split(" ")[0] for line in listed.splitlines()), sorted(ids))
