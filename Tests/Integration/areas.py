#!/usr/bin/python3
"""What meets a change first, for `scripts/test quick`.

    areas.py FILTER…           integration tests, as patterns for run.py: the filter is a module's
                               name without MAM, or a part of test files' names
    areas.py --unit FILTER…    the targets of unit tests that have a Module.Suite like that
"""
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
TYPE = re.compile(r"\b(?:struct|class|enum) (\w+)")

AREAS = {
    "audit": ("audit",),
    "client": ("client",),
    "control": ("socket", "events", "redaction"),
    "crypto": ("cipher", "vectors"),
    "enrollment": ("enrollment", "auto_enroll"),
    "format": ("vectors", "forms", "ends"),
    "fuse": ("mount", "tree", "handles", "posix_files"),
    "identity": ("identity*", "run"),
    "keyring": ("passphrase", "slots", "new_keys", "recovery_keys"),
    "policy": ("transfer", "can", "protection_levels"),
    "session": ("session*",),
    "settings": ("misspelt", "config"),
    "store": ("ends", "small_blocks", "vectors", "posix_holes", "sync_failures", "verify_use"),
    "transport": ("ring*", "mount_threads"),
    "tree": ("tree", "listing", "eviction", "handles", "held"),
    "vault": ("lock", "owners", "classes", "wipe"),
    "wire": ("socket", "bad_input"),
    "words": ("words",),
    "workspace": ("lock", "protect", "verify", "wipe"),
}


def unit_targets(filters):
    wanted = re.compile("|".join(filters), re.IGNORECASE)
    for folder in [*TESTS.glob("*Tests"), TESTS / "Fuzz" / "Replay"]:
        target = "FuzzTests" if folder.name == "Replay" else folder.name
        suites = {
            suite for file in folder.glob("*.swift") for suite in TYPE.findall(file.read_text())}
        if any(map(wanted.search, (target, *(f"{target}.{suite}" for suite in suites)))):
            yield target


def main():
    if sys.argv[1:2] == ["--unit"]:
        print(*unit_targets(sys.argv[2:]))
        return
    for word in sys.argv[1:]:
        print(*AREAS.get(word.lower(), [f"*{word}*"]), sep="\n")


if __name__ == "__main__":
    main()
