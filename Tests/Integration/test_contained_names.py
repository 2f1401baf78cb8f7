"""Contained programs where another workspace has the same name."""
import subprocess

from test_contained import SECRET, Contained
from workspace import NO, REFUSED, Workspace


class SameName(Contained):
    """Another workspace of the same name, mounted later, as another user's may be."""

    def setUp(self):
        super().setUp()
        self.other = Workspace()
        self.addCleanup(self.other.close)
        self.other.init().mount()

    def test_it_is_not_taken_for_this_one(self):
        plan = self.secret()
        self.assertIn(SECRET, self.contained(
            "sh", "-ec", 'cp "$1" "$1.copy"; cat "$1.copy"', "sh", plan))
        self.contained("cp", plan, self.other.path("leak"), status=NO)
        self.assertEqual(list(self.other.mount_point.iterdir()), [])

    def test_a_stream_into_it_leads_out(self):
        with open(self.other.path("stream"), "wb") as file:
            done = subprocess.run(
                self.words("true"), stdin=subprocess.DEVNULL, stdout=file,
                stderr=subprocess.PIPE, env=self.workspace.environment, timeout=60)
        self.assertEqual(done.returncode, REFUSED, done.stderr)
        self.assertIn(b"standard output leads out", done.stderr)


if __name__ == "__main__":
    import unittest

    unittest.main()
