"""The owner of a file: set when it is created or opened with truncation, and kept through all
else."""
import os

from workspace import ANN, DONE, HEADER, NOT_MANAGED, PERSONAL, WorkspaceCase, pattern


class Owners(WorkspaceCase):
    def test_default_account_owns_what_its_user_creates(self):
        path = self.write(self.directory / "file", b"x")
        self.assertEqual(self.workspace.owner(path), ANN)
        info = self.workspace.info(path)
        self.assertTrue(info["managed"])
        self.assertEqual((info["owner"], info["state"]), (ANN, "available"))
        self.assertIn(info["class"], ("A", "B", "C", "D"))

    def test_run_identity_owns_what_it_creates(self):
        path = self.directory / "file"
        self.workspace.write_as(PERSONAL, path, "personal content")
        self.assertEqual(self.workspace.owner(path), PERSONAL)
        info = self.workspace.info(path)
        self.assertFalse(info["managed"])
        self.assertEqual((info["class"], info["state"]), (None, "unmanaged"))
        self.assertEqual(path.read_bytes(), b"personal content")

    def test_run_identity_reaches_children(self):
        path = self.directory / "file"
        self.workspace.run_as(PERSONAL, "sh", "-c", f"sh -c 'sh -c \"echo x > {path}\"'")
        self.assertEqual(self.workspace.owner(path), PERSONAL)

    def test_run_identity_ends_with_its_command(self):
        self.workspace.write_as(PERSONAL, self.directory / "one", "x")
        self.assertEqual(self.workspace.owner(self.write(self.directory / "two", b"x")), ANN)

    def test_run_gives_the_commands_exit_status(self):
        self.assertEqual(
            self.workspace.run_as(PERSONAL, "sh", "-c", "exit 42", check=False).returncode, 42)

    def test_unmanaged_files_are_a_header_and_plain_content(self):
        path = self.directory / "file"
        self.workspace.write_as(PERSONAL, path, "a" * 10_000)
        on_disk = self.backing_of(path).read_bytes()
        self.assertEqual(on_disk[HEADER:], b"a" * 10_000)
        self.assertEqual(path.stat().st_size, 10_000)
        self.assertEqual(self.workspace.decode(self.backing_of(path)), b"a" * 10_000)

    def test_owner_statuses(self):
        managed = self.write(self.directory / "managed", b"x")
        personal = self.directory / "personal"
        self.workspace.write_as(PERSONAL, personal, "x")
        self.workspace.ctl("owner", managed, status=DONE)
        self.workspace.ctl("owner", personal, status=NOT_MANAGED)
        both = self.workspace.ctl("owner", managed, personal, status=DONE).stdout.splitlines()
        self.assertEqual(both, [f"{ANN}\t{managed}", f"{PERSONAL}\t{personal}"])

    def test_append_by_another_keeps_the_owner(self):
        path = self.directory / "file"
        self.workspace.write_as(PERSONAL, path, "one ")
        with open(path, "ab") as file:
            file.write(b"two")
        self.assertEqual(self.workspace.owner(path), PERSONAL)
        self.assertEqual(path.read_bytes(), b"one two")

    def test_writing_and_ftruncate_by_another_keep_the_owner(self):
        path = self.directory / "file"
        self.workspace.write_as(PERSONAL, path, "0123456789")
        with open(path, "r+b", buffering=0) as file:
            file.write(b"ab")
            os.ftruncate(file.fileno(), 5)
        os.truncate(path, 4)
        self.assertEqual(self.workspace.owner(path), PERSONAL)
        self.assertEqual(path.read_bytes(), b"ab23")

    def test_ftruncate_to_nothing_keeps_the_owner(self):
        path = self.directory / "file"
        self.workspace.write_as(PERSONAL, path, "0123456789")
        with open(path, "r+b", buffering=0) as file:
            os.ftruncate(file.fileno(), 0)
            file.write(b"new")
        self.assertEqual(self.workspace.owner(path), PERSONAL)
        self.assertEqual(path.read_bytes(), b"new")

    def test_opening_with_truncation_changes_the_owner(self):
        path = self.directory / "file"
        self.workspace.write_as(PERSONAL, path, "personal")
        self.workspace.await_closed()
        self.write(path, b"the organisation's")
        self.assertEqual(self.workspace.owner(path), ANN)
        self.assertTrue(self.workspace.is_managed_on_disk(self.backing_of(path)))
        self.assertEqual(path.read_bytes(), b"the organisation's")
        self.workspace.await_closed()
        self.workspace.write_as(PERSONAL, path, "personal again")
        self.assertEqual(self.workspace.owner(path), PERSONAL)
        self.assertEqual(path.read_bytes(), b"personal again")

    def test_rename_link_and_chmod_keep_the_owner(self):
        path = self.directory / "file"
        self.workspace.write_as(PERSONAL, path, "content")
        os.rename(path, self.directory / "renamed")
        os.link(self.directory / "renamed", self.directory / "linked")
        os.chmod(self.directory / "linked", 0o600)
        for name in ("renamed", "linked"):
            self.assertEqual(self.workspace.owner(self.directory / name), PERSONAL)

    def test_owner_set_converts_both_ways(self):
        path = self.directory / "file"
        self.workspace.write_as(PERSONAL, path, "content to convert")
        self.workspace.ctl("owner", "--set", ANN, path)
        self.assertEqual(self.workspace.owner(path), ANN)
        self.assertTrue(self.workspace.is_managed_on_disk(self.backing_of(path)))
        self.assertEqual(path.read_bytes(), b"content to convert")
        self.workspace.ctl("owner", "--set", PERSONAL, "--unmanaged", path)
        self.assertEqual(self.workspace.owner(path), PERSONAL)
        self.assertIn(b"content to convert", self.backing_of(path).read_bytes())
        self.assertEqual(path.read_bytes(), b"content to convert")
        if self.workspace.daemon_log.exists():
            self.assertNotIn("not synced", self.workspace.daemon_log.read_text())

    def test_a_plain_file_of_a_later_account_is_read_only_until_it_is_sealed_or_nobodys(self):
        path, later = self.directory / "file", "later@elsewhere.example"
        self.workspace.write_as(later, path, "content")
        self.workspace.register(later)
        self.assertEqual(path.read_bytes(), b"content")
        with self.assertRaises(PermissionError):
            open(path, "ab")
        self.assertIn("mamctl decrypt FILE", self.workspace.info(path)["reason"])
        self.workspace.ctl("decrypt", path)
        with open(path, "ab") as file:
            file.write(b", and more")
        self.assertEqual(self.workspace.owner(path), "nobody")

    def test_names_compare_without_regard_to_case(self):
        path = self.directory / "file"
        self.workspace.write_as(ANN.upper(), path, "content")
        self.assertTrue(self.workspace.info(path)["managed"])

    def test_an_empty_backing_file_gets_its_next_writer_as_owner(self):
        path = self.directory / "file"
        self.backing_of(path).touch()
        self.assertEqual(path.stat().st_size, 0)
        with open(path, "r+b") as file:
            file.write(b"content")
        self.assertEqual(self.workspace.owner(path), ANN)
        self.assertTrue(self.workspace.is_managed_on_disk(self.backing_of(path)))


class Foreign(WorkspaceCase):
    """Files without a header of ours."""

    def test_foreign_files_are_shown_as_they_are_and_owned_by_nobody(self):
        for size in (1, 100, 1023, 1024, 5_000, 100_000):
            path = self.directory / f"file-{size}"
            self.backing_of(path).write_bytes(pattern(size))
            self.assertEqual(path.stat().st_size, size)
            self.assertEqual(path.read_bytes(), pattern(size))
            self.workspace.ctl("owner", path, status=NOT_MANAGED)
            self.assertEqual(self.workspace.info(path)["state"], "foreign")

    def test_writing_to_a_foreign_file_keeps_it_foreign(self):
        path = self.directory / "file"
        self.backing_of(path).write_bytes(b"plain text\n")
        with open(path, "ab") as file:
            file.write(b"another line\n")
        self.assertEqual(self.backing_of(path).read_bytes(), b"plain text\nanother line\n")


class RefusedForeign(WorkspaceCase):
    settings = {"ForeignFiles": "refuse"}

    def test_a_foreign_file_opens_only_as_a_new_one(self):
        path = self.directory / "foreign"
        self.backing_of(path).write_bytes(b"anybody's")
        for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR):
            with self.assertRaises(PermissionError):
                os.open(path, flags)
        with self.assertRaises(PermissionError):
            os.truncate(path, 4)
        self.assertEqual(self.backing_of(path).read_bytes(), b"anybody's")
        self.write(path, b"new")
        self.assertEqual(path.read_bytes(), b"new")
        self.assertTrue(self.workspace.is_managed_on_disk(self.backing_of(path)))

    def test_a_foreign_file_can_be_given_an_owner(self):
        path = self.directory / "given"
        self.backing_of(path).write_bytes(b"anybody's")
        self.workspace.ctl("protect", "--owner", ANN, path)
        self.assertEqual(path.read_bytes(), b"anybody's")


class MultiIdentity(WorkspaceCase):
    settings = {"MultiIdentity": True}

    def test_nobody_owns_what_a_user_creates(self):
        path = self.write(self.directory / "file", b"content")
        self.workspace.ctl("owner", path, status=NOT_MANAGED)
        self.assertFalse(self.workspace.info(path)["managed"])

    def test_run_identity_makes_a_managed_file(self):
        path = self.directory / "file"
        self.workspace.write_as(ANN, path, "content")
        self.assertEqual(self.workspace.owner(path), ANN)
        self.assertTrue(self.workspace.is_managed_on_disk(self.backing_of(path)))
