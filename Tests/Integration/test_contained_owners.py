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


if __name__ == "__main__":
    import unittest

    unittest.main()
