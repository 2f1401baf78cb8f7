"""Users that ask for all that a socket gives: connections, passphrases, frames, calls. Nobody else
waits for it."""
import contextlib
import errno
import json
import os
import signal
import threading
import unittest

from hostile import (
    ATTACKER, ATTACKERS_NAME, STRANGER, VICTIMS_NAME, Client, Refusal, in_background, wait_until)
from shares_case import SharesCase

# It times answers.
TIMED = True


class Sockets(SharesCase):
    """Over the socket."""

    settings = {"LockGraceSeconds": 0}

    def test_idle_connections_of_two_users(self):
        idle = [self.raw(uid) for uid in (ATTACKER, STRANGER) for _ in range(150)]
        self.assert_bounded()
        self.assertLessEqual(sum(map(self.is_open, idle[:150])), 64)

    def test_idle_connections_of_many_users_fill_the_table(self):
        idle = [self.raw(6000 + number % 6) for number in range(300)]
        for client in idle:
            client.setblocking(False)
        self.assert_bounded()
        # And root's own question is answered.
        self.assertEqual(self.state(VICTIMS_NAME), "unlocked")

    def test_watchers_of_many_users_that_do_not_read(self):
        watchers = [self.client(uid) for uid in (ATTACKER, STRANGER, 6001, 6002) for _ in range(60)]
        for client in watchers:
            try:
                client.send("Workspace.Watch", more=True)
            except OSError:
                pass
        for _ in range(5):
            with self.client(0) as client:
                client.call("Workspace.Lock", account=ATTACKERS_NAME, now=True)
            self.unlock(0, ATTACKERS_NAME)
        self.assert_bounded()

    def test_half_frames(self):
        clients = [self.raw(uid) for uid in (ATTACKER, STRANGER) for _ in range(100)]
        half = b'{"method":"' + b"x" * 1_000_000
        before = self.daemon_memory_mib()

        def send(part):
            for client in part:
                client.settimeout(0.3)
                try:
                    client.sendall(half)
                except OSError:
                    pass

        senders = [threading.Thread(target=send, args=(clients[start::8],)) for start in range(8)]
        for sender in senders:
            sender.start()
        self.assert_bounded()
        for sender in senders:
            sender.join()
        # Two users, eight frames each: not 200 of them. What an array has grown to may be twice
        # what is in it.
        self.assertLess(self.daemon_memory_mib() - before, 64)

    def test_frames_of_a_million_values(self):
        before = self.daemon_memory_mib()
        with self.frames_of_values():
            self.assert_bounded()
        self.assertLess(self.daemon_memory_mib() - before, 96)

    @contextlib.contextmanager
    def frames_of_values(self):
        frame = (
            b'{"method":"io.mamd.Workspace.Status","parameters":{"x":[' + b"[]," * 340_000
            + b"0]}}")
        with self.flood(ATTACKER, frame, 32), self.flood(STRANGER, frame, 32):
            yield

    def test_too_many_passphrases_are_refused_at_once(self):
        clients = [self.client(ATTACKER) for _ in range(40)]
        # All have come before the first is answered.
        os.kill(self.workspace.daemon(), signal.SIGSTOP)
        try:
            for client in clients:
                client.send("Workspace.Unlock", account=ATTACKERS_NAME, passphrase=self.passphrase)
        finally:
            os.kill(self.workspace.daemon(), signal.SIGCONT)
        answers = [client.receive() for client in clients]
        busy = [answer["parameters"]["errno"] for answer in answers if "error" in answer]
        self.assertGreater(len(busy), 20)
        self.assertEqual(set(busy), {errno.EAGAIN})
        self.assertGreaterEqual(len(answers) - len(busy), 8)

    def test_passphrases_that_never_come(self):
        """They keep their user's own unlocks, and not even its lock."""
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        for client in [self.client(ATTACKER) for _ in range(40)]:
            client.send(
                "Workspace.Unlock", [reader], account=ATTACKERS_NAME, passphraseDescriptor=0)
        self.assert_bounded()
        with self.client(ATTACKER) as client:
            client.call("Workspace.Lock", account=ATTACKERS_NAME, now=True)
            with self.assertRaises(Refusal):
                client.call("Workspace.Unlock", account=ATTACKERS_NAME, passphrase=self.passphrase)
        self.assertEqual(self.state(ATTACKERS_NAME), "locked")
        # Once they have come to nothing.
        os.close(writer)
        wait_until(self.can_unlock)

    def test_streams_that_never_end(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, writer)
        self.addCleanup(os.close, reader)
        sink = os.open(os.devnull, os.O_WRONLY)
        self.addCleanup(os.close, sink)
        for client in [self.client(ATTACKER) for _ in range(40)]:
            client.send(
                "Protection.ProtectData", [reader, sink], owner=ATTACKERS_NAME,
                sourceDescriptor=0, destinationDescriptor=1)
        self.assert_bounded()
        with self.client(ATTACKER) as client:
            client.call("Workspace.Lock", account=ATTACKERS_NAME, now=True)
        self.addCleanup(self.unlock, ATTACKER, ATTACKERS_NAME)

    def test_documents_to_check(self):
        kinds = {
            "unknown keys": "{" + ",".join(f'"k{number}":0' for number in range(20_000)) + "}",
            "one key": "{" + '"pinRequired":1,' * 15_000 + '"a":0}',
            "documents": "[" + '{"pinRequired":1},' * 13_000 + "{}]",
            "a list": '{"apps":[' + "0," * 120_000 + "0]}",
            "assignments": '{"assignments":[' + '{"target":{}},' * 17_000 + "{}]}",
            "a property list": "<plist><array>" + "<dict/>" * 35_000 + "</array></plist>",
            "nothing": "[" * 250_000}
        for kind, document in kinds.items():
            with self.subTest(kind), self.client(STRANGER) as client:
                self.assertLess(len(document), 256 << 10)
                before = self.daemon_seconds()
                findings = client.call("Policy.Check", document=document)["findings"]
                # An unoptimized daemon, a quarter of a mebibyte.
                self.assertLess(self.daemon_seconds() - before, 5)
                self.assertLessEqual(len(findings), 1001)
        with self.flood(STRANGER, self.frame("Policy.Check", document=kinds["one key"]), 32):
            self.assert_bounded()

    def test_a_document_that_is_too_long_is_for_root(self):
        document = '{"apps":[' + "{}," * 100_000 + "{}]}"
        with self.client(STRANGER) as client, self.assertRaises(Refusal) as refused:
            client.call("Policy.Check", document=document)
        self.assertEqual(refused.exception.name, "InvalidInput")
        with Client(self.workspace.socket) as client:
            self.assertLessEqual(len(client.call("Policy.Check", document=document)["findings"]), 1)

    def test_long_names_and_lists(self):
        names = [f"{number}@contoso.com" for number in range(9_000)]
        for method, parameters in (
                ("Policy.Configuration", {"accounts": names}),
                ("Policy.ShareTargets", {"programs": names}),
                ("Policy.SameIdentity", {"first": "x" * 900_000, "second": "y"}),
                ("Identity.SetUserInterfaceIdentities", {"identities": names})):
            with self.subTest(method), self.client(STRANGER) as client:
                before = self.daemon_seconds()
                with self.assertRaises(Refusal):
                    client.call(method, **parameters)
                self.assertLess(self.daemon_seconds() - before, 1)

    def test_a_long_url(self):
        url = "https://contoso.com/" + "a" * 60_000
        with self.flood(ATTACKER, self.frame("Policy.CanOpenURL", url=url, universal=True), 64):
            self.assert_bounded()

    def test_many_small_calls(self):
        with self.flood(ATTACKER, self.frame("Workspace.Status"), 64), \
                self.flood(STRANGER, self.frame("Workspace.ListAccounts"), 64):
            self.assert_bounded()

    def test_many_locks(self):
        frame = self.frame("Workspace.Lock", account=ATTACKERS_NAME, now=True)
        self.addCleanup(self.unlock, ATTACKER, ATTACKERS_NAME)
        self.addCleanup(self.drain)
        with self.flood(ATTACKER, frame, 64):
            self.assert_bounded()

    def test_replies_that_nobody_reads(self):
        frames = (self.frame("Workspace.Status") + b"\0") * 2_000
        clients = [self.raw(ATTACKER) for _ in range(60)]
        for client in clients:
            client.setblocking(False)
            try:
                client.send(frames)
            except OSError:
                pass
        self.assert_bounded()

    def test_connections_that_come_and_go(self):
        with in_background(ATTACKER, "come_and_go", self.workspace.socket, count=2):
            self.assert_bounded()

    def test_questions_for_the_audit(self):
        call = json.dumps({"method": "io.mamd.Audit.List", "parameters": {}, "more": True}).encode()
        with self.flood(STRANGER, call, 64):
            self.assert_bounded()

    def tearDown(self):
        self.assert_small()


class Derivations(SharesCase):
    """They cost enough that it shows when one waits for many."""

    settings = {"KeyDerivation": {"Passes": 3, "MemoryMiB": 16}, "LockGraceSeconds": 0}

    def test_changes_of_a_passphrase(self):
        frame = self.frame(
            "Workspace.ChangePassphrase", account=ATTACKERS_NAME, passphrase=self.passphrase,
            newPassphrase=self.passphrase)
        with self.flood(ATTACKER, frame, 150):
            self.assert_bounded(count=5)

    def test_key_slots(self):
        for method, more in (
                ("TestSlot", {}),
                ("AddSlot", {"type": "passphrase", "newPassphrase": self.passphrase})):
            frame = self.frame(
                f"Workspace.{method}", account=ATTACKERS_NAME, passphrase=self.passphrase, **more)
            with self.flood(ATTACKER, frame, 150):
                self.assert_bounded(count=5)

    def test_unlocks_of_an_account_of_ones_own(self):
        frame = self.frame("Workspace.Unlock", account=ATTACKERS_NAME, passphrase=self.passphrase)
        with self.flood(ATTACKER, frame, 150):
            self.assert_bounded(count=5)

    def tearDown(self):
        self.assert_small()


if __name__ == "__main__":
    unittest.main()
