"""The Ansible role of examples/ansible, on this machine: run again it changes nothing."""
import json
import re
import shutil
import subprocess
import unittest

from joining_case import JoiningCase
from workspace import ROOT

NEEDS = ("ansible-core", "nats-server")


@unittest.skipUnless(shutil.which("ansible-playbook"), "ansible-core is not installed")
class Role(JoiningCase):
    def play(self):
        """The counts of what was done here, and what was shown."""
        values = {
            "mamd_packages": [], "mamd_mount_point": str(self.mount_point),
            "mamd_code": str(self.code), "ansible_python_interpreter": "/usr/bin/python3",
            "ansible_become": False,
            "mamd_setup_options": [
                "--no-service", "--wait", "1", "--settings", str(self.workspace.settings)]}
        done = subprocess.run(
            ["ansible-playbook", "-i", "pc-1,", "-c", "local", "-e", json.dumps(values),
             ROOT / "examples" / "ansible" / "site.yml"], capture_output=True, text=True,
            timeout=180, cwd=self.place, check=False,
            env={**self.workspace.environment, "ANSIBLE_HOME": str(self.place / "ansible"),
                 "ANSIBLE_LOCAL_TEMP": str(self.place / "ansible"),
                 "ANSIBLE_REMOTE_TEMP": str(self.place / "ansible"), "LC_ALL": "C.UTF-8"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("mamd1:", done.stdout + done.stderr)
        return dict(re.findall(r"(\w+)=(\d+)", done.stdout)), done.stdout

    def test_a_machine_joins_and_stays_as_it_is(self):
        counts, said = self.play()
        self.assertEqual((counts["changed"], counts["failed"]), ("1", "0"))
        self.assertIn('"admitted": false', said)
        self.office.pull()
        machine = self.office.admit(self.invitation)
        self.assertIn(machine, said)
        self.office.push()
        counts, said = self.play()
        self.assertEqual((counts["changed"], counts["failed"]), ("0", "0"))
        self.assertIn('"admitted": true', said)


if __name__ == "__main__":
    unittest.main()
