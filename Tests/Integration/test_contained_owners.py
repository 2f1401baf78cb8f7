"""Contained programs and files of others; programs outside and files that are not for them."""
import errno
import os
import socket
import subprocess

from socket_client import Client, Refusal
from test_contained import RESTRICTED, SECRET, Contained
from workspace import ANN, BOB, PERSONAL, SETTINGS, wait_until


def of_group(group, **rules):
    """A policy of its own for the accounts of a group."""
    target = {"@odata.type": "#microsoft.graph.groupAssignmentTarget", "groupId": group}
    return {**RESTRICTED, "displayName": group, "id": f"T_{group}",
            "allowedOutboundDataTransferDestinations": "allApps",
            "assignments": [{"target": target}], **rules}


class TwoAccounts(Contained):
    """Ann's files may be sent to all, and saved nowhere; nothing holds Bob's programs."""

    settings = {**SETTINGS, "Containment": "required", "Groups": {"ann": [ANN], "bob": [BOB]}}
    policy = [of_group("ann", saveAsBlocked=True), of_group("bob")]

    def test_a_contained_program_reads_its_own_accounts_alone(self):
        plan = self.secret()
        self.workspace.register(BOB)
        self.account = BOB
        self.contained("cp", plan, self.directory / "copy", status=1)
        self.contained("sh", "-c", 'echo more >> "$1"', "sh", plan, status=2)
        self.account = ANN
        self.assertIn(SECRET, self.contained("cat", plan))
        self.assertIn("contained programs", self.workspace.serving(
            "audit", "--event", "refused", "--json").stdout)


class Foreign(Contained):
    """What a sync service or a backup has put there, plain."""

    def put(self, name, content=b"from the sync service\n"):
        path = self.directory / name
        self.backing_of(path).write_bytes(content)
        return path

    def test_nothing_plain_is_written(self):
        plan = self.secret()
        for name, script, status in (
                ("appended", 'cat "$1" >> "$2"', 2),
                ("in place", 'dd if="$1" of="$2" conv=notrunc', 1),
                ("mapped", 'python3 -c "import mmap, sys; mmap.mmap('
                           'open(sys.argv[1], \'r+b\').fileno(), 0)[:4] = b\'Cont\'" "$2"', 1),
                ("cut", 'truncate -s 5 "$2"', 1)):
            with self.subTest(name):
                path = self.put(name)
                self.contained("sh", "-c", script, "sh", plan, path, status=status)
                self.assertEqual(self.backing_of(path).read_bytes(), b"from the sync service\n")
        # Nor where somebody has it open, who would read it.
        path = self.put("held")
        with open(path, "rb"):
            self.contained("sh", "-c", 'cat "$1" >> "$2"', "sh", plan, path, status=2)
            self.contained("cp", plan, path, status=1)

    def test_what_replaces_it_is_sealed(self):
        plan = self.secret()
        for name, command in (
                ("overwritten", ["cp", plan]), ("replaced", ["cp", "--remove-destination", plan]),
                ("linked", ["ln", "-f", plan])):
            with self.subTest(name):
                path = self.put(name)
                self.contained(*command, path)
                self.assertNotIn(SECRET, self.backing_of(path).read_bytes())
                self.assertEqual(self.workspace.owner(path), ANN)


class Special(Contained):
    """FIFOs and sockets that arrive in the backing directory: the kernel opens them itself."""

    def test_they_are_listed_and_not_opened(self):
        plan, fifo, other = (self.directory / name for name in ("plan.txt", "fifo", "socket"))
        self.secret(plan.name)
        os.mkfifo(self.backing_of(fifo))
        place = os.open(self.backing_of(other).parent, os.O_PATH)
        self.addCleanup(os.close, place)
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(f"/proc/self/fd/{place}/{other.name}")
        listed = {entry.name: entry for entry in os.scandir(self.directory)}
        self.assertLessEqual({"fifo", "socket", "plan.txt"}, set(listed))
        for path in fifo, other:
            for call in os.stat, os.listxattr, lambda path: os.open(path, os.O_PATH):
                with self.refused(errno.EACCES):
                    call(path)
        with self.refused(errno.EACCES):
            os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.contained("sh", "-c", 'cat "$1" > "$2"', "sh", plan, fifo, status=2)
        self.workspace.ctl("verify", self.directory)


class SpecialBefore(Contained):
    """The kernel does not remember from before the policy that they may be opened."""

    policy = {**RESTRICTED, "allowedOutboundDataTransferDestinations": "allApps"}

    def test_they_are_closed_when_it_comes(self):
        fifo = self.directory / "fifo"
        os.mkfifo(fifo)
        fifo.stat()
        (document,) = self.workspace.policies.iterdir()
        document.write_text(document.read_text().replace("allApps", "managedApps"))

        def is_refused():
            try:
                fifo.stat()
            except PermissionError:
                return True
            return False

        wait_until(is_refused, message="the policy does not reach it")


class GivenAway(Contained):
    """Who may not read a file neither gives it away nor makes it plain."""

    def test_no_verb_does(self):
        plan = self.secret()
        out = self.workspace.root / "out"
        for words in (
                ["decrypt", plan], ["decrypt", "--output", out, plan],
                ["protect", "--unmanaged", "--owner", PERSONAL, plan],
                ["owner", "--unmanaged", plan, PERSONAL], ["provider", "import", plan, out]):
            with self.subTest(words[0]):
                done = subprocess.run(
                    ["mamctl", *map(str, words)], capture_output=True, timeout=60,
                    env=self.workspace.environment)
                self.assertNotEqual(done.returncode, 0, words)
                self.assert_kept(plan)

    def test_no_call_does(self):
        plan = self.secret()
        self.workspace.register(BOB)
        for method, parameters in (
                ("Protection.DecryptFile", {}),
                ("Protection.Protect", {"owner": PERSONAL, "unmanaged": True}),
                ("Protection.Protect", {"owner": BOB}), ("Protection.EncryptFile", {"owner": BOB}),
                ("Protection.VerifyAndProtect", {"owner": BOB}),
                ("Workspace.SetOwner", {"owner": "", "unmanaged": True}),
                ("Workspace.SetOwner", {"owner": BOB})):
            with self.subTest(method, **parameters), Client(self.workspace.socket) as client:
                with self.assertRaises(Refusal) as refusal:
                    client.call(method, path=os.fspath(plan), **parameters)
                self.assertIn("contained programs", str(refusal.exception))
                self.assert_kept(plan)
        told = self.workspace.serving("audit", "--event", "refused", "--json").stdout
        self.assertIn("Protection.DecryptFile", told)
        # To its owner nothing is given.
        with Client(self.workspace.socket) as client:
            client.call("Protection.Protect", path=os.fspath(plan), owner=ANN)

    def test_a_file_of_ones_own_comes_in(self):
        note = self.directory / "note.txt"
        self.workspace.write_as(PERSONAL, note, "mine")
        self.workspace.serving("protect", "--owner", ANN, note)
        self.assert_kept(note)

    def assert_kept(self, path):
        with self.refused(errno.EACCES):
            path.read_bytes()
        self.assertEqual(self.workspace.owner(path), ANN)


class Told(Contained):
    settings = {**SETTINGS, "Containment": "required", "VerboseLoggingEnabled": True}

    def test_questions_leave_nothing_in_the_log(self):
        """A contained program may ask, and what it asks is of its own making."""
        with Client(self.workspace.socket) as client:
            client.call("Policy.CanOpenURL", account=ANN, url=f"https://x.example/{SECRET}")
            client.call("Policy.ConfigurationValue", account=ANN, key=f"{SECRET}")
            for method, parameters in (
                    ("CanSave", {"account": "me", "location": f"{SECRET}"}),
                    ("Ask", {"question": f"{SECRET}"}), (f"{SECRET}", {})):
                with self.assertRaises(Refusal):
                    client.call(f"Policy.{method}", **parameters)
        log = self.workspace.daemon_log.read_text(errors="replace")
        self.assertIn("CanOpenURL", log)
        self.assertNotIn("Fabrikam", log)


if __name__ == "__main__":
    import unittest

    unittest.main()
