"""The identity that a person works for on the screen: by login session, after the account's
launch."""
import json
import threading

from socket_client import Client, Refusal
from workspace import ANN, BOB, DONE, PERSONAL, REFUSED, WorkspaceCase, wait_until

SUCCESS, CANCELED, NOT_ALLOWED, FAILED = range(4)


class SessionCase(WorkspaceCase):
    accounts = (ANN, BOB)

    def setUp(self):
        super().setUp()
        self.client = Client(self.workspace.socket)
        self.addCleanup(self.client.close)
        self.switch(None)
        self.workspace.unlock()

    def switch(self, identity, **more):
        answer = self.client.call("Identity.SetUserInterfaceIdentity", identity=identity, **more)
        self.assertEqual(
            answer["word"], ("success", "canceled", "notAllowed", "failed")[answer["result"]])
        self.assertEqual(answer["reason"] == "", answer["result"] == SUCCESS)
        return answer["result"]

    def shown(self):
        return self.client.call("Identity.GetUserInterfaceIdentity")

    def blocked(self):
        return {
            account["account"]: (account["reason"], account["word"])
            for account in self.client.call("Identity.BlockedAccounts")["accounts"]}


class Session(SessionCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        try:
            # Two accounts, and from now on only one of them may be managed.
            settings = (
                cls.workspace.root / "config_home" / "mamd" / cls.workspace.name / "settings.json")
            settings.write_text(
                json.dumps({**json.loads(settings.read_text()), "MultiManagedIdentities": False}))
            cls.workspace.remount()
        except BaseException:
            cls.tearDownClass()
            raise

    def test_unset_falls_through_and_nobody_does_not(self):
        self.assertEqual((self.shown()["identities"], self.shown()["acting"]["name"]), (None, ANN))
        self.assertEqual(self.switch(""), SUCCESS)
        self.assertEqual((self.shown()["identities"], self.shown()["acting"]["name"]), ([], ""))
        self.assertEqual(self.switch(PERSONAL), SUCCESS)
        acting = self.shown()["acting"]
        self.assertEqual(
            (acting["name"], acting["source"], acting["managed"]), (PERSONAL, "session", False))
        self.assertEqual(self.switch(ANN.upper()), SUCCESS)
        self.assertEqual(
            (self.shown()["identities"], self.shown()["acting"]["managed"]), ([ANN], True))

    def test_it_never_decides_about_files(self):
        self.assertEqual(self.switch(PERSONAL), SUCCESS)
        path = self.write(self.directory / "file", b"x")
        self.assertEqual(self.workspace.owner(path), ANN)

    def test_a_locked_account_wants_its_passphrase(self):
        self.workspace.lock()
        self.assertEqual(self.switch(PERSONAL), SUCCESS)
        self.assertEqual(self.switch(ANN), CANCELED)
        self.assertEqual(self.shown()["identities"], [PERSONAL])
        self.assertEqual(self.blocked(), {ANN: (2, "canceled")})
        self.assertEqual(self.switch(ANN, passphrase="wrong"), FAILED)
        self.assertEqual(self.workspace.account()["state"], "locked")
        wait_until(lambda: self.workspace.account()["retryAfterSeconds"] == 0)
        self.assertEqual(
            self.switch(ANN, passphrase=self.workspace.passfile.read_text().strip()), SUCCESS)
        self.assertEqual(self.workspace.account()["state"], "unlocked")
        self.assertEqual(self.blocked(), {})

    def test_a_second_managed_account_is_not_allowed(self):
        self.assertEqual(self.switch(BOB), NOT_ALLOWED)
        answer = self.client.call("Identity.SetUserInterfaceIdentities", identities=[ANN, PERSONAL])
        self.assertEqual(answer["word"], "notAllowed")
        self.assertEqual(self.shown()["identities"], None)

    def test_a_threads_identity_comes_before_the_sessions(self):
        thread = threading.get_native_id()
        self.client.call("Identity.SetThreadIdentity", thread=thread, identity=PERSONAL)
        try:
            self.assertEqual(self.switch(ANN, thread=thread), NOT_ALLOWED)
            self.assertEqual(self.switch("", thread=thread), NOT_ALLOWED)
            self.assertEqual(self.switch(PERSONAL.upper(), thread=thread), SUCCESS)
            self.client.call("Identity.SetThreadIdentity", thread=thread, identity=ANN)
            self.assertEqual(self.shown()["acting"]["name"], ANN)
        finally:
            self.client.call("Identity.SetThreadIdentity", thread=thread, identity=None)
        self.assertEqual(self.shown()["acting"]["name"], PERSONAL.upper())

    def test_sessions_do_not_mix(self):
        self.assertEqual(self.switch(PERSONAL), SUCCESS)
        serve = ("--workspace", self.workspace.name)
        here = self.workspace.ctl("identity", "ui", "--json", *serve)
        there = self.workspace.ctl("identity", "ui", "--json", *serve, prefix=("setsid", "--wait"))
        self.assertEqual(json.loads(here.stdout)["identities"], [PERSONAL])
        self.assertIsNone(json.loads(there.stdout)["identities"])

    def test_the_command_line_tells_the_result(self):
        self.workspace.lock()
        self.assertIn(
            "canceled", self.workspace.serving("identity ui", "--set", ANN, status=REFUSED).stdout)
        self.assertIn("canceled", self.workspace.serving("identity blocked").stdout)
        self.workspace.serving("identity ui", "--set", ANN, "--passfile", self.workspace.passfile)
        self.assertTrue(
            self.workspace.serving("identity ui").stdout.startswith(
                f"{ANN}\tmanaged\tset for this login"))
        self.workspace.serving("identity ui", "--unset", status=DONE)
        self.assertIn("nothing else is set", self.workspace.serving("identity ui").stdout)

    def test_what_makes_no_sense_is_refused(self):
        for parameters in (
                {"thread": 1, "identity": ANN}, {"identity": "a\nb"},
                {"identity": ANN, "passphrase": ""}):
            with self.assertRaises(Refusal):
                self.client.call("Identity.SetUserInterfaceIdentity", **parameters)


class Several(SessionCase):
    settings = {"MultiManagedIdentities": True}

    def test_several_are_merged_and_have_no_single_one(self):
        answer = self.client.call(
            "Identity.SetUserInterfaceIdentities", identities=[ANN, BOB, PERSONAL])
        self.assertEqual(answer["word"], "success")
        self.assertEqual(self.shown()["identities"], [ANN, BOB, PERSONAL])
        self.assertIsNone(self.shown()["acting"])
        self.assertEqual(self.switch(BOB), SUCCESS)
        self.assertEqual(self.shown()["acting"]["name"], BOB)

    def test_each_managed_one_is_launched(self):
        self.workspace.lock(BOB)
        try:
            answer = self.client.call("Identity.SetUserInterfaceIdentities", identities=[ANN, BOB])
            self.assertEqual(answer["word"], "canceled")
            self.assertEqual(self.blocked(), {BOB: (2, "canceled")})
            self.assertIsNone(self.shown()["identities"])
        finally:
            self.workspace.unlock(BOB)

    def test_an_empty_list_is_nobody(self):
        self.client.call("Identity.SetUserInterfaceIdentities", identities=[])
        self.assertEqual((self.shown()["identities"], self.shown()["acting"]["name"]), ([], ""))
