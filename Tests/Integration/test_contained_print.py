"""Contained programs that print: where policy lets them, and no longer."""
import errno
import json
import os
import socket
import subprocess
import sys
import unittest

from printing import PrintService
from test_contained import CONNECT, RESTRICTED, SECRET, Contained
from workspace import ANN, DONE, REFUSED, USAGE, wait_until

BLOCKED = {**RESTRICTED, "printBlocked": True}
SERVICE = "/run/cups/cups.sock"


@unittest.skipUnless(os.geteuid() == 0, "a print service of its own needs root")
class Printing(Contained):
    def setUp(self):
        super().setUp()
        self.service = PrintService(self.workspace.environment["XDG_RUNTIME_DIR"])
        self.addCleanup(self.service.close)
        self.service.start()

    def words(self, *command, options=()):
        return self.service.with_it(*super().words(*command, options=options))

    def import_policy(self, policy):
        path = self.workspace.root / "policy-now.json"
        path.write_text(json.dumps(policy))
        self.workspace.serving("policy import", path)

    def lp(self, *words, status=DONE):
        done = subprocess.run(
            self.service.with_it("lp", *words), capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)


class Allowed(Printing):
    def test_it_prints(self):
        self.contained("lp", "-d", "plain", self.secret())
        wait_until(lambda: self.service.printed() == [SECRET], message="it was not printed")

    def test_past_the_backend_that_asks(self):
        self.contained("lp", "-d", "asking", self.secret())
        wait_until(lambda: self.service.printed() == [SECRET], message="it was not printed")

    def test_no_other_socket(self):
        """CUPS_SERVER may be anybody's."""
        other = self.workspace.root / "other.sock"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(os.fspath(other))
            listener.listen()
            self.workspace.environment["CUPS_SERVER"] = str(other)
            self.addCleanup(self.workspace.environment.pop, "CUPS_SERVER")
            self.contained("lp", "-d", "plain", self.secret(), status=1)
            self.contained(sys.executable, CONNECT, other, status=errno.EACCES)
        self.contained(sys.executable, CONNECT, SERVICE)

    def test_until_policy_changes(self):
        began, changed = self.directory / "began", self.directory / "changed"
        child = subprocess.Popen(
            self.words(sys.executable, CONNECT, SERVICE, began, changed),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=self.workspace.environment)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        wait_until(began.exists, message="it could not connect")
        self.import_policy(BLOCKED)
        self.addCleanup(self.import_policy, RESTRICTED)
        changed.mkdir()
        self.assertEqual(child.wait(timeout=60), errno.EACCES)
        told = self.workspace.serving("audit", "--event", "denied", "--json").stdout
        self.assertIn("printBlocked", told)


class Blocked(Printing):
    policy = BLOCKED

    def test_it_does_not_print(self):
        self.contained("lp", "-d", "plain", self.secret(), status=1)
        self.contained(sys.executable, CONNECT, SERVICE, status=errno.EACCES)
        self.assertEqual(self.service.waiting(), [])
        self.assertEqual(self.service.printed(), [])

    def test_others_print_as_before(self):
        plain = self.workspace.root / "plain"
        plain.write_text("mine")
        self.lp("-d", "plain", plain)
        wait_until(lambda: self.service.printed() == [b"mine"], message="it was not printed")

    def test_the_backend_asks(self):
        plain = self.workspace.root / "plain"
        plain.write_text("mine")
        self.lp("-d", "asking", plain)
        wait_until(lambda: not self.service.waiting(), message="the job was not canceled")
        self.assertIn(
            f"policy lets root print nothing: no: printBlocked in the policy of {ANN} decides",
            self.service.log)
        self.assertEqual(self.service.printed(), [])

    def test_whose_user_it_asks_about(self):
        plain = self.workspace.root / "plain"
        plain.write_text("mine")
        self.lp("-d", "asking", "-U", "nobody-known", plain)
        wait_until(lambda: not self.service.waiting(), message="the job was not canceled")
        self.assertIn("no user of this machine: nobody-known", self.service.log)
        # One without accounts.
        self.lp("-d", "asking", "-U", "daemon", plain)
        wait_until(lambda: self.service.printed() == [b"mine"], message="it was not printed")

    def test_a_printer_that_believes_no_name(self):
        plain = self.workspace.root / "plain"
        plain.write_text("mine")
        self.lp("-d", "certain", "-U", "daemon", plain)
        wait_until(lambda: not self.service.waiting(), message="the job was not canceled")
        self.assertIn("policy lets root print nothing", self.service.log)
        self.assertEqual(self.service.printed(), [])

    def test_a_daemon_that_cannot_be_asked(self):
        (self.service.root / "bin" / "filter" / "mamctl").unlink()
        (self.service.root / "bin" / "filter" / "mamctl").symlink_to("/bin/false")
        plain = self.workspace.root / "plain"
        plain.write_text("mine")
        self.lp("-d", "asking", plain)
        wait_until(lambda: "on hold" in self.service.log, message="the job is not on hold")
        self.assertEqual(self.service.waiting(), ["asking-1"])
        self.assertEqual(self.service.printed(), [])


class Questions(Contained):
    policy = BLOCKED

    def test_all_of_them(self):
        told = self.workspace.ctl("can", "print", "--all", status=REFUSED).stdout
        self.assertIn(f"the policy of {ANN} decides", told)
        told = json.loads(
            self.workspace.ctl("can", "print", "--all", "--json", status=REFUSED).stdout)
        self.assertFalse(told["decision"]["allowed"])

    def test_it_is_about_all(self):
        self.workspace.ctl("can", "print", "--all", "--account", ANN, status=USAGE)


if __name__ == "__main__":
    unittest.main()
