"""`mamctl fleet init --guided`: an organisation from answers to questions, made once."""
import json
import os
import unittest

from test_setup import answer, terminal_read
from terminal import Terminal
from workspace import (
    DONE, NO, NOT_FOUND, PASSPHRASE, REFUSED, ROOT, USAGE, WRONG_PASSPHRASE, Workspace, wait_until)

FIRST = ROOT / "examples" / "policies" / "first.json"
HELD = ("root-1", "root-2", "root-3", "policy", "order-1", "order-2")


class Guided(unittest.TestCase):
    """Only files: no server and no daemon."""

    def setUp(self):
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        self.org = self.workspace.root / "contoso"
        self.sticks = self.workspace.root / "sticks"
        self.sticks.mkdir()
        self.passfile = self.workspace.root / "passfile"
        self.passfile.write_text(PASSPHRASE + "\n")

    def options(self, passphrase=("--no-passphrase",), **changes):
        """Of a script, as a list of words. Most have no passphrase, which takes a second a key."""
        answers = {
            "name": ["Contoso"], "organization": [self.org],
            "root": [self.sticks / f"{name}.key" for name in HELD[:3]],
            "policy": [self.sticks / "policy.key"],
            "order": [self.sticks / f"{name}.key" for name in HELD[4:]],
            "server": ["nats.contoso.com"], "first-policy": [FIRST], **changes}
        return [*passphrase, *(word for name, values in answers.items() for value in values
                for word in (f"--{name}", value))]

    def guide(self, status=DONE, **changes):
        return self.workspace.ctl(
            "fleet", "init", "--guided", *self.options(**changes), "--json", status=status)

    def made(self, **changes):
        return json.loads(self.guide(**changes).stdout)

    def error(self, status, **changes):
        return json.loads(self.guide(status, **changes).stdout)["error"]

    def files(self):
        """What must never change: keys, the root, the engine."""
        kept = [*self.sticks.iterdir(), self.org / "time.key", self.org / "root.json",
                *(path for path in (self.org / "engine").rglob("*") if path.is_file())]
        return {path: path.read_bytes() for path in kept}

    def verified(self):
        root = self.org / "root.json"
        return json.loads(self.workspace.ctl(
            "fleet", "verify", root, *sorted((self.org / "signed").iterdir()),
            self.org / "time.json", "--root", root, "--json").stdout)

    def test_all_is_made_and_signed(self):
        said = self.made(passphrase=("--passfile", self.passfile))
        self.assertTrue(all(key["created"] for key in said["keys"]))
        self.assertEqual(
            {os.path.basename(key["path"]): key["roles"] for key in said["keys"]},
            {"root-1.key": ["root"], "root-2.key": ["root"], "root-3.key": ["root"],
             "policy.key": ["policy"], "order-1.key": ["order"], "order-2.key": ["order"],
             "time.key": ["time"]})
        documents = self.verified()
        self.assertEqual([document["kind"] for document in documents], ["root", "policy", "time"])
        self.assertEqual([document["refusal"] for document in documents], [None] * 3)
        self.assertEqual(len(documents[0]["signedBy"]), 2)
        self.assertEqual(documents[0]["fingerprint"], said["fingerprint"])
        # A server signs with the one, and people with the others.
        self.assertEqual(self.sealed(self.org / "time.key"), False)
        self.assertTrue(all(self.sealed(path) for path in self.sticks.iterdir()))
        for path in (*self.sticks.iterdir(), self.org / "time.key"):
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        self.assertEqual(self.org.stat().st_mode & 0o777, 0o700)

    def sealed(self, key):
        """Whether it takes a passphrase to sign."""
        done = self.workspace.ctl(
            "fleet", "time", self.org / "signed", "--root", self.org / "root.json", "--key", key,
            "-o", self.workspace.root / "x.json", "--force", status=None, input=b"wrong one\n")
        return done.returncode == WRONG_PASSPHRASE

    def test_an_interrupted_run_goes_on_and_replaces_nothing(self):
        self.made()
        before = self.files()
        for path in ("time.json", "signed/first.json", "policies/first.json",
                     "engine/servers/nats.contoso.com-4222/nats-server.conf"):
            with self.subTest(path):
                (self.org / path).unlink()
                said = self.made()
                self.assertFalse(any(key["created"] for key in said["keys"]))
                self.assertTrue((self.org / path).exists())
        after = self.files()
        servers = {path for path in before if "servers" in path.parts}
        self.assertEqual(
            {path: before[path] for path in before if path not in servers},
            {path: after[path] for path in before if path not in servers})
        self.assertEqual(
            [document["refusal"] for document in self.verified()], [None] * 3)

    def test_other_answers_than_the_first_time_are_refused(self):
        self.made()
        before = self.files()
        other = self.sticks / "order-1.key"
        for changes, wanted in (
                ({"name": ["Fabrikam"]}, "another name, other keys"),
                ({"policy": [other]}, "another name, other keys"),
                ({"root-threshold": ["1"]}, "thresholds than those given now"),
                ({"order-threshold": ["1"]}, "thresholds than those given now"),
                ({"server": ["n2.contoso.com"]}, "the engine has the servers"),
                ({"first-policy": [self.changed_policy()]}, "another policy than")):
            with self.subTest(changes):
                self.assertIn(wanted, self.error(REFUSED, **changes)["message"])
        self.assertEqual(self.files(), before)
        # What lies on a stick that is not there is not made anew.
        gone = self.sticks / "policy.key"
        gone.rename(self.workspace.root / "policy.key")
        self.assertIn(str(gone), self.error(NOT_FOUND)["message"])
        self.assertFalse(gone.exists())

    def changed_policy(self):
        """Another file of the same name."""
        file = self.sticks.parent / "changed" / FIRST.name
        file.parent.mkdir()
        file.write_text(FIRST.read_text().replace("true", "false"))
        return file

    def test_keys_of_an_engine_that_was_not_finished_stay(self):
        self.made()
        (self.org / "engine" / "settings.json").unlink()
        seed = self.org / "engine" / "operator.nk"
        before = seed.read_bytes()
        self.assertIn("interrupted run", self.error(NO)["message"])
        self.assertEqual(seed.read_bytes(), before)

    def test_who_signs_elsewhere_gives_a_public_key(self):
        key = self.workspace.root / "far.key"
        public = json.loads(self.workspace.ctl(
            "fleet", "keygen", "-o", key, "--no-passphrase", "--json").stdout)["publicKey"]
        roots = [self.sticks / "root-1.key", public]
        failed = self.error(REFUSED, root=roots)
        self.assertIn("cosign", failed["next"])
        self.assertFalse((self.org / "engine").exists())
        self.workspace.ctl("fleet", "cosign", self.org / "root.json", "--key", key, "--yes")
        self.made(root=roots)
        self.assertEqual(len(self.verified()[0]["signedBy"]), 2)

    def test_a_sticks_directory_stands_for_one_key_of_several_roles(self):
        sticks = [self.sticks / name for name in ("ann", "bob", "eve")]
        for stick in sticks:
            stick.mkdir()
        said = self.made(root=sticks, order=sticks, policy=sticks[:1])
        self.assertEqual(
            [key["roles"] for key in said["keys"]],
            [["root", "policy", "order"], ["root", "order"], ["root", "order"], ["time"]])
        self.assertEqual(
            sorted(path.name for stick in sticks for path in stick.iterdir()), ["mamd.key"] * 3)

    def test_a_policy_that_machines_would_refuse_stops_all(self):
        bad = self.workspace.root / "bad.json"
        bad.write_text('{"pinRequired": 7}')
        gone, other = self.workspace.root / "gone.json", self.workspace.root / "policy.txt"
        for policy, status in ((bad, USAGE), (gone, NOT_FOUND), (other, USAGE)):
            with self.subTest(policy.name):
                said = self.error(status, **{"first-policy": [policy]})
                self.assertIn(str(policy), said["message"])
        self.assertEqual(list(self.sticks.iterdir()), [])
        self.assertFalse(self.org.exists())

    def test_a_stick_that_is_missing_is_not_made(self):
        gone = self.sticks / "gone" / "root.key"
        self.error(NOT_FOUND, root=[gone, *[self.sticks / f"{name}.key" for name in HELD[:2]]])
        self.assertFalse(gone.parent.exists())

    def test_servers_of_one_host_get_ports_and_places_of_their_own(self):
        said = self.made(server=["nats.contoso.com"] * 3)
        self.assertEqual(
            said["servers"], [f"nats.contoso.com:{port}" for port in (4222, 4223, 4224)])
        settings = [
            (self.org / f"engine/servers/nats.contoso.com-{port}/nats-server.conf").read_text()
            for port in (4222, 4223, 4224)]
        for word in ("listen: ", "store_dir: ", "key_file: ", "dir: "):
            lines = [line.strip() for text in settings for line in text.split("\n")
                     if line.strip().startswith(word)]
            self.assertEqual(len(lines), len(set(lines)) * (2 if word == "key_file: " else 1), word)

    def test_a_number_of_servers_that_no_death_leaves_a_majority_of(self):
        for count in (2, 4):
            with self.subTest(count):
                told = self.error(USAGE, server=["nats.contoso.com"] * count)["message"]
                self.assertIn(f"{count} servers: name one, three or five", told)
        self.assertFalse(self.org.exists())

    def test_without_a_terminal_nothing_is_guessed(self):
        for name in ("name", "organization", "root", "policy", "order", "server", "first-policy"):
            with self.subTest(name):
                self.assertIn(f"--{name} is needed", self.error(USAGE, **{name: []})["message"])
        self.assertEqual(list(self.sticks.iterdir()), [])
        self.assertFalse(self.org.exists())

    def test_what_goes_with_the_guide_alone_is_refused_without(self):
        for words in (["--server", "n1"], ["--passfile", self.passfile], ["--no-passphrase"]):
            said = self.workspace.ctl(
                "fleet", "init", "-o", self.workspace.root / "root.json", "--name", "x", *words,
                status=USAGE).stderr
            self.assertIn(words[0], said)

    def test_a_terminal_asks_for_all(self):
        home = self.workspace.root
        keys = home / "contoso-keys"
        terminal = Terminal(
            ["mamctl", "fleet", "init", "--guided"],
            {**self.workspace.environment, "HOME": str(home)}, columns=200)
        answer(terminal, [
            ("Name of the organisation", "Contoso"),
            # What is wrong with an answer is told at once, and asked again.
            ("Its directory", "/nonexistent/contoso"), ("Its directory", str(self.org)),
            ("Key 'root-1'", "/nonexistent/root.key"), ("Key 'root-1'", str(FIRST)),
            ("Key 'root-1'", ""),
            # A stick that is missing is no file's name.
            ("Key 'root-2'", str(home / "stick")), ("Key 'root-2'", ""),
            ("Key 'root-3'", str(keys / "root-1.key")),
            *((f"Key '{name}'", "") for name in HELD[2:]),
            ("NATS servers", "n1 n2"), ("NATS servers", "nats.contoso.com"),
            ("First policy", "/nonexistent/first.json"), ("First policy", str(FIRST)),
            # The test's directory is in no home of a user with a manager.
            ("Units of yours", "maybe"), ("Units of yours", "no"),
            # A bad one costs nothing but another try.
            ("Passphrase", "short"), ("Again", "short"),
            ("Passphrase", PASSPHRASE), ("Again", PASSPHRASE)])
        status, shown = terminal.finish(120)
        self.assertEqual(status, DONE, shown)
        self.assertIn("too weak", shown)
        self.assertIn("not a signing key", shown)
        self.assertIn("a new key's file ends in .key", shown)
        self.assertIn("--units must be yes or no", shown)
        self.assertIn("name one, three or five", shown)
        self.assertIn("mamd-engine@nats.contoso.com-4222", shown)
        self.assertEqual(
            sorted(path.name for path in keys.iterdir()), sorted(f"{name}.key" for name in HELD))
        self.assertEqual([document["refusal"] for document in self.verified()], [None] * 3)

    def test_an_empty_passphrase_is_asked_for_three_times(self):
        terminal = Terminal(
            ["mamctl", "fleet", "init", "--guided", *self.options(passphrase=())],
            self.workspace.environment, columns=200)
        answer(terminal, [("Units of yours", "no")])
        for count in range(3):
            # What was typed before echo is off is thrown away.
            wait_until(lambda: terminal_read(terminal) or (
                terminal.hides_typing()
                and terminal.shown.count(b"empty or missing") == count), 60)
            terminal.type("\n")
        status, shown = terminal.finish(60)
        self.assertEqual(status, USAGE, shown)
        self.assertEqual(shown.count("empty or missing"), 3, shown)
        self.assertIn("try: add --passfile", shown)
        self.assertEqual(list(self.sticks.iterdir()), [])

    def test_one_stick_holds_several_keys_of_a_role(self):
        stick = self.sticks / "one"
        stick.mkdir()
        said = self.made(root=[stick] * 3, order=[stick] * 2, policy=[stick])
        self.assertEqual(
            [(os.path.basename(key["path"]), key["roles"]) for key in said["keys"]][:3],
            [("mamd.key", ["root", "policy", "order"]), ("mamd-2.key", ["root", "order"]),
             ("mamd-3.key", ["root"])])
        # And again, where they are.
        again = self.made(root=[stick] * 3, order=[stick] * 2, policy=[stick])
        self.assertFalse(any(key["created"] for key in again["keys"]))

    def test_a_directory_that_is_missing_is_no_file(self):
        gone = f"{self.sticks}/gone/"
        self.assertIn("gone", self.error(NOT_FOUND, policy=[gone])["message"])
        self.assertEqual(list(self.sticks.iterdir()), [])

    def test_units_are_for_a_directory_in_the_home(self):
        deeper = self.workspace.root / "deeper"
        deeper.mkdir()
        told = self.error(USAGE, units=["yes"], organization=[deeper / "contoso"])["message"]
        self.assertIn("home directory", told)
        self.assertIn("one of yes, no", self.error(USAGE, units=["perhaps"])["message"])
        self.assertIs(self.made(units=["no"])["units"], False)
        self.assertFalse(self.made()["units"])

    # A recovery key

    def recovery_policy(self, **more):
        public = self.workspace.ctl(
            "recovery", "keygen", "-o", self.workspace.root / f"{len(more)}.key",
            "--no-passphrase").stdout.strip()
        file = self.workspace.root / "recovery.json"
        file.write_text(json.dumps({
            "displayName": "First", "printBlocked": True, "mamdRecoveryPublicKey": public, **more}))
        return {"first-policy": [file]}

    def test_the_guide_signs_with_the_order_keys_that_are_here(self):
        said = self.made(**self.recovery_policy())
        self.assertEqual(said["waitingForOrderKeys"], [])
        self.assertEqual(
            [document["refusal"] for document in self.verified()], [None] * 3)
        # And again, where nothing is left to do.
        self.assertEqual(self.made(**self.policy_again())["waitingForOrderKeys"], [])

    def policy_again(self):
        return {"first-policy": [self.org / "policies" / "recovery.json"]}

    def test_what_would_wipe_is_left_to_the_holders(self):
        said = self.made(**self.recovery_policy(minimumWipeOsVersion="1"))
        self.assertEqual(said["waitingForOrderKeys"], ["signed/recovery.json"])
        self.assertIn("mamctl fleet cosign", self.workspace.ctl(
            "fleet", "init", "--guided", *self.options(**self.policy_again())).stdout)

    def test_an_order_key_elsewhere_is_waited_for(self):
        away = self.workspace.root / "away.key"
        public = json.loads(self.workspace.ctl(
            "fleet", "keygen", "-o", away, "--no-passphrase", "--json").stdout)["publicKey"]
        said = self.made(order=[self.sticks / "order-1.key", public], **self.recovery_policy())
        self.assertEqual(said["waitingForOrderKeys"], ["signed/recovery.json"])


if __name__ == "__main__":
    unittest.main()
