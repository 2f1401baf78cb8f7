"""An attacker writes the backing directory, as a sync service can, and has no key: what a
victim writes afterwards through the mount never lies there in the clear, and `verify` tells."""
import errno
import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import time
import unittest
import zlib

from hostile import (
    ATTACKER, ATTACKERS_NAME, STRANGER, VICTIM, VICTIMS_NAME, Client, HostileCase, as_user,
    wait_until)
from workspace import BLOCK, DAMAGED, DONE, HEADER, MAGIC, NO, Workspace, kept_known

FRIEND = "friend@home.example"
SECRET = b"the only copy, and nobody else's business "
OWNER, CLASS = "user.mam.owner", "user.mam.class"


def plain_header(owner, file_id=b"\x11" * 16):
    """The header of an unmanaged file: anybody can make one. FORMAT.md, section 1."""
    name = owner.encode()
    header = MAGIC + struct.pack("<HBB4x16s16xHH12x", 1, 0, 0, file_id, len(name), 0)
    header = (header + name).ljust(HEADER - 4, b"\0")
    return header + struct.pack("<I", zlib.crc32(header))


class BackingCase(HostileCase):
    def setUp(self):
        self.folder = self.home(VICTIM, self._testMethodName)
        self.assertEqual(as_user(VICTIM, os.mkdir, self.folder, 0o777), 0)

    def on_disk(self, path):
        return self.workspace.on_disk(os.path.relpath(path, self.workspace.mount_point))

    def append_as(self, uid, path, data=SECRET):
        """0, or the errno that refuses it."""
        def append():
            try:
                with open(path, "ab") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
            except OSError as problem:
                return problem.errno
        return as_user(uid, append)

    def cut_as(self, uid, path, flags=0):
        """0, or the errno that refuses to empty it, by open(2) or by truncate(2)."""
        def cut():
            try:
                os.close(os.open(path, os.O_WRONLY | flags)) if flags else os.truncate(path, 0)
            except OSError as problem:
                return problem.errno
        return as_user(uid, cut)

    def assert_sealed(self, path, owner=VICTIMS_NAME):
        """The file is the account's, sealed, and nothing of the secret can be read on the disk."""
        self.assertTrue(self.workspace.is_managed_on_disk(self.on_disk(path)), f"{path} is plain")
        self.assertEqual(self.workspace.owner(path), owner)
        self.assert_nothing_plain()

    def assert_nothing_plain(self):
        found = subprocess.run(
            ["grep", "-rlaF", SECRET.decode(), self.workspace.backing], capture_output=True)
        self.assertEqual(found.stdout, b"", "the victim's content lies in the clear")

    def problems(self, place=None, *options, status=DAMAGED):
        """What `verify` finds, by name below the test's folder."""
        place = place or self.folder
        answer = self.workspace.ctl("verify", "--json", place, *options, status=status)
        return {(pathlib.PurePath(found["path"]).name, found["problem"])
                for found in json.loads(answer.stdout)["findings"]}

    def make(self, name, uid=VICTIM, data=SECRET):
        return self.write_as(uid, self.folder / name, data)

    def replace(self, path, data):
        """Another inode at the same name, as a sync service does it."""
        place = self.on_disk(path)
        status = place.stat()
        other = place.with_name(place.name + ".sync")
        other.write_bytes(data)
        os.chown(other, status.st_uid, status.st_gid)
        os.chmod(other, status.st_mode)
        os.rename(other, place)


class Modes(BackingCase):
    """Who reads a sealed file is not for the backing directory to say."""
    LIST = (struct.pack("<I", 2) + struct.pack("<HHI", 1, 6, 0xFFFFFFFF)
            + struct.pack("<HHI", 2, 4, ATTACKER) + struct.pack("<HHI", 2, 4, STRANGER)
            + struct.pack("<HHI", 4, 0, 0xFFFFFFFF) + struct.pack("<HHI", 16, 4, 0xFFFFFFFF)
            + struct.pack("<HHI", 32, 0, 0xFFFFFFFF))

    def test_neither_mode_nor_owner_nor_access_list_opens_it(self):
        changes = {
            "mode": lambda place: os.chmod(place, 0o666),
            "list": lambda place: os.setxattr(place, "system.posix_acl_access", self.LIST),
            "owner": lambda place: os.chown(place, ATTACKER, ATTACKER)}
        for name in changes:
            os.chmod(self.make(name), 0o600)
        os.chmod(self.on_disk(self.home(VICTIM)), 0o777)
        self.addCleanup(os.chmod, self.on_disk(self.home(VICTIM)), 0o700)
        os.chmod(self.on_disk(self.folder), 0o777)

        def change():
            for name, make in changes.items():
                make(self.on_disk(self.folder / name))

        self.restart(change)
        for name in changes:
            path = self.folder / name
            # The kernel lets this user, who gets no further.
            self.assertEqual(as_user(ATTACKER, lambda path=path: not os.access(path, os.R_OK)), 0)
            self.assertEqual(self.read_as(ATTACKER, path), errno.EACCES, name)
            self.assertEqual(self.append_as(ATTACKER, path), errno.EACCES, name)
            self.assertEqual(self.cut_as(ATTACKER, path), errno.EACCES, name)
            self.assertEqual(self.cut_as(ATTACKER, path, os.O_TRUNC), errno.EACCES, name)
            if name != "owner":
                self.assertEqual(self.read_as(STRANGER, path), errno.EACCES, name)
                self.assertEqual(self.read_as(VICTIM, path), SECRET, name)
            self.assertEqual(path.read_bytes(), SECRET, name)

    def test_root_names_further_readers(self):
        path = self.make("shared")
        os.chmod(self.home(VICTIM), 0o755)
        self.addCleanup(os.chmod, self.home(VICTIM), 0o700)
        os.chmod(self.folder, 0o755)
        os.chmod(path, 0o644)
        self.assertEqual(self.read_as(STRANGER, path), errno.EACCES)
        settings = self.workspace.policies.parent / "settings.json"
        before = settings.read_text()
        users = {**dict(self.accounts), VICTIMS_NAME: [VICTIM, STRANGER]}
        settings.write_text(json.dumps({**json.loads(before), "AccountUsers": users}))
        wait_until(lambda: self.read_as(STRANGER, path) == SECRET)
        self.assertEqual(self.read_as(ATTACKER, path), errno.EACCES)
        settings.write_text(before)
        wait_until(lambda: self.read_as(STRANGER, path) == errno.EACCES)


class DirectoryNotes(BackingCase):
    def forge(self, value, attribute=OWNER, folder=None):
        os.setxattr(self.on_disk(folder or self.folder), attribute, value)

    def own(self, name, owner):
        """A directory to which the daemon itself gave a default owner."""
        folder = self.folder / name
        self.assertEqual(as_user(VICTIM, os.mkdir, folder, 0o777), 0)
        self.workspace.ctl("owner", "--set", owner, "--unmanaged", folder)
        return folder

    def test_an_unmanaged_owner_makes_nothing_plain(self):
        self.forge(FRIEND.encode())
        self.assert_sealed(self.make("new"))
        self.assertEqual(self.problems(), {(self.folder.name, "unproved")})
        self.assertIn("nothing proves", self.workspace.info(self.folder)["reason"])
        with self.assertRaises(OSError):
            os.getxattr(self.folder, OWNER)

    def test_nobody_as_the_owner_makes_nothing_plain(self):
        self.forge(b"")
        self.assert_sealed(self.make("new"))
        self.assertEqual(self.problems(), {(self.folder.name, "directoryOwner")})

    def test_a_mark_of_zeros_proves_nothing(self):
        self.forge(FRIEND.encode() + b"\0" + bytes(32))
        self.assert_sealed(self.make("new"))
        self.assertEqual(self.problems(), {(self.folder.name, "unproved")})

    def test_another_accounts_name_takes_nothing_away(self):
        self.forge(ATTACKERS_NAME.encode())
        self.assert_sealed(self.make("new"))
        self.assertEqual(self.problems(), {(self.folder.name, "unproved")})
        self.problems(None, "--repair")
        self.assert_sealed(self.make("after a repair"))

    def test_a_proved_owner_copied_to_another_directory(self):
        friends = self.own("friend's", FRIEND)
        photo = self.write_as(VICTIM, friends / "photo", b"of the sea")
        self.assertEqual(self.workspace.owner(photo), FRIEND)
        other = self.folder / "other"
        self.assertEqual(as_user(VICTIM, os.mkdir, other), 0)
        self.forge(os.getxattr(self.on_disk(friends), OWNER), folder=other)
        self.assert_sealed(self.make("other/new"))
        self.assertEqual(self.problems(), {("other", "unproved")})

    def test_a_proved_owner_with_another_name(self):
        friends = self.own("friend's", FRIEND)
        value = os.getxattr(self.on_disk(friends), OWNER)
        self.restart()
        self.forge(value.replace(b"friend", b"fiend!"), folder=friends)
        self.assert_sealed(self.make("friend's/new"))

    def test_a_directory_put_in_the_place_of_one_with_a_proved_owner(self):
        friends = self.on_disk(self.own("friend's", FRIEND))
        value = os.getxattr(friends, OWNER)
        self.restart()
        uid = friends.stat().st_uid
        friends.rmdir()
        friends.mkdir()
        os.chown(friends, uid, uid)
        os.setxattr(friends, OWNER, value)
        self.assert_sealed(self.make("friend's/new"))
        self.assertEqual(self.problems(), {("friend's", "unproved")})

    def test_new_directories_do_not_make_it_surer(self):
        self.forge(FRIEND.encode())
        self.assertEqual(as_user(VICTIM, os.makedirs, self.folder / "a" / "b"), 0)
        self.assert_sealed(self.make("a/b/new"))
        found = {(name, "unproved") for name in (self.folder.name, "a", "b")}
        self.assertEqual(self.problems(), found)
        self.assertEqual(self.problems(None, "--repair", status=DONE), found)
        self.assertEqual(self.problems(status=DONE), set())

    def test_an_account_without_a_proof_seals_what_would_be_plain(self):
        # As a directory has it that came from a backup. Root has no account here, and may write for
        # any.
        self.forge(VICTIMS_NAME.encode())
        self.assert_sealed(self.make("new", uid=0))
        self.assertEqual(self.problems(), {(self.folder.name, "unproved")})
        self.problems(None, "--repair", status=DONE)
        self.assertEqual(self.problems(status=DONE), set())
        self.assert_sealed(self.make("newer", uid=0))

    def test_the_top_of_the_tree_is_looked_at_too(self):
        self.addCleanup(self.restart)
        self.addCleanup(os.removexattr, self.workspace.backing, OWNER)
        self.restart()
        os.setxattr(self.workspace.backing, OWNER, FRIEND.encode())
        path = self.workspace.path("at the top")
        self.write_as(VICTIM, path, SECRET)
        self.addCleanup(os.unlink, path)
        self.assert_sealed(path)
        self.assertIn(("", "unproved"), self.problems(self.workspace.mount_point))

    def test_a_laxer_class_makes_nothing_plain_nor_laxer_than_policy(self):
        usual = self.workspace.info(self.make("usual"))["class"]
        folder = self.folder / "strict"
        self.assertEqual(as_user(VICTIM, os.mkdir, folder), 0)
        self.workspace.ctl("class", "--set", "A", folder)
        self.restart()
        self.forge(b"D" + os.getxattr(self.on_disk(folder), CLASS)[1:], CLASS, folder)
        path = self.make("strict/new")
        self.assert_sealed(path)
        self.assertEqual(self.workspace.info(path)["class"], usual)
        self.assertEqual(self.problems(folder), {("strict", "unproved")})

    def test_the_log_says_so_once_for_a_directory(self):
        self.forge(FRIEND.encode())
        for name in "abc":
            self.make(name)
        with Client(self.workspace.socket) as client:
            client.call("Workspace.Lock", account=VICTIMS_NAME, now=True)
            client.call("Workspace.Unlock", account=VICTIMS_NAME, passphrase=self.passphrase)
        told = map(json.loads, self.workspace.serving("audit", "--json").stdout.splitlines())
        records = [each for each in told
                   if self.folder.name in str(each.get("path")) and each["event"] == "damaged"]
        self.assertEqual(len(records), 1, records)
        self.assertIn(FRIEND, records[0]["reason"])


class PlainFiles(BackingCase):
    def test_a_sealed_file_replaced_by_a_plain_one_of_the_same_owner(self):
        path = self.make("diary", data=b"sealed content")
        sealed = self.on_disk(path).read_bytes()
        self.replace(path, plain_header(VICTIMS_NAME, sealed[16:32]) + b"by somebody else\n")
        self.restart()
        self.assertEqual(self.append_as(VICTIM, path), errno.EACCES)
        self.assert_nothing_plain()
        self.assertEqual(self.problems(), {("diary", "unsealed")})
        info = self.workspace.info(path)
        self.assertEqual(info["state"], "unsealed")
        self.assertIn("mamctl protect", info["reason"])

    def test_the_same_under_the_feet_of_the_daemon(self):
        path = self.make("diary", data=b"sealed content")
        self.enterContext(kept_known(path))
        self.assertEqual(self.read_as(VICTIM, path), b"sealed content")
        place = self.on_disk(path)
        sealed = place.read_bytes()
        with open(place, "r+b") as file:
            file.write(plain_header(VICTIMS_NAME, sealed[16:32]))
        self.assertEqual(self.append_as(VICTIM, path), errno.EBADMSG)
        self.assert_nothing_plain()
        self.assertEqual(self.problems(), {("diary", "unsealed")})
        self.assertEqual(self.append_as(VICTIM, path), errno.EBADMSG, "a check made it forget")

    def test_a_known_sealed_file_that_becomes_nobodys(self):
        path = self.make("diary", data=b"sealed content")
        self.enterContext(kept_known(path))
        with open(self.on_disk(path), "r+b") as file:
            file.write(b"no header at all")
        self.assertEqual(self.append_as(VICTIM, path), errno.EBADMSG)
        self.assert_nothing_plain()
        self.assertTrue(self.problems())

    def test_the_sealed_content_behind_a_plain_header(self):
        path = self.make("diary", data=b"x" * 9000)
        sealed = self.on_disk(path).read_bytes()
        self.replace(path, plain_header(VICTIMS_NAME) + sealed[HEADER:])
        self.restart()
        self.assertEqual(self.append_as(VICTIM, path), errno.EACCES)
        self.assertEqual(self.read_as(VICTIM, path)[:100], sealed[HEADER:HEADER + 100])
        self.assert_nothing_plain()
        self.assertEqual(self.problems(), {("diary", "unsealed")})

    def drop(self, name, owner=VICTIMS_NAME, content=b"bait\n"):
        place = self.on_disk(self.folder / name)
        place.write_bytes(plain_header(owner) + content)
        os.chown(place, VICTIM, VICTIM)
        return self.folder / name

    def test_a_file_that_was_dropped_can_be_read_and_not_written(self):
        path = self.drop("bait")
        self.assertEqual(self.read_as(VICTIM, path), b"bait\n")

        def write_to_it():
            for flags in (os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_APPEND):
                try:
                    os.close(os.open(path, flags))
                    return 1
                except PermissionError:
                    pass
            try:
                os.truncate(path, 3)
                return 2
            except PermissionError:
                return 0
        self.assertEqual(as_user(VICTIM, write_to_it), 0)
        self.assertEqual(self.problems(), {("bait", "unsealed")})

    def test_what_truncates_it_makes_a_sealed_file_of_it(self):
        path = self.drop("bait")
        self.write_as(VICTIM, path, SECRET)
        self.assert_sealed(path)
        self.assertEqual(self.problems(status=DONE), set())

    def test_what_truncates_it_while_it_is_read(self):
        path = self.drop("bait")

        def write_while_reading():
            with open(path, "rb"):
                try:
                    open(path, "wb").close()
                    return 1
                except PermissionError:
                    return 0
        self.assertEqual(as_user(VICTIM, write_while_reading), 0)

    def test_a_name_in_other_letters_and_the_accounts_id(self):
        account = self.workspace.account(VICTIMS_NAME)["id"]
        for number, owner in enumerate((VICTIMS_NAME.upper(), account)):
            path = self.drop(f"bait {number}", owner)
            self.assertEqual(self.append_as(VICTIM, path), errno.EACCES, owner)

    def test_protect_is_the_way_out(self):
        path = self.drop("bait")
        self.workspace.ctl("protect", path, "--owner", VICTIMS_NAME)
        self.assertEqual(self.append_as(VICTIM, path), 0)
        self.assert_sealed(path)
        self.assertEqual(self.problems(status=DONE), set())

    def test_a_decrypted_file_is_nobodys(self):
        opened = self.make("opened", data=b"meant to be plain")
        self.workspace.ctl("decrypt", opened)
        self.restart()
        self.assertEqual(self.append_as(VICTIM, opened, b", by its user"), 0)
        self.assertEqual(self.read_as(VICTIM, opened), b"meant to be plain, by its user")
        self.assertEqual(self.problems(status=DONE), set())

    def test_two_sealed_files_whose_names_are_swapped(self):
        one, other = self.make("one", data=b"1" * 5000), self.make("other", data=b"2" * 5000)
        first, second = self.on_disk(one), self.on_disk(other)
        between = first.with_name("between")
        for old, new in ((first, between), (second, first), (between, second)):
            os.rename(old, new)
        self.restart()
        self.assertEqual(self.append_as(VICTIM, one), 0)
        self.assert_sealed(one)
        self.assertEqual(self.read_as(VICTIM, one), b"2" * 5000 + SECRET)

    def test_a_sealed_block_put_at_another_place_is_told(self):
        path = self.make("diary", data=b"x" * 20_000)
        place = self.on_disk(path)
        sealed = place.read_bytes()
        blocks = [sealed[start:start + BLOCK] for start in range(0, len(sealed), BLOCK)]
        blocks[1], blocks[2] = blocks[2], blocks[1]
        place.write_bytes(b"".join(blocks))
        self.assertEqual(self.problems(), {("diary", "blocks")})


@unittest.skipUnless(os.getuid() == 0, "writes what root's daemon serves")
class Manifest(unittest.TestCase):
    """`.mamd/workspace.json` leads to settings, policies and keys. None of these is mounted."""

    @classmethod
    def setUpClass(cls):
        # Before the first mount, what has no manifest may be an interrupted init's.
        cls.workspace = Workspace(name="hostile").init().mount()
        cls.workspace.unmount()
        cls.own = cls.workspace.on_disk(".mamd")
        cls.manifest = cls.own / "workspace.json"
        cls.good = cls.manifest.read_bytes()

    @classmethod
    def tearDownClass(cls):
        cls.workspace.close()

    def setUp(self):
        self.addCleanup(self.restore)

    def restore(self):
        if self.own.is_symlink():
            self.own.unlink()
        self.own.mkdir(exist_ok=True)
        self.manifest.unlink(missing_ok=True)
        self.manifest.write_bytes(self.good)

    def write(self, **changes):
        self.manifest.write_text(json.dumps({**json.loads(self.good), **changes}))

    def refuse(self, *words, status=NO, backing=None):
        """It is not mounted, nothing is made in its name, and the message says why."""
        before = sorted(self.workspace.root.glob("*_home/mamd/*"))
        result = self.workspace.ctl(
            "mount", backing or self.workspace.backing, self.workspace.mount_point, status=status)
        self.assertFalse(os.path.ismount(self.workspace.mount_point))
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertEqual(sorted(self.workspace.root.glob("*_home/mamd/*")), before)
        return result.stderr

    def named(self, name="hostile", status=DONE, backing=None):
        answer = self.workspace.ctl(
            "mount", "--name", name, backing or self.workspace.backing,
            self.workspace.mount_point, status=status)
        if status == DONE:
            self.workspace.unmount()
        return answer.stderr

    def another(self, name):
        """Another workspace of this machine, without a policy."""
        place = self.workspace.path("..", f"another {name}").resolve()
        self.workspace.ctl("init", place, "--name", name)
        return place

    def test_a_name_that_leads_to_no_settings(self):
        self.write(name="elsewhere")
        self.assertIn("--name hostile", self.refuse("elsewhere", str(self.manifest)))
        self.named()
        self.assertEqual(json.loads(self.manifest.read_bytes()), json.loads(self.good))

    def test_another_id(self):
        self.write(id="0" * 31 + "1")
        self.refuse("hostile")
        self.named()
        self.assertEqual(json.loads(self.manifest.read_bytes()), json.loads(self.good))

    def test_the_name_of_another_workspace(self):
        self.another("lax")
        self.write(name="lax")
        self.refuse("hostile", str(self.manifest))

    def test_the_whole_of_another_workspaces_manifest(self):
        other = self.another("laxer")
        shutil.copy(other / ".mamd" / "workspace.json", self.manifest)
        self.refuse("hostile", "laxer")

    def test_the_whole_of_another_workspaces_own_directory(self):
        other = self.another("laxest")
        shutil.rmtree(self.own)
        shutil.copytree(other / ".mamd", self.own)
        self.refuse("hostile", "laxest")
        self.named()

    def test_a_link_to_another_workspaces_own_directory(self):
        other = self.another("linked")
        shutil.rmtree(self.own)
        self.own.symlink_to(other / ".mamd")
        self.refuse("has no .mamd", status=3)
        self.assertNotEqual(self.named(status=None), "")
        self.assertFalse(os.path.ismount(self.workspace.mount_point))
        untouched = json.loads((other / ".mamd" / "workspace.json").read_bytes())
        self.assertEqual(untouched["name"], "linked")

    def test_a_link_to_another_workspaces_manifest(self):
        other = self.another("reached")
        self.manifest.unlink()
        self.manifest.symlink_to(other / ".mamd" / "workspace.json")
        self.refuse("workspace.json")

    def test_no_manifest(self):
        self.manifest.unlink()
        self.refuse("has no .mamd", status=3)
        self.named()
        self.assertEqual(json.loads(self.manifest.read_bytes()), json.loads(self.good))

    def test_a_pipe_for_a_manifest_keeps_nobody_waiting(self):
        self.manifest.unlink()
        os.mkfifo(self.manifest)
        self.refuse("workspace.json", status=7)

    def test_a_copy_is_served_only_by_a_persons_word(self):
        with tempfile.TemporaryDirectory(dir=self.workspace.root) as folder:
            copy = pathlib.Path(folder) / "copy"
            shutil.copytree(self.workspace.backing, copy)
            self.refuse("--name hostile", backing=copy)
            # What is noted for one directory is not taken by another name.
            self.assertIn("hostile", self.named("other", status=NO))
            self.named(backing=copy)
            self.refuse("--name hostile")
            self.named()

    def test_a_copy_under_another_name_has_settings_of_its_own(self):
        with tempfile.TemporaryDirectory(dir=self.workspace.root) as folder:
            copy = pathlib.Path(folder) / "copy"
            shutil.copytree(self.workspace.backing, copy)
            self.assertIn("default policy", self.named("copied", backing=copy))
            policies = self.workspace.policies.parents[1] / "copied" / "policies"
            self.assertEqual([path.name for path in policies.iterdir()], ["default.json"])
            self.workspace.mount().unmount()

    def test_another_workspace_is_not_taken_for_this_one(self):
        other = self.another("stranger")
        (self.workspace.policies.parents[1] / "stranger" / "workspace.json").unlink()
        self.write_other(other, name="hostile")
        self.refuse("another name", backing=other)
        self.assertIn("another workspace", self.named(status=NO, backing=other))

    @staticmethod
    def write_other(place, **changes):
        path = place / ".mamd" / "workspace.json"
        path.write_text(json.dumps({**json.loads(path.read_bytes()), **changes}))

    def test_a_lock_file_that_names_another_daemon_keeps_nobody_waiting(self):
        other = self.another("busy")
        place = self.workspace.root / "busy mount"
        place.mkdir()
        self.workspace.ctl("mount", other, place)
        self.addCleanup(self.workspace.ctl, "unmount", place)
        daemon = self.workspace.daemon()

        def start():
            begin = time.monotonic()
            self.workspace.mount()
            took = time.monotonic() - begin
            self.workspace.ctl("unmount", self.workspace.mount_point)
            return took

        usual = start()
        (self.own / "lock").write_text(f"process {daemon}, at /nowhere\n")
        self.assertLess(start(), max(3, 3 * usual))

    def test_a_check_says_so_and_mends_nothing(self):
        self.write(name="elsewhere")
        answer = self.workspace.ctl("verify", self.workspace.backing, status=None)
        self.assertIn("elsewhere", answer.stderr)
        self.workspace.ctl("verify", self.workspace.backing, "--repair", status=NO)


if __name__ == "__main__":
    unittest.main()
