"""A daemon that is killed in the middle of a wipe: it is not begun, or the next start finishes it.
MAMD_LONG=1: at every call."""
import json
import os
import random
import shutil
import signal
import subprocess
import threading
import unittest

from tracing import calls_by_thread, is_traced, killing
from wipe_tree import key_ids, keybag_files, others, owned, populate, write_all
from running import has_ended
from workspace import ANN, BOB, DAMAGED, LONG, UNREACHABLE, WorkspaceCase, pattern, wait_until

NEEDS = ("strace",)

FILES = 30
# All that changes something on disk. One thread carries out the wipe.
CALLS = "pwrite64,ftruncate,fsync,fdatasync,syncfs,rename,renameat,renameat2,unlink,unlinkat"


class KillCase(WorkspaceCase):
    settings = {"MultiIdentity": True, "LockDeadlineSeconds": 2}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.workspace.serving("wipe", ANN, "--confirm", ANN)
        cls.workspace.register(BOB, extra=["--no-passphrase"])

    def setUp(self):
        super().setUp()
        self.outcomes = {"not begun": 0, "finished by the next start": 0, "finished before": 0}

    def check_one(self, wipe):
        """A wipe that may be killed, and what the next start makes of it. True if it was killed."""
        workspace, directory = self.workspace, self.directory / "tree"
        if not workspace.account():
            workspace.register(extra=["--no-passphrase"])
        if not directory.exists():
            populate(workspace, directory)
        write_all(
            workspace, ANN, directory / "deep",
            {f"more {number}": pattern(5000, number) for number in range(FILES)})
        os.link(directory / "deep" / "more 7", directory / "links" / "more 7")
        keys, account_id = key_ids(workspace), workspace.account()["id"]
        self.keys = keys
        # A start empties the directory of unfinished files, whosoever they are.
        mine = [path for path in owned(workspace, keys) if path.parent.name != "work"]
        kept = others(workspace, keys)
        sample = workspace.root / "sample"
        shutil.copy(next(path for path in owned(workspace, keys) if path.name == "more 7"), sample)
        status = wipe()
        self.assertIn(status, (0, UNREACHABLE))
        if status:
            workspace.mount()
        if workspace.account():
            self.outcomes["not begun"] += 1
            self.assertEqual(owned(workspace, keys), mine)
            self.assertEqual((directory / "links" / "more 7").read_bytes(), pattern(5000, 7))
            workspace.serving("wipe", ANN, "--confirm", ANN)
        else:
            self.outcomes["finished by the next start" if status else "finished before"] += 1
        # A start finishes it beside its mount; the record goes last.
        wait_until(
            lambda: not keybag_files(workspace, account_id), message="the wipe does not end")
        self.assertEqual(owned(workspace, keys), [])
        self.assertEqual(without_work(others(workspace, keys)), without_work(kept))
        workspace.decode(sample, status=1)
        return status != 0

    def daemon(self):
        return json.loads(self.workspace.serving("status", "--json").stdout)[0]["pid"]

    def wipe_traced(self, calls):
        """Adds the calls of an uncut wipe, in their order."""
        trace = self.workspace.root / "trace"
        status = self.wipe_under("-o", trace, "-e", f"trace={CALLS}")
        calls += max(calls_by_thread(trace), key=len)
        return status

    def wipe_until(self, calls):
        """Kills the daemon as it enters the last of these calls."""
        return self.wipe_under(
            "-o", "/dev/null", "-e", f"trace={calls[-1]}", "-e", killing(calls))

    def wipe_under(self, *options):
        pid, status = self.daemon(), None
        tracer = subprocess.Popen(
            ["strace", "-qq", "-f", "-p", str(pid), *options], stderr=subprocess.PIPE)
        try:
            wait_until(lambda: is_traced(pid), message="strace does not attach")
            status = self.workspace.serving("wipe", ANN, "--confirm", ANN, status=None).returncode
        finally:
            # Asked to end, it may wait for the killed daemon for ever.
            tracer.terminate() if status == 0 else tracer.kill()
            tracer.communicate()
        if status:
            wait_until(lambda: has_ended(pid), message="the daemon lives")
        return status


class Killed(KillCase):
    @unittest.skipUnless(os.getuid() == 0, "the daemon lets nobody but root trace it")
    def test_at_each_call_that_changes_the_disk(self):
        calls = []
        self.check_one(lambda: self.workspace.serving("wipe", ANN, "--confirm", ANN).returncode)
        self.outcomes["finished before"] = 0
        self.assertFalse(self.check_one(lambda: self.wipe_traced(calls)))
        # the record of the decision
        self.assertEqual(calls[:4], ["pwrite64", "fsync", "renameat", "fsync"])
        # The files with their two names, the keybags, the passphrases' count and history, the
        # request for help, the records of enrolment and classes, the record.
        self.assertEqual(calls.count("unlinkat"), FILES + 1 + 8)
        # The record, the keybags and the first files one by one; then the end, and what is all
        # alike in between.
        points = range(len(calls))
        tried = points if LONG else sorted({*points[:14], *points[14:-6:15], *points[-6:]})
        for point in tried:
            print(f"killed at call {point}, {calls[point]}", flush=True)
            self.assertTrue(self.check_one(lambda: self.wipe_until(calls[: point + 1])))
        print(f"{len(calls)} calls, {len(tried)} points; {self.outcomes}", flush=True)
        # It is decided by the third call, the rename, and by nothing before.
        self.assertEqual(self.outcomes["not begun"], 3)

    @unittest.skipUnless(os.getuid() == 0, "the daemon lets nobody but root trace it")
    def test_starts_that_are_killed_while_they_finish_it(self):
        def wipe():
            # After the record; then in the keybags, in the files, and in the end.
            status = self.wipe_until(["pwrite64", "fsync", "renameat", "fsync"])
            for call, count in (("pwrite64", 2), ("unlinkat", 3), ("unlinkat", 20), ("syncfs", 1)):
                self.start_until(call, count)
            return status

        self.assertTrue(self.check_one(wipe))
        self.assertEqual(self.outcomes["finished by the next start"], 1)

    @unittest.skipUnless(os.getuid() == 0, "the daemon lets nobody but root trace it")
    def test_a_check_tells_of_it_and_a_repair_finishes_it(self):
        def wipe():
            status = self.wipe_until(["pwrite64", "fsync", "renameat", "fsync"])
            self.workspace.unmount()
            keys, left = self.keys, owned(self.workspace, self.keys)
            self.assertGreater(len(left), FILES)
            self.assertIn(("wipe", "left"), self.verify(status=DAMAGED))
            self.assertEqual(owned(self.workspace, keys), left)
            self.assertIn(("wipe", "repaired"), self.verify("--repair"))
            self.assertEqual(owned(self.workspace, keys), [])
            self.assertNotIn("wipe", [problem for problem, _ in self.verify()])
            return status

        # First: what is written for an account that is not there is plain, and its later
        # namesake's.
        self.workspace.register(extra=["--no-passphrase"])
        populate(self.workspace, self.directory / "tree")
        # A repair would move them away, those of other tests too.
        for damaged in self.workspace.mount_point.rglob("damaged"):
            damaged.unlink()
        self.assertTrue(self.check_one(wipe))

    def verify(self, *options, status=None):
        """Without a mount."""
        result = self.workspace.ctl(
            "verify", self.workspace.backing, "--json", *options, status=status)
        return [
            (each["problem"], each["outcome"]) for each in json.loads(result.stdout)["findings"]]

    def start_until(self, call, count):
        """A start whose daemon is killed as it enters a call, before it serves or while it does.

        strace ends when all that it traces has ended: a daemon that lives is a time-out here.
        """
        result = subprocess.run(
            ["strace", "-qq", "-f", "-o", "/dev/null", "-e", f"trace={call}",
             "-e", f"inject={call}:signal=SIGKILL:when={count}",
             "mamctl", "mount", self.workspace.backing, self.workspace.mount_point],
            env=self.workspace.environment, capture_output=True, timeout=90)
        self.assertIn(result.returncode, (0, 1), result.stderr)

    def test_at_any_moment(self):
        moments = random.Random(1)
        for _ in range(100 if LONG else 3):
            self.check_one(lambda: self.wipe_for(moments.uniform(0, 0.02)))
        print(self.outcomes, flush=True)

    def wipe_for(self, seconds):
        pid = self.daemon()
        timer = threading.Timer(seconds, lambda: os.kill(pid, signal.SIGKILL))
        command = subprocess.Popen(
            ["mamctl", "wipe", ANN, "--confirm", ANN, "--workspace", "work"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=self.workspace.environment)
        timer.start()
        command.wait(90)
        timer.join()
        wait_until(lambda: has_ended(pid), message="the daemon lives")
        # It may have answered before it was killed; it must be mounted again in either case.
        return UNREACHABLE


def without_work(kept):
    files, directories = kept
    return {path: facts for path, facts in files.items() if "/.mamd/work/" not in path}, directories


if __name__ == "__main__":
    unittest.main()
