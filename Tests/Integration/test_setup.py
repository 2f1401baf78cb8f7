"""`mamctl setup`: from nothing to an open workspace, typed on a terminal."""
import json
import os
import shutil
import stat
import subprocess
import time
import unittest

from ordinary_user import NOBODY
from systemd_machine import MachineCase
from terminal import Terminal
from running import daemons, mounts
from workspace import (
    ANN, DAMAGED, DONE, NO, NOT_FOUND, PASSPHRASE, REFUSED, USAGE, WRONG_PASSPHRASE, Workspace,
    wait_until)

NEEDS = ("e2fsprogs", "rsync", "strace")

KEYS_PASSPHRASE = "another correct horse"
# Of BIP 39's vectors.
WORDS = "legal winner thank year wave sausage worth useful legal winner thank yellow"
NO_WORDS = ("Make them now? [Y/n]", "n")
# As without settings.
ONE_ACCOUNT = {"MultiManagedIdentities": False}


def answer(terminal, answers):
    """Types each answer when its question is there. Returns how many characters that were."""
    typed, at = 0, 0
    for question, text in answers:
        wait_until(
            lambda: question.encode() in terminal.shown[at:] or terminal_read(terminal), 60,
            f"no {question!r}")
        at = terminal.shown.index(question.encode(), at) + len(question)
        if question.startswith(("Passphrase", "Again")):
            wait_until(terminal.hides_typing)
        terminal.type(text + "\n")
        typed += len(text) + 1
    return typed


def terminal_read(terminal):
    """What there is now; false, so that the caller looks again."""
    try:
        terminal.read(until=None, seconds=0.05)
    except AssertionError:
        pass
    return False


class Setup(unittest.TestCase):
    """Without a service manager."""

    def setUp(self):
        self.workspace = Workspace(settings=ONE_ACCOUNT)
        self.addCleanup(self.workspace.close)
        self.addCleanup(self.open_by_hand)
        self.workspace.mount_point.rmdir()
        self.workspace.backing.rmdir()
        self.place = self.workspace.mount_point = self.workspace.root / "Work"
        self.keys = self.workspace.root / "work.keys"

    def open_by_hand(self):
        if os.getuid() == 0 and self.place.exists() and not mounts(str(self.place)):
            subprocess.run(["chattr", "-i", self.place], check=False, capture_output=True)

    def setup(self, *words, place=None, account=(ANN,), **options):
        return self.workspace.ctl(
            "setup", place or self.place, *account, "--settings", self.workspace.settings, *words,
            **options)

    def on_terminal(self, answers, *words):
        terminal = Terminal(
            ["mamctl", "setup", "--settings", self.workspace.settings, *words],
            self.workspace.environment, columns=200)
        typed = answer(terminal, answers)
        return typed, *terminal.finish(60)

    def check(self):
        """Mounted, open, and what is written is sealed."""
        self.assertEqual(mounts(str(self.place)), [str(self.place)])
        path = self.place / "letter"
        path.write_text("sealed")
        self.assertEqual(self.workspace.owner(path), ANN)
        on_disk = self.workspace.root / ".work" / "letter"
        self.assertTrue(self.workspace.is_managed_on_disk(on_disk))
        path.unlink()

    def test_a_person_types_little(self):
        begin = time.monotonic()
        typed, status, shown = self.on_terminal((
            ("Where [", str(self.place)), ("Account [", ANN),
            ("Recovery file, - for none [", str(self.keys)), (f"Passphrase for {ANN}", PASSPHRASE),
            ("Again", PASSPHRASE), ("Passphrase of the recovery file", KEYS_PASSPHRASE),
            ("Again", KEYS_PASSPHRASE), NO_WORDS))
        print(f"{typed} characters, {time.monotonic() - begin:.1f} s", flush=True)
        self.assertEqual(status, DONE, shown)
        self.assertIn(f"{self.place} is mounted; its files are sealed in", shown)
        self.assertTrue(shown.endswith("mamctl lock --now\n"), shown)
        self.check()
        self.assertEqual(stat.S_IMODE(self.keys.stat().st_mode), 0o600)
        # The keys are in it, and open the account where its passphrase is forgotten.
        strong = self.workspace.secret("strong", KEYS_PASSPHRASE)
        self.workspace.serving(
            "account passphrase", "--export", self.keys, "--export-passfile", strong,
            "--new-passfile", self.workspace.secret("new", "yet another horse"))
        self.workspace.unmount()
        self.workspace.ctl("workspace", "remove", "work", "--confirm", "work")
        self.workspace.ctl(
            "init", self.workspace.root / ".work", "--adopt", "--name", "work", "--settings",
            self.workspace.settings)
        self.workspace.ctl("mount", self.workspace.root / ".work", self.place)
        self.workspace.ctl(
            "account", "import", self.keys, "--export-passfile", strong,
            "--passfile", self.workspace.passfile)

    def test_words_in_a_file(self):
        words = self.workspace.root / "words"
        done = json.loads(self.setup(
            "--passfile", self.workspace.passfile, "--recovery-file", words, "--json").stdout)
        tested = json.loads(self.workspace.ctl(
            "slot", "test", ANN, "--passfile", words, "--json").stdout)
        self.assertEqual((tested["id"], tested["type"]), (done["recoverySlot"], "recovery"))
        self.assertIsNone(json.loads(self.setup(
            "--passfile", self.workspace.passfile, "--json").stdout)["recoverySlot"])

    def test_words_of_an_interrupted_run_are_taken(self):
        words = self.workspace.root / "words"
        option = ("--passfile", self.workspace.passfile, "--recovery-file", words, "--json")
        self.keep(words, WORDS)
        # They are none of an account that is not there.
        self.assertIn("already exists", self.setup(*option, status=NO).stderr)
        self.assertFalse((self.workspace.root / ".work").exists())
        words.unlink()
        self.setup("--passfile", self.workspace.passfile)
        for text, mode in (f"{WORDS}\nmine", 0o600), ("mine", 0o600), (WORDS, 0o640):
            self.keep(words, text, mode)
            self.assertIn("words are never replaced", self.setup(*option, status=NO).stderr)
        self.keep(words, WORDS)
        # Made by a run that ended before the daemon had them, then by one that ended after.
        slots = [json.loads(self.setup(*option).stdout)["recoverySlot"] for _ in range(2)]
        tested = json.loads(self.workspace.ctl(
            "slot", "test", ANN, "--passfile", words, "--json").stdout)
        self.assertEqual(slots, [tested["id"]] * 2)
        self.assertEqual(words.read_text(), f"{WORDS}\n")

    @staticmethod
    def keep(path, text, mode=0o600):
        path.write_text(f"{text}\n")
        path.chmod(mode)

    def test_words_are_not_written_where_the_workspace_is(self):
        backing = self.workspace.root / ".work"
        for place, said in (backing, "in the backing directory"), (self.place, "in a workspace"):
            with self.subTest(place):
                place.mkdir(exist_ok=True)
                told = self.setup(
                    "--passfile", self.workspace.passfile, "--recovery-file", place / "words",
                    status=(NO, USAGE)).stderr
                self.assertIn(said, told)
                self.assertFalse((self.place / "words").exists())
                self.workspace.unmount()
                self.open_by_hand()
                os.chmod(self.place, 0o700)
                self.assertEqual(os.listdir(self.place), [])
                self.workspace.ctl("workspace", "remove", "work", "--confirm", "work")
                shutil.rmtree(backing)

    def test_the_end_of_input_is_no_answer(self):
        _, status, shown = self.on_terminal(
            (("Recovery file, - for none [", "\x04"),), self.place, ANN)
        self.assertEqual(status, NO, shown)
        self.assertIn("the input ended before an answer", shown)
        self.assertFalse((self.workspace.root / ".work").exists())

    def test_mistakes_cost_another_try(self):
        _, status, shown = self.on_terminal((
            ("Recovery file, - for none [", str(self.keys)),
            (f"Passphrase for {ANN}", PASSPHRASE), ("Again", "something else"),
            (f"Passphrase for {ANN}", "short"), ("Again", "short"),
            (f"Passphrase for {ANN}", PASSPHRASE), ("Again", PASSPHRASE),
            ("Passphrase of the recovery file", KEYS_PASSPHRASE), ("Again", "other"),
            ("Passphrase of the recovery file", KEYS_PASSPHRASE), ("Again", KEYS_PASSPHRASE),
            NO_WORDS), self.place, ANN)
        self.assertEqual(status, DONE, shown)
        self.assertIn("the two passphrases differ", shown)
        self.check()

    def begin_with_two_tries(self):
        """Returns what the last one is asked with."""
        self.setup("--passfile", self.workspace.passfile, "--no-recovery")
        (document,) = self.workspace.policies.glob("*.json")
        document.write_text(json.dumps({
            **json.loads(document.read_text()), "pinRequired": True, "maximumPinRetries": 2,
            "appActionIfMaximumPinRetriesExceeded": "wipe"}))
        self.workspace.serving("account check-in")
        return f"One more wrong passphrase wipes {ANN}"

    def test_the_last_try_at_words_for_an_open_account_is_asked_for(self):
        question = self.begin_with_two_tries()
        self.workspace.serving(
            "slot test", ANN, "--passfile", self.workspace.secret("wrong", "nothing like it"),
            status=WRONG_PASSPHRASE)
        words = self.workspace.root / "words"
        _, status, shown = self.on_terminal(
            (("Recovery file, - for none [", "-"), (question, "no")), self.place, ANN,
            "--recovery-file", words)
        self.assertEqual(status, REFUSED, shown)
        self.assertNotIn("Passphrase of", shown)
        self.assertFalse(words.exists())

    def test_the_last_try_is_asked_for_and_is_the_last(self):
        question = self.begin_with_two_tries()
        self.workspace.lock()
        again = (self.place, ANN, "--no-recovery")
        _, status, shown = self.on_terminal(
            (("Passphrase of", "nothing like it"), (question, "no")), *again)
        self.assertEqual(status, REFUSED, shown)
        wait_until(lambda: self.workspace.account()["retryAfterSeconds"] == 0)
        _, status, shown = self.on_terminal(
            ((question, "yes"), ("Passphrase of", "nothing like it either")), *again)
        self.assertEqual(status, WRONG_PASSPHRASE, shown)
        self.assertIn("its keys and files are destroyed", shown)
        self.assertEqual(shown.count("Passphrase "), 1, shown)
        self.assertIsNone(self.workspace.account())

    def test_the_recovery_file_has_a_passphrase_of_its_own(self):
        _, status, shown = self.on_terminal((
            ("Recovery file, - for none [", str(self.keys)),
            (f"Passphrase for {ANN}", PASSPHRASE), ("Again", PASSPHRASE),
            ("Passphrase of the recovery file", PASSPHRASE), ("Again", PASSPHRASE),
            ("Passphrase of the recovery file", KEYS_PASSPHRASE), ("Again", KEYS_PASSPHRASE),
            NO_WORDS), self.place, ANN)
        self.assertEqual(status, DONE, shown)
        self.assertIn("that is the account's passphrase", shown)
        self.check()

    def test_a_copied_workspace_on_another_machine(self):
        old = Workspace(settings=ONE_ACCOUNT)
        self.addCleanup(old.close)
        old.mount_point.rmdir()
        old.backing.rmdir()
        old.backing, old.mount_point = old.root / ".work", old.root / "Work"
        seal = ("--export-passfile", old.secret("strong", KEYS_PASSPHRASE))
        old.ctl(
            "setup", old.mount_point, ANN, "--settings", old.settings, "--passfile", old.passfile,
            "--recovery", old.root / "work.keys", *seal)
        (old.mount_point / "plan").write_text("the only copy")
        old.unmount()
        copy = self.workspace.root / ".work"
        shutil.copytree(old.root / ".work", copy, symlinks=True)
        # Whose files they are is known: another account would keep its owner's out.
        status, shown = self.on_terminal(
            ((f"Account [{ANN}]", ""), ("Recovery file", "-"),
             (f"Passphrase for {ANN}", PASSPHRASE), ("Again", PASSPHRASE), ("Type yes", "no")),
            self.place)[1:]
        self.assertEqual(status, NO, shown)
        self.workspace.unmount()
        # Without the keys it is mounted, and told what it needs.
        said = self.setup("--passfile", self.workspace.passfile, status=REFUSED).stderr
        self.assertIn("mamctl account import FILE", said)
        self.assertEqual(mounts(str(self.place)), [str(self.place)])
        shutil.copy(old.root / "work.keys", self.keys)
        options = ("--passfile", self.workspace.passfile, "--recovery", self.keys, *seal)
        kept = self.keys.read_bytes()
        for _ in range(2):
            self.setup(*options)
            self.assertEqual((self.place / "plan").read_text(), "the only copy")
        self.assertEqual(self.keys.read_bytes(), kept)
        self.check()
        # At once, and from under the name that the workspace had before.
        self.workspace.unmount()
        self.workspace.ctl("workspace", "remove", "work", "--confirm", "work")
        shutil.rmtree(copy)
        shutil.copytree(old.root / ".work", self.workspace.root / ".Work", symlinks=True)
        self.setup(*options)
        self.assertEqual((self.place / "plan").read_text(), "the only copy")
        self.assertFalse(copy.exists())

    def test_a_refusal_leaves_nothing_behind(self):
        backing = self.workspace.root / ".work"
        backing.mkdir()
        (backing / "letter").write_text("mine")
        passfile = ("--passfile", self.workspace.passfile)
        said = self.setup(*passfile, status=NO).stderr
        self.assertIn("add --adopt", said)
        self.assertFalse(self.place.exists())
        self.assertEqual(os.listdir(backing), ["letter"])
        self.assertFalse((self.workspace.policies.parent / "workspace.json").exists())
        # What a refusal has left once is no obstacle.
        self.place.mkdir(0)
        self.setup(*passfile, "--adopt")
        self.assertEqual((self.place / "letter").read_text(), "mine")
        self.check()
        self.setup(*passfile, "--adopt")

    def assert_nothing_made(self):
        self.assertFalse(self.place.exists())
        self.assertFalse((self.workspace.root / ".work").exists())
        self.assertFalse((self.workspace.policies.parent / "workspace.json").exists())
        self.assertFalse((self.workspace.state / "device-secret").exists())

    def test_nothing_is_made_before_the_passphrases_are_good(self):
        good, short = self.workspace.passfile, self.workspace.secret("short", "x")
        other = self.workspace.secret("other", KEYS_PASSPHRASE)
        missing = self.workspace.root / "missing"
        taken = self.workspace.root / "taken"
        taken.write_bytes(b"mine")
        for status, options in (
                (REFUSED, ("--passfile", short)), (NOT_FOUND, ("--passfile", missing)),
                (REFUSED, ("--no-passphrase",)), (USAGE, ()),
                (USAGE, ("--no-account", "--recovery", self.keys)),
                (REFUSED, (
                    "--passfile", good, "--recovery", self.keys, "--export-passfile", short)),
                (NOT_FOUND, (
                    "--passfile", good, "--recovery", self.keys, "--export-passfile", missing)),
                (NO, ("--passfile", good, "--recovery", taken, "--export-passfile", other))):
            self.setup(*options, status=status, input=b"")
            self.assert_nothing_made()
            self.assertFalse(self.keys.exists())
        self.assertEqual(taken.read_bytes(), b"mine")

    def test_nothing_is_made_before_the_last_question(self):
        questions = (
            ("Recovery file, - for none [", str(self.keys)), (f"Passphrase for {ANN}", PASSPHRASE),
            ("Again", PASSPHRASE), ("Passphrase of the recovery file", KEYS_PASSPHRASE),
            ("Again", KEYS_PASSPHRASE))
        for count in range(len(questions)):
            terminal = Terminal(
                ["mamctl", "setup", self.place, ANN], self.workspace.environment, columns=200)
            answer(terminal, questions[:count])
            wait_until(lambda: questions[count][0].encode() in terminal.shown[
                terminal.shown.rfind(b"\n") + 1:] or terminal_read(terminal))
            terminal.interrupt()
            status, shown = terminal.finish(60)
            self.assertNotEqual(status, DONE, shown)
            self.assert_nothing_made()
            self.assertFalse(self.keys.exists())

    def test_beside_a_mounted_workspace(self):
        passfile = ("--passfile", self.workspace.passfile)
        # What the tutorial makes is found by its name.
        backing = self.workspace.root / "elsewhere"
        self.workspace.ctl(
            "init", backing, "--name", "work", "--settings", self.workspace.settings)
        self.place.mkdir()
        self.workspace.ctl("mount", backing, self.place)
        said = json.loads(self.setup(*passfile, "--json").stdout)
        self.assertEqual(
            (said["created"], said["backingDirectory"]), (False, str(backing)))
        other = self.workspace.root / "Other"
        self.addCleanup(self.workspace.ctl, "unmount", other, status=None)
        said = json.loads(
            self.setup(*passfile, "--json", place=other, account=("bob@contoso.com",)).stdout)
        self.assertEqual((said["name"], said["created"]), ("other", True))
        (other / "file").write_text("bob's")
        self.assertEqual(self.workspace.owner(other / "file"), "bob@contoso.com")
        said = self.workspace.ctl(
            "setup", self.workspace.root / "Third", ANN, "--name", "work", *passfile,
            status=NO).stderr
        self.assertIn(f"mamctl setup {self.place}", said)
        self.assertFalse((self.workspace.root / "Third").exists())

    def test_the_next_run_goes_on(self):
        options = ("--passfile", self.workspace.passfile)
        wrong = self.workspace.secret("short", "x")
        self.setup("--no-account", account=())
        self.setup("--passfile", wrong, status=REFUSED)
        self.assertEqual(mounts(str(self.place)), [str(self.place)])
        said = json.loads(self.setup(*options, "--json").stdout)
        self.assertEqual(
            (said["name"], said["created"], said["account"], said["service"]),
            ("work", False, ANN, False))
        self.check()
        # Again, after an unmount, a lock, a kill, and with more than before.
        self.setup(*options)
        self.workspace.ctl("unmount", self.place)
        self.assertEqual(stat.S_IMODE(self.place.stat().st_mode), 0)
        # Without a file of its own, it is known whose the workspace is.
        said = json.loads(self.setup(*options, "--json", account=()).stdout)
        self.assertEqual(said["account"], ANN)
        self.workspace.ctl("lock", "--now")
        self.setup("--passfile", wrong, status=WRONG_PASSPHRASE)
        wait_until(lambda: self.setup(*options, status=None).returncode == 0)
        self.workspace.ctl("lock", "--now")
        wait_until(lambda: self.setup(*options, status=None).returncode == 0)
        (daemon,) = daemons(str(self.workspace.root))
        os.kill(daemon, 9)
        wait_until(lambda: not list(daemons(str(self.workspace.root))))
        self.setup(*options, "--recovery", self.keys, "--export-passfile", self.workspace.passfile)
        before = self.keys.read_bytes()
        self.setup(*options, "--recovery", self.keys)
        self.assertEqual(self.keys.read_bytes(), before)
        self.check()

    def test_what_no_passphrase_mends_is_told_at_once(self):
        self.setup("--passfile", self.workspace.passfile)
        _, status, shown = self.on_terminal(
            (("Recovery file", "-"), ("Passphrase for bob", PASSPHRASE), ("Again", PASSPHRASE)),
            self.place, "bob")
        self.assertEqual(status, REFUSED, shown)
        self.assertIn("only one managed account is allowed", shown)
        self.assertIn(f"(mamctl account deregister {ANN} ends that)", shown)
        self.assertEqual(shown.count("Passphrase for bob"), 1, shown)
        # The account that is there is the default.
        _, status, shown = self.on_terminal(
            ((f"Account [{ANN}]", ""), ("Recovery file", "-")), self.place)
        self.assertEqual(status, DONE, shown)

    def test_a_kill_at_any_step_is_continued(self):
        if not shutil.which("strace"):
            self.skipTest("strace kills between the steps")
        options = ("--passfile", self.workspace.passfile)
        killed = 0
        for step, calls in (("mkdir", 6), ("renameat", 6), ("fsync", 8), ("sendmsg", 8)):
            for call in range(1, calls, 2):
                strace = (
                    "strace", "-qq", "-o", "/dev/null", "-e",
                    f"inject={step}:signal=KILL:when={call}")
                result = self.setup(*options, status=None, prefix=strace)
                killed += result.returncode != 0
                wait_until(
                    lambda: self.setup(*options, status=None).returncode == 0,
                    message=f"{step} {call}")
                self.check()
                self.workspace.ctl("unmount", self.place)
                self.workspace.ctl("workspace", "remove", "work", "--confirm", "work")
                shutil.rmtree(self.workspace.root / ".work")
                self.place.rmdir()
        print(f"{killed} runs were killed", flush=True)
        self.assertGreater(killed, 5)

    def test_what_is_there_is_left(self):
        self.place.mkdir()
        (self.place / "file").touch()
        said = self.setup("--passfile", self.workspace.passfile, status=NO).stderr
        self.assertIn(f"{self.place} is not empty", said)
        self.assertEqual(os.listdir(self.place), ["file"])
        self.assertFalse((self.workspace.root / ".work").exists())
        (self.place / "file").unlink()
        self.setup("--passfile", self.workspace.passfile)
        other = self.workspace.root / "other"
        said = self.setup("--backing", other, status=NO, input=b"").stderr
        self.assertIn(f"the workspace 'work' is at {self.workspace.root}/.work already", said)
        said = self.setup("--name", "we/rd", status=USAGE).stderr
        self.assertIn("not a valid workspace name", said)

    def test_a_live_mount_keeps_its_mode(self):
        other = Workspace()
        self.addCleanup(other.close)
        other.init().mount()
        before = os.stat(other.mount_point).st_mode
        said = self.workspace.ctl(
            "setup", other.mount_point, ANN, "--backing", self.workspace.root / "backing",
            "--passfile", self.workspace.passfile, status=NO).stderr
        self.assertIn(f"workspace '{other.name}' is mounted there already", said)
        # mamd itself, which units start, does not shut the root of a mount either.
        self.setup("--passfile", self.workspace.passfile)
        self.workspace.unmount()
        daemon = subprocess.Popen(
            ["mamd", "-f", "-o", "shut", "--", self.workspace.root / ".work", other.mount_point],
            env=self.workspace.environment, stderr=subprocess.DEVNULL)
        wait_until(
            lambda: daemon.poll() is not None or len(mounts(str(other.mount_point))) == 2)
        daemon.terminate()
        daemon.wait(60)
        self.assertEqual(os.stat(other.backing).st_mode, before)

    def test_places_within_each_other_are_refused(self):
        self.place.mkdir()
        for backing in (self.place, self.place / "backing"):
            said = self.setup(
                "--backing", backing, "--passfile", self.workspace.passfile, status=NO).stderr
            self.assertIn("must not contain each other", said)
        self.assertEqual(os.listdir(self.place), [])

    @unittest.skipUnless(os.getuid() == 0, "only root can make what is another user's")
    def test_a_backing_directory_of_another_users_is_refused(self):
        elsewhere = self.workspace.root / "elsewhere"
        elsewhere.mkdir()
        link = self.workspace.root / "link"
        link.symlink_to(elsewhere)
        os.lchown(link, NOBODY, NOBODY)
        theirs = self.workspace.root / "theirs"
        theirs.mkdir()
        os.chown(theirs, NOBODY, NOBODY)
        for backing, reason in ((link, "link"), (theirs, f"belongs to uid {NOBODY}")):
            said = self.setup(
                "--backing", backing, "--passfile", self.workspace.passfile, status=NO).stderr
            self.assertIn(reason, said)
        self.assertEqual(os.listdir(elsewhere) + os.listdir(theirs), [])

    def test_a_path_that_a_unit_would_change_is_refused(self):
        for name in (b"W\xff", b"tab\there", b"blank "):
            path = os.fsencode(self.workspace.root) + b"/" + name
            said = self.workspace.ctl(
                "setup", os.fsdecode(path), ANN, "--name", "odd", "--passfile",
                self.workspace.passfile, status=USAGE).stderr
            self.assertIn("a unit cannot have", said)
            self.assertFalse(os.path.exists(path))

    def test_a_pipe_is_no_recovery_file(self):
        self.setup("--passfile", self.workspace.passfile)
        os.mkfifo(self.keys)
        self.setup("--recovery", self.keys, status=(NO, USAGE))

    def test_an_older_recovery_file_is_no_copy_of_new_keys(self):
        keys = self.workspace.root / "older.keys"
        keys.write_bytes(b"older")
        said = self.setup(
            "--passfile", self.workspace.passfile, "--recovery", keys, "--export-passfile",
            self.workspace.passfile, status=NO).stderr
        self.assertIn(f"{keys} exists, and does not hold this account's keys", said)
        self.assertEqual(keys.read_bytes(), b"older")

    def test_nor_is_one_from_before_the_first_passphrase(self):
        export = ["--recovery", self.keys, "--export-passfile", self.workspace.passfile]
        self.setup("--no-account", account=())
        self.workspace.unmount()
        (policy,) = self.workspace.policies.iterdir()
        policy.write_text(json.dumps({**json.loads(policy.read_text()), "pinRequired": False}))
        self.setup("--no-passphrase", *export)
        self.setup("--no-passphrase", *export)
        said = self.workspace.serving(
            "account passphrase", ANN, "--new-passfile", self.workspace.passfile).stdout
        self.assertIn("a recovery file from before does not open them", said)
        self.assertIn(
            "does not hold this account's keys",
            self.setup("--passfile", self.workspace.passfile, *export, status=NO).stderr)
        self.keys.unlink()
        for _ in range(2):
            self.setup("--passfile", self.workspace.passfile, *export)
        said = self.workspace.serving(
            "account passphrase", ANN, "--passfile", self.workspace.passfile, "--new-passfile",
            self.workspace.passfile).stdout
        self.assertIn("passphrase changed", said)
        self.setup("--passfile", self.workspace.passfile, *export)


    def test_nor_is_one_from_before_other_keys_joined(self):
        passphrase = ["--passfile", self.workspace.passfile]
        seal = ["--export-passfile", self.workspace.passfile]
        other = Workspace().init().mount().register()
        self.addCleanup(other.close)
        joined = other.root / "joined.keys"
        other.serving("account export", ANN, "-o", joined, *passphrase, *seal)
        recovery = [*passphrase, "--recovery", self.keys, *seal]
        for _ in range(2):
            self.setup(*recovery)
        self.workspace.serving("account import", joined, "--join", *passphrase, *seal)
        said = self.setup(*recovery, status=NO).stderr
        self.assertIn("does not hold this account's keys", said)
        keybags = list((self.workspace.state / "keybags").iterdir())
        kept = {path: path.read_bytes() for path in keybags}
        for path in keybags:
            path.write_bytes(b"damaged")
        # The daemon has the keys: what lies on disk is not asked.
        said = self.setup(*recovery, status=NO).stderr
        self.assertIn("does not hold this account's keys", said)
        for path, keybag in kept.items():
            path.write_bytes(keybag)
        self.keys.unlink()
        for _ in range(2):
            self.setup(*recovery)

    def test_nor_is_a_damaged_one_or_anothers(self):
        seal = ["--export-passfile", self.workspace.passfile]
        recovery = ["--passfile", self.workspace.passfile, "--recovery", self.keys, *seal]
        self.setup(*recovery)
        good = self.keys.read_bytes()
        self.keys.write_bytes(good[:-1])
        self.assertIn(str(self.keys), self.setup(*recovery, status=DAMAGED).stderr)
        self.keys.write_bytes(b"mine")
        self.assertIn(str(self.keys), self.setup(*recovery, status=USAGE).stderr)
        self.assertEqual(self.keys.read_bytes(), b"mine")
        other = Workspace().init().mount().register()
        self.addCleanup(other.close)
        self.keys.unlink()
        other.serving(
            "account export", ANN, "-o", self.keys, "--passfile", other.passfile, *seal)
        said = self.setup(*recovery, status=NO).stderr
        self.assertIn("does not hold this account's keys", said)
        # Locked, the account has the same keys.
        self.keys.write_bytes(good)
        self.workspace.ctl("lock", "--now")
        self.setup(*recovery)


@unittest.skipUnless(os.getuid() == 0, "makes name spaces with a process 1 of their own")
class AtLogin(MachineCase):
    """With the real systemd, the user's and the system's."""

    def test_a_user_and_the_next_login(self):
        self.machine.run("systemctl", "start", "users")
        home = self.machine.home
        place, keys = home / "Work", home / "work.keys"
        terminal = Terminal(
            self.machine.inner(["mamctl", "setup"], user=True), self.machine.environment(True),
            columns=200)
        begin = time.monotonic()
        typed = answer(terminal, (
            ("Where [", ""), ("Account [", ANN), ("Recovery file, - for none [", ""),
            (f"Passphrase for {ANN}", PASSPHRASE), ("Again", PASSPHRASE),
            ("Passphrase of the recovery file", KEYS_PASSPHRASE), ("Again", KEYS_PASSPHRASE),
            NO_WORDS))
        status, shown = terminal.finish(60)
        print(f"{typed} characters, {time.monotonic() - begin:.1f} s", flush=True)
        self.assertEqual(status, DONE, shown)
        self.assertIn("each login mounts it (mamd@work)", shown)
        self.assertTrue(keys.exists())
        self.machine.run("sh", "-c", 'echo sealed > "$1/letter"', "sh", place, user=True)
        # The session ends, and the next begins.
        self.log_out("mamd@work")
        for command in (["sh", "-c", f"echo lost > {place}/file"], ["mkdir", place / "new"],
                        ["rsync", "-r", "--delete", f"{place}/", f"{home}/copy"]):
            self.assertNotEqual(self.machine.run(*command, user=True, check=False).returncode, 0)
        self.assertEqual(stat.S_IMODE(place.stat().st_mode), 0)
        self.machine.run("systemctl", "start", "users")
        self.machine.run("mamctl", "wait", "--mounted", "--timeout", "60", user=True)
        # Renamed, the login mounts it by its new name.
        self.machine.run("mamctl", "unmount", place, user=True)
        said = self.machine.run("mamctl", "workspace", "rename", "work", "contoso", user=True)
        self.assertEqual(said.stdout, "work: its name is contoso now\n")
        self.log_out("mamd@contoso")
        self.machine.run("systemctl", "start", "users")
        self.machine.run("mamctl", "wait", "--mounted", "--timeout", "60", user=True)
        passfile = home / "passphrase"
        passfile.write_text(PASSPHRASE)
        os.chown(passfile, NOBODY, NOBODY)
        self.machine.run(
            "mamctl", "unlock", "--workspace", "contoso", "--passfile", passfile, user=True)
        said = self.machine.run("cat", place / "letter", user=True)
        self.assertEqual(said.stdout, "sealed\n")

    def test_the_systems_own(self):
        place = self.machine.place / "Shared"
        passfile = self.machine.place / "passphrase"
        passfile.write_text(PASSPHRASE)
        said = json.loads(self.machine.run(
            "mamctl", "setup", place, ANN, "--passfile", passfile, "--json").stdout)
        self.assertTrue(said["service"])
        self.assertEqual(
            self.machine.run("systemctl", "is-enabled", "mamd@shared").stdout, "enabled\n")
        (self.machine.inside(place) / "file").write_text("x")
        self.machine.run("mamctl", "unmount", place)
        said = self.machine.run("touch", place / "lost", check=False)
        self.assertIn("Operation not permitted", said.stderr)
        self.machine.run("systemctl", "start", "mamd@shared")
        self.machine.run("systemctl", "stop", "mamd@shared")
        self.machine.run("mamctl", "workspace", "remove", "shared", "--confirm", "shared")
        self.machine.run("rmdir", place)
