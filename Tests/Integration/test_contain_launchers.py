"""Launchers on the desktop, and `mamctl open`: what they start is contained."""
import json
import os
import pathlib
import shlex
import subprocess
import sys

from terminal import on_terminal
from test_contained import SECRET, Contained
from workspace import (
    ANN, BOB, DATA, DONE, NO, NOT_FOUND, NOT_MANAGED, PROGRAMS, REFUSED, USAGE, wait_until)

NEEDS = ("desktop-file-utils", "libglib2.0-bin", "shared-mime-info", "xdg-utils")

APP = "org.example.Fake"
TYPE = "application/x-fake"
# What a path may have that a command line, a URL or a text may not.
NAMES = [b"with space.fake", b"a 'quote' and \"two\" 50%F $HOME `x`.fake", b"no\xffutf8\n.fake"]

ENTRY = (DATA / "fake.desktop").read_text()
MINE = """[Added Associations]
text/plain=mine.desktop;

# By hand.
[Default Applications]
application/x-fake=mine.desktop;
image/png=mine.desktop
"""


class Desktop(Contained):
    """A desktop of its own: entries, types and defaults."""

    def setUp(self):
        super().setUp()
        root = self.workspace.root / self._testMethodName
        self.home, self.share, self.settings_home = root / "home", root / "share", root / "config"
        for place in (self.share / "applications", self.share / "mime", self.settings_home):
            place.mkdir(parents=True)
        self.program = root / "fake program"
        self.program.write_text(
            f"#!{sys.executable}\n{(PROGRAMS / 'fake_writer.py').read_text()}")
        self.program.chmod(0o755)
        self.add(APP, ENTRY)
        (self.share / "mime" / "globs2").write_text(
            "50:application/x-fake:*.fake\n50:application/x-fake-kind:*.kind\n"
            "50:application/x-other:*.other\n50:text/x-none:*.none\n")
        (self.share / "mime" / "subclasses").write_text(
            "application/x-fake-kind application/x-fake\n")
        self.defaults = self.settings_home / "mimeapps.list"
        # The daemon's settings are in XDG_CONFIG_HOME too, and mamctl does not look for them here.
        self.environment = {
            **self.workspace.environment, "XDG_DATA_HOME": str(self.home),
            "XDG_DATA_DIRS": str(self.share), "XDG_CONFIG_HOME": str(self.settings_home),
            # No real desktop's own lists.
            "XDG_CURRENT_DESKTOP": "X-Generic",
            "FAKE_PLACE": str(self.directory), "FAKE_WORKSPACE": self.workspace.name}

    def add(self, app, text):
        path = self.share / "applications" / f"{app}.desktop"
        path.write_text(text.format(program=self.program))
        return path

    def ctl(self, *words, **options):
        return self.workspace.ctl(*words, environment=self.environment, **options)

    def install(self, *words, **options):
        return self.ctl(
            "contain", "install", *words, "--workspace", self.workspace.name, "--account", ANN,
            **options)

    def launcher(self, app=APP):
        return self.home / "applications" / f"mamd-{self.workspace.name}-{app}.desktop"

    def lines(self, app=APP):
        return self.launcher(app).read_text().splitlines()

    def files(self, names=NAMES):
        paths = [os.path.join(os.fsencode(self.directory), name) for name in names]
        for path in paths:
            self.workspace.write_contained(path, SECRET)
        return paths

    def told(self, count=1):
        """What the program told, read by a contained one: no other may."""
        def reports():
            return sorted(self.directory.glob("told-*"))

        failed = self.directory / "failed"
        wait_until(
            lambda: len(reports()) >= count or failed.exists(),
            message="the program was not started")
        if failed.exists():
            raise AssertionError(self.contained("cat", failed).decode())
        told = [json.loads(self.contained("cat", path)) for path in reports()]
        for path in reports():
            path.unlink()
        for one in told:
            self.assertEqual((one["identity"]["name"], one["identity"]["contained"]), (ANN, True))
        return told


class Install(Desktop):
    def test_what_is_written(self):
        self.install(APP)
        start = (
            f"Exec=mamctl run --contained --discard-output --workspace {self.workspace.name}"
            f" --account {ANN} -- \"{self.program}\"")
        lines = self.lines()
        for line in (
                f"Name=Fake Writer ({ANN})", f"Name[de]=Falscher Schreiber ({ANN})",
                "GenericName=Writer", "Icon=fake", "Categories=Office;WordProcessor;",
                f"MimeType={TYPE};", f"TryExec={self.program}", "Terminal=false", "Name=New",
                "X-Foreign=kept", "# Made for a test.", f'{start} --with "two words" %F',
                f"{start} --new", f"X-Mamd-Workspace={self.workspace.name}",
                f"X-Mamd-Account={ANN}", f"X-Mamd-App={APP}"):
            self.assertIn(line, lines)
        self.assertNotIn("DBusActivatable", "\n".join(lines))
        self.assertLess(
            lines.index(f"X-Mamd-App={APP}"), lines.index("[Desktop Action New]"))
        said = subprocess.run(
            ["desktop-file-validate", self.launcher()], capture_output=True, text=True)
        self.assertEqual((said.returncode, said.stdout), (0, ""))
        self.assertEqual(self.launcher().stat().st_mode & 0o777, 0o644)
        self.assertEqual(
            [path.name for path in self.launcher().parent.iterdir()
             if path.name != "mimeinfo.cache"], [self.launcher().name])
        # The desktop finds it by its type.
        said = subprocess.run(
            ["gio", "mime", TYPE], capture_output=True, text=True, env=self.environment)
        self.assertIn(self.launcher().name, said.stdout)

    def test_the_validator_can_refuse(self):
        path = self.workspace.root / "wrong.desktop"
        path.write_text("[Desktop Entry]\nName=x\n")
        self.assertNotEqual(
            subprocess.run(["desktop-file-validate", path], capture_output=True).returncode, 0)

    def test_list_and_remove(self):
        self.assertIn("no launchers", self.ctl("contain", "list").stdout)
        self.assertIn("no launcher is installed", self.ctl(
            "contain", "remove", APP, status=NOT_FOUND).stderr)
        self.add("another", ENTRY)
        done = json.loads(self.install(f"{APP}.desktop", "another", "--json").stdout)
        self.assertEqual([one["app"] for one in done], [APP, "another"])
        listed = json.loads(self.ctl("contain", "list", "--json").stdout)
        self.assertEqual({one["app"] for one in listed}, {APP, "another"})
        self.assertEqual(listed[0]["types"], [TYPE])
        self.assertEqual(json.loads(self.ctl(
            "contain", "list", "--json", "--workspace", "other").stdout), [])
        self.assertIn(APP, self.ctl("contain", "list").stdout)
        foreign = self.home / "applications" / "mamd-work-foreign.desktop"
        foreign.write_text(ENTRY)
        self.ctl("contain", "remove", "foreign", status=NOT_FOUND)
        # Nothing is removed unless all of them can be.
        said = self.ctl("contain", "remove", APP, "anothr", status=NOT_FOUND).stderr
        self.assertIn("did you mean 'another'", said)
        self.assertTrue(self.launcher().exists())
        removed = json.loads(self.ctl("contain", "remove", APP, "another", "--json").stdout)
        self.assertEqual([one["app"] for one in removed], [APP, "another"])
        self.assertEqual(foreign.read_text(), ENTRY)
        self.assertFalse(self.launcher().exists())
        self.assertEqual(json.loads(self.ctl("contain", "list", "--json").stdout), [])

    def test_mistakes(self):
        said = self.install("org.exmple.Fake", status=NOT_FOUND).stderr
        self.assertIn(f"did you mean '{APP}'", said)
        self.install("another", APP, status=NOT_FOUND)
        self.assertFalse(self.launcher().exists())
        self.add("bus", "[Desktop Entry]\nType=Application\nName=Bus\nDBusActivatable=true\n")
        self.assertIn("session bus", self.install("bus", status=NO).stderr)
        self.add("link", "[Desktop Entry]\nType=Link\nName=Link\nURL=http://x\n")
        self.install("link", status=NOT_FOUND)
        self.add("gone", ENTRY.replace("Actions=New;", "Hidden=true"))
        self.install("gone", status=NOT_FOUND)
        self.install(APP)
        self.assertIn("itself", self.install(self.launcher().stem, status=NO).stderr)
        self.install(APP)
        self.ctl(
            "contain", "install", APP, "--workspace", self.workspace.name, "--account", "no@one",
            status=NOT_FOUND)
        self.launcher().write_text(ENTRY)
        self.assertIn("no launcher", self.install(APP, status=NO).stderr)
        self.assertEqual(self.launcher().read_text(), ENTRY)

    def test_an_entry_that_a_user_hides_is_none(self):
        own = self.home / "applications" / f"{APP}.desktop"
        own.parent.mkdir(parents=True)
        own.write_text("[Desktop Entry]\nType=Application\nName=x\nExec=x\nHidden=true\n")
        self.install(APP, status=NOT_FOUND)

    def test_an_entry_in_a_subdirectory(self):
        place = self.share / "applications" / "kde"
        place.mkdir()
        (place / "one.desktop").write_text(ENTRY.format(program=self.program))
        self.install("kde-one")
        self.assertIn("X-Mamd-App=kde-one", self.lines("kde-one"))

    def test_two_accounts_have_launchers_of_one_program(self):
        self.install(APP)
        text = self.launcher().read_text()
        # As if another account had been first.
        self.launcher().write_text(text.replace(f"X-Mamd-Account={ANN}", f"X-Mamd-Account={BOB}"))
        bobs = self.launcher().read_text()
        (mine,) = json.loads(self.install(APP, "--json").stdout)
        self.assertEqual(
            pathlib.Path(mine["path"]).name, f"mamd-{self.workspace.name}-{APP}-{ANN}.desktop")
        self.assertEqual(self.launcher().read_text(), bobs)
        # It is replaced, and not added once more.
        self.install(APP)
        self.assertEqual(len(json.loads(self.ctl("contain", "list", "--json").stdout)), 2)
        said = self.ctl("contain", "remove", APP, status=USAGE).stderr
        self.assertIn(BOB, said)
        self.assertIn("--account", said)
        self.ctl("contain", "remove", APP, "--account", ANN)
        self.assertEqual(self.launcher().read_text(), bobs)
        # Another one in that place too is not replaced.
        pathlib.Path(mine["path"]).write_text(bobs)
        self.assertIn(BOB, self.install(APP, status=NO).stderr)


class Defaults(Desktop):
    def test_the_list_keeps_the_rest(self):
        self.defaults.write_text(MINE)
        self.install(APP)
        self.assertEqual(self.defaults.read_text(), MINE)
        self.install(APP, "--default")
        name = self.launcher().name
        changed = MINE.replace(f"{TYPE}=mine.desktop;", f"{TYPE}={name};mine.desktop;")
        self.assertEqual(self.defaults.read_text(), changed)
        self.install(APP, "--default")
        self.assertEqual(self.defaults.read_text(), changed)
        told = subprocess.run(
            ["xdg-mime", "query", "default", TYPE], capture_output=True, text=True,
            env=self.environment)
        self.assertIn(name, told.stdout)
        self.ctl("contain", "remove", APP)
        self.assertEqual(self.defaults.read_text(), MINE)

    def test_a_list_that_is_not_there_or_a_link(self):
        self.install(APP, "--default")
        self.assertEqual(
            self.defaults.read_text(),
            f"[Default Applications]\n{TYPE}={self.launcher().name};\n")
        elsewhere = self.workspace.root / "elsewhere.list"
        self.defaults.rename(elsewhere)
        self.defaults.symlink_to(elsewhere)
        self.ctl("contain", "remove", APP)
        self.assertTrue(self.defaults.is_symlink())
        self.assertEqual(elsewhere.read_text(), "[Default Applications]\n")


class Start(Desktop):
    def launch(self, *files, app=APP):
        """As a desktop does, with pipes as standard streams."""
        done = subprocess.run(
            ["gio", "launch", self.launcher(app), *files], capture_output=True, timeout=60,
            stdin=subprocess.DEVNULL, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_with_files(self):
        self.install(APP)
        files = self.files()
        self.launch(*files)
        (told,) = self.told()
        self.assertEqual(
            [bytes.fromhex(word) for word in told["arguments"]],
            [b"--with", b"two words", *files])
        self.assertEqual([bytes.fromhex(text) for text in told["content"]], [SECRET] * 3)
        self.assertEqual(told["streams"], ["/dev/null"] * 3)

    def test_without_files(self):
        self.install(APP)
        self.launch()
        (told,) = self.told()
        self.assertEqual(
            [bytes.fromhex(word) for word in told["arguments"]], [b"--with", b"two words"])

    def test_one_file_at_a_time_and_urls(self):
        self.add("one", ENTRY.replace("%F", "--one %f"))
        self.add("urls", ENTRY.replace("%F", "%U"))
        self.install("one", "urls")
        files = self.files()
        self.launch(*files[:2], app="one")
        told = self.told(2)
        self.assertEqual(
            {tuple(bytes.fromhex(word) for word in one["arguments"][2:]) for one in told},
            {(b"--one", path) for path in files[:2]})
        self.launch(files[2], app="urls")
        (told,) = self.told()
        # Either may stand for a file here.
        url = pathlib.Path(os.fsdecode(files[2])).as_uri().encode()
        self.assertIn(bytes.fromhex(told["arguments"][2]), (files[2], url))

    def test_an_action(self):
        self.install(APP)
        (line,) = (line for line in self.lines() if line.endswith("--new"))
        subprocess.run(
            shlex.split(line.removeprefix("Exec=")), check=True, capture_output=True,
            stdin=subprocess.DEVNULL, env=self.environment, timeout=60)
        (told,) = self.told()
        self.assertEqual([bytes.fromhex(word) for word in told["arguments"]], [b"--new"])


class Notices(Desktop):
    """What a launcher has to say reaches the person."""

    def setUp(self):
        super().setUp()
        tools, self.shown = self.workspace.root / "tools", self.workspace.root / "shown"
        tools.mkdir(exist_ok=True)
        self.shown.unlink(missing_ok=True)
        tool = tools / "notify-send"
        tool.write_text(
            f"#!/bin/sh\n{{ printf '%s\\n' \"$@\"; echo \"$DBUS_SESSION_BUS_ADDRESS\"; }}"
            f" > {self.shown}\n")
        tool.chmod(0o755)
        self.environment["PATH"] = f"{tools}:{self.environment['PATH']}"
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/the/bus"

    def said_by(self, *words, options=("--discard-output",)):
        subprocess.run(
            self.words(*words, options=options), capture_output=True, stdin=subprocess.DEVNULL,
            env=self.environment, timeout=60)
        return self.shown.read_text() if self.shown.exists() else ""

    def test_failures_of_a_launcher_are_shown(self):
        said = self.said_by("writer", options=("--discard-output", "--network", "any"))
        self.assertIn("writer was not started", said)
        self.assertIn("connect to nothing", said)
        self.assertIn("Try: leave --network out", said)
        # Also what fails after the environment has become the command's.
        said = self.said_by("no-such-command")
        self.assertIn("no-such-command was not started\nNo such file", said)
        self.assertIn("unix:path=/the/bus", said)

    def test_nothing_else_is(self):
        self.assertEqual(self.said_by("false"), "")
        self.assertEqual(self.said_by("no-such-command", options=()), "")


class Managed(Desktop):
    """`--managed`: the ordinary entry itself starts the program contained."""

    settings = {
        **Contained.settings, "ManagedPrograms": ["/managed/elsewhere", sys.executable]}
    is_root = os.getuid() == 0

    def setUp(self):
        super().setUp()
        # Root installs for all users, in the first of the system's directories.
        self.local = self.share.parent / "local"
        self.environment["XDG_DATA_DIRS"] = f"{self.local}:{self.share}"
        self.add(APP, ENTRY.replace("{program}", sys.executable).replace(
            '--with "two words" %F', f'"{self.program}" --with "two words" %F'))
        self.add("other", ENTRY)

    def shadow(self, app=APP):
        place = self.local if self.is_root else self.home
        return place / "applications" / f"{app}.desktop"

    def install_managed(self, *words, **options):
        return self.ctl(
            "contain", "install", "--managed", "--workspace", self.workspace.name, *words,
            **options)

    def launch(self, *files):
        """What the desktop starts under the name, as it does."""
        found = subprocess.run(
            ["gio", "mime", TYPE], capture_output=True, text=True, env=self.environment).stdout
        self.assertIn(f"{APP}.desktop", found)
        done = subprocess.run(
            ["gio", "launch", self.shadow(), *files], capture_output=True, timeout=60,
            stdin=subprocess.DEVNULL, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_ordinary_entry_is_hidden_and_comes_back(self):
        (one,) = json.loads(self.install_managed("--json").stdout)
        self.assertEqual((one["app"], one["managed"]), (APP, True))
        self.assertEqual(one["path"], str(self.shadow()))
        self.assertEqual(one["account"], "" if self.is_root else ANN)
        self.assertFalse(self.shadow("other").exists())
        text = self.shadow().read_text()
        self.assertIn("Exec=mamctl run --contained --discard-output --workspace", text)
        self.assertEqual(
            f"--account {ANN}" in text, not self.is_root, text)
        self.assertNotIn("DBusActivatable", text)
        self.assertEqual(self.shadow().stat().st_mode & 0o777, 0o644)
        files = self.files()
        self.launch(*files)
        (told,) = self.told()
        self.assertEqual(
            [bytes.fromhex(word) for word in told["arguments"]],
            [b"--with", b"two words", *files])
        # Once more, of the ordinary one and not of itself.
        defaults = f"[Default Applications]\n{TYPE}={APP}.desktop;\n"
        self.defaults.write_text(defaults)
        self.install_managed()
        self.assertEqual(self.shadow().read_text(), text)
        self.assertIn(str(self.shadow()), self.ctl("contain", "list").stdout)
        self.ctl("contain", "remove", "--managed")
        self.assertFalse(self.shadow().exists())
        self.assertEqual(self.defaults.read_text(), defaults)
        self.ctl("contain", "remove", "--managed", status=NOT_FOUND)
        self.assertTrue((self.share / "applications" / f"{APP}.desktop").exists())

    def test_beside_a_launcher(self):
        self.install_managed()
        self.install(APP)
        self.assertNotIn(f"({ANN}) (", self.launcher().read_text())
        self.assertEqual(len(json.loads(self.ctl("contain", "list", "--json").stdout)), 2)
        if self.is_root:
            self.assertIn("--account", self.ctl("contain", "remove", APP, status=USAGE).stderr)
            self.ctl("contain", "remove", APP, "--account", ANN)
            self.assertTrue(self.shadow().exists())
        self.ctl("contain", "remove", APP)
        self.assertFalse(self.shadow().exists() or self.launcher().exists())

    def test_open_prefers_it(self):
        self.install_managed()
        self.defaults.write_text(f"[Default Applications]\n{TYPE}=other.desktop;\n")
        (path,) = self.files([b"plan.fake"])
        (opened,) = json.loads(self.ctl("open", path.decode(), "--json").stdout)
        self.assertEqual(
            (opened["app"], opened["launcher"], opened["account"]), (APP, True, ANN))
        self.told()

    def test_anothers_does_not_keep_a_file_closed(self):
        """What the entry beneath opens, contained for the file's account."""
        (self.share / "applications" / "other.desktop").unlink()
        self.install_managed("--account", ANN)
        text = self.shadow().read_text()
        self.shadow().write_text(text.replace(f"X-Mamd-Account={ANN}", f"X-Mamd-Account={BOB}"))
        (path,) = self.files([b"plan.fake"])
        (opened,) = json.loads(self.ctl("open", path.decode(), "--json").stdout)
        self.assertEqual((opened["app"], opened["launcher"]), (APP, False))
        self.told()
        self.assertIn(BOB, self.install_managed("--account", ANN, status=NO).stderr)

    def test_a_persons_own_entry_stays(self):
        self.shadow().parent.mkdir(parents=True)
        self.shadow().write_text(self.add("mine", ENTRY).read_text().replace(
            str(self.program), sys.executable))
        before = self.shadow().read_text()
        self.add("third", ENTRY.replace("{program}", sys.executable))
        said = self.install_managed(status=NO).stderr
        self.assertIn(f"{self.shadow()} exists", said)
        self.assertEqual(self.shadow().read_text(), before)
        self.assertFalse(self.shadow("third").exists())

    def test_how_an_entry_names_its_program(self):
        link = self.workspace.root / "tools-of-managed"
        link.mkdir(exist_ok=True)
        (link / "fake-link").unlink(missing_ok=True)
        (link / "fake-link").symlink_to(sys.executable)
        self.environment["PATH"] = f"{link}:{self.environment['PATH']}"
        execs = {
            "by-path": f"{link}/fake-link %F", "by-name": "fake-link %F",
            "by-env": "env A=1 B=2 fake-link %F", "not": "sh -c fake-link", "gone": "/none %F"}
        for name, line in execs.items():
            self.add(name, f"[Desktop Entry]\nType=Application\nName=x\nExec={line}\n")
        told = json.loads(self.install_managed("--json").stdout)
        self.assertEqual({one["app"] for one in told}, {APP, "by-path", "by-name", "by-env"})

    def test_mistakes(self):
        self.install_managed(APP, status=USAGE)
        self.install_managed("--default", status=USAGE)
        self.ctl("contain", "install", status=USAGE)
        self.ctl("contain", "remove", status=USAGE)
        for path in (self.share / "applications").glob("*.desktop"):
            path.unlink()
        said = self.install_managed(status=NOT_FOUND).stderr
        self.assertIn("/managed/elsewhere", said)


class Streams(Contained):
    def run_with_pipes(self, *command, options=("--discard-output",), status=DONE):
        done = subprocess.run(
            self.words(*command, options=options), capture_output=True, stdin=subprocess.DEVNULL,
            env=self.workspace.environment, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def test_what_leads_out_is_discarded(self):
        plan = self.secret()
        self.run_with_pipes("cat", plan, options=(), status=REFUSED)
        done = self.run_with_pipes("sh", "-c", 'cat "$1"; cat "$1" >&2', "sh", plan)
        self.assertEqual((done.stdout, done.stderr), (b"", b""))

    def test_a_terminal_stays(self):
        plan = self.secret()
        self.assertIn(SECRET, self.contained("cat", plan, options=("--discard-output",)))

    def test_mamctls_own_messages_arrive(self):
        done = self.run_with_pipes("no-such-command", status=127)
        self.assertIn(b"no-such-command", done.stderr)

    def test_it_is_for_contained_commands(self):
        self.workspace.ctl(
            "run", "--discard-output", "--identity", ANN, "--", "true", status=USAGE)


class Open(Desktop):
    def open(self, *words, **options):
        return self.ctl("open", *map(os.fsdecode, words), **options)

    def test_with_the_launcher(self):
        self.install(APP)
        files = self.files()
        self.open(*files)
        (told,) = self.told()
        self.assertEqual([bytes.fromhex(word) for word in told["arguments"][2:]], files)
        self.assertEqual([bytes.fromhex(text) for text in told["content"]], [SECRET] * 3)
        self.assertEqual(told["streams"], ["/dev/null"] * 3)
        # Neither our terminal's keys nor its end reach it.
        self.assertNotEqual(told["session"], os.getsid(0))

    def test_it_does_not_wait_for_the_programs_end(self):
        self.install(APP)
        (path,) = self.files([b"plan.fake"])
        (self.directory / "wait").mkdir()
        (opened,) = json.loads(self.open(path, "--json").stdout)
        self.assertEqual(
            (opened["app"], opened["launcher"], opened["type"], opened["account"]),
            (APP, True, TYPE, ANN))
        (self.directory / "wait").rmdir()
        self.told()

    def test_a_kind_of_the_type_in_any_case_by_a_link(self):
        self.install(APP)
        (path,) = self.files([b"plan.KIND"])
        link = self.workspace.root / "link.kind"
        link.symlink_to(os.fsdecode(path))
        (opened,) = json.loads(self.open(link, "--json").stdout)
        self.assertEqual(
            (opened["path"], opened["type"]), (os.fsdecode(path), "application/x-fake-kind"))
        (told,) = self.told()
        self.assertEqual(bytes.fromhex(told["arguments"][2]), path)

    def test_in_the_directory_of_the_entry(self):
        self.add(APP, ENTRY.replace("Icon=", f"Path={self.share}\nIcon="))
        path, = self.files([b"plan.fake"])
        done = subprocess.run(
            ["mamctl", "open", os.path.basename(path)], cwd=self.directory, env=self.environment,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, DONE, done.stderr)
        (told,) = self.told()
        self.assertEqual(told["directory"], str(self.share))
        self.assertEqual(bytes.fromhex(told["arguments"][2]), path)

    def test_without_a_launcher_the_default_program(self):
        self.add("first", ENTRY.replace("--with", "--first"))
        self.add("second", ENTRY.replace("--with", "--second"))
        self.defaults.write_text(f"[Default Applications]\n{TYPE}=gone.desktop;second.desktop\n")
        (path,) = self.files([b"plan.fake"])
        (opened,) = json.loads(self.open(path, "--json").stdout)
        self.assertEqual((opened["app"], opened["launcher"]), ("second", False))
        (told,) = self.told()
        self.assertEqual(bytes.fromhex(told["arguments"][0]), b"--second")
        # A launcher comes before a default that is none.
        self.install("first")
        self.open(path)
        (told,) = self.told()
        self.assertEqual(bytes.fromhex(told["arguments"][0]), b"--first")
        # Of two launchers that of the default program.
        self.install("second")
        self.open(path)
        (told,) = self.told()
        self.assertEqual(bytes.fromhex(told["arguments"][0]), b"--second")

    def test_outside(self):
        outside = self.workspace.root / "outside file.fake"
        outside.touch()
        inside, = self.files([b"plan.fake"])
        said = self.open(inside, outside, status=NOT_MANAGED).stderr
        self.assertIn("in no workspace", said)
        self.assertIn(f"xdg-open '{outside}'", said)
        self.open(self.directory / "missing.fake", status=NOT_FOUND)
        self.assertEqual(list(self.directory.glob("told-*")), [])

    def test_nothing_opens_it(self):
        other, = self.files([b"plan.other"])
        self.assertIn("application/x-other", self.open(other, status=NOT_FOUND).stderr)
        self.add("gone", ENTRY.replace("TryExec={program}", "").replace(
            "{program}", "/nonexistent/program").replace("x-fake", "x-other"))
        self.assertIn("/nonexistent/program", self.open(other, status=NOT_FOUND).stderr)
        self.add("gone", ENTRY.replace("{program}", "/nonexistent").replace("x-fake", "x-other"))
        self.assertIn("no program opens", self.open(other, status=NOT_FOUND).stderr)

    def test_a_changed_launcher_is_no_way_out(self):
        self.install(APP)
        text = self.launcher().read_text()
        self.launcher().write_text(text.replace("mamctl run --contained", "mamctl run"))
        path, = self.files([b"plan.fake"])
        self.assertIn("any more", self.open(path, status=NO).stderr)

    def test_a_program_for_terminals(self):
        self.add("editor", ENTRY.replace("Terminal=false", "Terminal=true").replace(
            "x-fake", "x-other"))
        path, = self.files([b"plan.other"])
        self.assertIn("terminal", self.open(path, status=NO).stderr)
        status, shown = on_terminal(["mamctl", "open", path], self.environment)
        (told,) = self.told()
        self.assertEqual(status, DONE, shown)
        self.assertTrue(all(stream.startswith("/dev/pts/") for stream in told["streams"]))


if __name__ == "__main__":
    import unittest

    unittest.main()
