"""Stricter stays stricter: old headers and old keybags, from free space or a backup, open nothing
that is written later.

The attacker has the disk: every header and keybag that ever lay there, the device secret, and what
the daemon gives for them.
"""
import errno
import os
import struct
import subprocess
import sys

from hostile import ATTACKER, VICTIM, VICTIMS_NAME, HostileCase, as_user, wait_until
from test_classes import set_policy
from workspace import pattern

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import decoder

NEEDS = ("python3-argon2",)

KEEPERS_NAME = "keep@contoso.com"


def header_of(path):
    return decoder.Header(path.read_bytes()[:decoder.HEADER])


def opens_any_block(key, path):
    """True if a file key opens a block of what is on the disk, whichever file id it is taken
    for."""
    data = path.read_bytes()
    header = decoder.Header(data[:decoder.HEADER])
    for index in range(len(data) // decoder.BLOCK):
        block = data[index * decoder.BLOCK:(index + 1) * decoder.BLOCK]
        sealed = block[decoder.HEADER:] if index == 0 else block
        associated = header.file_id + struct.pack("<QH6x", index, 1)
        if decoder.unseal(key, sealed[:16], sealed[32:], sealed[16:32], associated) is not None:
            return True
    return False


class OldHeaders(HostileCase):
    """Files that were open for longer than they are now."""

    settings = {"DeviceDefaultProtectionLevel": "NSFileProtectionNone"}

    def setUp(self):
        self.rule("useDeviceSettings", "D")

    def rule(self, encryption, letter):
        """Puts a policy in force; the daemon watches the directory."""
        set_policy(self.workspace, encryption)

        def is_there():
            probe = self.write_as(VICTIM, self.home(VICTIM, "probe"), b"")
            found = self.class_of(probe)
            os.unlink(probe)
            return found == letter
        wait_until(is_there, message=f"no file becomes class {letter}")

    def class_of(self, path):
        return os.getxattr(path, "user.mam.class").decode()

    def on_disk(self, path):
        return self.workspace.on_disk(*path.relative_to(self.workspace.mount_point).parts)

    def file(self, name, data=None, user=VICTIM):
        path = self.write_as(user, self.home(user, name), pattern(20_000) if data is None else data)
        wait_until(lambda: self.on_disk(path).stat().st_size > 4096, message="not written")
        return path

    def file_key(self, path, passphrase=None):
        """With what the attacker has while the file's class is open to it."""
        header = header_of(self.on_disk(path))
        for keybag in decoder.keybags(self.workspace.state):
            if keybag.knows(header.key_id):
                return keybag.file_key(header, passphrase)
        raise AssertionError("nobody has the key")

    def ask(self, letter, *paths):
        self.workspace.ctl("class", "--set", letter, *paths)

    def lock(self):
        self.workspace.lock(VICTIMS_NAME)
        self.addCleanup(self.workspace.unlock, VICTIMS_NAME)

    def assert_header_opens_nothing(self, path, old, secret):
        """The old first block is put back, and the account is locked: nothing of what is there now
        comes out."""
        place = self.on_disk(path)
        self.lock()
        with open(place, "r+b") as file:
            file.write(old[:4096])
        self.workspace.ctl("unmount", self.workspace.mount_point)
        self.workspace.mount()
        os.chmod(self.workspace.mount_point, 0o1777)
        found = self.read_as(VICTIM, path)
        if isinstance(found, bytes):
            self.assertNotIn(secret[5_000:5_200], found)
        else:
            self.assertEqual(found, errno.EBADMSG)
        decoded = subprocess.run(
            [sys.executable, decoder.__file__, "--state", self.workspace.state, place],
            capture_output=True)
        self.assertEqual(decoded.returncode, 7, decoded.stderr)
        self.assertNotIn(secret[5_000:5_200], decoded.stdout)

    def write_secret(self, path, size=20_000):
        secret = pattern(size, seed=77)

        def write():
            with open(path, "r+b") as file:
                file.write(secret)
                os.fsync(file.fileno())
        self.assertEqual(as_user(VICTIM, write), 0)
        return secret

    def test_the_header_of_class_d_after_the_class_was_asked_for(self):
        path = self.file("asked")
        old, key = self.on_disk(path).read_bytes(), self.file_key(path)
        self.ask("A", path)
        secret = self.write_secret(path)
        self.assertFalse(opens_any_block(key, self.on_disk(path)))
        self.assert_header_opens_nothing(path, old, secret)

    def test_the_header_of_class_d_after_policy_became_stricter(self):
        paths = [self.file(f"policy {number}") for number in range(5)]
        old, keys = self.on_disk(paths[0]).read_bytes(), [self.file_key(path) for path in paths]
        ids = [header_of(self.on_disk(path)).file_id for path in paths]
        self.rule("whenDeviceLocked", "A")
        wait_until(
            lambda: all(
                header_of(self.on_disk(path)).file_id != before
                for path, before in zip(paths, ids)),
            message="the files are not sealed anew")
        for path, key in zip(paths, keys):
            self.assertEqual(self.class_of(path), "A")
            self.assertFalse(opens_any_block(key, self.on_disk(path)))
            self.assertEqual(self.read_as(VICTIM, path), pattern(20_000))
        self.assert_header_opens_nothing(paths[0], old, self.write_secret(paths[0]))

    def test_the_header_of_class_c_after_a_lock(self):
        path = self.file("from c")
        self.ask("C", path)
        key = self.file_key(path, self.passphrase.encode())
        self.ask("A", path)
        self.write_secret(path)
        self.assertFalse(opens_any_block(key, self.on_disk(path)))

    def test_a_file_that_is_open_and_mapped_meanwhile(self):
        path = self.file("open")
        key = self.file_key(path)
        number = os.stat(path).st_ino
        with open(path, "r+b") as held:
            self.ask("A", path)
            held.write(b"written by an old handle")
            held.flush()
            os.fsync(held.fileno())
            self.assertEqual(os.stat(path).st_ino, number)
        self.assertFalse(opens_any_block(key, self.on_disk(path)))
        self.assertEqual(
            self.read_as(VICTIM, path), b"written by an old handle" + pattern(20_000)[24:])

    def test_what_is_given_back_to_the_disk_is_closed_too(self):
        """A second name keeps what would lie in free space: it is the file under its new class."""
        path = self.file("freed")
        with open(self.on_disk(path), "rb") as freed:
            self.ask("A", path)
            # Cut to nothing, or closed by its last header.
            left = os.pread(freed.fileno(), decoder.HEADER, 0)
            self.assertTrue(not left or decoder.Header(left).file_class == 1)
        self.assertNotEqual(header_of(self.on_disk(path)).key_id, bytes(16))

    def test_a_file_with_two_names_is_closed_and_told(self):
        path = self.file("linked")
        os.link(path, self.home(VICTIM, "second"))
        self.ask("A", path)
        self.assertEqual(self.class_of(path), "A")
        self.assertEqual(self.on_disk(path).read_bytes()[13], 1)
        self.assertIn("sealed anew", self.workspace.info(path)["reason"])
        self.assertEqual(self.read_as(VICTIM, path), pattern(20_000))
        key = self.file_key(path, self.passphrase.encode())
        os.unlink(self.home(VICTIM, "second"))
        # Asked once more, or at the next unlock.
        self.ask("A", path)
        self.assertEqual(self.on_disk(path).read_bytes()[13], 0)
        self.assertNotIn("sealed anew", self.workspace.info(path)["reason"])
        self.assertFalse(opens_any_block(key, self.on_disk(path)))

    def test_a_class_that_was_asked_for_while_locked_is_made_up_for(self):
        path = self.file("locked")
        key = self.file_key(path)
        self.workspace.lock(VICTIMS_NAME)
        try:
            self.ask("B", path)  # takes the public key alone; a copy takes the private one
            self.assertEqual((self.class_of(path), self.asked_and_exposed(path)), ("B", (2, 1)))
        finally:
            self.workspace.unlock(VICTIMS_NAME)
        wait_until(
            lambda: not opens_any_block(key, self.on_disk(path)), message="the file keeps its key")
        self.assertEqual(self.read_as(VICTIM, path), pattern(20_000))

    def test_an_old_copy_of_a_whole_file_is_sealed_anew_once_it_is_opened(self):
        path = self.file("copy")
        old, key = self.on_disk(path).read_bytes(), self.file_key(path)
        self.rule("whenDeviceLocked", "A")
        late = self.on_disk(path).with_name("late")
        late.write_bytes(old)
        os.chown(late, VICTIM, VICTIM)
        shown = self.home(VICTIM, "late")
        self.assertEqual(self.read_as(VICTIM, shown), pattern(20_000))
        wait_until(lambda: not opens_any_block(key, late), message="the file keeps its key")
        self.assertEqual(self.class_of(shown), "A")
        self.assertEqual(self.read_as(VICTIM, shown), pattern(20_000))

    def test_laxer_or_equal_seals_nothing_anew(self):
        path = self.file("laxer")
        self.ask("A", path)
        before = header_of(self.on_disk(path)).file_id
        for letter in ("A", "C", "D", "D"):
            self.ask(letter, path)
            self.assertEqual(header_of(self.on_disk(path)).file_id, before, letter)
        self.ask("C", path)
        self.assertNotEqual(header_of(self.on_disk(path)).file_id, before)

    def test_what_was_asked_for_and_all_else_of_the_file_stays(self):
        path = self.file("facts")
        os.utime(path, ns=(1_000_000_000, 2_000_000_000))
        os.chmod(path, 0o640)
        os.setxattr(path, "user.note", b"mine")
        with open(path, "r+b") as file:
            file.truncate(1 << 32)
        os.utime(path, ns=(1_000_000_000, 2_000_000_000))
        self.ask("B", path)
        facts = os.stat(path)
        self.assertEqual(
            (facts.st_mode & 0o777, facts.st_mtime_ns, facts.st_size),
            (0o640, 2_000_000_000, 1 << 32))
        self.assertEqual((facts.st_uid, os.getxattr(path, "user.note")), (VICTIM, b"mine"))
        self.assertLess(self.on_disk(path).stat().st_blocks, 200)
        self.assertEqual(self.asked_and_exposed(path), (2, 0))

    def asked_and_exposed(self, path):
        with open(self.on_disk(path), "rb") as file:
            head = file.read(16)
        return head[12], head[13]

    def test_who_gave_a_file_away_does_not_read_what_is_written_then(self):
        path = self.file("gift", user=ATTACKER)
        key = self.file_key(path)
        os.chmod(path, 0o666)
        self.workspace.ctl("owner", "--set", VICTIMS_NAME, path)
        self.assertEqual(self.workspace.owner(path), VICTIMS_NAME)
        self.assertFalse(opens_any_block(key, self.on_disk(path)))


class OldKeybags(HostileCase):
    """An account that had no passphrase, and has one now."""

    accounts = ()
    settings = {"MultiManagedIdentities": True}

    def setUp(self):
        self.space = self.workspace
        set_policy(self.space, "whenDeviceLocked")
        self.number = len(list(self.space.state.glob("keybags/*.keybag")))
        self.name = f"{self.number}.{KEEPERS_NAME}"
        self.space.serving("account register", self.name, "--no-passphrase")
        self.account = self.space.account(self.name)["id"]

    def keybags(self):
        paths = [
            self.space.state / "keybags" / f"{self.account}.keybag{suffix}"
            for suffix in ("", ".copy")]
        return {path: path.read_bytes() for path in paths}

    def write(self, name, data):
        path = self.space.path(f"{self.number} {name}")
        self.space.write_as(self.name, path, data)
        return path

    def add_passphrase(self):
        self.space.serving("account passphrase", self.name, "--new-passfile", self.space.passfile)

    def restart(self, keybags=None):
        self.space.unmount()
        for path, data in (keybags or {}).items():
            path.write_bytes(data)
        self.space.mount()

    def content(self, path, status=0):
        return self.space.run_as(self.name, "cat", path, check=status == 0)

    def test_an_old_keybag_does_not_open_what_is_written_later(self):
        early, old = self.write("early", "early words"), self.keybags()
        before = self.space.on_disk(early.name).read_bytes()
        self.add_passphrase()
        late, new = self.write("late", "late words"), self.keybags()
        sealed = self.space.on_disk(early.name)
        wait_until(
            lambda: sealed.read_bytes()[13] == 0 and sealed.read_bytes()[16:32] != before[16:32],
            message="not sealed anew")
        self.restart(old)
        for path in (early, late):
            result = self.content(path, status=1)
            self.assertNotEqual(result.returncode, 0)
            self.assertNotIn(b"words", result.stdout)
        # What was there in those days, from a backup, is what an old keybag opens.
        self.space.on_disk("from a backup").write_bytes(before)
        self.assertEqual(self.content(self.space.path("from a backup")).stdout, b"early words")
        self.restart(new)
        self.space.unlock(self.name)
        for path, words in ((early, b"early words"), (late, b"late words")):
            self.assertEqual(self.content(path).stdout, words)
        # And by the keys that were retired.
        self.assertEqual(self.content(self.space.path("from a backup")).stdout, b"early words")

    def test_old_and_new_files_are_what_another_reader_takes_them_for(self):
        early = self.write("one", "early words")
        shown = self.space.root / f"early {self.number}"
        shown.write_bytes(self.space.on_disk(early.name).read_bytes())
        self.add_passphrase()
        late = self.write("two", "late words")
        self.assertEqual(self.space.decode(shown), b"early words")
        self.assertEqual(self.space.decode(self.space.on_disk(late.name)), b"late words")

    def test_a_new_program_gets_the_new_keys_at_once(self):
        old = {
            decoder.Keybag(data, (self.space.state / "device-secret").read_bytes())
            for data in self.keybags().values()}
        self.add_passphrase()
        late = self.space.on_disk(self.write("three", "late words").name)
        header = header_of(late)
        self.assertFalse(any(keybag.knows(header.key_id) for keybag in old))

    def test_a_lock_closes_what_the_old_keys_sealed(self):
        early = self.write("four", "early words")
        before = self.space.on_disk(early.name).read_bytes()
        self.add_passphrase()
        self.space.on_disk("four again").write_bytes(before)
        self.space.lock(self.name)
        for path in (early, self.space.path("four again")):
            self.assertNotIn(b"words", self.content(path, status=1).stdout)
        self.space.unlock(self.name)
        self.assertEqual(self.content(early).stdout, b"early words")

    def test_a_wipe_takes_files_of_both_keys(self):
        early = self.write("five", "early words")
        before = self.space.on_disk(early.name).read_bytes()
        self.add_passphrase()
        late = self.write("six", "late words")
        self.space.on_disk("five again").write_bytes(before)
        self.space.serving("wipe", self.name, "--confirm", self.name)
        for name in (early.name, late.name, "five again"):
            self.assertFalse(self.space.on_disk(name).exists(), name)

    def test_an_export_opens_files_of_both_keys(self):
        early = self.write("seven", "early words")
        before = self.space.root / f"before {self.number}"
        before.write_bytes(self.space.on_disk(early.name).read_bytes())
        self.add_passphrase()
        late = self.write("eight", "late words")
        export = self.space.root / f"export {self.number}"
        self.space.serving(
            "account export", self.name, "--passfile", self.space.passfile, "--export-passfile",
            self.space.passfile, "-o", export)
        for path, words in (
                (before, b"early words"), (self.space.on_disk(late.name), b"late words")):
            result = subprocess.run(
                ["/usr/bin/python3", decoder.__file__, "--export", export, "--passfile",
                self.space.passfile, path],
                capture_output=True)
            if b"python3-argon2 is missing" in result.stderr:
                self.skipTest("python3-argon2 is missing")
            self.assertEqual(result.stdout, words, result.stderr)
