"""`mamctl setup --keyring`: the next login unlocks the account, and nobody types anything."""
import json
import os
import unittest

from keyring_session import KeyringCase
from ordinary_user import NOBODY
from workspace import (
    ANN, DONE, LONG, NO, PASSPHRASE, SETTINGS, USAGE, WRONG_PASSPHRASE, wait_until)

NEEDS = ("strace",)

UNIT = "mamd-unlock@{}.service"
# What means something in a unit.
ODD = 'ann %h $HOME ${HOME} "q" \\n \'@contoso.com'


@unittest.skipUnless(os.getuid() == 0, "makes name spaces with a process 1 of their own")
class SetupKeyring(KeyringCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # The keyring is created at the first login, and is of use from the next one on.
        cls.log_in()
        cls.unlock_keyring()
        cls.machine.run("systemctl", "stop", "users")

    def setUp(self):
        self.name = self.id().rpartition(".")[2].removeprefix("test_").replace("_", "-")
        self.work = self.machine.home / self.name.capitalize()
        self.passfile = self.secret("passphrase", PASSPHRASE)
        self.settings = self.secret("settings", json.dumps(SETTINGS))
        self.account, self.pauses = ANN, set()
        self.addCleanup(self.retire)
        self.log_in()

    def retire(self):
        """Later logins leave this test's workspace alone."""
        self.machine.run(
            "systemctl", "--user", "disable", "--now", UNIT.format(self.name),
            f"mamd@{self.name}.service", user=True, check=False)
        self.machine.run("systemctl", "stop", "users")

    def secret(self, name, text):
        path = self.machine.home / name
        path.write_text(text)
        os.chown(path, NOBODY, NOBODY)
        return path

    def setup(self, *words, passfile=None, status=DONE, prefix=()):
        said = self.machine.run(
            *prefix, "mamctl", "setup", self.work, self.account, "--keyring", "--no-recovery",
            "--settings", self.settings, "--passfile", passfile or self.passfile, *words,
            user=True, check=False)
        self.assertEqual(said.returncode, status, said.stdout + said.stderr)
        return said

    def ctl(self, *words):
        return self.machine.run("mamctl", *words, user=True)

    def log_in_again(self):
        self.log_out(f"mamd@{self.name}")
        self.log_in()

    def unit(self, what):
        return self.machine.run(
            "systemctl", "--user", what, UNIT.format(self.name), user=True, check=False).stdout

    def asks_again(self):
        """The unit pauses after each time that it was told of a locked keyring."""
        found = self.machine.run("pgrep", "-x", "-f", "sleep 1", user=True, check=False).stdout
        self.pauses |= set(found.split())
        return len(self.pauses) > 1

    def delay(self):
        (account,) = json.loads(self.ctl("account", "list", "--json").stdout)
        return account["retryAfterSeconds"]

    def check_unlocks(self):
        self.ctl("wait", "--mounted", "--timeout", "60", "--workspace", self.name)
        told = self.machine.run(
            "mamctl", "wait", self.account, "--unlocked", "--timeout", "60", "--workspace",
            self.name, user=True, check=False)
        self.assertEqual(told.returncode, DONE, told.stderr + self.unit("status"))
        said = self.machine.run("cat", self.work / "letter", user=True)
        self.assertEqual(said.stdout, "sealed\n")

    def drop_in_text(self, name):
        units = self.machine.home / ".config/systemd/user"
        return (units / f"{UNIT.format(name)}.d" / "keyring.conf").read_text()

    def write_letter(self):
        self.machine.run(
            "sh", "-c", 'echo sealed > "$1/letter"', "sh", self.work, user=True)

    def test_the_next_login_unlocks(self):
        self.unlock_keyring()
        self.assertTrue(json.loads(self.setup("--json").stdout)["keyring"])
        self.write_letter()
        self.assertEqual(self.unit("is-enabled"), "enabled\n")
        self.log_in_again()
        self.unlock_keyring()
        self.check_unlocks()
        # What is locked later stays so.
        self.ctl("lock", "--now", "--workspace", self.name)
        self.assertEqual(self.unit("is-active"), "active\n")

    def test_an_account_with_an_odd_name(self):
        self.account = ODD
        self.unlock_keyring()
        self.setup()
        self.write_letter()
        self.log_in_again()
        self.unlock_keyring()
        self.check_unlocks()

    def test_a_keyring_that_opens_late(self):
        self.unlock_keyring()
        self.setup()
        self.write_letter()
        self.log_in_again()
        # The unit has been told that it is locked, and asks again.
        wait_until(self.asks_again, message="it does not ask the keyring again")
        self.assertEqual(self.unit("is-active"), "activating\n")
        self.unlock_keyring()
        self.check_unlocks()

    def test_the_passphrase_is_in_the_keyring_alone(self):
        self.unlock_keyring()
        trace = self.machine.home / "trace"
        strace = ("strace", "-f", "-v", "-s", "65536", "-e", "trace=execve", "-o", trace)
        self.setup(prefix=strace)
        self.ctl("lock", "--now", "--workspace", self.name)
        text = self.drop_in_text(self.name)
        lookup = text.split('--extpass "')[1].split('"')[0]
        self.machine.run(
            *strace, "-A", "mamctl", "unlock", "--workspace", self.name, "--extpass", lookup,
            user=True)
        traced = trace.read_text()
        for word in ('"store"', '"lookup"', '"HOME='):
            self.assertIn(word, traced)
        shown = self.machine.run(
            "systemctl", "--user", "show", UNIT.format(self.name), user=True).stdout
        for where in (traced, text, shown):
            self.assertNotIn(PASSPHRASE, where)
        self.assertEqual(self.machine.run(*lookup.split(), user=True).stdout, PASSPHRASE)

    def test_no_open_keyring(self):
        no_bus = ("env", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent")
        for prefix in (no_bus, ()):
            said = self.setup(status=NO, prefix=prefix).stderr
            self.assertIn("the keyring did not take the passphrase; the rest is done", said)
            self.assertIn("unlock the keyring", said)
            self.ctl(
                "wait", self.account, "--unlocked", "--timeout", "60", "--workspace", self.name)
            self.assertEqual(self.unit("is-enabled"), "disabled\n")
        # The same command goes on from there.
        self.write_letter()
        self.unlock_keyring()
        self.setup()
        self.log_in_again()
        self.unlock_keyring()
        self.check_unlocks()

    def test_what_a_keyring_is_not_for(self):
        for option in ("--no-service", "--no-passphrase"):
            said = self.setup(option, status=USAGE).stderr
            self.assertIn(f"{option} and --keyring exclude each other", said)
        no_manager = ("env", "XDG_RUNTIME_DIR=/nonexistent")
        said = self.setup(status=NO, prefix=no_manager).stderr
        self.assertIn(f"no service manager offers mamd-unlock@{self.name}", said)

    def test_a_wrong_passphrase_is_not_kept(self):
        self.unlock_keyring()
        self.setup()
        self.write_letter()
        wrong = self.secret("wrong", "another passphrase")
        self.setup(passfile=wrong, status=WRONG_PASSPHRASE)
        self.log_in_again()
        self.unlock_keyring()
        self.check_unlocks()

    @unittest.skipUnless(LONG, "takes 25 s, which is passphrases' delays: MAMD_LONG=1")
    def test_a_login_within_the_delay_of_wrong_passphrases(self):
        self.unlock_keyring()
        self.setup()
        self.write_letter()
        for number in range(4):
            wait_until(lambda: self.delay() == 0)
            wrong = self.secret("wrong", f"another passphrase {number}")
            self.setup(passfile=wrong, status=WRONG_PASSPHRASE)
        self.log_in_again()
        self.unlock_keyring()
        self.check_unlocks()

    def test_a_new_passphrase(self):
        self.unlock_keyring()
        self.setup()
        self.write_letter()
        change = ("mamctl", "account", "passphrase", self.account, "--workspace", self.name,
                  "--passfile", self.passfile, "--new-passfile", self.secret("new", "two horses"))
        self.machine.run(*change, user=True)
        self.log_in_again()
        self.unlock_keyring()
        self.check_unlocks()
        # It says so where the keyring cannot be reached.
        no_bus = ("env", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent")
        self.passfile, new = self.secret("new", "two horses"), self.secret("newer", "three horses")
        said = self.machine.run(
            *no_bus, *change[:-3], self.passfile, "--new-passfile", new, user=True, check=False)
        self.assertEqual(said.returncode, NO, said.stderr)
        self.assertIn("passphrase changed, but the keyring has the former one still", said.stderr)
        self.assertIn(f"mamctl setup --keyring {self.work} {self.account}", said.stderr)
        self.setup(passfile=new)
        self.log_in_again()
        self.unlock_keyring()
        self.check_unlocks()

    def test_a_removed_passphrase_costs_one_try_at_most(self):
        self.unlock_keyring()
        self.setup()
        self.assertIn("--no-last-try", self.drop_in_text(self.name))
        tested = json.loads(self.ctl(
            "slot", "test", self.account, "--passfile", self.passfile, "--json").stdout)
        other = self.secret("other", "another passphrase")
        self.ctl(
            "slot", "add", self.account, "--passfile", self.passfile, "--new-passfile", other)
        self.ctl("slot", "remove", self.account, tested["id"], "--passfile", other)
        text = self.drop_in_text(self.name)
        lookup = text.split('--extpass "')[1].split('"')[0].split()
        for _ in range(2):
            self.log_in_again()
            self.unlock_keyring()
            wait_until(lambda: self.unit("is-active") == "failed\n")
            found = self.machine.run(*lookup, user=True, check=False)
            self.assertEqual((found.returncode, found.stdout), (1, ""))
            wrong = self.ctl("audit", "--event", "wrong-passphrase", "--json").stdout
            self.assertEqual(len(wrong.splitlines()), 1, wrong)
        self.ctl("unlock", self.account, "--passfile", other)

    def test_a_removed_workspace(self):
        self.unlock_keyring()
        self.setup()
        text = self.drop_in_text(self.name)
        lookup = text.split('--extpass "')[1].split('"')[0].split()
        self.ctl("unmount", self.work)
        said = json.loads(self.ctl(
            "workspace", "remove", self.name, "--confirm", self.name, "--json").stdout)
        self.assertEqual(said["next"], [])
        self.assertEqual(self.unit("is-enabled"), "disabled\n")
        units = self.machine.home / ".config/systemd/user"
        self.assertFalse((units / f"{UNIT.format(self.name)}.d").exists())
        found = self.machine.run(*lookup, user=True, check=False)
        self.assertEqual((found.returncode, found.stdout), (1, ""))

    def test_a_renamed_workspace(self):
        self.unlock_keyring()
        self.setup()
        self.write_letter()
        self.ctl("unmount", self.work)
        # It writes to the directory that is renamed.
        fleet = f"mamfleet@{self.name}.service"
        template = self.machine.home / ".config/systemd/user/mamfleet@.service"
        template.write_text("[Service]\nExecStart=sleep infinity\n")
        self.addCleanup(template.unlink)
        self.machine.run("systemctl", "--user", "daemon-reload", user=True)
        self.machine.run("systemctl", "--user", "start", fleet, user=True)
        said = json.loads(
            self.ctl("workspace", "rename", self.name, "renamed", "--json").stdout)
        state = self.machine.run("systemctl", "--user", "is-active", fleet, user=True, check=False)
        self.assertEqual(state.stdout, "inactive\n")
        self.name = "renamed"
        self.assertEqual([command.split()[0] for command in said["next"]], ["mv"])
        self.machine.run(*said["next"][0].split(), user=True)
        self.log_in_again()
        self.unlock_keyring()
        self.check_unlocks()


if __name__ == "__main__":
    unittest.main()
