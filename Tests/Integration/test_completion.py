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
    ("mamctl encrypt --owner=an", {ANN}, None),
    ("mamctl encrypt --files-from=fil", {"file one", "file-two"}, ()),
    ("mamctl account passphrase an", {ANN}, None),
    ("mamctl status --workspace ", {"work"}, None),
    ("mamctl class --set pol", {"policy"}, None),
    ("mamctl threat set sec", {"secured"}, None),
    ("mamctl config get x --type b", {"bool"}, None),
    ("mamctl info fil", {"file one", "file-two"}, ()),
    ("mamctl encrypt --files-from fil", {"file one", "file-two"}, ()),
    ("mamctl help acc", {"account"}, None),
    ("mamctl help account reg", {"register"}, None),
    ("mamctl workspace rename wo", {"work"}, None),
    ("mamctl workspace rename work wo", set(), None),
    ("mamctl recovery keygen fil", set(), None),
    ("mamctl run --identity x -- mamctl acc", {"account"}, None),
    ("mamctl run --trusted mamctl acc", {"account"}, None),
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
            # Some shells replace the whole word, others what stands after the sign.
            offered = {re.sub(r"^--[^=]*=", "", word) for word in offered if word}
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

    def test_a_mount_point(self):
        (self.place / "script").write_text(self.script("bash"))
        mount = str(self.workspace.mount_point)
        line = f"mamctl unmount {mount[:-1]}"
        shown, _ = self.run_shell("bash", "--norc", PROGRAMS / "complete.bash", line)
        self.assertIn(mount, shown.splitlines())

    def test_names_are_no_commands(self):
        """What a daemon says is offered as it is, and nothing of it runs."""
        (self.place / "mamctl").write_text("#!/bin/sh\nprintf '%s\\t\\n' 'a$(touch ran)b'\n")
        (self.place / "mamctl").chmod(0o755)
        self.addCleanup((self.place / "mamctl").unlink)
        (self.place / "script").write_text(f"PATH={self.place}:$PATH\n" + self.script("bash"))
        shown, said = self.run_shell(
            "bash", "--norc", PROGRAMS / "complete.bash", "mamctl encrypt --owner a")
        self.assertEqual((shown, said), ("a$(touch ran)b\n", ""))
        self.assertFalse((self.place / "ran").exists())

    def test_all_that_there_is(self):
        """Every verb and every option."""
        def offered(*words):
            shown = self.workspace.ctl("complete", "--", *words).stdout
            return {line.split("\t")[0] for line in shown.splitlines()}

        for verb in json.loads(self.workspace.ctl("help", "--json").stdout):
            *group, last = verb["name"].split()
            if group or not verb["aliasOf"]:
                self.assertIn(last, offered(*group, ""))
            flags = {f"--{option['name']}" for option in verb["options"]}
            self.assertLessEqual(flags, offered(*group, last, "-"))


if __name__ == "__main__":
    unittest.main()
