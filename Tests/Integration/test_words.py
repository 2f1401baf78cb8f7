"""mamctl's words: all are in the catalogue, all have their German, and neither JSON nor an exit
status has a language."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from glibc import LANGUAGE_IN_C
from running import PREFIX
from workspace import (
    ANN, CLOSED, DONE, NO, NOT_FOUND, NOT_MANAGED, ROOT, UNREACHABLE, USAGE, WRONG_PASSPHRASE,
    Workspace, wait_until)

PO = ROOT / "po"
sys.path.insert(0, str(PO))
import swift_messages

NEEDS = ("gettext", "locales")

GETTEXT = shutil.which("msgfmt") and shutil.which("localedef")


def entries(catalogue):
    """(message, plural or None, translations) of each."""
    text = subprocess.run(
        ["msgcat", "--no-wrap", catalogue], capture_output=True, text=True, check=True).stdout
    for block in text.split("\n\n")[1:]:
        found = {}
        for line in block.splitlines():
            if part := re.match(r'(msg\w+(?:\[\d\])?) (".*")$', line):
                key = part[1]
                found[key] = json.loads(part[2])
            elif line.startswith('"'):
                found[key] += json.loads(line)
        yield (found["msgid"], found.get("msgid_plural"),
               [text for key, text in found.items() if key.startswith("msgstr")])


@unittest.skipUnless(GETTEXT, "not installed: gettext")
class Catalogue(unittest.TestCase):
    """Without running it."""

    @unittest.skipUnless(shutil.which("swiftc"), "not installed: swiftc")
    def test_the_template_has_what_the_sources_say(self):
        said = subprocess.run([PO / "update", "--check"], capture_output=True, text=True)
        self.assertEqual((said.returncode, said.stderr), (0, ""))

    def test_every_message_has_its_german(self):
        said = subprocess.run(
            ["msgcmp", PO / "de.po", PO / "mamctl.pot"], capture_output=True, text=True)
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        said = subprocess.run(
            ["msgfmt", "--check", "-o", "/dev/null", PO / "de.po"], capture_output=True, text=True)
        self.assertEqual((said.returncode, said.stderr), (0, ""))

    def test_values_and_options_stay(self):
        for message, plural, german in entries(PO / "de.po"):
            # Values are filled in by their order, whichever of the two is taken.
            self.assertEqual(placeholders(plural or message), placeholders(message))
            for text in german:
                of = message if plural is None or text is german[0] else plural
                with self.subTest(of):
                    self.assertEqual(placeholders(text), placeholders(of))
                    self.assertEqual(commands(text), commands(of))

    def test_edges_stay(self):
        """Parts that stand between others keep their blanks."""
        for message, plural, german in entries(PO / "de.po"):
            edges = re.compile(r"^[\s;:,]*|\s*$")
            for text in german:
                with self.subTest(message):
                    self.assertEqual(
                        edges.findall(text), edges.findall(plural or message))

    def test_nothing_bypasses_the_catalogue(self):
        found = [
            f"{path.name}: {literal}" for module in ("mamctl", "MAMCommandLine")
            for path in sorted((swift_messages.SOURCES.parent / module).rglob("*.swift"))
            for literal in bypassing(path.read_text())]
        self.assertEqual(found, [])


def placeholders(text):
    """How often each value is there."""
    numbers = [int(number) for number in re.findall(r"%(\d+)\$s", text)]
    return sorted(numbers) or list(range(1, text.replace("%%", "").count("%s") + 1))


def commands(text):
    """The options and the programs' names."""
    return sorted(re.findall(r"(?<![\w-])--?[a-z0-9][a-z0-9-]*|mam(?:ctl|fleet|d)\b", text))


VERBATIM = re.compile(r'verbatim(?:\(|: )(")')


def bypassing(source):
    for place in VERBATIM.finditer(source):
        literal = swift_messages.Literal(source, place.start(1))
        if swift_messages.has_words(literal.format):
            yield literal.format


@unittest.skipUnless(GETTEXT, "not installed: gettext")
class German(unittest.TestCase):
    """In a German locale, which is made here."""

    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX + "words-"))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        made = subprocess.run(
            ["localedef", "-i", "de_DE", "-f", "UTF-8", cls.place / "de_DE.UTF-8"],
            capture_output=True, text=True)
        if made.returncode:
            raise unittest.SkipTest(f"localedef: {made.stderr}")
        catalogue = cls.place / "de" / "LC_MESSAGES"
        catalogue.mkdir(parents=True)
        subprocess.run(["msgfmt", "-o", catalogue / "mamctl.mo", PO / "de.po"], check=True)
        cls.workspace = Workspace()
        cls.addClassCleanup(cls.workspace.close)
        cls.german = cls.language(LANG="de_DE.UTF-8")
        # The daemon, too, is started in German: what it says is JSON.
        cls.workspace.init()
        english, cls.workspace.environment = cls.workspace.environment, cls.german
        cls.workspace.mount()
        cls.workspace.environment = english
        cls.workspace.register(ANN)
        cls.workspace.write_as(ANN, cls.workspace.path("plan"), "plan")
        cls.workspace.write_as("", cls.workspace.path("plain"), "plain")
        cls.wrong = cls.workspace.secret("wrong", "not it")

    @classmethod
    def language(cls, **variables):
        environment = {
            name: value for name, value in cls.workspace.environment.items()
            if name != "LANG" and not name.startswith(("LC_", "LANGUAGE"))}
        return {
            **environment, "LOCPATH": str(cls.place), "TEXTDOMAINDIR": str(cls.place), **variables}

    def says(self, *words, status=DONE, **variables):
        told = self.workspace.ctl(
            *words, status=status, environment=self.language(**variables or {
                "LANG": "de_DE.UTF-8"}))
        return told.stdout + told.stderr

    def test_help(self):
        for words in (["help"], ["lock", "--help"], ["help", "account"]):
            told = self.says(*words)
            self.assertNotEqual(told, self.workspace.ctl(*words).stdout)
        told = self.says("lock", "--help")
        self.assertIn("Optionen:\n", told)
        self.assertIn("  --now             die Frist überspringen\n", told)
        self.assertIn("  2  ungültige Befehlszeile oder Eingabe\n", told)
        self.assertIn("mamctl lock --all --now\n", told)

    def test_errors(self):
        self.assertEqual(
            self.says("unlok", status=USAGE),
            "mamctl: es gibt kein Verb »unlok«; war »unlock« gemeint?\n"
            "  Versuch: mamctl help unlock\n")
        # The kernel's words are the C library's.
        self.assertEqual(
            self.says("info", self.workspace.root / "none", status=NOT_FOUND),
            f"mamctl: {self.workspace.root}/none: Datei oder Verzeichnis nicht gefunden\n"
            "  Versuch: den Pfad mit ls prüfen\n")
        self.addCleanup(self.unlock_again)
        told = self.says("unlock", ANN, "--passfile", self.wrong, status=WRONG_PASSPHRASE)
        self.assertIn(f"falsche Passphrase für Konto »{ANN}«", told)
        self.assertIn("Versuch: noch einmal eingeben", told)

    def test_what_a_workspace_tells(self):
        self.workspace.unlock()
        told = self.says("status", "--workspace", "work")
        self.assertIn("entsperrt", told)
        self.assertRegex(told, r"\n +Gebrauch  die Klassen .* lassen sich öffnen; keine Datei in")
        self.assertIn("Eigentümer  ", self.says("info", self.workspace.path("plan")))

    def test_counts(self):
        told = self.says("verify", self.workspace.mount_point)
        self.assertIn("alles in Ordnung", told)
        one = self.says("fleet", "cosign", status=USAGE)
        self.assertIn("FILE… fehlt", one)
        self.assertIn("SRC|- und DST fehlen", self.says("provider", "fetch", status=USAGE))

    def test_what_the_daemon_says(self):
        """It sends its sentences with their values; mamctl has the language."""
        plan, plain = self.workspace.path("plan"), self.workspace.path("plain")
        self.assertIn("ist offen: das Konto ist entsperrt; ", self.says("info", plan))
        self.assertIn("ihr Eigentümer ist nicht verwaltet", self.says("info", plain))
        self.assertEqual(
            self.says("can", "print"),
            f"ja: printBlocked in der Richtlinie von {ANN} entscheidet\n")
        said = self.says("protect", plain, "--owner", "anne@contoso.com", status=NOT_MANAGED)
        self.assertIn(
            "anne@contoso.com ist kein registriertes Konto, seine Dateien wären also"
            f" unverschlüsselt; war »{ANN}« gemeint?", said)
        # mamd itself, where it cannot start.
        copy, place = self.workspace.root / "copy", self.workspace.root / "place"
        shutil.copytree(self.workspace.backing, copy)
        place.mkdir()
        said = self.says("mount", copy, place, status=NO)
        self.assertIn(f"mamd: {copy}/.mamd/workspace.json nennt es »work«, das nach ", said)
        self.assertIn(f" bei {self.workspace.backing} ist; wenn es verschoben wurde", said)

    def test_languages_as_gettext_takes_them(self):
        word = "Optionen:"
        for variables in (
                {"LANG": "C", "LC_MESSAGES": "de_DE.UTF-8"}, {"LC_ALL": "de_DE.UTF-8"}):
            self.assertIn(word, self.says("lock", "--help", **variables), variables)
        for variables in (
                {"LANG": "C"}, {"LANG": "C.UTF-8"}, {"LANG": "fr_FR.UTF-8"},
                {"LANG": "de_DE.UTF-8", "LC_ALL": "C"},
                {"LANG": "de_DE.UTF-8", "TEXTDOMAINDIR": "/nonexistent"}):
            self.assertNotIn(word, self.says("lock", "--help", **variables), variables)

    @unittest.skipUnless(LANGUAGE_IN_C, "in C.UTF-8 this glibc translates nothing")
    def test_a_language_without_its_locale(self):
        self.assertIn(
            "Optionen:", self.says("lock", "--help", LANG="C.UTF-8", LANGUAGE="de"))

    def test_json_and_statuses_have_no_language(self):
        plan, plain = self.workspace.path("plan"), self.workspace.path("plain")
        commands = {
            ("help", "--json"): DONE,
            ("account", "list", "--json"): DONE,
            ("info", "--json", plan, plain): DONE,
            ("owner", "--json", plan): DONE,
            ("can", "print", "--json"): DONE,
            ("can", "--json"): DONE,
            ("policy", "show", "--json", ANN): DONE,
            ("workspace", "list", "--json"): DONE,
            ("is-encrypted", "--json", plain): NO,
            ("decrypt", "--json", plain, "-o", self.workspace.root / "out"): NOT_MANAGED,
            ("info", "--json", "/nonexistent"): NOT_FOUND,
            ("encrypt", "--json"): USAGE,
            ("status", "--json", "--workspace", "none"): UNREACHABLE,
            ("wait", "--json", "bob", "--timeout", "0"): NOT_FOUND,
        }
        for words, status in commands.items():
            with self.subTest(words):
                english = self.workspace.ctl(*words, status=status)
                german = self.workspace.ctl(*words, status=status, environment=self.german)
                self.assertEqual(self.steady(german.stdout), self.steady(english.stdout))
        self.addCleanup(self.unlock_again)
        self.workspace.lock()
        for words in (["unlock", ANN, "--json", "--passfile", self.wrong],
                      ["wait", "--json", ANN, "--timeout", "0"]):
            told = self.workspace.ctl(
                *words, status=(WRONG_PASSPHRASE, CLOSED), environment=self.german)
            self.assertRegex(
                json.loads(told.stdout)["error"]["message"], "^wrong pass|is not unlocked$")

    def unlock_again(self):
        """After a wrong passphrase the next must wait."""
        wait_until(
            lambda: self.workspace.serving(
                "unlock", ANN, "--passfile", self.workspace.passfile,
                status=(DONE, WRONG_PASSPHRASE)).returncode == DONE)

    @staticmethod
    def steady(text):
        """Without the times that pass meanwhile."""
        return re.sub(r'"(\w*[sS]econds\w*)"( ?): \d+', r'"\1"\2: 0', text)

    def test_scripts_with_nul_have_no_language(self):
        plan = self.workspace.path("plan")
        self.assertEqual(
            self.workspace.ctl("is-encrypted", "-0", plan, environment=self.german).stdout,
            f"{plan}: encrypted\0")
        self.assertEqual(self.says("is-encrypted", plan), f"{plan}: verschlüsselt\n")


if __name__ == "__main__":
    unittest.main()
