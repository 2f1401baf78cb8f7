"""Programs on the screen that answer before data of another identity comes in."""
import select
import subprocess
import sys

from socket_client import Client, Refusal
from workspace import ANN, BOB, PERSONAL, WorkspaceCase

SUCCESS, CANCELED, NOT_ALLOWED, FAILED = range(4)
OPEN_URL, IMPORT = 0, 2
LINK = "https://example.org"
TO_ALL = {"displayName": "to all", "pinRequired": False,
          "allowedOutboundDataTransferDestinations": "allApps",
          "allowedInboundDataTransferSources": "allApps"}
ANSWER = """
import sys
sys.path.insert(0, sys.argv[1])
from socket_client import Client, Refusal
try:
    Client(sys.argv[2]).call("Identity.AnswerSwitch", id=int(sys.argv[3]), result=0)
except Refusal as refusal:
    print(refusal.name)
"""


class Switches(WorkspaceCase):
    accounts = (ANN, BOB)
    policy = TO_ALL

    def setUp(self):
        super().setUp()
        self.asker = self.client()
        self.show(ANN)

    def client(self):
        client = Client(self.workspace.socket)
        self.addCleanup(client.close)
        return client

    def show(self, identity):
        with Client(self.workspace.socket) as client:
            client.call("Identity.SetUserInterfaceIdentity", identity=identity)

    def answerer(self):
        client = self.client()
        self.assertIsNone(client.call("Identity.AwaitSwitches", more=True)["request"])
        return client

    def answer(self, request, result):
        with Client(self.workspace.socket) as client:
            client.call("Identity.AnswerSwitch", id=request["id"], result=result)

    def ask(self, account=BOB):
        self.asker.send("Policy.CanOpenURL", url=LINK, account=account)

    def decision(self):
        return self.asker.receive()["parameters"]["decision"]

    def request(self, answerer):
        """The next one, while the operation waits."""
        request = answerer.receive()["parameters"]["request"]
        self.assertFalse(select.select([self.asker.socket], [], [], 0)[0])
        return request

    def test_nobody_who_answers_is_waited_for(self):
        self.ask()
        self.assertTrue(self.decision()["allowed"])

    def test_the_answer_decides(self):
        answerer = self.answerer()
        for result in (SUCCESS, CANCELED, NOT_ALLOWED, FAILED):
            self.ask()
            request = self.request(answerer)
            self.assertEqual((request["name"], request["reason"]), (BOB, OPEN_URL))
            self.answer(request, result)
            decision = self.decision()
            self.assertEqual(decision["allowed"], result == SUCCESS)
            if result != SUCCESS:
                self.assertEqual(decision["rule"], "identitySwitchRequired")
                self.assertIn(BOB, decision["reason"])
        with self.assertRaises(Refusal) as late:
            self.answer(request, SUCCESS)
        self.assertEqual(late.exception.name, "NotFound")

    def test_what_is_shown_needs_no_answer(self):
        self.answerer()
        for shown, account in ((BOB, BOB), (PERSONAL, PERSONAL), ("", PERSONAL)):
            self.show(shown)
            self.ask(account)
            self.assertTrue(self.decision()["allowed"])

    def test_a_file_stays_anothers_until_the_switch(self):
        answerer = self.answerer()
        path = self.directory / "bobs"
        self.workspace.write_as(BOB, path, "his")
        for result in (CANCELED, SUCCESS):
            with open(path, "rb") as file:
                self.asker.send(
                    "Policy.CanReceive", [file.fileno()], fileDescriptor=0, account=ANN)
            request = self.request(answerer)
            self.assertEqual((request["name"], request["reason"]), (BOB, IMPORT))
            self.answer(request, result)
            self.assertEqual(self.decision()["allowed"], result == SUCCESS)

    def test_whoever_answers_and_ends_is_waited_for_no_longer(self):
        answerer = self.answerer()
        self.ask()
        self.request(answerer)
        answerer.close()
        self.assertTrue(self.decision()["allowed"])
        self.ask()
        self.assertTrue(self.decision()["allowed"])

    def test_without_an_answer_it_is_refused(self):
        answerer = self.answerer()
        self.ask()
        request = self.request(answerer)
        decision = self.decision()
        self.assertFalse(decision["allowed"])
        self.assertIn(f"has not answered for {request['seconds']} s", decision["reason"])

    def test_another_login_session_does_not_answer(self):
        answerer = self.answerer()
        self.ask()
        request = self.request(answerer)
        said = subprocess.run(
            [sys.executable, "-c", ANSWER, sys.path[0], self.workspace.socket, str(request["id"])],
            start_new_session=True, capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(said.stdout, "NotFound\n", said.stderr)
        self.answer(request, SUCCESS)
        self.assertTrue(self.decision()["allowed"])
