"""Key slots: several secrets open an account, and one that is removed does no more."""
import contextlib
import json
import os
import pathlib
import re
import resource
import signal
import stat
import subprocess
import sys
import unittest

from audit_files import files, records
from enrolling import EnrollmentCase
from running import has_ended
from socket_client import Client, Refusal
from terminal import Terminal
from test_contained import Contained, HERE
from workspace import (
    ANN, BOB, CLOSED, NO, PASSPHRASE, REFUSED, UNREACHABLE, USAGE, WRONG_PASSPHRASE, WorkspaceCase,
    wait_until)

OTHER = "a second passphrase"
# Of BIP 39's vectors.
WORDS = "legal winner thank year wave sausage worth useful legal winner thank yellow"
MORE_WORDS = "letter advice cage absurd amount doctor acoustic avoid letter advice cage above"


# How the other screen is left.
ERASED = "\x1b[H\x1b[K\x1b[2H\x1b[J\x1b[H"


class SlotCase(WorkspaceCase):
    def wait_out(self, account=ANN):
        wait_until(lambda: self.workspace.account(account)["retryAfterSeconds"] == 0)

    def slot(self, verb, *options, account=ANN, passfile=None, status=0):
        self.wait_out(account)
        return self.workspace.serving(
            f"slot {verb}", account, *options, "--passfile", passfile or self.workspace.passfile,
            status=status)

    def slots(self, account=ANN):
        return json.loads(self.workspace.serving("slot list", account, "--json").stdout)

    def ids(self, kind, account=ANN):
        return [slot["id"] for slot in self.slots(account) if slot["type"] == kind]

    def add_words(self, words=WORDS, account=ANN, **more):
        with Client(self.workspace.socket) as client:
            return client.call(
                "Workspace.AddSlot", account=account, type="recovery", passphrase=PASSPHRASE,
                newPassphrase=words, **more)["slot"]

    def opens(self, secret, account=ANN):
        """Whether it unlocks the locked account."""
        self.wait_out(account)
        self.workspace.lock(account)
        return self.workspace.unlock(
            account, passfile=self.workspace.secret("tried", secret),
            status=(0, WRONG_PASSPHRASE)).returncode == 0

    def attempts(self):
        """The records of wrong secrets."""
        return list((self.workspace.state / "attempts").glob("[0-9a-f]*"))

    def failures(self):
        (record,) = self.attempts()
        return int.from_bytes(record.read_bytes()[12:16], "little")

    def refusal(self, method, **parameters):
        with Client(self.workspace.socket) as client, self.assertRaises(Refusal) as caught:
            client.call(f"Workspace.{method}", account=ANN, **parameters)
        return caught.exception


class Slots(SlotCase):
    def setUp(self):
        super().setUp()
        self.wait_out()
        self.workspace.unlock()
        self.other = self.workspace.secret("other", OTHER)

    def tearDown(self):
        own = json.loads(self.slot("test", "--json").stdout)
        for slot in self.slots():
            if slot != own:
                self.slot("remove", slot["id"])
        self.assertEqual(self.slots(), [own])

    def test_a_second_passphrase_opens_until_it_is_removed(self):
        path = self.write(self.directory / "file", b"content")
        added = json.loads(
            self.slot("add", "--new-passfile", self.other, "--json").stdout)
        self.assertEqual(added["type"], "passphrase")
        self.assertEqual([slot["type"] for slot in self.slots()], ["passphrase"] * 2)
        self.assertIn(added, self.slots())
        listed = self.workspace.serving("slot list", ANN).stdout
        self.assertRegex(listed, rf"(?m)^{added['id']}\tpassphrase\t20\d\d-.*Z$")
        for secret in OTHER, PASSPHRASE:
            self.assertTrue(self.opens(secret))
            self.assertEqual(path.read_bytes(), b"content")
        tested = self.slot("test", "--json", passfile=self.other).stdout
        self.assertEqual(json.loads(tested), added)
        # By the one that goes.
        self.slot("remove", added["id"], passfile=self.other)
        self.assertFalse(self.opens(OTHER))
        self.assertTrue(self.opens(PASSPHRASE))

    def test_words_open_and_outlast_a_new_passphrase(self):
        slot = self.add_words()
        self.assertTrue(self.opens(WORDS))
        # As somebody types them.
        self.assertTrue(self.opens("1. Legal 2. Winner " + WORDS[13:].upper()))
        new = self.workspace.secret("new", "yet another horse")
        self.change(self.workspace.passfile, new)
        self.assertTrue(self.opens(WORDS))
        self.assertFalse(self.opens(PASSPHRASE))
        # They replace what is forgotten.
        words = self.workspace.secret("words", WORDS)
        self.wait_out()
        self.change(words, self.workspace.passfile)
        self.assertFalse(self.opens("yet another horse"))
        self.assertTrue(self.opens(PASSPHRASE))
        self.assertIn(slot, self.slots())
        self.slot("remove", slot["id"])
        self.assertFalse(self.opens(WORDS))
        self.assertTrue(self.opens(PASSPHRASE))

    def change(self, old, new):
        self.workspace.serving(
            "account passphrase", ANN, "--passfile", old, "--new-passfile", new)

    def test_wrong_secrets_count_whatever_they_are(self):
        self.add_words()
        before = len(records(self.workspace, "--event", "wrong-passphrase"))
        for number, wrong in enumerate((MORE_WORDS, "not it")):
            told = self.slot(
                "test", passfile=self.workspace.secret("wrong", wrong), status=WRONG_PASSPHRASE)
            self.assertNotIn(wrong, told.stderr + told.stdout)
            counted = records(self.workspace, "--event", "wrong-passphrase")[before:]
            self.assertEqual(len(counted), number + 1)
            self.assertTrue(counted[-1]["reason"].endswith(f": {number + 1}"), counted)
        self.slot("test")
        self.assertTrue(self.opens(PASSPHRASE))

    def test_what_was_done_is_audited_without_the_secret(self):
        slot = self.add_words()
        self.slot("remove", slot["id"])
        for event in "slot-added", "slot-removed":
            *_, record = records(self.workspace, "--event", event)
            self.assertEqual(record["account"], ANN)
            self.assertEqual(record["reason"], f"key slot {slot['id']} (recovery)")
            self.assertEqual(record["uid"], os.getuid())
        written = [*files(self.workspace), self.workspace.daemon_log]
        for path in written:
            if path.exists():
                self.assertNotIn("sausage", path.read_text(errors="replace"))

    def test_refusals(self):
        self.add_words()
        for words, told in (
                # The same words, typed otherwise
                (WORDS, "another slot"), (WORDS.upper(), "another slot"),
                (WORDS.replace("yellow", "zoo"), "twelve words"),
                (OTHER, "twelve words")):
            with self.subTest(words):
                refusal = self.refusal(
                    "AddSlot", type="recovery", passphrase=PASSPHRASE, newPassphrase=words)
                self.assertEqual(refusal.name, "Refused", refusal)
                self.assertIn(told, str(refusal))
        same = self.slot(
            "add", "--new-passfile", self.workspace.passfile, status=REFUSED).stderr
        self.assertIn("another slot", same)
        self.assertIn("try: mamctl slot test", same)
        words = self.workspace.secret("words", MORE_WORDS)
        told = self.slot("add", "--new-passfile", words, status=REFUSED).stderr
        self.assertIn("mamctl slot add --type recovery", told)
        self.workspace.serving(
            "account passphrase", ANN, "--passfile", self.workspace.passfile, "--new-passfile",
            words, status=REFUSED)
        self.workspace.serving(
            "account register", BOB, "--passfile", words, status=REFUSED)
        (last,) = self.ids("passphrase")
        self.assertIn(
            "mamctl account passphrase", self.slot("remove", last, status=REFUSED).stderr)
        self.assertIn("no slot", self.slot("remove", "0badcafe", status=REFUSED).stderr)
        self.slot("remove", "nonsense", status=USAGE)
        self.assertEqual(len(self.slots()), 2)
        # Of what is refused, the other secret is not tried.
        refusal = self.refusal(
            "AddSlot", type="passphrase", passphrase="not it", newPassphrase=MORE_WORDS)
        self.assertEqual(refusal.name, "Refused")
        self.assertEqual(self.workspace.account()["retryAfterSeconds"], 0)

    def test_options_are_for_their_type(self):
        for options in (
                ("--type", "recovery", "--new-passfile", self.other),
                ("--recovery-file", self.workspace.root / "words"), ("--type", "words"),
                # There is no terminal that could show them.
                ("--type", "recovery"), ("--type", "recovery", "--recovery-file", "-")):
            with self.subTest(options):
                self.slot("add", *options, status=USAGE)
        self.assertEqual(len(self.slots()), 1)

    def test_an_account_without_a_passphrase_has_no_slots(self):
        self.workspace.serving("account register", BOB, "--no-passphrase")
        self.assertEqual(self.slots(BOB), [])
        self.assertIn("no passphrase", self.workspace.serving("slot list", BOB).stdout)
        file = self.workspace.root / "bobs"
        for verb, options in (
                ("add", ("--new-passfile", self.other)), ("test", ()),
                ("add", ("--type", "recovery", "--recovery-file", file)),
                ("remove", ("1f0e7d2b",))):
            told = self.slot(verb, *options, account=BOB, status=REFUSED).stderr
            self.assertIn("no slot" if verb == "remove" else "no passphrase", told)
        self.assertFalse(file.exists())
        self.workspace.serving("wipe", BOB, "--confirm", BOB)

    def test_where_there_is_no_room_no_words_are_made(self):
        for number in range(7):
            self.slot(
                "add", "--new-passfile", self.workspace.secret("more", f"passphrase {number}"))
        self.wait_out()
        terminal = Terminal(
            ["mamctl", "slot", "add", ANN, "--type", "recovery", "--workspace",
             self.workspace.name], self.workspace.environment)
        status, shown = terminal.finish()
        self.assertEqual(status, REFUSED, shown)
        self.assertIn("8 slots", shown)
        self.assertNotIn("Write these words down", shown)

    def test_words_in_a_file(self):
        file = self.workspace.root / "words-of-ann"
        options = ("--type", "recovery", "--recovery-file", file)
        self.slot("add", *options)
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        (words,) = file.read_text().splitlines()
        self.assertRegex(words, r"^([a-z]+ ){11}[a-z]+$")
        self.assertIn(
            self.ids("recovery")[0], self.slot("test", passfile=file).stdout)
        self.assertTrue(self.opens(words))
        # Never replaced, nor in the workspace
        self.slot("add", *options, status=NO)
        inside = self.directory / "words"
        self.slot("add", "--type", "recovery", "--recovery-file", inside, status=USAGE)
        self.assertFalse(inside.exists())
        # Words that open nothing do not stay.
        other = self.workspace.root / "words-of-nobody"
        self.slot(
            "add", "--type", "recovery", "--recovery-file", other, passfile=self.other,
            status=WRONG_PASSPHRASE)
        self.assertFalse(other.exists())
        self.assertEqual(len(self.ids("recovery")), 1)


class WordsCase(SlotCase):
    def type_words(self, terminal, typed=lambda word: word, from_=0):
        """Reads the words, and types two of them. Returns them all, and how far it read."""
        self.read(terminal, b"asked for", from_)
        at = terminal.shown.rindex(b"asked for")
        found = re.findall(rb"(\d+)  ([a-z]+)\b", terminal.shown[from_:at])
        words = {int(number): word.decode() for number, word in found}
        self.assertEqual(sorted(words), list(range(1, 13)))
        terminal.type("\n")
        for _ in range(2):
            self.read(terminal, b"Word ", at)
            while not (asked := re.search(rb"Word (\d+): ", terminal.shown[at:])):
                self.read_more(terminal)
            at += asked.end()
            answer = typed(words[int(asked[1])])
            terminal.type(answer + "\n")
            if answer.split("\n")[0].lower() != words[int(asked[1])]:
                break
        return words, at

    def read(self, terminal, until, from_):
        while until not in terminal.shown[from_:]:
            self.read_more(terminal)

    def read_more(self, terminal):
        before = len(terminal.shown)
        wait_until(lambda: len(terminal.shown) > before or self.look(terminal))

    @staticmethod
    def look(terminal):
        try:
            terminal.read(seconds=0.05)
        except AssertionError:
            return False
        return False


class OnTerminal(WordsCase):
    def begin(self):
        self.wait_out()
        terminal = Terminal(
            ["mamctl", "slot", "add", ANN, "--type", "recovery", "--workspace",
             self.workspace.name], self.workspace.environment)
        terminal.read(until=b"Passphrase of")
        wait_until(terminal.hides_typing)
        terminal.type(PASSPHRASE + "\n")
        return terminal

    def test_words_are_shown_once_and_asked_for(self):
        terminal = self.begin()
        words, _ = self.type_words(terminal, str.capitalize)
        status, shown = terminal.finish()
        self.assertEqual(status, 0, shown)
        (slot,) = self.ids("recovery")
        self.assertIn(slot, shown)
        # All of them on the other screen, which was cleared before it was left.
        start, end = shown.index("\x1b[?1049h"), shown.rindex("\x1b[?1049l")
        self.assertTrue(shown[:end].endswith(ERASED))
        # That would move it into what tmux keeps, where there is no other screen.
        self.assertNotIn("\x1b[2J", shown)
        # Below all else, for small ones.
        self.assertLess(shown.index("Write these words down"), shown.index(f" {words[1]} "))
        for word in words.values():
            self.assertNotIn(f" {word} ", shown[:start])
            self.assertNotRegex(shown[end:], rf"\b{word}\b")
        text = " ".join(words[number] for number in range(1, 13))
        self.assertTrue(self.opens(text))
        self.slot("remove", slot)
        self.assertFalse(self.opens(text))

    def test_three_wrong_answers_add_nothing(self):
        terminal, at, seen = self.begin(), 0, []
        for _ in range(3):
            words, at = self.type_words(terminal, lambda word: "wrong" + word, at)
            seen.append(words)
        status, shown = terminal.finish()
        self.assertEqual(status, NO, shown)
        self.assertIn("no key slot was added", shown)
        # The same words each time.
        self.assertEqual(seen, [words] * 3)
        self.assertEqual(len(self.slots()), 1)

    def test_the_end_of_input_is_no_answer(self):
        terminal = self.begin()
        self.read(terminal, b"Press Enter", 0)
        terminal.type("\x04")
        status, shown = terminal.finish()
        self.assertEqual(status, NO)
        self.assertIn("the input ended before an answer", shown[shown.rindex("\x1b[?1049l"):])
        self.assertEqual(len(self.slots()), 1)

    def test_an_interrupt_clears_the_screen(self):
        terminal = self.begin()
        self.read(terminal, b"asked for", 0)
        terminal.interrupt()
        status, shown = terminal.finish()
        self.assertEqual(status, -2)
        self.assertTrue(shown.rstrip("^C\n").endswith(ERASED + "\x1b[?1049l"), shown[-40:])
        self.assertEqual(len(self.slots()), 1)

    def test_what_is_typed_ahead_answers_nothing_and_reaches_no_shell(self):
        self.wait_out()
        script = "stty -echo; read -r go; stty echo; \"$@\"; read -r rest; echo \"rest: $rest\""
        terminal = Terminal(
            ["sh", "-c", script, "sh", "mamctl", "slot", "add", ANN, "--type", "recovery",
             "--passfile", self.workspace.passfile, "--workspace", self.workspace.name],
            self.workspace.environment)
        # A second Enter: the words stay.
        terminal.type("\n\n")
        _, at = self.type_words(terminal, lambda word: f"{word}\nabandon ability")
        self.read(terminal, b"recovery passphrase of", at)
        terminal.type("mine\n")
        status, shown = terminal.finish()
        self.assertEqual(status, 0, shown)
        self.assertTrue(shown.endswith("rest: mine\n"), shown[-80:])
        self.slot("remove", *self.ids("recovery"))

    def test_a_wrong_passphrase_is_told_before_words_are_written_down(self):
        self.wait_out()
        terminal = Terminal(
            ["mamctl", "slot", "add", ANN, "--type", "recovery", "--passfile",
             self.workspace.secret("wrong", "not it"), "--workspace", self.workspace.name],
            self.workspace.environment)
        status, shown = terminal.finish()
        self.assertEqual(status, WRONG_PASSPHRASE, shown)
        self.assertNotIn("\x1b[?1049h", shown)

    def test_a_terminal_without_another_screen_takes_a_file(self):
        terminal = Terminal(
            ["mamctl", "slot", "add", ANN, "--type", "recovery", "--workspace",
             self.workspace.name], {**self.workspace.environment, "TERM": "dumb"})
        status, shown = terminal.finish()
        self.assertEqual(status, USAGE, shown)
        self.assertIn("--recovery-file", shown)


class Mistyped(WordsCase):
    def type_secret(self, secret, verb="unlock"):
        terminal = Terminal(
            ["mamctl", *verb.split(), ANN, "--workspace", self.workspace.name],
            self.workspace.environment)
        terminal.read(until=b"Passphrase of")
        wait_until(terminal.hides_typing)
        terminal.type(secret + "\n")
        return terminal.finish()

    def test_words_with_a_mistake_cost_no_try(self):
        for mistyped, said in (
                (WORDS.replace("wave", "weve"), "word 5"),
                (WORDS.replace("wave ", ""), "not 11"),
                (WORDS.replace("wave sausage", "sausage wave"), "order")):
            for verb in "unlock", "slot test":
                status, shown = self.type_secret(mistyped, verb)
                self.assertEqual(status, USAGE, shown)
                self.assertIn(said, shown)
                self.assertNotIn("sausage", shown)
        self.assertEqual(records(self.workspace, "--event", "wrong-passphrase"), [])
        # What somebody chose is tried, and so is all in a file.
        status, shown = self.type_secret("winner winner " + OTHER)
        self.assertEqual(status, WRONG_PASSPHRASE, shown)
        self.slot("test", passfile=self.workspace.secret(
            "mistyped", WORDS.replace("wave", "weve")), status=WRONG_PASSPHRASE)


class UnderPolicy(EnrollmentCase, SlotCase):
    def test_a_second_passphrase_gets_round_no_rule(self):
        self.set_policy(pinRequired=True, minimumPinLength=8)
        self.workspace.mount().register()
        weak = self.workspace.secret("weak", "2468013")
        self.assertIn(
            "minimumPinLength", self.slot("add", "--new-passfile", weak, status=REFUSED).stderr)
        for rules in {"periodBeforePinReset": "P90D"}, {"previousPinBlockCount": 3}:
            self.set_policy(pinRequired=True, **rules)
            self.answer("CheckIn")
            (rule,) = rules
            told = self.slot(
                "add", "--new-passfile", self.workspace.secret("other", OTHER), status=REFUSED)
            self.assertIn(rule, told.stderr)
            # Words are for what is forgotten, and judged by no rule for passphrases.
            slot = self.add_words()
            self.assertTrue(self.opens(WORDS))
            self.assertIsNone(self.block())
            self.slot("remove", slot["id"])
        self.assertEqual(len(self.slots()), 1)

    def test_words_take_no_former_passphrase_again(self):
        self.set_policy(pinRequired=True, previousPinBlockCount=3)
        self.workspace.mount().register()
        self.add_words()
        words = self.workspace.secret("words", WORDS)
        other = self.workspace.secret("other", OTHER)
        change = "account passphrase", ANN, "--passfile", words, "--new-passfile"
        self.workspace.serving(*change, other)
        told = self.workspace.serving(*change, self.workspace.passfile, status=REFUSED).stderr
        self.assertIn("previousPinBlockCount", told)

    def test_words_are_not_judged_as_a_passphrase(self):
        self.set_policy()
        self.workspace.mount().register(passfile=self.workspace.secret("weak", "2468"))
        with Client(self.workspace.socket) as client:
            client.call(
                "Workspace.AddSlot", account=ANN, type="recovery", passphrase="2468",
                newPassphrase=WORDS)
        self.set_policy(
            pinRequired=True, minimumPinLength=100, simplePinBlocked=True,
            pinCharacterSet="alphanumericAndSymbol")
        self.answer("CheckIn")
        self.assertTrue(self.opens(WORDS))
        self.assertIsNone(self.block())
        # What an unlock has found out of the passphrase stays true.
        self.workspace.lock()
        self.workspace.unlock(passfile=self.workspace.secret("weak", "2468"), status=CLOSED)
        self.assertEqual(self.block(), "passphrase")
        self.workspace.unlock(
            passfile=self.workspace.secret("words", WORDS), status=CLOSED)
        self.assertEqual(self.block(), "passphrase")

    def test_where_policy_escrows_keys_there_are_no_words(self):
        key = self.workspace.root / "org.key"
        public = self.workspace.ctl(
            "recovery", "keygen", "-o", key, "--no-passphrase").stdout.strip()
        self.set_policy(mamdRecoveryPublicKey=public)
        self.workspace.mount().register()
        refusal = self.refusal(
            "AddSlot", type="recovery", passphrase=PASSPHRASE, newPassphrase=WORDS)
        self.assertEqual(refusal.name, "Refused")
        self.assertIn("mamdRecoveryPublicKey", str(refusal))
        file = self.workspace.root / "words"
        told = self.slot("add", "--type", "recovery", "--recovery-file", file, status=REFUSED)
        self.assertIn("recovery key", told.stderr)
        self.assertFalse(file.exists())
        self.assertEqual(len(self.slots()), 1)

    def test_wrong_ones_lock_out(self):
        self.set_policy(pinRequired=True, maximumPinRetries=2)
        self.workspace.mount().register()
        for words in WORDS, MORE_WORDS:
            self.slot(
                "test", passfile=self.workspace.secret("wrong", words), status=WRONG_PASSPHRASE)
        self.assertEqual(self.block(), "lockedOut")
        for verb, options in ("test", ()), ("remove", (self.ids("passphrase")[0],)):
            self.slot(verb, *options, status=CLOSED)


class RefusedByOne(EnrollmentCase, SlotCase):
    """A secret that the first slot has refused, and that nobody tries on the second."""

    def begin_with_slots(self, *others, passes, mebibytes):
        """The first as cheap as it goes, and others of this cost."""
        self.set_policy(pinRequired=True, maximumPinRetries=2)
        self.workspace.mount().register()
        self.workspace.unmount()
        (path,) = self.workspace.policies.parent.glob("settings.json")
        cost = {"Passes": passes, "MemoryMiB": mebibytes}
        path.write_text(json.dumps({**json.loads(path.read_text()), "KeyDerivation": cost}))
        self.workspace.mount()
        for other in others:
            self.slot("add", "--new-passfile", self.workspace.secret("other", other))

    def size(self):
        """The daemon's address space, in bytes."""
        status = pathlib.Path(f"/proc/{self.workspace.daemon()}/status").read_text()
        (size,) = re.findall(r"(?m)^VmSize:\s+(\d+) kB$", status)
        return int(size) * 1024

    def limit(self, size):
        pid, infinity = self.workspace.daemon(), resource.RLIM_INFINITY
        resource.prlimit(pid, resource.RLIMIT_AS, (size, infinity))

    @contextlib.contextmanager
    def trying(self, secret):
        with subprocess.Popen(
                ["mamctl", "unlock", ANN, "--workspace", self.workspace.name, "--passfile",
                 self.workspace.secret("tried", secret)],
                env=self.workspace.environment, stderr=subprocess.PIPE, text=True) as trying:
            yield trying

    def test_a_kill_gains_no_try(self):
        self.begin_with_slots(OTHER, "a third", passes=50, mebibytes=64)
        pid = self.workspace.daemon()
        with self.trying("not it") as trying:
            wait_until(lambda: self.attempts() or trying.poll() is not None)
            os.kill(pid, signal.SIGKILL)
            self.assertEqual(trying.wait(), UNREACHABLE, "it was counted with the answer only")
        wait_until(lambda: has_ended(pid), message="the daemon lives")
        self.workspace.mount()
        self.assertEqual(self.failures(), 1)
        self.assertTrue(self.opens(OTHER))

    def test_without_memory_for_all_slots_none_is_tried(self):
        self.begin_with_slots(OTHER, passes=1, mebibytes=512)
        self.limit(self.size() + (128 << 20))
        for secret in OTHER, PASSPHRASE:
            told = self.slot("test", passfile=self.workspace.secret("tried", secret), status=None)
            self.assertIn("not enough memory", told.stderr)
            self.assertEqual(self.attempts(), [])
        self.limit(resource.RLIM_INFINITY)
        self.slot("test", passfile=self.workspace.secret("other", OTHER))

    def test_memory_that_ends_between_two_slots_counts_and_closes_nothing(self):
        mebibytes, third = 64, "a third"
        self.begin_with_slots(OTHER, third, passes=50, mebibytes=mebibytes)
        for number in 1, 2:
            self.wait_out()
            before = self.size()
            # A wrong one, then the right one, which the first slot does not know.
            with self.trying("not it" if number == 1 else third) as trying:
                wait_until(
                    lambda: self.size() >= before + (mebibytes << 20)
                    or trying.poll() is not None)
                self.limit(before + (mebibytes << 19))
                self.assertIn("not enough memory", trying.communicate()[1])
            self.limit(resource.RLIM_INFINITY)
            self.assertEqual(self.failures(), number)
            self.assertIsNone(self.block())
        self.assertEqual(records(self.workspace, "--event", "wrong-passphrase"), [])
        self.assertTrue(self.opens(third))
        self.assertEqual(self.attempts(), [])


class InContainment(Contained):
    def test_a_contained_program_has_no_say(self):
        for method in "ListSlots", "TestSlot", "AddSlot", "RemoveSlot":
            text = self.contained(
                sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1]);"
                "from socket_client import Client;"
                "print(Client(sys.argv[2]).ask(sys.argv[3], account=sys.argv[4]))",
                HERE, self.workspace.socket, f"Workspace.{method}", ANN)
            self.assertIn(
                f"may not call io.mamd.Workspace.{method}".encode(), b" ".join(text.split()))


class Registering(WordsCase):
    accounts = ()

    def setUp(self):
        super().setUp()
        self.name = f"{self._testMethodName}@contoso.com"
        self.file = self.workspace.root / f"{self._testMethodName}.words"

    def register(self, *options, status=0):
        return self.workspace.serving(
            "account register", self.name, "--passfile", self.workspace.passfile, *options,
            status=status)

    def type_passphrase(self, *options):
        terminal = Terminal(
            ["mamctl", "account", "register", self.name, "--workspace", self.workspace.name,
             *options], self.workspace.environment)
        for question in b"Passphrase for", b"Again":
            terminal.read(until=question)
            wait_until(terminal.hides_typing)
            terminal.type(PASSPHRASE + "\n")
        return terminal

    def test_words_for_a_script(self):
        told = self.register("--recovery-file", self.file, "--json").stdout
        (slot,) = self.ids("recovery", self.name)
        self.assertEqual(json.loads(told)["recoverySlot"], slot)
        self.assertTrue(self.opens(self.file.read_text().strip(), self.name))

    def test_without_a_terminal_nobody_is_asked(self):
        told = self.register("--json").stdout
        self.assertIsNone(json.loads(told)["recoverySlot"])
        self.assertEqual(self.ids("recovery", self.name), [])

    def test_what_excludes_words_registers_nothing(self):
        existing = self.workspace.secret("existing", "mine")
        for options, status in (
                (("--recovery-file", self.file, "--no-recovery"), USAGE),
                (("--recovery-file", existing), NO)):
            self.register(*options, status=status)
        self.workspace.serving(
            "account register", self.name, "--no-passphrase", "--recovery-file", self.file,
            status=USAGE)
        self.assertIsNone(self.workspace.account(self.name))
        self.assertFalse(self.file.exists())
        self.assertEqual(existing.read_text(), "mine\n")

    def test_a_person_is_asked_and_takes_them(self):
        terminal = self.type_passphrase()
        terminal.read(until=b"Make them now? [Y/n]")
        # Also for those who leave here.
        self.assertIn(f"{self.name} is registered.".encode(), terminal.shown)
        terminal.type("\n")
        words, _ = self.type_words(terminal)
        status, shown = terminal.finish()
        self.assertEqual(status, 0, shown)
        (slot,) = self.ids("recovery", self.name)
        self.assertIn(f"its recovery passphrase is key slot {slot}", shown)
        self.assertTrue(
            self.opens(" ".join(words[number] for number in range(1, 13)), self.name))

    def assert_makes_none(self, answer):
        terminal = self.type_passphrase()
        terminal.read(until=b"Make them now? [Y/n]")
        terminal.type(answer)
        status, shown = terminal.finish()
        self.assertEqual(status, 0, shown)
        self.assertNotIn("Write these words down", shown)
        self.assertEqual(self.ids("recovery", self.name), [])

    def test_a_person_wants_none(self):
        self.assert_makes_none("n\n")

    def test_the_end_of_input_is_no(self):
        self.assert_makes_none("\x04")

    def test_a_person_wants_no_question(self):
        status, shown = self.type_passphrase("--no-recovery").finish()
        self.assertEqual(status, 0, shown)
        self.assertNotIn("Make them now?", shown)


class RegisteringUnderPolicy(EnrollmentCase, SlotCase):
    def test_words_are_refused_where_the_organisation_has_its_way(self):
        public = self.workspace.ctl(
            "recovery", "keygen", "-o", self.workspace.root / "org.key", "--no-passphrase")
        self.set_policy(mamdRecoveryPublicKey=public.stdout.strip())
        self.workspace.mount()
        file = self.workspace.root / "words"
        told = self.workspace.serving(
            "account register", ANN, "--passfile", self.workspace.passfile, "--recovery-file",
            file, status=REFUSED).stderr
        self.assertIn("is there, without a recovery passphrase", told)
        self.assertEqual(len(self.slots()), 1)
        self.assertFalse(file.exists())


if __name__ == "__main__":
    unittest.main()
