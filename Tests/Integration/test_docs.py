"""The documents: their commands run as they say, what they name exists, and their links lead
somewhere."""
import json
import os
import re
import subprocess
import unittest

from doc_runner import (
    Failure, Place, Step, blocks, check, matches, run_document, steps, wanted_status)
from workspace import ROOT

# What the documents use beside mamctl.
NEEDS = ("iproute2", "jq", "nats-server", "rsync", "systemd")

DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]

# An option that stands alone in these is one of mamctl's.
GUIDES = (
    "README.md", "docs/TUTORIAL.md", "docs/ADMIN.md", "docs/SCRIPTING.md", "docs/man/mamctl.md")

# Why a block may be left out, and the test that runs the same.
REASONS = {
    "systemd": "test_systemd",
}

CODE = re.compile(
    r"^```\w*\n(.*?)^```|(?<=\n\n)((?: {4}[^\n]*\n)+)|``([^\n]+?)``|`((?:(?!\n\n)[^`])+)`",
    re.MULTILINE | re.DOTALL)
# What ends one command: the shell's own signs, a comment, a line.
END = re.compile(r"[|;&<>#)(]|\s--\s|\s\[--\]|\n(?!\s)")
LINK = re.compile(r"\]\(([^()\s]+)\)")


def text_of(path):
    return path.read_text()


def name_of(path):
    return str(path.relative_to(ROOT))


@unittest.skipUnless(os.getuid() == 0, "makes name spaces of its own")
class Commands(unittest.TestCase):
    """One test for each document that has console blocks, named after it."""

    def check(self, path):
        place = Place()
        self.addCleanup(place.close)
        for reason in run_document(place.start(), path):
            self.assertIn(reason, REASONS, name_of(path))


def add_documents():
    for path in DOCUMENTS:
        if blocks(text_of(path)):
            name = re.sub(r"\W", "_", name_of(path).removesuffix(".md").lower())
            setattr(Commands, f"test_{name}", lambda self, path=path: self.check(path))


add_documents()


class FirstDay(unittest.TestCase):
    def test_ten_commands_lead_to_two_machines(self):
        """All that a reader types, also what does not run here."""
        typed = [step.command for block in blocks(text_of(ROOT / "docs" / "FIRST-DAY.md"))
                 for step in block.steps]
        self.assertEqual(len([each for each in typed if "mamctl setup" in each]), 2)
        self.assertLessEqual(len(typed), 10, typed)
        for command in typed:
            self.assertNotRegex(command, r"[;|&\n]")


class Words(unittest.TestCase):
    """Verbs and options of mamctl's that a document names."""

    @classmethod
    def setUpClass(cls):
        cls.verbs = {}
        listed = subprocess.run(
            ["mamctl", "help", "--json"], capture_output=True, check=True).stdout
        for words in (verb["name"] for verb in json.loads(listed)):
            said = subprocess.run(
                ["mamctl", *words.split(), "--help"], capture_output=True, text=True,
                check=True).stdout
            cls.verbs[words] = set(re.findall(r"--[a-z][a-z0-9-]*", said)) | {"--help"}
        cls.groups = {verb.split()[0] for verb in cls.verbs if " " in verb}

    def test_the_table_was_read(self):
        self.assertGreater(len(self.verbs), 50)
        self.assertIn("--owner", self.verbs["encrypt"])

    def test_what_documents_name_exists(self):
        for path in DOCUMENTS:
            for command in commands_in(text_of(path)):
                with self.subTest(document=name_of(path), command=command):
                    self.assertEqual(self.wrong_with(command), "")

    def wrong_with(self, command):
        """What is wrong with `mamctl …`, or nothing."""
        words = command.split()[1:]
        plain = [word for word in words if re.fullmatch(r"[a-z][a-z-]*", word)]
        if not words or words[0] not in plain:
            return ""  # mamctl itself, or a placeholder
        verb = next(
            (" ".join(words[:count]) for count in (2, 1) if " ".join(words[:count]) in self.verbs),
            None)
        if verb is None:
            return "" if words[0] in self.groups and len(words) == 1 else "no such verb"
        options = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", command))
        unknown = options - self.verbs[verb]
        return f"no such option: {', '.join(sorted(unknown))}" if unknown else ""

    def test_options_that_guides_name_alone_exist(self):
        known = set.union(*self.verbs.values())
        for name in GUIDES:
            for option in re.findall(r"(?:`|\*\*)(--[a-z][a-z-]*)", (ROOT / name).read_text()):
                with self.subTest(document=name):
                    self.assertIn(option, known)

    def test_it_finds_what_does_not_exist(self):
        text = (
            "`mamctl lokc --now`, `mamctl lock --later`, `mamctl account`\n\n    x | mamctl verify "
            "~/W --repair # --no\n")
        self.assertEqual(
            [self.wrong_with(command) for command in commands_in(text)],
            ["no such verb", "no such option: --later", "", ""])


def commands_in(text):
    """All `mamctl …` in the code of a document, each up to its end."""
    for code in CODE.findall(text):
        for rest in re.split(r"\bmamctl(?=\s)(?! [A-Z…])", re.sub(r"\\\n", " ", "".join(code)))[
                1:]:
            yield "mamctl" + END.split(rest, maxsplit=1)[0]


class Links(unittest.TestCase):
    def test_links_lead_to_files_and_headings(self):
        count = 0
        for path in DOCUMENTS:
            for target in LINK.findall(CODE.sub("", text_of(path))):
                if not re.match(r"[a-z]+:", target):
                    count += 1
                    with self.subTest(document=name_of(path), target=target):
                        self.check(path, target)
        self.assertGreater(count, 50)

    def test_the_readme_leads_to_every_document(self):
        reached, ahead = set(), [ROOT / "README.md"]
        while ahead:
            path = ahead.pop()
            if path not in reached and path.exists():
                reached.add(path)
                links = LINK.findall(text_of(path)) if path.suffix == ".md" else []
                targets = [target.partition("#")[0] for target in links]
                ahead += [
                    (path.parent / target).resolve() for target in targets if target
                    and ":" not in target]
        # Of a directory that is linked to, all.
        missed = [name_of(path) for path in DOCUMENTS if not {path, path.parent} & reached]
        self.assertEqual(missed, [])

    def check(self, path, target):
        file, _, anchor = target.partition("#")
        leads_to = path.parent / file if file else path
        self.assertTrue(leads_to.exists(), "no such file")
        if anchor:
            self.assertIn(anchor, anchors(text_of(leads_to)))


def anchors(text):
    """Headings as GitHub names them."""
    headings = re.findall(
        r"^#+ +(.*?)\s*$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL),
        re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


class Runner(unittest.TestCase):
    """The runner of the blocks itself: what it takes, and what it does not let pass."""

    def test_blocks_and_their_marks(self):
        text = "\n".join((
            "<!-- run-as: root -->", "", "```console", "# first", "$ cat <<'E' \\", "> -", "one",
            "E", "one", "", "$ false # status 1",
            "$ false", "$ echo $?", "1", "```", "text", "```console", "$ true", "```"))
        first, second = blocks(text)
        self.assertEqual((first.marks, second.marks), ({"run-as": "root"}, {}))
        self.assertEqual(
            [(step.line, step.command, step.status) for step in first.steps],
            [(5, "cat <<'E' \\\n-\none\nE", 0), (11, "false # status 1", 1), (12, "false", None),
            (13, "echo $?", 0)])
        self.assertEqual(first.steps[0].expected, ["one", ""])
        with self.assertRaises(Failure):
            steps([(1, "output")])

    def test_what_output_matches(self):
        for expected, output, fits in (
                ([], "", True), ([], "x\n", False), (["a…c"], "abc\n", True),
                (["a…c"], "ab\nc\n", False),
                (["…"], "", True), (["a", "…", "d"], "a\nb\nc\nd\n", True),
                (["a", "…", "d"], "a\nb\n", False),
                (["a.c"], "abc\n", False), (["a", ""], "a\n", True), (["a"], "a\nb\n", False)):
            with self.subTest(expected=expected, output=output):
                self.assertEqual(bool(matches(expected, output)), fits)

    def test_statuses_that_fail_a_document(self):
        for command, status, fits in (
                ("x", 0, True), ("x", 1, False), ("x # status 5", 5, True),
                ("x # status 5", 0, False), ("x # status 5", 6, False),
                ("x # fails: why", 1, True), ("x # fails", 0, False), ("echo '# fails'", 0, True)):
            with self.subTest(command=command, status=status):
                step = Step(1, command, [], wanted_status(command, None))
                if fits:
                    check("doc", step, "", status)
                else:
                    with self.assertRaises(Failure):
                        check("doc", step, "", status)


if __name__ == "__main__":
    unittest.main()
