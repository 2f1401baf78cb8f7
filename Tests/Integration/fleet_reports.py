"""A machine of an organisation, and its reports."""
import base64

from signing import opened
from socket_client import Client
from test_fleet import Fleet
from workspace import ANN

TRANSPORT_KEY = "U" + "A" * 55


class Reports(Fleet):
    def setUp(self):
        super().setUp()
        self.join_with_policy()
        self.public = base64.b64decode(self.show()["publicKey"])

    def call(self, method, **parameters):
        with Client(self.workspace.socket) as client:
            return client.call(f"Fleet.{method}", **parameters)

    def opened(self, report, kind):
        return opened(report, kind, self.contoso.id, self.public)

    def status(self):
        return self.opened(self.call("Status")["report"], "status")

    def account_status(self, name=ANN):
        (account,) = (one for one in self.status()["accounts"] if one["name"] == name)
        return account
