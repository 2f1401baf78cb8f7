"""What one user's attack leaves of the others' answers, for tests that attack."""
import contextlib
import json
import os
import pathlib
import tempfile

from bounds import BoundedCase
from hostile import ATTACKER, ATTACKERS_NAME, Client, Refusal, in_background, wait_until
from running import PREFIX


class SharesCase(BoundedCase):
    def setUp(self):
        self.drain()

    def drain(self):
        """The attack's clients were killed; the daemon is done with them when their threads end."""
        wait_until(
            lambda: self.client_threads() == 0,
            message="the daemon still serves clients that are gone")

    def client_threads(self):
        count = 0
        for task in pathlib.Path(f"/proc/{self.workspace.daemon()}/task").iterdir():
            with contextlib.suppress(OSError):
                count += (task / "comm").read_text().startswith("control-client")
        return count

    def frame(self, method, **parameters):
        return json.dumps({"method": f"io.mamd.{method}", "parameters": parameters}).encode()

    def flood(self, uid, frame, count=64):
        """A context in which a user sends a frame by many connections, as fast as it is
        answered."""
        file = tempfile.NamedTemporaryFile(prefix=PREFIX + "flood-")
        self.addCleanup(file.close)
        file.write(frame)
        file.flush()
        os.chmod(file.name, 0o644)
        return in_background(uid, "flood", self.workspace.socket, str(count), file.name)

    def raw(self, uid):
        """A connection of that user's; nothing is sent."""
        return self.client(uid).socket

    def is_open(self, client):
        client.setblocking(False)
        try:
            return client.recv(1) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def state(self, name):
        with Client(self.workspace.socket) as client:
            accounts = client.call("Workspace.ListAccounts")["accounts"]
        (state,) = (account["state"] for account in accounts if account["name"] == name)
        return state

    def can_unlock(self):
        try:
            self.unlock(ATTACKER, ATTACKERS_NAME)
            return True
        except Refusal:
            return False

    def unlock(self, uid, name):
        with Client(self.workspace.socket, uid) as client:
            client.call("Workspace.Unlock", account=name, passphrase=self.passphrase)
