"""The protection manager: files and directories given to owners, encrypted and decrypted in
place."""
import json
import os
import unittest

from ordinary_user import NOBODY
from socket_client import Client
from workspace import (
    ANN, BOB, DAMAGED, DONE, NO, NOT_FOUND, NOT_MANAGED, PERSONAL, USAGE, WorkspaceCase,
    pattern)

MISSPELT = "ann@contos.com"
LONG_AGO = 1_000_000_000_000_000_000


class Protect(WorkspaceCase):
    settings = {"MultiIdentity": True}

    def protect(self, *paths, owner=ANN, verb="protect", status=DONE):
        """The lines of --json, by the last parts of their paths."""
        result = self.workspace.ctl(
            verb, *paths, "--owner", owner, "--unmanaged", "--json", status=status)
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        return {os.path.relpath(line["path"], self.directory): line for line in lines}

    def tree(self):
        for name in ("a", "deep/b", "deep/deeper/c"):
            (self.directory / name).parent.mkdir(parents=True, exist_ok=True)
            self.write(self.directory / name, name.encode())
        os.symlink("a", self.directory / "link")

    def owners(self, *names):
        return [self.workspace.owner(self.directory / name) for name in names]

    def test_a_directory_with_all_that_is_in_it(self):
        self.tree()
        lines = self.protect(self.directory)
        self.assertEqual(sorted(lines), ["a", "deep/b", "deep/deeper/c"])
        self.assertTrue(all(line["changed"] for line in lines.values()))
        self.assertEqual(self.owners(*lines), [ANN] * 3)
        for name in lines:
            self.assertTrue(
                self.workspace.is_managed_on_disk(self.backing_of(self.directory / name)))
            self.assertEqual((self.directory / name).read_bytes(), name.encode())

    def test_verify_protect_changes_only_what_has_another_owner(self):
        self.tree()
        self.protect(self.directory / "deep")
        before = self.backing_of(self.directory / "deep" / "b").read_bytes()
        lines = self.protect(self.directory, verb="verify-protect")
        self.assertEqual({name: line["changed"] for name, line in lines.items()},
                         {"a": True, "deep/b": False, "deep/deeper/c": False})
        self.assertEqual(self.backing_of(self.directory / "deep" / "b").read_bytes(), before)
        self.assertFalse(
            any(line["changed"]
            for line in self.protect(self.directory, verb="verify-protect").values()))

    def test_only_new_leaves_what_is_in_a_directory(self):
        """As the alias does, whose output tells of each path."""
        for words in (("protect", "--only-new", "--owner"), ("owner", "--set")):
            place = self.directory / words[0]
            place.mkdir()
            old, new = place / "old", place / "new"
            self.write(old, b"old")
            said = self.workspace.ctl(*words, ANN, place).stdout
            self.assertEqual(said, f"{ANN}\t{place}\n")
            self.write(new, b"new")
            self.assertEqual([self.workspace.owner(path) for path in (old, new)], ["nobody", ANN])
        self.write(old, b"old")
        said = self.workspace.ctl("owner", "--set", ANN, old, new).stdout
        self.assertEqual(said, f"{ANN}\t{old}\n{ANN}\t{new}\n")
        said = self.workspace.ctl("protect", "--only-new", "--owner", ANN, old).stdout
        self.assertEqual(said, "")
        (given,) = json.loads(self.workspace.ctl(
            "owner", "--set", "", "--unmanaged", old, "--json").stdout)
        (asked,) = json.loads(self.workspace.ctl("owner", old, "--json", status=NOT_MANAGED).stdout)
        self.assertEqual(given, asked)

    def test_quiet_tells_failures_alone(self):
        self.tree()
        shown = self.workspace.ctl(
            "protect", "--quiet", self.directory, "none", "--owner", ANN, status=NOT_FOUND)
        self.assertEqual(shown.stdout, "")
        self.assertIn("none", shown.stderr)
        self.assertEqual(self.owners("a"), [ANN])

    def test_one_failure_is_told_and_the_others_go_on(self):
        self.tree()
        os.link(self.directory / "deep" / "b", self.directory / "second name")
        lines = self.protect(self.directory, status=None)
        failures = {name for name, line in lines.items() if "error" in line}
        self.assertEqual(failures, {"deep/b", "second name"})
        self.assertEqual(self.owners("a", "deep/deeper/c"), [ANN] * 2)
        lines = self.protect(
            self.directory / "none", self.directory / "a", owner=PERSONAL, status=NOT_FOUND)
        self.assertEqual((set(lines), self.owners("a")), ({"none", "a"}, [PERSONAL]))

    def test_a_directory_is_the_default_owner_of_what_is_made_in_it(self):
        self.tree()
        self.protect(self.directory / "deep")
        deep = self.directory / "deep"
        self.write(deep / "new", b"new")
        (deep / "made").mkdir()
        self.write(deep / "made" / "inner", b"inner")
        self.assertEqual(self.owners("deep/new", "deep/made/inner"), [ANN] * 2)
        self.assertEqual(os.getxattr(deep / "made", "user.mam.owner").decode(), ANN)
        self.assertEqual(self.workspace.info(deep)["owner"], ANN)
        with self.assertRaises(OSError):
            os.setxattr(deep, "user.mam.owner", BOB.encode())
        self.workspace.remount()
        self.write(deep / "later", b"later")
        self.write(self.directory / "beside", b"beside")
        self.assertEqual(self.owners("deep/later", "beside"), [ANN, "nobody"])
        self.protect(deep, owner="")
        self.write(deep / "free", b"free")
        self.assertEqual(self.owners("deep/free", "deep/new"), ["nobody"] * 2)

    def test_it_never_overrides_a_set_identity(self):
        self.protect(self.directory)
        for identity in (PERSONAL, ""):
            path = self.directory / f"as {identity}"
            self.workspace.write_as(identity, path, "text")
            self.assertEqual(self.owners(path.name), [identity or "nobody"])
        path = self.write(self.directory / "ann's", b"x")
        self.workspace.await_closed()
        self.workspace.write_as(PERSONAL, path, "truncated and written by another")
        self.assertEqual(self.owners(path.name), [PERSONAL])
        self.workspace.await_closed()
        self.write(path, b"truncated for nobody in particular")
        self.assertEqual(self.owners(path.name), [ANN])

    def test_a_default_owner_that_makes_no_sense_is_none_and_found(self):
        os.setxattr(self.backing_of(self.directory), "user.mam.owner", b"\xff\xfe")
        self.workspace.remount()
        self.write(self.directory / "file", b"x")
        self.assertEqual(self.owners("file"), ["nobody"])
        found = json.loads(
            self.workspace.ctl("verify", "--json", self.directory, status=DAMAGED).stdout)[
                "findings"]
        self.assertEqual([each["problem"] for each in found], ["directoryOwner"])
        self.workspace.ctl("verify", "--repair", self.directory)
        self.workspace.ctl("verify", self.directory)

    def test_decrypt_in_place_makes_it_nobodys_and_protect_encrypts_again(self):
        path = self.directory / "file"
        self.workspace.write_as(ANN, path, "content")
        self.workspace.ctl("decrypt", path)
        self.assertEqual((self.workspace.owner(path), path.read_bytes()), ("nobody", b"content"))
        self.assertEqual(self.workspace.info(path)["state"], "unmanaged")
        self.assertIn(b"content", self.backing_of(path).read_bytes())
        self.workspace.ctl("is-encrypted", path, status=NO)
        self.assertTrue(self.protect(path, verb="verify-protect")["file"]["changed"])
        self.workspace.ctl("is-encrypted", path)
        self.assertEqual(self.workspace.decode(self.backing_of(path)), b"content")

    def test_encrypt_and_decrypt_in_place_outside_a_mount(self):
        path = self.workspace.root / "outside"
        path.write_bytes(pattern(50_000))
        path.chmod(0o640)
        self.workspace.serving("encrypt", path, "--owner", ANN)
        self.assertEqual(self.workspace.decode(path), pattern(50_000))
        self.workspace.serving("decrypt", path)
        self.assertEqual((path.read_bytes(), path.stat().st_mode & 0o777), (pattern(50_000), 0o640))
        self.workspace.serving("decrypt", path, status=NOT_MANAGED)
        self.workspace.ctl("protect", path, "--owner", ANN, status=NO)

    def test_without_owner_it_is_the_callers_account(self):
        path = self.write(self.directory / "file", b"x")
        self.workspace.ctl("protect", path)
        self.assertEqual(self.owners("file"), [ANN])

    def call(self, method, descriptors=(), user=None, **parameters):
        with Client(self.workspace.socket, user) as client:
            answer = client.ask(f"Protection.{method}", descriptors, **parameters)
        return answer.get("error", "").split(".")[-1], answer["parameters"]

    def test_status_codes(self):
        path = str(self.write(self.directory / "file", b"x"))
        gone, outside = str(self.directory / "gone"), str(self.workspace.passfile)
        cases = [
            ("Protect", {"owner": ANN, "path": gone}, 104), ("Protect", {"owner": ANN}, 101),
            ("Protect", {"path": path}, 101),
            ("VerifyAndProtect", {"owner": None, "path": path}, 101),
            ("Protect", {"owner": MISSPELT, "path": path}, 106),
            ("VerifyAndProtect", {"owner": ANN, "path": outside}, 104),
            ("EncryptFile", {"path": path}, 101),
            ("EncryptFile", {"owner": PERSONAL, "path": path}, 106),
            ("EncryptFile", {"owner": ANN, "path": str(self.directory)}, 105),
            ("EncryptFile", {"owner": ANN, "path": gone}, 104),
            ("DecryptFile", {"path": str(self.directory)}, 105),
            ("DecryptFile", {"path": gone}, 104),
            ("IsFileEncrypted", {"path": str(self.directory)}, 105),
            ("IsFileEncrypted", {"path": gone}, 104),
        ]
        for method, parameters, status in cases:
            with self.subTest(method=method, parameters=parameters):
                error, found = self.call(method, **parameters)
                self.assertEqual((error, found.get("status")), ("FileFailed", status), found)
        self.assertEqual(self.call("IsFileEncrypted", path=path), ("", {"encrypted": False}))
        self.assertEqual(
            self.call("EncryptFile", owner=ANN, path=path)[1]["protection"]["owner"], ANN)
        self.assertEqual(self.call("IsFileEncrypted", path=path), ("", {"encrypted": True}))
        self.assertEqual(
            self.call("Protect", owner="", path=path)[1]["summary"],
            {"files": 1, "changed": 1, "failed": 0})
        self.assertEqual(self.owners("file"), ["nobody"])
        self.workspace.lock()
        try:
            self.assertEqual(self.call("EncryptFile", owner=ANN, path=path)[1]["status"], 102)
        finally:
            self.workspace.unlock()

    @unittest.skipUnless(os.getuid() == 0, "only root can be somebody else")
    def test_other_users_have_no_say(self):
        for directory in (self.workspace.root, *self.workspace.socket.parents[:2]):
            directory.chmod(0o711)
        path = self.directory / "file"
        self.workspace.write_as(ANN, path, "content")
        sealed = self.call("ProtectString", owner=ANN, text="secret")[1]["text"]
        before = self.backing_of(path).read_bytes()
        with open(path, "rb") as file:
            for method, parameters in (
                ("Protect", {"owner": PERSONAL, "unmanaged": True}), ("DecryptFile", {}),
                ("Protect", {"owner": ""}),
            ):
                error, found = self.call(
                    method, [file.fileno()], user=NOBODY, fileDescriptor=0, **parameters)
                self.assertEqual((error, found.get("cause")), ("FileFailed", "Refused"), method)
        self.assertEqual(self.call("Protect", user=NOBODY, owner=ANN, path=str(path))[0], "Refused")
        self.assertEqual(
            self.call("Protect", user=NOBODY, owner="", path=str(path))[1]["cause"], "Refused")
        self.assertEqual(self.call("ProtectString", user=NOBODY, owner=ANN, text="x")[0], "Refused")
        self.assertEqual(
            self.call("UnprotectString", user=NOBODY, text=sealed)[1]["cause"], "Refused")
        self.assertEqual(self.backing_of(path).read_bytes(), before)

    def test_a_wipe_leaves_what_was_made_plain(self):
        self.workspace.register(BOB, extra=["--no-passphrase"])
        for owner, name in ((BOB, "sealed"), (BOB, "made plain"), (PERSONAL, "personal")):
            self.workspace.write_as(owner, self.directory / name, "content")
        self.workspace.ctl("decrypt", self.directory / "made plain")
        self.workspace.serving("wipe", BOB, "--confirm", BOB)
        self.assertEqual(sorted(os.listdir(self.directory)), ["made plain", "personal"])

    def test_usage(self):
        self.workspace.ctl("protect", status=USAGE)
        fifo = self.directory / "fifo"
        os.mkfifo(fifo)
        self.workspace.ctl("protect", fifo, "--owner", ANN, status=NO)


class Kept(WorkspaceCase):
    """What a change of owner or class leaves as it is: a new header is no new content."""

    settings = {"MultiIdentity": True}
    # From plain to plain, to sealed, to another class, to plain.
    CHANGES = (
        ("protect", "--owner", PERSONAL, "--unmanaged"),
        ("protect", "--owner", "bob@example.org", "--unmanaged"), ("protect", "--owner", ANN),
        ("class", "--set", "A"), ("protect", "--owner", PERSONAL, "--unmanaged"))

    def changes(self):
        path = self.write(self.directory / "file", pattern(10_000))
        for verb, *options in self.CHANGES:
            for name in (path, self.directory):
                os.utime(name, ns=(LONG_AGO, LONG_AGO))
            os.chmod(path, 0o6755)
            self.workspace.ctl(verb, path, *options)
            yield path, (verb, *options)

    def test_modification_times_of_file_and_directory(self):
        for path, change in self.changes():
            for name in (path, self.directory):
                for place in (name, self.backing_of(name)):
                    self.assertEqual(place.stat().st_mtime_ns, LONG_AGO, (place, change))

    def test_set_id_bits(self):
        for path, change in self.changes():
            for place in (path, self.backing_of(path)):
                self.assertEqual(place.stat().st_mode & 0o7777, 0o6755, (place, change))


if __name__ == "__main__":
    unittest.main()
