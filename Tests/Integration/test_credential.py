"""A device secret that systemd keeps: LoadCredential=, and what is refused."""
import os
import secrets
import unittest

from systemd_machine import MachineCase
from workspace import PASSPHRASE

NEEDS = ("systemd",)

SECRET = "device-secret"


@unittest.skipUnless(os.getuid() == 0, "makes name spaces with a process 1 of their own")
class Credential(MachineCase):
    def credential(self, name):
        """A workspace whose unit has a credential from a file that is made later; the file, and the
        state directory."""
        _, self.mount_point = self.make(name)
        file = self.machine.place / f"{name}.secret"
        self.errors = self.machine.place / f"{name}.errors"
        self.drop_in(
            f"mamd@{name}.service",
            f"[Service]\nRestart=no\nLoadCredential={SECRET}:{file}\n"
            f"StandardError=append:{self.errors}\n")
        self.addCleanup(self.machine.run, "systemctl", "stop", f"mamd@{name}", check=False)
        return file, self.machine.inside(f"/var/lib/mamd/{name}")

    def write(self, file, content):
        file.touch(mode=0o600)
        file.write_bytes(content)
        return file

    def test_the_secret_is_the_credential_and_never_copied(self):
        file, state = self.credential("given")
        content = secrets.token_bytes(32)
        self.write(file, content)
        passphrase = self.write(self.machine.place / "passphrase", PASSPHRASE.encode() + b"\n")
        self.machine.run("systemctl", "start", "mamd@given")
        words = ("--workspace", "given", "--passfile", passphrase)
        self.machine.run("mamctl", "account", "register", "ann@contoso.com", *words)
        self.machine.run("sh", "-c", 'echo text > "$1/file"', "sh", self.mount_point)
        self.assertFalse((state / SECRET).exists())
        self.machine.run("systemctl", "restart", "mamd@given")
        self.machine.run("mamctl", "unlock", *words)
        self.assertEqual(self.machine.run("cat", f"{self.mount_point}/file").stdout, "text\n")
        self.machine.run("systemctl", "stop", "mamd@given")
        for directory, _, names in os.walk(state):
            for name in names:
                with open(os.path.join(directory, name), "rb") as stored:
                    self.assertNotIn(content, stored.read(), name)

        # The same one in the state directory does no harm; another one is refused.
        self.write(state / SECRET, content)
        self.machine.run("systemctl", "restart", "mamd@given")
        self.write(state / SECRET, secrets.token_bytes(32))
        self.refuse("given", "is not what the credential device-secret is")
        (state / SECRET).unlink()

        # A wrong one opens nothing, and harms nothing.
        self.write(file, secrets.token_bytes(32))
        self.machine.run("systemctl", "restart", "mamd@given")
        self.assertNotEqual(self.machine.run("mamctl", "unlock", *words, check=False).returncode, 0)
        self.write(file, content)
        self.machine.run("systemctl", "restart", "mamd@given")
        self.machine.run("mamctl", "unlock", *words)
        self.assertEqual(self.machine.run("cat", f"{self.mount_point}/file").stdout, "text\n")

        # Without it, a start of the daemon by hand says where it may be.
        self.machine.run("systemctl", "stop", "mamd@given")
        said = self.machine.run(
            "mamctl", "mount", self.machine.place / "given-backing", self.mount_point, check=False)
        self.assertEqual(said.returncode, 1)
        self.assertIn("systemctl start mamd@NAME", said.stderr)
        self.assertFalse((state / SECRET).exists())

    def refuse(self, name, message):
        self.errors.write_text("")
        self.assertNotEqual(
            self.machine.run("systemctl", "restart", f"mamd@{name}", check=False).returncode, 0)
        self.assertIn(message, self.errors.read_text())

    def test_one_of_another_length_is_refused(self):
        file, state = self.credential("short")
        self.write(file, b"31 bytes are not enough for it.")
        self.refuse("short", "the credential device-secret has 31 bytes and not 32")
        self.assertFalse((state / SECRET).exists())

    def test_a_secret_moves_into_a_credential(self):
        """As mamd(8) says."""
        self.make("moved")
        self.machine.run("systemctl", "start", "mamd@moved")
        self.machine.run(
            "mamctl", "account", "register", "ann@contoso.com", "--no-passphrase", "--workspace",
            "moved")
        mount_point = self.machine.place / "moved mount"
        self.machine.run("sh", "-c", 'echo text > "$1/file"', "sh", mount_point)
        self.machine.run("systemctl", "stop", "mamd@moved")
        # No TPM here: the host's key.
        self.machine.run("mkdir", "-p", "/var/lib/systemd")
        self.machine.run(
            "systemd-creds", "encrypt", "--with-key=host", f"--name={SECRET}",
            f"/var/lib/mamd/moved/{SECRET}",
            f"/etc/mamd/moved/{SECRET}.cred")
        self.drop_in(
            "mamd@moved.service",
            f"[Service]\nLoadCredentialEncrypted={SECRET}:/etc/mamd/moved/{SECRET}.cred\n")
        self.machine.run("systemctl", "start", "mamd@moved")
        self.machine.run("systemctl", "stop", "mamd@moved")
        self.machine.run("shred", "-u", f"/var/lib/mamd/moved/{SECRET}")
        self.machine.run("systemctl", "start", "mamd@moved")
        self.assertEqual(self.machine.run("cat", f"{mount_point}/file").stdout, "text\n")
        self.machine.run("systemctl", "stop", "mamd@moved")
