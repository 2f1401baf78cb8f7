"""What systemd does for a workspace, with the real one: sandbox, socket activation, watchdog."""
import json
import os
import pathlib
import re
import shutil
import signal
import tempfile
import unittest

from systemd_machine import MachineCase
from test_contained import RESTRICTED
from running import daemons
from workspace import ROOT, wait_until

NEEDS = ("e2fsprogs", "rclone")

HIGHEST_EXPOSURE = 2.5


@unittest.skipUnless(os.getuid() == 0, "makes name spaces with a process 1 of their own")
class Service(MachineCase):
    def start(self, name, drop_in=None):
        """Starts a workspace's daemon; its configuration directory and mount point."""
        configuration, mount_point = self.make(name)
        if drop_in:
            self.drop_in(f"mamd@{name}.service", drop_in)
        self.machine.run("systemctl", "start", f"mamd@{name}")
        self.addCleanup(
            self.machine.run, "systemctl", "stop", f"mamd@{name}", f"mamd@{name}.socket",
            check=False)
        return configuration, mount_point

    def daemon(self, mount_point):
        (daemon,) = daemons(str(mount_point))
        return daemon

    def test_the_sandbox_is_rated_below_two_and_a_half(self):
        self.assertLess(self.exposure("mamd@.service"), HIGHEST_EXPOSURE)

    def test_in_the_sandbox_the_daemon_looks_at_a_trusted_programs_path(self):
        configuration, mount_point = self.start("trust")
        program = os.path.realpath("/bin/cat")
        (configuration / "settings.json").write_text(
            json.dumps({"Containment": "required", "TrustedPrograms": [program]}))
        (configuration / "policies" / "default.json").write_text(json.dumps(RESTRICTED))
        self.machine.run("systemctl", "restart", "mamd@trust")
        self.machine.run(
            "mamctl", "account", "register", "ann@contoso.com", "--no-passphrase", "--workspace",
            "trust")
        script = (
            'echo text > "$2"; mamctl run --contained --discard-output --workspace trust --'
            ' cp "$2" "$1/f" < /dev/null')
        self.machine.run("sh", "-c", script, "sh", mount_point, f"{self.machine.place}/text")
        said = self.machine.run("cat", f"{mount_point}/f", check=False)
        self.assertIn("Permission denied", said.stderr)
        trusted = ("mamctl", "run", "--trusted", "--workspace", "trust", "--")
        said = self.machine.run(*trusted, program, f"{mount_point}/f")
        self.assertEqual(said.stdout, "text\n")
        other = os.path.realpath("/usr/bin/head")
        said = self.machine.run(*trusted, other, f"{mount_point}/f", check=False)
        self.assertIn("TrustedPrograms", said.stderr)

    def test_in_the_sandbox_everything_works(self):
        _, mount_point = self.start("box")
        daemon = self.daemon(mount_point)
        with open(f"/proc/{daemon}/status") as status:
            facts = dict(line.rstrip("\n").split(":\t", 1) for line in status)
        self.assertEqual((facts["NoNewPrivs"], facts["Seccomp"]), ("1", "2"))
        self.assertEqual(int(facts["CapEff"], 16) >> 21 & 1, 0, "CAP_SYS_ADMIN")
        self.machine.run(
            "mamctl", "account", "register", "ann@contoso.com", "--no-passphrase", "--workspace",
            "box")
        script = (
            "set -e; cd \"$1\"; mkdir d; chmod 2750 d; echo text > d/f; chmod 4711 d/f; chown "
            "1000:1000 d/f; ln d/f d/g; mv d/g e;"
            "mkfifo p; ln -s d l; sync e; stat -c '%a %u' d/f; cat e; mamctl owner e; rm e p l")
        said = self.machine.run("sh", "-c", script, "sh", mount_point).stdout
        # chown takes the set-user-id bit, as everywhere.
        self.assertEqual(said.split("\n")[:2], ["711 1000", "text"])
        self.assertIn("ann@contoso.com", said)
        # Others see the mount, and act as themselves.
        said = self.machine.run(
            "sh", "-c", 'touch "$1/mine"', "sh", mount_point, user=True, check=False)
        self.assertNotEqual(said.returncode, 0)
        self.machine.run("chmod", "777", mount_point)
        self.machine.run("sh", "-c", 'touch "$1/mine"', "sh", mount_point, user=True)
        self.assertEqual(
            self.machine.run("stat", "-c", "%u", f"{mount_point}/mine").stdout, "65534\n")
        # What the daemon writes in /etc.
        policy = "/etc/mamd/box/policies/default.json"
        self.machine.run("mamctl", "policy", "import", policy, "--workspace", "box")
        # The locks' proof: cachestat(2) is not refused.
        self.machine.run("mamctl", "lock", "ann@contoso.com", "--now", "--workspace", "box")
        self.assertNotEqual(
            self.machine.run("cat", f"{mount_point}/d/f", check=False).returncode, 0)
        self.assertNotIn("Operation not permitted", self.daemon_log("box"))

    def errors_to(self, name):
        """The machine has no journal."""
        return f"[Service]\nRestart=no\nStandardError=append:{self.machine.place}/{name}.errors\n"

    def errors(self, name):
        return (self.machine.place / f"{name}.errors").read_text()

    def daemon_log(self, name):
        return self.machine.run("cat", f"/var/lib/mamd/{name}/mamd.log").stdout

    def test_stop_and_unmount_leave_no_mount(self):
        _, mount_point = self.start("ends")
        for end in (
                ("systemctl", "stop", "mamd@ends"), ("mamctl", "unmount", mount_point),
                ("umount", mount_point)):
            self.machine.run("systemctl", "start", "mamd@ends")
            self.machine.run("sh", "-c", 'echo kept > "$1/file"', "sh", mount_point)
            self.machine.run(*end)
            wait_until(
                lambda: self.property("mamd@ends", "ActiveState") == "inactive",
                message="still active")
            self.assertNotIn(
                "ends\\040mount", self.machine.run("cat", "/proc/self/mountinfo").stdout)
            self.assertEqual(self.machine.run("ls", mount_point).stdout, "")
            self.assertEqual(self.property("mamd@ends", "Result"), "success")

    def test_a_stop_loses_nothing_that_was_taken(self):
        _, mount_point = self.start("writers")
        # Each line's number is noted outside of the mount once the write of it was taken. Nothing
        # is synced.
        script = (
            'exec 3>>"$1/$2"; n=0; while echo $n 2>/dev/null >&3; do echo $n > "$3/$2.taken"; '
            'n=$((n+1)); done')
        for turn in range(3):
            writers = [
                self.machine.begin(
                    "sh", "-c", script, "sh", mount_point, f"{turn}-{number}", self.machine.place)
                for number in range(3)
            ]
            wait_until(
                lambda: all((self.machine.place / f"{turn}-{n}.taken").exists() for n in range(3)))
            self.machine.run("sleep", "0.5")
            self.machine.run("systemctl", "stop", "mamd@writers")
            for writer in writers:
                writer.wait(60)
            self.machine.run("systemctl", "start", "mamd@writers")
            for number in range(3):
                name = f"{turn}-{number}"
                last = int((self.machine.place / f"{name}.taken").read_text() or -1)
                lines = self.machine.run("cat", f"{mount_point}/{name}").stdout.split()
                self.assertGreaterEqual(len(lines), last + 1, name)
                self.assertEqual(lines[:last + 1], [str(n) for n in range(last + 1)])

    def test_a_line_of_fstab_is_a_unit(self):
        _, mount_point = self.make("line")
        backing = self.machine.place / "line-backing"
        self.write_fstab(backing, mount_point, "nofail,noexec")
        units = self.machine.place / "generated"
        units.mkdir()
        self.machine.run(
            "/lib/systemd/system-generators/systemd-fstab-generator", units, units, units)
        unit = self.machine.run(
            "systemd-escape", "--path", "--suffix=mount", mount_point).stdout.strip()
        self.machine.run("cp", units / unit, "/run/systemd/system")
        self.machine.run("systemctl", "daemon-reload")
        for _ in range(2):
            self.machine.run("systemctl", "start", unit)
            self.machine.run("sh", "-c", 'echo text > "$1/file"', "sh", mount_point)
            self.assertIn(
                "noexec", self.machine.run(
                    "findmnt", "-n", "-o", "OPTIONS", "-M", mount_point).stdout)
            self.machine.run("systemctl", "stop", unit)
            wait_until(lambda: not list(daemons(str(mount_point))), message="mamd still runs")
            self.assertEqual(self.property(unit, "Result"), "success")

    def test_a_line_of_fstab_for_a_user(self):
        """mount(8) gives the helper no environment then; the home directory is the account's."""
        users = self.machine.inside("/etc/passwd")
        before = users.read_text()
        users.write_text(
            before.replace("/nonexistent:/usr/sbin/nologin", f"{self.machine.home}:/bin/sh"))
        self.addCleanup(users.write_text, before)
        _, mount_point = self.make("own", user=True)
        self.write_fstab(self.machine.place / "own-backing", mount_point, "noauto,user")
        self.machine.run("mount", mount_point, user=True)
        self.machine.run("sh", "-c", 'echo text > "$1/file"', "sh", mount_point, user=True)
        options = self.machine.run(
            "findmnt", "-n", "-o", "OPTIONS", "-M", mount_point).stdout.strip().split(",")
        self.assertLessEqual({"noexec", "nosuid", "nodev", "user_id=65534"}, set(options))
        self.machine.run("umount", mount_point, user=True)
        wait_until(lambda: not list(daemons(str(mount_point))), message="mamd still runs")

    def write_fstab(self, backing, mount_point, options):
        """One line, and the helper where mount(8) looks for it."""
        programs = pathlib.Path(tempfile.mkdtemp(dir=self.machine.place))
        programs.chmod(0o755)
        shutil.copy2(ROOT / "systemd" / "mount.fuse.mamd", programs)
        self.machine.run("mount", "--bind", programs, "/usr/sbin")
        self.addCleanup(self.machine.run, "umount", "-l", "/usr/sbin")
        place = str(mount_point).replace(" ", "\\040")
        fstab = self.machine.inside("/etc/fstab")
        fstab.write_text(f"{backing} {place} fuse.mamd {options} 0 0\n")
        self.addCleanup(fstab.unlink)

    def test_a_start_that_fails_says_why_and_serves_nothing(self):
        configuration, mount_point = self.make("bad")
        (configuration / "settings.json").write_text("{")
        self.drop_in("mamd@bad.service", self.errors_to("bad"))
        self.assertNotEqual(
            self.machine.run("systemctl", "start", "mamd@bad", check=False).returncode, 0)
        self.assertIn("settings.json is refused", self.errors("bad"))
        # Nobody is kept waiting by what was mounted for it.
        said = self.machine.run("timeout", "30", "ls", mount_point, check=False)
        self.assertIn("not connected", said.stderr)
        (configuration / "settings.json").write_text("{}")
        self.machine.run("systemctl", "start", "mamd@bad")
        self.machine.run("ls", mount_point)
        self.machine.run("systemctl", "stop", "mamd@bad")

    def test_a_workspace_that_is_mounted_by_hand_is_left_alone(self):
        _, mount_point = self.make("hand")
        self.drop_in("mamd@hand.service", self.errors_to("hand"))
        self.machine.run("mamctl", "mount", self.machine.place / "hand-backing", mount_point)
        self.assertNotEqual(
            self.machine.run("systemctl", "start", "mamd@hand", check=False).returncode, 0)
        self.assertIn("is already mounted: process", self.errors("hand"))
        self.machine.run("touch", mount_point / "file")
        self.machine.run("mamctl", "unmount", mount_point)
        self.assertEqual(self.machine.run("ls", mount_point).stdout, "")

    def test_a_hook_without_a_network_is_told(self):
        configuration, _ = self.make("hook")
        (configuration / "settings.json").write_text('{"Hooks": {"CheckIn": ["/bin/true"]}}')
        self.machine.run("systemctl", "start", "mamd@hook")
        self.assertIn("denies the CheckIn hook the network", self.daemon_log("hook"))
        self.drop_in("mamd@hook.service", "[Service]\nPrivateNetwork=no\nIPAddressDeny=\n")
        before = len(self.daemon_log("hook"))
        self.machine.run("systemctl", "restart", "mamd@hook")
        self.machine.run("systemctl", "stop", "mamd@hook")
        self.assertNotIn("hook the network", self.daemon_log("hook")[before:])

    def test_a_hook_with_a_drop_in_has_the_network(self):
        configuration, _ = self.make("outside")
        hook = self.machine.place / "check-in"
        hook.write_text(f"#!/bin/sh\nexec >{self.machine.place}/seen\ncat\nls /sys/class/net\n")
        hook.chmod(0o755)
        # As mamd(8) has it.
        manual = (ROOT / "docs" / "man" / "mamd.md").read_text()
        (lines,) = re.findall(
            r"    \[Service\]\n((?:    .*\n)*    PrivateNetwork=no\n(?:    .*\n)*)", manual)
        (configuration / "settings.json").write_text(
            json.dumps({"Hooks": {"CheckIn": [str(hook)]}}))
        self.drop_in("mamd@outside.service", f"[Service]\n{lines}")
        self.machine.run("systemctl", "start", "mamd@outside")
        self.addCleanup(self.machine.run, "systemctl", "stop", "mamd@outside")
        self.machine.run(
            "mamctl", "account", "register", "ann@contoso.com", "--no-passphrase", "--workspace",
            "outside")
        self.machine.run("mamctl", "account", "check-in", "--workspace", "outside")
        told, *devices = (self.machine.place / "seen").read_text().split("\n")
        self.assertEqual(json.loads(told), {"hook": "checkIn", "accounts": ["ann@contoso.com"]})
        self.assertEqual(devices, self.machine.run("ls", "/sys/class/net").stdout.split("\n"))
        self.assertNotIn("hook the network", self.daemon_log("outside"))
        # What it ends with is the hook's status.
        hook.write_text("#!/bin/sh\nexit 1\n")
        self.assertNotEqual(
            self.machine.run(
                "mamctl", "account", "check-in", "--workspace", "outside", check=False).returncode,
                0)

    def test_a_mount_that_cannot_be_written_to_is_not_served(self):
        """The proof that a lock left nothing goes through the mount."""
        _, mount_point = self.make("unwritten")
        backing = self.machine.place / "unwritten-backing"
        self.drop_in("mamd@unwritten.service", self.errors_to("unwritten") + (
            f"BindPaths=\nBindPaths=/run/mamd\nBindReadOnlyPaths={self.machine.place}\n"
            f"ReadWritePaths={backing}\n"))
        self.assertNotEqual(
            self.machine.run("systemctl", "start", "mamd@unwritten", check=False).returncode, 0)
        self.assertIn("cannot be written to in the sandbox", self.errors("unwritten"))
        self.machine.run("umount", "-l", mount_point, check=False)

    def test_its_rights(self):
        _, mount_point = self.start("rights")
        with open(f"/proc/{self.daemon(mount_point)}/status") as status:
            facts = dict(line.rstrip("\n").split(":\t", 1) for line in status)
        for number, name in {
                19: "SYS_PTRACE", 21: "SYS_ADMIN", 24: "SYS_RESOURCE", 27: "MKNOD",
                5: "KILL"}.items():
            self.assertEqual(int(facts["CapBnd"], 16) >> number & 1, 0, name)

    # The socket

    def test_the_first_call_starts_the_daemon(self):
        for user in (False, True):
            with self.subTest(user=user):
                name = "calluser" if user else "callroot"
                manager = ("systemctl", *(("--user",) if user else ()))
                if user:
                    self.machine.run("systemctl", "start", "users")
                _, mount_point = self.make(name, user)
                self.machine.run(*manager, "start", f"mamd@{name}.socket", user=user)
                self.assertEqual(list(daemons(str(mount_point))), [])
                self.assertIn(
                    str(mount_point), self.machine.run("mamctl", "status", user=user).stdout)
                first = self.daemon(mount_point)
                socket = "/run/user/65534/mamd" if user else "/run/mamd"
                mode = self.machine.run("stat", "-c", "%a", f"{socket}/{name}.sock").stdout
                self.assertEqual(mode, "600\n" if user else "666\n")
                # After a stop it listens as before.
                self.machine.run(*manager, "stop", f"mamd@{name}.service", user=user)
                self.assertEqual(list(daemons(str(mount_point))), [])
                self.machine.run("mamctl", "metrics", "--workspace", name, user=user)
                self.assertNotEqual(self.daemon(mount_point), first)
                # And after a kill, with the clients of that moment.
                os.kill(self.daemon(mount_point), signal.SIGKILL)
                wait_until(lambda: self.machine.run(
                    "mamctl", "metrics", "--workspace", name, user=user, check=False).returncode
                    == 0, message="not back")
                self.machine.run(
                    *manager, "stop", f"mamd@{name}.socket", f"mamd@{name}.service", user=user)
                said = self.machine.run("ls", socket).stdout
                self.assertNotIn(f"{name}.sock\n", said)

    def test_a_socket_of_another_name_is_refused(self):
        configuration, mount_point = self.make("right")
        other = configuration.parent / "wrong"
        other.mkdir()
        (other / "mount").write_text((configuration / "mount").read_text())
        self.drop_in("mamd@wrong.service", self.errors_to("wrong"))
        self.machine.run("systemctl", "start", "mamd@wrong.socket")
        self.assertNotEqual(
            self.machine.run("systemctl", "start", "mamd@wrong", check=False).returncode, 0)
        self.assertIn("is not /run/mamd/right.sock", self.errors("wrong"))
        self.machine.run("systemctl", "stop", "mamd@wrong.socket", "mamd@wrong")
        self.machine.run("umount", "-l", mount_point)

    # The watchdog

    def test_a_hung_daemon_is_replaced(self):
        _, mount_point = self.start("hung", "[Service]\nWatchdogSec=3\n")
        self.machine.run("sh", "-c", 'echo text > "$1/file" && sync "$1/file"', "sh", mount_point)
        daemon = self.daemon(mount_point)
        os.kill(daemon, signal.SIGSTOP)
        wait_until(lambda: daemon not in daemons(str(mount_point)) and self.machine.run(
            "timeout", "5", "cat", f"{mount_point}/file", check=False).stdout == "text\n",
            message="it hangs still")
        self.assertEqual(self.property("mamd@hung", "NRestarts"), "1")

    def test_one_that_answers_is_left_alone(self):
        _, mount_point = self.start("busy", "[Service]\nWatchdogSec=3\n")
        daemon = self.daemon(mount_point)
        for _ in range(4):
            self.machine.run(
                "dd", "if=/dev/zero", f"of={mount_point}/file", "bs=1M", "count=32", "conv=fsync")
            self.machine.run("sleep", "1.2")
        self.assertEqual(self.daemon(mount_point), daemon)

    def test_a_disk_that_does_not_answer_ends_no_daemon(self):
        image, disk = self.machine.place / "disk-image", self.machine.place / "disk"
        with open(image, "wb") as file:
            file.truncate(64 << 20)
        disk.mkdir()
        self.machine.run("/sbin/mkfs.ext4", "-q", "-b", "4096", image)
        if self.machine.run("mount", "-o", "loop", image, disk, check=False).returncode != 0:
            self.skipTest("this machine has no loop devices")
        self.addCleanup(self.machine.run, "umount", "-l", disk)
        # The keys lie there as well: what waits for them has the locks that the watchdog asks for,
        # if any has.
        for place in ("/var/lib/mamd/frozen", self.machine.place / "frozen-backing"):
            own = disk / pathlib.Path(place).parent.name
            self.machine.run("mkdir", "-p", place, own)
            self.machine.run("mount", "--bind", own, place)
            self.addCleanup(self.machine.run, "umount", "-l", place)

        def thaw():
            self.machine.run("fsfreeze", "--unfreeze", disk, check=False)

        self.addCleanup(thaw)
        self.check_stuck("frozen", lambda: self.machine.run("fsfreeze", "--freeze", disk), thaw)

    def test_another_file_system_that_does_not_answer_ends_no_daemon(self):
        source, backing = self.machine.place / "source", self.machine.place / "remote-backing"
        for directory in (source, backing):
            directory.mkdir()
        self.machine.run(
            "rclone", "mount", source, backing, "--vfs-cache-mode", "writes", "--config", "",
            "--daemon")
        server = self.machine.run("pidof", "rclone").stdout.strip()
        for name in ("TERM", "CONT"):
            self.addCleanup(self.machine.run, "kill", f"-{name}", server)
        self.check_stuck("remote", lambda: self.machine.run("kill", "-STOP", server),
                         lambda: self.machine.run("kill", "-CONT", server))

    def check_stuck(self, name, stop, go_on):
        """More requests than threads wait for the disk for longer than the watchdog does; then all
        are answered."""
        _, mount_point = self.start(name, "[Service]\nWatchdogSec=3\n")
        secret = self.machine.place / "secret"
        secret.write_text("4711\n")
        account = ("ann@contoso.com", "--workspace", name, "--passfile", secret)
        self.machine.run("mamctl", "account", "register", *account)
        # Of new ones the kernel would let one at a time be made.
        files = [f"{mount_point}/{number}" for number in range(16)]
        for file in files:
            self.machine.run(
                "dd", "if=/dev/zero", f"of={file}", "bs=64k", "count=4", "conv=fsync",
                "status=none")
        daemon = self.daemon(mount_point)
        stop()
        begun = [
            self.machine.begin(
                "dd", "if=/dev/urandom", f"of={file}", "bs=64k", "count=4", "conv=notrunc,fsync",
                "status=none")
            for file in files
        ]
        self.machine.run("sleep", "8")
        self.assertEqual({each.poll() for each in begun}, {None}, "nothing waits")
        go_on()
        self.assertEqual({each.wait(60) for each in begun}, {0})
        self.assertEqual(self.daemon(mount_point), daemon)
        self.assertEqual(self.property(f"mamd@{name}", "NRestarts"), "0")
        self.machine.run("systemctl", "stop", f"mamd@{name}")
