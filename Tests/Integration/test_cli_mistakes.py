"""Typical mistakes: the status, what is wrong, and what to do next."""
import os
import socket
import subprocess
import unittest

from running import open_files
from socket_client import Client
from workspace import (
    ANN, BOB, CLOSED, DAMAGED, NO, NOT_FOUND, NOT_MANAGED, UNREACHABLE, USAGE, WRONG_PASSPHRASE,
    Workspace, WorkspaceCase, wait_until)

NEEDS = ("strace",)

OID = "5a3c1f0e-7d2b-4a6e-9c11-0b8d5e2f7a90"


class Mistakes(WorkspaceCase):
    accounts = (ANN, BOB)

    def test_each_says_what_to_do(self):
        workspace = self.workspace
        place = workspace.root / "place"
        place.mkdir()

        def made(name, data=b"text"):
            path = place / name
            path.write_bytes(data)
            return path

        plain, sealed, damaged = made("plain"), made("sealed"), made("damaged", os.urandom(9000))
        for path in (sealed, damaged):
            workspace.ctl("encrypt", path, "--owner", ANN)
        with open(damaged, "r+b") as file:
            file.seek(20)
            file.write(b"\xff" * 40)
        inside = self.write(self.directory / "inside", b"text")
        bobs = self.write(self.directory / "bobs", b"text")
        workspace.ctl("owner", "--set", BOB, bobs)
        bad_settings, bad_policy = made("bad.json", b'{"KeyDerivation": 1}'), made(
            "policy.json", b"{")
        wrong, two_lines = workspace.secret("wrong", "wrong"), workspace.secret("two", "a\nb")
        right, missing, fifo = workspace.passfile, place / "missing", place / "fifo"
        os.mkfifo(fifo)
        full = place / "full"
        full.mkdir()
        (full / "x").touch()
        workspace.lock(BOB)
        mistakes = (
            # The command line.
            (["ecnrypt", plain], USAGE, "mamctl help encrypt"),
            (["account", "regster"], USAGE, "mamctl help account"),
            (["verify-protct", plain], USAGE, "mamctl help verify-protect"),
            (["encrypt", plain], USAGE, "--owner UPN"),
            (["encrypt", "--ownr", ANN, plain], USAGE, "'--owner'"),
            (["encrypt", plain, "--owner"], USAGE, "UPN"),
            (["status", "--json=1"], USAGE, "mamctl status"),
            (["class", "--set", "X", inside], USAGE, "--set CLASS"),
            (["can", "prnt"], USAGE, "'print'"),
            (["threat", "set", "hihg"], USAGE, "'high'"),
            (["completions", "tcsh"], USAGE, "bash|zsh|fish"),
            (["mount", workspace.backing], USAGE, "MOUNTPOINT"),
            (["can", "copy", "many"], USAGE, "COUNT"),
            (["encrypt", "-", "-", "--owner", ANN], USAGE, "-o OUT"),
            (["decrypt", "-", "-"], USAGE, "-o OUT"),
            (["status", "--workspace", "a/b"], USAGE, "mamctl status"),
            (["wipe", ANN], USAGE, "--confirm"), (["account", "deregister", ANN], USAGE, "--wipe"),
            # Files.
            (["owner", missing], NOT_FOUND, "ls"), (["owner", place], NO, "mamctl protect"),
            (["protect", place], NO, "a directory in a mounted workspace"),
            (["protect", inside, "--owner", "nobody"], USAGE, "--owner '' --unmanaged"),
            (["protect", inside, "--owner", "-", "--unmanaged"], USAGE, "--owner '' --unmanaged"),
            (["owner", "--set", "nobody", "--unmanaged", inside], USAGE, "--set '' --unmanaged"),
            (["owner", fifo], NO, "mamctl encrypt -"),
            (["encrypt", sealed, "--owner", ANN], NO, "mamctl info"),
            (["decrypt", plain], NOT_MANAGED, "mamctl info"),
            (["encrypt", plain, "--owner", ANN, "-o", sealed], NO, "--force"),
            (["encrypt", plain, "--owner", ANN, "-o", place / "no" / "where"], NOT_FOUND, "ls"),
            (["encrypt", plain, "--owner", ANN, "-o", self.directory / "new"], NO,
             "copy the plain file"),
            (["owner", damaged], DAMAGED, "mamctl verify"),
            (["decrypt", damaged, "-o", place / "out"], DAMAGED, "mamctl verify"),
            (["owner", "--set", ANN, plain], NO, "mamctl encrypt"),
            (["class", "--set", "B", plain], NO, "mamctl status"),
            (["protect", plain, "--owner", ANN], NO, "mamctl encrypt"),
            (["decrypt", bobs], CLOSED, f"mamctl unlock {BOB}"),
            # Accounts.
            (["unlock", "eve@contoso.com", "--passfile", right], NOT_FOUND,
             "mamctl account register"),
            (["unlock", workspace.mount_point], NOT_FOUND, "mamctl unlock --workspace work"),
            (["unlock", place], NOT_FOUND, "which is a path"),
            (["account", "register", OID], USAGE, f"mamctl account register UPN --oid {OID}"),
            (["account", "login", OID, "--register"], USAGE, f"--oid {OID}"),
            (["unlock", BOB, "--passfile", wrong], WRONG_PASSPHRASE,
             f"enter it again; if it is forgotten: mamctl account passphrase {BOB} --export FILE,"),
            (["unlock", BOB, "--passfile", two_lines], USAGE, "only the passphrase"),
            (["unlock", BOB, "--passfile", missing], NOT_FOUND, "ls"),
            (["unlock", BOB, "--extpass", "false"], NO, "on its own"),
            (["unlock", "--passfile", right], USAGE, "mamctl unlock ACCOUNT"),
            (["account", "register", ANN, "--passfile", right], NO, f"mamctl unlock {ANN}"),
            (["encrypt", plain, "--owner", "eve@contoso.com"], NOT_MANAGED, "mamctl account list"),
            # Workspaces.
            (["status", "--workspace", "nosuch"], UNREACHABLE, "mamctl mount"),
            (["init", workspace.backing], NO, "mamctl mount"), (["init", full], NO, "--adopt"),
            (["init", place / "w", "--settings", bad_settings], USAGE, "mamctl configure"),
            (["init", place / "w", "--name", ".x"], USAGE, "--name"),
            (["init", self.directory / "w"], NO, "outside"),
            (["mount", place, full], NOT_FOUND, "mamctl init"),
            (["mount", workspace.backing, full], NO, "empty"),
            (["mount", workspace.backing, workspace.mount_point], NO, "mamctl status"),
            (["unmount", place], NO, "mamctl status"),
            (["policy", "import", bad_policy], USAGE, "mamctl policy check"),
        )
        for words, status, following in mistakes:
            with self.subTest(words=[str(word) for word in words]):
                said = workspace.ctl(*words, status=status, input=b"").stderr
                self.assertTrue(said.startswith("mamctl: "), said)
                self.assertIn("\n  try: ", said)
                self.assertIn(following, said)
        self.assertGreaterEqual(len(mistakes), 40)
        self.assertEqual((plain.read_bytes(), inside.read_bytes()), (b"text", b"text"))
        self.assertFalse((place / "out").exists())


class InUse(WorkspaceCase):
    def tearDown(self):
        self.workspace.mount()
        self.workspace.unlock(ANN)

    def unmount(self):
        """From a shell that is in the mount."""
        return subprocess.run(
            ["mamctl", "unmount", self.workspace.mount_point], cwd=self.workspace.mount_point,
            env=self.workspace.environment, capture_output=True, text=True, timeout=90)

    def test_who_uses_it_is_named_and_this_program_does_not(self):
        user = subprocess.Popen(["sleep", "600"], cwd=self.workspace.mount_point)
        try:
            said = self.unmount()
        finally:
            user.kill()
            user.wait()
        self.assertEqual(said.returncode, NO)
        self.assertIn(f"is in use by process {user.pid} (sleep)", said.stderr)
        self.assertNotIn("mamctl)", said.stderr)
        said = self.unmount()
        self.assertEqual((said.returncode, said.stderr), (0, ""))

    @unittest.skipUnless(os.getuid() == 0, "fusermount3 unmounts, which strace does not see")
    def test_what_the_daemon_holds_is_waited_for(self):
        """It has a descriptor of half a call."""
        file = self.write(self.directory / "file", b"x")
        client = Client(self.workspace.socket)
        self.addCleanup(client.socket.close)
        with open(file, "rb") as held:
            socket.send_fds(client.socket, [b"{"], [held.fileno()])
        wait_until(
            lambda: str(file) in open_files(self.workspace.daemon()),
            message="it took no descriptor")
        log = self.workspace.root / "unmount.calls"
        with subprocess.Popen(
            ["strace", "-qq", "-f", "-o", log, "-e", "trace=umount2", "mamctl", "unmount",
             self.workspace.mount_point], env=self.workspace.environment,
        ) as program:
            wait_until(lambda: log.exists() and "EBUSY" in log.read_text(), message="not tried")
            client.socket.close()
            self.assertEqual(program.wait(90), 0)


class NothingRuns(unittest.TestCase):
    def test_what_needs_a_daemon(self):
        workspace = Workspace()
        self.addCleanup(workspace.close)
        for words in (["status"], ["lock"], ["can"], ["metrics"], ["watch"], ["account", "list"]):
            self.assertIn("try: mamctl setup", workspace.ctl(*words, status=UNREACHABLE).stderr)

    @unittest.skipUnless(os.getuid() == 0, "sudo is root's")
    def test_what_sudo_hides(self):
        workspace = Workspace()
        self.addCleanup(workspace.close)
        workspace.environment["SUDO_USER"] = "ann"
        for words, status in ((["status"], UNREACHABLE), (["mount"], NOT_FOUND)):
            said = workspace.ctl(*words, status=status).stderr
            self.assertIn("without sudo", said)
            self.assertNotIn("mamctl setup", said)


if __name__ == "__main__":
    unittest.main()
