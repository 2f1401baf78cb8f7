"""The probes of the package: what they print, and that the daemon acts on it."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from enrolling import EnrollmentCase
from running import PREFIX
from workspace import ANN, DONE, NO, ROOT

PROBES = ROOT / "packaging" / "probes"


def probe(name, *arguments, prefix=()):
    """Its status and its word, where no more is set than by the daemon."""
    done = subprocess.run(
        [*prefix, PROBES / name, *arguments], capture_output=True, text=True, timeout=60,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C"})
    return done.returncode, done.stdout.removesuffix("\n")


class Version(unittest.TestCase):
    def test_the_version_is_the_systems(self):
        lines = pathlib.Path("/etc/os-release").read_text().splitlines()
        release = dict(line.split("=", 1) for line in lines if "=" in line)
        version = release["VERSION_ID"].strip("\"'")
        status, word = probe("os-version")
        self.assertEqual(status, 0)
        self.assertEqual(word.split(".")[0], version.split(".")[0])
        self.assertRegex(word, r"^\d+(\.\d+)*$")


@unittest.skipUnless(os.geteuid() == 0, "needs root, to mount over /sys/dev/block")
class Disk(unittest.TestCase):
    """On devices of its own: files as sysfs has them, in a mount namespace."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix=PREFIX)
        self.addCleanup(scratch.cleanup)
        self.sysfs = pathlib.Path(scratch.name) / "block"
        self.sysfs.mkdir()
        self.number = subprocess.run(
            ["findmnt", "--raw", "-no", "MAJ:MIN", "--target", "/"], check=True,
            capture_output=True, text=True, timeout=60).stdout.strip()

    def device(self, name, uuid=None, below=()):
        place = self.sysfs / name
        for part in ("slaves", "dm"):
            (place / part).mkdir(parents=True)
        (place / "dev").write_text("1:1\n")
        if uuid:
            (place / "dm" / "uuid").write_text(uuid)
        for other in below:
            (place / "slaves" / other).symlink_to(self.sysfs / other)
        return place

    def asked(self, *arguments):
        # Links of the tree are whole paths: it stays where it is, and is seen in both places.
        script = 'mount --bind "$0" /sys/dev/block && exec "$@"'
        return probe(
            "disk-encrypted", *arguments,
            prefix=("unshare", "--mount", "sh", "-c", script, os.fspath(self.sysfs)))

    def test_a_volume_on_an_encrypted_disk(self):
        self.device("sda")
        self.device("crypt", "CRYPT-LUKS2-1", ["sda"])
        self.device(self.number, "LVM-1", ["crypt"])
        self.assertEqual(self.asked(), (0, "compliant"))
        self.assertEqual(self.asked("/"), (0, "compliant"))

    def test_one_of_two_disks_is_plain(self):
        self.device("sda")
        self.device("crypt", "CRYPT-LUKS2-1")
        self.device(self.number, "LVM-1", ["crypt", "sda"])
        self.assertEqual(self.asked(), (0, "noncompliant"))

    def test_a_partition_is_on_what_the_whole_is_on(self):
        self.device("crypt", "CRYPT-LUKS1-1")
        part = self.device("md0", None, ["crypt"]) / "md0p1"
        part.mkdir()
        (part / "dev").write_text("9:1\n")
        (part / "partition").write_text("1\n")
        (self.sysfs / self.number).symlink_to(part)
        self.assertEqual(self.asked(), (0, "compliant"))

    def test_what_is_not_known_gets_no_answer(self):
        self.assertEqual(self.asked(), (1, ""))
        (self.device(self.number) / "loop").mkdir()
        self.assertEqual(self.asked(), (1, ""))
        self.assertEqual(self.asked("/nonexistent"), (1, ""))


class Obeyed(EnrollmentCase):
    def settings_of_test(self):
        return {**self.settings, "Probes": {
            "OsVersion": [str(PROBES / "os-version")],
            "Compliance": [str(PROBES / "disk-encrypted"), "/"]}}

    def test_the_daemon_acts_on_their_answers(self):
        version = probe("os-version")[1]
        self.begin(minimumRequiredOsVersion=version)
        self.assert_open()
        later = f"{int(version.split('.')[0]) + 1}.0"
        self.set_policy(minimumRequiredOsVersion=later)
        self.workspace.serving("account check-in")
        self.assertEqual(self.block(), "launch")
        self.set_policy(
            deviceComplianceRequired=True, appActionIfDeviceComplianceRequired="block")
        expected = DONE if probe("disk-encrypted", "/")[1] == "compliant" else NO
        found = self.workspace.serving("compliance check", ANN, "--json", status=expected)
        self.assertEqual(json.loads(found.stdout)["status"], 0 if expected == DONE else 1)


if __name__ == "__main__":
    unittest.main()
