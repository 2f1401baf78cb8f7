"""The page about all machines, some of them hostile: in a browser."""
import base64
import hashlib
import json
import re
import shutil
import unittest

from fleet_browser import WIDE, Browsed, Written
from fleet_directory import Directory
from signing import DAY
from workspace import NO, NOT_FOUND, Workspace, wait_until

MARK = "window.stolen = 1"
HOSTILE = (
    f"</script><script>{MARK}</script>", f"<img src=https://evil.example/x onerror='{MARK}'>",
    f"\"><svg onload=\"{MARK}\">", "&lt;script&gt;", "{{7*7}}", "<!--<script>", "]]>",
    "javascript:" + MARK, "\u202egnp.exe", "line\u2028break\n\r\tand\x00\x1b[31m", "x" * 5000,
    "\ud83d\ude00 m\u00e4chine", "'); " + MARK + "; ('", "=cmd|' /C calc'!A0", "__proto__")


class PageCase(Written):
    def setUp(self):
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)

    def small(self):
        organization = Directory(self.workspace.root / "org")
        organization.add("pc-1")
        organization.add("pc-2", issued=organization.now - 30 * DAY)
        return organization


class Page(PageCase):
    def test_its_policy_is_of_digests(self):
        self.write(self.small().path)
        text = self.page.read_text()
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
        for kind in ("style", "script"):
            (inside,) = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
            digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
            self.assertIn(f"{kind}-src 'sha256-{digest}'", policy)
        self.assertTrue(policy.startswith("default-src 'none';"))
        self.assertNotIn("unsafe", policy)
        self.assertNotRegex(text, r"https?://|url\(|@import|innerHTML|\beval\b")
        self.assertNotRegex(text, r"<[^>]*\s(?:on\w+|src|href|style)=")
        self.assertEqual(self.page.stat().st_mode & 0o777, 0o600)

    def test_standard_output(self):
        path = self.small().path
        place = self.workspace.root / "empty"
        place.mkdir()
        said = self.workspace.ctl(
            "fleet", "page", "-o", "-", "--organization", path, prefix=("env", "-C", place))
        self.assertTrue(said.stdout.startswith("<!DOCTYPE html>"))
        self.assertTrue(said.stdout.endswith("</html>\n"))
        self.assertEqual((said.stderr, list(place.iterdir())), ("", []))

    def test_files_are_not_replaced(self):
        path = self.small().path
        self.page.write_text("precious")
        self.assertIn("--force", self.write(path, status=NO).stderr)
        self.assertEqual(self.page.read_text(), "precious")
        made = json.loads(self.write(path, "--force", "--json").stdout)
        self.assertEqual((made["machines"], made["attention"]), (2, 1))
        self.write(self.workspace.root, "--force", status=NOT_FOUND)


@unittest.skipUnless(shutil.which("chromium"), "chromium is not installed")
class Rendered(Browsed, PageCase):
    def test_hostile_machines(self):
        organization = Directory(self.workspace.root / "org")
        for number, text in enumerate(HOSTILE):
            machine = organization.add(f"pc-{number}", host=text)
            machine.register(name=text if number % 2 else "")
            machine.say(
                host=text, version=text, kernel=text, workspace=text, problem=text,
                facts={"system": text, "encrypted": False, "restartRequired": True},
                documents={text: 1, "policy/all/level2": 17},
                accounts=[machine.account(name=text, blockedBy=text, window="blocked")],
                refused=2**62, pending=2**62)
        machine.order = organization.order("lock", machine)
        organization.organization.name = HOSTILE[0]
        root = organization.organization.root()
        (organization.path / "root.json").write_bytes(root)
        self.write(organization.path)
        self.open(width=400)
        self.assert_quiet()
        self.assertIsNone(self.browser.run("window.stolen ?? null"))
        self.assertEqual(len(self.rows()), len(HOSTILE))
        # All that there is, is text: no element that the page does not make itself.
        self.assertEqual(
            self.browser.run("document.querySelectorAll('img, iframe, a, embed, object').length"),
            0)
        self.assertEqual(self.browser.run("document.scripts.length"), 2)
        self.assertIn("</script><script>", self.browser.run("document.title"))
        shown = self.browser.run("document.body.innerText")
        self.assertIn("</script><script>", shown)
        self.assertIn("&lt;script&gt;, disk not encrypted, restart required", shown)
        self.assertNotIn("\u202e", shown)
        self.assertNotIn("\x1b", self.page.read_text())
        self.assertEqual(self.browser.run(WIDE), [])
        for word in ("status", "diff", "orders"):
            said = self.workspace.ctl("fleet", word, "--organization", organization.path).stdout
            self.assertNotRegex(said, "[\x00-\x09\x0b-\x1f\u202e\u2028]")

    def test_an_empty_register(self):
        self.write(Directory(self.workspace.root / "org").path)
        self.open()
        self.assert_quiet()
        self.assertIn("Nothing needs attention", self.browser.run("document.body.innerText"))
        self.assertIn("No machine fits.", self.browser.run("document.body.innerText"))

    def test_keyboard_and_names(self):
        organization = Directory(self.workspace.root / "org")
        for number in range(120):
            organization.add(f"pc-{number}", refused=number)
        self.write(organization.path)
        self.open()
        page, browser = "document.activeElement", self.browser
        browser.run("document.getElementById('search').focus()")
        for _ in range(4):
            browser.press("Tab")
        self.assertEqual(browser.run(f"{page}.innerText"), "Clear")
        browser.press("Tab")
        self.assertEqual(browser.run(f"{page}.innerText"), "Machine")
        browser.press("Enter")
        self.assertEqual(browser.run(f"{page}.closest('th').ariaSort"), "ascending")
        self.assertEqual(self.rows()[:3], ["pc-0", "pc-1", "pc-2"])
        browser.press("Space")
        self.assertEqual(browser.run(f"{page}.closest('th').ariaSort"), "descending")
        self.assertEqual(self.rows()[0], "pc-119")
        for _ in range(7):
            browser.press("Tab")
        self.assertIn("Refused", browser.run(f"{page}.innerText"))
        browser.press("Enter")
        self.assertEqual(self.rows()[0], "pc-119")
        browser.press("Tab", "Tab")
        self.assertEqual(browser.run(f"{page}.innerText"), "Next")
        browser.press("Enter", "Enter")
        self.assertEqual(self.rows()[-1], "pc-0")
        self.assertIn(
            "101 to 120 of 120", browser.run("document.getElementById('shown').innerText"))
        # The button that is of no use any more gives the focus away.
        self.assertEqual(browser.run(f"{page}.innerText"), "First")
        browser.run("document.getElementById('search').focus()")
        browser.press(*"pc-77")
        self.assertEqual(self.rows(), ["pc-77"])
        unnamed = browser.run("""[...document.querySelectorAll("input, select, button")].filter(
            e => !(e.labels?.length || e.innerText)).map(e => e.outerHTML)""")
        self.assertEqual(unnamed, [])
        tree = browser.call("Accessibility.getFullAXTree")["nodes"]
        roles = {node.get("role", {}).get("value") for node in tree}
        self.assertLessEqual({"table", "columnheader", "status", "searchbox", "form"}, roles)

    def test_filters(self):
        organization = self.small()
        self.write(organization.path)
        self.open()

        def choose(id_, value):
            self.browser.run(f"""(() => {{ const found = document.getElementById("{id_}");
                found.value = "{value}";
                found.dispatchEvent(new Event("input", {{bubbles: true}})); }})()""")

        self.assertEqual(self.rows(), ["pc-2", "pc-1"])
        choose("state", "compliant")
        self.assertEqual(self.rows(), ["pc-1"])
        choose("state", "")
        choose("reason", "stale")
        self.assertEqual(self.rows(), ["pc-2"])
        choose("version", "v0.1.0")
        self.assertEqual(self.rows(), ["pc-2"])
        self.browser.run("document.querySelector('button[type=reset]').click()")
        wait_until(lambda: len(self.rows()) == 2)
        choose("order", "0")
        self.assertEqual(self.rows(), ["pc-1", "pc-2"])


if __name__ == "__main__":
    unittest.main()
