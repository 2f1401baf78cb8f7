"""A real Nautilus on a workspace: emblems, columns, properties, menu; no thumbnail leaves it."""
import contextlib
import json
import os
import pathlib
import shutil
import struct
import subprocess
import time
import unittest
import zlib

import desktop_session
from desktop_session import DESKTOP, DesktopSession
from running import NEW_MOUNTS, call
from workspace import ANN, BOB, Workspace, wait_until

NEEDS = ("libgdk-pixbuf2.0-bin", "nautilus", "python3-nautilus")
HERE = pathlib.Path(__file__).resolve().parent
EXTENSION = DESKTOP / "nautilus" / "mamd_nautilus.py"
THUMBNAILER = pathlib.Path("/usr/bin/gdk-pixbuf-thumbnailer")


def picture(side=300):
    """A PNG file of one colour, large enough for a thumbnail."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(
            ">I", zlib.crc32(kind + data))

    rows = (b"\0" + b"\x30\x60\xc0" * side) * side
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def missing():
    if not shutil.which("nautilus") or not pathlib.Path(
            "/usr/share/nautilus-python/extensions").exists():
        return "not installed: nautilus, python3-nautilus"
    return desktop_session.missing()


class NautilusCase(unittest.TestCase):
    def setUp(self):
        settings = {"LockOn": {"IdleSeconds": 0}, "LockGraceSeconds": 0}
        self.workspace = Workspace(settings=settings).init().mount().register()
        self.addCleanup(self.workspace.close)
        self.session = DesktopSession(self.workspace.environment).start()
        self.addCleanup(self.session.close)
        self.data = pathlib.Path(self.session.directory) / "data"
        self.session.environment["XDG_DATA_HOME"] = str(self.data)
        self.folder = self.workspace.path("folder")
        self.workspace.run_as(ANN, "mkdir", self.folder)

    def start(self, *extensions):
        place = self.data / "nautilus-python" / "extensions"
        place.mkdir(parents=True)
        for each in extensions:
            (place / each.name).symlink_to(each)
        nautilus = self.session.run("nautilus", "--new-window", self.folder)
        self.session.await_window("folder")
        return nautilus


@unittest.skipIf(missing(), missing())
class Extension(NautilusCase):
    def setUp(self):
        super().setUp()
        self.workspace.register(BOB)
        self.file = self.folder / "plan.txt"
        self.workspace.write_as(ANN, self.file, "Contoso pays.")
        self.says_file = pathlib.Path(self.session.directory) / "says.json"
        self.session.environment |= {
            "MAMD_SAYS_FILE": str(self.says_file), "MAMD_SAYS_PATHS": str(self.file)}
        self.agent = self.session.start_agent()
        self.start(EXTENSION, HERE / "nautilus_says.py")

    def says(self):
        nothing = {"look": 0, "emblems": [], "labels": [], "files": {}, "columns": []}
        with contextlib.suppress(OSError, ValueError):
            return nothing | json.loads(self.says_file.read_text())
        return nothing

    def about(self):
        return {"menu": [], "properties": [], **self.says()["files"].get(str(self.file), {})}

    def await_emblem(self, name):
        wait_until(
            lambda: f"emblem-mamd-{name}" in " ".join(self.says()["emblems"]),
            message=lambda: (
                f"no emblem '{name}': {self.says()}; {self.session.story()}; "
                + self.workspace.ctl("workspace", "list", status=None).stdout))

    def press(self, label):
        new = pathlib.Path(f"{self.says_file}.press.new")
        new.write_text(label)
        new.rename(new.with_suffix(""))

    def test_it_shows_what_the_daemon_says(self):
        self.await_emblem("open")
        wait_until(lambda: self.about().get("owner") == ANN, message="no owner")
        self.assertEqual(self.about()["class"], "A")
        self.assertEqual(self.says()["columns"], ["mamd_owner", "mamd_class"])
        wait_until(lambda: len(self.about()["properties"]) > 1, message="no properties")
        self.assertEqual(self.about()["properties"][:2], [
            ["Owner", ANN], ["State", "Encrypted, and open"]])
        wait_until(lambda: ANN in self.about()["menu"], message="no account in the menu")
        self.assertEqual(self.about()["menu"], [
            "Managed files", "Lock now", "Give to", ANN, BOB, "Nobody (not encrypted)",
            "Open contained"])

    def test_the_menu_acts(self):
        self.await_emblem("open")
        wait_until(lambda: "Lock now" in self.about()["menu"], message="no menu")
        self.press("Lock now")
        self.await_emblem("locked")
        self.assertEqual(self.workspace.account()["state"], "locked")
        wait_until(lambda: "Unlock…" in self.about()["menu"], message="nothing to unlock with")
        self.press("Unlock…")
        self.session.await_window("Unlock managed files")
        self.workspace.unlock()
        self.await_emblem("open")
        wait_until(lambda: BOB in self.about()["menu"], message="no account in the menu")
        self.press(BOB)
        wait_until(lambda: self.workspace.owner(self.file) == BOB, message="not given")

    def still_place(self, label, seconds):
        """The window of a label, and where in there three looks in a row have found it."""
        seen = []

        def is_still():
            said = self.says()
            if not seen or seen[-1][0] != said["look"]:
                found = (at for text, *at in said["labels"] if text == label)
                seen.append((said["look"], next(found, None)))
            return len(seen) > 2 and seen[-1][1] and len({str(at) for _, at in seen[-3:]}) == 1

        wait_until(is_still, seconds, lambda: f"'{label}' is not in the window: {self.says()}")
        return seen[-1][1]

    def click(self, label, button=1, seconds=90.0):
        """What the file manager's windows show, with the mouse."""
        place = pointed = None
        # A menu that moves under the pointer would do something else.
        while place is None or pointed != place:
            pointed = place = self.still_place(label, seconds)
            title, x, y = place
            self.session.xdotool(
                "mousemove", "--window", self.session.windows(title)[0], str(int(x)), str(int(y)))
            place = self.still_place(label, seconds)
        self.session.xdotool("click", str(button))

    def choose(self, file, *labels, until):
        """In the menu of a file, as people do: from its start where a click was lost."""
        self.repeat(
            [(file.name, 3), *((label, 1) for label in labels)], until,
            otherwise=lambda: self.session.xdotool("key", "Escape"))

    def repeat(self, clicks, until, otherwise=lambda: None):
        """Labels, and the button for each. `otherwise`: before the next try."""
        def is_done():
            with contextlib.suppress(AssertionError):
                for label, button in clicks:
                    self.click(label, button, seconds=20)
                wait_until(until, seconds=20)
            if not until():
                otherwise()
            return until()

        wait_until(
            is_done, seconds=300,
            message=lambda: f"{clicks} do nothing: {self.says()}; {self.session.story()}")

    def test_the_menu_gives_the_selected_file_alone(self):
        other = self.folder / "other.txt"
        self.workspace.write_as(ANN, other, "Fabrikam pays.")
        self.await_emblem("open")
        self.choose(
            self.file, "Managed files", "Give to", BOB,
            until=lambda: self.workspace.owner(self.file) == BOB)
        wait_until(lambda: self.about().get("owner") == BOB, message="the old owner is shown")
        self.assertEqual(self.workspace.owner(other), ANN)

    def test_before_content_becomes_plain_a_question(self):
        other = self.folder / "other.txt"
        self.workspace.write_as(ANN, other, "Fabrikam pays.")
        self.await_emblem("open")
        give = (self.file, "Managed files", "Give to", "Nobody (not encrypted)")
        self.choose(*give, until=self.is_asked)
        self.click("_Cancel")
        self.session.await_none("^Decrypt")
        self.choose(*give, until=self.is_asked)
        self.assertEqual(self.workspace.owner(self.file), ANN)
        self.assertIn(f"1 file of {ANN}", "".join(self.labels()))
        # The question of an earlier try may cover this one.
        self.repeat(
            [("_Decrypt", 1)], until=lambda: self.workspace.owner(self.file) == "nobody")
        wait_until(lambda: not self.about().get("owner"), message="the old owner is shown")
        self.assertEqual(self.workspace.owner(other), ANN)

    def is_asked(self):
        return "Decrypt “plan.txt”?" in self.labels()

    def test_a_shut_folder_looks_locked_and_can_be_mounted(self):
        self.await_emblem("open")
        place = self.folder.parent.parent / "shelf" / "Work"
        place.parent.mkdir()
        self.addCleanup(self.workspace.ctl, "unmount", place, status=None)
        self.workspace.ctl(
            "setup", place, ANN, "--backing", place.with_name(".work"), "--name", "shut",
            "--settings", self.workspace.settings, "--passfile", self.workspace.passfile,
            "--no-recovery", "--no-service")
        self.session.run("nautilus", "--new-window", place.parent)
        self.session.await_window("shelf")
        # It is shown before it is shut: in both lists of places, and in the folder.
        wait_until(lambda: self.labels().count("Work") == 3, message="the folder is not shown")
        self.workspace.ctl("unmount", place)
        self.await_emblem("locked")
        # Its mount was in the list of places, too.
        wait_until(lambda: self.labels().count("Work") == 1, message="the mount is still listed")
        self.choose(place, "Managed files", "Mount", until=lambda: os.path.ismount(place))

    def labels(self):
        return [text for text, *_at in self.says()["labels"]]

    def test_a_locked_folder_asks_nobody(self):
        """Nautilus opens files whose names do not tell their type."""
        self.await_emblem("open")
        self.workspace.write_as(ANN, self.folder / "nameless", "%PDF-1.4 plan")
        self.workspace.lock()
        self.await_emblem("locked")
        time.sleep(2)
        self.assertEqual(self.session.windows("Unlock managed files"), [])


@unittest.skipIf(missing(), missing())
@unittest.skipUnless(THUMBNAILER.exists(), "not installed: libgdk-pixbuf2.0-bin")
@unittest.skipUnless(os.geteuid() == 0, "needs root, to have a /usr/local of its own")
class Thumbnails(NautilusCase):
    def setUp(self):
        super().setUp()
        self.picture = self.folder / "photo.png"
        self.picture.write_bytes(picture())
        self.assertEqual(self.workspace.owner(self.picture), ANN)
        self.cache = self.workspace.root / ".cache" / "thumbnails"

    def made(self):
        """Thumbnails in the cache, without the notes of what failed."""
        return [each for each in self.cache.rglob("*.png") if "fail" not in each.parts]

    def test_without_it_they_leave(self):
        """What the others would not notice: that nothing here makes thumbnails at all."""
        self.start()
        wait_until(self.made, message="this Nautilus makes no thumbnails")

    def test_no_thumbnail_is_made(self):
        # The desktop starts thumbnailers in a sandbox that has /usr and little else.
        outside = os.open("/proc/self/ns/mnt", os.O_RDONLY)
        self.addCleanup(os.close, outside)
        call("unshare", NEW_MOUNTS)
        self.addCleanup(call, "setns", outside, NEW_MOUNTS)
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)
        subprocess.run(["mount", "-t", "tmpfs", "none", "/usr/local/lib"], check=True)
        installed = pathlib.Path("/usr/local/lib/mamd-thumbnailer")
        shutil.copy(DESKTOP / "mamd-thumbnailer", installed)
        subprocess.run([installed, "--install"], env=self.session.environment, check=True)
        self.start()
        wait_until(
            lambda: list(self.cache.rglob("fail/*/*.png")), message="no thumbnailer was started")
        self.assertEqual(self.made(), [])
        # A file outside gets one as before.
        folder = self.workspace.root / "outside"
        folder.mkdir()
        (folder / "photo.png").write_bytes(picture())
        self.session.run("nautilus", "--new-window", folder)
        wait_until(self.made, message="no thumbnail of a file outside")
        subprocess.run([installed, "--remove"], env=self.session.environment, check=True)
        self.assertEqual(list((self.data / "thumbnailers").iterdir()), [])

    def test_what_slips_past_is_removed(self):
        self.session.start_agent()
        self.start()
        wait_until(
            lambda: list(self.cache.glob("*large")) or list(self.cache.glob("normal")),
            message="this Nautilus makes no thumbnails")
        time.sleep(2)
        wait_until(lambda: not self.made(), message="a thumbnail stays")


if __name__ == "__main__":
    unittest.main()
