"""Passphrases: where they come from, what a wrong one costs, and changing them."""
import re
import termios

from socket_client import Client
from terminal import Terminal
from workspace import (
    ANN, BOB, NO, PASSPHRASE, USAGE, WRONG_PASSPHRASE, WorkspaceCase, tree_digest, wait_until)


class Passphrases(WorkspaceCase):
    def wait_out(self, account=ANN):
        wait_until(lambda: self.workspace.account(account)["retryAfterSeconds"] == 0)

    def test_a_wrong_passphrase_is_refused_with_a_growing_delay(self):
        path = self.write(self.directory / "file", b"content")
        self.workspace.lock()
        delays = []
        while len([delay for delay in delays if delay]) < 2 and len(delays) < 12:
            # Another one each time: the same wrong one is not counted twice.
            wrong = self.workspace.secret("wrong", f"not it, {len(delays)}")
            result = self.workspace.unlock(passfile=wrong, status=WRONG_PASSPHRASE)
            self.assertIn(ANN, result.stderr)
            # What the refusal says, not what a slow machine finds left of it.
            told = re.search(r"(\d+) *s", result.stderr)
            delays.append(int(told[1]) if told else 0)
            self.assertEqual(self.workspace.account()["state"], "locked")
            self.wait_out()
        self.assertEqual(delays, sorted(delays))
        self.assertGreater(delays[-1], 0)
        self.assertLess(delays[-2], delays[-1])
        self.workspace.unlock()
        self.assertEqual(path.read_bytes(), b"content")
        self.assertEqual(self.workspace.account()["retryAfterSeconds"], 0)

    def test_within_the_delay_even_the_right_one_is_refused(self):
        self.workspace.lock()
        for number in range(12):
            wrong = self.workspace.secret("wrong", f"not it, {number}")
            self.workspace.unlock(passfile=wrong, status=WRONG_PASSPHRASE)
            # Long enough for a slow machine to come back in.
            if self.workspace.account()["retryAfterSeconds"] > 5:
                break
            self.wait_out()
        result = self.workspace.unlock(status=WRONG_PASSPHRASE)
        self.assertRegex(result.stderr, r"was not tried: it came too soon .* in \d+ s")
        unlock = ("unlock", ANN, "--passfile", self.workspace.passfile, "--wait")
        self.workspace.serving(*unlock, "1", status=WRONG_PASSPHRASE)
        self.workspace.serving(*unlock, "60")

    def test_a_file_from_windows_has_the_same_passphrase(self):
        windows = self.workspace.root / "windows"
        windows.write_bytes(f"{PASSPHRASE}\r\n".encode())
        self.workspace.lock()
        self.workspace.unlock(passfile=windows)
        self.workspace.lock()
        self.workspace.serving("unlock", ANN, "--extpass", f"cat {windows}")
        self.workspace.lock()
        with open(windows, "rb") as file, Client(self.workspace.socket) as client:
            client.call("Workspace.Unlock", [file.fileno()], account=ANN, passphraseDescriptor=0)
        self.assertEqual(self.workspace.account()["state"], "unlocked")

    def test_an_empty_one_is_named_by_where_it_came_from(self):
        empty = self.workspace.root / "empty"
        empty.write_bytes(b"\n")
        for source in ("--passfile", empty), ("--extpass", "true"):
            told = self.workspace.serving("unlock", ANN, *source, status=USAGE).stderr
            self.assertIn(f"{source[1]}: the passphrase is empty", told)

    def test_waiting_takes_a_number(self):
        told = self.workspace.serving("unlock", ANN, "--wait", "soon", status=USAGE).stderr
        self.assertIn("--wait takes a number of seconds", told)

    def test_a_prompt_that_was_stopped_hides_what_is_typed_when_it_goes_on(self):
        shell = Terminal(["bash", "--norc", "--noediting", "-i"], self.workspace.environment)

        def echoes():
            return bool(termios.tcgetattr(shell.master)[3] & termios.ECHO)

        self.workspace.lock()
        shell.type(f"mamctl unlock {ANN}\n")
        shell.read(until=b"Passphrase of")
        wait_until(lambda: not echoes())
        shell.type("\x1a")
        shell.read(until=b"Stopped")
        wait_until(echoes)
        shell.type("fg\n")
        wait_until(lambda: not echoes())
        shell.type(PASSPHRASE + "\n")
        shell.read(until=b"unlocked")
        shell.type("exit\n")
        self.assertNotIn(PASSPHRASE, shell.finish()[1])

    def test_changing_the_passphrase_rewrites_no_file(self):
        account = BOB
        old, new = self.workspace.secret("old", "first words"), self.workspace.secret(
            "new", "other words")
        self.workspace.register(account, passfile=old)
        path = self.directory / "file"
        self.workspace.write_as(account, path, "bob's")
        before = self.backing_of(path).read_bytes()
        # The old one from its file, the new one from standard input.
        self.change(account, old, new)
        self.assertEqual(self.backing_of(path).read_bytes(), before)
        self.workspace.lock(account)
        self.workspace.unlock(account, passfile=old, status=WRONG_PASSPHRASE)
        self.wait_out(account)
        self.workspace.unlock(account, passfile=new)
        self.assertEqual(path.read_bytes(), b"bob's")

    def change(self, account, old, new):
        self.workspace.serving(
            "account passphrase", account, "--passfile", old, "--new-passfile", new)

    def test_the_change_survives_a_restart(self):
        account = "carol@contoso.com"
        old, new = self.workspace.secret("old2", "first words"), self.workspace.secret(
            "new2", "other words")
        self.workspace.register(account, passfile=old)
        path = self.directory / "file"
        self.workspace.write_as(account, path, "carol's")
        self.change(account, old, new)
        self.workspace.remount()
        self.workspace.unlock(account, passfile=new)
        self.assertEqual(path.read_bytes(), b"carol's")

    def test_a_passphrase_from_standard_input(self):
        self.workspace.lock()
        self.workspace.serving("unlock", ANN, input=(PASSPHRASE + "\n").encode())
        self.assertEqual(self.workspace.account()["state"], "unlocked")

    def test_a_passphrase_from_a_program(self):
        self.workspace.lock()
        self.workspace.serving("unlock", ANN, "--extpass", f"cat {self.workspace.passfile}")
        self.assertEqual(self.workspace.account()["state"], "unlocked")

    def test_a_passphrase_as_an_argument_is_a_usage_error(self):
        self.workspace.serving("unlock", ANN, "--passphrase", PASSPHRASE, status=USAGE)

    def test_an_account_is_registered_once(self):
        before = self.state()
        result = self.workspace.serving(
            "account register", ANN, "--passfile", self.workspace.passfile, status=NO)
        self.assertIn(ANN, result.stderr)
        self.assertEqual(self.state(), before)

    def state(self):
        """But for the audit: of what came before, a record may be written a moment later."""
        audit = f"{self.workspace.state}/audit/"
        digest = tree_digest(self.workspace.state)
        return {path: value for path, value in digest.items() if not path.startswith(audit)}

    def test_secrets_are_on_no_command_line_and_in_no_file_of_ours(self):
        secret = PASSPHRASE.encode()
        for root in (
                self.workspace.state, self.workspace.backing, self.workspace.root / "config_home"):
            for path in root.rglob("*"):
                if path.is_file():
                    self.assertNotIn(secret, path.read_bytes(), path)

    def test_the_state_directory_is_private(self):
        self.assertEqual(self.workspace.state.stat().st_mode & 0o077, 0)
        for path in self.workspace.state.rglob("*"):
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)
