"""Unlocking at login: pam_mamd.so with the real libpam and the real daemons, and the user's unit
with the real systemd."""
import json
import os
import subprocess
import unittest

from login_case import ENDING, FOLLOWING, ROOTS, LoginCase
from ordinary_user import NOBODY
from workspace import ANN, PASSPHRASE, PROGRAMS, wait_until

OTHER = "not the login's passphrase"
NEXT = "the next of them, 2 words longer"
BEN = "ben@contoso.com"


@unittest.skipUnless(os.getuid() == 0, "makes name spaces with a process 1 of their own")
class Unlocking(LoginCase):
    def test_a_login_unlocks(self):
        for name in ("one", "two"):
            self.serve(name)
        self.serve("other", OTHER)
        # A wrong password is no wrong passphrase: nobody asks the daemon.
        self.assertNotEqual(self.log_in("wrong").returncode, 0)
        self.assertEqual(self.state("one"), "locked")
        self.assertNotIn(
            "wrong passphrase", self.machine.run("cat", "/var/lib/mamd/one/mamd.log").stdout)
        said = self.assert_in(self.log_in(PASSPHRASE))
        self.assertEqual(
            [self.state(name) for name in ("one", "two", "other")],
            ["unlocked", "unlocked", "locked"])
        told = (
            f"The login passphrase does not open {ANN}, which may have the former one still. To"
            f" change it: mamctl account passphrase {ANN} --workspace other")
        self.assertIn(told, said)
        self.assertEqual(self.log.lines(), [told])
        # A login does not depend on the daemon.
        self.machine.run("systemctl", "stop", "mamd@one", "mamd@two", "mamd@other")
        self.assert_in(self.log_in(PASSPHRASE))
        self.assertEqual(self.log.lines(), [])

    def test_a_line_may_name_one_workspace(self):
        self.serve("named")
        self.serve("unnamed")
        self.set_rules("workspace=named")
        self.assert_in(self.log_in(PASSPHRASE))
        self.assertEqual(
            [self.state(name) for name in ("named", "unnamed")], ["unlocked", "locked"])

    def test_the_password_of_root_is_tried_on_no_users_account(self):
        self.serve("hers")
        self.assert_in(self.log_in(PASSPHRASE, "root"))
        self.assertEqual(self.state("hers"), "locked")
        # The same login of the user's own would have.
        self.log_in(PASSPHRASE)
        self.assertEqual(self.state("hers"), "unlocked")

    def test_of_several_accounts_those_that_it_opens(self):
        self.serve("several")
        self.register("several", BEN, OTHER)
        self.register("several", ROOTS, PASSPHRASE)
        self.assert_in(self.log_in(PASSPHRASE))
        self.assertEqual(
            [self.state("several", name) for name in (ANN, BEN, ROOTS)],
            ["unlocked", "locked", "locked"])

    def test_a_screen_locker_unlocks_without_rights(self):
        self.serve("screen")
        self.assert_in(self.log_in(PASSPHRASE, locker=True))
        self.assertEqual(self.state("screen"), "unlocked")

    def test_a_thread_that_waits_for_the_log_holds_no_login_up(self):
        self.serve("beside")
        program = self.machine.inside("/usr/local/bin/log-in-beside")
        subprocess.run(
            ["clang", "-O1", "-std=gnu17", "-Wall", "-Wextra", "-Werror", "-fuse-ld=lld", "-o",
             program, PROGRAMS / "log_in_beside.c", "-lpam"], check=True)
        self.assert_in(self.run_pam("log-in-beside", "nobody", [], PASSPHRASE + "\n", False))
        self.assertEqual(self.state("beside"), "unlocked")

    def test_a_login_leaves_the_last_try(self):
        configuration = self.serve("kept", OTHER)
        policy = configuration / "policies" / "default.json"
        policy.write_text(json.dumps({
            **json.loads(policy.read_text()), "pinRequired": True, "maximumPinRetries": 2,
            "appActionIfMaximumPinRetriesExceeded": "wipe"}))
        self.machine.run("mamctl", "account", "check-in", "--workspace", "kept")
        # The first wrong one costs nothing, and is tried.
        self.ctl("unlock", "--workspace", "kept", text="mistyped\n", check=False)
        wait_until(lambda: self.account("kept")["retryAfterSeconds"] == 0)
        said = self.assert_in(self.log_in(PASSPHRASE))
        self.assertEqual(self.state("kept"), "locked")
        told = (
            f"One more wrong passphrase wipes {ANN}: its files here are destroyed. No passphrase"
            f" was tried. To do it: mamctl unlock {ANN} --workspace kept")
        self.assertIn(told, said)
        self.assertEqual(self.log.lines(), [told])
        self.assert_in(self.change_login(PASSPHRASE, NEXT))
        # The right one still opens it.
        self.assertTrue(self.opens("kept", OTHER))

    def test_the_users_daemon_may_start_after_the_session(self):
        self.machine.run("systemctl", "start", "users")
        self.serve("later", user=True)
        self.machine.run("systemctl", "--user", "stop", "mamd@later", user=True)
        self.set_rules("workspace=later")
        begin = ("authenticate", "open_session")
        # Of a passphrase that was another user's nothing is kept.
        self.assert_in(self.log_in(PASSPHRASE, "root", begin))
        self.assert_in(self.log_in(PASSPHRASE, calls=begin))
        self.machine.run("systemctl", "--user", "start", "mamd@later", user=True)
        wait_until(lambda: self.state("later") == "unlocked")
        # What is locked then stays so: the child has ended.
        wait_until(lambda: not self.waiting())
        self.assertEqual(self.log.lines(), [])

    def own_state(self, name):
        said = self.ctl("account", "list", "--workspace", name, "--json", check=False)
        return json.loads(said.stdout)[0]["state"] if said.returncode == 0 else None

    def waiting(self):
        return self.machine.run("pidof", "pamtester", check=False).stdout

    def test_the_users_unit_unlocks(self):
        self.machine.run("systemctl", "start", "users")
        configuration = self.serve("mine", user=True)
        file = configuration / "passphrase"
        file.write_text(PASSPHRASE + "\n")
        file.chmod(0o600)
        os.chown(file, NOBODY, NOBODY)
        self.machine.run("systemctl", "--user", "start", "mamd-unlock@mine", user=True)
        self.assertEqual(self.state("mine"), "unlocked")
        # With the workspace, which it needs.
        self.machine.run("systemctl", "--user", "stop", "mamd@mine", user=True)
        self.machine.run("systemctl", "--user", "start", "mamd-unlock@mine", user=True)
        self.assertEqual(self.state("mine"), "unlocked")


@unittest.skipUnless(os.getuid() == 0, "makes name spaces with a process 1 of their own")
class Changing(LoginCase):
    def test_the_slot_that_the_former_one_opens_follows(self):
        self.serve("followed")
        self.register("followed", BEN, OTHER)
        self.register("followed", ROOTS, PASSPHRASE)
        second = "another slot's, which stays"
        (self.machine.place / "second").write_text(second + "\n")
        self.ctl(
            "slot", "add", ANN, "--type", "passphrase", "--passfile", self.passfile(PASSPHRASE),
            "--new-passfile", self.machine.place / "second", "--workspace", "followed")
        said = self.assert_in(self.change_login(PASSPHRASE, NEXT))
        self.assertIn(f"{BEN} keeps its passphrase, which is not the former one", said)
        for passphrase, expected in ((NEXT, True), (second, True), (PASSPHRASE, False)):
            self.assertEqual(self.opens("followed", passphrase), expected, passphrase)
        self.assertTrue(self.opens("followed", OTHER, BEN))
        self.machine.run(
            "mamctl", "unlock", ROOTS, "--workspace", "followed",
            text=PASSPHRASE + "\n")

    def test_the_login_changed_and_the_account_did_not(self):
        """By an end between the two, and without the daemon."""
        self.serve("behind")
        self.set_rules(after=f"{ENDING}\n{FOLLOWING}")
        self.change_login(PASSPHRASE, NEXT)
        self.assert_former_one_opens("behind", NEXT)
        self.set_passphrase(PASSPHRASE)
        self.set_rules()
        self.machine.run("systemctl", "stop", "mamd@behind")
        self.assert_in(self.change_login(PASSPHRASE, OTHER))
        self.machine.run("systemctl", "start", "mamd@behind")
        self.assert_former_one_opens("behind", OTHER)
        # As the message has it.
        (self.machine.place / "next").write_text(OTHER + "\n")
        self.ctl(
            "account", "passphrase", ANN, "--passfile", self.passfile(PASSPHRASE),
            "--new-passfile", self.machine.place / "next", "--workspace", "behind")
        self.lock("behind")
        self.assert_in(self.log_in(OTHER))
        self.assertEqual(self.state("behind"), "unlocked")

    def assert_former_one_opens(self, name, login):
        self.lock(name)
        self.assertIn("may have the former one still", self.assert_in(self.log_in(login)))
        self.assertNotEqual(self.state(name), "unlocked")
        self.assertTrue(self.opens(name, PASSPHRASE))

    def test_the_account_changed_and_the_login_did_not(self):
        """A crash that takes back the login's, or a person who changes the account first."""
        self.serve("ahead")
        self.assert_in(self.change_login(PASSPHRASE, NEXT))
        self.set_passphrase(PASSPHRASE)
        self.lock("ahead")
        self.assertIn("does not open", self.assert_in(self.log_in(PASSPHRASE)))
        self.assertTrue(self.opens("ahead", NEXT))
        # The login's alone is left to change.
        self.assertIn("keeps its passphrase", self.assert_in(self.change_login(PASSPHRASE, NEXT)))
        self.lock("ahead")
        wait_until(lambda: self.account("ahead")["retryAfterSeconds"] == 0)
        self.assert_in(self.log_in(NEXT))
        self.assertEqual(self.state("ahead"), "unlocked")

    def test_policy_refuses_the_new_one(self):
        former = "1 passphrase as long as policy wants it!"
        configuration = self.serve("strict", former)
        self.set_passphrase(former)
        policy = configuration / "policies" / "default.json"
        policy.write_text(json.dumps({
            **json.loads(policy.read_text()), "pinRequired": True, "minimumPinLength": 38,
            "pinCharacterSet": "alphanumericAndSymbol"}))
        self.machine.run("mamctl", "account", "check-in", "--workspace", "strict")
        said = self.assert_in(self.change_login(former, NEXT))
        self.assertIn("The login passphrase is changed, that of", said)
        self.assertIn("not good enough", said)
        # The login's is the new one, and the account's the former one.
        self.assert_in(self.log_in(NEXT))
        self.assertTrue(self.opens("strict", former))
