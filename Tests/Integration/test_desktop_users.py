"""An ordinary person's desktop on a workspace that root's daemon serves: what it sees and names."""
import json
import os
import shutil
import socket
import subprocess
import unittest

import desktop_session
from desktop_session import DESKTOP, PYTHON
from ordinary_user import AS_NOBODY, NOBODY
from socket_client import Client
from workspace import ANN, BOB, PROGRAMS, Workspace

NEEDS = ("python3-gi",)

ANNS = 4711
PROGRAM = "watch_desktop.py"


@unittest.skipIf(desktop_session.missing(), desktop_session.missing())
@unittest.skipUnless(os.getuid() == 0, "acts as an ordinary user, which only root can")
class OrdinaryUser(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace(settings={
            "LockGraceSeconds": 0, "AllowedAccounts": [ANN, BOB]}).init().mount()
        self.addCleanup(self.workspace.close)
        folder = self.workspace.socket.parent
        for place in (self.workspace.root, self.workspace.mount_point, folder.parent, folder):
            os.chmod(place, 0o755)
        secret = self.workspace.passfile.read_text().strip()
        for name, user in ((ANN, ANNS), (BOB, NOBODY)):
            with Client(self.workspace.socket, user) as client:
                client.call("Workspace.RegisterAccount", name=name, passphrase=secret)
        self.files = []
        for name, user in ((ANN, ANNS), (BOB, NOBODY)):
            path = self.workspace.path(name)
            self.workspace.write_as(name, path, "precious")
            os.chown(path, user, user)
            path.chmod(0o644)
            self.files.append(path)
        self.workspace.await_closed()
        for name in (ANN, BOB):
            self.workspace.lock(name)
        # What is read by everybody, wherever the project is.
        self.code = self.workspace.root / "desktop"
        shutil.copytree(DESKTOP, self.code, ignore=shutil.ignore_patterns("__pycache__"))
        self.program = shutil.copy(PROGRAMS / PROGRAM, self.code)

    def ask(self):
        said = subprocess.run(
            [*AS_NOBODY, PYTHON, "-B", self.program, self.code, "60", *self.files],
            capture_output=True, text=True, timeout=90,
            env={**self.workspace.environment, "PYTHONHOME": "/usr"})
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        return json.loads(said.stdout)

    def test_it_names_files_and_sees_its_own_account(self):
        heard = self.ask()
        self.assertEqual(heard["accounts"], [BOB])
        self.assertEqual(heard["files"][BOB]["owner"], BOB)
        self.assertEqual(heard["files"][BOB]["state"], "closed")
        # As `mamctl info` says of any file that can be opened by its mode.
        self.assertEqual(heard["files"][ANN]["owner"], ANN)
        self.assertEqual(heard["refusals"], [["python3", BOB]])


class Stopped(unittest.TestCase):
    def test_it_does_not_start_what_was_stopped(self):
        """systemd listens on the socket of a workspace that is not mounted."""
        workspace = Workspace(name="stopped").init()
        self.addCleanup(workspace.close)
        workspace.socket.parent.mkdir(mode=0o700)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(workspace.socket))
            listener.listen()
            listener.setblocking(False)
            subprocess.run(
                [PYTHON, "-B", PROGRAMS / PROGRAM, DESKTOP, "3"], stdout=subprocess.DEVNULL,
                check=True, timeout=90, env={**workspace.environment, "PYTHONHOME": "/usr"})
            with self.assertRaises(BlockingIOError):
                listener.accept()


if __name__ == "__main__":
    unittest.main()
