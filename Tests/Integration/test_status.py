"""What `status` says at a glance: windows and their time, what keeps them closed, the last verify,
what is not mounted."""
import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import unittest

from terminal import Terminal, on_terminal
from tracing import recording
from running import has_ended
from workspace import (
    ANN, BOB, CLOSED, DONE, NO, NOT_FOUND, REFUSED, UNREACHABLE, USAGE, Workspace,
    WorkspaceCase, wait_until)

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


class Status(WorkspaceCase):
    settings = {
        "LockGraceSeconds": 300, "LockOn": {"IdleSeconds": 900}, "DebugSettingsEnabled": True}
    accounts = (ANN, BOB)

    def status(self):
        reports = json.loads(self.workspace.serving("status", "--json").stdout)
        return reports[0]

    def account(self, name=ANN):
        return next(found for found in self.status()["accounts"] if found["name"] == name)

    def text(self):
        return self.workspace.serving("status").stdout

    def test_windows(self):
        path = self.directory / "held"
        self.workspace.write_as(ANN, path, "x")
        self.workspace.await_closed()
        before = self.account()
        self.assertEqual((before["openClasses"], before["openFiles"]), (["A", "B", "C", "D"], 0))
        self.assertTrue(880 < before["idleSeconds"] <= 900, before)
        self.assertIsNone(before["graceSeconds"])
        with open(path):
            self.assertEqual((self.account()["openFiles"], self.account(BOB)["openFiles"]), (1, 0))
        self.workspace.serving("lock", ANN)
        closing = self.account()
        self.assertTrue(280 < closing["graceSeconds"] <= 300, closing)
        self.assertIsNone(closing["idleSeconds"])
        self.assertRegex(self.text(), rf"{ANN}  closing, locks in (5 min|4 min \d+ s)\n")
        self.workspace.lock()
        self.assertEqual(self.account()["openClasses"], ["C", "D"])
        self.assertRegex(self.text(), rf"{ANN}  locked\n(.*\n){{0,4}} +next  mamctl unlock {ANN}\n")
        self.workspace.unlock()

    def test_blocked(self):
        """Time passes without a check-in."""
        self.workspace.serving("account check-in")
        self.assertLess(self.account()["secondsSinceCheckIn"], 60)
        policy, = self.workspace.policies.iterdir()
        good = policy.read_text()
        self.addCleanup(self.restore, policy, good)
        policy.write_text(
            json.dumps({**json.loads(good), "periodOfflineBeforeAccessCheck": "PT2H"}))
        self.workspace.serving("account check-in")
        left = self.account()
        self.assertTrue(7100 < left["offlineBlockSeconds"] <= 7200, left)
        self.assertRegex(self.text(), r"without one blocked in [12] h\n")
        # The daemon checks in by itself, as long as there is something to read.
        policy.write_text("no JSON")
        self.advance(7300)
        blocked = self.account()
        self.assertEqual(
            (blocked["block"], blocked["offlineBlockSeconds"]), ("offline", 0), blocked)
        self.assertGreater(blocked["secondsSinceCheckIn"], 7200)
        self.assertRegex(
            self.text(),
            rf"{ANN}  blocked\n +because  no check-in for 7200 s .*\n(.*\n){{0,5}} +next  mamctl "
            rf"account check-in\n")

    def restore(self, policy, text):
        policy.write_text(text)
        self.workspace.serving("account check-in")
        for account in self.accounts:
            self.workspace.unlock(account)

    def advance(self, seconds):
        from socket_client import Client
        client = Client(self.workspace.socket)
        client.call("Enrollment.AdvanceClock", seconds=seconds)
        client.close()

    def test_last_verify(self):
        self.write(self.directory / "file", b"x")
        self.workspace.ctl("verify", self.directory)
        self.assertIsNone(
            self.status()["lastVerify"], "a check of a part says nothing of the whole")
        for whole in ((), (self.workspace.mount_point,)):
            self.workspace.serving("verify", *whole)
            last = self.status()["lastVerify"]
            self.assertEqual((last["repair"], last["counts"]["left"]), (False, 0))
            self.assertRegex(
                self.text(), r" +verified  (just now|\d+ s ago): \d+ files?, .* nothing wrong\n")
            (self.workspace.state / "last-verify.json").unlink()
        self.workspace.serving("verify")
        before = self.status()["lastVerify"]
        self.workspace.remount()
        self.workspace.unlock(BOB)
        self.assertEqual(self.status()["lastVerify"], before)

    def test_narrow(self):
        status, shown = on_terminal(
            ["mamctl", "status", "--workspace", "work"], self.workspace.environment, columns=44)
        self.assertEqual(status, DONE)
        self.assertIn("\x1b[32munlocked\x1b[0m", shown)
        # What cannot be broken stands in a line of its own.
        long = [
            line for line in ESCAPES.sub("", shown).split("\n") if len(line) > 44
            and "/" not in line]
        self.assertEqual(long, [])


def beside(case, workspace, *options, name="other"):
    """Another workspace of the same user, mounted."""
    other = Workspace(name)
    case.addCleanup(other.close)
    other.environment = workspace.environment
    other.ctl("init", other.backing, "--name", name, "--settings", other.settings)
    other.ctl("mount", other.backing, other.mount_point, *options)
    return other


def answer_nothing(listener):
    connection, _ = listener.accept()
    with connection:
        connection.recv(1 << 16)
        connection.sendall(b'{"parameters":{}}\0')
        connection.recv(1)


class Stopped(WorkspaceCase):
    """A class of its own: what the daemon was asked meanwhile, it does when it goes on."""

    def test_a_stopped_daemon(self):
        other = beside(self, self.workspace, "-o", "ro")
        daemon = self.workspace.daemon()
        os.kill(daemon, signal.SIGSTOP)
        try:
            shown = other.ctl("status", status=UNREACHABLE).stdout
            self.assertIn(f"other  at {other.mount_point}, read-only\n", shown)
            self.assertIn(
                f"work  does not answer\n because  the daemon of workspace 'work', process "
                f"{daemon}, is stopped "
                f"and does not answer\n    next  kill -CONT {daemon}", shown)
            found = json.loads(other.ctl("status", "--json", status=UNREACHABLE).stdout)
            self.assertEqual(
                [("error" in part, part.get("readOnly")) for part in found[:2]],
                [(False, True), (True, None)])
            # Which workspace is meant is not guessed from which one answers.
            self.assertIn("several workspaces", other.ctl("lock", status=USAGE).stderr)
            everywhere = other.ctl("lock", "--all", "--json", status=UNREACHABLE)
            self.assertIn("kill -CONT", everywhere.stderr)
            found = json.loads(everywhere.stdout)
            self.assertEqual(
                [(part["workspace"], "error" in part) for part in found],
                [("other", False), ("work", True)])
        finally:
            os.kill(daemon, signal.SIGCONT)
        self.workspace.serving("status")


class NoAnswer(WorkspaceCase):
    def test_an_answer_that_is_not_understood(self):
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.workspace.socket.with_name("odd.sock")))
            listener.listen()
            threading.Thread(target=answer_nothing, args=(listener,), daemon=True).start()
            try:
                shown = self.workspace.ctl("status", status=NO).stdout
            finally:
                os.unlink(listener.getsockname())
        self.assertIn("odd  cannot be shown\n because  cannot parse the daemon's answer", shown)
        self.assertIn(f"work  at {self.workspace.mount_point}\n", shown)

    def test_all_lock_at_once(self):
        other = beside(self, self.workspace, name="another")
        other.register(BOB)
        self.assertIn("several workspaces", other.ctl("lock", "--now", status=USAGE).stderr)
        shown = other.ctl("lock", "--all", "--now").stdout
        self.assertRegex(shown, rf"another:\n{BOB} +locked.*\nwork:\n{ANN} +locked")
        self.assertIn(
            "is not unlocked",
            self.workspace.serving("wait", "--timeout", "0", status=CLOSED).stderr)
        self.workspace.unlock()
        self.workspace.serving("wait", "--unlocked", "--timeout", "60")
        other.unmount()
        other.serving("wait", "--mounted", "--timeout", "0", status=UNREACHABLE)

    def test_a_call_that_takes_long_is_waited_for(self):
        with subprocess.Popen(
                ["mamctl", "data", "protect", "--owner", ANN, "--workspace", "work"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                env=self.workspace.environment) as slow:
            sent = self.workspace.root / "sent"
            with recording(slow.pid, "sendmsg,sendto,write", sent):
                # It asks whether the daemon is all right, and is told so.
                wait_until(lambda: "org.varlink.service" in sent.read_text(), message="it waits on")
            sealed, _ = slow.communicate(b"late")
        self.assertEqual(slow.returncode, DONE)
        self.assertTrue(sealed)

    def test_a_dead_mount(self):
        mortal = beside(self, self.workspace, name="mortal")
        daemon = mortal.daemon()
        os.kill(daemon, signal.SIGKILL)
        wait_until(lambda: has_ended(daemon))
        shown = mortal.ctl("status").stdout
        self.assertIn(f"mortal  dead at {mortal.mount_point}\n", shown)
        self.assertIn(f"next  mamctl mount {mortal.backing} {mortal.mount_point}\n", shown)
        mortal.mount()
        mortal.unmount()


class NotMounted(WorkspaceCase):
    mounted = False

    def test_not_mounted(self):
        result = self.workspace.ctl("status", status=UNREACHABLE)
        self.assertIn(
            f"work  not mounted\n    next  mamctl mount {self.workspace.backing} MOUNTPOINT\n",
            result.stdout)
        told = json.loads(self.workspace.ctl("status", "--json", status=UNREACHABLE).stdout)
        found = {workspace["name"]: workspace for workspace in told}["work"]
        self.assertEqual(
            (found["mounted"], found["next"]),
            (False, f"mamctl mount {self.workspace.backing} MOUNTPOINT"))
        place = self.workspace.policies.parent / "mount"
        place.write_text(
            f"BACKING={self.workspace.backing}\nMOUNTPOINT={self.workspace.mount_point}\n")
        command = f"mamctl mount {self.workspace.backing} {self.workspace.mount_point}"
        self.assertIn(f"next  {command}\n", self.workspace.ctl("status", status=UNREACHABLE).stdout)

    def test_beside_a_mounted_one(self):
        other = beside(self, self.workspace)
        try:
            reports = json.loads(other.ctl("status", "--json").stdout)
            self.assertEqual(
                [(found["name"], found.get("mounted")) for found in reports],
                [("other", None), ("work", False)])
            self.assertIn("\n\nwork  not mounted\n", other.ctl("status").stdout)
            self.assertIn("mamctl account register UPN", other.ctl("status").stdout)
        finally:
            other.ctl("unmount", other.mount_point)


class Remove(WorkspaceCase):
    def test_a_workspace_goes_and_its_files_stay(self):
        workspace = self.workspace
        path = self.write(self.directory / "file", b"x")
        remove = ("workspace", "remove", "work")
        self.assertIn("is mounted", workspace.ctl(*remove, status=NO).stderr)
        workspace.unmount()
        quarantined = workspace.on_disk(".mamd", "quarantine", "kept")
        quarantined.parent.mkdir(exist_ok=True)
        quarantined.touch()
        self.assertIn("1 sealed file", workspace.ctl(*remove, status=REFUSED, input=b"").stderr)
        workspace.ctl(*remove, "--confirm", "other", status=USAGE)
        self.assertIn("not mounted", workspace.ctl("workspace", "list").stdout)
        before = self.backing_of(path).read_bytes()
        # What a link leads to is not the workspace's.
        victim = workspace.root / "victim"
        victim.mkdir()
        (victim / "file").touch()
        os.symlink(victim, workspace.state / "link")
        shown = json.loads(workspace.ctl(*remove, "--confirm", "work", "--json").stdout)
        self.assertEqual((shown["sealedFiles"], shown["left"]), (1, [str(quarantined.parent)]))
        self.assertEqual(self.backing_of(path).read_bytes(), before)
        self.assertTrue((victim / "file").exists() and quarantined.exists())
        self.assertFalse(workspace.state.exists() or workspace.policies.exists())
        self.assertFalse(workspace.on_disk(".mamd", "workspace.json").exists())
        workspace.ctl(*remove, status=NOT_FOUND)

    def test_a_directory_of_another_workspace_is_left(self):
        other = Workspace("moved")
        self.addCleanup(other.close)
        other.ctl("init", other.backing, "--name", "moved")
        manifest = other.on_disk(".mamd", "workspace.json")
        manifest.write_text(re.sub(
            r'("id" *: *")(.)', lambda found: found[1] + ("1" if found[2] == "0" else "0"),
            manifest.read_text()))
        remove = ("workspace", "remove", "moved")
        refusal = other.ctl(*remove, status=REFUSED, input=b"").stderr
        self.assertIn(f"its files cannot be found at {other.backing}", refusal)
        shown = json.loads(other.ctl(*remove, "--confirm", "moved", "--json").stdout)
        self.assertIsNone(shown["sealedFiles"])
        self.assertTrue(manifest.exists())


class RemoveWithCare(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        self.workspace.init()
        self.workspace.mount()
        self.workspace.register()
        self.workspace.unmount()

    def test_what_nothing_opens_any_more_is_not_promised(self):
        workspace, sealed = self.workspace, self.workspace.on_disk("sealed")
        workspace.mount()
        workspace.unlock()
        workspace.path("sealed").write_bytes(b"sealed")
        before = sealed.read_bytes()
        workspace.ctl("wipe", ANN, "--confirm", ANN, input=b"")
        workspace.unmount()
        # As a backup brings it back, without its keys.
        sealed.write_bytes(before)
        # `leave` copies no pipe either.
        os.mkfifo(workspace.backing / "pipe")
        removed = workspace.ctl("workspace", "remove", "work", "--confirm", "work").stdout
        self.assertIn(
            "1 file sealed under keys that are gone\nnothing opens them without an export", removed)
        self.assertNotIn("mamctl leave", removed)

    def test_of_two_copies_none_is_taken(self):
        workspace, copy = self.workspace, self.workspace.root / "copy"
        shutil.copytree(workspace.backing, copy, symlinks=True)
        unit = workspace.policies.parent / "mount"
        unit.write_text(f"BACKING={copy}\n")
        remove = ("workspace", "remove", "work", "--confirm", "work")
        self.assertIn(f"at {copy} for its unit", workspace.ctl(*remove, status=NO).stderr)
        # The unit's is meant, also while it is not there.
        copy.rename(workspace.root / "away")
        self.assertIn(f"not found, and left as it is: {copy}\n", workspace.ctl(*remove).stdout)
        self.assertTrue(workspace.on_disk(".mamd", "workspace.json").exists())

    @unittest.skipUnless(os.getuid() == 0, "mounts, which only root can")
    def test_what_cannot_be_removed_whole_is_found_again(self):
        workspace, manifest = self.workspace, self.workspace.on_disk(".mamd", "workspace.json")
        remove = ("workspace", "remove", "work", "--confirm", "work")
        keybags = workspace.state / "keybags"
        with bind_mount(workspace.policies.parent, "remount,bind,ro"):
            workspace.ctl(*remove, status=NO)
            self.assertTrue(list(keybags.iterdir()))
        with bind_mount(keybags):
            workspace.ctl(*remove, status=NO)
            self.assertTrue(manifest.exists())
        workspace.ctl(*remove)
        self.assertFalse(manifest.exists() or workspace.state.exists())

    def test_a_snapshot_keeps_its_keys(self):
        workspace, snapshot = self.workspace, self.workspace.root / "snapshot"
        shutil.copytree(workspace.state, snapshot, copy_function=os.link, symlinks=True)
        keybags = [path for path in (snapshot / "keybags").rglob("*") if path.is_file()]
        before = [path.read_bytes() for path in keybags]
        workspace.ctl("workspace", "remove", "work", "--confirm", "work")
        self.assertTrue(keybags)
        self.assertEqual([path.read_bytes() for path in keybags], before)

    def test_nobody_serves_it_while_its_name_is_typed(self):
        asked = Terminal(["mamctl", "workspace", "remove", "work"], self.workspace.environment)
        asked.read(until=b"to continue")
        with open(self.workspace.on_disk(".mamd", "lock")) as lock:
            with self.assertRaises(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        asked.type("no\n")
        self.assertEqual(asked.finish()[0], NO)


@contextlib.contextmanager
def bind_mount(path, remount=None):
    """The directory as a mount of its own, which nobody removes."""
    subprocess.run(["mount", "--bind", path, path], check=True)
    try:
        if remount:
            subprocess.run(["mount", "-o", remount, path], check=True)
        yield
    finally:
        subprocess.run(["umount", path], check=True)
