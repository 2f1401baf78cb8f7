#!/usr/bin/python3
"""The integration tests that meet a change in a module first: prints their patterns for run.py.

    areas.py FILTER…    a module's name without MAM, or a part of test files' names
"""
import sys

AREAS = {
    "audit": ("audit",),
    "client": ("client",),
    "control": ("socket", "events", "redaction"),
    "crypto": ("cipher", "vectors"),
    "enrollment": ("enrollment", "auto_enroll"),
    "format": ("vectors", "forms", "ends"),
    "fuse": ("mount", "tree", "handles", "posix_files"),
    "identity": ("identity*", "run"),
    "keyring": ("passphrase", "new_keys", "recovery_keys"),
    "policy": ("transfer", "can", "protection_levels"),
    "session": ("session*",),
    "settings": ("misspelt", "config"),
    "store": ("ends", "small_blocks", "vectors", "posix_holes", "sync_failures", "verify_use"),
    "transport": ("ring*", "mount_threads"),
    "tree": ("tree", "listing", "handles", "held"),
    "vault": ("lock", "owners", "classes", "wipe"),
    "wire": ("socket", "bad_input"),
    "words": ("words",),
    "workspace": ("lock", "protect", "verify", "wipe"),
}


if __name__ == "__main__":
    for word in sys.argv[1:]:
        print(*AREAS.get(word.lower(), [f"*{word}*"]), sep="\n")
