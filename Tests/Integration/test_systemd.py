"""The units, with the real systemd: a daemon that is killed comes back by itself.
MAMD_LONG=1: 20 kills each."""
import os
import signal
import time
import unittest

from ordinary_user import NOBODY
from systemd_machine import MachineCase
from running import daemons
from workspace import LONG, wait_until

NEEDS = ("systemd",)

# More than systemd takes of a unit that sets no limit.
KILLS = 20 if LONG else 8
UNITS = {
    "system": (
        "mamd@work.service", "mamd@work.socket", "mamfleet@work.service", "mamd-verify@work.timer",
        "mamd-verify@work.service", "mamd-keys@work.timer", "mamd-keys@work.service",
        "mamd-fetch-keys@work.service"),
    "user": (
        "mamd@work.service", "mamd@work.socket", "mamd-unlock@work.service",
        "mamfleet@work.service", "mamd-verify@work.timer", "mamd-verify@work.service",
        "mamd-refresh@work.timer", "mamd-refresh@work.service"),
}


@unittest.skipUnless(os.getuid() == 0, "makes name spaces with a process 1 of their own")
class Units(MachineCase):
    def test_the_units_are_what_systemd_takes(self):
        for manager, place in (("system", "/run/systemd/system"), ("user", "/run/user-units")):
            for unit in UNITS[manager]:
                said = self.machine.run(
                    "systemd-analyze", f"--{manager}", "--man=no", "verify", f"{place}/{unit}",
                    user=manager == "user", check=False)
                self.assertEqual(
                    (said.returncode, said.stdout + said.stderr), (0, ""), (manager, unit))

    def test_a_killed_daemon_of_the_systems_comes_back(self):
        self.check("system")

    def test_a_killed_daemon_of_a_users_comes_back(self):
        self.machine.run("systemctl", "start", "users")
        self.check("user")

    def test_a_disk_that_is_attached_is_mounted(self):
        """A directory stands for the disk: its mount comes and goes as a disk's does."""
        machine = self.machine
        disk, content, place = (machine.place / name for name in ("disk", "content", "Disk"))
        for directory in (disk, content):
            directory.mkdir()
            os.chown(directory, NOBODY, NOBODY)

        def attach():
            machine.run("mount", "--bind", content, disk)

        def is_mounted():
            return machine.run("findmnt", "-M", place, check=False).returncode == 0

        os.chown(machine.place, NOBODY, NOBODY)
        machine.run("systemctl", "start", "users")
        attach()
        machine.run(
            "mamctl", "setup", place, "--name", "disk", "--backing", disk / "backing",
            "--no-account", user=True)
        self.addCleanup(self.log_out, "mamd@disk")
        self.addCleanup(
            machine.run, "systemctl", "--user", "disable", "--now", "mamd@disk", user=True)
        self.assertTrue(is_mounted())
        machine.run("systemctl", "--user", "stop", "mamd@disk", user=True)
        machine.run("umount", disk)
        # As at a login without it.
        machine.run("systemctl", "--user", "start", "mamd@disk", user=True, check=False)
        self.assertFalse(is_mounted())
        self.assertIn(
            f"missing  {disk}/backing", machine.run("mamctl", "status", user=True, check=False)
            .stdout)
        attach()
        wait_until(is_mounted, message="the disk is there, and nothing is mounted")

    def check(self, name):
        user = name == "user"
        systemctl = ("systemctl", *(("--user",) if user else ()))
        _, mount_point = self.make(name, user)

        self.machine.run(*systemctl, "start", f"mamd@{name}", user=user)
        self.machine.run(
            "mamctl", "account", "register", "ann@contoso.com", "--no-passphrase", user=user)
        longest = 0.0
        for number in range(KILLS):
            self.machine.run(
                "sh", "-c", f'echo {number} > "$1/{number}" && sync "$1/{number}"', "sh",
                mount_point, user=user)
            (daemon,) = daemons(str(mount_point))
            os.kill(daemon, signal.SIGKILL)
            start = time.monotonic()
            wait_until(
                lambda: self.is_back(daemon, mount_point, number, user),
                message=f"not back after kill {number}")
            longest = max(longest, time.monotonic() - start)
        print(f"{name}: {KILLS} kills; back after at most {longest:.2f} s", flush=True)
        state = self.machine.run(*systemctl, "show", "-p", "NRestarts", f"mamd@{name}", user=user)
        self.assertEqual(state.stdout.strip(), f"NRestarts={KILLS}")

        # An unmount is meant.
        for end in (("mamctl", "unmount", mount_point), (*systemctl, "stop", f"mamd@{name}")):
            self.machine.run(*systemctl, "start", f"mamd@{name}", user=user)
            self.machine.run(*end, user=user)
            # One that waits for its restart is activating.
            wait_until(lambda: self.machine.run(
                *systemctl, "is-active", f"mamd@{name}", user=user,
                check=False).stdout == "inactive\n", message="it comes back")
            self.assertEqual(self.machine.run("ls", mount_point, user=user).stdout, "")

    def is_back(self, killed, mount_point, number, user):
        """Serves, and all files are readable."""
        command = ("sh", "-c", 'cd "$1" && cat $(ls | sort -n)', "sh", mount_point)
        said = self.machine.run(*command, user=user, check=False)
        if said.returncode != 0:
            self.assertIn("not connected", said.stderr)
            return False
        return said.stdout.split() == [str(each) for each in range(number + 1)]
