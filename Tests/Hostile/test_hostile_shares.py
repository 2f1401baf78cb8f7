"""Users that ask for all there is: connections, passphrases, frames, calls, descriptors, locks.
Nobody else waits for it."""
import contextlib
import errno
import functools
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from hostile import (
    ATTACKER, ATTACKERS_NAME, STRANGER, VICTIM, VICTIMS_NAME, Client, HostileCase, Refusal, as_user,
    in_background,
    wait_until)

# It times answers.
ALONE = True

USERS = pathlib.Path(__file__).resolve().parents[1] / "Integration" / "file_users.py"

# Sends one frame again and again, by so many threads with a connection each.
FLOOD = """
import os, pathlib, socket, sys, threading, time
# What a user's own programs take of the processors is the kernel's to share out: here it is what
# the daemon does for them.
os.nice(19)
path, count, frame = sys.argv[1], int(sys.argv[2]), pathlib.Path(sys.argv[3]).read_bytes() + b"\\0"
def run():
    while True:
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(path)
                while True:
                    client.sendall(frame)
                    last = b""
                    while last != b"\\0":
                        last = client.recv(1 << 16)[-1:]
                        if not last:
                            raise OSError
        except OSError:
            time.sleep(0.01)
for _ in range(count):
    threading.Thread(target=run, daemon=True).start()
print("begun", flush=True)
threading.Event().wait()
"""

# Has a directory full of files renamed, back and forth.
RENAMES = """
import os, sys
os.nice(19)
os.chdir(sys.argv[1])
mine = str(os.getpid())
open(mine, "w").close()
print("begun", flush=True)
while True:
    os.rename(mine, mine + "-other")
    os.rename(mine + "-other", mine)
"""

# Opens a file, or as many files as there are numbers, until it may open no more; says how many, and
# why.
OPENS = """
import errno, os, resource, sys
path, most, way = sys.argv[1], int(sys.argv[2]), sys.argv[3]
resource.setrlimit(resource.RLIMIT_NOFILE, (most + 100, most + 100))
held = []
flags = os.O_RDWR | os.O_CREAT if way == "files" else os.O_RDONLY
try:
    for number in range(most):
        held.append(os.open(f"{path}/{number}" if way == "files" else path, flags))
    print(len(held), "none", flush=True)
except OSError as problem:
    print(len(held), errno.errorcode[problem.errno], flush=True)
sys.stdin.read()
"""


class SharesCase(HostileCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        try:
            # Of a test class, all of whose attacks are over when the next one begins.
            cls.quiet = cls("quiet_times").quiet_times(5)
        except BaseException:
            cls.tearDownClass()
            raise

    def setUp(self):
        self.drain()

    def drain(self):
        """The attack's clients were killed; the daemon is done with them when their threads end."""
        wait_until(
            lambda: self.client_threads() == 0, 60,
            "the daemon still serves clients that are gone")

    def client_threads(self):
        count = 0
        for task in pathlib.Path(f"/proc/{self.workspace.daemon()}/task").iterdir():
            with contextlib.suppress(OSError):
                count += (task / "comm").read_text().startswith("control-client")
        return count

    def frame(self, method, **parameters):
        return json.dumps({"method": f"io.mamd.{method}", "parameters": parameters}).encode()

    def flood(self, uid, frame, count=64):
        """A context in which a user sends a frame by many connections, as fast as it is
        answered."""
        file = tempfile.NamedTemporaryFile(prefix="mamd-flood-")
        self.addCleanup(file.close)
        file.write(frame)
        file.flush()
        os.chmod(file.name, 0o644)
        return in_background(uid, FLOOD, self.workspace.socket, str(count), file.name)

    def raw(self, uid):
        """A connection of that user's; nothing is sent."""
        client = socket.socket(socket.AF_UNIX)
        self.addCleanup(client.close)
        os.seteuid(uid)
        try:
            client.connect(str(self.workspace.socket))
        finally:
            os.seteuid(0)
        client.settimeout(30)
        return client

    def is_open(self, client):
        client.setblocking(False)
        try:
            return client.recv(1) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def state(self, name):
        with Client(self.workspace.socket) as client:
            accounts = client.call("Workspace.ListAccounts")["accounts"]
        (state,) = (account["state"] for account in accounts if account["name"] == name)
        return state

    def can_unlock(self):
        try:
            self.unlock(ATTACKER, ATTACKERS_NAME)
            return True
        except Refusal:
            return False

    def unlock(self, uid, name):
        with Client(self.workspace.socket, uid) as client:
            client.call("Workspace.Unlock", account=name, passphrase=self.passphrase)


class Sockets(SharesCase):
    """Over the socket. A derivation costs what it should."""

    settings = {"KeyDerivation": {"Passes": 10, "MemoryMiB": 32}, "LockGraceSeconds": 0}

    def test_idle_connections_of_two_users(self):
        idle = [self.raw(uid) for uid in (ATTACKER, STRANGER) for _ in range(150)]
        self.assert_bounded(self.quiet)
        self.assertLessEqual(sum(map(self.is_open, idle[:150])), 64)

    def test_idle_connections_of_many_users_fill_the_table(self):
        idle = [self.raw(6000 + number % 6) for number in range(300)]
        for client in idle:
            client.setblocking(False)
        self.assert_bounded(self.quiet)
        # And root's own question is answered.
        self.assertEqual(self.state(VICTIMS_NAME), "unlocked")

    def test_watchers_of_many_users_that_do_not_read(self):
        watch = json.dumps({"method": "io.mamd.Workspace.Watch", "more": True}).encode() + b"\0"
        watchers = [self.raw(uid) for uid in (ATTACKER, STRANGER, 6001, 6002) for _ in range(60)]
        for client in watchers:
            try:
                client.sendall(watch)
            except OSError:
                pass
        for _ in range(5):
            with self.client(0) as client:
                client.call("Workspace.Lock", account=ATTACKERS_NAME, now=True)
            self.unlock(0, ATTACKERS_NAME)
        self.assert_bounded(self.quiet)

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
        self.assert_bounded(self.quiet)
        for sender in senders:
            sender.join()
        # Two users, eight frames each: not 200 of them. What an array has grown to may be twice
        # what is in it.
        self.assertLess(self.daemon_memory_mib() - before, 64)

    def test_frames_of_a_million_values(self):
        before = self.daemon_memory_mib()
        frame = (
            b'{"method":"io.mamd.Workspace.Status","parameters":{"x":[' + b"[]," * 340_000
            + b"0]}}")
        with self.flood(ATTACKER, frame, 32), self.flood(STRANGER, frame, 32):
            self.assert_bounded(self.quiet)
        self.assertLess(self.daemon_memory_mib() - before, 96)

    def test_changes_of_a_passphrase(self):
        frame = self.frame(
            "Workspace.ChangePassphrase", account=ATTACKERS_NAME, passphrase=self.passphrase,
            newPassphrase=self.passphrase)
        with self.flood(ATTACKER, frame, 150):
            self.assert_bounded(self.quiet, count=5)

    def test_unlocks_of_an_account_of_ones_own(self):
        frame = self.frame("Workspace.Unlock", account=ATTACKERS_NAME, passphrase=self.passphrase)
        with self.flood(ATTACKER, frame, 150):
            self.assert_bounded(self.quiet, count=5)

    def test_too_many_passphrases_are_refused_at_once(self):
        frame = self.frame(
            "Workspace.Unlock", account=ATTACKERS_NAME, passphrase=self.passphrase) + b"\0"
        clients = [self.raw(ATTACKER) for _ in range(40)]
        for client in clients:
            client.sendall(frame)
        answers = [json.loads(client.recv(1 << 16)[:-1]) for client in clients]
        busy = [answer["parameters"]["errno"] for answer in answers if "error" in answer]
        self.assertGreater(len(busy), 20)
        self.assertEqual(set(busy), {errno.EAGAIN})
        self.assertGreaterEqual(len(answers) - len(busy), 8)

    def test_passphrases_that_never_come(self):
        """They keep their user's own unlocks, and not even its lock."""
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        call = json.dumps({"method": "io.mamd.Workspace.Unlock", "parameters": {
            "account": ATTACKERS_NAME, "passphraseDescriptor": 0}}).encode() + b"\0"
        for client in [self.raw(ATTACKER) for _ in range(40)]:
            socket.send_fds(client, [call], [reader])
        self.assert_bounded(self.quiet)
        with self.client(ATTACKER) as client:
            client.call("Workspace.Lock", account=ATTACKERS_NAME, now=True)
            with self.assertRaises(Refusal):
                client.call("Workspace.Unlock", account=ATTACKERS_NAME, passphrase=self.passphrase)
        self.assertEqual(self.state(ATTACKERS_NAME), "locked")
        # Once they have come to nothing.
        os.close(writer)
        wait_until(self.can_unlock, 10)

    def test_streams_that_never_end(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, writer)
        self.addCleanup(os.close, reader)
        sink = os.open(os.devnull, os.O_WRONLY)
        self.addCleanup(os.close, sink)
        call = self.frame(
            "Protection.ProtectData", owner=ATTACKERS_NAME, sourceDescriptor=0,
            destinationDescriptor=1) + b"\0"
        for client in [self.raw(ATTACKER) for _ in range(40)]:
            socket.send_fds(client, [call], [reader, sink])
        self.assert_bounded(self.quiet)
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
                start = time.monotonic()
                findings = client.call("Policy.Check", document=document)["findings"]
                # An unoptimized daemon, a quarter of a mebibyte.
                self.assertLess(time.monotonic() - start, 5)
                self.assertLessEqual(len(findings), 1001)
        with self.flood(STRANGER, self.frame("Policy.Check", document=kinds["one key"]), 32):
            self.assert_bounded(self.quiet)

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
                start = time.monotonic()
                with self.assertRaises(Refusal):
                    client.call(method, **parameters)
                self.assertLess(time.monotonic() - start, 1)

    def test_a_long_url(self):
        url = "https://contoso.com/" + "a" * 60_000
        with self.flood(ATTACKER, self.frame("Policy.CanOpenURL", url=url, universal=True), 64):
            self.assert_bounded(self.quiet)

    def test_many_small_calls(self):
        with self.flood(ATTACKER, self.frame("Workspace.Status"), 64), \
                self.flood(STRANGER, self.frame("Workspace.ListAccounts"), 64):
            self.assert_bounded(self.quiet)

    def test_many_locks(self):
        frame = self.frame("Workspace.Lock", account=ATTACKERS_NAME, now=True)
        self.addCleanup(self.unlock, ATTACKER, ATTACKERS_NAME)
        self.addCleanup(self.drain)
        with self.flood(ATTACKER, frame, 64):
            self.assert_bounded(self.quiet)

    def test_replies_that_nobody_reads(self):
        frames = (self.frame("Workspace.Status") + b"\0") * 2_000
        clients = [self.raw(ATTACKER) for _ in range(60)]
        for client in clients:
            client.setblocking(False)
            try:
                client.send(frames)
            except OSError:
                pass
        self.assert_bounded(self.quiet)

    def test_connections_that_come_and_go(self):
        script = (
            "import os, socket, sys\nos.nice(19)\nprint('begun', flush=True)\n"
            "while True:\n"
            "    with socket.socket(socket.AF_UNIX) as client:\n"
            "        client.connect(sys.argv[1]); client.send(b'{')\n")
        with in_background(ATTACKER, script, self.workspace.socket, count=2):
            self.assert_bounded(self.quiet)

    def test_questions_for_the_audit(self):
        call = json.dumps({"method": "io.mamd.Audit.List", "parameters": {}, "more": True}).encode()
        with self.flood(STRANGER, call, 64):
            self.assert_bounded(self.quiet)

    def tearDown(self):
        self.assert_small()


class Locks(SharesCase):
    """One user's program does not let go of one of its files."""

    settings = {"LockGraceSeconds": 0, "LockDeadlineSeconds": 4}

    def setUp(self):
        super().setUp()
        path = self.write_as(ATTACKER, self.home(ATTACKER, "stuck"), b"x" * 4096)
        # A user without userfaultfd has memory of a file system of its own: the same to the kernel.
        self.program = subprocess.Popen(
            ["setpriv", f"--reuid={ATTACKER}", f"--regid={ATTACKER}", "--clear-groups",
             "--inh-caps=+sys_ptrace", "--ambient-caps=+sys_ptrace",
             sys.executable, "-B", USERS, "write-slowly", path],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end)
        self.assertEqual(self.program.stdout.readline(), "ready\n")

    def end(self):
        self.program.kill()
        self.program.communicate()
        for uid, name in ((VICTIM, VICTIMS_NAME), (ATTACKER, ATTACKERS_NAME)):
            self.unlock(uid, name)

    def in_thread(self, client, method, **parameters):
        """A call that takes its time; returns when it took what it took."""
        took = []

        def run():
            start = time.monotonic()
            client.call(method, **parameters)
            took.append(time.monotonic() - start)

        thread = threading.Thread(target=run)
        thread.start()
        self.addCleanup(thread.join)
        return thread, took

    def test_its_own_lock_delays_no_other(self):
        thread, took = self.in_thread(
            self.client(ATTACKER), "Workspace.Lock", account=ATTACKERS_NAME, now=True)
        self.assert_bounded(self.quiet, count=1)
        self.assertTrue(thread.is_alive(), "the lock was not held up")
        thread.join()
        self.assertGreater(took[0], 2)

    def test_a_lock_of_all_locks_the_others_at_once(self):
        thread, took = self.in_thread(self.client(0), "Workspace.Lock", now=True)
        start = time.monotonic()
        while self.state(VICTIMS_NAME) != "locked":
            self.assertLess(time.monotonic() - start, 1, "the victim's account is still open")
            time.sleep(0.01)
        self.assertTrue(thread.is_alive(), "the lock was not held up")
        thread.join()
        self.assertLess(took[0], 8)
        self.assertEqual(self.state(ATTACKERS_NAME), "locked")

    def test_its_wipe_delays_no_other(self):
        with self.client(ATTACKER) as client:
            # One of its own that stands in the way of none but itself.
            thread, _ = self.in_thread(client, "Workspace.Lock", account=ATTACKERS_NAME, now=True)
            self.assert_bounded(self.quiet, count=1)
            thread.join()


class Descriptors(SharesCase):
    """A daemon that may have few descriptors."""

    LIMIT = 3000

    @classmethod
    def prepare(cls):
        few = (
            "prlimit", f"--nofile={cls.LIMIT}:{cls.LIMIT}", "setpriv", "--inh-caps=-sys_resource",
               "--bounding-set=-sys_resource", "--")
        cls.workspace.mount = functools.partial(cls.workspace.mount, prefix=few)

    def holder(self, uid, way, most):
        """A program of that user's that holds what it could open; how many, and the error that
        ended it."""
        program = subprocess.Popen(
            ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", sys.executable, "-B",
            "-c", OPENS,
             self.home(uid), str(most), way], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
             text=True)
        self.addCleanup(lambda: program.communicate(timeout=30))
        count, error = program.stdout.readline().split()
        return int(count), error

    def test_files_of_two_users(self):
        total = self.LIMIT * 2 // 5
        self.assertEqual(self.holder(ATTACKER, "files", 2500), (total // 2, "EMFILE"))
        count, error = self.holder(STRANGER, "files", 2500)
        self.assertEqual(error, "EMFILE")
        self.assertLessEqual(count, total // 4 + 1)
        self.assert_bounded(self.quiet)
        # A victim that needs many finds some.
        self.assertEqual(self.holder(VICTIM, "files", 100), (100, "none"))

    def test_directories(self):
        count, error = self.holder(ATTACKER, "directory", 2500)
        self.assertEqual((count, error), (2048, "EMFILE"))
        self.assert_bounded(self.quiet)

    def test_look_ups_of_many_files(self):
        def make():
            for number in range(6000):
                os.mknod(self.home(ATTACKER, f"known-{number}"))
        self.assertEqual(as_user(ATTACKER, make), 0)
        script = (
            "import os, sys\nos.nice(19)\nprint('begun', flush=True)\n"
            "while True:\n"
            "    for entry in os.scandir(sys.argv[1]): entry.stat()\n")
        with in_background(ATTACKER, script, self.home(ATTACKER), count=2):
            self.assert_bounded(self.quiet)
            self.assertEqual(self.holder(VICTIM, "files", 200), (200, "none"))

    def test_renames(self):
        with in_background(ATTACKER, RENAMES, self.home(ATTACKER), count=4):
            self.assert_bounded(self.quiet)


if __name__ == "__main__":
    unittest.main()
