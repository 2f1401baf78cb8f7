"""The test suites of git, SQLite and GNU tar: how each is built, run, and read."""
import os
import re

from run_build import TAR_FLAGS, fetch

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
LIMIT = 4 * 3600
# git: what needs servers and programs of others.
GIT_LEFT_OUT = re.compile(r"t9[1-8]|svn|p4|http|cvs|gitweb")
GIT_OPTIONS = ["NO_CURL=1", "NO_GETTEXT=1", "NO_TCLTK=1", "NO_PYTHON=1"]


class Suite:
    """`package`: Debian's source. `files` are what can be run alone, by name."""

    name: str
    package: str
    user = "root"

    def make(self, work, tree):
        raise NotImplementedError

    def build(self, work, tree):
        sources = fetch(work, self.package)
        (description,) = sources.glob("*.dsc")
        work.run("dpkg-source", "--no-check", "-x", description, tree)
        self.make(work, tree)

    def version(self, tree):
        first = (tree / "debian" / "changelog").read_text().splitlines()[0]
        return re.search(r"\((.*)\)", first)[1]


class Git(Suite):
    """Its scripts make a directory each, on the place; each prints TAP, which is kept."""

    name = package = "git"

    def make(self, work, tree):
        work.run("make", f"-j{os.cpu_count()}", *GIT_OPTIONS, cwd=tree)

    def files(self, tree):
        scripts = sorted(path.stem for path in tree.glob("t/t[0-9]*.sh"))
        return [name for name in scripts if not GIT_LEFT_OUT.search(name)]

    def run(self, work, tree, names, user):
        # The status says only that something failed, and what did is read from what was printed.
        work.end(
            work.start(
                "prove", f"-j{os.cpu_count()}", *(f"{name}.sh" for name in names), "::",
                f"--root={work.directory}", "-V", cwd=tree / "t", user=user,
                environment={
                    "TEST_OUTPUT_DIRECTORY": str(work.outside), "HOME": str(work.outside)}),
            LIMIT)
        results = work.outside / "test-results"
        return {
            (name, test): outcome for name in names
            for test, outcome in read_tap(results / f"{name}.out").items()}


def read_tap(file):
    """A script that ended before its plan has failed as a whole."""
    text = file.read_text(errors="replace") if file.exists() else ""
    found = {}
    for word, number, title in re.findall(r"^(ok|not ok) (\d+) ?(.*)$", text, re.MULTILINE):
        bad = word != "ok" and "# TODO" not in title
        skipped = title.startswith("# skip")
        found[f"{number} {title}"] = FAILED if bad else SKIPPED if skipped else PASSED
    if not re.search(r"^1\.\.\d+", text, re.MULTILINE):
        found["no end"] = FAILED
    return found


class SQLite(Suite):
    """`veryquick`, which leaves out simulated failures of memory and disk, and refuses root."""

    name, package, user = "sqlite", "sqlite3", "games"

    def make(self, work, tree):
        work.run("./configure", "--quiet", cwd=tree)
        work.run("make", "testfixture", cwd=tree)

    def files(self, tree):
        return sorted(path.name for path in tree.glob("test/*.test"))

    def run(self, work, tree, names, user):
        whole = len(names) == len(self.files(tree))
        output, _ = work.end(
            work.start(
                tree / "testfixture", tree / "test" / "permutations.test", "veryquick",
                *(() if whole else names), user=user),
            LIMIT)
        return read_sqlite(output)


def read_sqlite(text):
    """`name-1.2... Ok`, or what was expected below; `Time: FILE` ends a file's."""
    found, outcomes = {}, {}
    failed = re.search(r"^!Failures on these tests: (.*)$", text, re.MULTILINE)
    failed = set(failed[1].split()) if failed else set()
    for test, said, file in re.findall(
            r"^(?:(\S+?)\.\.\.(.*)|Time: (\S+) .*)$", text, re.MULTILINE):
        if file:
            found |= {(file, test): outcome for test, outcome in outcomes.items()}
            outcomes = {}
        elif test in failed:
            outcomes[test] = FAILED
        else:
            outcomes[test] = SKIPPED if "Omitted" in said else PASSED
    if not re.search(r"^\d+ errors out of \d+ tests", text, re.MULTILINE):
        found["veryquick", "no end: " + text[-200:]] = FAILED
    return found


class Tar(Suite):
    """Configured, built and tested at the place: its suite wants its own directory."""

    name = package = "tar"

    def make(self, work, tree):
        # What the package has ready made, and make would make anew: it is older than a patch.
        (tree / "tests" / "testsuite").touch()

    def files(self, tree):
        return ["testsuite"]

    def run(self, work, tree, names, user):
        there = work.directory / "tree"
        options = {"user": user, "environment": {"FORCE_UNSAFE_CONFIGURE": "1"}}
        work.run("cp", "-a", tree, there, user=user)
        for command in (["./configure", "--quiet"], ["make"]):
            work.run(*command, cwd=there, **options)
        work.end(work.start("make", "check", *TAR_FLAGS, cwd=there, **options), LIMIT)
        return read_autotest((there / "tests" / "testsuite.log").read_text(errors="replace"))


def read_autotest(text):
    """`12. title (file:3): ok (…)`."""
    found = {}
    for number, title, word in re.findall(
            r"^(\d+)\. (.*?) \(\S+:\d+\): +(ok|FAILED|skipped|expected failure)", text,
            re.MULTILINE):
        outcome = {"FAILED": FAILED, "skipped": SKIPPED}.get(word, PASSED)
        found["testsuite", f"{number} {title}"] = outcome
    return found or {("testsuite", "no end"): FAILED}


SUITES = {suite.name: suite for suite in (Git(), SQLite(), Tar())}
