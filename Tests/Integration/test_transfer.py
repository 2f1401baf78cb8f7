"""A managed file opens to programs that act for its owner, and to others only where policy sends to
all apps."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from workspace import ANN, BOB, DONE, PERSONAL, PROGRAMS, REFUSED, WorkspaceCase, pattern

NEEDS = ("git", "rsync")

SCRIPT = b"#!/bin/sh\necho managed\n"


def policy(level):
    return {
        "@odata.type": "#microsoft.graph.iosManagedAppProtection", "displayName": "transfers",
        "version": "1",
        "allowedOutboundDataTransferDestinations": level,
        "appDataEncryptionType": "whenDeviceLocked"}


class Transfers(WorkspaceCase):
    """What is the same under every policy, and how to ask."""

    accounts = (ANN, BOB)

    def managed(self, name="file", data=SCRIPT):
        path = self.write(self.directory / name, data)
        path.chmod(0o755)
        self.assertEqual(self.workspace.owner(path), ANN)
        return path

    def ways(self, identity, path):
        """What a program of that identity gets by each way, while the owner has the file open and
        in the kernel's cache."""
        with open(path, "rb") as file:
            file.read()
            result = self.workspace.run_as(
                identity, sys.executable, PROGRAMS / "ways_to_content.py", path, str(os.getpid()),
                str(file.fileno()), self.workspace.mount_point)
        return json.loads(result.stdout)

    def programs(self, identity, path):
        """Which of some programs can copy the file out of the workspace."""
        out = pathlib.Path(tempfile.mkdtemp(dir=self.workspace.root))
        subprocess.run(["git", "init", "-q", out / "git"], check=True)
        commands = {
            "cat": f'cat "$1" > {out}/cat', "cp": f'cp "$1" {out}/cp',
            "reflink": f'cp --reflink=auto "$1" {out}/reflink',
            "tar": f'tar -cf {out}/tar -C "$(dirname "$1")" "$(basename "$1")"',
            "rsync": f'rsync -a "$1" {out}/rsync',
            "dd": f'dd if="$1" of={out}/dd status=none',
            "git": f'git --git-dir={out}/git/.git --work-tree="$(dirname "$1")" add "$1"'}
        return {
            name for name, command in commands.items()
            if self.workspace.run_as(
                identity, "sh", "-c", command, "sh", path, check=False).returncode == 0}


class OnlyManaged(Transfers):
    policy = policy("managedApps")
    # Of the owner, who gives content away or makes it plain: `saveAsBlocked` is not set.
    status_of_gift = DONE
    all_programs = {"cat", "cp", "reflink", "tar", "rsync", "dd", "git"}

    def test_no_way_leads_another_identity_to_the_content(self):
        path = self.managed()
        mine = self.ways(ANN, path)
        for name, answer in mine.items():
            if name != "by_handle":
                self.assertIn(answer, ("#!/bin/sh", "managed\n", "0"), name)
        for identity in ("", PERSONAL, BOB):
            for name, answer in self.ways(identity, path).items():
                allowed = ("EACCES",) if name != "by_handle" else (
                    "EACCES", "EOPNOTSUPP", "ESTALE", "EPERM")
                self.assertIn(answer, allowed, (identity, name))

    def test_programs_of_another_identity_copy_nothing_out(self):
        path = self.managed()
        self.assertEqual(self.programs(ANN, path), self.all_programs)
        for identity in ("", PERSONAL, BOB):
            self.assertEqual(self.programs(identity, path), set(), identity)

    def test_a_truncating_open_makes_a_file_of_its_opener(self):
        path = self.managed()
        before = self.workspace.on_disk(path.relative_to(self.workspace.mount_point)).read_bytes()
        self.workspace.await_closed()
        self.workspace.write_as(PERSONAL, path, "personal")
        self.assertEqual(self.workspace.owner(path), PERSONAL)
        self.assertEqual(path.read_bytes(), b"personal")
        self.assertNotEqual(self.backing_of(path).read_bytes()[:1024], before[:1024])
        # And a managed one again, with which the personal identity has nothing to do.
        self.workspace.await_closed()
        self.write(path, b"the organisation's")
        self.assertEqual(self.workspace.run_as(PERSONAL, "cat", path, check=False).returncode, 1)

    def test_a_truncating_open_of_a_file_in_use_gives_no_handle_on_what_its_owner_writes(self):
        path = self.managed()
        with open(path, "rb+") as held:
            result = self.workspace.run_as(
                PERSONAL, "sh", "-c", ': > "$1"', "sh", path, check=False)
            self.assertIn(b"denied", result.stderr)
            self.assertEqual(held.read(), SCRIPT)

    def test_truncating_by_path_tells_nothing_and_leaves_the_owner(self):
        path = self.managed(data=pattern(10_000))
        self.workspace.run_as(
            PERSONAL, sys.executable, "-c", "import os, sys; os.truncate(sys.argv[1], 5000)", path)
        self.assertEqual(self.workspace.owner(path), ANN)
        self.assertEqual(path.read_bytes(), pattern(10_000)[:5000])
        self.assertTrue(self.workspace.is_managed_on_disk(self.backing_of(path)))

    def test_what_is_not_managed_is_everybodys(self):
        path = self.directory / "file"
        self.workspace.write_as(PERSONAL, path, "personal")
        for identity in (ANN, BOB, ""):
            self.assertEqual(
                self.workspace.run_as(identity, "cat", path).stdout, b"personal", identity)

    def test_an_open_file_can_be_given_to_another_process(self):
        path = self.managed()
        with open(path, "rb") as file:
            result = subprocess.run(
                ["mamctl", "run", "--workspace", self.workspace.name, "--identity", "", "--",
                 "cat"],
                stdin=file, capture_output=True, env=self.workspace.environment)
        self.assertEqual(result.stdout, SCRIPT)

    def test_over_the_socket_the_rule_is_the_same(self):
        path, out = self.managed(), self.workspace.root / "decrypted"
        sealed = self.backing_of(path)
        arguments = ("--workspace", self.workspace.name)
        for identity in ("", PERSONAL, BOB):
            for verb in (
                ("decrypt", sealed, "-o", out, "--force", *arguments),
                ("owner", "--set", PERSONAL, "--unmanaged", path), ("owner", "--set", BOB, path),
                ("owner", "--set", "", "--unmanaged", path),
            ):
                result = self.workspace.run_as(identity, "mamctl", *verb, check=False)
                self.assertEqual(
                    result.returncode, REFUSED, (identity, verb, result.stdout, result.stderr))
                self.assertIn(b"whose policy shares nothing with", result.stderr)
            self.assertFalse(out.exists())
        # What changes nothing is no transfer.
        self.workspace.run_as("", "mamctl", "owner", "--set", ANN, path)
        for verb in (
                ("decrypt", sealed, "-o", out, "--force", *arguments),
                ("owner", "--set", PERSONAL, "--unmanaged", path)):
            result = self.workspace.run_as(ANN, "mamctl", *verb, check=False)
            self.assertEqual(result.returncode, self.status_of_gift, result.stderr)
        if self.status_of_gift == DONE:
            self.assertEqual(out.read_bytes(), SCRIPT)
            self.assertEqual(self.workspace.owner(path), PERSONAL)
        else:
            self.assertFalse(out.exists())
            self.assertEqual(self.workspace.owner(path), ANN)

    @unittest.skipUnless(os.getuid() == 0, "names files by path")
    def test_the_daemon_does_not_open_for_somebody_what_they_may_not(self):
        path, out = self.managed(), self.workspace.root / "encrypted"
        code = (
            "import sys; sys.path.insert(0, sys.argv[1]); from socket_client import Client; "
            "Client(sys.argv[2]).call('Workspace.Encrypt', owner=sys.argv[3], "
            "sourcePath=sys.argv[4], destinationPath=sys.argv[5])")
        for identity, status in ((BOB, 1), (ANN, 0)):
            out.write_bytes(b"")
            result = self.workspace.run_as(
                identity, sys.executable, "-B", "-c", code, pathlib.Path(__file__).parent,
                self.workspace.socket, identity, path, out, check=False)
            self.assertEqual(result.returncode, status, result.stderr)
            self.assertEqual(out.stat().st_size > 0, status == 0)

    def test_protected_data_follows_the_same_rule(self):
        name, data = self.workspace.name, self.workspace.root / "data"
        with open(data, "wb") as file:
            file.write(self.workspace.run_as(
                ANN, "sh", "-c",
                f'echo data | mamctl data protect --owner {ANN} --workspace {name}').stdout)
        command = f'mamctl data unprotect --workspace {name} < {data}'
        result = self.workspace.run_as(ANN, "sh", "-c", command, check=False)
        plain = b"data\n" if self.status_of_gift == DONE else b""
        self.assertEqual((result.returncode, result.stdout), (self.status_of_gift, plain))
        for identity in ("", PERSONAL, BOB):
            result = self.workspace.run_as(identity, "sh", "-c", command, check=False)
            self.assertEqual((result.returncode, result.stdout), (REFUSED, b""), result.stderr)

    def test_the_daemons_own_opens_are_no_transfers(self):
        path = self.managed()
        with open(path, "rb") as file:
            file.read()
            self.workspace.lock()
            self.workspace.unlock()
        result = self.workspace.run_as("", "mamctl", "verify", "--workspace", self.workspace.name)
        self.assertEqual(result.returncode, DONE)
        self.workspace.run_as("", "mamctl", "class", "--set", "B", path)
        self.assertEqual(path.read_bytes(), SCRIPT)

    def test_names_of_the_same_account_are_the_same(self):
        path = self.managed()
        self.assertEqual(self.workspace.run_as(ANN.upper(), "cat", path).stdout, SCRIPT)


class ToNobody(OnlyManaged):
    """`none` is at least as strict: not even the owner gives anything away."""
    policy = policy("none")
    status_of_gift = REFUSED


class AllApps(Transfers):
    policy = policy("allApps")

    def test_everybody_may_open_what_policy_sends_everywhere(self):
        path = self.managed()
        for identity in ("", PERSONAL, BOB, ANN):
            for name, answer in self.ways(identity, path).items():
                if name != "by_handle":
                    self.assertIn(answer, ("#!/bin/sh", "managed\n", "0"), (identity, name))
            self.assertEqual(self.programs(identity, path), OnlyManaged.all_programs, identity)

    def test_a_copy_belongs_to_who_copied(self):
        path, copy = self.managed(), self.directory / "copy"
        self.workspace.run_as(PERSONAL, "cp", path, copy)
        self.assertEqual(self.workspace.owner(copy), PERSONAL)
        self.assertEqual(self.backing_of(copy).read_bytes()[-len(SCRIPT):], SCRIPT)
