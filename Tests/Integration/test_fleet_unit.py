"""The fleet's service as systemd starts it: sandboxed, as a user of its own."""
import os
import pathlib
import re
import shutil
import signal
import tempfile
import unittest

from fleet_office import Office
from nats_engine import Engine
from systemd_machine import MachineCase
from running import PREFIX
from workspace import wait_until

HIGHEST_EXPOSURE = 2.0
FLEET_USER = 64_000
RULES = {"displayName": "Signed", "appDataEncryptionType": "whenDeviceLocked", "pinRequired": False}


@unittest.skipUnless(os.getuid() == 0, "makes name spaces with a process 1 of their own")
class Service(MachineCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # What the package's postinst does.
        for file, line in (
                ("passwd", f"mamfleet:x:{FLEET_USER}:{FLEET_USER}::/nonexistent:/usr/sbin/nologin"),
                ("group", f"mamfleet:x:{FLEET_USER}:")):
            with open(cls.machine.inside(f"/etc/{file}"), "a") as table:
                table.write(line + "\n")
        cls.machine.inside("/etc/hosts").write_text("127.0.0.1 localhost\n")
        cls.machine.run("mkdir", "-p", "/var/lib", "/run/mamd")

    def test_the_sandbox_is_rated_below_two(self):
        self.assertLess(self.exposure("mamfleet@.service"), HIGHEST_EXPOSURE)

    def test_in_the_sandbox_a_policy_comes_into_force(self):
        place = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.addCleanup(shutil.rmtree, place, ignore_errors=True)
        engine = Engine(place / "server").start()
        self.addCleanup(engine.kill)
        office = Office(place / "office", engine)
        office.policy(RULES)
        office.time()
        office.push()

        self.make("fleet")
        self.machine.run("systemctl", "start", "mamd@fleet")
        self.addCleanup(
            self.machine.run, "systemctl", "stop", "mamfleet@fleet", "mamd@fleet", check=False)
        self.machine.run(
            "mamctl", "account", "register", "ann@contoso.com", "--no-passphrase", "--workspace",
            "fleet")
        invitation, code = office.invite()
        told = self.machine.run(
            "sh", "-c", f"printf %s {code} | mamfleet join - --workspace fleet --wait 1").stdout
        self.assertIn("has not let it in yet", told)
        office.pull()
        machine = office.admit(invitation)
        office.push()

        # There is no journal here.
        self.log = self.machine.place / "mamfleet.log"
        self.drop_in("mamfleet@fleet.service", f"[Service]\nStandardError=append:{self.log}\n")
        started = self.machine.run("systemctl", "start", "mamfleet@fleet", check=False)
        self.assertEqual(started.returncode, 0, self.log.read_text())
        process = self.main_process()
        self.assertEqual(self.user_of(process), FLEET_USER)
        wait_until(lambda: re.search("[1-9] documents", self.status()), message="no documents")
        wait_until(lambda: self.status().startswith("connected"))
        office.policy({**RULES, "printBlocked": True})
        office.time()
        office.push()
        wait_until(lambda: self.prints_are_blocked())

        def reported():
            office.pull()
            return machine in office.reports("status")

        wait_until(reported)
        # It comes back by itself, and has what it had.
        os.kill(self.outside(process), signal.SIGKILL)
        wait_until(lambda: self.main_process() not in (0, process))
        wait_until(lambda: self.status().startswith("connected"))

    def main_process(self):
        return int(self.property("mamfleet@fleet", "MainPID"))

    def status(self):
        return self.property("mamfleet@fleet", "StatusText")

    def outside(self, process):
        """Its number in this name space: another run's machine may have the same inside."""
        machine = os.readlink(f"/proc/{self.machine.init}/ns/pid")
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    status = (entry / "status").read_text()
                    space = os.readlink(entry / "ns" / "pid")
                except OSError:
                    continue
                numbers = re.search(r"NSpid:\t(.*)", status)[1].split()
                if space == machine and numbers[-1] == str(process):
                    return int(entry.name)
        raise AssertionError("it is gone")

    def user_of(self, process):
        status = pathlib.Path(f"/proc/{self.outside(process)}/status").read_text()
        return int(re.search(r"Uid:\t(\d+)", status)[1])

    def prints_are_blocked(self):
        return '"printBlocked"' in self.machine.run(
            "mamctl", "policy", "show", "ann@contoso.com", "--workspace", "fleet", "--json").stdout


if __name__ == "__main__":
    unittest.main()
