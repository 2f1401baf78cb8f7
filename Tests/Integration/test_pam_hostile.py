"""pam_mamd.so and daemons that are none: what a user's own process answers delays a login by
seconds, and does nothing else."""
import contextlib
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from login_case import LoginCase
from ordinary_user import NOBODY
from running import PREFIX
from workspace import ANN, PASSPHRASE, PROGRAMS, ROOT

ID = "0123456789abcdef" * 2
ACCOUNT = {
    "id": ID, "name": ANN, "objectId": "", "uid": NOBODY, "state": "locked", "hasPassphrase": True,
    "retryAfterSeconds": 0, "block": None, "lastTry": None}
NEXT = "the next of them, 2 words longer"


def reply(**parameters):
    return json.dumps({"parameters": parameters}).encode() + b"\0"


def failure(name, **parameters):
    return json.dumps(
        {"error": f"io.mamd.Workspace.{name}", "parameters": parameters}).encode() + b"\0"


def list_of(**changes):
    return reply(accounts=[ACCOUNT | changes])


class FalseDaemon:
    """Answers each call with the next of `replies`, then hangs up; None answers nothing.
    `user`: who listens."""

    def __init__(self, path, *replies, user=0):
        self.replies, self.calls, self.secrets, self.end = replies, [], [], threading.Event()
        path.parent.mkdir(mode=0o755, exist_ok=True)
        self.path, self.socket = path, socket.socket(socket.AF_UNIX)
        self.socket.bind(os.fspath(path))
        path.chmod(0o666)
        # The kernel notes who that is now.
        os.seteuid(user)
        self.socket.listen()
        os.seteuid(0)
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                self.answer(self.socket.accept()[0])

    def answer(self, caller):
        with caller, contextlib.suppress(OSError):
            for text in self.replies:
                if not self.hear(caller):
                    return
                if text is None:
                    self.end.wait()
                elif callable(text):
                    text(caller, self.end)
                else:
                    caller.sendall(text)

    def hear(self, caller):
        call, descriptors, _, _ = socket.recv_fds(caller, 65536, 8)
        for one in descriptors:
            with open(one, "rb") as pipe:
                self.secrets.append(pipe.read())
        if call:
            self.calls.append(call)
        return call

    def close(self):
        self.end.set()
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self.thread.join()
        self.path.unlink()


def drip(caller, end):
    while not end.wait(0.05):
        caller.sendall(b" ")


def flood(caller, _):
    while True:
        caller.sendall(b" " * 65536)


@unittest.skipUnless(os.getuid() == 0, "makes name spaces with a process 1 of their own")
class FalseDaemons(LoginCase):
    def pretend(self, name, *replies, place=f"/run/user/{NOBODY}/mamd", **options):
        daemon = FalseDaemon(self.machine.inside(f"{place}/{name}.sock"), *replies, **options)
        self.addCleanup(daemon.close)
        return daemon

    def test_nonsense_is_told_and_does_no_harm(self):
        self.serve("honest")
        for text in (
                b"", b"\0", b"nonsense\0", b"[]\0", b"{}", b"{}\0{}\0", b'{"parameters":{}}{}\0',
                b'{"parameters":' + b"[" * 100_000 + b"\0", b'{"error":7}\0', b'{"a":"\\ud8\0',
                list_of(id='","noPassphrase":true,"x":"'), list_of(uid=str(NOBODY)),
                list_of(retryAfterSeconds=10 ** 30), flood):
            with self.subTest(text=text):
                self.lock("honest")
                with contextlib.closing(FalseDaemon(
                        self.machine.inside(f"/run/user/{NOBODY}/mamd/false.sock"), text)) as false:
                    said = self.assert_in(self.log_in(PASSPHRASE))
                self.assertNotIn("mamctl", said)
                self.assertEqual(
                    self.log.lines(), ["workspace false: not a reply of mamd"])
                self.assertEqual((len(false.calls), false.secrets), (1, []))
                self.assertEqual(self.state("honest"), "unlocked")

    def test_a_daemon_that_hangs_holds_no_login_up(self):
        silent, dripping = self.pretend("silent", None), self.pretend("dripping", drip)
        start = time.monotonic()
        self.assert_in(self.log_in(PASSPHRASE))
        # Five seconds, and what a loaded machine takes; it goes on behind the login's back.
        self.assertLess(time.monotonic() - start, 15)
        (line,) = self.log.lines(60)
        self.assertRegex(line, "^workspace (silent|dripping): no answer in time; and 1 more$")
        self.assertEqual(silent.secrets + dripping.secrets, [])

    def test_only_accounts_of_the_user_get_the_passphrase(self):
        true = self.pretend("true", list_of(), reply(account=ACCOUNT))
        self.pretend("wrong-user", list_of(uid=1))
        open_one = self.pretend("open", list_of(state="unlocked"))
        none = self.pretend("none", list_of(hasPassphrase=False))
        # Only root can make sockets there, but the module checks who listens.
        anothers = self.pretend("anothers", list_of(), place="/run/mamd", user=1)
        self.assert_in(self.log_in(PASSPHRASE))
        self.assertEqual(self.log.lines(), [])
        self.assertEqual(true.secrets, [PASSPHRASE.encode() + b"\n"])
        self.assertEqual(json.loads(true.calls[1][:-1]), {
            "method": "io.mamd.Workspace.Unlock",
            "parameters": {"account": ID, "passphraseDescriptor": 0}})
        self.assertEqual(
            [len(daemon.calls) for daemon in (open_one, none, anothers)], [1, 1, 0])

    def leave_dead(self, numbers):
        """Sockets as killed daemons leave them."""
        for number in numbers:
            path = self.machine.inside(f"/run/user/{NOBODY}/mamd/{number}.sock")
            path.parent.mkdir(mode=0o755, exist_ok=True)
            with socket.socket(socket.AF_UNIX) as dead:
                dead.bind(os.fspath(path))
            self.addCleanup(path.unlink)

    def test_a_workspace_is_found_among_many(self):
        # In the middle, whichever end of the directory is read first.
        self.leave_dead(range(100))
        true = self.pretend("true", list_of(), reply(account=ACCOUNT))
        self.leave_dead(range(100, 200))
        self.assert_in(self.log_in(PASSPHRASE))
        self.assertEqual(len(true.calls), 2)

    def test_names_are_no_commands_of_a_terminal(self):
        evil = "\x1b]0;pwned\x07 -rf \u202e $(reboot)"
        self.pretend("evil", list_of(name=evil), failure("WrongPassphrase", account=evil))
        said = self.assert_in(self.log_in(PASSPHRASE))
        self.assertIn("mamctl account passphrase ACCOUNT --workspace evil", said)
        self.assertRegex(said, r"\A[ -~\n]*\Z")

    def test_a_reason_is_told(self):
        self.pretend(
            "closed", list_of(), failure("Blocked", account=ANN, kind="offline", reason="no news"))
        self.assertIn(f"{ANN} is not unlocked: no news", self.assert_in(self.log_in(PASSPHRASE)))

    def test_what_a_person_must_know_is_told_beside_what_is_for_the_log(self):
        refusal = failure("SystemError", errno=28, reason="the disk is full")
        told = f"{ANN} is not unlocked: the disk is full; and 2 more"
        # They are called in no order.
        self.pretend("a", b"nonsense\0")
        self.pretend("m", list_of(), refusal)
        self.pretend("z", b"nonsense\0")
        self.assertIn(told, self.assert_in(self.log_in(PASSPHRASE)))
        self.assertEqual(self.log.lines(), [told])

    def test_a_change_whose_end_is_unknown(self):
        """The daemon ends after each step."""
        for replies, told in (
                ((b"",), ""),
                ((list_of(),), "does not say whether"),
                ((list_of(), failure("SystemError", errno=28, reason="the disk is full")),
                 "is not (the disk is full): it is the former one still")):
            self.set_passphrase(PASSPHRASE)
            with self.subTest(told=told), contextlib.closing(FalseDaemon(
                    self.machine.inside(f"/run/user/{NOBODY}/mamd/ends.sock"), *replies)) as ends:
                said = self.assert_in(self.change_login(PASSPHRASE, NEXT))
                self.assertIn(told, said)
                self.assertEqual(told != "", "mamctl account passphrase" in said)
                self.assertEqual(len(self.log.lines()), 1)
                if len(replies) == 2:
                    self.assertEqual(
                        ends.secrets, [PASSPHRASE.encode() + b"\n", NEXT.encode() + b"\n"])


class Replies(unittest.TestCase):
    def test_any_bytes_may_come(self):
        """The sanitizers watch."""
        with tempfile.TemporaryDirectory(prefix=PREFIX) as directory:
            place = pathlib.Path(directory)
            seeds = place / "seeds"
            seeds.mkdir()
            for number, text in enumerate((
                    list_of(), list_of(lastTry="wiped", x=[1.5e-3, {"a": "\u00e9\n\\"}, True]),
                    failure("Refused", reason="no", words=None, retryAfterSeconds=-5))):
                (seeds / str(number)).write_bytes(text[:-1])
            subprocess.run(
                ["clang", "-O1", "-std=gnu17", "-Wall", "-Wextra", "-Werror", "-fuse-ld=lld",
                 "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all", "-o",
                 place / "read", PROGRAMS / "read_replies.c", ROOT / "Sources/pam_mamd/reply.c"],
                check=True)
            said = subprocess.run(
                [place / "read", "-seed=1", "-runs=200000", seeds], capture_output=True, text=True,
                cwd=place)
            self.assertEqual(said.returncode, 0, said.stderr[-4000:])
