"""Programs with windows, on a display of their own, with somebody who types: LibreOffice, Firefox,
Evince. Each gives what a person sees when it is to save outside; of that only LibreOffice's window
is looked for here."""
import time

from check import Failure


class Window:
    """A program, and its windows by their titles."""

    def __init__(self, place, *command, **options):
        self.place = place
        self.terminal = place.start_program(*command, **options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.terminal.close()

    def keys(self, *keys):
        self.place.xdotool("key", "--delay", 60, *keys)
        self.drain()

    def type(self, text):
        self.place.xdotool("type", "--delay", 60, text)
        self.drain()

    def drain(self):
        self.terminal.quiet(0.5, 3)

    def await_title(self, title, seconds=60):
        try:
            return self.place.await_window(title, seconds)
        except Failure as problem:
            raise Failure(f"{problem}; {self.terminal.text[-300:]!r}") from None

    def save_as(self, keys, dialog, path):
        """Asks for another name, and gives it, once more if keys were lost."""
        self.keys(keys)
        self.await_title(dialog)
        for _ in range(4):
            self.keys("ctrl+a")
            self.type(str(path))
            time.sleep(1)
            self.keys("Return")
            end = time.monotonic() + 5
            while time.monotonic() < end:
                if not any(title and dialog in title for title in self.place.titles()):
                    time.sleep(2)
                    return
                time.sleep(0.3)
        raise Failure(f"{dialog!r} stays: {self.place.titles()}")

    def close_with(self, *keys):
        for key in keys:
            self.keys(key)
        self.terminal.child.kill()


def libreoffice(place):
    plan, copy = place.document("plan.txt"), place.files / "copy.odt"
    place.run("soffice", "--headless", "--convert-to", "odt", plan)
    with Window(place, "soffice", "--norestore", "--nologo", "--nofirststartwizard",
                plan.with_suffix(".odt")) as window:
        window.await_title("plan.odt", 90)
        window.keys("ctrl+End")
        window.type("third line")
        window.keys("ctrl+s")
        time.sleep(2)
        window.save_as("ctrl+shift+s", "Save", copy)
        window.await_title("copy.odt")
        window.save_as("ctrl+shift+s", "Save", place.outside / "copy.odt")
        window.await_title("Error")
        window.close_with("Return")
    place.says(plan.with_suffix(".odt"), "third line")
    place.says(copy, "third line")
    return "Error saving the document copy"


def firefox(place):
    page = place.document("plan.html", f"<title>{place.phrase}</title>")
    copy = place.files / "copy.html"
    with Window(place, "firefox-esr", "--no-remote", f"file://{page}") as window:
        window.await_title(place.phrase, 90)
        time.sleep(5)
        place.xdotool("mousemove", 640, 600, "click", 1)
        window.save_as("ctrl+s", "Save", copy)
        window.await_title(place.phrase)
        window.save_as("ctrl+s", "Save", place.outside / "copy.html")
        window.close_with("ctrl+q")
    place.says(copy)
    return "(not read: a mark at the downloads)"


def evince(place):
    plan, copy = place.document("plan.txt"), place.files / "copy.pdf"
    place.run("soffice", "--headless", "--convert-to", "pdf", plan)
    with Window(place, "evince", plan.with_suffix(".pdf")) as window:
        window.await_title("plan", 60)
        window.save_as("ctrl+s", "Save", copy)
        window.await_title("plan")
        window.save_as("ctrl+s", "Save", place.outside / "copy.pdf")
        window.close_with("ctrl+w")
    place.demand(place.read(copy).startswith(b"%PDF"), "no copy")
    return "(not read: The file could not be saved as …)"
