"""The units that timers start: checks of all files, the issuer's keys, sign-ins anew."""
import json
import os
import pathlib
import tempfile
import unittest

import issuer as issuers
from issuer import Issuer
from systemd_machine import MachineCase
from workspace import ANN, ROOT

DAMAGED = "7"


@unittest.skipUnless(os.getuid() == 0, "makes name spaces with a process 1 of their own")
class Timers(MachineCase):
    def mounted(self, name, user=False):
        """Starts a workspace's daemon; its mount point."""
        _, mount_point = self.make(name, user)
        manager = ("--user",) if user else ()
        self.machine.run("systemctl", *manager, "start", f"mamd@{name}", user=user)
        self.machine.run(
            "mamctl", "account", "register", ANN, "--no-passphrase", "--workspace", name, user=user)
        return mount_point

    def start(self, unit, user=False):
        """Starts a unit that ends by itself; what systemd says came of it, and its exit status."""
        systemctl = ("systemctl", *(("--user",) if user else ()))
        self.machine.run(*systemctl, "start", unit, user=user, check=False)
        shown = self.machine.run(
            *systemctl, "show", "-p", "Result", "-p", "ExecMainStatus", unit, user=user).stdout
        facts = dict(line.split("=", 1) for line in shown.split())
        return facts["Result"], facts["ExecMainStatus"]

    def test_a_check_passes_where_all_is_well_and_fails_where_it_is_not(self):
        mount_point = self.mounted("sound")
        self.machine.run("sh", "-c", 'seq 10000 > "$1/f"', "sh", mount_point)
        self.assertEqual(self.start("mamd-verify@sound"), ("success", "0"))
        self.machine.run("systemctl", "stop", "mamd@sound")
        with open(self.machine.place / "sound-backing" / "f", "r+b") as file:
            file.seek(9000)
            file.write(b"damage")
        self.machine.run("systemctl", "start", "mamd@sound")
        self.assertEqual(self.start("mamd-verify@sound"), ("exit-code", DAMAGED))

    def test_what_is_stopped_stays_so(self):
        self.mounted("stopped")
        self.machine.run("systemctl", "stop", "mamd@stopped")
        self.machine.run("systemctl", "start", "mamd@stopped.socket")
        for unit in ("mamd-verify@stopped", "mamd-keys@stopped"):
            self.machine.run("systemctl", "start", unit)
            self.assertEqual(self.property("mamd@stopped", "ActiveState"), "inactive", unit)

    def test_a_users_own_are_checked_by_the_users_manager(self):
        self.machine.run("systemctl", "start", "users")
        self.mounted("own", user=True)
        self.assertEqual(self.start("mamd-verify@own", user=True), ("success", "0"))

    def test_the_issuers_keys_are_fetched_in_the_sandbox(self):
        place = pathlib.Path(tempfile.mkdtemp(dir=self.machine.place))
        issuer = Issuer(place)
        self.addCleanup(issuer.stop)
        # Its certificate is for everybody.
        place.chmod(0o755)
        configuration, _ = self.make("keys")
        (configuration / "settings.json").write_text(
            json.dumps({"ADALAuthority": issuer.name, "ADALClientId": issuers.CLIENT}))
        self.drop_in(
            "mamd-fetch-keys@keys.service",
            f"[Service]\nEnvironment=SSL_CERT_FILE={issuer.certificate}\n"
            f"BindReadOnlyPaths={place}\n")
        self.machine.run("systemctl", "start", "mamd@keys")
        self.assertEqual(self.start("mamd-keys@keys"), ("success", "0"))
        self.machine.run("grep", "-rq", '"delivered"', "/var/lib/mamd/keys")
        self.assertEqual(issuer.fetched_keys, 1)
        # Who talks to the network is nobody, and who is root does not.
        for unit in (ROOT / "systemd").glob("*.service"):
            text = unit.read_text()
            if "User=" not in text:
                self.assertNotIn("AF_INET", text, unit)

    def test_each_timer_starts_its_service(self):
        for unit in (ROOT / "systemd").rglob("*.timer"):
            self.assertTrue(unit.with_suffix(".service").exists(), unit)


if __name__ == "__main__":
    unittest.main()
