"""After a clean end a file that was cut or made longer is damaged, and never shown as whole."""
import errno
import os
import signal
import unittest

from running import has_ended
from tampering import Tampering
from tracing import injecting
from verifying import PLAIN, VerifyCase, zeroed
from workspace import ANN, BLOCK, DAMAGED, DONE, FIRST, LONG, kept_known, wait_until

TAMPERINGS = 2000 if LONG else 60


class Ends(VerifyCase):
    @property
    def mark(self):
        return self.workspace.state / "clean-end"

    def test_a_cut_or_extended_file_is_refused_and_named(self):
        sizes = (BLOCK, BLOCK + 1, 2 * BLOCK + 500, len(self.good) - 1, len(self.good) + 104)
        for size in sizes:
            data = self.good[:size].ljust(size, b"\0")
            self.lay(other=data)
            self.mount()
            path = self.directory / "other"
            for flags in (os.O_RDONLY, os.O_WRONLY, os.O_WRONLY | os.O_APPEND, os.O_RDWR):
                with self.refused(errno.EBADMSG):
                    os.close(os.open(path, flags))
            with self.refused(errno.EBADMSG):
                os.truncate(path, 10)
            plain = "owner", "--set", "bob@example.org", "--unmanaged"
            self.workspace.ctl(*plain, path, status=DAMAGED)
            path.stat()
            name = f"{self._testMethodName}/other"
            told = f"{name}, a file of {ANN}: it was cut off or a write was interrupted"
            self.assertIn(told, self.log())
            self.assertIn(name, self.workspace.serving("audit", "--json").stdout)
            self.assertIn("other", self.verify(status=DAMAGED))
            self.assertEqual(self.disk("other").read_bytes(), data)
            self.verify("--repair", status=(DONE, DAMAGED))
            found = path.read_bytes()
            self.assertTrue(found == PLAIN[:len(found)])
            self.workspace.unmount()

    def test_one_whose_last_block_is_not_its_last_is_refused(self):
        """Blocks were cut out before it, or it is a hole or zeros."""
        self.mount()
        with open(self.directory / "sparse", "wb") as file:
            file.write(PLAIN)
            file.seek(6_000_000)
            file.write(PLAIN)
        self.workspace.unmount()
        sparse = self.disk("sparse").read_bytes()
        hole, end = sparse.index(bytes(BLOCK)) // BLOCK + 2, len(sparse) // BLOCK - 1
        others = {
            "middle": self.good[:2 * BLOCK] + self.good[3 * BLOCK:],
            "before": self.good[:4 * BLOCK] + self.good[5 * BLOCK:],
            "zeros": zeroed(self.good, 5, 5), "sparse-zeros": zeroed(sparse, end, end),
            "hole": sparse[:hole * BLOCK + 500], "hole-cut": sparse[:hole * BLOCK],
            "hole-out": sparse[:hole * BLOCK] + sparse[(hole + 9) * BLOCK:]}
        self.lay(**others)
        self.mount()
        for name in others:
            for flags in (os.O_RDONLY, os.O_WRONLY | os.O_APPEND):
                with self.subTest(name), self.refused(errno.EBADMSG):
                    os.close(os.open(self.directory / name, flags))
        self.assertEqual(self.verify(status=DAMAGED).keys(), others.keys())
        self.assertEqual((self.directory / "sparse").read_bytes()[-len(PLAIN):], PLAIN)
        # What a repair has given up is no more than that.
        self.verify("--repair", status=(DONE, DAMAGED))
        for name in others:
            with open(self.directory / name, "rb", buffering=0) as file:
                self.assertEqual(os.pread(file.fileno(), FIRST, 0), PLAIN[:FIRST], name)

    def test_one_that_is_begun_anew_may_be_damaged(self):
        self.lay(other=self.good[:2 * BLOCK + 500])
        self.mount()
        path = self.directory / "other"
        path.write_bytes(b"new")
        self.assertEqual(path.read_bytes(), b"new")
        self.assertEqual(self.verify(), {})

    def test_who_writes_the_backing_directory_cannot_tell_of_a_crash(self):
        self.lay(other=self.good[:2 * BLOCK + 500])
        self.workspace.on_disk(".mamd", "lock").write_text("process 1, at /nowhere\n")
        self.mount()
        with self.refused(errno.EBADMSG):
            (self.directory / "other").read_bytes()
        self.assertIn("can be repaired with mamctl verify --repair", self.log())
        self.workspace.unmount()
        self.assertTrue(self.mark.exists())

    def test_a_workspace_of_an_older_build_is_looked_through_once(self):
        self.mark.unlink()
        self.lay(other=self.good[:2 * BLOCK + 500])
        self.mount()
        self.assertFalse(self.mark.exists())
        self.assertEqual((self.directory / "other").read_bytes(), PLAIN[:FIRST + 500])
        self.recovered()
        self.assertIn("other, a file of", self.log())
        self.workspace.unmount()
        self.assertTrue(self.mark.exists())

    def test_a_read_only_mount_takes_no_mark_away_and_makes_none(self):
        self.workspace.mount("-o", "ro")
        self.assertTrue(self.mark.exists())
        self.workspace.unmount()
        self.mark.unlink()
        self.workspace.mount("-o", "ro")
        self.workspace.unmount()
        self.assertFalse(self.mark.exists())

    def test_there_is_no_mark_while_files_can_be_written(self):
        self.mount()
        self.assertFalse(self.mark.exists())
        pid = self.workspace.daemon()
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: has_ended(pid))
        self.workspace.mount()
        self.assertFalse(self.mark.exists())
        self.recovered()
        self.workspace.unmount()
        self.assertTrue(self.mark.exists())

    def test_without_its_header_a_sealed_file_does_not_become_a_foreign_one(self):
        names = ("swapped", "wiped", "cut", "foreign")
        self.mount()
        for name in names:
            self.write(self.directory / name, PLAIN)
        self.workspace.unmount()
        one, two = self.good[:BLOCK], self.good[BLOCK:2 * BLOCK]
        self.lay(
            swapped=two + one + self.good[2 * BLOCK:], wiped=bytes(BLOCK) + self.good[BLOCK:],
            cut=self.good[:3], foreign=b"something else")
        self.disk("new").write_bytes(b"a foreign file")
        self.mount()
        for name in names:
            with self.refused(errno.EBADMSG):
                (self.directory / name).read_bytes()
        self.assertEqual((self.directory / "new").read_bytes(), b"a foreign file")
        found = self.verify(status=DAMAGED)
        lost = {name: [("header", "left")] for name in names}
        self.assertEqual(found, {**lost, "new": [("foreign", "noted")]})
        (self.directory / "wiped").write_bytes(b"new")
        self.assertEqual((self.directory / "wiped").read_bytes(), b"new")

    def test_what_is_restored_in_place_is_what_it_is(self):
        """A sealed file is; plain content where a sealed file was says how it is meant."""
        self.mount()
        for name in ("sealed", "plain"):
            self.write(self.directory / name, b"to be lost")
        self.workspace.unmount()
        self.lay(sealed=self.good, plain=PLAIN)
        self.mount()
        self.check_tree(sealed=PLAIN)
        with self.refused(errno.EBADMSG):
            (self.directory / "plain").read_bytes()
        self.assertEqual(self.verify(status=DAMAGED), {"plain": [("header", "left")]})
        note = "user.mam.sealed"
        self.assertIn(f"setfattr -x {note} FILE", self.findings[0]["reason"])
        self.workspace.unmount()
        os.removexattr(self.disk("plain"), note)
        self.mount()
        self.check_tree(plain=PLAIN)

    def test_one_whose_first_block_was_never_stored_is_empty(self):
        """As a full disk leaves a new file that nobody synced."""
        zeros = {"read": bytes(BLOCK), "written": bytes(BLOCK), "cut": bytes(BLOCK)}
        others = {
            "longer": bytes(BLOCK + 1), "shorter": bytes(BLOCK - 1),
            "other": bytes(BLOCK - 1) + b"\1"}
        self.lay(**zeros, **others, foreign=bytes(BLOCK))
        for name in (*zeros, *others):
            os.setxattr(self.disk(name), "user.mam.sealed", b"1")
        self.mount()
        damaged = {name: [("header", "left")] for name in others}
        self.assertEqual(
            self.verify(status=DAMAGED), {**damaged, "foreign": [("foreign", "noted")]})
        path = self.directory / "read"
        for _ in range(2):
            self.assertEqual((path.stat().st_size, path.read_bytes()), (0, b""))
        self.assertIn("the next writer becomes its owner", self.workspace.ctl("info", path).stdout)
        (self.directory / "written").write_bytes(b"new")
        os.truncate(self.directory / "cut", 5)
        self.workspace.unmount()
        self.assertEqual(self.disk("read").read_bytes(), bytes(BLOCK))
        self.mount()
        for name, content in (("written", b"new"), ("cut", bytes(5))):
            self.assertEqual((self.directory / name).read_bytes(), content)
            self.assertEqual(self.workspace.owner(self.directory / name), ANN)
        self.assertEqual((self.directory / "foreign").read_bytes(), bytes(BLOCK))

    def test_one_that_was_sealed_when_it_became_known_is_not(self):
        self.mount()
        path = self.directory / "known"
        self.write(path, b"content")
        with kept_known(path):
            self.disk("known").write_bytes(bytes(BLOCK))
            for flags in (os.O_RDONLY, os.O_WRONLY | os.O_APPEND):
                with self.refused(errno.EBADMSG):
                    os.close(os.open(path, flags))
            self.assertEqual(self.verify(status=DAMAGED), {"known": [("header", "left")]})

    def test_a_reader_that_was_there_first_reads_what_is_written(self):
        self.lay(other=bytes(BLOCK))
        os.setxattr(self.disk("other"), "user.mam.sealed", b"1")
        self.mount()
        path = self.directory / "other"
        with open(path, "rb") as reader:
            self.assertEqual(reader.read(), b"")
            with open(path, "ab") as writer:
                writer.write(b"new")
            self.assertEqual(reader.read(), b"new")
        self.assertEqual(self.workspace.owner(path), ANN)
        self.assertEqual(self.verify(), {})

    @unittest.skipUnless(os.getuid() == 0, "the daemon lets nobody but root trace it")
    def test_no_file_is_made_whose_note_fails(self):
        self.mount()
        path = self.directory / "new"
        with injecting(self.workspace.daemon(), "fsetxattr", "error=EIO"):
            with self.refused(errno.EIO):
                path.write_bytes(b"x")
        self.assertFalse(self.disk("new").exists())

    def test_what_is_decrypted_in_place_is_no_sealed_file(self):
        path = self.disk("good")
        self.assertIn("user.mam.sealed", os.listxattr(path))
        self.mount()
        self.workspace.ctl(
            "owner", "--set", "me@example.org", "--unmanaged", self.directory / "good")
        self.assertNotIn("user.mam.sealed", os.listxattr(path))
        self.assertNotIn("user.mam.sealed", os.listxattr(self.directory / "good"))

    def test_nothing_tampered_with_is_shown_as_whole(self):
        tampering = Tampering(self, TAMPERINGS)
        tampering.lay()
        self.mount()
        figures = tampering.read_back()
        print(f"{TAMPERINGS} tamperings, seed {tampering.seed}: {figures}", flush=True)
        self.assertEqual(tampering.wrong, [])


if __name__ == "__main__":
    unittest.main()
