"""Pictures of the desktop's windows, by the real programs on an X server that shows nothing."""
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Integration"))

from desktop_session import DESKTOP, PYTHON, DesktopSession

# As a person may have set Nautilus: a list, with mamd's columns.
SETTINGS = """[org/gnome/nautilus/preferences]
default-folder-viewer='list-view'
[org/gnome/nautilus/list-view]
default-visible-columns=['name', 'size', 'Mamd::mamd_owner', 'Mamd::mamd_class']
default-column-order=['name', 'size', 'Mamd::mamd_owner', 'Mamd::mamd_class']
[org/gnome/nautilus/window-state]
initial-size=(900, 380)
"""
# What GTK draws around a window where nothing draws shadows.
FRAME = "4x4"


class Pictures:
    """`scene`: its home and workspace; `images`: where pictures go."""

    def __init__(self, scene, home, images):
        self.scene, self.home, self.images = scene, home, images
        self.session = DesktopSession(scene.environment)
        self.session.environment |= {"GSETTINGS_BACKEND": "keyfile", "LC_ALL": "C.UTF-8"}
        settings = home / ".config" / "glib-2.0" / "settings"
        settings.mkdir(parents=True, exist_ok=True)
        (settings / "keyfile").write_text(SETTINGS)
        font = home / ".config" / "gtk-4.0"
        font.mkdir(parents=True, exist_ok=True)
        (font / "settings.ini").write_text("[Settings]\ngtk-font-name=Cantarell 11\n")
        self.session.start()
        self.agent = self.session.start_agent()

    def take(self, window, name):
        # The pointer is elsewhere.
        subprocess.run(
            ["xdotool", "mousemove", "1270", "790"], env=self.session.environment, check=True)
        time.sleep(1)
        target = self.images / f"{name}.png"
        self.session.picture(target, window)
        subprocess.run(
            ["mogrify", "-strip", "-shave", FRAME, target], check=True, capture_output=True)
        print(f"docs/images/{target.name}: {target.stat().st_size // 1000} kB")

    def close(self):
        self.session.close()


def picture_prompt(pictures, account):
    pictures.scene.ctl("lock", account, "--now")
    office = pictures.home / "soffice.bin"
    shutil.copy(shutil.which("cat"), office)
    subprocess.run([office, pictures.home / "Work/contract/7.odt"], capture_output=True)
    window = pictures.session.await_window("Unlock managed files")
    pictures.session.focus(window)
    pictures.take(window, "prompt")
    pictures.session.keys("Escape")
    pictures.scene.ctl("unlock", account, "--passfile", pictures.scene.passfile)
    office.unlink()


def picture_desktop(pictures, locked):
    pictures.scene.ctl("lock", locked, "--now")
    subprocess.run(["cat", pictures.home / "Work/pictures/3.odt"], capture_output=True)
    pictures.session.run(PYTHON, "-B", DESKTOP / "mamd-status")
    window = pictures.session.await_window("Managed files")
    pictures.session.await_text("Last refused")
    pictures.session.focus(window)
    pictures.take(window, "desktop")


def picture_nautilus(pictures, locked):
    pictures.scene.ctl("lock", locked, "--now")
    work = pictures.home / "Work" / "year"
    work.mkdir()
    for source, target in (
            ("contract/3.odt", "contract.odt"), ("pictures/4.odt", "pictures.odt"),
            ("budget/5.odt", "budget.ods"), ("notes/6.odt", "shopping.odt"),
            ("contract/9.odt", "plan.odt")):
        (pictures.home / "Work" / source).rename(work / target)
    place = pictures.home / ".local/share/nautilus-python/extensions"
    place.mkdir(parents=True)
    (place / "mamd_nautilus.py").symlink_to(DESKTOP / "nautilus" / "mamd_nautilus.py")
    pictures.session.run("nautilus", "--new-window", work)
    window = pictures.session.await_window("year")
    pictures.session.focus(window)
    time.sleep(3)
    pictures.take(window, "nautilus")


def take(scene, home, images, names, accounts):
    """`names` of prompt, desktop, nautilus; `accounts`: one that is open, one that is not."""
    pictures = Pictures(scene, home, images)
    open_one, locked = accounts
    try:
        for name in names:
            if name == "prompt":
                picture_prompt(pictures, open_one)
            elif name == "desktop":
                picture_desktop(pictures, locked)
            else:
                picture_nautilus(pictures, locked)
    finally:
        pictures.close()
