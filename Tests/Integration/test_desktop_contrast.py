"""The prompt and the status window with high contrast and by the keyboard alone."""
import collections
import pathlib
import shutil
import subprocess
import unittest

import desktop_session
from desktop_session import DESKTOP, PYTHON, DesktopSession, locked_workspace
from workspace import ANN, PASSPHRASE, wait_until

PROMPT, STATUS = "Unlock managed files", "Managed files"
# As GNOME's switch *High contrast* sets it.
SWITCH = "[org/gnome/desktop/a11y/interface]\nhigh-contrast=true\n"
# WCAG 2, level AA, for text.
READABLE = 4.5
# Of the prompt's picture: width, height, left, top. The hint's begins after the blinking caret.
ACCOUNT, HINT = (340, 24, 20, 96), (124, 20, 42, 182)
# A stroke of a letter, not the blur at its edge.
STROKE_PIXELS = 8


def luminance(colour):
    parts = [part / 255 for part in colour]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(part * weight for part, weight in zip(linear, (0.2126, 0.7152, 0.0722)))


def ratio(one, other):
    darker, lighter = sorted([luminance(one), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


def pixels(picture, place):
    crop = "{}x{}+{}+{}".format(*place)
    done = subprocess.run(
        ["convert", picture, "-crop", crop, "-depth", "8", "rgb:-"], capture_output=True,
        check=True)
    return list(zip(*[iter(done.stdout)] * 3))


def contrast(picture, place):
    """Of the text there with its background, which has the most pixels."""
    counts = collections.Counter(pixels(picture, place))
    background = counts.most_common(1)[0][0]
    return max(
        ratio(colour, background) for colour, count in counts.items() if count >= STROKE_PIXELS)


@unittest.skipIf(desktop_session.missing(), desktop_session.missing())
@unittest.skipUnless(shutil.which("convert"), "not installed: imagemagick")
class Contrast(unittest.TestCase):
    def setUp(self):
        self.workspace, self.file = locked_workspace(self)

    def await_state(self, state):
        wait_until(lambda: self.workspace.account()["state"] == state, message=f"not {state}")

    def start(self, is_high):
        session = DesktopSession(self.workspace.environment)
        self.addCleanup(session.close)
        if is_high:
            settings = session.directory / "config" / "glib-2.0" / "settings"
            settings.mkdir(parents=True)
            (settings / "keyfile").write_text(SWITCH)
            session.environment |= {
                "GSETTINGS_BACKEND": "keyfile", "ADW_DISABLE_PORTAL": "1",
                "XDG_CONFIG_HOME": str(session.directory / "config")}
        return session.start()

    def picture(self, session, window, *places):
        """With text at these places, once it no longer changes."""
        taken = []
        path = pathlib.Path(session.directory) / "picture.png"

        def is_drawn():
            session.picture(path, window)
            taken.append([pixels(path, place) for place in places])
            return taken[-1:] == taken[-2:-1] and all(len(set(each)) > 1 for each in taken[-1])

        wait_until(is_drawn, message="no text is drawn")
        return path

    def prompt(self, session):
        session.start_agent()
        subprocess.run(["cat", self.file], capture_output=True)
        window = session.await_window(PROMPT)
        session.focus(window)
        session.await_entry()
        session.await_text(ANN)
        return window

    def test_the_prompt_is_readable(self):
        session = self.start(is_high=False)
        usual = self.picture(session, self.prompt(session), ACCOUNT, HINT)
        self.assertGreaterEqual(contrast(usual, ACCOUNT), READABLE)
        hint = contrast(usual, HINT)
        high = self.start(is_high=True)
        picture = self.picture(high, self.prompt(high), ACCOUNT, HINT)
        print(f"contrast: {contrast(usual, ACCOUNT):.1f}, high {contrast(picture, ACCOUNT):.1f};"
              f" of the hint {hint:.1f}, high {contrast(picture, HINT):.1f}")
        self.assertGreaterEqual(contrast(picture, ACCOUNT), READABLE)
        self.assertGreaterEqual(contrast(picture, HINT), READABLE)
        # The theme is really another.
        self.assertGreater(contrast(picture, HINT), hint)

    def test_the_prompt_by_the_keyboard_alone(self):
        session = self.start(is_high=True)
        self.prompt(session)
        session.type("not this one")
        session.keys("Return")
        session.await_text("That was not right.")
        session.press("Not now")
        session.await_none(PROMPT)
        session.act("unlock", f"<('{self.workspace.name}', '{ANN}')>")
        session.focus(session.await_window(PROMPT))
        session.await_entry()
        session.type(PASSPHRASE)
        session.press("Unlock")
        session.await_none(PROMPT)
        self.await_state("unlocked")

    def test_the_status_window_by_the_keyboard_alone(self):
        session = self.start(is_high=True)
        session.start_agent()
        session.run(PYTHON, "-B", DESKTOP / "mamd-status")
        window = session.await_window(STATUS)
        session.focus(window)
        session.await_text(ANN)
        # Below the header.
        place = (420, 300, 20, 60)
        self.assertGreaterEqual(
            contrast(self.picture(session, window, place), place), READABLE)
        session.press("Unlock…")
        session.focus(session.await_window(PROMPT))
        session.await_entry()
        session.type(PASSPHRASE)
        session.keys("Return")
        self.await_state("unlocked")
        session.await_none(PROMPT)
        session.focus(window)
        session.await_text("Lock now")
        session.press("Lock now")
        self.await_state("locked")


if __name__ == "__main__":
    unittest.main()
