"""What people read, in their language: gettext's domain `mamd`."""
import gettext
import os

DOMAIN = "mamd"


def translation(directory: str | None = None) -> gettext.NullTranslations:
    """Of the process's language, from `directory`, `TEXTDOMAINDIR` or the system's place."""
    place = directory or os.environ.get("TEXTDOMAINDIR")
    return gettext.translation(DOMAIN, localedir=place, fallback=True)


_, ngettext = translation().gettext, translation().ngettext


def duration(seconds: int) -> str:
    """A time to wait, with one unit: what comes first matters."""
    if seconds < 120:
        return ngettext("%d second", "%d seconds", seconds) % seconds
    if seconds < 7200:
        return ngettext("%d minute", "%d minutes", seconds // 60) % (seconds // 60)
    hours = seconds // 3600
    return ngettext("%d hour", "%d hours", hours) % hours
