"""Unlocking at login: the example for PAM with the real libraries, and the user's unit with the
real systemd."""
import json
import os
import shutil
import subprocess
import unittest

from ordinary_user import NOBODY
from systemd_machine import MachineCase
from workspace import ANN, PASSPHRASE, ROOT, wait_until

NEEDS = ("openssl", "pamtester", "systemd")

LOGIN = """
auth [success=1 default=ignore] pam_unix.so
auth requisite pam_deny.so
auth required pam_permit.so
{hooks}
account required pam_permit.so
"""


@unittest.skipUnless(os.getuid() == 0, "makes name spaces with a process 1 of their own")
class UnlockHook(MachineCase):
    def serve(self, name, passphrase, user=False):
        """A workspace with an account of the ordinary user's, locked."""
        configuration, _ = self.make(name, user)
        (configuration / "settings.json").write_text(
            json.dumps({"KeyDerivation": {"Passes": 1, "MemoryMiB": 8}}))
        manager = ("systemctl", *(("--user",) if user else ()))
        self.machine.run(*manager, "start", f"mamd@{name}", user=user)
        self.addCleanup(self.machine.run, *manager, "stop", f"mamd@{name}", user=user, check=False)
        file = self.machine.place / f"{name}.passphrase"
        file.write_text(passphrase + "\n")
        file.chmod(0o644)
        self.ctl("account", "register", ANN, "--passfile", file, "--workspace", name)
        self.lock(name)
        return configuration

    def ctl(self, *words, **options):
        return self.machine.run("mamctl", *words, user=True, **options)

    def lock(self, name):
        self.ctl("lock", ANN, "--now", "--workspace", name)
        self.assertEqual(self.state(name), "locked")

    def account(self, name):
        (account,) = json.loads(self.ctl("account", "list", "--workspace", name, "--json").stdout)
        return account

    def state(self, name):
        return self.account(name)["state"]

    def prepare_login(self, *workspaces):
        hook = self.machine.inside("/usr/local/bin/pam-unlock")
        shutil.copy2(ROOT / "packaging" / "pam" / "mamd-unlock", hook)
        sealed = subprocess.run(
            ["openssl", "passwd", "-6", "-stdin"], input=PASSPHRASE, capture_output=True, text=True,
            check=True).stdout
        etc = self.machine.inside("/etc")
        (etc / "shadow").write_text(
            "".join(f"{user}:{sealed.strip()}:19000::::::\n" for user in ("root", "nobody")))
        (etc / "shadow").chmod(0o600)
        (etc / "pam.d").mkdir(exist_ok=True)
        hooks = (
            f"auth optional pam_exec.so expose_authtok quiet /usr/local/bin/pam-unlock {name}"
            for name in workspaces)
        (etc / "pam.d" / "mamd-test").write_text(LOGIN.format(hooks="\n".join(hooks)))

    def log_in(self, password, user="nobody"):
        return self.machine.run(
            "sh", "-c", 'printf "%s\\n" "$1" | pamtester mamd-test "$2" authenticate', "sh",
            password, user, check=False)

    def test_a_login_unlocks(self):
        self.serve("one", PASSPHRASE)
        self.serve("two", PASSPHRASE)
        self.serve("other", "not the login's password")
        self.prepare_login("nowhere", "one", "other", "two")
        # A wrong password is no wrong passphrase: nobody asks the daemon.
        self.assertNotEqual(self.log_in("wrong").returncode, 0)
        self.assertEqual(self.state("one"), "locked")
        self.assertNotIn(
            "wrong passphrase", self.machine.run("cat", "/var/lib/mamd/one/mamd.log").stdout)
        said = self.log_in(PASSPHRASE)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        self.assertEqual(
            [self.state(name) for name in ("one", "two", "other")],
            ["unlocked", "unlocked", "locked"])
        # A login does not depend on the daemon.
        self.machine.run("systemctl", "stop", "mamd@one", "mamd@two", "mamd@other")
        self.assertEqual(self.log_in(PASSPHRASE).returncode, 0)

    def test_the_password_of_root_is_tried_on_no_users_account(self):
        self.serve("hers", PASSPHRASE)
        self.prepare_login("hers")
        said = self.log_in(PASSPHRASE, "root")
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        self.assertEqual(self.state("hers"), "locked")
        # The same login of the user's own would have.
        self.log_in(PASSPHRASE)
        self.assertEqual(self.state("hers"), "unlocked")

    def test_a_changed_password_does_not_wipe_the_account(self):
        configuration = self.serve("kept", "not the login's password")
        policy = configuration / "policies" / "default.json"
        policy.write_text(json.dumps({
            **json.loads(policy.read_text()), "pinRequired": True, "maximumPinRetries": 2,
            "appActionIfMaximumPinRetriesExceeded": "wipe"}))
        self.machine.run("mamctl", "account", "check-in", "--workspace", "kept")
        self.prepare_login("kept")
        log = self.machine.inside("/run/log-of-the-test")
        logger = self.machine.inside("/usr/local/bin/logger")
        logger.write_text(f"#!/bin/sh\n(echo \"$*\"; cat) >>/run/{log.name}\n")
        logger.chmod(0o755)
        self.addCleanup(logger.unlink)
        # The first wrong one costs nothing, and is tried.
        self.ctl("unlock", "--workspace", "kept", text="mistyped\n", check=False)
        wait_until(lambda: self.account("kept")["retryAfterSeconds"] == 0)
        self.assertEqual(self.log_in(PASSPHRASE).returncode, 0)
        self.assertEqual(self.state("kept"), "locked")
        self.assertEqual(
            log.read_text().splitlines(), [
                "-t mamd-unlock -p auth.notice",
                f"mamctl: One more wrong passphrase wipes {ANN}: its files here are destroyed."
                " No passphrase was tried.",
                f"  try: mamctl unlock {ANN} --workspace kept"])
        # The right one still opens it.
        self.ctl("unlock", "--workspace", "kept", text="not the login's password\n")
        self.assertEqual(self.state("kept"), "unlocked")

    def test_the_users_unit_unlocks(self):
        self.machine.run("systemctl", "start", "users")
        configuration = self.serve("mine", PASSPHRASE, user=True)
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
