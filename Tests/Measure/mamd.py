"""mamd, as the measurements see it."""
import contextlib
import ctypes
import os
import signal
import time

from subject import Attempt, Subject, Unlock, timed
from running import daemons
from workspace import PASSPHRASE, Workspace, wait_until

# What settings.json means when it says nothing.
PASSES, MEMORY_MIB = 3, 256
ARGON2ID = 2  # crypto_pwhash_ALG_ARGON2ID13
DEFAULT_COST = {"KeyDerivation": {"Passes": PASSES, "MemoryMiB": MEMORY_MIB}}


class Mamd(Subject):
    name = "mamd"
    programs = ("mamd", "mamctl", "fusermount3")

    def __init__(self, _):
        self.open = Workspace("open")
        self.guarded = Workspace("guarded", settings=DEFAULT_COST)
        self.files = self.open.mount_point

    def start(self):
        self.open.init().mount().register(extra=["--no-passphrase"])
        self.guarded.init().mount().register()

    def ways(self):
        return {"`mamctl lock --now`": lambda: lock(self.open), "`kill -9` of mamd": self.kill}

    def kill(self):
        start = time.monotonic()
        root = str(self.open.root)
        for pid in daemons(root):
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not list(daemons(root)))
        return Attempt(time.monotonic() - start, None, "killed")

    def open_again(self):
        # An account without a passphrase is unlocked when the daemon starts.
        if list(daemons(str(self.open.root))):
            self.open.serving("unlock")
        else:
            self.open.mount()

    def unlocks(self):
        return {
            "`mamctl unlock`, no passphrase": Unlock(
                self.open.mount_point, lambda: lock(self.open),
                lambda: self.open.serving("unlock")),
            "`mamctl unlock`, passphrase at the default cost": Unlock(
                self.guarded.mount_point, lambda: lock(self.guarded), self.guarded.unlock),
        }

    def other_costs(self):
        return {
            "`mamctl account list`: a program's start, one question": self.open.account,
            **derivations()}

    def close(self):
        self.open.close()
        self.guarded.close()


def lock(workspace):
    return timed(
        ["mamctl", "lock", "--now", "--workspace", workspace.name], env=workspace.environment)


def derivations():
    """The same derivation alone: by the library that mamd uses, and by another, as far as they are
    there."""
    title = f"Argon2id alone, {PASSES} passes, {MEMORY_MIB} MiB: "
    found = {}
    with contextlib.suppress(OSError):
        sodium = ctypes.CDLL("libsodium.so.23")
        found[title + "libsodium"] = lambda: sodium.crypto_pwhash(
            bytes(32), ctypes.c_ulonglong(32), PASSPHRASE.encode(),
            ctypes.c_ulonglong(len(PASSPHRASE)), bytes(16),
            ctypes.c_ulonglong(PASSES), ctypes.c_size_t(MEMORY_MIB << 20), ARGON2ID)
        sodium.sodium_init()
    with contextlib.suppress(ImportError):
        import argon2.low_level as argon2

        found[title + "python3-argon2"] = lambda: argon2.hash_secret_raw(
            PASSPHRASE.encode(), bytes(16), time_cost=PASSES, memory_cost=MEMORY_MIB << 10,
            parallelism=1, hash_len=32, type=argon2.Type.ID)
    return found
