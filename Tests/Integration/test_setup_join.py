"""`mamctl setup --join`: from a package to a machine that an organisation knows, in one command."""
import json
import shutil
import socket
import subprocess
import unittest

from fleet_service import Service
from joining_case import JoiningCase
from workspace import NOT_FOUND, REFUSED, USAGE, Workspace, wait_until

NEEDS = ("nats-server",)


class Joining(JoiningCase):
    def setup(self, code=None, *words, **options):
        return self.workspace.ctl(
            "setup", self.mount_point, "--settings", self.workspace.settings, "--no-service",
            "--no-account", "--wait", "1", "--join", code or self.code, "--json", *words, **options)

    def joined(self, *words, **options):
        return json.loads(self.setup(*words, **options).stdout)["joined"]

    @property
    def enrolment(self):
        state = self.workspace.root / "state_home" / "mamfleet" / self.workspace.name
        return json.loads((state / "enrolment.json").read_text())

    def test_one_command_waits_and_goes_on(self):
        first = self.joined()
        self.assertEqual((first["organization"], first["admitted"]), ("Contoso", False))
        self.office.pull()
        self.assertEqual(self.office.admit(self.invitation), first["machine"])
        self.office.push()
        # The same once more, by the other ways that a code comes.
        second = self.joined(self.code.read_text())
        self.assertEqual(second, {**first, "admitted": True})
        service = Service(self.workspace).start()
        self.addCleanup(service.kill)
        wait_until(lambda: "connected as machine" in service.text)
        wait_until(lambda: "used" in self.enrolment)
        before = self.enrolment
        # A code is good once, but whoever used it may say it again: nothing is undone.
        third = self.joined("-", input=self.code.read_bytes())
        self.assertEqual(third, second)
        self.assertEqual(self.enrolment, before)

    def test_anothers_used_code_is_refused(self):
        self.joined()
        other = Workspace()
        self.addCleanup(other.close)
        other.init().mount()
        done = subprocess.run(
            ["mamfleet", "join", "-", "--workspace", other.name, "--wait", "1", "--json"],
            input=self.code.read_text(), capture_output=True, text=True, timeout=90,
            env=other.environment, check=False)
        self.assertEqual(done.returncode, REFUSED, done.stdout)
        self.assertIn("used already", done.stdout)

    def test_a_wait_is_for_a_code(self):
        said = self.workspace.ctl(
            "setup", self.mount_point, "--no-account", "--wait", "1", status=USAGE).stderr
        self.assertIn("--wait goes with", said)
        self.assertFalse(self.mount_point.exists())

    def test_what_is_no_code_is_said_before_anything_is_made(self):
        text = self.place / "text"
        text.write_text(self.code.read_text()[:-9])
        for code, words in ((text, ()), (self.place, ()), (self.code, ("--wait", "0"))):
            with self.subTest(code=code, words=words):
                done = self.setup(code, *words, status=None)
                self.assertNotEqual(done.returncode, 0, done.stdout)
                said = json.loads(done.stdout)["error"]["message"]
                self.assertIn(words[0] if words else str(code), said)
                self.assertFalse(self.mount_point.exists())

    def test_what_is_missing_is_said_before_anything_is_made(self):
        missing = self.place / "no.code"
        said = json.loads(self.setup(missing, status=NOT_FOUND).stdout)["error"]
        self.assertIn(str(missing), said["message"])
        alone = self.place / "bin"
        alone.mkdir()
        for program in ("mamctl", "mamd"):
            shutil.copy2(shutil.which(program), alone)
        environment = {**self.workspace.environment, "PATH": f"{alone}:/usr/bin:/bin"}
        said = json.loads(self.setup(status=NOT_FOUND, environment=environment).stdout)["error"]
        self.assertEqual(said["next"], "apt install mamd-fleet")
        self.assertFalse(self.mount_point.exists())

    def test_another_nats_server_is_named(self):
        """As Debian's package starts one on port 4222."""
        self.engine.kill()
        with Plain(self.engine.port):
            said = json.loads(self.setup(status=REFUSED).stdout)["error"]
            self.assertIn("without TLS", said["message"])
            self.assertIn("disable --now nats-server", said["next"])
            done = self.office.run("push", "--json", status=REFUSED)
            self.assertIn("disable --now nats-server", done.stdout)


class Plain:
    """A real nats-server, with its own settings but the port."""

    def __init__(self, port):
        self.port = port

    def __enter__(self):
        self.process = subprocess.Popen(
            ["nats-server", "-a", "127.0.0.1", "-p", str(self.port)], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)

        def is_up():
            with socket.socket() as client:
                return client.connect_ex(("127.0.0.1", self.port)) == 0

        wait_until(is_up)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


if __name__ == "__main__":
    unittest.main()
