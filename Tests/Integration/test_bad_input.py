"""Bad input: a message that names the thing, the documented status, and nothing changed on disk."""
import os
import unittest

from ordinary_user import AS_NOBODY, chown_tree, programs_for_all, with_fuse_device
from running import daemons
from workspace import (
    ANN, DAMAGED, DONE, NO, NOT_FOUND, NOT_MANAGED, UNREACHABLE, USAGE, Workspace,
    WorkspaceCase, tree_digest, wait_until)

FAILURES = (NO, NOT_FOUND, NOT_MANAGED, DAMAGED, UNREACHABLE)


def content(*places):
    """All of it but the audit, to which what was refused a moment ago may come at any time."""
    return {path: found for path, found in tree_digest(*places).items() if "/audit/" not in path}


class Case(WorkspaceCase):
    def refuse(self, status, names, *arguments, **options):
        """Runs mamctl, which must end with the status, name each thing, and change nothing."""
        workspace = self.workspace
        places = (workspace.backing, workspace.state, workspace.root / "config_home")
        before = content(*places)
        result = workspace.ctl(*arguments, status=status, **options)
        for name in names if isinstance(names, (list, tuple)) else [names]:
            self.assertIn(os.fspath(name), result.stderr)
        self.assertEqual(content(*places), before)
        self.assertNotIn("Fatal error", result.stderr)
        return result


class WithWorkspace(Case):
    """A workspace is mounted."""

    def test_unknown_account(self):
        nobody = "nobody@nowhere.example"
        where = ("--workspace", "work")
        passfile = ("--passfile", self.workspace.passfile)
        plain = self.workspace.root / "plain"
        plain.write_bytes(b"x")
        self.refuse(NOT_FOUND, nobody, "lock", nobody, "--now", *where)
        self.refuse(NOT_FOUND, nobody, "unlock", nobody, *passfile, *where)
        self.refuse(
            NOT_FOUND, nobody, "account", "passphrase", nobody, *passfile,
            "--new-passfile", self.workspace.passfile, *where)
        self.refuse(
            (NOT_FOUND, NOT_MANAGED), nobody,
            "encrypt", plain, "--owner", nobody, "-o", self.workspace.root / "sealed", *where)
        self.assertFalse((self.workspace.root / "sealed").exists())

    def test_account_names_that_cannot_be(self):
        for name in ("", "a" * 513, "two\nlines"):
            self.refuse(
                (NO, USAGE), [], "account", "register", name, "--no-passphrase", "--workspace",
                "work")

    def test_missing_files(self):
        missing = self.directory / "missing"
        for verb in ("owner", "info", "is-encrypted"):
            self.refuse(NOT_FOUND, missing, verb, missing)
        for source in (missing, self.workspace.root / "missing"):
            self.refuse(
                NOT_FOUND, source, "decrypt", source, "-o", self.workspace.root / "no",
                "--workspace", "work")
            self.refuse(
                NOT_FOUND, source, "encrypt", source, "--owner", ANN,
                "-o", self.workspace.root / "no", "--workspace", "work")
        self.assertFalse((self.workspace.root / "no").exists())

    def test_a_path_in_no_mount(self):
        outside = self.workspace.root / "outside"
        outside.write_bytes(b"plain")
        self.refuse(FAILURES, outside, "owner", "--set", ANN, outside)
        self.assertEqual(outside.read_bytes(), b"plain")
        self.workspace.ctl("owner", outside, status=NOT_MANAGED)
        self.workspace.ctl("is-encrypted", outside, status=NO)
        folder = self.workspace.root / "unmounted"
        folder.mkdir(exist_ok=True)
        self.refuse(FAILURES, folder, "unmount", folder)

    def test_a_directory(self):
        outside = self.workspace.root
        self.refuse((NO, USAGE, NOT_MANAGED), outside, "owner", outside)
        for folder in (self.directory, outside):
            self.refuse((NO, USAGE, NOT_MANAGED), folder, "is-encrypted", folder)
            self.refuse(
                (NO, USAGE, NOT_MANAGED), folder,
                "encrypt", folder, "--owner", ANN, "-o", self.workspace.root / "no", "--workspace",
                "work")
            self.refuse(
                (NO, USAGE, NOT_MANAGED), folder,
                "decrypt", folder, "-o", self.workspace.root / "no", "--workspace", "work")
        # In the mount a directory has a class, elsewhere it has nothing to tell.
        self.refuse((NO, USAGE, NOT_MANAGED), self.workspace.root, "info", self.workspace.root)
        self.assertEqual(self.workspace.info(self.directory)["state"], "directory")
        self.assertFalse((self.workspace.root / "no").exists())

    def test_no_such_workspace(self):
        self.refuse((NOT_FOUND, UNREACHABLE), "nosuch", "status", "--workspace", "nosuch")
        self.refuse((NOT_FOUND, UNREACHABLE), "nosuch", "lock", "--now", "--workspace", "nosuch")

    def test_usage(self):
        for arguments in (
            ("no-such-verb",), ("mount",), ("mount", "one"), ("init",), ("owner",), ("info",),
            ("encrypt", "x"),
            ("run", "--identity", ANN), ("account", "register"), ("account", "no-such-verb"),
            ("status", "--no-such-option"), ("init", "a", "b", "c"),
        ):
            with self.subTest(arguments=arguments):
                self.assertTrue(self.refuse(USAGE, [], *arguments).stderr.strip())

    def test_already_mounted(self):
        other = self.workspace.root / "other-mount"
        other.mkdir(exist_ok=True)
        result = self.refuse(NO, [], "mount", self.workspace.backing, other)
        pid = str(next(daemons(str(self.workspace.root))))
        self.assertTrue(
            pid in result.stderr or str(self.workspace.mount_point) in result.stderr, result.stderr)
        self.assertFalse(os.path.ismount(other))
        self.workspace.serving("status")

    def test_a_mounted_workspace_is_not_initialised_again(self):
        self.refuse(NO, self.workspace.backing, "init", self.workspace.backing)

    def test_mount_inside_its_own_mount_point(self):
        self.refuse(NO, [], "mount", self.workspace.mount_point, self.directory)

    def test_a_missing_passfile(self):
        missing = self.workspace.root / "no-passfile"
        self.refuse(
            (NO, NOT_FOUND), missing, "unlock", ANN, "--passfile", missing, "--workspace", "work")

    def test_an_empty_passphrase(self):
        empty = self.workspace.secret("empty", "")
        self.refuse(
            (NO, USAGE), [], "account", "register", "eve@contoso.com", "--passfile", empty,
            "--workspace", "work")

    def test_an_output_in_no_directory(self):
        plain = self.workspace.root / "plain"
        plain.write_bytes(b"x")
        target = self.workspace.root / "no-folder" / "sealed"
        self.refuse(
            FAILURES, target, "encrypt", plain, "--owner", ANN, "-o", target, "--workspace", "work")


class Mounting(Case):
    """A workspace exists, and is not mounted."""

    mounted = False

    def mount(self, status, names, backing=None, mount_point=None, **options):
        backing, mount_point = (
            backing or self.workspace.backing, mount_point or self.workspace.mount_point)
        result = self.refuse(status, names, "mount", backing, mount_point, **options)
        self.assertFalse(os.path.ismount(mount_point))
        wait_until(lambda: not list(daemons(str(self.workspace.root))), message="a daemon stays")
        return result

    def test_missing_backing_directory(self):
        self.mount(
            (NO, NOT_FOUND), self.workspace.root / "missing",
            backing=self.workspace.root / "missing")

    def test_backing_directory_that_is_no_workspace(self):
        plain = self.workspace.root / "plain-folder"
        plain.mkdir()
        result = self.mount((NO, NOT_FOUND), plain, backing=plain)
        self.assertIn("mamctl init", result.stderr)
        self.assertEqual(list(plain.iterdir()), [])

    def test_backing_directory_that_is_a_file(self):
        file = self.workspace.root / "file"
        file.write_bytes(b"x")
        self.mount((NO, NOT_FOUND), file, backing=file)

    def test_missing_mount_point(self):
        missing = self.workspace.root / "no-mount-point"
        self.mount((NO, NOT_FOUND), missing, mount_point=missing)

    def test_mount_point_that_is_not_empty(self):
        full = self.workspace.root / "full"
        full.mkdir()
        (full / "file").write_bytes(b"mine")
        self.mount(NO, full, mount_point=full)
        self.assertEqual((full / "file").read_bytes(), b"mine")

    def test_mount_point_that_is_a_file(self):
        file = self.workspace.root / "mount-file"
        file.write_bytes(b"x")
        self.mount((NO, NOT_FOUND), file, mount_point=file)

    def test_init_of_a_directory_that_is_not_empty(self):
        full = self.workspace.root / "full-backing"
        full.mkdir()
        (full / "file").write_bytes(b"mine")
        self.refuse(NO, full, "init", full)
        self.assertEqual(sorted(path.name for path in full.iterdir()), ["file"])

    def test_init_with_settings_that_cannot_be_read(self):
        for name, text in (("broken.json", "{"), ("wrong.json", '{"KeyDerivation": "cheap"}')):
            backing, settings = self.workspace.root / f"for-{name}", self.workspace.root / name
            backing.mkdir()
            settings.write_text(text)
            self.refuse((NO, USAGE), settings, "init", backing, "--settings", settings)
            self.assertEqual(list(backing.iterdir()), [])

    def test_init_with_a_name_that_cannot_be(self):
        for name in ("", "a/b", "..", "x" * 300, "new\nline"):
            backing = self.workspace.root / "for-name"
            backing.mkdir(exist_ok=True)
            self.refuse((NO, USAGE), [], "init", backing, "--name", name)
            self.assertEqual(list(backing.iterdir()), [])

    def test_init_twice(self):
        self.refuse(NO, self.workspace.backing, "init", self.workspace.backing)

    @unittest.skipUnless(os.getuid() == 0, "needs root to mount a directory read-only")
    def test_read_only_backing_directory(self):
        script = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"'
        self.mount(
            NO, self.workspace.backing,
            prefix=("unshare", "--mount", "sh", "-c", script, "sh", str(self.workspace.backing)))

    @unittest.skipUnless(os.getuid() == 0, "needs root to take /dev/fuse away")
    def test_no_permission_on_dev_fuse(self):
        with programs_for_all() as place:
            user = Workspace()
            try:
                chown_tree(user.root)
                environment = {**user.environment, "PATH": f"{place}/bin:{os.environ['PATH']}"}
                user.ctl(
                    "init", user.backing, "--name", "user", prefix=AS_NOBODY,
                    environment=environment)
                result = user.ctl(
                    "mount", user.backing, user.mount_point, status=NO, environment=environment,
                    prefix=with_fuse_device(0o600, place, AS_NOBODY))
                self.assertIn("/dev/fuse", result.stderr)
            finally:
                user.close()


class Keybags(Case):
    """The keys in the state directory are not as they were left."""

    def setUp(self):
        super().setUp()
        self.keybags = self.workspace.state / "keybags"
        self.saved = {path: path.read_bytes() for path in self.keybags.iterdir()}
        self.path = self.write(self.directory / "file", b"content")
        self.workspace.unmount()

    def tearDown(self):
        if os.path.ismount(self.workspace.mount_point):
            self.workspace.unmount()
        for path, data in self.saved.items():
            path.write_bytes(data)
        self.workspace.mount().unlock()
        self.assertEqual(self.path.read_bytes(), b"content")

    def break_all(self, change):
        for path, data in self.saved.items():
            path.write_bytes(change(data))
        return {path: path.read_bytes() for path in self.saved}

    def expect_refusal(self, left):
        """Either the mount is refused or the unlock; the message names the keybag, and it is left
        alone."""
        workspace = self.workspace
        mounted = workspace.ctl("mount", workspace.backing, workspace.mount_point, status=None)
        text = mounted.stdout + mounted.stderr
        if mounted.returncode == DONE:
            result = workspace.unlock(status=None)
            self.assertNotEqual(result.returncode, DONE)
            text += result.stderr + workspace.serving("status", status=None).stdout
            with self.assertRaises(OSError):
                self.path.read_bytes()
            workspace.unmount()
        self.assertRegex(text.lower(), "keybag|account")
        self.assertEqual({path: path.read_bytes() for path in left}, left)

    def test_one_broken_copy_is_made_good_by_the_other(self):
        one, *_ = sorted(self.saved)
        for data in (b"", b"garbage", self.saved[one][:500], bytes(1024)):
            one.write_bytes(data)
            self.workspace.mount().unlock()
            self.assertEqual(self.path.read_bytes(), b"content")
            self.workspace.unmount()

    def test_both_copies_broken(self):
        for change in (
                lambda data: data[:512], lambda data: bytes([data[0]]) + bytes(1023),
                lambda data: b""):
            self.expect_refusal(self.break_all(change))

    def test_any_changed_byte_is_found(self):
        for offset in (0, 9, 12, 20, 40, 60, 70, 650, 670, 700, 760, 1010, 1022):
            with self.subTest(offset=offset):
                self.expect_refusal(self.break_all(
                    lambda data: data[:offset] + bytes([data[offset] ^ 1]) + data[offset + 1 :]))

    def test_a_keybag_of_another_device(self):
        other = Workspace(name="other")
        try:
            other.init().mount().register()
            foreign = {path.name: path.read_bytes() for path in (other.state / "keybags").iterdir()}
        finally:
            other.close()
        laid = {}
        for name, data in foreign.items():
            laid[self.keybags / name] = data
            (self.keybags / name).write_bytes(data)
        try:
            workspace = self.workspace
            mounted = workspace.ctl("mount", workspace.backing, workspace.mount_point, status=None)
            # our own account must still work, and the stranger's must not
            if mounted.returncode == DONE:
                workspace.unlock()
                self.assertEqual(self.path.read_bytes(), b"content")
                workspace.unmount()
            else:
                self.assertRegex(mounted.stderr, "keybag")
            self.assertEqual({path: path.read_bytes() for path in laid}, laid)
        finally:
            for path in laid:
                path.unlink()

    def test_a_missing_device_secret(self):
        secret = self.workspace.state / "device-secret"
        data = secret.read_bytes()
        secret.unlink()
        try:
            result = self.workspace.ctl(
                "mount", self.workspace.backing, self.workspace.mount_point, status=None)
            self.assertNotEqual(result.returncode, DONE)
            self.assertIn("device-secret", result.stderr)
            self.assertFalse(secret.exists())
        finally:
            if os.path.ismount(self.workspace.mount_point):
                self.workspace.unmount()
            secret.write_bytes(data)
            secret.chmod(0o600)
