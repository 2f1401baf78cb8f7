"""The programs, and what each does."""
import dataclasses
import typing

import contained_editors
import contained_files
import contained_office
import contained_windows

EDITS = "opens, edits, saves, saves under another name"


@dataclasses.dataclass
class Program:
    """`run` gets a Place and gives the program's words for what it may not."""

    package: str
    run: typing.Callable
    does: str = EDITS


PROGRAMS = {
    "vim": Program("vim", contained_editors.vim),
    "emacs": Program("emacs-nox", contained_editors.emacs),
    "nano": Program("nano", contained_editors.nano),
    "less": Program("less", contained_editors.less, "shows, searches, logs to a file"),
    "git": Program(
        "git", contained_files.git, "commits, merges, rebases, gc, fsck, clones, archives"),
    "python3": Program(
        "python3", contained_files.python3, "files, temporary files, shelves, processes, a shell"),
    "sqlite3": Program(
        "sqlite3", contained_files.sqlite3, "WAL, sorts on disk, copies, a shell"),
    "rsync": Program("rsync", contained_files.rsync, "copies, changes in place, deletes"),
    "libreoffice": Program(
        "libreoffice-writer", contained_office.libreoffice, "converts to ODT, DOCX, PDF"),
    "chromium": Program(
        "chromium", contained_office.chromium, "shows a page, makes pictures and PDF of it"),
    "firefox": Program(
        "firefox-esr", contained_office.firefox, "shows a page, makes a picture of it"),
    "libreoffice-window": Program("libreoffice-writer", contained_windows.libreoffice),
    "firefox-window": Program(
        "firefox-esr", contained_windows.firefox, "shows a page, saves it under another name"),
    "evince": Program(
        "evince", contained_windows.evince, "shows a PDF, saves it under another name"),
    "gimp": Program("gimp", contained_office.gimp, f"{EDITS}, exports PNG"),
}
