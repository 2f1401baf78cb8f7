"""`report --me`: why an account is blocked, what the organisation is told of it, whom to ask."""
import json
import os
import re
import shutil
import subprocess
import time
import unittest

from fleet_reports import Reports
from ordinary_user import NOBODY
from signing import Organization
from socket_client import Client, Refusal
from workspace import ANN, BOB, SETTINGS, USAGE, Workspace, wait_until

# Of the envelope, in each report.
ENVELOPE = {"organization", "machine", "issued", "sequence"}
# Of reports, which no person has to know.
MEMBERS = {
    "blockedBy", "checkedIn", "facts", "lastUse", "objectId", "obeyed", "refused", "reset",
    "rootSerial", "suspects", "verify", "host", "window", "mounted", "contained", "problem",
    "pending", "compliant", "files", "level"}


def leaves(value, path=""):
    """Paths and values as the page has them."""
    inner = value.items() if isinstance(value, dict) else (
        ((str(number + 1), one) for number, one in enumerate(value))
        if isinstance(value, list) else ())
    found = [leaf for name, one in inner
             for leaf in leaves(one, f"{path}.{name}" if path else name)]
    if found:
        return found
    words = {True: "yes", False: "no"}.get(value) if isinstance(value, bool) else (
        "none" if value in (None, {}, []) else str(value))
    return [(path, words)]


class Page:
    """What the verb prints of a workspace."""

    def __init__(self, workspace):
        self.text = workspace.serving("report", "--me").stdout
        self.data = json.loads(workspace.serving("report", "--me", "--json").stdout)
        self.lines = [line.split(None, 1) for line in self.text.splitlines() if line.strip()]

    def values(self, label):
        return [rest[0] for first, *rest in self.lines if first == label and rest]


class Joined(Reports):
    def page(self):
        return Page(self.workspace)

    def sent(self):
        return {name: value for name, value in self.status().items() if name not in ENVELOPE}

    def test_a_blocked_account(self):
        self.deliver(self.contoso.document("policy", b"", name="level.json"))
        wait_until(lambda: self.account_status()["window"] == "blocked")
        page = self.page()
        (account,) = page.data["accounts"]
        self.assertEqual((account["name"], account["block"]), (ANN, "launch"))
        self.assertEqual(page.data["organization"], "Contoso")
        # As `status` says it.
        shown = self.workspace.serving("status").stdout
        (reason,) = page.values("because")
        self.assertIn(reason, shown)
        self.assertIn("no policy that Contoso has signed", reason)
        self.assertEqual(page.values("next"), ["ask Contoso"])
        self.assertIn("Whom to ask: Contoso", page.text)
        self.assertEqual(set(page.data["report"]["status"]), set(self.sent()))
        (told,) = page.data["report"]["status"]["accounts"]
        self.assertEqual((told["window"], told["blockedBy"]), ("blocked", "launch"))

    def test_all_that_is_sent_is_shown(self):
        self.deliver(self.contoso.order(
            "collectDiagnostics", self.machine, keys=self.contoso.keys["order"][:1]))
        sent = self.sent()
        page = self.page()
        self.assertEqual(page.data["report"]["withheld"], [])
        shown = page.data["report"]["status"]
        self.assertEqual(set(shown), set(sent))
        for name in set(sent) - {"accounts", "diagnostics"}:
            self.assertEqual(shown[name], sent[name], name)
        rows = self.rows(page)
        self.assertEqual(len(rows), len(leaves(shown)))
        for path, value in leaves({**sent, "accounts": [], "diagnostics": 0}):
            if not path.startswith(("accounts", "diagnostics")):
                self.assertIn(value, [shown for _, shown in rows], path)
        self.assertIn((f"{ANN}: name", ANN), rows)
        self.assertIn("diagnostics, counters.unlocks", dict(rows))
        self.assertIn(("can contain programs", "yes" if sent["contained"] else "no"), rows)
        # No member is without words.
        for label, _ in rows:
            self.assertNotIn(label.rpartition(": ")[2].partition(".")[0], MEMBERS)

    def rows(self, page):
        """Labels and values of the table."""
        _, table = page.text.split("says now; ")
        return [tuple(re.split(" {2,}", line.strip(), maxsplit=1))
                for line in table.splitlines() if line.startswith("  ")]

    def test_a_contact(self):
        self.assertIsNone(self.page().data["contact"])
        for serial, contact, audience in (
                (20, "+49 30 1234", "all"), (21, "help@contoso.com <b>", "all"),
                (10, "lab@contoso.com", f"machine:{self.machine}")):
            self.deliver(self.contoso.document(
                "settings", {"Contact": contact}, name="settings.json", serial=serial,
                audience=audience))
            page = self.page()
            self.assertEqual(page.data["contact"], contact)
            self.assertIn(f"Whom to ask: Contoso, {contact}\n", page.text)
            self.assertIn(contact, self.workspace.serving("fleet show").stdout)
        self.workspace.remount()
        self.assertEqual(self.page().data["contact"], "lab@contoso.com")
        self.deliver(self.contoso.document("policy", b"", name="level.json"))
        wait_until(lambda: self.account_status()["window"] == "blocked")
        page = self.page()
        self.assertEqual(page.values("next"), ["ask Contoso, lab@contoso.com"])
        # Wherever the reason is told.
        self.assertIn("has signed covers it; ask lab@contoso.com",
                      self.workspace.serving("account list").stdout)
        # In words that other programs look up, as the desktop does in German.
        with Client(self.workspace.socket) as client:
            (account,) = client.call("Workspace.ListAccounts")["accounts"]
        self.assertEqual(account["blockWords"], [
            "%%s (%s)", "%%s; ask %s", "%no policy that %s has signed covers it", "=Contoso",
            "=lab@contoso.com", "=organization"])

    def test_a_contact_that_is_no_plain_text_is_refused(self):
        for contact in ("", "a\nb", "\u001b[2J", "x" * 201, "\u202ecom.contoso", None):
            self.assertIn("Contact must be", self.refusal(self.contoso.document(
                "settings", {"Contact": contact}, name="settings.json")))

    def test_when_the_last_one_was_fetched(self):
        self.assertIsNone(self.page().data["report"]["fetched"])
        self.assertIn("none was fetched", self.page().text)
        before = int(time.time())
        self.status()
        page = self.page()
        self.assertIn(page.data["report"]["fetched"], range(before, int(time.time()) + 1))
        self.assertIn("the last one was fetched", page.text)

    def test_to_look_does_no_order(self):
        order = self.contoso.order(
            "collectDiagnostics", self.machine, keys=self.contoso.keys["order"][:1])
        self.deliver(order)
        self.workspace.remount()
        for _ in range(2):
            status = self.page().data["report"]["status"]
            self.assertIn("diagnostics", status)
            self.assertEqual(status["pending"], 1)
        self.assertEqual(self.show()["pending"], 1)
        self.assertIn("diagnostics", self.status())
        self.assertEqual(self.page().data["report"]["status"]["pending"], 0)

    def test_it_goes_with_no_page(self):
        for options in ("--html", "page.html"), ("--days", "3"), ("--force",):
            self.workspace.serving("report", "--me", *options, status=USAGE)


class Contained(unittest.TestCase):
    def test_a_contained_program_is_told_nothing(self):
        workspace = Workspace(settings={**SETTINGS, "Containment": "offered"})
        self.addCleanup(workspace.close)
        workspace.init().mount().register()
        said = workspace.path("said")
        workspace.ctl(
            "run", "--contained", "--discard-output", "--workspace", workspace.name, "--", "sh",
            "-c", f"mamctl report --me --workspace {workspace.name} >{said} 2>&1", status=None)
        text = said.read_text()
        self.assertIn("may not call io.mamd.Fleet", text)
        self.assertNotIn("kernel", text)


class Alone(unittest.TestCase):
    def test_without_an_organisation_nobody_is_told(self):
        workspace = Workspace()
        self.addCleanup(workspace.close)
        workspace.init().mount().register()
        workspace.lock()
        page = Page(workspace)
        self.assertIn("it reports to nobody", page.text)
        self.assertEqual((page.data["organization"], page.data["report"]), (None, None))
        self.assertEqual([one["name"] for one in page.data["accounts"]], [ANN])
        self.assertEqual(page.values("next"), [f"mamctl unlock {ANN}"])
        with Client(workspace.socket) as client, self.assertRaisesRegex(
                Refusal, "joined no organisation"):
            client.call("Fleet.Preview")


@unittest.skipUnless(os.geteuid() == 0, "acts as several users, which only root can")
class TwoUsers(unittest.TestCase):
    # What Fleet.Show and Report.LastVerify do not tell them either, and sums of all accounts.
    WITHHELD = {"documents", "obeyed", "pending", "refused", "verify"}

    def setUp(self):
        self.contoso = Organization()
        self.workspace = Workspace(settings={**SETTINGS, "AllowedAccounts": [ANN, BOB]})
        self.addCleanup(self.workspace.close)
        self.workspace.init().mount()
        for place in (self.workspace.root, self.workspace.mount_point,
                      self.workspace.socket.parent.parent, self.workspace.socket.parent):
            place.chmod(0o755)
        self.workspace.socket.chmod(0o666)
        self.workspace.register(ANN)
        with Client(self.workspace.socket, NOBODY) as client:
            client.call("Workspace.RegisterAccount", name=BOB, noPassphrase=True)
        root = self.workspace.root / "root.json"
        root.write_bytes(self.contoso.root())
        self.workspace.serving("fleet join", root, "--fingerprint", self.contoso.fingerprint)
        # Anybody can run it, wherever the project is.
        self.program = shutil.copy(shutil.which("mamctl"), self.workspace.root)

    def report(self, user, *options):
        return subprocess.run(
            ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", self.program,
             "report", "--me", *options, "--workspace", self.workspace.name],
            capture_output=True, text=True, timeout=90, check=True,
            env=self.workspace.environment).stdout

    def test_each_sees_their_own(self):
        for user, own, other in (0, ANN, BOB), (NOBODY, BOB, ANN):
            with self.subTest(user):
                said = self.report(user, "--json")
                data = json.loads(said)
                self.assertEqual([one["name"] for one in data["accounts"]], [own])
                self.assertEqual(
                    [one["name"] for one in data["report"]["status"]["accounts"]], [own])
                for text in said, self.report(user):
                    self.assertIn(own, text)
                    self.assertNotIn(other, text)
                self.assertEqual(
                    set(data["report"]["withheld"]), set() if user == 0 else self.WITHHELD)
                self.assertLessEqual(
                    set(data["report"]["withheld"]) & set(data["report"]["status"]), set())

    def test_what_is_withheld_is_named(self):
        text = self.report(NOBODY)
        said = re.findall(r"(?m)^  (.+?) {2,}is sent, and shown to root$", text)
        self.assertEqual(len(said), len(self.WITHHELD))

    def test_who_has_no_account_sees_none(self):
        said = self.report(4711, "--json")
        self.assertEqual(json.loads(said)["report"]["status"]["accounts"], [])
        self.assertIn("none of yours", self.report(4711))
        for name in ANN, BOB:
            self.assertNotIn(name, said)


if __name__ == "__main__":
    unittest.main()
