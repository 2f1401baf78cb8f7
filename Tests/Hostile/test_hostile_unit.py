"""The daemon's surroundings: the sandbox of its unit, its memory in cores, names that steer
terminals."""
import ctypes
import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from hostile import ATTACKER, STRANGER, VICTIM, VICTIMS_NAME, Client, HostileCase, as_user

from ordinary_user import NOBODY
from systemd_machine import MachineCase
from running import daemons
from workspace import ROOT, wait_until

sys.path.insert(0, str(ROOT / "Tests"))
import decoder

NEEDS = ("gdb",)

HOOK = pathlib.Path(__file__).with_name("taken_over.py")

# What works for root outside of the sandbox, so that a refusal is the sandbox's.
POSSIBLE = {
    "root_of_process_1", "root_of_a_user", "memory_of_a_service", "trace", "kill",
    "name_space_of_process_1",
    "new_name_space", "mount", "private_socket_of_systemd", "system_bus", "crontab",
    "login_files_of_root", "unit_file",
    "keys_of_another_workspace", "network"}


@unittest.skipUnless(os.getuid() == 0, "makes name spaces with a process 1 of their own")
class TakenOver(MachineCase):
    """The daemon does what its taker wants: a hook of its does, which has all its rights."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        machine = cls.machine
        for unit in ("dbus.socket", "dbus.service"):
            machine.run("cp", f"/lib/systemd/system/{unit}", "/run/systemd/system")
        machine.run("systemctl", "daemon-reload")
        machine.run("systemctl", "start", "dbus.service")
        machine.run(
            "mkdir", "-p", "/var/spool/cron", "/root", "/mnt", "/home", "/var/lib/mamd/other")
        cls.outside = [machine.begin("sleep", "600"), machine.begin(
            "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "sleep", "600")]
        cls.found = cls().as_hook()
        cls.control = cls().as_root()

    @classmethod
    def tearDownClass(cls):
        for process in cls.outside:
            process.kill()
            process.wait()
        cls.machine.run("systemctl", "stop", "dbus.socket", "dbus.service", check=False)

    def as_hook(self):
        configuration, _ = self.make("taken")
        program, answer = self.machine.place / "taken_over.py", self.machine.place / "answer"
        shutil.copy2(HOOK, program)
        hook = [
            "/bin/sh", "-c", f"cd {self.machine.place} && /usr/bin/python3 -B {program} {answer}"]
        (configuration / "settings.json").write_text(
            json.dumps({"Hooks": {"CheckIn": hook, "TimeoutSeconds": 300}}))
        self.machine.run("systemctl", "start", "mamd@taken")
        self.machine.run(
            "mamctl", "account", "register", "ann@contoso.com", "--no-passphrase", "--workspace",
            "taken")
        self.machine.run("mamctl", "account", "check-in", "--workspace", "taken")
        return json.loads(answer.read_text())

    def as_root(self):
        answer = self.machine.place / "control"
        self.machine.run(
            "sh", "-c", f"cd {self.machine.place} && /usr/bin/python3 -B {HOOK.name} {answer}")
        return json.loads(answer.read_text())

    def runTest(self):
        """unittest makes an instance of this name for the class's own set-up."""

    def test_root_outside_can_do_all_that(self):
        self.assertLessEqual(
            POSSIBLE, {name for name, end in self.control.items() if end == "through"},
            self.control)

    def refused(self, *names):
        for name in names:
            print(f"{name}: {self.found[name]}", flush=True)
            self.assertNotEqual(self.found[name], "through", name)

    def test_it_does_not_reach_process_1(self):
        self.refused("root_of_process_1", "name_space_of_process_1")

    def test_it_does_not_go_through_a_users_processes(self):
        self.refused("root_of_a_user")

    def test_it_reads_no_memory_of_others(self):
        self.refused("memory_of_a_service", "read_memory", "trace")

    def test_it_signals_nobody(self):
        self.refused("kill")

    def test_it_mounts_nothing(self):
        self.refused("mount", "new_name_space")

    def test_it_has_systemd_start_nothing(self):
        self.refused(
            "transient_unit", "transient_unit_by_the_relay", "private_socket_of_systemd",
            "system_bus")

    def test_it_leaves_nothing_that_root_runs(self):
        self.refused("crontab", "login_files_of_root", "unit_file")

    def test_it_does_not_reach_the_keys_of_another_workspace(self):
        self.refused("keys_of_another_workspace")

    def test_it_opens_no_disk(self):
        self.refused("disk")

    def test_it_has_no_network(self):
        self.refused("network")


class Surroundings(HostileCase):
    """Root's daemon, started by hand."""

    def daemon_status(self):
        lines = pathlib.Path(f"/proc/{self.workspace.daemon()}/status").read_text().splitlines()
        return dict(line.split(":\t", 1) for line in lines)

    # Memory

    def opened_by(self, uid, name):
        def attempt():
            try:
                os.close(os.open(f"/proc/{self.workspace.daemon()}/{name}", os.O_RDONLY))
            except OSError:
                return 1
            return 0
        return as_user(uid, attempt) == 0

    def test_nobody_looks_into_the_daemon(self):
        # After files were made for users, which changes the users of its threads.
        self.write_as(ATTACKER, self.home(ATTACKER, "before"), b"text")
        for uid in (ATTACKER, STRANGER):
            for name in ("mem", "maps", "environ", "root/etc/shadow", "cwd", "fd", "auxv", "stack"):
                self.assertFalse(self.opened_by(uid, name), f"uid {uid}: {name}")

    def test_nobody_traces_the_daemon(self):
        libc = ctypes.CDLL(None, use_errno=True)
        pid = self.workspace.daemon()
        for request in (16, 0x4206):  # PTRACE_ATTACH, PTRACE_SEIZE
            self.assertEqual(
                as_user(ATTACKER, lambda: libc.ptrace(request, pid, None, None) == 0), 0)

    def secrets(self):
        (keybag,) = (
            bag for bag in decoder.keybags(self.workspace.state) if bag.name == VICTIMS_NAME)
        header = decoder.Header(self.workspace.backing.joinpath(
            f"home{VICTIM}", "secret").read_bytes()[:decoder.HEADER])
        passphrase = self.passphrase.encode()
        return {"file key": keybag.file_key(header, passphrase), "plaintext": MARKER}

    def test_a_core_has_no_key_and_no_plaintext(self):
        path = self.write_as(VICTIM, self.home(VICTIM, "secret"), MARKER * 2000)
        holder = open(path, "rb")
        self.addCleanup(holder.close)
        holder.read(50_000)
        secrets = self.secrets()
        everything = self.core(
            "-iex", "set use-coredump-filter off", "-ex", "set dump-excluded-mappings on")
        self.assertIn(secrets["file key"], everything, "a search that finds nothing proves nothing")
        # As the kernel writes it: what the process wants to have dumped.
        memory = self.core()
        for name, secret in secrets.items():
            self.assertNotIn(secret[:len(secret) // 2], memory, name)
            self.assertNotIn(secret[len(secret) // 2:], memory, name)

    def core(self, *settings):
        core = self.workspace.root / "core"
        commands = [word for command in settings for word in [command]]
        result = subprocess.run(
            ["gdb", "-nx", "-batch", "-iex", "set auto-solib-add off", *commands, "-p",
             str(self.workspace.daemon()), "-ex", f"gcore {core}"],
            capture_output=True, text=True, timeout=300)
        self.assertTrue(core.exists(), result.stdout + result.stderr)
        self.addCleanup(core.unlink, missing_ok=True)
        return core.read_bytes()

    def test_the_kernel_dumps_no_core_to_a_program(self):
        """A limit of 0 is none for a core_pattern that is a pipe."""
        pattern, dumpable = pathlib.Path("/proc/sys/kernel/core_pattern"), pathlib.Path(
            "/proc/sys/fs/suid_dumpable")
        place = self.workspace.root / "cores"
        place.mkdir(exist_ok=True)
        script = self.workspace.root / "take-core"
        script.write_text('#!/bin/sh\ncat > "${0%/*}/cores/$1"\n')
        script.chmod(0o755)
        # The whole machine's: another run of the tests waits.
        kept = self.enterContext(pattern.open())
        fcntl.flock(kept, fcntl.LOCK_EX)
        before = pattern.read_text(), dumpable.read_text()
        try:
            # The kernel starts it in the first name spaces, whose root may be another.
            pattern.write_text(f"|/proc/%P/root{script} %p")
            dumpable.write_text("2")
        except OSError as problem:
            self.skipTest(f"the machine's core_pattern cannot be changed: {problem}")
        try:
            control = subprocess.Popen(["sleep", "60"])
            control.send_signal(6)
            control.wait()
            wait_until(
                (place / str(control.pid)).exists, message="no core of anything is made here")
            self.write_as(VICTIM, self.home(VICTIM, "dumped"), b"text")
            daemon = self.workspace.daemon()
            os.kill(daemon, 6)
            wait_until(
                lambda: daemon not in daemons(str(self.workspace.root)),
                message="it does not die")
        finally:
            pattern.write_text(before[0])
            dumpable.write_text(before[1])
        self.addCleanup(self.restart_after_death)
        # Other programs of the machine may end so meanwhile.
        self.assertNotIn(str(daemon), [core.name for core in place.iterdir()])

    def restart_after_death(self):
        self.workspace.mount()
        for name, uid in self.accounts:
            with Client(self.workspace.socket, uid) as client:
                client.call("Workspace.Unlock", account=name, passphrase=self.passphrase)

    # Rights

    def test_no_limit_of_a_disk_is_passed(self):
        status = self.daemon_status()
        for name in ("CapPrm", "CapEff"):
            held = int(status[name], 16)
            for number, capability in {
                    24: "SYS_RESOURCE", 16: "SYS_MODULE", 17: "SYS_RAWIO", 12: "NET_ADMIN"}.items():
                self.assertEqual(held >> number & 1, 0, f"{name}: {capability}")

    # Names

    STEERING = ("\u009b2J", "\u202egpj.exe", "\u2066x", "\x7f", "\u2028", "a\u200bb")

    def test_the_log_and_the_audit_have_no_controls(self):
        """Names of files, of accounts and of programs."""
        for number, text in enumerate(self.STEERING):
            self.refuse_as_program(f"{number}{text}", self.home(ATTACKER, f"f{number}{text}"))
        with self.client(ATTACKER) as client:
            for text in ("\u009b2J", "\u202egpj"):
                try:
                    client.call(
                        "Workspace.Unlock", account=f"{text}@contoso.com", passphrase="wrong")
                except Exception:  # refused, and told
                    pass
                try:
                    client.call(
                        "Workspace.RegisterAccount", name=f"m{text}@contoso.com",
                        passphrase=self.passphrase)
                except Exception:  # refused, and told
                    pass
        for place in (
                self.workspace.state / "mamd.log", *self.workspace.state.glob("audit*/*"),
                *self.workspace.state.glob("audit*")):
            if place.is_file():
                self.assert_plain(place.read_bytes(), str(place))
        for verb in (
                ("audit",), ("status",), ("account", "list"), ("audit", "--json"),
                ("status", "--json")):
            result = subprocess.run(
                ["mamctl", *verb], capture_output=True, env=self.workspace.environment)
            self.assert_plain(result.stdout, str(verb))
            self.assert_plain(result.stderr, str(verb))

    def refuse_as_program(self, name, path):
        """A program of that name is refused a file of the victim's."""
        victims = self.home(VICTIM)
        libc = ctypes.CDLL(None)

        def attempt():
            libc.prctl(15, name.encode()[:15], 0, 0, 0)
            for place in (path, victims / "f"):
                try:
                    os.close(os.open(place, os.O_CREAT | os.O_RDWR, 0o600))
                except OSError:
                    pass
            os.environ["MAMD_IDENTITY"] = "other"
            with Client(self.workspace.socket) as client:
                try:
                    client.call("Workspace.Lock", account=VICTIMS_NAME, now=True)
                except Exception:  # refused, and told
                    pass
        as_user(ATTACKER, attempt)

    def assert_plain(self, content, where):
        text = content.decode()
        for mark in ("\u009b", "\u202e", "\u2066", "\x7f", "\u2028", "\u200b"):
            self.assertNotIn(mark, text, where)


MARKER = os.urandom(64)

if __name__ == "__main__":
    unittest.main()
