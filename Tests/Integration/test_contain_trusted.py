"""Trusted programs read files that are only for contained ones: who may start which."""
import errno
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from ordinary_user import NOBODY
from socket_client import Client, Refusal
from test_contained import SECRET, Contained
from workspace import ANN, BOB, DONE, NOT_FOUND, PERSONAL, PROGRAMS, REFUSED, USAGE, wait_until

NEEDS = ("acl",)

MAMCTL = shutil.which("mamctl")
CAT, SH = (os.path.realpath(path) for path in ("/bin/cat", "/bin/sh"))
IS_ROOT = os.getuid() == 0


class Trusted(Contained):
    # A shell, so that the tests can do anything: no administrator would name one.
    settings = {**Contained.settings, "TrustedPrograms": [CAT, SH]}
    accounts = (ANN, BOB)

    def trusted(self, *command, options=(), status=DONE, environment=None, prefix=()):
        done = subprocess.run(
            [*prefix, "mamctl", "run", "--workspace", self.workspace.name, "--trusted", *options,
             "--", *map(os.fspath, command)],
            capture_output=True, stdin=subprocess.DEVNULL, timeout=90,
            env={**self.workspace.environment, **(environment or {})})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def bobs(self, name="bobs.txt"):
        return self.workspace.write_contained(self.directory / name, b"Bob's", BOB)

    def records(self):
        told = self.workspace.serving("audit", "--event", "trusted", "--json").stdout
        return [json.loads(line) for line in told.splitlines()]


class Read(Trusted):
    def test_only_it_reads_and_only_while_it_runs(self):
        plan = self.secret()
        with self.refused(errno.EACCES):
            plan.read_bytes()
        # Its output is free: it is not contained.
        self.assertEqual(self.trusted(CAT, plan).stdout, SECRET)
        self.assertEqual(self.trusted(CAT, plan, options=("--account", ANN)).stdout, SECRET)
        copy = self.workspace.root / "copy"
        self.trusted(SH, "-c", 'cat "$1" > "$2"', "sh", plan, copy)
        self.assertEqual(copy.read_bytes(), SECRET)
        with self.refused(errno.EACCES):
            plan.read_bytes()

    def test_one_accounts_files_or_all(self):
        plan, bobs = self.secret(), self.bobs()
        self.assertEqual(self.trusted(CAT, plan, bobs).stdout, SECRET + b"Bob's")
        done = self.trusted(CAT, plan, bobs, options=("--account", ANN), status=1)
        self.assertEqual(done.stdout, SECRET)
        self.assertIn(b"Permission denied", done.stderr)
        self.trusted(CAT, plan, options=("--account", "no@one.example"), status=NOT_FOUND)

    def test_a_wiped_accounts_program_does_not_read_anothers(self):
        plan, name = self.bobs(), "carl@contoso.com"
        self.workspace.register(name)
        script = 'echo started; read line; exec cat "$1"'
        child = subprocess.Popen(
            ["mamctl", "run", "--workspace", self.workspace.name, "--trusted", "--account", name,
             "--", SH, "-c", script, "sh", plan],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=self.workspace.environment)
        self.assertEqual(child.stdout.readline(), b"started\n")
        self.workspace.serving("wipe", name, "--confirm", name)
        out, error = child.communicate(b"\n", timeout=60)
        self.assertEqual(out, b"")
        self.assertIn(b"Permission denied", error)

    def test_orphans_stay_trusted(self):
        plan, out = self.secret(), self.workspace.root / "orphans"
        alone = self.workspace.root / "alone"
        orphan = (
            'while [ ! -e "$3" ]; do sleep 0.05; done; cat "$1" > "$2.new"; mv "$2.new" "$2"')
        self.trusted(
            SH, "-c", 'orphan=$1; shift; setsid sh -c "$orphan" sh "$@" > /dev/null 2>&1 &', "sh",
            orphan, plan, out, alone)
        alone.touch()
        wait_until(out.exists, message="the orphan has ended without a word")
        self.assertEqual(out.read_bytes(), SECRET)

    def test_it_changes_nothing_and_makes_its_accounts_files_alone(self):
        plan, bobs, plain = self.secret(), self.bobs(), self.directory / "plain.txt"
        self.workspace.write_as(PERSONAL, plain, "mine")
        for options in ((), ("--account", ANN)):
            for path in (plan, bobs, plain):
                done = self.trusted(
                    SH, "-c", 'echo more >> "$1"', "sh", path, options=options, status=2)
                self.assertIn(b"Permission denied", done.stderr)
                done = self.trusted(
                    SH, "-c", 'echo new > "$1"', "sh", path, options=options, status=2)
                self.assertIn(b"Permission denied", done.stderr)
        self.assertEqual(plain.read_bytes(), b"mine")
        self.assertEqual(self.trusted(CAT, plan).stdout, SECRET)
        new = self.directory / "new.txt"
        copy = (SH, "-c", 'cat "$1" > "$2"', "sh", plan)
        self.trusted(*copy, new, options=("--account", ANN))
        self.assertEqual(self.workspace.owner(new), ANN)
        # Of all accounts' content: no file would have the right owner.
        for path in (self.directory / "nobodys.txt", plain):
            self.assertIn(b"Permission denied", self.trusted(*copy, path, status=2).stderr)
        self.assertFalse((self.directory / "nobodys.txt").exists())
        self.assertEqual(plain.read_bytes(), b"mine")

    def test_it_gives_no_file_away_over_the_socket(self):
        plan = self.secret()
        for options in ((), ("--account", ANN)):
            done = self.trusted(
                SH, "-c", '"$4" decrypt "$1" -o "$2" --workspace "$3"', "sh",
                self.backing_of(plan), self.workspace.root / "out", self.workspace.name, MAMCTL,
                options=options, status=REFUSED)
            self.assertIn(b"keeps it to its own contained programs", done.stderr)
            self.assertFalse((self.workspace.root / "out").exists())

    def test_the_audit_tells_each_start(self):
        before = len(self.records())
        self.trusted(SH, "-c", "true", options=("--account", ANN))
        self.trusted(SH, "-c", "true")
        told = self.records()[before:]
        self.assertEqual([one["account"] for one in told][:1], [ANN])
        self.assertEqual({one["account"] for one in told[1:]}, {ANN, BOB})
        for one in told:
            self.assertEqual(
                (one["path"], one["uid"], one["program"]), (SH, os.getuid(), "mamctl"))

    def test_it_ends_as_the_command_does(self):
        self.trusted(SH, "-c", "exit 3", status=3)
        self.trusted(SH, "-c", "kill -TERM $$", status=-signal.SIGTERM)


class Start(Trusted):
    def test_only_what_the_setting_names(self):
        before = len(self.records())
        # Links lead to the file that counts.
        link = self.workspace.root / "link"
        link.symlink_to(CAT)
        plan = self.secret()
        self.assertEqual(self.trusted(link, plan).stdout, SECRET)
        for program in ("/usr/bin/head", shutil.copy(CAT, self.workspace.root / "cat")):
            done = self.trusted(program, plan, status=REFUSED)
            self.assertIn(b"TrustedPrograms", done.stderr)
            self.assertIn(os.fsencode(os.path.realpath(program)), done.stderr)
        self.assertIn(b"absolute path", self.trusted("cat", plan, status=USAGE).stderr)
        self.trusted("/nonexistent", status=127)
        self.assertEqual(len(self.records()), before + 2)

    def test_options(self):
        for options in (["--contained"], ["--identity", ANN], ["--network", "none"],
                        ["--discard-output"], ["--unmanaged"]):
            self.trusted(CAT, options=options, status=USAGE)
        self.workspace.ctl("run", "--account", ANN, "--", "true", status=USAGE)

    def test_variables_with_code_stay_out(self):
        bad = ["LD_PRELOAD", "GCONV_PATH", "BASH_ENV", "PYTHONPATH", "OPENSSL_CONF", "RSYNC_RSH",
               "GIT_SSH_COMMAND", "NODE_OPTIONS", "OF_NOBODY_YET", "EMPTY", "LCD", "HOMES"]
        good = {"HOME": "/home/ann", "LC_TIME": "C", "TZ": "UTC", "XDG_SESSION_ID": "1=2"}
        done = self.trusted(
            SH, "-c", "env", environment={**dict.fromkeys(bad, "/nonexistent"), **good})
        told = dict(line.split("=", 1) for line in done.stdout.decode().splitlines())
        self.assertEqual(set(told) & set(bad), set())
        self.assertEqual({name: told.get(name) for name in good}, good)
        self.assertEqual(told["PATH"], "/usr/sbin:/usr/bin:/sbin:/bin")

    def test_a_contained_program_does_not_become_one(self):
        plan, out = self.secret(), self.directory / "out"
        text = self.contained(
            "mamctl", "run", "--workspace", self.workspace.name, "--trusted", "--", CAT, plan,
            status=REFUSED)
        self.assertIn(b"may not call io.mamd.Identity.Trust", text)
        self.assertFalse(out.exists())

    def test_a_contained_child_does_not_become_one(self):
        """By a caller that may: what the child was told it is, it stays."""
        def tried(way):
            done = subprocess.run(
                [sys.executable, "-B", PROGRAMS / "trust_child.py", self.workspace.socket, CAT, ANN,
                 way],
                capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

        self.assertIn("is contained", tried("contain"))
        self.assertEqual(tried("not"), "trusted\n")

    def test_what_the_call_takes(self):
        """A process that is not a child of the caller's, and no program."""
        program = os.open(CAT, os.O_PATH)
        with Client(self.workspace.socket) as client:
            for descriptors, parameters in (
                    ([program, os.pidfd_open(os.getppid())],
                     {"programDescriptor": 0, "processDescriptor": 1}),
                    ([program, program], {"programDescriptor": 0, "processDescriptor": 1}),
                    ([os.open("/", os.O_PATH), os.pidfd_open(os.getpid())],
                     {"programDescriptor": 0, "processDescriptor": 1}),
                    ([program], {"programDescriptor": 0, "processDescriptor": 4})):
                with self.assertRaises(Refusal):
                    client.call("Identity.Trust", descriptors, account=None, **parameters)


@unittest.skipUnless(IS_ROOT, "acts as several users, which only root can")
class OtherUsers(Trusted):
    def test_an_ordinary_user_does_not_start_one(self):
        folder = self.workspace.socket.parent
        for place in (self.workspace.root, self.workspace.mount_point, folder.parent, folder):
            os.chmod(place, 0o755)
        child = subprocess.Popen(["sleep", "60"])
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        parameters = {"programDescriptor": 0, "processDescriptor": 1}
        descriptors = [os.open(CAT, os.O_PATH), os.pidfd_open(child.pid)]
        for account in (None, ANN):
            with Client(self.workspace.socket, NOBODY) as client:
                with self.assertRaises(Refusal) as caught:
                    client.call("Identity.Trust", descriptors, account=account, **parameters)
                self.assertIn("only root", str(caught.exception))
        self.assertEqual(self.records(), [])
        # The same call is root's.
        with Client(self.workspace.socket) as client:
            client.call("Identity.Trust", descriptors, account=None, **parameters)
        self.assertNotEqual(self.records(), [])


@unittest.skipUnless(IS_ROOT, "makes directories that only root may change")
class Places(Trusted):
    """The program's path, each part of it."""

    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(tempfile.mkdtemp(dir="/var/lib", prefix="mamd-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        cls.program = cls.place / "bin" / "program"
        cls.program.parent.mkdir()
        shutil.copy(CAT, cls.program)
        cls.settings = {
            **Trusted.settings, "TrustedPrograms": [str(cls.program), str(cls.place / "bin")]}
        super().setUpClass()

    def setUp(self):
        super().setUp()
        for path in (self.place, self.program.parent, self.program):
            os.chown(path, 0, 0)
            path.chmod(0o755)

    def test_a_path_of_roots(self):
        self.assertEqual(self.trusted(self.program, self.secret()).stdout, SECRET)

    def test_others_own_a_part(self):
        plan = self.secret()
        for path in (self.place, self.program.parent, self.program):
            os.chown(path, NOBODY, 0)
            said = self.trusted(self.program, plan, status=REFUSED).stderr.decode()
            self.assertIn(f"{path} belongs to uid {NOBODY}", said)
            self.assertIn(f"chown root: {path}", said)
            os.chown(path, 0, 0)

    def test_others_write_to_a_part(self):
        plan = self.secret()
        for path in (self.place, self.program.parent, self.program):
            for mode in (0o757, 0o775, 0o1777):
                path.chmod(mode)
                said = self.trusted(self.program, plan, status=REFUSED).stderr.decode()
                self.assertIn(f"can write to {path}\n", said)
                self.assertIn(f"chmod go-w {path}", said)
            path.chmod(0o755)

    def test_an_acl_counts(self):
        if not shutil.which("setfacl"):
            self.skipTest("no setfacl")
        subprocess.run(["setfacl", "-m", f"u:{NOBODY}:rwx", self.program.parent], check=True)
        self.addCleanup(subprocess.run, ["setfacl", "-b", self.program.parent])
        self.trusted(self.program, self.secret(), status=REFUSED)

    def test_a_directory_is_no_program(self):
        said = self.trusted(self.program.parent, status=REFUSED).stderr
        self.assertIn(b"no regular file", said)

    def test_another_file_in_another_name_space(self):
        """A bind mount that the daemon does not see."""
        other = self.place / "other"
        shutil.copy(SH, other)
        done = self.trusted(
            self.program, status=REFUSED,
            prefix=("unshare", "--mount", "sh", "-c", 'mount --bind "$1" "$2"; shift 2; "$@"', "sh",
                    other, self.program))
        self.assertIn(b"another file", done.stderr)


class Nothing(Contained):
    """As it is delivered."""

    def test_no_program_is_trusted(self):
        done = subprocess.run(
            ["mamctl", "run", "--workspace", self.workspace.name, "--trusted", "--", CAT],
            capture_output=True, stdin=subprocess.DEVNULL, env=self.workspace.environment)
        self.assertEqual(done.returncode, REFUSED, done.stderr)


if __name__ == "__main__":
    unittest.main()
