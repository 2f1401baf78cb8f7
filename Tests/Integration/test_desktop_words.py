"""The desktop's words: each goes through gettext, and each has its German. And what needs no
display: which refusals ask, what is told, which thumbnails go."""
import ast
import gettext
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock
import zlib

from workspace import ROOT

DESKTOP = ROOT / "desktop"
MODULES = sorted([*(DESKTOP / "mamd_desktop").glob("*.py"), *(DESKTOP / "nautilus").glob("*.py")])
SHOWN_AS = frozenset(["title", "label", "subtitle", "description", "placeholder_text"])

sys.path.insert(0, str(DESKTOP))
from mamd_desktop import daemon_words, messages, mounts, overview
from mamd_desktop.accounts import Account, Window
from mamd_desktop.daemon_words import sentence
from mamd_desktop.gate import Gate
from mamd_desktop.limits import RateLimit
from mamd_desktop.protection import Protection
from mamd_desktop.quiet_programs import QuietPrograms
from mamd_desktop.records import Record

NEEDS = ("gettext",)


def marked(tree):
    """The texts that a module gives to gettext."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in ("_", "ngettext"):
                yield ast.literal_eval(node.args[0])


def unmarked(tree):
    """Texts with letters that are shown as they are."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                value = keyword.value
                if keyword.arg in SHOWN_AS and isinstance(value, ast.Constant) and str(
                        value.value).strip():
                    yield f"{node.lineno}: {keyword.arg}={value.value!r}"


def catalogue(source):
    with tempfile.TemporaryDirectory() as place:
        target = pathlib.Path(place) / "mamd.mo"
        subprocess.run(["msgfmt", "--check-format", "-o", target, source], check=True)
        with open(target, "rb") as file:
            return gettext.GNUTranslations(file)


class Words(unittest.TestCase):
    def test_all_are_translated(self):
        german = catalogue(ROOT / "po" / "desktop" / "de.po")
        texts = {text for file in MODULES for text in marked(ast.parse(file.read_text()))}
        self.assertGreater(len(texts), 80)
        # A text that has no German comes back as it is; none of ours is the same in both.
        missing = sorted(
            text for text in texts
            if {german.gettext(text), german.ngettext(text, text, 1)} == {text})
        self.assertEqual(missing, [])
        known = {key[0] if isinstance(key, tuple) else key for key in german._catalog} - {""}
        self.assertEqual(sorted(known - texts), [], "nobody says these any more: po/update")

    def test_none_is_forgotten(self):
        found = [
            f"{file.name}:{text}" for file in MODULES for text in unmarked(ast.parse(
                file.read_text()))]
        self.assertEqual(found, [])

    def test_the_template_is_current(self):
        """xgettext does not see all that Python does, such as what is inside of an f-string."""
        template = (ROOT / "po" / "desktop" / "mamd.pot").read_text()
        texts = {text for file in MODULES for text in marked(ast.parse(file.read_text()))}
        missing = [t for t in texts if json.dumps(t, ensure_ascii=False) not in template]
        self.assertEqual(missing, [])


class DaemonWords(unittest.TestCase):
    """As Tests/MAMControlTests/MessageWireTests.swift has them."""

    @classmethod
    def setUpClass(cls):
        place = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        (place / "de" / "LC_MESSAGES").mkdir(parents=True)
        subprocess.run(
            ["msgfmt", "-o", place / "de" / "LC_MESSAGES" / "mamctl.mo", ROOT / "po" / "de.po"],
            check=True)
        german = {"TEXTDOMAINDIR": str(place), "LANGUAGE": "de", "LC_ALL": "C.UTF-8"}
        cls.enterClassContext(unittest.mock.patch.dict(os.environ, german))
        daemon_words.catalogue.cache_clear()
        cls.addClassCleanup(daemon_words.catalogue.cache_clear)

    def said(self, *words, reason="english"):
        return sentence({"reason": reason, "words": list(words)})

    def test_they_are_translated(self):
        self.assertEqual(
            self.said("%account '%s' is blocked: %s", "=ann", "%its owner is not managed"),
            "Konto »ann« ist blockiert: its owner is not managed")
        self.assertEqual(
            self.said(
                "?2", "%%s more wrong passphrase destroys the account's keys and files",
                "%%s more wrong passphrases destroy the account's keys and files", "#12345"),
            "12.345 weitere falsche Passphrasen zerstören die Schlüssel und Dateien des Kontos")

    def test_what_no_catalogue_has_is_english(self):
        self.assertEqual(self.said("%%s%% of it", "=7 % of a"), "7 % of a% of it")
        self.assertEqual(self.said("+2", "%%s is ", "=one", "%here %s", "!2"),
                         "one is here No such file or directory")
        self.assertEqual(self.said("%a\x1b[2J%s", "=\u202eb"), "a?[2J?b")

    def test_what_no_daemon_writes_is_the_reason(self):
        for words in (
                [], ["%"] * 2, ["%%s"], ["%%s"] * 100, ["+9", "%a"], ["?1", "%a"], ["+-1"],
                ["!99999999999999999999"], ["#1"], [7], [None], ["%a", "%b"], ["%%s", "!x"],
                ["%%s", "!5000", "%x"], ["%%1$s%1$s", "=a"], ["%%s%1$s", "=a"], ["%"], ["+0"],
                ["%%" + "9" * 5000 + "$s", "=a"]):
            self.assertEqual(self.said(*words), "english", words)
        for words in (None, 7, "%a", {"a": "%a"}):
            self.assertEqual(sentence({"reason": "english", "words": words}), "english")
        self.assertEqual(sentence({"words": ["%a"]}), "")
        self.assertEqual(sentence({"reason": "a\x1b\u200f\ud800b"}), "a???b")


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


def refused(program="cat", account="ann", **members):
    return Record(
        event="refused", operation="open", program=program, account=account, path="a/b.txt",
        **members)


class Asking(unittest.TestCase):
    def setUp(self):
        self.clock = Clock()
        text = (DESKTOP / "mamd_desktop" / "quiet-programs").read_text()
        from mamd_desktop.quiet_programs import names

        self.names = names(text)
        self.gate = Gate(QuietPrograms(self.names), self.clock)

    def test_one_at_a_time(self):
        self.assertTrue(self.gate.asks("work", refused()))
        self.assertFalse(self.gate.asks("work", refused("vim")))
        self.assertTrue(self.gate.asks("work", refused(account="bob")))
        self.assertTrue(self.gate.asks("other", refused()))

    def test_dismissed_is_quiet_for_a_time(self):
        self.gate.asks("work", refused())
        self.gate.closed("work", "ann", is_dismissed=True)
        self.clock.now += 299
        self.assertFalse(self.gate.asks("work", refused()))
        self.clock.now += 2
        self.assertTrue(self.gate.asks("work", refused()))

    def test_an_unlock_ends_the_quiet(self):
        self.gate.asks("work", refused())
        self.gate.closed("work", "ann", is_dismissed=True)
        self.gate.unlocked("work", "ann")
        self.assertTrue(self.gate.asks("work", refused()))

    def test_who_asks_nobody(self):
        for program in (
                "tracker-miner-f", "tracker-extract", "localsearch-3", "localsearch-ext",
                "baloo_file", "baloo_file_extr", "updatedb", "updatedb.plocat", "gdk-pixbuf-thum",
                "evince-thumbnai", "totem-video-thu", "tumblerd", "nautilus", "kioworker"):
            self.assertFalse(self.gate.asks("work", refused(program)), program)
        for program in ("cat", "evince", "soffice.bin", "python3", "tr"):
            self.assertTrue(Gate(QuietPrograms(self.names), self.clock).asks(
                "work", refused(program)), program)

    def test_a_persons_own_list(self):
        gate = Gate(QuietPrograms([*self.names, "vim", "-nautilus"]), self.clock)
        self.assertFalse(gate.asks("work", refused("vim")))
        self.assertTrue(gate.asks("work", refused("nautilus")))

    def test_what_no_passphrase_opens(self):
        self.assertFalse(self.gate.asks("work", refused(rule="Containment")))
        self.assertFalse(self.gate.asks("work", Record(event="denied", account="ann")))
        self.assertFalse(self.gate.asks("work", refused(account=None)))

    def test_rates(self):
        limit = RateLimit(2, 10)
        self.assertEqual(
            [limit.allows(what, at) for what, at in (
                ("a", 0), ("a", 1), ("b", 2), ("c", 3), ("c", 10.5), ("a", 11))],
            [True, False, True, False, True, False])
        self.assertEqual((limit.take_held_back(), limit.take_held_back()), (2, 0))


class Telling(unittest.TestCase):
    ANN = Account("ann", "unlocked")

    def test_events_in_words(self):
        said = [messages.of_event(self.ANN, event) for event in (
            {"event": "unavailable"}, {"event": "will-become-unavailable", "seconds": 90},
            {"event": "will-become-unavailable", "seconds": 0}, {"event": "check-in"})]
        self.assertEqual([message and message.title for message in said], [
            "ann is locked", "ann will be locked", None, None])
        self.assertEqual(said[1].body, "In 90 seconds. Save what is open.")

    def test_a_rule_in_words(self):
        message = messages.of_refusal(refused(rule="Containment"))
        self.assertEqual(message.title, "cat may not open b.txt")
        self.assertEqual(message.body, "Policy lets only contained programs open these files.")
        self.assertEqual(
            messages.of_refusal(refused(rule="unheardOf", reason="So it is.")).body, "So it is.")
        self.assertIsNone(messages.of_refusal(refused()))

    def test_accounts(self):
        def account(**members):
            return Account.of({"name": "ann", "state": "locked", **members})

        self.assertEqual(account().window, Window.CLOSED)
        self.assertEqual(account(state="grace").window, Window.CLOSING)
        self.assertEqual(account(block="launch").window, Window.BLOCKED)
        self.assertFalse(account(block="launch").can_be_opened)
        self.assertTrue(account(block="lockedOut").needs_login)
        self.assertTrue(account(block="recheck").can_be_opened)

    def test_the_menu(self):
        seen = types.SimpleNamespace(
            name="work", accounts={"ann": self.ANN, "bob": Account("bob", "locked")},
            last_refusal=refused())
        labels = [item.label for item in overview.items([seen], None, None, lambda: None)]
        self.assertEqual(labels, [
            "ann: Open", "Lock now", "bob: Locked", "Unlock…", "Last refused: cat, b.txt", "",
            "Show details…"])
        self.assertEqual(overview.icon([seen]), "mamd-open-symbolic")

    def test_protection(self):
        found = Protection.of({
            "owner": "ann", "managed": True, "class": "A", "effectiveClass": "A",
            "state": "closed", "reason": "r"})
        self.assertEqual(found.emblem, "emblem-mamd-locked")
        self.assertEqual([name for name, _ in found.details], ["Owner", "State", "Class", "Why"])
        self.assertIsNone(Protection.of({"state": "unmanaged"}).emblem)

    def test_mounts(self):
        table = mounts.parse(
            "36 1 0:41 / /home/ann/My\\040Work rw - fuse.mamd work rw,user_id=0\n"
            "37 1 0:42 / /home rw - ext4 /dev/sda rw\n")
        self.assertEqual(mounts.of("/home/ann/My Work/a/../b", table).workspace, "work")
        self.assertIsNone(mounts.of("/home/ann/My Workshop", table))

    def test_thumbnails(self):
        from mamd_desktop import thumbnails

        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(
                ">I", zlib.crc32(kind + data))

        table = [mounts.Mount("/home/ann/Work", "work")]
        with tempfile.TemporaryDirectory() as place:
            cache = pathlib.Path(place)
            (cache / "large").mkdir()
            for name, uri in (
                    ("1", "file:///home/ann/Work/a%20b.png"), ("2", "file:///home/ann/c.png")):
                (cache / "large" / f"{name}.png").write_bytes(
                    thumbnails.PNG + chunk(b"IHDR", bytes(13))
                    + chunk(b"tEXt", b"Thumb::URI\0" + uri.encode()) + chunk(b"IEND", b""))
            (cache / "large" / "3.png").write_bytes(thumbnails.PNG + b"\xff" * 30)
            self.assertEqual(thumbnails.clean(cache, table), 1)
            self.assertEqual({p.name for p in (cache / "large").iterdir()}, {"2.png", "3.png"})


if __name__ == "__main__":
    unittest.main()
