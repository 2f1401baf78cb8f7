"""Programs for which nobody is asked: they read whatever they find, and nobody waits for them.

`quiet-programs` beside this file is the list; a person's own, in the settings' directory, adds to
it, and takes away with a `-` before the name. A name may end in `*`.
"""
import fnmatch
import pathlib

# A program's name in an audit record has at most so many characters: the kernel keeps no more.
NAME_LENGTH = 15
FILE = "quiet-programs"


def names(text: str) -> list[str]:
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return [line for line in lines if line]


class QuietPrograms:
    def __init__(self, listed: list[str]) -> None:
        removed = {name[1:] for name in listed if name.startswith("-")}
        self._patterns = [
            name for name in listed if not name.startswith("-") and name not in removed]

    @classmethod
    def read(cls, *places: pathlib.Path) -> "QuietPrograms":
        listed: list[str] = []
        for place in places:
            try:
                listed += names(place.read_text(errors="replace"))
            except OSError:
                continue
        return cls(listed)

    def __contains__(self, program: str) -> bool:
        return any(
            fnmatch.fnmatchcase(program, pattern)
            or (len(program) == NAME_LENGTH and pattern.startswith(program))
            for pattern in self._patterns)
