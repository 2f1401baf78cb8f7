"""What else mamd does on a desktop: notifications, the sign in the panel, the status window, the
countdown, the bus that starts it, words in German."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import types
import unittest

import desktop_session
from desktop_session import DESKTOP, PYTHON, DesktopSession
from signing import Organization
from socket_client import Client
from workspace import ANN, BOB, PASSPHRASE, ROOT, Workspace, wait_until

NEEDS = ("gettext",)

PROMPT, STATUS = "Unlock managed files", "Managed files"
ITEM = ("org.freedesktop.DBus.Properties.Get", "org.kde.StatusNotifierItem")


@unittest.skipIf(desktop_session.missing(), desktop_session.missing())
class Desktop(unittest.TestCase):
    settings = {"LockOn": {"IdleSeconds": 0}, "LockGraceSeconds": 0}
    language = "en_US"

    def setUp(self):
        self.workspace = Workspace(settings=self.settings).init().mount().register()
        self.addCleanup(self.workspace.close)
        self.file = self.workspace.path("plan.txt")
        self.workspace.write_as(ANN, self.file, "Contoso pays.")
        self.workspace.await_closed()
        self.session = DesktopSession(self.workspace.environment, self.language).start()
        self.addCleanup(self.session.close)

    def let_the_bus_start_it(self):
        services = pathlib.Path(self.session.directory) / "services"
        (services / "io.mamd.Prompt.service").write_text(
            f"[D-BUS Service]\nName=io.mamd.Prompt\n"
            f"Exec={PYTHON} -B {DESKTOP}/mamd-prompt --gapplication-service\n")
        self.session.gdbus(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.ReloadConfig")

    def titles(self):
        return [each["title"] for each in self.session.notifications()]

    def await_title(self, title):
        wait_until(lambda: title in self.titles(), message=f"no '{title}'")

    def state(self, account=ANN):
        return self.workspace.account(account)["state"]


    def assert_seen(self, button, *lines):
        """What the window shows, once the workspace has joined an organisation."""
        contoso = Organization()
        documents = {
            "root.json": contoso.root(), "policy.json": contoso.policy({"printBlocked": True}),
            "settings.json": contoso.document(
                "settings", {"Contact": "help@contoso.com <b>"}, name="settings.json"),
            "time.json": contoso.time({})}
        for name, document in documents.items():
            (self.workspace.root / name).write_bytes(document)
        self.workspace.serving(
            "fleet join", *(self.workspace.root / name for name in documents), "--fingerprint",
            contoso.fingerprint)
        window = self.session.run(PYTHON, "-B", DESKTOP / "mamd-status")
        self.addCleanup(window.kill)
        wait_until(lambda: self.session.xdotool(
            "search", "--onlyvisible", "--pid", str(window.pid)).stdout, message="no window")
        self.session.focus(self.session.xdotool(
            "search", "--onlyvisible", "--pid", str(window.pid)).stdout.split()[0])
        self.session.await_text(ANN)
        self.session.press(button)
        for line in lines:
            self.session.await_text(line)


class Telling(Desktop):
    def test_a_lock_and_a_wipe_are_told(self):
        self.workspace.register(BOB)
        self.session.start_agent()
        self.workspace.lock()
        self.await_title(f"{ANN} is locked")
        self.workspace.serving("wipe", BOB, "--confirm", BOB)
        self.await_title(f"{BOB} was wiped")

    def test_other_policies_are_told(self):
        self.session.start_agent()
        (document,) = self.workspace.policies.iterdir()
        rules = json.loads(document.read_text())
        document.write_text(json.dumps({**rules, "printBlocked": True}))
        self.await_title(f"Other policies apply to {ANN}")

    def test_a_rule_is_told_in_words_and_asks_nobody(self):
        (document,) = self.workspace.policies.iterdir()
        rules = json.loads(document.read_text())
        document.write_text(json.dumps({
            **rules, "allowedOutboundDataTransferDestinations": "none",
            "allowedInboundDataTransferSources": "none"}))
        self.workspace.register(BOB)
        agent = self.session.start_agent()
        self.workspace.serving("protect", self.file, "--owner", BOB, status=None)
        wait_until(
            lambda: any("plan.txt" in title for title in self.titles()),
            message="nothing is told")
        told = next(each for each in self.session.notifications() if "plan.txt" in each["title"])
        self.assertRegex(told["body"], "Policy does not let")
        self.assertEqual(self.session.windows(PROMPT), [])
        self.assertIsNone(agent.poll())


class Contained(Desktop):
    settings = {"LockOn": {"IdleSeconds": 0}, "Containment": "required"}

    def test_what_is_for_contained_programs_can_be_opened_contained(self):
        (document,) = self.workspace.policies.iterdir()
        rules = json.loads(document.read_text())
        document.write_text(
            json.dumps({**rules, "allowedOutboundDataTransferDestinations": "managedApps"}))
        wait_until(
            lambda: subprocess.run(["cat", self.file], capture_output=True).returncode,
            message="the policy does not come into force")
        self.session.start_agent()
        subprocess.run(["cat", self.file], capture_output=True)
        self.await_title("cat may not open plan.txt")
        told = self.session.notifications()[-1]
        self.assertEqual(told["actions"], ["contained", "Open contained"])


class LockedOut(Desktop):
    def test_the_right_passphrase_opens_at_once(self):
        (document,) = self.workspace.policies.iterdir()
        rules = json.loads(document.read_text())
        document.write_text(
            json.dumps({**rules, "pinRequired": True, "maximumPinRetries": 1}))
        self.workspace.ctl("lock", "--now")
        self.session.start_agent()
        subprocess.run(["cat", self.file], capture_output=True)
        self.session.focus(self.session.await_window(PROMPT))
        self.session.await_entry()
        self.session.type("nothing like it")
        self.session.keys("Return")
        self.session.await_text("Too many wrong passphrases.")
        self.session.await_text("Check in and unlock")
        told = [each for each in self.session.notifications() if "blocked" in each["title"]]
        self.assertEqual([each["body"] for each in told], [
            "Too many wrong passphrases. The right one opens it by a check-in."])
        wait_until(
            lambda: "Next attempt" not in str(self.session.texts()), message="it waits for ever")
        self.session.await_entry()
        self.session.type(PASSPHRASE)
        self.session.keys("Return")
        self.session.await_none(PROMPT)
        self.assertEqual(self.state(), "unlocked")


class LastTry(Desktop):
    def ask(self, retries):
        """The window for an account that policy wipes after so many wrong passphrases."""
        (document,) = self.workspace.policies.iterdir()
        rules = json.loads(document.read_text())
        document.write_text(json.dumps({
            **rules, "pinRequired": True, "maximumPinRetries": retries,
            "appActionIfMaximumPinRetriesExceeded": "wipe"}))
        self.workspace.ctl("account", "check-in")
        self.workspace.ctl("lock", "--now")
        self.session.start_agent()
        subprocess.run(["cat", self.file], capture_output=True)
        self.session.focus(self.session.await_window(PROMPT))
        self.session.await_entry()

    def enter(self, passphrase):
        self.session.type(passphrase)
        self.session.keys("Return")

    def test_the_window_says_what_it_costs_and_what_it_has_cost(self):
        self.ask(retries=1)
        self.session.await_text(
            f"One more wrong passphrase wipes {ANN}: its files here are destroyed.")
        self.session.await_text("Try anyway")
        self.enter("nothing like it")
        self.session.await_text("Too many wrong passphrases: its keys and files here are destroyed")
        self.assertIsNone(self.workspace.account())
        self.assertFalse({"Try anyway", "Unlock"} & set(self.session.texts()))

    def test_a_wrong_one_before_it(self):
        self.ask(retries=2)
        self.session.await_text("Unlock")
        self.enter("nothing like it")
        self.session.await_text(
            "That was not right. The next wrong passphrase destroys the account's keys and files.")
        self.session.await_text("Try anyway")
        wait_until(
            lambda: "Next attempt" not in str(self.session.texts()), message="it waits for ever")
        self.session.await_entry()
        self.enter(PASSPHRASE)
        self.session.await_none(PROMPT)
        self.assertEqual(self.state(), "unlocked")


class Countdown(Desktop):
    settings = {"LockOn": {"IdleSeconds": 24}, "LockGraceSeconds": 0}

    def test_it_is_kept_open_by_a_press(self):
        self.session.start_agent()
        # The idle time begins anew, whatever the start took.
        self.workspace.unlock()
        self.file.read_bytes()
        with Client(self.workspace.socket) as events:
            events.send("Workspace.Watch", more=True)
            title = f"{ANN} will be locked"
            wait_until(lambda: self.titles().count(title) > 1, message="it does not count down")
            told = self.session.notifications()[-1]
            self.assertEqual(told["actions"], ["keep", "Keep open"])
            self.session.gdbus(
                "org.freedesktop.Notifications", "/org/freedesktop/Notifications",
                "io.mamd.Test.Press", "keep")
            words = iter(lambda: events.receive()["parameters"]["event"]["event"], "unavailable")
            self.assertIn("idle-lock-averted", words)
        self.assertEqual(self.state(), "unlocked")


class Panel(Desktop):
    def item(self, name):
        """A property of the item in the panel, as its host reads it."""
        wanted = subprocess.run(
            ["gdbus", "call", "--session", "-d", "org.freedesktop.DBus", "-o",
             "/org/freedesktop/DBus", "-m", "org.freedesktop.DBus.GetNameOwner", "io.mamd.Prompt"],
            capture_output=True, text=True, env=self.session.environment).stdout
        (self.owner,) = re.findall(r"'(.*)'", wanted)
        return self.session.gdbus(self.owner, "/StatusNotifierItem", *ITEM, name).stdout

    def menu(self):
        return self.session.gdbus(
            self.owner, "/MenuBar", "com.canonical.dbusmenu.GetLayout", "0", "1", "[]").stdout

    def number(self, label):
        """Of the menu's item."""
        return re.findall(rf"\((\d+), {{[^}}]*'label': <'{label}'>", self.menu())[0]

    def test_sign_and_menu(self):
        self.session.start_agent()
        wait_until(
            lambda: "mamd-open-symbolic" in self.item("IconName"), message="not shown as open")
        self.assertIn(ANN, self.item("ToolTip"))
        self.assertIn("/MenuBar", self.item("Menu"))
        wait_until(lambda: "Lock now" in self.menu(), message="nothing to lock with")
        number, last = self.number("Lock now"), self.number("Show details…")
        self.session.gdbus(
            self.owner, "/MenuBar", "com.canonical.dbusmenu.Event", number, "clicked", "<0>", "0")
        wait_until(lambda: self.state() == "locked", message="not locked")
        wait_until(
            lambda: "mamd-locked-symbolic" in self.item("IconName"), message="not shown as locked")
        with self.assertRaises(OSError):
            open(self.file)
        wait_until(lambda: "Last refused" in self.menu(), message="no last refusal")
        # GNOME's panel showed for a number what it had shown for it before.
        self.assertNotIn(f"({number}, ", self.menu())
        self.assertEqual(self.number("Show details…"), last)
        self.session.keys("Escape")


class StatusWindow(Desktop):
    def test_lock_and_unlock_by_the_bus(self):
        """mamd-prompt does not run: the bus starts it."""
        self.let_the_bus_start_it()
        self.session.run(PYTHON, "-B", DESKTOP / "mamd-status")
        self.session.focus(self.session.await_window(STATUS))
        self.session.await_text(ANN)
        self.assertFalse(self.session.has_name("io.mamd.Prompt"))
        self.session.press("Lock now")
        wait_until(lambda: self.state() == "locked", message="not locked")
        self.session.await_text("Unlock…")
        self.session.press("Unlock…")
        self.session.focus(self.session.await_window(PROMPT))
        self.session.await_entry()
        self.session.type(PASSPHRASE)
        self.session.keys("Return")
        wait_until(lambda: self.state() == "unlocked", message="not unlocked")
        self.session.await_text("Lock now")

    def test_what_is_seen_of_me(self):
        self.assert_seen(
            "What is seen of me", "What a report to Contoso says now",
            "Whom to ask: Contoso, help@contoso.com <b>")
        shown = " ".join(text for _, _, text in self.session.texts())
        said = self.workspace.serving("report", "--me").stdout
        # Line by line the same, but for what time has changed.
        for line in said.splitlines():
            if line.strip() and not re.search(r"last|ago|since|lock|idle", line):
                self.assertIn(line.strip(), shown)

    def test_the_call_that_starts_it_counts(self):
        self.workspace.lock()
        self.let_the_bus_start_it()
        self.session.run(
            PYTHON, "-B", DESKTOP / "mamd-prompt", "--unlock", self.workspace.mount_point)
        self.session.await_window(PROMPT)

    def test_without_a_workspace(self):
        self.workspace.unmount()
        self.session.run(PYTHON, "-B", DESKTOP / "mamd-status")
        self.session.await_window(STATUS)
        self.session.await_text("No workspace is mounted.")
        self.workspace.mount()
        self.session.await_text(ANN)


class Unmounted(Panel):
    """After "Eject" in the file manager, say."""

    test_sign_and_menu = None

    def setUp(self):
        super().setUp()
        self.place, self.vault = self.workspace.root / "Work", self.workspace.root / ".work"
        self.addCleanup(self.workspace.ctl, "unmount", self.place, status=None)
        self.workspace.ctl(
            "setup", self.place, ANN, "--backing", self.vault, "--name", "ejected", "--settings",
            self.workspace.settings, "--passfile", self.workspace.passfile, "--no-recovery",
            "--no-service")
        self.workspace.ctl("unmount", self.place)

    def test_the_window_mounts_it(self):
        self.session.run(PYTHON, "-B", DESKTOP / "mamd-status")
        self.session.focus(self.session.await_window(STATUS))
        self.session.await_text("Not mounted")
        self.session.press("Mount")
        wait_until(lambda: os.path.ismount(self.place), message="not mounted")
        wait_until(
            lambda: "Not mounted" not in str(self.session.texts()), message="it is not noticed")

    def test_the_panel_mounts_it(self):
        self.session.start_agent()
        self.item("Menu")
        wait_until(lambda: "'Mount'" in self.menu(), message="no way to mount it")
        self.session.gdbus(
            self.owner, "/MenuBar", "com.canonical.dbusmenu.Event", self.number("Mount"),
            "clicked", "<0>", "0")
        wait_until(lambda: os.path.ismount(self.place), message="not mounted")
        wait_until(lambda: "'Mount'" not in self.menu(), message="it is not noticed")
        self.workspace.ctl("unmount", self.place)
        wait_until(lambda: "'Mount'" in self.menu(), message="the unmount is not noticed")
        self.session.act("mount-file", f"<'{self.place}'>")
        wait_until(lambda: os.path.ismount(self.place), message="not mounted by its folder")

    def test_the_call_that_starts_the_agent_mounts_it(self):
        self.let_the_bus_start_it()
        self.session.run(PYTHON, "-B", DESKTOP / "mamd-prompt", "--mount", self.place)
        wait_until(lambda: os.path.ismount(self.place), message="not mounted")

    def test_what_was_moved_is_found(self):
        moved = self.workspace.root / "moved"
        self.vault.rename(moved)
        self.session.run(PYTHON, "-B", DESKTOP / "mamd-status")
        self.session.focus(self.session.await_window(STATUS))
        self.session.await_text(f"it was moved to {moved}")
        self.session.press("Mount")
        wait_until(lambda: os.path.ismount(self.place), message="not mounted")

    def test_of_two_none_is_chosen(self):
        for name in ("moved", "copied"):
            shutil.copytree(self.vault, self.workspace.root / name)
        shutil.rmtree(self.vault)
        self.session.run(PYTHON, "-B", DESKTOP / "mamd-status")
        self.session.await_window(STATUS)
        self.session.await_text(f"{self.vault} is not there")

    def test_what_is_not_there_is_said(self):
        shutil.rmtree(self.vault)
        self.session.run(PYTHON, "-B", DESKTOP / "mamd-status")
        self.session.focus(self.session.await_window(STATUS))
        self.session.await_text(f"{self.vault} is not there")


@unittest.skipIf(desktop_session.missing(), desktop_session.missing())
class CountdownOfOthers(unittest.TestCase):
    def test_only_ones_own_is_shown(self):
        """Root's panel sees the accounts of all users, and may keep none of theirs open."""
        sys.path.insert(0, str(DESKTOP))
        from mamd_desktop.accounts import Account
        from mamd_desktop.countdown import Countdown

        shown = []
        notifier = types.SimpleNamespace(show=lambda *told: shown.append(told))
        workspace = types.SimpleNamespace(name="work")
        countdown = Countdown(notifier)
        for uid in (os.geteuid() + 1, os.geteuid()):
            self.assertEqual(shown, [])
            countdown.told(
                workspace, Account(ANN, "unlocked", uid=uid),
                {"event": "idle-lock-due", "seconds": 30})
        self.assertEqual(len(shown), 1)


@unittest.skipUnless(shutil.which("msgfmt"), "not installed: gettext")
class German(Desktop):
    language = "de"

    def setUp(self):
        super().setUp()
        place = pathlib.Path(self.session.directory) / "locale" / "de" / "LC_MESSAGES"
        place.mkdir(parents=True)
        for domain, catalogue in (("mamd", ROOT / "po" / "desktop"), ("mamctl", ROOT / "po")):
            subprocess.run(
                ["msgfmt", "-o", place / f"{domain}.mo", catalogue / "de.po"], check=True)
        self.session.environment["TEXTDOMAINDIR"] = str(place.parents[1])

    def test_what_the_daemon_says_is_german(self):
        (document,) = self.workspace.policies.iterdir()
        rules = json.loads(document.read_text())
        document.write_text(
            json.dumps({**rules, "pinRequired": True, "maximumPinRetries": 2}))
        self.workspace.ctl("lock", "--now")
        self.session.start_agent()
        subprocess.run(["cat", self.file], capture_output=True)
        self.session.focus(self.session.await_window("Verwaltete Dateien entsperren"))
        self.session.await_entry()
        self.session.type("nothing like it")
        self.session.keys("Return")
        self.session.await_text(
            "Das war nicht richtig. Die nächste falsche Passphrase schließt das Konto bis zur"
            " Anmeldung mit der richtigen.")

    def test_what_is_seen_is_german(self):
        self.assert_seen(
            "Was von mir zu sehen ist", "Was ein Bericht an Contoso jetzt sagt",
            "kann Programme einschließen")

    def test_the_prompt_is_german(self):
        self.workspace.lock()
        self.session.start_agent()
        subprocess.run(["cat", self.file], capture_output=True)
        self.session.await_window("Verwaltete Dateien entsperren")
        self.session.await_text(
            "cat möchte „plan.txt“ öffnen.\nDas Konto entsperren, und die Datei")


class Pinentry(unittest.TestCase):
    def test_what_pinentry_says_reaches_mamctl(self):
        """A pinentry that answers as Assuan wants it: real ones need a terminal and a person."""
        workspace = Workspace().init().mount()
        self.addCleanup(workspace.close)
        passphrase = "50 % of a horse\\cart"
        workspace.register(passfile=workspace.secret("percent", passphrase))
        workspace.lock()
        fake = workspace.root / "pinentry"
        fake.write_text(
            "#!/bin/sh\necho OK ready\nwhile read -r line; do\n"
            "[ \"$line\" != GETPIN ] || printf '%s\\n' 'D 50 %25 of a horse\\cart'\n"
            "echo OK\ndone\n")
        fake.chmod(0o755)
        workspace.serving(
            "unlock", ANN, "--extpass", DESKTOP / "mamd-pinentry",
            environment={**workspace.environment, "MAMD_PINENTRY": str(fake)})
        self.assertEqual(workspace.account()["state"], "unlocked")


del Desktop
if __name__ == "__main__":
    unittest.main()
