"""Clocks that are a month ahead or two hours behind: the machine's, the office's, the engine's."""
import unittest

from fleet_trial import Trial, move_clock
from signing import DAY
from workspace import REFUSED, wait_until

MONTH, BEHIND = 30 * DAY, -2 * 3600


class Machines(Trial):
    def test_a_month_ahead(self):
        self.start_engine()
        self.join()
        former = (self.organization.path / "signed" / "first.json").read_bytes()
        self.move(MONTH)
        # What is newer counts, and that nothing newer is held back cannot be known.
        self.push(False)
        self.await_rule(False)
        self.assertIn("more than a day ago", self.show()["problem"])
        self.assert_intact()
        path = self.workspace.root / "former.json"
        path.write_bytes(former)
        self.assertIn("is older than", self.workspace.serving(
            "fleet deliver", path, status=REFUSED).stderr)
        self.move(0)
        self.push(True)
        self.await_rule(True)
        wait_until(lambda: self.show()["problem"] is None)
        self.assert_intact()
        self.move(MONTH)
        self.assert_wipe_is_obeyed()

    def move(self, seconds):
        move_clock(seconds, self.workspace)
        self.workspace.unmount()
        self.workspace.mount()
        self.connect()

    def test_two_hours_behind(self):
        self.start_engine()
        self.move_behind()
        self.join()
        self.push(False)
        self.await_rule(False)
        wait_until(lambda: self.show()["problem"] is None)
        self.assert_wipe_is_obeyed()

    def move_behind(self):
        move_clock(BEHIND, self.workspace)
        self.workspace.unmount()
        self.workspace.mount()
        self.workspace.unlock()


class Offices(Trial):
    def test_a_month_ahead(self):
        self.start_engine()
        self.join()
        time_ = self.serials()["time/all/time"]
        move_clock(MONTH, self.office)
        self.push(False)
        self.await_rule(False)
        self.order("lock")
        wait_until(lambda: "which is days from now" in self.service.text)
        self.assertEqual(self.serials()["time/all/time"], time_)
        self.assert_intact()
        # Nothing of it is in the way once the clock is right.
        move_clock(0, self.office)
        self.push(True)
        self.await_rule(True)
        wait_until(lambda: self.show()["problem"] is None)
        self.assert_wipe_is_obeyed()

    def test_who_was_admitted_a_month_ahead_is_revoked_today(self):
        self.start_engine()
        move_clock(MONTH, self.office)
        self.join()
        move_clock(0, self.office)
        before = self.service.text.count("not connected")
        self.organization.fleet("revoke", self.machine, "--yes")
        self.carry("push")
        wait_until(lambda: self.service.text.count("not connected") > before)
        self.push(False)
        before = self.service.text.count("not connected")
        wait_until(lambda: self.service.text.count("connected") > before + 1)
        self.assertEqual(self.service.text.count("connected as machine"), 1)
        self.assertTrue(self.rule())

    def test_two_hours_behind(self):
        self.start_engine()
        self.join()
        move_clock(BEHIND, self.office)
        self.push(False)
        self.await_rule(False)
        wait_until(lambda: self.show()["problem"] is None)
        self.assert_wipe_is_obeyed()


class Engines(Trial):
    """Servers are static programs: all others' clocks are moved the other way."""

    def live(self, *options):
        self.start_engine()
        self.join(*options)
        self.push(False)
        self.await_rule(False)
        wait_until(lambda: self.show()["problem"] is None)
        self.assert_wipe_is_obeyed()


class EnginesAhead(Engines):
    def set_clocks(self):
        move_clock(-MONTH, self.office, self.workspace)

    def test_a_month_ahead(self):
        self.live("--expires", "60")


class EnginesBehind(Engines):
    def set_clocks(self):
        move_clock(-BEHIND, self.office, self.workspace)

    def test_two_hours_behind(self):
        self.live()


if __name__ == "__main__":
    unittest.main()
