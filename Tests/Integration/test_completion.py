"""What shells complete, asked in the shells themselves."""
import json
import pathlib
import re
import shutil
import subprocess
import unittest

from workspace import ANN, PROGRAMS, WorkspaceCase

NEEDS = ("bash-completion", "fish", "zsh")

# The line that is typed, and what is among the words that are offered; None: and nothing else is.
ASKED = (
    ("mamctl acc", {"account"}, None),
    ("mamctl en", {"encrypt"}, None),
    ("mamctl verify", {"verify"}, None),
    ("mamctl data", set(), None),
    ("mamctl data unp", {"unprotect"}, None),
    ("mamctl account reg", {"register"}, None),
    ("mamctl account ", {"register", "list", "link"}, ()),
    ("mamctl can is", {"isContactSyncAllowed"}, ()),
    ("mamctl can pri", {"print"}, None),
    ("mamctl encrypt --ow", {"--owner"}, None),
    ("mamctl encrypt --owner an", {ANN}, None),
    ("mamctl account passphrase an", {ANN}, None),
    ("mamctl status --workspace ", {"work"}, None),
    ("mamctl class --set pol", {"policy"}, None),
    ("mamctl threat set sec", {"secured"}, None),
    ("mamctl config get x --type b", {"bool"}, None),
    ("mamctl info fil", {"file one", "file-two"}, ()),
    ("mamctl encrypt --files-from fil", {"file one", "file-two"}, ()),
    ("mamctl help acc", {"account"}, None),
    ("mamctl run --identity x -- mamctl acc", {"account"}, None),
    ("mamctl can save --location OneDriveFor", {"OneDriveForBusiness"}, None),
    ("mamctl contain in", {"install"}, None),
    ("mamctl open fil", {"file one", "file-two"}, ()),
    ("mamctl audit --event lock", {"locked"}, ()),
    ("mamctl nosuch x", set(), None),
)

BASH_COMPLETION = pathlib.Path("/usr/share/bash-completion/bash_completion")


class Completion(WorkspaceCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.place = cls.workspace.root / "typed"
        cls.place.mkdir()
        for name in ("file one", "file-two", "other"):
            (cls.place / name).touch()

    def script(self, shell):
        return self.workspace.ctl("completions", shell).stdout

    def run_shell(self, *words):
        if not shutil.which(words[0]) or (words[0] == "bash" and not BASH_COMPLETION.exists()):
            self.skipTest(f"{words[0]}'s completion is not installed")
        result = subprocess.run(
            words, cwd=self.place, env={**self.workspace.environment, "TERM": "xterm"},
            capture_output=True, text=True, timeout=90)
        return result.stdout, result.stderr

    def demand(self, offered, line, among, rest):
        with self.subTest(line=line):
            offered = set(filter(None, offered))
            self.assertLessEqual(among, offered)
            if rest is None:
                self.assertEqual(offered, among)

    def test_bash(self):
        (self.place / "script").write_text(self.script("bash"))
        for line, among, rest in ASKED:
            shown, said = self.run_shell("bash", "--norc", PROGRAMS / "complete.bash", line)
            self.assertEqual(said, "")
            self.demand(shown.splitlines(), line, among, rest)

    def test_bash_breaks_words_at_an_at_sign(self):
        (self.place / "script").write_text(self.script("bash"))
        shown, _ = self.run_shell(
            "bash", "--norc", PROGRAMS / "complete.bash", "mamctl encrypt --owner ann@con",
            "mamctl", "encrypt", "--owner", "ann", "@", "con")
        self.assertEqual(shown.split(), [ANN.split("@")[1]])

    def test_fish(self):
        (self.place / "script").write_text(self.script("fish"))
        for line, among, rest in ASKED:
            shown, said = self.run_shell(
                "fish", "--no-config", "-c", f"source script; complete -C '{line}'")
            self.assertEqual(said, "")
            words = [word.split("\t")[0].replace("\\ ", " ") for word in shown.splitlines()]
            self.demand(words, line, among, rest)

    def test_zsh(self):
        (self.place / "zsh").mkdir()
        (self.place / "zsh" / "_mamctl").write_text(self.script("zsh"))
        self.assertEqual(self.run_shell("zsh", "-n", "zsh/_mamctl")[1], "")
        # Each takes a shell of its own.
        for line, among, rest in [asked for asked in ASKED if asked[1]][::3]:
            shown, _ = self.run_shell("zsh", "-f", PROGRAMS / "complete.zsh", line)
            self.demand(set(re.findall(r"WORD:([^\r\n\x1b]+)", shown)), line, among, rest)

    def test_all_that_there_is(self):
        """Every verb and every option, in each of the scripts."""
        verbs = json.loads(self.workspace.ctl("help", "--json").stdout)
        for shell in ("bash", "zsh", "fish"):
            script = self.script(shell)
            for verb in verbs:
                self.assertIn(f"'{verb['name']}'", script)
                for option in verb["options"]:
                    self.assertIn(("-l " if shell == "fish" else "--") + option["name"], script)


if __name__ == "__main__":
    unittest.main()
