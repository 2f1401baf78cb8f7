"""The package for desktops: what is in it, and that the desktop's own tools take it."""
import filecmp
import os
import re
import shutil
import subprocess
import unittest

from built_packages import build
from workspace import ANN, ROOT, Workspace

NEEDS = (
    "appstream", "desktop-file-utils", "gettext", "libglib2.0-bin", "lintian", "man-db",
    "shared-mime-info", "systemd")

SCRIPTS = ("mamd-pinentry", "mamd-thumbnailer")
# Debian 12's Python; for these modules its standard library alone.
PYTHON = "/usr/bin/python3"


@unittest.skipUnless(shutil.which("msgfmt"), "not installed: gettext")
class DesktopPackage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        (cls.package,) = build("package-desktop", "first")
        cls.root = cls.package.parent / "unpacked"
        subprocess.run(["dpkg-deb", "--extract", cls.package, cls.root], check=True)

    def test_the_same_tree_gives_the_same_bytes(self):
        first = self.package.read_bytes()
        (second,) = build("package-desktop", "second")
        self.assertEqual(second.read_bytes(), first)

    @unittest.skipUnless(shutil.which("lintian"), "not installed: lintian")
    def test_lintian_finds_nothing(self):
        said = subprocess.run(
            ["lintian", "--allow-root", "--fail-on", "error,warning", self.package],
            capture_output=True, text=True)
        self.assertEqual((said.returncode, said.stdout + said.stderr), (0, ""))

    def test_it_has_all_of_the_tree(self):
        place = self.root / "usr/lib/mamd/desktop"
        for name in ("mamd_desktop", "nautilus"):
            compared = filecmp.dircmp(ROOT / "desktop" / name, place / name, ["__pycache__"])
            self.assertEqual((compared.left_only, compared.right_only, compared.diff_files),
                             ([], [], []))
        extension = self.root / "usr/share/nautilus-python/extensions/mamd_nautilus.py"
        self.assertEqual(extension.resolve(), (place / "nautilus/mamd_nautilus.py").resolve())

    def test_what_units_and_entries_start_is_there(self):
        """And the bus's name is that of the program."""
        started = set()
        for file in self.root.rglob("*"):
            if file.suffix in (".service", ".desktop") and not file.is_symlink():
                started |= set(re.findall(r"(/usr/lib/mamd/\S+)", file.read_text()))
        self.assertGreaterEqual(len(started), 3)
        for path in started:
            self.assertTrue(os.access(self.root / path.lstrip("/"), os.X_OK), path)
        said = subprocess.run(
            [PYTHON, "-B", self.root / "usr/lib/mamd/desktop/mamd-prompt", "--nonsense"],
            capture_output=True, text=True)
        self.assertEqual(said.returncode, 1)
        self.assertIn("--unlock FILE…", said.stderr)

    @unittest.skipUnless(shutil.which("desktop-file-validate"), "not installed: desktop-file-utils")
    def test_desktop_entries_are_valid(self):
        for place in ("usr/share/applications", "etc/xdg/autostart"):
            for file in (self.root / place).iterdir():
                said = subprocess.run(
                    ["desktop-file-validate", "--no-hints", file], capture_output=True, text=True)
                self.assertEqual((said.returncode, said.stdout), (0, ""), file)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "not installed: systemd")
    def test_systemd_takes_the_unit(self):
        unit = self.root / "usr/lib/systemd/user/mamd-prompt.service"
        text = unit.read_text().replace("/usr/lib/mamd", str(self.root / "usr/lib/mamd"))
        copy = self.package.parent / "mamd-prompt.service"
        copy.write_text(text.replace("man:mamctl(1)", "https://example.org"))
        said = subprocess.run(
            ["systemd-analyze", "verify", "--user", "--man=no", copy], capture_output=True,
            text=True, env={**os.environ, "XDG_RUNTIME_DIR": str(self.package.parent)})
        self.assertNotIn("mamd-prompt.service", said.stderr)

    def test_modules_are_small_and_typed(self):
        for file in sorted((ROOT / "desktop").rglob("*.py")):
            lines = file.read_text().splitlines()
            self.assertLessEqual(len(lines), 200, file)
            self.assertEqual([line for line in lines if len(line) > 100], [], file)
            untyped = [
                line for line in lines
                if re.match(r"\s*def \w+\(.*\):$", line) and "__iter__" not in line]
            self.assertEqual(untyped, [], file)

    def test_shells_take_the_scripts(self):
        for name in SCRIPTS:
            subprocess.run(["sh", "-n", ROOT / "desktop" / name], check=True)


@unittest.skipUnless(
    shutil.which("update-mime-database") and shutil.which("gio"),
    "not installed: shared-mime-info, libglib2.0-bin")
class MediaType(unittest.TestCase):
    """What the desktop opens a file with, by its name and content."""

    SEALED = "application/vnd.mamd.protected"

    def setUp(self):
        self.workspace = Workspace().init().mount().register()
        self.addCleanup(self.workspace.close)
        self.data = self.workspace.root / "data"
        (self.data / "mime" / "packages").mkdir(parents=True)

    def install(self):
        shutil.copy(ROOT / "packaging" / "mime.xml", self.data / "mime" / "packages" / "mamd.xml")
        subprocess.run(
            ["update-mime-database", self.data / "mime"], check=True, capture_output=True)

    def types(self, files):
        said = subprocess.run(
            ["gio", "info", "-a", "standard::content-type", *files], capture_output=True,
            text=True, check=True, timeout=60,
            env={**self.workspace.environment, "XDG_DATA_HOME": str(self.data)})
        return re.findall(r"standard::content-type: (\S+)", said.stdout)

    def test_a_sealed_file_is_no_document(self):
        for name in ("plan.odt", "photo.jpg", "notes.txt"):
            self.workspace.write_as(ANN, self.workspace.path(name), "Contoso pays.")
        self.install()
        sealed = [self.workspace.on_disk(name) for name in ("plan.odt", "photo.jpg", "notes.txt")]
        self.assertEqual(self.types(sealed), [self.SEALED] * 3)

    def test_what_is_not_sealed_has_the_type_of_its_name(self):
        text = (ROOT / "packaging" / "mime.xml").read_text()
        names = re.findall(r'pattern="\*\.(.*)"', text)
        self.assertGreater(len(names), 80)
        files = []
        for content in (b"", b"Contoso pays.\n", b"\1\2\377" * 40):
            place = self.workspace.root / f"plain-{len(content)}"
            place.mkdir()
            files += [place / f"file.{name}" for name in names]
            for file in files[-len(names):]:
                file.write_bytes(content)
        before = self.types(files)
        self.install()
        self.assertEqual(dict(zip(files, self.types(files))), dict(zip(files, before)))


if __name__ == "__main__":
    unittest.main()
