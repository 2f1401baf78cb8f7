"""Programs that the daemon calls: what they are told, what they decide, and what they cannot
spoil."""
import contextlib
import json
import os
import pathlib
import shutil
import stat
import tempfile
import time
import unittest

from enrolling import EnrollmentCase, daemon_text
from running import PREFIX
from workspace import ANN, wait_until

TELL = 'cat >> "$0"'


@unittest.skipUnless(os.getuid() == 0, "an ordinary user's daemon enrols the account by itself")
class Hooks(EnrollmentCase):
    def settings_of_test(self):
        directory = tempfile.mkdtemp(prefix=PREFIX)
        self.addCleanup(shutil.rmtree, directory, ignore_errors=True)
        self.told_file = f"{directory}/told"
        pathlib.Path(self.told_file).touch()
        hangs = self._testMethodName == "test_a_wipe_hook_that_hangs_holds_nothing_up"
        script = "sleep 90 & sleep 90" if hangs else {
            "test_a_wipe_hook_answers_that_what_it_keeps_is_gone": TELL,
            "test_programs_have_the_umask_that_the_daemon_was_started_with": ': > "$0.hook"',
        }.get(self._testMethodName, 'cat >> "$0"; echo said; exit 3')
        probe = ["/bin/sh", "-c", ': > "$0.probe"; echo compliant', self.told_file]
        hooks = {
            name: ["/bin/sh", "-c", TELL, self.told_file]
            for name in ("Enrollment", "Restart", "AddAccount", "CheckIn")}
        return {
            **self.settings, "Probes": {"Compliance": probe}, "AutoEnrollOnLaunch": True,
            "Groups": {"g": [ANN, "eve@contoso.com"]},
            "Hooks": {
                **hooks, "Wipe": ["/bin/sh", "-c", script, self.told_file],
                "TimeoutSeconds": 2 if hangs else 60}}

    def told(self, hook):
        with open(self.told_file) as file:
            return [fact for fact in map(json.loads, file) if fact["hook"] == hook]

    def test_enrolment_restart_and_accounts_to_add(self):
        self.set_policy()
        self.workspace.mount()
        # After the start's, which would enrol an account that comes while it runs.
        self.workspace.serving("account check-in")
        self.workspace.register()
        wait_until(lambda: self.told("restart"))
        wait_until(lambda: self.told("enrollment"))
        self.assertEqual(self.told("enrollment")[0]["status"]["statusCode"], 100)
        self.assertEqual(self.told("enrollment")[0]["request"], "enrollment")
        wait_until(lambda: len(self.told("addAccount")) > 1)
        names = [fact["account"] for fact in self.told("addAccount")]
        self.assertEqual(sorted(names), [ANN, "eve@contoso.com"])
        self.workspace.serving("account deregister", ANN, "--keep")
        wait_until(lambda: [f for f in self.told("enrollment") if f["status"]["statusCode"] == 104])

    def test_a_restart_is_asked_for_at_the_first_policy_alone(self):
        self.begin()
        wait_until(lambda: self.told("restart"))
        self.set_policy(printBlocked=True)
        wait_until(
            lambda: len([f for f in self.told("enrollment") if f["status"]["statusCode"] == 100])
            == 2)
        self.workspace.serving("account check-in")
        self.assertEqual(len(self.told("restart")), 1)

    def test_an_enrolment_that_is_tried_again_is_told_as_one(self):
        document = next(self.workspace.policies.iterdir()).rename(
            self.workspace.root / "aside.json")
        self.workspace.mount().register()
        self.workspace.serving("account check-in")
        wait_until(lambda: len(self.requests(103)) == 3)
        self.assertEqual(set(self.requests(103)), {"enrollment"})
        document.rename(self.workspace.policies / "default.json")
        wait_until(lambda: self.requests(100) == ["enrollment"])
        # From here on it asks for policies.
        document = self.workspace.root / "aside.json"
        document.write_text(json.dumps({**self.policy, "printBlocked": True}))
        document.rename(self.workspace.policies / "default.json")
        wait_until(lambda: self.requests(100) == ["enrollment", "policy"])

    def requests(self, code):
        return [
            fact["request"] for fact in self.told("enrollment")
            if fact["status"]["statusCode"] == code]

    def test_a_change_of_the_directory_is_asked_about_once(self):
        document = next(self.workspace.policies.iterdir()).rename(
            self.workspace.root / "aside.json")
        self.workspace.mount().register()
        self.assertEqual(self.workspace.account()["stage"], "registered")
        before = len(self.told("checkIn"))
        document.rename(self.workspace.policies / "default.json")
        wait_until(lambda: self.workspace.account()["stage"] == "enrolled")
        # The same once more is no news.
        os.utime(self.workspace.policies / "default.json")
        self.workspace.serving("account check-in")
        # The hook of this check-in is the second call.
        self.assertEqual(len(self.told("checkIn")) - before, 2)

    def test_a_returning_account_asks_for_a_check_in_once(self):
        self.begin()
        self.workspace.serving("account deregister", ANN, "--keep")
        before = len(self.told("checkIn"))
        self.workspace.register()
        self.assertEqual(len(self.told("checkIn")) - before, 1)

    def test_a_wipe_hook_is_told_and_cannot_stop_the_wipe(self):
        self.begin()
        self.workspace.serving("wipe", ANN, "--confirm", ANN)
        (fact,) = self.told("wipe")
        self.assertEqual((fact["identity"], fact["trigger"]), (ANN, "command"))
        self.assertFalse(self.file.exists())
        text = daemon_text(self.workspace)
        self.assertIn("hook wipe: said", text)
        self.assertIn("status 3", text)

    def wiped(self, answer):
        """Wipes, and looks at where the hook's answer is told."""
        said = self.workspace.serving("wipe", ANN, "--confirm", ANN, "--json")
        self.assertEqual(json.loads(said.stdout)["elsewhere"], answer)
        self.assertEqual("the Wipe hook did not say" in said.stderr, not answer)
        (record,) = map(json.loads, self.workspace.serving(
            "audit", "--event", "wiped", "--json").stdout.splitlines())
        self.assertIn("; hook: done" if answer else "; hook: not done", record["reason"])

    def test_a_wipe_hook_answers_that_what_it_keeps_is_gone(self):
        self.begin()
        self.wiped(True)

    def test_a_wipe_hook_that_fails_has_not_answered(self):
        self.begin()
        self.wiped(False)

    def test_a_wipe_hook_that_hangs_holds_nothing_up(self):
        self.begin()
        start = time.monotonic()
        self.workspace.serving("wipe", ANN, "--confirm", ANN)
        self.assertLess(time.monotonic() - start, 80)
        self.assertFalse(self.file.exists())
        self.assertIn("timed out", daemon_text(self.workspace))

    def test_programs_have_the_umask_that_the_daemon_was_started_with(self):
        self.set_policy(deviceComplianceRequired=True)
        shell = ("sh", "-c", 'umask 027; exec "$@"', "sh")
        self.workspace.mount(prefix=shell).register()
        self.workspace.serving("wipe", ANN, "--confirm", ANN)
        modes = {
            name: stat.S_IMODE(os.stat(f"{self.told_file}.{name}").st_mode)
            for name in ("hook", "probe")}
        self.assertEqual(modes, {"hook": 0o640, "probe": 0o640})
        self.workspace.register()
        self.workspace.unmount()
        # At this start the probe runs in the thread that makes the others: none of them may keep
        # its umask.
        self.workspace.mount(prefix=shell)
        wait_until(lambda: self.umasks() == {"Umask:\t0000"})

    def umasks(self):
        """Those of the daemon's threads."""
        found = set()
        for task in pathlib.Path(f"/proc/{self.workspace.daemon()}/task").iterdir():
            # It may have ended.
            with contextlib.suppress(OSError):
                found.update(
                    line for line in (task / "status").read_text().splitlines()
                    if line.startswith("Umask:"))
        return found

    def test_the_end_of_a_hook_is_seen_where_children_were_ignored(self):
        self.set_policy()
        self.workspace.mount(prefix=("env", "--ignore-signal=CHLD")).register()
        self.workspace.serving("wipe", ANN, "--confirm", ANN)
        text = daemon_text(self.workspace)
        self.assertNotIn("could not be started", text)
        self.assertIn("(/bin/sh) exited with status 3", text)


if __name__ == "__main__":
    unittest.main()


class SlowCheckIn(EnrollmentCase):
    def settings_of_test(self):
        self.slow = tempfile.NamedTemporaryFile("w", prefix=PREFIX)
        self.addCleanup(self.slow.close)
        script = 'test -s "$0" && { : > "$0.begun"; sleep 300; }; exit 0'
        self.begun = pathlib.Path(self.slow.name + ".begun")
        self.addCleanup(self.begun.unlink, missing_ok=True)
        return {
            **self.settings, "CheckInSeconds": 2, "LockOn": {"IdleSeconds": 5},
            "Hooks": {"CheckIn": ["/bin/sh", "-c", script, self.slow.name], "TimeoutSeconds": 400}}

    def test_who_is_idle_is_locked_while_it_runs(self):
        self.begin()
        self.slow.write("yes")
        self.slow.flush()
        wait_until(self.begun.exists)
        self.workspace.unlock()
        # Long before it ends; what comes after it would be late.
        wait_until(
            lambda: self.workspace.account()["state"] == "locked",
            message="not locked although nobody used it")
