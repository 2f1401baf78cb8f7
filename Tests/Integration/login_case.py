"""Logins through the real libpam on a machine of the tests' own, with pam_mamd.so, and what they
tell the system's log."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import unittest

from ordinary_user import NOBODY
from running import PREFIX
from systemd_machine import MachineCase
from workspace import ANN, PASSPHRASE, ROOT

NEEDS = ("libpam0g-dev", "openssl", "pamtester", "systemd")

# An account that the user of the others has nothing to do with.
ROOTS = "root@contoso.com"

# {after}: lines after those that change the login's passphrase.
LOGIN = """
auth [success=1 default=ignore] pam_unix.so
auth requisite pam_deny.so
auth required pam_permit.so
auth optional {module}
account required pam_permit.so
password [success=1 default=ignore] pam_unix.so sha512
password requisite pam_deny.so
password required pam_permit.so
{after}
session optional {module}
"""
MODULE = "/usr/local/bin/pam_mamd.so"
FOLLOWING = f"password optional {MODULE}"
# In the second of the two rounds that a change has.
ENDING = "password requisite pam_exec.so quiet /bin/false"

# With a log of its own, and then as the user, if one is named.
ENTER = """
mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 && mknod -m 666 /dev/urandom c 1 9 &&
ln -s "$1" /dev/log && shift && exec "$@"
"""


def built_module():
    """pam_mamd.so, which anybody may read."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
    unittest.addModuleCleanup(shutil.rmtree, directory)
    module = directory / "pam_mamd.so"
    subprocess.run([ROOT / "scripts" / "build-pam", module], check=True)
    return module


class Log:
    """The machine's /dev/log."""

    def __init__(self, path):
        self.path = path
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(os.fspath(path))
        path.chmod(0o666)

    def lines(self, wait=0.0):
        """Those of pam_mamd since the last time, without time and process id."""
        self.socket.settimeout(wait or 0.001)
        found = []
        while True:
            try:
                line = self.socket.recv(65536).decode()
            except TimeoutError:
                return found
            self.socket.settimeout(0.001)
            if "pam_mamd[" in line:
                found.append(line.partition("]: ")[2].rstrip("\n\0"))

    def close(self):
        self.socket.close()
        self.path.unlink()


class LoginCase(MachineCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shutil.copy(built_module(), cls.machine.inside(MODULE))
        pamtester = cls.machine.inside("/usr/local/bin/pamtester-of-all")
        shutil.copy(shutil.which("pamtester"), pamtester)
        pamtester.chmod(0o4755)
        # systemd's nobody has no passphrase.
        cls.machine.inside("/etc/systemd").mkdir(exist_ok=True)
        cls.machine.inside("/etc/systemd/dont-synthesize-nobody").touch()
        known = cls.machine.inside("/etc/passwd")
        known.write_text("".join(
            ":".join([*line.split(":")[:5], str(cls.machine.home), "/bin/sh\n"])
            if line.startswith("nobody:") else line
            for line in known.read_text().splitlines(keepends=True)))

    def setUp(self):
        self.log = Log(self.machine.place / "log.socket")
        self.addCleanup(self.log.close)
        self.set_passphrase(PASSPHRASE)
        self.set_rules()

    def set_passphrase(self, passphrase):
        """The logins', root's and the user's."""
        sealed = subprocess.run(
            ["openssl", "passwd", "-6", "-stdin"], input=passphrase, capture_output=True, text=True,
            check=True).stdout
        shadow = self.machine.inside("/etc/shadow")
        shadow.write_text("".join(
            f"{user}:{sealed.strip()}:19000::::::\n" for user in ("root", "nobody")))
        shutil.chown(shadow, group="shadow")
        shadow.chmod(0o640)

    def set_rules(self, options="", after=FOLLOWING):
        directory = self.machine.inside("/etc/pam.d")
        directory.mkdir(exist_ok=True)
        (directory / "mamd-test").write_text(
            LOGIN.format(module=f"{MODULE} {options}", after=after))
        (directory / "other").write_text("auth required pam_deny.so\n")

    def serve(self, name, passphrase=PASSPHRASE, user=False):
        """A workspace with an account of the ordinary user's, locked. Returns its settings."""
        configuration, _ = self.make(name, user)
        (configuration / "settings.json").write_text(json.dumps({
            "KeyDerivation": {"Passes": 1, "MemoryMiB": 8}, "MultiManagedIdentities": True}))
        manager = ("systemctl", *(("--user",) if user else ()))
        self.machine.run(*manager, "start", f"mamd@{name}", user=user)
        self.addCleanup(self.machine.run, *manager, "stop", f"mamd@{name}", user=user, check=False)
        self.register(name, ANN, passphrase)
        return configuration

    def register(self, workspace, account, passphrase):
        self.machine.run(
            "mamctl", "account", "register", account, "--passfile",
            self.passfile(passphrase), "--workspace", workspace, user=account != ROOTS)
        self.lock(workspace, account)

    def passfile(self, passphrase):
        file = self.machine.place / "passphrase"
        file.write_text(passphrase + "\n")
        file.chmod(0o644)
        return file

    def ctl(self, *words, **options):
        return self.machine.run("mamctl", *words, user=True, **options)

    def lock(self, workspace, account=ANN):
        self.machine.run(
            "mamctl", "lock", account, "--now", "--workspace", workspace, user=account != ROOTS)
        self.assertIn(self.state(workspace, account), ("locked", "beforeFirstUnlock"))

    def account(self, workspace, name=ANN):
        known = json.loads(self.ctl("account", "list", "--workspace", workspace, "--json").stdout)
        (account,) = [each for each in known if each["name"] == name]
        return account

    def state(self, workspace, account=ANN):
        return self.account(workspace, account)["state"]

    def opens(self, workspace, passphrase, account=ANN):
        """Whether it is the account's. A wrong one is tried too soon after the last at no time."""
        self.lock(workspace, account)
        said = self.ctl(
            "unlock", account, "--workspace", workspace, "--wait", "60",
            text=passphrase + "\n", check=False)
        self.assertIn(said.returncode, (0, 12), said.stderr)
        return said.returncode == 0

    def log_in(self, password, user="nobody", calls=("authenticate",), locker=False):
        """`locker`: as a program of the user's, without a right to anything."""
        return self.run_pam("pamtester", user, calls, password + "\n", locker)

    def change_login(self, old, new):
        """As passwd does it: a program of the user's that has root's rights."""
        return self.run_pam(
            "pamtester-of-all", "nobody", ["chauthtok"], f"{old}\n{new}\n{new}\n", True)

    def run_pam(self, program, user, calls, text, as_user):
        drop = [
            "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"
        ] if as_user else []
        return self.machine.run(
            "unshare", "-m", "--propagation", "private", "sh", "-c", ENTER, "sh", self.log.path,
            *drop, program, "mamd-test", user, *calls, text=text, check=False)

    def assert_in(self, said):
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        return said.stdout + said.stderr
