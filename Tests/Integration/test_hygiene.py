"""After a lock the daemon's memory and registers hold no key that the lock takes away, and no
plaintext."""
import array
import contextlib
import mmap
import os
import pathlib
import subprocess
import sys
import threading
import time
import unittest

from workspace import PASSPHRASE, ROOT, WorkspaceCase, wait_until

sys.path.insert(0, str(ROOT / "Tests"))
import decoder

NEEDS = ("gdb",)

# Plaintext that is nowhere else, for each class.
MARKERS = {letter: os.urandom(64) for letter in "ABCD"}
PAGE, IN_MEMORY_OR_SWAPPED = mmap.PAGESIZE, 3 << 62
CONTENTS = {letter: marker * 3200 for letter, marker in MARKERS.items()}


@unittest.skipUnless(os.getuid() == 0, "reads another process's memory, which only root can")
class Hygiene(WorkspaceCase):
    settings = {"DeviceDefaultProtectionLevel": "NSFileProtectionNone"}
    policy = {"appDataEncryptionType": "useDeviceSettings"}

    def setUp(self):
        super().setUp()
        self.workspace.unlock()
        self.handles = {}
        self.addCleanup(lambda: [os.close(handle) for handle in self.handles.values()])
        for letter in "ABCD":
            folder = self.directory / letter
            folder.mkdir()
            self.workspace.ctl("class", "--set", letter, folder)
            for name in (f"{letter}, open", f"{letter}, closed"):
                self.write(folder / name, CONTENTS[letter])
                (folder / name).read_bytes()
            self.handles[letter] = os.open(folder / f"{letter}, open", os.O_RDWR)
            os.pread(self.handles[letter], 10_000, 0)

    # What is searched for

    def secrets(self):
        """Name → bytes, worked out by the second decoder from what lies on disk."""
        (keybag,) = decoder.keybags(self.workspace.state)
        (slot,) = keybag.slots
        passphrase = PASSPHRASE.encode()
        found = {
            "passphrase": passphrase,
            "stretched passphrase": keybag.slot_stretched(slot, passphrase),
            "slot's private key": keybag.slot_private_key(slot, passphrase),
            "account key": keybag.slot_account_key(slot, passphrase),
            "class keys' wrapping key": keybag.account_key(passphrase)}
        for number, letter in enumerate("ABCD", 1):
            found[f"plaintext {letter}"] = MARKERS[letter]
            found[f"class key {letter}"] = keybag.class_key(number, passphrase)
            for path in self.backing_of(self.directory / letter).iterdir():
                header = decoder.Header(path.read_bytes()[: decoder.HEADER])
                self.assertEqual(header.file_class, number)
                found[f"file key {path.name}"] = keybag.file_key(header, passphrase)
        return found

    def in_memory(self):
        """The names of the secrets of which the daemon's memory or registers hold a half or
        more."""
        memory = self.registers_and_pages(self.workspace.daemon())
        return {
            name for name, value in self.secrets().items()
            if any(half in memory for half in halves(value))}

    def registers_and_pages(self, pid):
        """While gdb has stopped it, whose dump has the registers of all threads. It would write all
        of the address space, of which little is in use: its pages are read here."""
        pathlib.Path(f"/proc/{pid}/coredump_filter").write_text("0")
        core = self.workspace.root / "core"
        with subprocess.Popen(
                ["gdb", "-nx", "-batch", "-iex", "set auto-solib-add off", "-p", str(pid), "-ex",
                 f"gcore {core}", "-ex", "shell echo dumped; read line"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as gdb:
            said = list(iter(gdb.stdout.readline, b"dumped\n"))
            self.assertTrue(core.exists(), said)
            found = core.read_bytes() + pages(pid)
            gdb.stdin.write(b"\n")
        core.unlink()
        return found

    def await_without(self, secret):
        """What is in memory once that one is not: the kernel tells of a close(2) a little later."""
        found = {secret}

        def is_gone():
            nonlocal found
            found = self.in_memory()
            return secret not in found

        wait_until(is_gone, message=f"{secret} stays")
        return found

    # The tests

    def test_a_lock_leaves_only_the_keys_of_what_stays_open(self):
        always = {"class key D", "class key C", "file key C, open", "file key D, open"}
        open_b = {"file key B, open"}
        # Else a search that finds nothing proves nothing.
        control = always | open_b | {"class key A", "class key B", "file key A, open"}
        self.assertLessEqual(control, self.in_memory())
        self.workspace.lock()
        self.check(self.in_memory(), always | open_b)
        # What is there goes on to work, and is all that is needed for it.
        self.assertEqual(os.pread(self.handles["B"], 64, 0), MARKERS["B"])
        os.close(self.handles.pop("B"))
        self.check(self.await_without("file key B, open"), always)

    def test_a_lock_under_use_leaves_none(self):
        over, rounds = threading.Event(), [0] * 4
        users = [
            threading.Thread(target=self.use, args=(letter, over, rounds, number))
            for number, letter in enumerate("AABB")]
        for user in users:
            user.start()
        wait_until(lambda: min(rounds) > 2, message="not all use it")
        self.workspace.lock()
        found = self.await_without("file key B, closed")
        over.set()
        for user in users:
            user.join()
        self.check(
            found, {"class key C", "class key D"}
            | {f"file key {letter}, open" for letter in "BCD"})

    def use(self, letter, over, rounds, number):
        """Reads and writes with the open handle and new ones, until told to end; some of it will be
        refused."""
        path = self.directory / letter / f"{letter}, closed"
        while not over.is_set():
            try:
                os.pwrite(self.handles[letter], CONTENTS[letter][:70_000], 0)
                os.pread(self.handles[letter], 100_000, 64_000)
                path.read_bytes()
                rounds[number] += 1
            except OSError:
                time.sleep(0.01)

    def check(self, found, allowed):
        """Of C and D anything may be there; of the others what is allowed must be, and no more."""
        free = {
            name for name in self.secrets() if name.startswith(("class key", "file key"))
            and name[-1] in "CD"}
        free |= {f"file key {letter}, {state}" for letter in "CD" for state in ("open", "closed")}
        self.assertEqual(found - free, allowed - free)
        self.assertLessEqual(allowed, found)


def pages(pid):
    """All that a process has touched, mapped in whatever way."""
    found = []
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory, open(
            f"/proc/{pid}/pagemap", "rb", 0) as table:
        for line in maps:
            first, last = (int(place, 16) // PAGE for place in line.split()[0].split("-"))
            if "[vsyscall]" in line:  # the kernel's own, the same in all
                continue
            entries = array.array("Q", os.pread(table.fileno(), 8 * (last - first), 8 * first))
            for number, entry in enumerate(entries, first):
                if entry & IN_MEMORY_OR_SWAPPED:
                    with contextlib.suppress(OSError):  # a device's
                        found.append(os.pread(memory.fileno(), PAGE, number * PAGE))
    return b"".join(found)


def halves(secret):
    middle = len(secret) // 2
    return secret[:middle], secret[middle:]
