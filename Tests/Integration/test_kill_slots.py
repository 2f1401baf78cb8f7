"""A daemon killed at each call that changes the disk while a slot is added, changed or removed: the
old secrets open the account, or the new ones, and both copies of its keybag are one."""
import json
import os
import subprocess
import sys
import unittest

from running import has_ended
from tracing import calls_by_thread, is_traced, killing
from workspace import ANN, PASSPHRASE, ROOT, UNREACHABLE, Workspace, wait_until

sys.path.insert(0, str(ROOT / "Tests"))
import decoder

NEEDS = ("strace", "python3-cryptography", "python3-argon2")

CALLS = "write,pwrite64,ftruncate,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat"
NEW = "a new passphrase"


@unittest.skipUnless(os.getuid() == 0, "the daemon lets nobody but root trace it")
class Killed(unittest.TestCase):
    def setUp(self):
        self.space = Workspace()
        self.addCleanup(self.space.close)
        self.old = self.space.passfile
        self.new = self.space.secret("new", NEW)
        self.space.init().mount().register()
        self.space.path("file").write_text("kept")

    def run_traced(self, command, *options):
        """The command's status, with the daemon under strace."""
        pid, status = self.space.daemon(), None
        tracer = subprocess.Popen(
            ["strace", "-qq", "-f", "-p", str(pid), *options], stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: is_traced(pid), message="strace does not attach")
            status = self.space.serving(*command, status=None).returncode
        finally:
            tracer.terminate() if status == 0 else tracer.kill()
            tracer.wait()
        if status:
            self.assertEqual(status, UNREACHABLE)
            wait_until(lambda: has_ended(pid), message="the daemon lives")
            self.space.mount()
        return status

    def each_call(self, command, undo, before, after):
        """Kills at each call of what `command` returns, which `undo` takes back. `before`, `after`:
        the secrets that open the account."""
        trace = self.space.root / "trace"
        self.assertEqual(self.run_traced(command(), "-o", trace, "-e", f"trace={CALLS}"), 0)
        self.assertEqual(self.opening(), after)
        calls: list[str] = max(calls_by_thread(trace), key=len)
        self.assertGreater(calls.count("fsync"), 2)
        outcomes = []
        for point in range(len(calls)):
            if self.opening() == after:
                undo()
            self.assertEqual(self.opening(), before)
            self.run_traced(
                command(), "-o", "/dev/null", "-e", f"trace={calls[point]}", "-e",
                killing(calls[: point + 1]))
            outcomes.append(self.opening())
            self.assertIn(outcomes[-1], (before, after), calls[: point + 1])
            for secret in outcomes[-1]:
                self.space.lock()
                self.space.unlock(passfile=self.new if secret == NEW else self.old)
                self.assertEqual(self.space.path("file").read_text(), "kept")
        # The kills came before the change and after it.
        self.assertIn(before, outcomes)
        self.assertIn(after, outcomes)

    def opening(self):
        """The secrets that open the account, by the second decoder."""
        bags = {path.read_bytes() for path in (self.space.state / "keybags").glob("*.keybag*")}
        self.assertEqual(len(bags), 1, "the copies differ")
        (keybag,) = decoder.keybags(self.space.state)
        return {secret for secret in (PASSPHRASE, NEW) if self.does_open(keybag, secret)}

    def does_open(self, keybag, secret):
        try:
            return keybag.class_key(1, secret.encode()) is not None
        except decoder.Refused as refused:
            self.assertEqual(refused.status, 12)
            return False

    # The tests

    def test_a_slot_is_added(self):
        self.each_call(
            lambda: ("slot add", ANN, "--passfile", self.old, "--new-passfile", self.new),
            self.remove_new, {PASSPHRASE}, {PASSPHRASE, NEW})

    def test_a_passphrase_is_changed(self):
        self.each_call(
            lambda: (
                "account passphrase", ANN, "--passfile", self.old, "--new-passfile", self.new),
            lambda: self.space.serving(
                "account passphrase", ANN, "--passfile", self.new, "--new-passfile", self.old),
            {PASSPHRASE}, {NEW})

    def test_a_slot_is_removed(self):
        self.add_new()
        self.each_call(
            lambda: ("slot remove", ANN, self.new_slot(), "--passfile", self.old),
            self.add_new, {PASSPHRASE, NEW}, {PASSPHRASE})

    def add_new(self):
        self.space.serving("slot add", ANN, "--passfile", self.old, "--new-passfile", self.new)

    def remove_new(self):
        self.space.serving("slot remove", ANN, self.new_slot(), "--passfile", self.old)

    def new_slot(self):
        tested = self.space.serving(
            "slot test", ANN, "--passfile", self.new, "--json").stdout
        return json.loads(tested)["id"]


if __name__ == "__main__":
    unittest.main()
