"""Verbs that take files: names from lists and as they are, several files at once, the standard
streams."""
import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import unittest

from ordinary_user import NOBODY
from terminal import on_terminal
from tracing import tasks
from workspace import (
    ANN, CLOSED, DAMAGED, DONE, FIRST, NO, NOT_FOUND, NOT_MANAGED, PAYLOAD, REFUSED, USAGE,
    WorkspaceCase, pattern, wait_until)

NEEDS = ("acl", "strace")

# Names that a line cannot carry, or a terminal must not see.
NAMES = [b"plain", b"with\nnewline", b"back\\slash", b"no\xffutf8", b"esc\x1b[31m", b"tab\there"]
SIZES = (0, 1, FIRST, FIRST + PAYLOAD + 1, (1 << 20) + 3, 3 << 20)


class Case(WorkspaceCase):
    def setUp(self):
        super().setUp()
        self.outside = self.workspace.root / f"outside-{self._testMethodName}"
        self.outside.mkdir()
        self.ctl = self.workspace.ctl

    def run_bytes(self, *words, status=DONE, **stdin):
        result = subprocess.run(
            ["mamctl", *words], capture_output=True, env=self.workspace.environment, timeout=90,
            **stdin)
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stdout

    def plain(self, name, data=b"plain text\n"):
        path = self.outside / name
        path.write_bytes(data)
        return path

    def sealed(self, name, data):
        path = self.plain(name, data)
        self.ctl("encrypt", path, "--owner", ANN)
        return path

    def left(self):
        """What lies beside the files of a test, and is none of them."""
        return [name for name in os.listdir(self.outside) if name.startswith(".")]


class Names(Case):
    def make(self):
        paths = [os.path.join(os.fsencode(self.directory), name) for name in NAMES]
        for path in paths:
            with open(path, "wb") as file:
                file.write(b"x")
        return paths

    def test_records_end_in_nul_and_names_are_raw(self):
        paths = self.make()
        listed = b"\0".join(paths) + b"\0"
        for verb, before, after in (
            ("owner", ANN.encode() + b"\t", b""), ("class", b"A\t", b""),
            ("is-encrypted", b"", b": encrypted"),
        ):
            with self.subTest(verb=verb):
                shown = self.run_bytes(verb, "-0", "--files-from", "-", input=listed)
                self.assertEqual(shown, b"".join(before + path + after + b"\0" for path in paths))
        info = self.run_bytes("info", "--null", "--files-from", "-", input=listed).split(b"\0")
        self.assertEqual([record.split(b"\n  owner")[0] for record in info], [*paths, b""])
        # Without it a name stays on its line.
        lines = self.run_bytes("owner", "-0", "--files-from", "-", input=listed)
        self.assertEqual(self.run_bytes("owner", *paths).count(b"\n"), len(paths))
        self.assertNotEqual(lines.count(b"\n"), len(paths))

    def test_protect_prints_them_too(self):
        paths = self.make()
        # What we name comes back as it was; the daemon names what is below a directory.
        shown = self.run_bytes(
            "protect", "--owner", "", "--unmanaged", "-0", "--files-from", "-",
            input=b"\0".join(paths))
        self.assertEqual(
            sorted(shown.split(b"\0"))[1:],
            sorted(b"nobody\t" + path + b"\tnow plain" for path in paths))
        shown = self.run_bytes("protect", self.directory, "--owner", ANN, "-0")
        self.assertEqual(
            sorted(shown.split(b"\0")),
            sorted([b"", *(ANN.encode() + b"\t" + path for path in paths)]))

    def test_lists(self):
        one, two = self.plain("one"), self.plain("two")
        names = self.outside / "names"
        names.write_text(f"{one}\n\n{two}")
        self.assertEqual(self.ctl("class", "--files-from", names).stdout.count("\n"), 2)
        self.assertEqual(
            self.ctl("class", self.plain("three"), "--files-from", names).stdout.count("\n"), 3)
        names.write_bytes(b"")
        self.assertEqual(self.ctl("class", "--files-from", names).stdout, "")
        names.write_bytes(os.fsencode(one) + b"\0")
        self.assertIn("--null", self.ctl("class", "--files-from", names, status=USAGE).stderr)
        self.assertIn(
            "nosuch", self.ctl("class", "--files-from", "nosuch", status=NOT_FOUND).stderr)

    def test_several_is_encrypted(self):
        plain, sealed = self.plain("plain"), self.sealed("sealed", b"x")
        self.ctl("is-encrypted", sealed, sealed)
        self.assertEqual(
            self.ctl("is-encrypted", sealed, plain, status=NO).stdout.count(": not encrypted"), 1)
        missing = self.outside / "missing"
        shown = json.loads(
            self.ctl("is-encrypted", "--json", missing, plain, sealed, status=NOT_FOUND).stdout)
        self.assertEqual([("error" in file) for file in shown], [True, False, False])


class NothingToDo(Case):
    def test_an_empty_list_is_no_failure(self):
        for verb in (
                "owner", "class", "info", "is-encrypted", "decrypt", "protect --owner x",
                "encrypt --owner x -o out"):
            shown = self.ctl(*verb.split(), "--files-from", "-", input=b"")
            self.assertEqual((shown.stdout, shown.stderr), ("", ""), verb)

    def test_a_reader_that_has_enough_ends_it_quietly(self):
        plain = self.plain("plain", pattern(3 << 20))
        for command in (f"data protect {plain} --owner {ANN}", f"data unprotect {plain}"):
            shown = subprocess.run(
                ["bash", "-c", f"mamctl {command} | head -c 10 | wc -c; echo ${{PIPESTATUS[0]}}"],
                capture_output=True, text=True, env=self.workspace.environment, timeout=90)
            self.assertEqual((shown.stdout.split(), shown.stderr), (["10", "141"], ""), command)

    def test_what_is_missing_is_named(self):
        self.assertIn("mount: MOUNTPOINT is missing", self.ctl("mount", "x", status=USAGE).stderr)
        self.assertIn("'y' is an extra operand", self.ctl("unmount", "x", "y", status=USAGE).stderr)

    def test_no_workspace_inside_another(self):
        place = self.workspace.on_disk("inner")
        self.assertIn("a backing directory", self.ctl("init", place, status=NO).stderr)
        self.assertFalse(place.exists())


class Several(Case):
    def test_in_place(self):
        files = [self.plain(f"file{number}", pattern(5000, number)) for number in range(3)]
        missing = self.outside / "missing"
        shown = json.loads(
            self.ctl(
                "encrypt", files[0], missing, *files[1:], "--owner", ANN, "--json",
                status=NOT_FOUND).stdout)
        self.assertEqual([file.get("bytes") for file in shown], [5000, None, 5000, 5000])
        self.assertTrue(all(self.workspace.is_managed_on_disk(file) for file in files))
        # What is encrypted already is told, and the others go on.
        more = self.plain("more")
        self.assertIn(
            "already", self.ctl("encrypt", files[0], more, "--owner", ANN, status=NO).stderr)
        self.assertTrue(self.workspace.is_managed_on_disk(more))
        self.ctl("decrypt", *files)
        self.assertEqual(
            [file.read_bytes() for file in files], [pattern(5000, number) for number in range(3)])
        self.assertEqual(self.left(), [])

    def test_in_a_mount_and_outside_at_once(self):
        inside, outside = self.write(self.directory / "inside", b"in"), self.plain("outside")
        self.ctl("encrypt", inside, outside, "--owner", ANN)
        self.ctl("is-encrypted", inside, outside)

    def test_what_is_sealed_outside_may_become_plain_there(self):
        sealed, plain = self.outside / "sealed", self.plain("plain")
        self.ctl("encrypt", plain, "--owner", ANN, "-o", sealed)
        self.assertEqual(os.listxattr(sealed), [])
        number = sealed.stat().st_ino
        shutil.copyfile(plain, sealed)
        self.assertEqual(sealed.stat().st_ino, number)
        self.ctl("is-encrypted", sealed, status=NO)
        self.ctl("encrypt", sealed, "--owner", ANN)
        self.ctl("is-encrypted", sealed)

    def test_into_a_directory(self):
        files = [self.plain(f"file{number}", pattern(5000, number)) for number in range(3)]
        sealed, plain = self.outside / "sealed", self.outside / "plain"
        sealed.mkdir()
        plain.mkdir()
        self.ctl("encrypt", *files, "--owner", ANN, "-o", sealed)
        self.assertIn(
            "exists", self.ctl(
                "encrypt", *files, "--owner", ANN, "-o", f"{sealed}/", status=NO).stderr)
        self.ctl("decrypt", *(sealed / file.name for file in files), "-o", f"{plain}/")
        for file in files:
            self.assertEqual((plain / file.name).read_bytes(), file.read_bytes())
        self.ctl("encrypt", *files, "--owner", ANN, "-o", files[0], "--force", status=USAGE)
        self.ctl(
            "encrypt", files[0], "--owner", ANN, "-o", f"{self.outside}/nosuch/", status=NOT_FOUND)
        same = plain / files[0].name
        self.assertIn(
            "two of", self.ctl(
                "encrypt", files[0], same, "--owner", ANN, "-o", sealed, status=USAGE).stderr)

    def test_links(self):
        """A symbolic link leads to the file that is converted; a hard link stays what it was, and
        that is said."""
        file = self.plain("file")
        link, hard = self.outside / "link", self.outside / "hard"
        link.symlink_to("file")
        self.ctl("encrypt", link, "--owner", ANN)
        self.assertTrue(link.is_symlink() and self.workspace.is_managed_on_disk(file))
        self.ctl("decrypt", file)
        hard.hardlink_to(file)
        self.assertIn(
            "1 more hard link, which still has the",
            self.ctl("encrypt", file, "--owner", ANN).stderr)
        self.assertEqual(hard.read_bytes(), b"plain text\n")

    def test_the_other_names_of_a_file_in_a_mount_are_told(self):
        file, folder = self.write(self.directory / "file", b"content"), self.directory / "folder"
        folder.mkdir()
        other, third = folder / "it's", self.directory / "third"
        other.hardlink_to(file)
        said = self.ctl("decrypt", file, status=REFUSED).stderr
        self.assertIn("the file has 2 names", said)
        self.assertIn(f"the other is '{folder}/it'\\''s'\n", said)
        third.hardlink_to(file)
        said = self.ctl("decrypt", other, status=REFUSED).stderr
        self.assertRegex(said, rf"the others are ({file} {third}|{third} {file})\n")
        for name in (other, third):
            name.unlink()
        self.ctl("decrypt", file)

    @unittest.skipUnless(os.getuid() == 0, "gives files to others, which only root can")
    def test_set_user_id_bits_go_with_their_owner(self):
        """What root converts of somebody else's does not become a program that runs as root."""
        foreign, own = self.plain("foreign"), self.plain("own")
        os.chown(foreign, NOBODY, NOBODY)
        for path in (foreign, own):
            path.chmod(0o6755)
        sealed, opened = self.outside / "sealed", self.outside / "opened"
        for path, kept in ((foreign, 0), (own, 0o6000)):
            with self.subTest(path=path.name):
                self.ctl("encrypt", path, "--owner", ANN, "-o", sealed, "--force")
                self.assertEqual(sealed.stat().st_mode & 0o6777, 0o755 | kept)
        self.ctl("encrypt", foreign, "--owner", ANN)
        self.assertEqual((foreign.stat().st_uid, foreign.stat().st_mode & 0o6777), (NOBODY, 0o6755))
        self.ctl("decrypt", foreign, "-o", opened)
        self.assertEqual((opened.stat().st_uid, opened.stat().st_mode & 0o6777), (0, 0o755))

    @unittest.skipUnless(os.getuid() == 0, "gives files to others, which only root can")
    def test_in_place_nobody_gets_more_than_before(self):
        """A directory gives new files a group, and readers: not one that takes another's place."""
        path = self.plain("private")
        path.chmod(0o640)
        os.chown(self.outside, 0, NOBODY)
        self.outside.chmod(0o2775)
        access_list = "system.posix_acl_access"
        for entry in ("default:user:4711:r", "default:group::r"):
            subprocess.run(["setfacl", "-m", entry, self.outside], check=True)
        for verb in (["encrypt", "--owner", ANN], ["decrypt"]):
            self.ctl(*verb, path)
            self.assertEqual((path.stat().st_gid, path.stat().st_mode & 0o7777), (0, 0o640))
            self.assertNotIn(access_list, os.listxattr(path))
        # The other way round: a list lets in the same users as before, and not the group.
        subprocess.run(["setfacl", "-m", "user:4712:r,group::-", path], check=True)
        before = os.getxattr(path, access_list)
        self.ctl("encrypt", path, "--owner", ANN)
        self.assertEqual(os.getxattr(path, access_list), before)

    def test_only_files_are_replaced(self):
        places = [self.outside / "pipe"]
        os.mkfifo(places[0])
        if os.getuid() == 0:
            places.append(self.outside / "device")
            os.mknod(places[1], 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        for place in places:
            before = place.lstat()
            said = self.ctl(
                "encrypt", self.plain("file"), "--owner", ANN, "-o", place, "--force",
                status=NO).stderr
            self.assertIn("not a regular file", said)
            self.assertEqual(
                (place.lstat().st_mode, place.lstat().st_ino), (before.st_mode, before.st_ino))

    def test_a_file_that_is_changed_meanwhile_is_left_as_it_is(self):
        for change in (self.append, self.replace):
            # It has looked at the file, and made the new one, when it asks the daemon.
            for call in ("sendmsg", "fsync"):
                with self.subTest(change=change.__name__, call=call):
                    path = self.plain(f"{change.__name__} {call}", pattern(20_000))
                    self.change_behind(call, path, change)
        self.assertEqual(self.left(), [])

    def change_behind(self, call, path, change):
        """The file is another when mamctl has made its first call of that name."""
        log = self.workspace.root / f"{path.name}.calls"
        process = subprocess.Popen(
            ["strace", "-qq", "-f", "-o", log, "-e", f"trace={call}",
             "-e", f"inject={call}:signal=SIGSTOP:when=1", "mamctl", "encrypt", path,
             "--owner", ANN], stderr=subprocess.PIPE, env=self.workspace.environment)
        wait_until(lambda: log.exists() and "stopped by SIGSTOP" in log.read_text())
        expected = change(path)
        (child,) = self.children(process.pid, "mamctl")
        os.kill(child, signal.SIGCONT)
        said = process.communicate(timeout=90)[1].decode()
        self.assertEqual(process.returncode, NO, said)
        self.assertIn("changed meanwhile", said)
        self.assertEqual(path.read_bytes(), expected)

    def test_a_new_file_is_no_more_open_than_the_umask_and_a_replaced_one_than_it_was(self):
        sealed, opened = self.outside / "sealed", self.outside / "opened"
        self.ctl("encrypt", self.plain("file"), "--owner", ANN, "-o", sealed)
        sealed.chmod(0o666)
        for mask, expected in ((0o077, 0o600), (0o027, 0o640), (0o022, 0o644)):
            opened.unlink(missing_ok=True)
            narrowed = ["sh", "-c", f'umask {mask:o}; exec "$@"', "sh"]
            self.ctl("decrypt", sealed, "-o", opened, prefix=narrowed)
            self.assertEqual(opened.stat().st_mode & 0o7777, expected)
        opened.chmod(0o604)
        self.ctl("decrypt", sealed, "-o", opened, "--force")
        self.assertEqual(opened.stat().st_mode & 0o7777, 0o604)

    def children(self, pid, name):
        found = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [child for child in map(int, found) if child in tasks(child, name)]

    def append(self, path):
        with open(path, "ab") as file:
            file.write(b"the last line\n")
        return pattern(20_000) + b"the last line\n"

    def replace(self, path):
        other = self.plain("other", b"saved anew\n")
        other.rename(path)
        return b"saved anew\n"


class Streams(Case):
    def test_there_and_back(self):
        for size in SIZES:
            with self.subTest(size=size):
                data, out = pattern(size, size), self.outside / f"sealed{size}"
                self.run_bytes("encrypt", "-", "--owner", ANN, "-o", out, input=data)
                self.assertEqual(self.workspace.decode(out), data)
                self.assertEqual(self.run_bytes("decrypt", out, "-o", "-"), data)
                if not data:
                    continue
                # Through pipes.
                sealed = self.run_bytes("encrypt", "-", "--owner", ANN, input=data)
                again = self.plain(f"again{size}", sealed)
                self.assertEqual(self.run_bytes("decrypt", again, "-o", "-"), data)
                self.assertEqual(self.run_bytes("decrypt", "-", input=sealed), data)
                self.assertEqual(self.run_bytes("data", "unprotect", input=sealed), data)
        self.assertEqual(self.left(), [])

    def test_pipes_take_what_is_an_accounts_and_nothing_else(self):
        sealed = self.run_bytes("encrypt", "-", "--owner", ANN, input=b"words")
        for owner in ("", "eve@home.example"):
            words = "encrypt", "-", "--owner", owner
            self.assertEqual(self.run_bytes(*words, input=b"words", status=NOT_MANAGED), b"")
        self.assertEqual(self.run_bytes("decrypt", "-", input=b"plain", status=NOT_MANAGED), b"")
        cut = sealed[:-1]
        self.assertEqual(self.run_bytes("decrypt", "-", "-o", "-", input=cut, status=DAMAGED), b"")
        out = self.outside / "from a pipe"
        self.run_bytes("decrypt", "-", "-o", out, input=cut, status=DAMAGED)
        self.assertFalse(out.exists())
        self.run_bytes("decrypt", "-", "-o", out, input=sealed)
        self.assertEqual(out.read_bytes(), b"words")
        # What is redirected may be in the form of files too.
        with open(self.sealed("file", b"of a file"), "rb") as file:
            self.assertEqual(self.run_bytes("decrypt", "-", stdin=file), b"of a file")

    def test_info_of_a_pipe(self):
        sealed = self.run_bytes("encrypt", "-", "--owner", ANN, input=b"words")
        (found,) = json.loads(self.run_bytes("info", "-", "--json", input=sealed))
        self.assertEqual((found["owner"], found["managed"]), (ANN, True))
        (found,) = json.loads(self.run_bytes("info", "-", "--json", input=b"words"))
        self.assertEqual((found["state"], found["managed"]), ("foreign", False))

    def test_files_are_read_and_written_where_they_stand(self):
        """Redirected, a standard stream is a file with a position."""
        data, out = pattern(9000), self.outside / "sealed"
        source = self.plain("source", b"skipped" + data)
        environment = self.workspace.environment
        with open(source, "rb", buffering=0) as file:
            file.read(7)
            subprocess.run(
                ["mamctl", "encrypt", "-", "--owner", ANN, "-o", out], stdin=file, env=environment,
                stdout=subprocess.DEVNULL, check=True)
        target = self.outside / "target"
        subprocess.run(
            ["sh", "-c", f'(echo before; mamctl decrypt "{out}" -o -; echo after) > "{target}"'],
            env=environment, check=True)
        self.assertEqual(target.read_bytes(), b"before\n" + data + b"after\n")

    def test_damage(self):
        """What came out is right, and the status says that it is not all."""
        data = pattern(5 << 20)
        path = self.sealed("file", data)
        raw = bytearray(path.read_bytes())
        raw[4 << 20] ^= 1
        path.write_bytes(raw)
        shown = self.run_bytes("decrypt", path, "-o", "-", status=DAMAGED)
        self.assertTrue(data.startswith(shown))
        self.assertGreater(len(shown), 1 << 20)
        self.assertLess(len(shown), 4 << 20)
        path.write_bytes(raw[:1 << 20])
        shown = self.run_bytes("decrypt", path, "-o", "-", status=DAMAGED)
        self.assertTrue(data.startswith(shown))

    def test_a_lock_ends_it(self):
        """Also one that waits for more."""
        out = self.outside / "sealed"
        process = subprocess.Popen(
            ["mamctl", "encrypt", "-", "--owner", ANN, "-o", out], stdin=subprocess.PIPE,
            stderr=subprocess.PIPE, env=self.workspace.environment)
        process.stdin.write(pattern(2 << 20))
        process.stdin.flush()
        self.workspace.lock()
        try:
            # Standard input stays open: it is not waited for.
            self.assertEqual(process.wait(90), CLOSED)
            self.assertIn(b"locked", process.stderr.read())
            self.assertFalse(out.exists())
            self.assertEqual(self.left(), [])
            self.assertEqual(
                self.run_bytes(
                    "encrypt", "-", "--owner", ANN, "-o", out, input=b"x", status=CLOSED), b"")
        finally:
            process.stdin.close()
            process.stderr.close()
            self.workspace.unlock()

    def test_what_makes_no_sense(self):
        path = self.sealed("file", b"text")
        for words in (
            ["encrypt", "-", "--owner", ANN, "--json"],
            ["encrypt", "-", path, "--owner", ANN, "-o", self.outside],
            ["encrypt", "-", "--owner", ANN, "-o", "-", "--json"],
            ["decrypt", path, path, "-o", "-"],
            ["decrypt", "-", path, "-o", self.outside], ["encrypt", "-", path, "--owner", ANN],
        ):
            with self.subTest(words=words):
                self.assertIn("try:", self.ctl(*words, status=USAGE, input=b"").stderr)

    def test_a_terminal_gets_text_alone(self):
        environment = self.workspace.environment
        text, binary = self.sealed("text", "Grüße\n".encode() * 2000), self.sealed(
            "binary", b"\x1b[31m\0" + bytes(99))

        def shown(*words):
            return on_terminal(["mamctl", *words], environment)

        self.assertEqual(shown("decrypt", text, "-o", "-"), (DONE, "Grüße\n" * 2000))
        status, said = shown("decrypt", binary, "-o", "-")
        self.assertEqual(status, NO)
        self.assertNotIn("\x1b[31m\0", said)
        self.assertIn("--force", said)
        self.assertIn("\x1b[31m\0", shown("decrypt", binary, "-o", "-", "--force")[1])
        for words in (("encrypt", self.plain("plain"), "-o", "-"), ("data", "protect")):
            status, said = shown(*words, "--owner", ANN)
            self.assertEqual(status, USAGE)
            self.assertIn("terminal", said)


if __name__ == "__main__":
    unittest.main()
