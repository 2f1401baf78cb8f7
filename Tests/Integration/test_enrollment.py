"""Registering, enrolling, deregistering: states, status codes, and the right to."""
import concurrent.futures
import errno
import json
import os
import subprocess
import unittest

from enrolling import PLAIN, EnrollmentCase, daemon_text
from terminal import Terminal
from workspace import ANN, BOB, NO, NOT_FOUND, REFUSED, USAGE, tree_digest, wait_until

# Near to no other name.
ZOE = "zoe@elsewhere.example"


class Enrollment(EnrollmentCase):
    def test_registered_is_enrolled_once_a_policy_covers_it(self):
        self.begin()
        self.assertEqual(self.enrollment()["stage"], "enrolled")
        self.assertEqual(self.enrollment()["status"], {
            "identity": ANN, "accountId": "", "didSucceed": True, "statusCode": 100,
            "errorString": None})
        self.workspace.serving("account check-in")
        self.workspace.serving("account check-in")
        self.assertEqual(self.workspace.account()["statusCode"], 101)
        events = self.listen()
        self.set_policy(printBlocked=True)
        self.workspace.serving("account check-in")
        # The daemon looks at the directory by itself too: the one that comes later finds no news.
        codes = []
        while 100 not in codes and (line := events.stdout.readline()):
            codes.append(json.loads(line).get("code"))
        self.assertIn(100, codes)
        # Without a policy it is registered, its files stay encrypted, and so are new ones.
        for document in self.workspace.policies.glob("*.json"):
            document.unlink()
        self.workspace.serving("account check-in")
        account = self.workspace.account()
        self.assertEqual((account["stage"], account["statusCode"]), ("registered", 103))
        self.workspace.path("new").write_bytes(b"x")
        self.assertTrue(self.workspace.is_managed_on_disk(self.workspace.on_disk("new")))
        self.assert_open()

    def listen(self):
        """A stream of events that has begun; and ends before the test's time does."""
        process = subprocess.Popen(
            ["timeout", "300", "mamctl", "watch", "--json", "--workspace", "work"],
            stdout=subprocess.PIPE, text=True, env=self.workspace.environment)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        self.assertIn("available", process.stdout.readline())
        return process

    def test_a_second_register_changes_nothing(self):
        self.begin()
        before = tree_digest(self.workspace.state / "keybags")
        self.workspace.serving(
            "account register", ANN.upper(), "--passfile", self.workspace.passfile, status=NO)
        self.assertEqual(
            self.answer("Register", name=ANN, noPassphrase=True)["status"]["statusCode"], 208)
        self.assertEqual(tree_digest(self.workspace.state / "keybags"), before)
        self.assertEqual(self.workspace.account()["name"], ANN)
        self.assert_open()

    def test_deregistered_without_a_wipe_the_keys_stay_sealed(self):
        self.begin()
        self.workspace.serving("account deregister", ANN, status=USAGE)
        self.workspace.serving("account deregister", ANN, "--keep", "--wipe", status=USAGE)
        self.workspace.serving("account deregister", ANN, "--keep")
        self.assert_closed("signedOut", errno.ENOKEY)
        self.assertEqual(self.workspace.account()["statusCode"], 104)
        self.assertFalse(self.answer("Policy.IsManaged", account=ANN)["managed"])
        accounts = self.answer("Policy.ManagedAccounts")
        self.assertEqual((accounts["accounts"], accounts["primary"]), ([], None))
        # What the user makes from now on is nobody's.
        self.workspace.path("mine").write_bytes(b"mine")
        self.assertFalse(self.workspace.is_managed_on_disk(self.workspace.on_disk("mine")))
        for verb in ("unlock", "account login"):
            self.workspace.serving(
                verb, ANN, "--passfile", self.workspace.passfile, status=(5, REFUSED))
        self.workspace.unmount()
        self.workspace.mount()
        self.assert_closed("signedOut", errno.ENOKEY)
        # Only with the passphrase that it had.
        other = self.workspace.secret("other", "another passphrase")
        self.workspace.serving("account register", ANN, "--passfile", other, status=12)
        self.assert_closed("signedOut", errno.ENOKEY)
        self.advance(60)
        self.workspace.register()
        self.assert_open()
        self.assertEqual(self.workspace.owner(self.file), ANN)

    def test_deregistered_with_a_wipe_nothing_is_left(self):
        self.begin()
        account_id = self.workspace.account()["id"]
        answer = json.loads(
            self.workspace.serving(
                "account deregister", ANN, "--wipe", "--confirm", ANN, "--json").stdout)
        self.assertTrue(answer["complete"])  # as `wipe` answers
        self.assertIsNone(self.workspace.account())
        self.assertFalse(self.file.exists() or self.always.exists())
        self.assertFalse(list((self.workspace.state / "keybags").iterdir()))
        self.assertEqual(
            [path for path in self.workspace.state.rglob("*") if account_id in path.name], [])

    def test_a_login_registers_who_is_not_here_and_nobody_else_is_deregistered(self):
        self.begin()
        login = ("account login", BOB, "--passfile", self.workspace.passfile)
        # A colleague's name is no slip of hers.
        self.workspace.serving(*login)
        self.assertEqual(self.workspace.account(BOB)["stage"], "enrolled")
        self.workspace.serving("lock", BOB, "--now")
        self.workspace.serving(*login)
        gone = self.workspace.serving(
            "account deregister", "eve@contoso.com", "--keep", status=NOT_FOUND)
        self.assertIn("(status 213)", gone.stderr)

    def test_a_login_by_a_misspelt_name_registers_nobody(self):
        self.begin()
        login = ("account login", "ann@contso.com", "--passfile", self.workspace.passfile)
        refusal = self.workspace.serving(*login, status=NOT_FOUND).stderr
        self.assertIn(f"did you mean '{ANN}'?", refusal)
        self.assertIsNone(self.workspace.account("ann@contso.com"))
        self.assertIn(f"try: mamctl account login {ANN}, or add --register", refusal)
        self.workspace.serving("account login", ZOE, "--passfile", self.workspace.passfile)

    def test_an_unlock_registers_nobody_and_says_what_does(self):
        self.begin()
        for name, words in (
            ("anm@contoso.com", f"did you mean '{ANN}'?\n  try: mamctl unlock {ANN}\n"),
            (ZOE, f"try: mamctl account register {ZOE}, if it is new\n"),
        ):
            refusal = self.workspace.serving("unlock", name, status=NOT_FOUND).stderr
            self.assertIn(words, refusal)

    def test_a_terminal_is_asked_twice_for_the_passphrase_of_a_new_account(self):
        self.begin()
        asked = Terminal(["mamctl", "account", "login", ZOE], self.workspace.environment)
        asked.read(until=b"Passphrase for the new account " + ZOE.encode())
        wait_until(asked.hides_typing)
        asked.type("some words of hers\n")
        asked.read(until=b"Again")
        wait_until(asked.hides_typing)
        asked.type("other words\n")
        self.assertEqual(asked.finish()[0], USAGE)
        self.assertIsNone(self.workspace.account(ZOE))

    def test_a_damaged_record_locks_out_until_login(self):
        self.begin()
        self.workspace.unmount()
        (record,) = [
            path for path in (self.workspace.state / "enrollment").iterdir()
            if path.name != "workspace"]
        for text in (
                "", "{}", "[" * 100, record.read_text()[:-9],
                record.read_text().replace("enrolled", "other")):
            record.write_text(text)
            self.workspace.mount()
            self.assert_closed("lockedOut", errno.ENOKEY)
            self.workspace.unlock(status=5)
            self.workspace.serving("account login", ANN, "--passfile", self.workspace.passfile)
            self.assert_open()
            self.workspace.unmount()

    def test_a_wrong_policy_directory_starts_the_offline_clock(self):
        self.begin(periodOfflineBeforeAccessCheck="PT1H")
        # Not yet long enough for a check-in.
        self.advance(1000)
        moved = self.workspace.policies.rename(self.workspace.root / "moved")
        self.workspace.serving("account check-in", status=NO)
        self.assertEqual(self.workspace.account()["statusCode"], 212)
        self.assert_open()
        self.advance(2500)
        self.assert_open()
        self.advance(100)
        self.assert_closed("offline", errno.EKEYEXPIRED)
        moved.rename(self.workspace.policies)
        self.workspace.serving("account check-in")
        self.workspace.unlock()
        self.assert_open()


class Allowed(EnrollmentCase):
    settings = {**EnrollmentCase.settings, "AllowedAccounts": [ANN.upper(), "object-7"]}

    def test_others_are_refused_and_one_that_is_not_allowed_any_more_is_blocked(self):
        self.begin()
        result = self.workspace.serving(
            "account register", BOB, "--passfile", self.workspace.passfile, status=REFUSED)
        self.assertIn("209", result.stderr)
        self.assertNotIn("policy show", result.stderr)
        self.assertEqual(
            self.answer("Register", name=BOB, noPassphrase=True)["status"]["statusCode"], 209)
        self.assertEqual(self.answer("AllowedAccounts")["accounts"], [ANN.upper(), "object-7"])
        records = self.workspace.serving(
            "audit", "--json", "--event", "refused").stdout.splitlines()
        self.assertEqual({json.loads(record)["account"] for record in records}, {BOB})
        # A name is no object id: who is on the list is told to everybody.
        self.assertEqual(
            self.answer("Register", name=BOB, objectId=ANN, noPassphrase=True)["status"][
                "statusCode"], 209)
        self.workspace.serving("account register", BOB, "--oid", "OBJECT-7", "--no-passphrase")
        self.workspace.unmount()
        settings = self.workspace.policies.parent / "settings.json"
        settings.write_text(
            json.dumps({**json.loads(settings.read_text()), "AllowedAccounts": ["object-7"]}))
        self.workspace.mount()
        self.assert_closed("launch", errno.EACCES)
        self.assertEqual(self.workspace.account()["statusCode"], 209)
        self.assertIsNone(self.block(BOB))


class AllowedLive(EnrollmentCase):
    settings = {**EnrollmentCase.settings, "AllowedAccounts": [ANN]}

    def write(self, **changes):
        settings = self.workspace.policies.parent / "settings.json"
        settings.write_text(json.dumps({**json.loads(settings.read_text()), **changes}))

    def test_who_is_allowed_changes_with_the_file(self):
        self.begin()
        watch = subprocess.Popen(
            ["timeout", "300", "mamctl", "watch", "--workspace", "work"], stdout=subprocess.PIPE,
            text=True, env=self.workspace.environment)
        self.addCleanup(watch.stdout.close)
        self.addCleanup(watch.wait)
        self.addCleanup(watch.terminate)
        self.assertIn("available", watch.stdout.readline())
        self.write(AllowedAccounts=[BOB], LockGraceSeconds=7)
        wait_until(lambda: self.block() == "launch")
        self.assertEqual(self.answer("AllowedAccounts")["accounts"], [BOB])
        wait_until(lambda: self.workspace.account()["statusCode"] == 209)
        self.assertTrue(any("allowed-accounts-changed" in line for line in watch.stdout))
        later = "LockGraceSeconds will take effect at the next start"
        wait_until(lambda: later in daemon_text(self.workspace))
        # A mistake lets nobody in.
        self.write(AllowedAccounts="anybody")
        wait_until(lambda: "the previous settings stay in force" in daemon_text(self.workspace))
        self.assertEqual(self.answer("AllowedAccounts")["accounts"], [BOB])
        self.write(AllowedAccounts=[ANN])
        wait_until(lambda: self.block() is None)
        self.workspace.unlock()
        self.assert_open()


class OneAccount(EnrollmentCase):
    settings = {**EnrollmentCase.settings, "MultiManagedIdentities": False}

    def test_a_second_account_of_the_same_user_is_refused(self):
        self.begin()
        result = self.workspace.serving(
            "account register", BOB, "--passfile", self.workspace.passfile, status=REFUSED)
        self.assertIn("227", result.stderr)
        self.assertEqual(
            self.answer("Register", name=BOB, noPassphrase=True)["status"]["statusCode"], 227)
        # It is one at a time.
        self.workspace.serving("account deregister", ANN, "--keep")
        self.workspace.register(BOB)
        self.assertTrue(self.workspace.account(BOB)["isDefault"])
        result = self.workspace.serving(
            "account register", ANN, "--passfile", self.workspace.passfile, status=REFUSED)
        self.assertIn("227", result.stderr)


    def test_of_several_at_once_one_is_registered(self):
        self.workspace.mount()
        names = [f"user{number}@contoso.com" for number in range(6)]

        def register(name):
            return self.call("Register", name=name, passphrase=f"correct horse battery {name}")

        with concurrent.futures.ThreadPoolExecutor(len(names)) as pool:
            list(pool.map(register, names))
        accounts = self.workspace.serving("account", "list", "--json").stdout
        self.assertEqual(len(json.loads(accounts)), 1)


class Required(EnrollmentCase):
    settings = {**EnrollmentCase.settings, "MAMPolicyRequired": True}

    def test_no_start_without_a_policy(self):
        (document,) = self.workspace.policies.glob("*.json")
        document.rename(self.workspace.root / "aside.json")
        self.workspace.mount(status=NO)
        self.assertIn("MAMPolicyRequired", self.workspace.log.read_text())
        (self.workspace.root / "aside.json").rename(document)
        self.workspace.mount()

    def test_nor_with_documents_that_protect_nobody_here(self):
        application = {"mobileAppIdentifier": {"bundleId": "com.example.other"}}
        for document in (
                {"@odata.type": "#microsoft.graph.targetedManagedAppConfiguration",
                 "customSettings": [{"name": "key", "value": "value"}]},
                {**PLAIN, "isAssigned": False}, {**PLAIN, "apps": [application]}):
            (self.workspace.policies / "default.json").write_text(json.dumps(document))
            self.workspace.mount(status=NO)
            self.assertIn("MAMPolicyRequired", self.workspace.log.read_text())
        self.set_policy()
        self.workspace.mount()


@unittest.skipUnless(os.getuid() == 0, "an ordinary user's daemon enrols Groups by itself")
class RequiredOfEach(EnrollmentCase):
    settings = {**Required.settings, "Groups": {"others": [BOB]}}

    def test_an_account_is_closed_while_no_policy_covers_it(self):
        self.begin()
        target = {"@odata.type": "#microsoft.graph.groupAssignmentTarget", "groupId": "others"}
        self.put(assignments=[{"target": target}])
        wait_until(lambda: self.block() == "launch")
        self.assert_closed("launch", errno.EACCES)
        reason = self.workspace.account()["blockReason"]
        self.assertIn("no policy covers it, and MAMPolicyRequired is on", reason)
        # Of another one, which it covers, nothing changes.
        self.workspace.register(BOB)
        self.assertIsNone(self.block(BOB))
        self.workspace.unmount()
        self.workspace.mount()
        self.assert_closed("launch", errno.EACCES)
        self.put()
        wait_until(lambda: self.block() is None)
        self.workspace.unlock()
        self.assert_open()

    def put(self, **rules):
        """Whole: one that is half written would be refused, which changes nothing."""
        new = self.workspace.root / "new"
        new.write_text(json.dumps({**self.policy, **rules}))
        new.rename(self.workspace.policies / "default.json")


class WarnAbsent(EnrollmentCase):
    settings = {**EnrollmentCase.settings, "MAMPolicyWarnAbsent": True}

    def test_a_start_without_a_policy_warns(self):
        for document in self.workspace.policies.glob("*.json"):
            document.unlink()
        self.workspace.mount()
        self.assertIn("no policy in", self.workspace.log.read_text())


if __name__ == "__main__":
    unittest.main()
