"""What `verify` checks besides the content of files: keybags, classes of directories, leftovers,
files without a key."""
import json
import os
import shutil

from verifying import PLAIN, VerifyCase, changed
from workspace import ANN, BOB, CLOSED, DAMAGED, DONE, Workspace


class Surroundings(VerifyCase):
    def all(self, *options, status=DONE):
        """Of the whole workspace."""
        mounted = self.workspace.mount_point.is_mount()
        place = self.workspace.mount_point if mounted else self.workspace.backing
        unlock = [] if mounted else ["--unlock", ANN, "--passfile", self.workspace.passfile]
        result = self.workspace.ctl("verify", place, "--json", *unlock, *options, status=status)
        return {
            finding["path"]: (finding["problem"], finding["outcome"])
            for finding in json.loads(result.stdout)["findings"]}

    def setUp(self):
        super().setUp()
        (first,) = (self.workspace.state / "keybags").glob("*.keybag")
        self.keybags = first, first.with_name(first.name + ".copy")

    def test_a_bad_copy_of_a_keybag_is_written_anew(self):
        for mounted in (False, True):
            if mounted:
                self.mount()
            for number in (0, 1):
                for damage in ("flip", "missing", "older"):
                    with self.subTest(mounted=mounted, copy=number, damage=damage):
                        path = self.keybags[number]
                        data = path.read_bytes()
                        path.unlink() if damage == "missing" else path.write_bytes(
                            changed(data, 800, bytes([data[800] ^ 1])) if damage == "flip" else b"")
                        before = path.read_bytes() if path.exists() else None
                        name = f"keybags/{path.name}"
                        self.assertEqual(self.all(status=DAMAGED), {name: ("keybag", "left")})
                        self.assertEqual(path.read_bytes() if path.exists() else None, before)
                        self.assertEqual(self.all("--repair"), {name: ("keybag", "repaired")})
                        self.assertEqual(path.read_bytes(), data)
                        self.assertEqual(self.all(), {})

    def test_both_copies_are_written_anew_while_the_account_is_in_memory(self):
        self.mount()
        data = [path.read_bytes() for path in self.keybags]
        paths = self.keybags
        for path in paths:
            path.unlink()
        names = {f"keybags/{path.name}" for path in paths}
        self.assertEqual(self.all(status=DAMAGED), dict.fromkeys(names, ("keybag", "left")))
        self.assertEqual(self.all("--repair"), dict.fromkeys(names, ("keybag", "repaired")))
        self.assertEqual([path.read_bytes() for path in paths], data)

    def test_both_copies_bad_are_left_and_so_are_the_account_s_files(self):
        data = [path.read_bytes() for path in self.keybags]
        for path, good in zip(self.keybags, data):
            path.write_bytes(changed(good, 800, bytes([good[800] ^ 1])))
        try:
            bad = [path.read_bytes() for path in self.keybags]
            result = self.workspace.ctl(
                "verify", self.workspace.backing, "--json", "--repair", status=DAMAGED)
            found = {
                (each["path"], each["problem"], each["outcome"])
                for each in json.loads(result.stdout)["findings"]}
            self.assertIn((f"keybags/{self.keybags[0].name}", "keybag", "left"), found)
            self.assertIn((f"{self._testMethodName}/good", "keyMissing", "unchecked"), found)
            self.assertEqual([path.read_bytes() for path in self.keybags], bad)
            self.assertEqual(self.disk("good").read_bytes(), self.good)
        finally:
            for path, good in zip(self.keybags, data):
                path.write_bytes(good)
        self.assertEqual(self.all(), {})

    def test_a_file_of_another_device_is_not_checked_and_not_moved(self):
        other = Workspace(name="other")
        self.addCleanup(other.close)
        other.init().mount().register(BOB)
        other.path("file").write_bytes(PLAIN)
        other.unmount()
        self.lay(foreign=other.on_disk("file").read_bytes())
        for mounted in (False, True):
            if mounted:
                self.mount()
            self.assertEqual(
                self.verify("--repair", status=CLOSED), {"foreign": [("keyMissing", "unchecked")]})
        self.assertTrue(self.disk("foreign").exists())

    def test_a_damaged_block_of_a_locked_file_is_not_known_and_a_zero_one_is(self):
        flipped = changed(self.good, 9000, bytes([self.good[9000] ^ 1]))
        self.lay(
            flipped=flipped, zero=changed(self.good, 4096, bytes(4096)),
            cut=self.good[:4096 * 2 + 5])
        self.assertEqual(
            self.verify("locked", "--repair", status=DAMAGED),
            {"zero": [("zeros", "left", (1, 1))], "cut": [("end", "left", (1, 1))]})
        self.assertIn("unlock", self.findings[0]["action"])
        self.assertEqual(self.verify(status=DAMAGED)["flipped"], [("blocks", "left", (2, 2))])

    def test_a_class_of_a_directory_that_makes_no_sense_becomes_a(self):
        names = {"letter": b"x", "long": b"AAAA", "good": b"B", "empty": b""}
        for mounted in (False, True):
            with self.subTest(mounted=mounted):
                for name, value in names.items():
                    directory = self.backing_of(self.directory / f"{name}-{mounted}")
                    directory.mkdir()
                    os.setxattr(directory, "user.mam.class", value)
                if mounted:
                    self.mount()
                bad = [f"{name}-{mounted}" for name in ("letter", "long", "empty")]
                # One that the daemon did not set counts, and is told.
                unproved = f"good-{mounted}"

                def found(outcome):
                    senseless = {name: [("directoryClass", outcome)] for name in bad}
                    return {unproved: [("unproved", outcome)], **senseless}
                self.assertEqual(self.verify(status=DAMAGED), found("left"))
                self.assertEqual(self.verify("--repair"), found("repaired"))
                self.assertEqual(self.verify(), {})
                for name in [*bad, unproved]:
                    value = os.getxattr(self.backing_of(self.directory / name), "user.mam.class")
                    self.assertEqual(value[:2], b"B\0" if name == unproved else b"A\0")

    def test_leftovers_of_a_conversion_are_removed(self):
        work = self.workspace.on_disk(".mamd", "work")
        left = work / "convert-1-17"
        left.write_bytes(b"half of it")
        self.assertEqual(
            self.all(status=DAMAGED), {".mamd/work/convert-1-17": ("leftover", "left")})
        self.assertTrue(left.exists())
        self.assertEqual(
            self.all("--repair"), {".mamd/work/convert-1-17": ("leftover", "repaired")})
        self.assertEqual(list(work.iterdir()), [])
        self.assertEqual(self.all(), {})
        shutil.rmtree(work)
        self.assertEqual(self.all(), {})
