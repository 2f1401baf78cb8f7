"""Runs contained, and tries to move the content of a file in the workspace out, in every way that
we could think of. Prints a line for each: its name, a tab, and `refused` with the error or `OUT`.

Its first argument is a JSON file that the test outside wrote: where things are outside. With more
arguments it tries these ways alone.
"""
import sys

import ways_attributes
import ways_daemon
import ways_files
import ways_machine
import ways_memory
import ways_processes
import ways_programs
import ways_sockets
from ways import Refused, ways

NEEDS = ("acl", "git", "gcc", "libglib2.0-bin", "systemd")

KINDS = (
    ways_files, ways_attributes, ways_processes, ways_memory, ways_machine, ways_sockets,
    ways_programs, ways_daemon)


def main():
    for name in sys.argv[2:] or [name for kind in KINDS for name in vars(kind) if name in ways]:
        function = ways[name]
        try:
            function()
            told = "OUT"
        except (OSError, Refused, ValueError) as error:
            told = f"refused {type(error).__name__} {error}"
        # A terminal turns these into line ends of its own.
        print(name, told.replace("\n", " ").replace("\r", " "), sep="\t", flush=True)


main()
