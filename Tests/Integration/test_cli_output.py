"""Output that cannot be written is told, and never goes into another file; commands that are
proposed can be run."""
import os
import signal
import subprocess
import unittest

from ordinary_user import AS_NOBODY, programs_for_all, with_fuse_device
from running import daemons
from workspace import ANN, DONE, NO, NOT_FOUND, USAGE, WorkspaceCase, wait_until


class Output(WorkspaceCase):
    def shell(self, command):
        """Its status, and what it says on standard error."""
        result = subprocess.run(
            ["sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=90,
            cwd=self.directory, env=self.workspace.environment)
        return result.returncode, result.stderr.decode()

    def test_a_full_disk_is_no_success(self):
        (self.directory / "file").write_text("text")
        for words in (
                "help", "version", "version --json", "status", "account list --json", "metrics",
                "policy show", "can", "owner file", "owner -0 file", "info file",
                "is-encrypted file", "completions bash", "report --json", "diagnostics --json",
                "top --once", "audit", "protect --owner '' --unmanaged file", "lock --now",
                f"unlock --passfile {self.workspace.passfile}", "watch", "audit --follow"):
            with self.subTest(words=words):
                status, said = self.shell(f"mamctl {words} > /dev/full")
                self.assertEqual(status, NO)
                self.assertIn("mamctl: standard output: No space left on device", said)
        # What was no success before stays what it was.
        self.assertEqual(self.shell("mamctl owner none file > /dev/full")[0], NOT_FOUND)
        self.assertEqual(self.shell("mamctl help | head -1")[0], DONE)

    def test_a_reader_that_goes_ends_who_waits(self):
        """Without anything more to write."""
        for words in ("watch", "audit --follow"):
            process = subprocess.Popen(
                ["mamctl", *words.split()], stdout=subprocess.PIPE, env=self.workspace.environment)
            self.addCleanup(process.kill)
            process.stdout.readline()
            process.stdout.close()
            self.assertEqual(process.wait(90), -signal.SIGPIPE, words)

    def test_a_closed_stream_is_not_the_next_file(self):
        place = self.workspace.root
        plain, sealed, opened = place / "plain", place / "sealed", place / "opened"
        plain.write_text("text")
        status, said = self.shell(f"mamctl encrypt {plain} --owner {ANN} -o {sealed} >&-")
        self.assertEqual(status, NO)
        self.assertIn("standard output: Bad file descriptor", said)
        self.shell(f"mamctl decrypt {sealed} -o {opened} <&- >&- 2>&-")
        self.assertEqual(opened.read_text(), "text")
        status, said = self.shell(f"mamctl encrypt - --owner {ANN} -o {place}/none <&-")
        self.assertEqual(status, NO)
        self.assertIn("standard input: Bad file descriptor", said)
        self.assertFalse((place / "none").exists())

    def test_the_version_as_an_option_prints_json_too(self):
        # No verb of its own, so no schema either.
        as_option = self.workspace.ctl("--version", "--json", prefix=("env",)).stdout
        self.assertEqual(as_option, self.workspace.ctl("version", "--json").stdout)

    def test_diagnostics_replace_nothing_unless_forced(self):
        path = self.workspace.root / "mine"
        path.write_text("mine")
        self.assertIn("--force", self.workspace.ctl("diagnostics", "-o", path, status=NO).stderr)
        self.assertEqual(path.read_text(), "mine")
        self.workspace.ctl("diagnostics", "-o", path, "--force")
        self.assertEqual(path.read_bytes()[:2], b"\x1f\x8b")

    def test_proposed_commands_are_quoted(self):
        for name in ("two words", "it's", "line\nline", "$HOME"):
            with self.subTest(name=name):
                path = self.workspace.root / name
                path.mkdir()
                said = self.workspace.ctl(
                    "mount", path, self.workspace.root, status=NOT_FOUND).stderr
                command = said.split("try: mamctl init ")[1].strip()
                shown = subprocess.run(
                    ["bash", "-c", f"printf %s {command}"], capture_output=True, check=True).stdout
                self.assertEqual(shown.decode(), str(path))

    def test_a_name_that_cannot_be_used_is_refused_in_words(self):
        said = self.workspace.serving(
            "account register", "eve\nmallory", "--passfile", self.workspace.passfile,
            status=USAGE).stderr
        self.assertIn("contains a control character", said)

    def test_what_is_locked_is_said_in_our_words(self):
        path = self.directory / "file"
        path.write_text("text")
        self.workspace.lock()
        self.addCleanup(self.workspace.unlock)
        said = self.workspace.ctl(
            "decrypt", path, "-o", self.workspace.root / "out", status=5).stderr
        self.assertIn(f"file: account '{ANN}' is locked", said)
        self.assertIn("try: mamctl unlock", said)
        # A command that the daemon proposes is said once.
        said = self.workspace.ctl("protect", path, "--owner", "eve@contoso.com", status=None).stderr
        self.assertEqual(said.count("mamctl unlock") + said.count("mamctl account list"), 1, said)


@unittest.skipIf(os.getuid() != 0, "root's daemon, and a user's")
class BesideRoots(unittest.TestCase):
    def test_a_workspace_without_an_account_does_not_count(self):
        with programs_for_all("clientcheck") as place:
            for name in ("roots", "home", "run"):
                (place / name).mkdir()
            for name in ("home", "run"):
                os.chown(place / name, 65534, 65534)
                (place / name).chmod(0o700)
            programs = place / "Tests" / "Integration" / "programs"
            path = f"{place}/bin:/usr/sbin:/usr/bin:/sbin:/bin"
            user = (
                *AS_NOBODY, "env", "-i", f"PATH={path}", f"HOME={place}/home",
                f"XDG_RUNTIME_DIR={place}/run", "bash", programs / "own_beside_roots.sh")
            result = subprocess.run(
                with_fuse_device(
                    0o666, place,
                    ("bash", programs / "beside_roots.sh", place / "roots", *user)),
                capture_output=True, text=True, timeout=180, env={"PATH": path, "LC_ALL": "C"})
            self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
            self.assertEqual(
                result.stdout.splitlines(),
                ["ann@contoso.com: registered", "only: as it should be",
                 "ann@roots.example: registered", f"status {USAGE}",
                 "only: several workspaces are mounted: own, roots"])
            self.assertIn("several workspaces are mounted: own, roots", result.stderr)
            wait_until(lambda: not list(daemons(str(place))), message="a daemon stays")


if __name__ == "__main__":
    unittest.main()
