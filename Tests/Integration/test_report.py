"""`report`: what it counts, what each user is told, and that its page is whole, harmless and
readable."""
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from running import PREFIX
from socket_client import Client, Refusal
from workspace import ANN, BOB, NO, PROGRAMS, USAGE, WorkspaceCase

NEEDS = ("chromium", "fonts-dejavu-core")

NASTY = "<img src=x onerror=alert(1)>&\"'@evil.example"
STRANGER = 4711


class Page(html.parser.HTMLParser):
    """Tags and text of a page; knows which tags have no end."""

    VOID = {"meta", "link", "br", "img", "wbr"}

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.text = [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if self.open.pop() != tag:
            raise AssertionError(f"{tag} ends, and another was begun last")

    def handle_data(self, data):
        self.text += data


class Report(WorkspaceCase):
    accounts = (ANN, BOB)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.page = cls.workspace.root / "report.html"
        tree = cls.workspace.path("tree")
        tree.mkdir()
        for owner, count, size in ((ANN, 3, 10_000), (BOB, 1, 200), (NASTY, 2, 5)):
            for number in range(count):
                cls.workspace.write_as(owner, tree / f"{owner[:3].strip('<')}{number}", "x" * size)
        cls.workspace.run_as(ANN, "ln", tree / "ann0", tree / "again")
        cls.workspace.run_as(ANN, "ln", "-s", "ann0", tree / "link")
        cls.workspace.lock(BOB)

    def report(self, *options, **more):
        return self.workspace.serving("report", *options, **more)

    def data(self):
        return json.loads(self.report("--json").stdout)

    def html(self):
        self.report("--html", self.page, "--force")
        return self.page.read_text()

    def test_sums(self):
        data = self.data()
        sums = {
            (found["owner"], found["class"], found["state"]): found
            for found in data["census"]["sums"]}
        self.assertEqual(
            {key: (found["files"], found["bytes"]) for key, found in sums.items()},
            {(ANN, "A", "available"): (3, 30_000), (BOB, "A", "closed"): (1, 200),
            (NASTY, None, "unmanaged"): (2, 10)})
        total = data["census"]["total"]
        self.assertEqual(
            (total["files"], total["others"], total["unreadable"], total["uncounted"]),
            (6, 1, 0, 0))
        directories = sum(len(names) for _, names, _ in os.walk(self.workspace.mount_point))
        self.assertEqual(total["directories"], directories)
        stored = sum(
            os.lstat(self.workspace.on_disk("tree", name)).st_blocks * 512
            for name in ("ann0", "ann1", "ann2"))
        self.assertEqual(sums[ANN, "A", "available"]["storedBytes"], stored)

    def test_progress_comes_first(self):
        client = Client(self.workspace.socket)
        self.addCleanup(client.close)
        with self.assertRaises(Refusal) as caught:
            client.call("Report.Census")
        self.assertEqual(caught.exception.name, "ExpectedMore")
        self.assertIn("total", client.call("Report.Census", more=True))

    def test_policy_and_events(self):
        data = self.data()
        rule = data["policies"][0]["rules"]["pinRequired"]
        self.assertEqual((rule["value"], len(rule["from"])), (False, 1))
        self.assertIn("unlocked", {event["event"] for event in data["events"]})
        text = Page(self.html()).text
        for words in (
                "pinRequired", "Whose files these are", "When accounts were open", "unlocked"):
            self.assertIn(words, text)

    def test_verification(self):
        file = self.directory / "damaged"
        self.workspace.write_as(ANN, file, "y" * 9000)
        self.workspace.serving("verify", status=None)
        os.sync()
        self.workspace.unmount()
        with open(self.backing_of(file), "r+b") as stored:
            stored.seek(5000)
            stored.write(b"damage")
        self.workspace.mount()
        self.workspace.unlock()
        self.workspace.serving("verify", status=None)
        verify = self.data()["verify"]
        self.assertEqual(
            (verify["counts"]["left"], verify["findings"][0]["problem"]), (1, "blocks"))
        text = Page(self.html()).text
        self.assertIn("test_verification/damaged", text)
        self.assertIn("1 problem that could not be repaired", text)
        file.unlink()

    def test_page_needs_nothing_else_and_runs_nothing(self):
        text = self.html()
        page = Page(text)
        self.assertEqual(page.open, [])
        self.assertFalse(
            {tag for tag, _ in page.tags} & {"script", "img", "link", "iframe", "object"})
        for tag, attributes in page.tags:
            self.assertFalse(
                {name for name in attributes if name.startswith("on") or name in ("src", "href")},
                (tag, attributes))
        self.assertNotRegex(text, r"url\(|@import|https?://")
        self.assertIn(NASTY, page.text)
        self.assertEqual(self.page.stat().st_mode & 0o777, 0o600)

    def test_files_are_not_replaced(self):
        self.page.write_text("precious")
        self.assertIn("--force", self.report("--html", self.page, status=NO).stderr)
        self.assertEqual(self.page.read_text(), "precious")
        self.report(status=USAGE)
        for days in ("0", "91", "x"):
            self.report("--json", "--days", days, status=USAGE)

    @unittest.skipUnless(os.getuid() == 0, "acts as another user, which only root can")
    def test_others_see_their_own(self):
        for place in (
                self.workspace.root, self.workspace.socket.parent.parent,
                self.workspace.socket.parent):
            os.chmod(place, 0o755)
        os.chmod(self.workspace.socket, 0o666)
        client = Client(self.workspace.socket, STRANGER)
        self.addCleanup(client.close)
        for method in ("Report.LastVerify", "Report.Census"):
            with self.assertRaises(Refusal) as caught:
                client.call(method, more=True)
            self.assertEqual(caught.exception.name, "Refused")
        client.call("Workspace.RegisterAccount", name="carol@contoso.com", noPassphrase=True)
        answer = client.call("Report.Census", more=True)
        self.assertEqual(
            (answer["sums"], answer["total"]["files"], answer["total"]["directories"]), ([], 0, 0))
        status = client.call("Workspace.Status")
        self.assertIsNone(status.get("lastVerify"))
        told = {found["name"]: found["policies"] for found in status["accounts"]}
        self.assertEqual((told[ANN], told["carol@contoso.com"] is None), (None, False))
        client.call("Workspace.Wipe", account="carol@contoso.com", confirmed=True)


@unittest.skipUnless(shutil.which("chromium"), "chromium is not installed")
class Rendered(WorkspaceCase):
    def chromium(self, page, *options):
        home = tempfile.mkdtemp(prefix=PREFIX + "chromium-")
        self.addCleanup(shutil.rmtree, home, ignore_errors=True)
        return subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--enable-logging=stderr", f"--user-data-dir={home}", *options, f"file://{page}"],
            capture_output=True, encoding="utf-8", errors="replace", timeout=120,
            env={**os.environ, "HOME": home})

    def test_widths(self):
        name = (
            "a-name-that-is-so-long-that-it-fits-into-no-column-whatsoever-"
            "and-has-no-place-to-break@contoso.com")
        self.workspace.write_as(name, self.directory / "file", "x" * 5000)
        page = pathlib.Path(self.workspace.root) / "page.html"
        self.workspace.serving("report", "--html", page)
        text = page.read_text()
        probed = page.with_name("probed.html")
        policy = '<meta http-equiv="Content-Security-Policy"'
        self.assertIn(policy, text)
        # What the page itself must not have.
        probe = f"<script>{(PROGRAMS / 'measure_page.js').read_text()}</script>"
        probed.write_text(
            re.sub(policy + r"[^>]*>", "", text).replace("</body>", probe + "</body>"))
        for width in (1280, 800, 400):
            found = self.chromium(probed, f"--window-size={width},2000", "--dump-dom")
            self.assertNotIn("CONSOLE", found.stderr)
            title = re.search(r"<title>([^<]*)</title>", found.stdout).group(1)
            inner, needed, letters, wide = title.split("|", 3)
            self.assertLessEqual(int(inner), max(width, 500))
            self.assertLessEqual(int(needed), int(inner), (width, title))
            self.assertEqual(wide, "", width)
            self.assertGreater(int(letters), 1000)
        shot = page.with_name("page.png")
        self.assertNotIn(
            "CONSOLE", self.chromium(
                page, "--window-size=1280,2000", f"--screenshot={shot}").stderr)
        # An empty page is a few kilobytes of one colour.
        self.assertGreater(shot.stat().st_size, 40_000)
