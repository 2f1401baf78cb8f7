"""Help, guesses at what was meant, and colours: nothing here needs a daemon."""
import json
import os
import subprocess
import unittest

from terminal import on_terminal
from workspace import DONE, USAGE, Workspace

# What somebody wrote, and what is suggested for it.
GUESSES = {
    "config show": "config",
    "acount": "account",
    "account regster": "account register",
    "acount regster x": "account register",
    "lst": "workspace list",
    "list": "workspace list",
    "ecnrypt --owner x f": "encrypt",
    "umount x": "unmount",
    "unmuont x": "unmount",
    "-init x": "init",
    "-v": "version",
    "--status": "status",
    "passwd": "account passphrase",
    "login": "account login",
    "fsck": "verify",
    "wip x": None,
    "wpie x": "wait",
    "give x": "protect",
    "move x": "workspace rename",
    "backup": "account export",
    "eject": "unmount",
    "why x": "info",
    "restore x": None,
    "remove": None,
    "uninstall": None,
    "start": "mount",
    "stop": "unmount",
    "account deregistr x": "account register",
    "isencrypted x": "is-encrypted",
    "enc x": "encrypt",
    "owner --ste x f": "--set",
    "encrypt --ownr x f": "--owner",
    "encrypt -owner x f": "--owner",
    "owner --jsn f": "--json",
    "class --set P f": None,
    "class --set polciy f": "policy",
    "config get x --type bolo": "bool",
    "threat set hihg": "high",
    "can prnt": "print",
    "can isContactSyncAlowed": "isContactSyncAllowed",
    "can pick imprt": "import",
    "xyzzy": None,
    "x": None,
}


class Help(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workspace = Workspace()
        cls.addClassCleanup(cls.workspace.close)

    def ctl(self, text, status=DONE, **options):
        return self.workspace.ctl(*text.split(), status=status, **options)

    def test_the_overview(self):
        shown = self.ctl("help").stdout
        self.assertEqual(shown, self.ctl("--help").stdout)
        without = self.ctl("", status=USAGE)
        self.assertEqual(without.stdout, "")
        self.assertEqual(len(without.stderr.split("\n\n")[0].splitlines()), 10)
        self.assertIn("mamctl help", without.stderr)
        # What to begin with stands before all verbs.
        first, rest = shown.split("Workspaces:", 1)
        for verb in ("setup", "init", "mount", "account register", "status", "lock"):
            self.assertIn(f"  mamctl {verb}", first)
        self.assertLess(first.index("mamctl setup"), first.index("mamctl init"))
        self.assertIn("The first time: mamctl setup.", without.stderr)
        for verb in json.loads(self.ctl("help --json").stdout):
            alias = verb["aliasOf"]
            (self.assertNotIn if alias else self.assertIn)(f"\n  {verb['name']} ", rest)
            if alias:
                self.assertIn(
                    f"mamctl {verb['name']}",
                    self.ctl(f"{alias} --help").stdout.split("Options:")[0])

    def test_a_group(self):
        shown = self.ctl("help account").stdout
        self.assertEqual(shown, self.ctl("account --help").stdout)
        self.assertIn("account register", shown)
        self.assertNotIn("unmount", shown)
        bare = self.ctl("account", status=USAGE)
        self.assertEqual(bare.stdout, "")
        self.assertIn(shown, bare.stderr)
        error = json.loads(self.ctl("account --json", status=USAGE).stdout)["error"]
        self.assertEqual((error["status"], error["next"]), (USAGE, "mamctl help account"))
        # A verb that is a group too tells of both.
        self.assertIn("can print", self.ctl("can --help").stdout)

    def test_every_verb_teaches(self):
        for verb in json.loads(self.ctl("help --json").stdout):
            with self.subTest(verb=verb["name"]):
                shown = self.ctl(f"{verb['name']} --help").stdout
                self.assertEqual(shown, self.ctl(f"help {verb['name']}").stdout)
                for word in (
                        verb["name"], "Options:", "Examples:", "Exit status:", *verb["examples"]):
                    self.assertIn(word, shown)
                for option in verb["options"]:
                    self.assertIn(f"--{option['name']}", shown)

    def test_lines_fit_the_screen(self):
        def longest(text):
            # What is to be copied stands on one line.
            return max(len(line) for line in text.splitlines() if not line.startswith("  mamctl"))

        for words in (
                ["help"], ["help", "can"], ["help", "verify"], ["help", "account", "passphrase"]):
            command = ["mamctl", *words]
            self.assertLessEqual(longest(self.workspace.ctl(*words).stdout), 80)
            for columns in (60, 132):
                _, shown = on_terminal(command, self.workspace.environment, columns=columns)
                self.assertLessEqual(longest(shown), columns)
        self.assertGreater(longest(shown), 80)

    def test_an_option_before_the_verb_is_told_its_place(self):
        for option in ("--json", "--workspace", "-o"):
            said = self.ctl(f"{option} status", status=USAGE).stderr
            self.assertIn(f"{option} precedes the verb", said)
            self.assertIn(f"try: mamctl VERB {option}", said)

    def test_what_is_missing_is_named(self):
        for text, missing in (
            ("init", "BACKING is missing"), ("mount x", "MOUNTPOINT is missing"),
            ("run --identity x", "COMMAND is missing"), ("owner", "FILE… is missing"),
        ):
            self.assertIn(missing, self.ctl(text, status=USAGE).stderr)

    def test_guesses(self):
        for text, guess in GUESSES.items():
            with self.subTest(text=text):
                said = self.ctl(text, status=USAGE).stderr
                if guess is None:
                    self.assertNotIn("did you mean", said)
                else:
                    self.assertIn(f"did you mean '{guess}'", said)

    def test_what_there_is_no_verb_for(self):
        for verb in ("remove", "delete", "rm"):
            said = self.ctl(f"policy {verb} x.json", status=USAGE).stderr
            self.assertIn(f"there is no verb 'policy {verb}'", said)
            self.assertIn("rm the document from the directory policies", said)
        for text, way in (
            ("restore x", "mamctl decrypt FILE -o NEW"), ("uninstall", "mamctl leave"),
            ("remove x", "mamctl workspace remove"), ("rm", "mamctl workspace remove"),
        ):
            self.assertIn(way, self.ctl(text, status=USAGE).stderr)

    def test_a_class_that_there_is_not(self):
        said = self.ctl("class --set Z f", status=USAGE).stderr
        self.assertIn("invalid value 'Z' for --set: A, B, C, D, or 'policy'", said)

    def test_colours(self):
        """On a terminal that has them alone, and each stream for itself."""
        plain = self.workspace.root / "plain"
        plain.write_text("x")
        environment = {**self.workspace.environment, "TERM": "xterm"}
        environment.pop("NO_COLOR", None)
        info, mistake = ["mamctl", "info", plain], ["mamctl", "xyzzy"]

        def is_coloured(command, **more):
            return "\x1b[" in on_terminal(command, {**environment, **more})[1]

        self.assertTrue(is_coloured(info))
        self.assertTrue(is_coloured(mistake))
        for more in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertFalse(is_coloured(info, **more))
            self.assertFalse(is_coloured(mistake, **more))
        self.assertTrue(is_coloured(info, NO_COLOR=""))
        # One of them in a pipe.
        reading, writing = os.pipe()
        with open(reading, "rb") as pipe:
            on_terminal([*info, self.workspace.root / "missing"], environment, stdout=writing)
            os.close(writing)
            self.assertNotIn(b"\x1b[", pipe.read())
        both = subprocess.run(
            [os.fspath(word) for word in info], capture_output=True, env=environment)
        self.assertEqual(both.returncode, DONE)
        self.assertNotIn(b"\x1b[", both.stdout + both.stderr)


if __name__ == "__main__":
    unittest.main()
