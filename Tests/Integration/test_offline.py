"""Time without a check-in: the block, the second chance before a wipe, clocks, and what a restart
keeps."""
import errno
import json
import os
import signal
import tempfile
import unittest

from enrolling import DAY, HOUR, EnrollmentCase
from running import PREFIX
from workspace import ANN, BOB, CLOSED, NO, REFUSED, WRONG_PASSPHRASE

TIMES = {"periodOfflineBeforeAccessCheck": "P1D", "periodOfflineBeforeWipeIsEnforced": "P90D"}


class Offline(EnrollmentCase):
    """The CheckIn hook decides whether a check-in succeeds."""

    def settings_of_test(self):
        # Outside the workspace, whose directory is not known before its settings are.
        with tempfile.NamedTemporaryFile("w", prefix=PREFIX, suffix="answer", delete=False) as file:
            self.answer_file = file.name
        self.addCleanup(os.unlink, self.answer_file)
        self.online(0)
        return {
            **self.settings, "Groups": {"others": [BOB]},
            "Hooks": {"CheckIn": ["/bin/sh", "-c", 'exit $(cat "$0")', self.answer_file]}}

    def online(self, status):
        with open(self.answer_file, "w") as file:
            file.write(str(status))

    def test_offline_it_is_blocked_after_its_time_and_a_check_in_ends_that(self):
        self.begin(**TIMES)
        self.online(1)
        self.advance(DAY - 60)
        self.assert_open()
        self.assertEqual(self.enrollment()["status"]["statusCode"], 212)
        self.advance(60)
        self.assert_closed("offline", errno.EKEYEXPIRED)
        self.workspace.unlock(status=CLOSED)
        # A restart is no check-in.
        self.workspace.unmount()
        self.workspace.mount()
        self.assert_closed("offline", errno.EKEYEXPIRED)
        self.workspace.serving("account check-in", status=NO)
        self.online(0)
        self.workspace.serving("account check-in")
        self.workspace.unlock()
        self.assert_open()

    def test_online_it_stays_open_however_short_the_period(self):
        self.begin(periodOfflineBeforeAccessCheck="PT30M")
        self.advance(600)
        self.assertLess(self.enrollment()["secondsSinceCheckIn"], 600)
        # A check-in that fails is not the last one before it closes.
        self.online(1)
        self.advance(600)
        self.assertEqual(self.enrollment()["status"]["statusCode"], 212)
        self.online(0)
        self.advance(600)
        self.assertEqual(self.enrollment()["status"]["statusCode"], 101)
        for _ in range(3):
            self.advance(600)
            self.assert_open()

    def test_a_network_that_fails_is_tried_again_soon_and_other_failures_late(self):
        # A shorter period would have it try sooner.
        self.begin(periodOfflineBeforeWipeIsEnforced="P90D")
        self.online(75)
        self.advance(8 * HOUR)
        self.assertEqual(self.enrollment()["status"]["errorString"].count("network"), 0)
        since = self.enrollment()["secondsSinceCheckIn"]
        self.assertGreaterEqual(since, 8 * HOUR)
        self.online(0)
        self.advance(60)
        self.assertLess(self.enrollment()["secondsSinceCheckIn"], 60)
        self.online(1)
        self.advance(8 * HOUR)
        self.online(0)
        self.advance(8 * HOUR)
        self.assertGreaterEqual(self.enrollment()["secondsSinceCheckIn"], 8 * HOUR)
        self.advance(16 * HOUR)
        self.assertLess(self.enrollment()["secondsSinceCheckIn"], 60)

    def test_the_second_chance_a_check_in_and_the_passphrase(self):
        self.begin(**TIMES)
        self.online(1)
        self.advance(90 * DAY)
        self.assert_closed("offlineWipe", errno.EKEYEXPIRED)
        # Not reached: nothing is asked, and nothing is wiped.
        for number in range(6):
            self.assertEqual(self.wrong(number, "account login").returncode, REFUSED)
        self.workspace.serving(
            "account login", ANN, "--passfile", self.workspace.passfile, status=REFUSED)
        self.online(0)
        self.workspace.serving("account check-in")
        self.assert_closed("offlineWipe", errno.EKEYEXPIRED)
        self.workspace.unmount()
        self.workspace.mount()
        self.assert_closed("offlineWipe", errno.EKEYEXPIRED)
        self.assertEqual(self.wrong(7, "account login").returncode, WRONG_PASSPHRASE)
        self.advance(1)
        self.workspace.serving("account login", ANN, "--passfile", self.workspace.passfile)
        self.assert_open()

    def test_the_second_chance_ends_with_wrong_passphrases(self):
        self.begin(**TIMES, maximumPinRetries=2)
        self.online(1)
        self.advance(90 * DAY)
        self.online(0)
        self.wrong(1, "account login")
        self.assertEqual(self.block(), "offlineWipe")
        self.wrong(2, "account login")
        self.assertIsNone(self.workspace.account())
        self.assertFalse(self.file.exists() or self.always.exists())

    def test_a_check_in_that_does_not_cover_it_any_more_wipes_nothing(self):
        self.begin(**TIMES)
        self.online(1)
        self.advance(90 * DAY)
        self.online(0)
        # The documents change only now: a policy that is gone has no time-out.
        (document,) = self.workspace.policies.glob("*.json")
        text = document.read_text()
        document.rename(self.workspace.root / "away")
        self.workspace.serving("account check-in")
        self.assert_closed("offlineWipe", errno.EKEYEXPIRED)
        target = {"@odata.type": "#microsoft.graph.groupAssignmentTarget", "groupId": "others"}
        document.write_text(json.dumps({**json.loads(text), "assignments": [{"target": target}]}))
        for number in range(6):
            self.workspace.serving("account check-in")
            self.wrong(number, "account login")
        self.assert_closed("offlineWipe", errno.EKEYEXPIRED)
        # Nor does the right one open it before a policy covers it again.
        self.advance(HOUR)
        self.workspace.serving(
            "account login", ANN, "--passfile", self.workspace.passfile, status=None)
        self.assert_closed("offlineWipe", errno.EKEYEXPIRED)
        document.write_text(text)
        self.workspace.serving("account login", ANN, "--passfile", self.workspace.passfile)
        self.assert_open()

    def test_a_daemon_that_is_killed_forgets_no_time(self):
        self.begin(**TIMES)
        self.online(1)
        self.advance(DAY)
        self.assertEqual(self.block(), "offline")
        pid = self.workspace.daemon()
        os.kill(pid, signal.SIGKILL)
        self.workspace.ctl("unmount", self.workspace.mount_point)
        self.workspace.mount()
        self.assert_closed("offline", errno.EKEYEXPIRED)

    def test_the_clock_moves_for_trials_only(self):
        self.begin()
        self.assertIn("DebugSettingsEnabled", self.workspace.log.read_text())
        self.assertEqual(
            self.call("AdvanceClock", seconds=-1)["error"], "org.varlink.service.InvalidParameter")


class NoDebugging(EnrollmentCase):
    settings = {"LockGraceSeconds": 0}

    def test_the_clock_does_not_move(self):
        self.workspace.mount()
        self.assertEqual(self.call("AdvanceClock", seconds=1)["error"], "io.mamd.Workspace.Refused")


if __name__ == "__main__":
    unittest.main()
