"""The office's units and the engine's, as systemd starts them: what the first day enables."""
import json
import os
import unittest

from ports import free_port
from systemd_machine import MachineCase
from workspace import DONE, ROOT, UNREACHABLE, wait_until

NEEDS = ("nats-server",)

HIGHEST_EXPOSURE = 2.0
# Between a server's port for clients and that for others.
CLUSTER = 2000


@unittest.skipUnless(os.getuid() == 0, "makes name spaces with a process 1 of their own")
class Office(MachineCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.machine.inside("/etc/hosts").write_text("127.0.0.1 localhost\n")
        cls.machine.run("mkdir", "-p", "/var/lib", "/etc/mamd-engine", "/run/mamd")
        cls.machine.run("systemctl", "start", "users")

    def office(self, *words, check=True):
        """A command of the administrator's, who is an ordinary user."""
        return self.machine.run(*words, user=True, check=check)

    def user_unit(self, verb, unit, check=True):
        return self.office("systemctl", "--user", verb, unit, check=check).stdout

    def test_the_sandbox_of_the_engine(self):
        self.assertLess(self.exposure("mamd-engine@.service"), HIGHEST_EXPOSURE)

    def test_from_an_engine_to_reports(self):
        port = free_port(CLUSTER)
        label, org = f"localhost-{port}", self.machine.home / "contoso"
        keys = self.machine.home / "keys"
        self.office("mkdir", keys)
        policy = self.machine.place / "first.json"
        policy.write_bytes((ROOT / "examples" / "policies" / "first.json").read_bytes())
        done = self.office(
            "mamctl", "fleet", "init", "--guided", "--name", "Contoso", "--organization", org,
            "--root", keys / "root", "--policy", keys / "policy", "--order", keys / "order-1",
            "--order", keys / "order-2", "--server", f"localhost:{port}", "--no-passphrase",
            "--first-policy", policy, "--units", "yes", check=False)
        # No logind is here, which would keep them when nobody is logged in.
        self.assertIn("loginctl enable-linger", done.stderr)
        for unit in ("mamfleet-time@contoso.timer", "mamfleet-pull@contoso.service"):
            self.assertEqual(self.user_unit("is-enabled", unit), "enabled\n")
            # Without its server the one tries again and again.
            self.assertIn(
                self.user_unit("is-active", unit, check=False), ("active\n", "activating\n"))
        self.machine.run("cp", "-r", org / "engine" / "servers" / label, "/etc/mamd-engine/")
        self.machine.run("systemctl", "start", f"mamd-engine@{label}")
        self.addCleanup(self.machine.run, "systemctl", "stop", f"mamd-engine@{label}", check=False)
        owners = self.machine.run(
            "stat", "-c", "%U %a", f"/etc/mamd-engine/{label}/server.key",
            f"/var/lib/mamd-engine/{label}").stdout.split("\n")
        self.assertEqual(owners[:2], ["nats 600", "nats 700"])

        before = (org / "time.json").read_bytes()
        wait_until(lambda: self.sends_the_time(org, before), message="no time was sent")
        self.user_unit("start", "mamfleet-pull@contoso")
        self.addCleanup(self.user_unit, "stop", "mamfleet-pull@contoso", check=False)

        self.make("pc")
        self.machine.run("systemctl", "start", "mamd@pc")
        self.addCleanup(self.machine.run, "systemctl", "stop", "mamd@pc", check=False)
        self.office("mamctl", "fleet", "invite", "--organization", org, "--note", "pc", "-o", keys)
        wait_until(lambda: self.joins((keys / "pc.code").read_text()), message="it does not join")
        requests = org / "reports" / "enrolment"
        wait_until(lambda: any(requests.glob("*.json")), message="no request came")

    def joins(self, code):
        """A server that has just begun may not answer in time, and is asked again."""
        done = self.machine.run(
            "mamfleet", "join", "-", "--workspace", "pc", "--wait", "1", "--json", text=code,
            check=False)
        self.assertIn(done.returncode, (DONE, UNREACHABLE), done.stderr)
        if done.returncode == UNREACHABLE:
            return False
        self.assertEqual(json.loads(done.stdout)["name"], "Contoso")
        return True

    def sends_the_time(self, org, before):
        """Whether the unit of the timer ends well, which it does once the server is there."""
        self.user_unit("start", "mamfleet-time@contoso.service", check=False)
        shown = self.user_unit("show", "mamfleet-time@contoso.service")
        return "Result=success" in shown and (org / "time.json").read_bytes() != before


if __name__ == "__main__":
    unittest.main()
