"""AutoEnrollOnLaunch: which accounts of Groups register by themselves, and which never do."""
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from enrolling import EnrollmentCase, daemon_text
from test_hooks import TELL
from running import PREFIX, daemons
from workspace import ANN, BOB, wait_until

EVE = "eve@contoso.com"
ANNS, BOBS = 4711, 65534


class Enrolling(EnrollmentCase):
    settings = {"AutoEnrollOnLaunch": True, "MultiManagedIdentities": True}
    groups = [ANN, BOB, EVE]

    def settings_of_test(self):
        return {**self.settings, "Groups": {"g": self.groups}}

    @property
    def live_settings(self):
        return self.workspace.policies.parent / "settings.json"

    def change(self, **settings):
        text = json.dumps({**json.loads(self.live_settings.read_text()), **settings})
        beside = self.live_settings.with_suffix(".new")
        beside.write_text(text)
        beside.rename(self.live_settings)

    def registered(self):
        found = [self.workspace.account(name) for name in (ANN, BOB, EVE)]
        return {account["name"]: account for account in found if account}

    def reasons(self, name):
        line = f"policy names {name}, which is not registered"
        return [text for text in daemon_text(self.workspace).splitlines() if line in text]

    def assert_left(self, name, reason):
        """It is not registered, and the log says why, once for each start."""
        wait_until(lambda: any(reason in text for text in self.reasons(name)), message=name)
        self.assertNotIn(name, self.registered())


class Shared(Enrolling):
    """Root's daemon: whose an account is AccountUsers says."""

    def settings_of_test(self):
        directory = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.addCleanup(shutil.rmtree, directory, ignore_errors=True)
        self.hook_log = directory / "told"
        return {
            **super().settings_of_test(), "AccountUsers": {ANN: ANNS, BOB: "nobody"},
            "Hooks": {"AddAccount": ["/bin/sh", "-c", TELL, str(self.hook_log)]}}

    def named(self):
        if not self.hook_log.exists():
            return []
        lines = self.hook_log.read_text().splitlines()
        return sorted(json.loads(line)["account"] for line in lines)

    def test_accounts_whose_user_is_known_are_there_at_the_start(self):
        self.workspace.mount()
        accounts = self.registered()
        self.assertEqual(
            {name: (account["uid"], account["stage"], account["hasPassphrase"], account["state"])
             for name, account in accounts.items()},
            {ANN: (ANNS, "enrolled", False, "unlocked"),
             BOB: (BOBS, "enrolled", False, "unlocked")})
        self.assert_left(EVE, "AccountUsers does not name its user")
        wait_until(lambda: self.named() == [EVE])
        self.workspace.unmount()
        self.workspace.mount()
        self.assertEqual(
            {name: account["id"] for name, account in self.registered().items()},
            {name: account["id"] for name, account in accounts.items()})
        wait_until(lambda: self.named() == [EVE, EVE])

    def test_where_policy_wants_a_passphrase_somebody_has_to_give_one(self):
        self.set_policy(pinRequired=True)
        self.workspace.mount()
        self.assert_left(ANN, "policy requires a passphrase")
        wait_until(lambda: self.named() == sorted([ANN, BOB, EVE]))
        # A policy that comes later and wants none is enough.
        self.set_policy(pinRequired=False)
        wait_until(lambda: set(self.registered()) == {ANN, BOB})

    def test_without_a_policy_for_it_nothing_is_registered(self):
        (document,) = self.workspace.policies.glob("*.json")
        document.unlink()
        self.workspace.mount()
        self.assert_left(ANN, "no policy covers it")

    def test_who_is_not_allowed_is_not_registered(self):
        self.change(AllowedAccounts=[BOB])
        self.workspace.mount()
        self.assert_left(ANN, "AllowedAccounts does not name it")
        self.assertEqual(set(self.registered()), {BOB})

    def test_settings_that_change_count_at_once(self):
        self.change(Groups={"g": [ANN]})
        self.workspace.mount()
        self.assertEqual(set(self.registered()), {ANN})
        self.change(Groups={"g": [ANN, EVE]}, AccountUsers={ANN: ANNS, EVE: ANNS})
        wait_until(lambda: set(self.registered()) == {ANN, EVE})
        self.assertEqual(self.registered()[EVE]["uid"], ANNS)

    def test_files_sealed_with_keys_that_are_elsewhere_keep_it_from_coming(self):
        self.workspace.mount()
        self.workspace.write_as(ANN, self.workspace.path("file"), "content")
        self.workspace.unmount()
        shutil.rmtree(self.workspace.state)
        self.workspace.mount()
        self.assert_left(ANN, "sealed with keys of it that are elsewhere")
        self.assertEqual(set(self.registered()), {BOB})

    def test_what_was_deregistered_does_not_come_back_by_itself(self):
        self.workspace.mount()
        self.workspace.serving("account deregister", ANN, "--wipe", "--confirm", ANN)
        self.workspace.serving("account deregister", BOB, "--keep")
        self.change(Groups={"g": [ANN, BOB]})
        for _ in range(2):
            self.workspace.unmount()
            self.workspace.mount()
            self.assert_left(ANN, "it was wiped here")
            self.assertEqual(self.registered()[BOB]["stage"], "signedOut")
        # A person may register it, and a policy that names it anew wants it again.
        self.change(Groups={"g": [BOB]})
        self.workspace.unmount()
        self.workspace.mount()
        self.change(Groups={"g": [ANN, BOB]})
        wait_until(lambda: ANN in self.registered())

    def test_what_was_wiped_by_hand_or_by_an_order_stays_away(self):
        self.workspace.mount()
        self.workspace.serving("wipe", ANN, "--confirm", ANN)
        (self.workspace.policies / "order.json").write_text(json.dumps(
            {"@odata.type": "#mamd.wipeRequest", "id": "1", "account": BOB}))
        wait_until(lambda: not self.registered())
        self.workspace.unmount()
        self.workspace.mount()
        for name in (ANN, BOB):
            self.assert_left(name, "it was wiped here")

    def test_where_nobody_knows_who_was_wiped_nobody_comes(self):
        self.workspace.mount()
        self.workspace.serving("wipe", ANN, "--confirm", ANN)
        self.workspace.unmount()
        (self.workspace.state / "enrollment" / "departed").write_text("?")
        for _ in range(2):
            self.workspace.mount()
            self.assert_left(ANN, "it was wiped here")
            self.workspace.unmount()

    def test_a_read_only_mount_registers_nobody(self):
        self.workspace.mount("-o", "ro")
        self.assert_left(ANN, "the mount is read-only")

    def test_kills_leave_each_account_whole_or_unmade(self):
        pauses = random.Random(4)
        for _ in range(12):
            shutil.rmtree(self.workspace.state)
            try:
                self.kill_at_the_start(pauses.uniform(0, 0.3))
            finally:
                self.workspace.mount()
            accounts = self.registered()
            self.assertEqual(set(accounts), {ANN, BOB})
            self.assertEqual({a["stage"] for a in accounts.values()}, {"enrolled"})
            self.assertEqual({a["block"] for a in accounts.values()}, {None})
            self.workspace.unmount()

    def kill_at_the_start(self, seconds):
        command = ["mamctl", "mount", self.workspace.backing, self.workspace.mount_point]
        process = self.spawn(command)
        wait_until(lambda: (self.workspace.state / "enrollment").exists())
        time.sleep(seconds)
        wait_until(self.all_are_killed)
        process.wait(90)

    def all_are_killed(self):
        """Not only those that were there: one may just be starting another."""
        found = list(daemons(str(self.workspace.root)))
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return not found

    def spawn(self, command):
        return subprocess.Popen(
            command, env=self.workspace.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Own(Enrolling):
    """A user's own daemon, whose accounts are that user's. test_user runs it, as nobody."""

    groups = [ANN]

    def test_the_users_account_is_there_before_the_first_file(self):
        self.workspace.mount()
        file = self.workspace.path("file")
        file.write_bytes(b"content")
        self.assertEqual(self.workspace.owner(file), ANN)
        self.assertEqual(self.registered()[ANN]["uid"], os.getuid())

    def test_of_several_that_may_be_the_users_none_is_guessed(self):
        self.change(MultiManagedIdentities=False, Groups={"g": [ANN, BOB]})
        self.workspace.mount()
        for name in (ANN, BOB):
            self.assert_left(name, "AllowedAccounts or AccountUsers says which")
        self.change(AllowedAccounts=[BOB])
        wait_until(lambda: set(self.registered()) == {BOB})

    def test_an_object_id_is_no_name(self):
        number = "6b2b5d3e-0f7c-4a1e-9c9a-000000000001"
        self.change(Groups={"g": [number]})
        self.workspace.mount()
        self.assert_left(number, "it is an object id")


def load_tests(loader, standard_tests, pattern):
    chosen = (Shared,) if os.getuid() == 0 else (Own,)
    return unittest.TestSuite(map(loader.loadTestsFromTestCase, chosen))
