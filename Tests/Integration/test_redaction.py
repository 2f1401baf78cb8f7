"""What never stands in the log."""
import json

from socket_client import Client
from workspace import WorkspaceCase, wait_until

SECRET = "hunter2-and-more"
LATER = "a-later-secret"


class Redaction(WorkspaceCase):
    settings = {"VerboseLoggingEnabled": True, "ValuesToScrubFromLogging": ["token"]}
    policy = [
        {"displayName": "rules", "pinRequired": False},
        {"@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "displayName": "values",
        "customSettings": [
            {"name": "token", "value": SECRET}, {"name": "open", "value": "nothing-secret"}]}]

    def log(self):
        return self.workspace.daemon_log.read_text()

    def register(self, name):
        """The log names each account."""
        client = Client(self.workspace.socket)
        self.addCleanup(client.close)
        client.call("Workspace.RegisterAccount", name=name, passphrase="correct horse")

    def test_values_of_the_keys_do_not_stand_in_the_log(self):
        for word in (SECRET, "nothing-secret", SECRET + SECRET):
            self.register(f"{word}@a.example")
        log = self.log()
        self.assertNotIn(SECRET, log)
        self.assertIn("nothing-secret", log)
        self.assertIn("***@a.example", log)
        self.assertIn("******", log)

    def test_a_value_that_came_and_one_that_went_are_both_kept_out(self):
        (document,) = (self.workspace.root / "config_home/mamd/work/policies").iterdir()
        documents = json.loads(document.read_text())
        documents[1]["customSettings"][0]["value"] = LATER
        changes = self.log().count("has changed")
        document.write_text(json.dumps(documents))
        wait_until(
            lambda: self.log().count("has changed") > changes,
            message="the change was not noticed")
        for word in (SECRET, LATER):
            self.register(f"{word}@b.example")
        self.assertNotIn(SECRET, self.log())
        self.assertNotIn(LATER, self.log())


class Quiet(WorkspaceCase):
    def test_without_verbose_logging_no_question_is_told(self):
        client = Client(self.workspace.socket)
        self.addCleanup(client.close)
        client.call("Policy.CanOpenURL", url="https://a.example/", account="x@example.org")
        self.assertNotIn("CanOpenURL", self.workspace.daemon_log.read_text())
