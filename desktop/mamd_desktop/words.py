"""What people read, in their language: gettext's domain `mamd`."""
import gettext
import os

DOMAIN = "mamd"


def translation(domain: str = DOMAIN) -> gettext.NullTranslations:
    """Of the process's language, from `TEXTDOMAINDIR` or the system's place."""
    place = os.environ.get("TEXTDOMAINDIR")
    return gettext.translation(domain, localedir=place, fallback=True)


_, ngettext = translation().gettext, translation().ngettext


def duration(seconds: int) -> str:
    """A time to wait, with one unit: what comes first matters."""
    if seconds < 120:
        return ngettext("%d second", "%d seconds", seconds) % seconds
    if seconds < 7200:
        return ngettext("%d minute", "%d minutes", seconds // 60) % (seconds // 60)
    hours = seconds // 3600
    return ngettext("%d hour", "%d hours", hours) % hours
