"""The daemon's sentences in the person's language: the words of io.mamd.Workspace, by mamctl's
catalogue."""
import dataclasses
import functools
import gettext
import os
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from .words import translation

DOMAIN = "mamctl"
# More than any message has; the words come from another process.
DEPTH_LIMIT = 32
# MAX_ERRNO of Linux's err.h.
ERRNO_LIMIT = 4095
PLACEHOLDER = re.compile(r"%(?:([0-9]{1,2})\$)?s|%%")
UNPRINTABLE = frozenset(["Cc", "Cf", "Cs", "Zl", "Zp"])

Part = TypeVar("Part")


class _NoWords(Exception):
    """No daemon writes this."""


@functools.cache
def catalogue() -> gettext.NullTranslations:
    return translation(DOMAIN)


def sentence(wire: Mapping[str, Any], reason: str = "reason") -> str:
    """Of a reply or error: its words, else its reason, which is English."""
    english = _printable(str(wire.get(reason) or ""))
    try:
        return (_Reader(wire.get("words")).whole() or english) if english else ""
    except _NoWords:
        return english


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join("?" if unicodedata.category(each) in UNPRINTABLE else each for each in text)


@dataclasses.dataclass(frozen=True)
class _Sentence:
    """`identity`: the format that gettext looks up in English."""

    identity: str
    translated: str
    values: list[str]

    def __str__(self) -> str:
        return _filled(self.translated, self.values)


def _looked_up(text: str) -> str:
    """The empty message is the catalogue's header."""
    return catalogue().gettext(text) if text else ""


def _filled(text: str, values: list[str]) -> str:
    """`%s` in order, `%2$s` by number, and `%%`."""
    unused = iter(range(len(values)))

    def value(found: re.Match[str]) -> str:
        if found[0] == "%%":
            return "%"
        index = next(unused, -1)
        if found[1]:
            index = int(found[1]) - 1
        return values[index] if 0 <= index < len(values) else ""

    return PLACEHOLDER.sub(value, text)


class _Reader:
    def __init__(self, words: Any) -> None:
        if not isinstance(words, list):
            raise _NoWords
        self._words = [str(word) for word in reversed(words)]
        self._depth = 0

    def whole(self) -> str:
        text = self._message()
        if self._words:
            raise _NoWords
        return text

    def _message(self) -> str:
        count = self._number("+")
        if count is None:
            return str(self._sentence())
        parts = self._repeated(count, self._sentence)
        # What the sources break into lines is one message.
        whole = "".join(part.identity for part in parts)
        found = _looked_up(whole)
        if found == whole:
            return "".join(map(str, parts))
        return _filled(found, [value for part in parts for value in part.values])

    def _sentence(self) -> _Sentence:
        count = self._number("?")
        singular = self._text("%") if count is not None else None
        plural = self._text("%")
        # Values by number are for translations.
        if plural is None or "$s" in plural or (count is not None and singular is None):
            raise _NoWords
        values = self._repeated(plural.replace("%%", "").count("%s"), self._value)
        if count is None or singular is None:
            return _Sentence(plural, _looked_up(plural), values)
        translated = catalogue().ngettext(singular, plural, abs(count))
        return _Sentence(singular if count == 1 else plural, translated, values)

    def _value(self) -> str:
        if (text := self._text("=")) is not None:
            return text
        if (number := self._number("#")) is not None:
            return f"{number:,}".replace(",", _looked_up("1,000")[1:-3])
        if (code := self._number("!")) is not None:
            if not 0 <= code <= ERRNO_LIMIT:
                raise _NoWords
            return os.strerror(code)
        return self._message()

    def _repeated(self, count: int, part: Callable[[], Part]) -> list[Part]:
        if not 0 <= count <= len(self._words) or self._depth == DEPTH_LIMIT:
            raise _NoWords
        self._depth += 1
        parts = [part() for _number in range(count)]
        self._depth -= 1
        return parts

    def _text(self, tag: str) -> str | None:
        if not self._words or not self._words[-1].startswith(tag):
            return None
        return _printable(self._words.pop()[1:])

    def _number(self, tag: str) -> int | None:
        if not self._words or not re.fullmatch(r"-?[0-9]{1,18}", self._words[-1][1:], re.ASCII):
            return None
        return int(self._words.pop()[1:]) if self._words[-1].startswith(tag) else None
