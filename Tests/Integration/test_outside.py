"""Protected files outside a mount: encrypt, decrypt, and carrying them in and out."""
import shutil
import subprocess

from workspace import ANN, CLOSED, DAMAGED, DONE, NO, NOT_FOUND, NOT_MANAGED, PERSONAL
from workspace import UNREACHABLE, WorkspaceCase, pattern, sealed_size

SIZES = (0, 1, 3_040, 3_041, 100_000)


class Outside(WorkspaceCase):
    def setUp(self):
        super().setUp()
        self.place = self.workspace.root / f"outside-{self._testMethodName}"
        self.place.mkdir()

    def encrypt(self, source, target, owner=ANN, status=DONE):
        return self.workspace.serving(
            "encrypt", source, "--owner", owner, "-o", target, status=status)

    def decrypt(self, source, target, status=DONE):
        return self.workspace.serving("decrypt", source, "-o", target, status=status)

    def test_encrypt_and_decrypt_give_the_file_back(self):
        for size in SIZES:
            plain, sealed, opened = (
                self.place / f"{kind}-{size}" for kind in ("plain", "sealed", "opened"))
            plain.write_bytes(pattern(size))
            self.encrypt(plain, sealed)
            self.assertEqual(sealed.stat().st_size, sealed_size(size))
            self.assertEqual(self.workspace.decode(sealed), pattern(size))
            self.decrypt(sealed, opened)
            self.assertEqual(opened.read_bytes(), pattern(size))
            self.assertEqual(plain.read_bytes(), pattern(size))

    def test_questions_about_a_file_outside(self):
        plain, sealed = self.place / "plain", self.place / "sealed"
        plain.write_bytes(b"content")
        self.encrypt(plain, sealed)
        self.workspace.ctl("is-encrypted", sealed, status=DONE)
        self.workspace.ctl("is-encrypted", plain, status=NO)
        self.assertEqual(self.workspace.owner(sealed), ANN)
        self.workspace.ctl("owner", plain, status=NOT_MANAGED)
        self.assertTrue(self.workspace.info(sealed)["managed"])

    def test_an_encrypted_file_dropped_into_the_backing_directory_just_works(self):
        plain, sealed = self.place / "plain", self.place / "sealed"
        plain.write_bytes(pattern(50_000))
        self.encrypt(plain, sealed)
        self.workspace.unmount()
        shutil.copyfile(sealed, self.workspace.on_disk(self._testMethodName, "dropped"))
        self.workspace.mount()
        self.workspace.unlock()
        path = self.directory / "dropped"
        self.assertEqual(path.read_bytes(), pattern(50_000))
        self.assertEqual(self.workspace.owner(path), ANN)

    def test_a_backing_file_taken_out_can_be_decrypted(self):
        path = self.write(self.directory / "file", pattern(50_000))
        taken, opened = self.place / "taken", self.place / "opened"
        shutil.copyfile(self.backing_of(path), taken)
        self.decrypt(taken, opened)
        self.assertEqual(opened.read_bytes(), pattern(50_000))

    def test_decrypt_does_not_replace_a_file_with_half_a_result(self):
        path = self.write(self.directory / "file", pattern(50_000))
        damaged, opened = self.place / "damaged", self.place / "opened"
        data = bytearray(self.backing_of(path).read_bytes())
        data[40_000] ^= 1
        damaged.write_bytes(data)
        opened.write_bytes(b"keep me")
        result = self.decrypt(damaged, opened, status=(DAMAGED, NO))
        self.assertIn("damaged", result.stderr)
        self.assertEqual(opened.read_bytes(), b"keep me")
        result = self.decrypt(damaged, self.place / "new", status=DAMAGED)
        self.assertFalse((self.place / "new").exists())

    def test_without_a_daemon_questions_work_and_keys_do_not(self):
        plain, sealed = self.place / "plain", self.place / "sealed"
        plain.write_bytes(b"content")
        self.encrypt(plain, sealed)
        self.workspace.unmount()
        try:
            self.workspace.ctl("is-encrypted", sealed, status=DONE)
            self.assertEqual(self.workspace.owner(sealed), ANN)
            self.assertEqual(self.workspace.info(sealed)["owner"], ANN)
            result = self.decrypt(sealed, self.place / "opened", status=UNREACHABLE)
            self.assertIn("work", result.stderr)
            self.assertFalse((self.place / "opened").exists())
            self.encrypt(plain, self.place / "again", status=UNREACHABLE)
            self.assertFalse((self.place / "again").exists())
        finally:
            self.workspace.mount()
            self.workspace.unlock()

    def test_an_unmanaged_owners_file_opens_without_a_daemon(self):
        data, end = pattern(50_000), 64 << 20
        path = self.directory / "own"
        with open(path, "wb") as file:
            file.write(data)
            file.truncate(end)
        self.workspace.ctl("protect", path, "--owner", PERSONAL, "--unmanaged")
        stored = self.backing_of(path)
        self.workspace.unmount()
        try:
            opened, again = self.place / "opened", self.place / "again"
            self.workspace.ctl("decrypt", stored, "-o", opened)
            self.assertEqual(opened.read_bytes(), data + bytes(end - len(data)))
            self.assertLess(opened.stat().st_blocks * 512, end // 2)
            self.workspace.ctl("decrypt", opened, "-o", again, status=NOT_MANAGED)
            shown = subprocess.run(
                ["mamctl", "decrypt", stored, "-o", "-"], stdout=subprocess.PIPE, check=True,
                env=self.workspace.environment).stdout
            self.assertEqual(shown, opened.read_bytes())
            shutil.copyfile(stored, again)
            self.workspace.ctl("decrypt", again)
            self.assertEqual(again.read_bytes(), opened.read_bytes())
        finally:
            self.workspace.mount()
            self.workspace.unlock()

    def test_decrypt_needs_an_open_window(self):
        plain, sealed = self.place / "plain", self.place / "sealed"
        plain.write_bytes(b"content")
        self.encrypt(plain, sealed)
        self.workspace.lock()
        try:
            result = self.decrypt(sealed, self.place / "opened", status=CLOSED)
            self.assertIn(ANN, result.stderr)
            self.assertFalse((self.place / "opened").exists())
        finally:
            self.workspace.unlock()

    def test_decrypt_of_a_plain_file_is_refused(self):
        plain = self.place / "plain"
        plain.write_bytes(b"content")
        self.decrypt(plain, self.place / "opened", status=NOT_MANAGED)
        self.decrypt(self.place / "missing", self.place / "opened", status=NOT_FOUND)
        self.assertFalse((self.place / "opened").exists())
