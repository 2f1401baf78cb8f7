"""The yardstick of the other attacks: nobody attacks, and nothing is late."""
import unittest

from bounds import BoundedCase

# It times answers.
TIMED = True


class Quiet(BoundedCase):
    def test_nothing_is_late_while_nobody_attacks(self):
        self.assert_bounded()
        self.assert_small()

    def test_a_killed_daemon_is_back_soon(self):
        self.assert_starts_soon()


if __name__ == "__main__":
    unittest.main()
