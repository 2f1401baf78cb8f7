"""mount(8), umount(8), findmnt(8) and fstab(5), the real ones, with the helper mount.fuse.mamd, in
a mount name space."""
import contextlib
import os
import shutil
import signal
import subprocess
import unittest

from running import daemons
from workspace import PROGRAMS, ROOT, WorkspaceCase, wait_until

HELPER = ROOT / "systemd" / "mount.fuse.mamd"
DONE, USAGE, FAILURE = 0, 1, 32


@unittest.skipUnless(os.getuid() == 0, "makes a mount name space")
class MountWays(WorkspaceCase):
    mounted = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        programs = cls.workspace.root / "sbin"
        programs.mkdir()
        cls.space = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "sh", PROGRAMS / "mount_helpers.sh",
             programs, HELPER, shutil.which("mamd"), shutil.which("mamctl")],
            stdout=subprocess.PIPE, text=True)
        cls.addClassCleanup(cls.end_space)
        if cls.space.stdout.readline() != "ready\n":
            raise unittest.SkipTest("no mount name space here")
        cls.place = cls.workspace.root / "mount point"
        cls.place.mkdir()
        cls.fstab = cls.workspace.root / "fstab"

    @classmethod
    def end_space(cls):
        cls.space.kill()
        cls.space.wait()
        cls.space.stdout.close()

    def tearDown(self):
        self.run_inside("umount", self.place, status=None)
        self.wait_for_end()

    def run_inside(self, *command, status=DONE):
        """Standard error is a file: a daemon that kept it open would not be waited for."""
        errors = self.workspace.root / "errors"
        with open(errors, "w") as file:
            result = subprocess.run(
                ["nsenter", "-t", str(self.space.pid), "-m", "--", *map(os.fspath, command)],
                timeout=90, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=file, env=self.workspace.environment)
        result.stderr = errors.read_text()
        if status is not None:
            self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def mount(self, *options, status=DONE):
        return self.run_inside(
            "mount", "-t", "fuse.mamd", *options, self.workspace.backing, self.place, status=status)

    def found(self, columns="FSTYPE,SOURCE"):
        return self.run_inside(
            "findmnt", "-n", "-o", columns, "-M", self.place, status=None).stdout.split()

    def wait_for_end(self):
        wait_until(lambda: not list(daemons(str(self.place))), message="mamd still runs")

    def test_mount_and_umount(self):
        for number in range(3):
            self.mount()
            self.assertEqual(self.found(), ["fuse.mamd", "work"])
            self.run_inside(
                "sh", "-c", f'cat "$1"/* 2>/dev/null; echo {number} > "$1/file"', "sh", self.place)
            # At once the next one: the daemon that ends has written all.
            self.run_inside("umount", self.place)
            self.assertEqual(self.found(), [])
        self.wait_for_end()

    def test_options(self):
        self.mount("-o", "ro,noexec,noatime,nofail,_netdev,x-systemd.requires=x,user=ann")
        options = self.found("OPTIONS")[0].split(",")
        self.assertLessEqual({"ro", "noexec", "nosuid", "nodev", "allow_other"}, set(options))
        said = self.run_inside("touch", self.place / "new", status=None)
        self.assertIn("Read-only", said.stderr)
        self.run_inside("umount", self.place)
        self.mount("-o", "ro,rw,no_allow_other")
        options = self.found("OPTIONS")[0].split(",")
        self.assertIn("rw", options)
        self.assertNotIn("allow_other", options)

    def test_noexec_is_kept(self):
        self.mount("-o", "noexec")
        program = self.place / "program"
        self.run_inside("sh", "-c", 'printf "#!/bin/sh\\n" > "$1" && chmod 755 "$1"', "sh", program)
        self.assertIn("Permission denied", self.run_inside(program, status=None).stderr)
        self.run_inside("umount", self.place)
        self.mount()
        self.run_inside(program)

    def test_what_makes_no_sense_is_refused(self):
        said = self.mount("-o", "uid=4711", status=USAGE)
        self.assertIn("uid=4711 means nothing here", said.stderr)
        self.assertEqual(self.found(), [])
        self.mount("-s", "-o", "uid=4711")
        said = self.mount("-o", "remount,ro", status=FAILURE)
        self.assertIn("unmount it, and mount it anew", said.stderr)
        self.assertNotIn("ro", self.found("OPTIONS")[0].split(","))
        nowhere = self.workspace.root / "nowhere"
        said = self.run_inside(
            "mount", "-t", "fuse.mamd", nowhere, self.workspace.mount_point, status=FAILURE)
        self.assertIn(os.fspath(nowhere), said.stderr)
        self.assertEqual(self.mount("-f", status=None).returncode, DONE)
        # A call without mount(8).
        for words in ([], ["one"], ["one", "two", "three"], ["one", "two", "-x"]):
            self.run_inside("/usr/sbin/mount.fuse.mamd", *words, status=USAGE)

    def write_fstab(self, options):
        place = os.fspath(self.place).replace(" ", "\\040")
        self.fstab.write_text(f"{self.workspace.backing} {place} fuse.mamd {options} 0 0\n")

    def test_fstab(self):
        self.write_fstab("defaults,nofail,x-systemd.automount")
        for _ in range(2):
            self.run_inside("mount", "--fstab", self.fstab, "-a")
            self.assertEqual(self.found(), ["fuse.mamd", "work"])
        self.assertEqual(len(list(daemons(str(self.place)))), 1)
        self.run_inside("umount", self.place)
        self.run_inside("mount", "--fstab", self.fstab, self.place)
        self.assertEqual(self.found(), ["fuse.mamd", "work"])
        self.run_inside("umount", self.place)
        self.write_fstab("noauto,ro")
        self.run_inside("mount", "--fstab", self.fstab, "-a")
        self.assertEqual(self.found(), [])

    def test_a_dead_mount_is_replaced(self):
        self.mount()
        self.run_inside("sh", "-c", 'echo text > "$1/kept" && sync "$1/kept"', "sh", self.place)
        (daemon,) = daemons(str(self.place))
        os.kill(daemon, signal.SIGKILL)
        wait_until(lambda: not list(daemons(str(self.place))))
        self.mount()
        self.assertEqual(self.run_inside("cat", self.place / "kept").stdout, "text\n")
        self.assertEqual(self.found(), ["fuse.mamd", "work"])

    def test_a_stopped_daemon_takes_no_other_mount_away(self):
        """The kernel gives a mount's number to the next one, while a copy elsewhere keeps the first
        daemon serving."""
        self.mount()
        (first,) = daemons(str(self.place))
        number = self.found("ID")
        with self.copy_of_mounts():
            self.run_inside("umount", self.place)
            other = self.mount_other(number)
            os.kill(first, signal.SIGTERM)
            self.wait_for_end()
            self.assertEqual(
                self.run_inside("findmnt", "-n", "-o", "SOURCE", "-M", other, status=None).stdout,
                "other\n")

    @contextlib.contextmanager
    def copy_of_mounts(self):
        """One more mount name space, as a container would have."""
        copy = subprocess.Popen(
            ["nsenter", "-t", str(self.space.pid), "-m", "--", "unshare", "--mount",
             "--propagation", "private", "sh", "-c", "echo ready; exec sleep infinity"],
            stdout=subprocess.PIPE)
        try:
            copy.stdout.readline()
            yield
        finally:
            copy.kill()
            copy.wait()
            copy.stdout.close()

    def mount_other(self, number):
        """Another workspace's mount, with this number; its place."""
        filler = self.workspace.root / "filler"
        filler.mkdir()
        for _ in range(200):
            self.run_inside("mount", "-t", "tmpfs", "none", filler)
            said = self.run_inside("findmnt", "-n", "-o", "ID", "-M", filler).stdout.split()
            if said[-1:] == number:
                break
        else:
            self.skipTest("the number is somebody else's by now")
        self.run_inside("umount", filler)
        other, backing = self.workspace.root / "other", self.workspace.root / "other-backing"
        other.mkdir()
        self.workspace.ctl("init", backing, "--name", "other")
        self.run_inside("mount", "-t", "fuse.mamd", backing, other)
        self.addCleanup(self.run_inside, "umount", other, status=None)
        if self.run_inside("findmnt", "-n", "-o", "ID", "-M", other).stdout.split() != number:
            self.skipTest("the number is somebody else's by now")
        return other


if __name__ == "__main__":
    unittest.main()
