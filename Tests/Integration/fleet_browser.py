"""The page about all machines, in a browser. Used by test_fleet_page.py and test_fleet_crowd.py."""
import unittest

from chromium import Chromium
from workspace import DONE, Workspace

WIDE = """[...document.querySelectorAll("body *")].filter(
    e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80))"""


class Written(unittest.TestCase):
    """`workspace`: whose mamctl makes it, and has it in its directory."""

    workspace: Workspace

    @property
    def page(self):
        return self.workspace.root / "fleet.html"

    def write(self, organization, *options, status=DONE):
        return self.workspace.ctl(
            "fleet", "page", "-o", self.page, "--organization", organization, *options,
            status=status)


class Browsed(Written):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = Chromium()
        cls.addClassCleanup(cls.browser.close)

    def open(self, **options):
        return self.browser.open(f"file://{self.page}", **options)

    def rows(self):
        return self.browser.run(
            "[...document.querySelectorAll('#table tbody tr')].map(row => row.cells[0].innerText)")

    def assert_quiet(self):
        self.assertEqual(self.browser.requests, [f"file://{self.page}"])
        self.assertEqual(self.browser.said, [])
