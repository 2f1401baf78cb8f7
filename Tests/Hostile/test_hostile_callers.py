"""What a program can hold up: its memory map, files and pipes that it passes, its own going on."""
import contextlib
import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from bounds import FACTOR, BoundedCase
from hostile import (
    ATTACKER, ATTACKERS_NAME, STRANGER, VICTIM, VICTIMS_NAME, as_user, command_as, wait_until)
from running import PREFIX
from stuck_fuse import StuckFileSystem

# This test times answers. One of its programs makes readers of its memory map hang meanwhile.
ALONE = True

# So that a lock that something is in the way of does not take the tests' time.
DEADLINE = 1

WRITE = "1" if os.uname().machine == "x86_64" else "64"


class CallersCase(BoundedCase):
    settings = {"LockDeadlineSeconds": DEADLINE}

    def stuck(self, **options):
        place = tempfile.mkdtemp(prefix=PREFIX + "stuck-")
        self.addCleanup(os.rmdir, place)
        os.chmod(place, 0o755)
        files = StuckFileSystem(place, ATTACKER, **options)
        self.addCleanup(files.close)
        return files

    def started(self, *command, **options):
        child = subprocess.Popen(
            [os.fspath(word) for word in command], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
            **options)

        def end():
            child.kill()
            child.stdout.close()
            child.wait(60)
        self.addCleanup(end)
        child.stdout.readline()
        return child

    def python(self, uid, name, *arguments):
        return self.started(*command_as(uid, name, *arguments))


class HeldMemoryMaps(CallersCase):
    """`/proc/PID/environ`, `cmdline` and `maps` of such a process answer nobody."""

    def holder(self, count=0, uid=ATTACKER):
        with self.client(uid) as client:
            client.call("Identity.SetProcessIdentity", identity="")
            client.call("Identity.SetProcessIdentity", identity=None)
        files = self.stuck()
        # A directory each: two that make a file in one wait for each other in the kernel already.
        folders = [
            self.home(uid, f"held-{number}-{time.monotonic_ns()}") for number in range(count)]
        self.assertEqual(as_user(uid, lambda: [folder.mkdir() for folder in folders] and 0), 0)
        paths = [folder / "file" for folder in folders]
        holder = files.run(command_as(uid, "hold_map", files.path("mapped"), *paths))
        wait_until(lambda: self.is_held(holder), message="the map is not held")
        return files, holder

    def is_held(self, holder):
        try:
            subprocess.run(["cat", f"/proc/{holder.pid}/environ"], timeout=0.5, capture_output=True)
        except subprocess.TimeoutExpired:
            return True
        return False

    def test_the_map_of_a_caller_with_an_account_holds_up_nobody(self):
        holder = self.holder(14)[1]
        os.write(holder.stdin.fileno(), b"1")
        self.assert_bounded()

    def test_the_map_of_a_caller_without_an_account_holds_up_nobody(self):
        holder = self.holder(14, STRANGER)[1]
        os.write(holder.stdin.fileno(), b"1")
        self.assert_bounded()

    def test_a_lock_names_who_is_in_its_way_past_a_map_that_is_held(self):
        files, _ = self.holder()
        path = self.home(VICTIM, "written")
        writer = files.run(command_as(VICTIM, "straggle", files.path("silent"), path))
        wait_until(lambda: WRITE in self.system_calls(writer.pid), message="it does not write")
        client = self.client(VICTIM)
        # Else it is not answered: the map is held for ever.
        reply = client.call("Workspace.Lock", account=VICTIMS_NAME, now=True)
        self.assertIn(str(writer.pid), json.dumps(reply["stragglers"]))
        files.close()
        client.call("Workspace.Unlock", account=VICTIMS_NAME, passphrase=self.passphrase)

    def system_calls(self, pid):
        """The numbers of those in which a process's threads wait."""
        return {
            task.joinpath("syscall").read_text().split()[0]
            for task in pathlib.Path(f"/proc/{pid}/task").iterdir()}

    def test_a_refusal_of_a_caller_whose_map_is_held_is_recorded(self):
        with self.client(VICTIM) as client:
            path = self.write_as(VICTIM, self.home(VICTIM, "closed"), b"x")
            os.chmod(self.home(VICTIM), 0o755)
            os.chmod(path, 0o666)
            self.addCleanup(os.chmod, self.home(VICTIM), 0o700)
            client.call("Workspace.Lock", account=VICTIMS_NAME, now=True)
            try:
                files = self.stuck()
                holder = files.run(
                    command_as(ATTACKER, "hold_map", files.path("mapped"), *[path] * 14))
                os.write(holder.stdin.fileno(), b"1")
                wait_until(lambda: holder.pid in self.refused_processes())
            finally:
                client.call("Workspace.Unlock", account=VICTIMS_NAME, passphrase=self.passphrase)
        self.assert_bounded()


    def refused_processes(self):
        told = self.workspace.serving("audit", "--json", "--event", "refused").stdout.splitlines()
        return {record["pid"] for record in map(json.loads, told)}


class DescriptorsCase(CallersCase):
    VALUES = {
        "location": "other", "url": "https://example.org", "mode": "open",
        "question": "isPINRequired", "type": "string"}
    # They set an identity, or end something for others of these tests.
    LEFT_OUT = {"Workspace.Wipe", "Enrollment.Deregister", "Workspace.Watch"}

    def frames(self, only=()):
        """A call of each method that takes a descriptor, with the first one for all of them."""
        with self.client(ATTACKER) as client:
            interfaces = client.interfaces()
        return [
            json.dumps(
                {"method": f"{interface}.{method}", "parameters": self.values(parameters),
                "more": True})
            for interface, methods in interfaces.items() for method, parameters in methods.items()
            if f"{interface.removeprefix('io.mamd.')}.{method}" not in self.LEFT_OUT
            and any(name.endswith("Descriptor") for name in parameters)
            and (not only or method in only)]

    def values(self, parameters):
        values = {}
        for name, kind in parameters.items():
            if name.endswith("Descriptor"):
                values[name] = 0
            elif name in ("account", "owner", "identity", "name"):
                values[name] = ATTACKERS_NAME
            elif not kind.startswith("?") and f"{name}Descriptor" not in parameters:
                values[name] = self.VALUES.get(name) or {
                    "string": "text", "int": 0, "bool": False}.get(kind, [])
        return values

    def pass_stuck(self, name, frames, count=1):
        files = self.stuck()
        files.run(command_as(
            ATTACKER, "pass_file", self.workspace.socket, files.path(name), str(count), *frames))


class PassedDescriptors(DescriptorsCase):
    def test_a_file_that_never_answers_holds_up_nobody_at_any_method(self):
        frames = self.frames()
        self.assertGreaterEqual(len(frames), 15, frames)
        self.pass_stuck("silent", frames)
        self.assert_bounded()

    def test_a_file_that_answers_questions_and_no_reads_holds_up_nobody(self):
        self.pass_stuck("mapped", self.frames())
        self.assert_bounded()

    def test_descriptors_that_no_call_names_hold_up_nobody(self):
        self.pass_stuck("silent", ['{"method":"org.varlink.service.GetInfo"}'] * 20, count=8)
        self.assert_bounded()

    def test_a_pipe_that_nobody_reads_holds_up_nobody(self):
        reader, writer = os.pipe()
        for method in ("ProtectData", "UnprotectData"):
            client = self.client(ATTACKER)
            source = self.mebibyte()
            values = {"sourceDescriptor": 0, "destinationDescriptor": 1}
            if method == "ProtectData":
                values["owner"] = ATTACKERS_NAME
            client.send(f"Protection.{method}", [source.fileno(), writer], **values)
        self.assert_bounded()
        for descriptor in (reader, writer):
            os.close(descriptor)

    def mebibyte(self):
        file = tempfile.TemporaryFile()
        self.addCleanup(file.close)
        file.write(bytes(1 << 20))
        file.seek(0)
        return file

    def test_a_pipe_that_nobody_writes_holds_up_nobody(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, writer)
        self.addCleanup(os.close, reader)
        for frame in self.frames():
            socket.send_fds(self.client(ATTACKER).socket, [frame.encode() + b"\0"], [reader])
        self.assert_bounded()

    def test_a_pipe_of_the_attackers_ends_with_the_lock_of_its_account(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        self.addCleanup(os.close, writer)
        source = self.mebibyte()
        client = self.client(ATTACKER)
        client.send(
            "Protection.ProtectData", [source.fileno(), writer], owner=ATTACKERS_NAME,
            sourceDescriptor=0, destinationDescriptor=1)
        wait_until(lambda: select.select([reader], [], [], 0)[0])
        other = self.client(ATTACKER)
        start = time.monotonic()
        other.call("Workspace.Lock", account=ATTACKERS_NAME, now=True)
        took = time.monotonic() - start
        self.assertLess(took, max(DEADLINE, FACTOR * self.victims_calls().calls["lock"].control))
        self.assertIn("WindowClosed", json.dumps(client.receive()))
        other.call("Workspace.Unlock", account=ATTACKERS_NAME, passphrase=self.passphrase)


class StuckEnd(DescriptorsCase):
    """In a class of its own: the daemon is ended."""

    def test_a_daemon_with_threads_that_nothing_ends_makes_room_for_the_next(self):
        self.pass_stuck("silent", self.frames(only=("UnprotectData", "Unlock")))
        daemon = self.workspace.daemon()
        os.kill(daemon, signal.SIGTERM)
        wait_until(lambda: not os.path.ismount(self.workspace.mount_point))
        start = time.monotonic()
        self.workspace.mount()
        self.assertLess(time.monotonic() - start, 60)
        self.assertTrue(pathlib.Path(f"/proc/{daemon}").exists(), "it was no such daemon")


class StoppedPrograms(CallersCase):
    FRAMES = (
        {"method": "io.mamd.Workspace.Watch", "more": True, "parameters": {}},
        {"method": "io.mamd.Workspace.Status", "parameters": {}},
        {"method": "io.mamd.Report.Census", "parameters": {}},
        {"method": "io.mamd.Identity.SetProcessIdentity",
        "parameters": {"identity": "", "scoped": True}},
    )

    def callers(self):
        return [
            self.python(
                ATTACKER, "call_once", self.workspace.socket, json.dumps(frame),
                self.home(ATTACKER, f"written-{number}"))
            for number, frame in enumerate(self.FRAMES)]

    def test_programs_that_are_stopped_in_a_call_hold_up_nobody(self):
        for caller in self.callers():
            os.kill(caller.pid, signal.SIGSTOP)
        self.assert_bounded()

    def test_programs_in_a_frozen_cgroup_hold_up_nobody(self):
        with self.frozen_cgroup() as freeze:
            freeze(self.callers())
            self.assert_bounded()

    @contextlib.contextmanager
    def frozen_cgroup(self):
        for root, state, frozen, thawed in (  # noqa: B007 - read after the loop
                ("/sys/fs/cgroup", "cgroup.freeze", "1", "0"),
                ("/sys/fs/cgroup/unified", "cgroup.freeze", "1", "0"),
                ("/sys/fs/cgroup/freezer", "freezer.state", "FROZEN", "THAWED")):
            group = pathlib.Path(root, f"mamd-hostile-{os.getpid()}")
            with contextlib.suppress(OSError):
                group.mkdir()
                if (group / state).exists():
                    break
                group.rmdir()
        else:
            self.skipTest("no cgroup can be made and frozen here")

        def freeze(children):
            for child in children:
                (group / "cgroup.procs").write_text(str(child.pid))
            (group / state).write_text(frozen)
        try:
            yield freeze
        finally:
            (group / state).write_text(thawed)
            # Before the group goes they have to.
            self.doCleanups()
            wait_until(lambda: not (group / "cgroup.procs").read_text().split())
            group.rmdir()

    def test_a_caller_that_reads_no_reply_holds_up_nobody(self):
        clients = [self.client(ATTACKER) for _ in range(8)]
        for client in clients:
            client.socket.setblocking(False)
            # Until the daemon takes no more of it: its thread waits for us.
            while select.select([], [client.socket], [], 0.1)[1]:
                with contextlib.suppress(BlockingIOError):
                    client.socket.send(b'{"method":"io.mamd.Workspace.Status"}\0' * 100)
        self.assert_bounded()


class WhoListens(CallersCase):
    """`mamctl` as root, with the XDG_RUNTIME_DIR of a user that listens there."""

    def setUp(self):
        self.runtime = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX + "runtime-"))
        self.addCleanup(subprocess.run, ["rm", "-r", self.runtime])
        (self.runtime / "mamd").mkdir()
        for place in (self.runtime, self.runtime / "mamd"):
            os.chown(place, ATTACKER, ATTACKER)
            os.chmod(place, 0o755)
        self.heard = self.runtime / "heard"

    def listen(self, name):
        self.python(ATTACKER, "listen", self.runtime / "mamd" / f"{name}.sock", self.heard)

    def ctl(self, *words):
        """With the passphrase on standard input."""
        return subprocess.run(
            ["mamctl", *map(os.fspath, words)], input=self.passphrase + "\n", text=True,
            capture_output=True, timeout=90,
            env={**self.workspace.environment, "XDG_RUNTIME_DIR": str(self.runtime),
                 # The workspace's own daemon can be reached there, too.
                 "XDG_STATE_HOME": str(self.runtime / "state")})

    def heard_bytes(self):
        """All that it was told, with a dot for each connection that ended without a word."""
        return self.heard.read_bytes() if self.heard.exists() else b""

    def assert_refused(self, result):
        self.assertEqual(result.returncode, 6, result)
        self.assertIn(f"uid {ATTACKER}", result.stderr)
        wait_until(self.heard_bytes)
        self.assertEqual(self.heard_bytes().strip(b"."), b"")

    def test_a_passphrase_is_not_told_to_another_users_socket(self):
        self.listen("other")
        self.assert_refused(self.ctl("unlock", VICTIMS_NAME, "--workspace", "other"))

    def test_nothing_is_told_to_the_only_socket_if_it_is_another_users(self):
        self.listen("other")
        self.assert_refused(self.ctl("unlock", VICTIMS_NAME))

    def test_status_of_all_workspaces_asks_no_other_user(self):
        self.listen("other")
        self.assertNotEqual(self.ctl("status").returncode, 0)
        wait_until(self.heard_bytes)
        self.assertEqual(self.heard_bytes().strip(b"."), b"")

    def test_no_command_is_run_for_an_identity_at_another_users_socket(self):
        self.listen("other")
        mark = self.runtime / "ran"
        self.assert_refused(
            self.ctl("run", "--workspace", "other", "--identity", "", "--", "touch", mark))
        self.assertFalse(mark.exists())

    def test_a_file_in_a_mount_that_looks_like_a_workspace_gets_no_passphrase(self):
        files = self.stuck(subtype="mamd", source="other")
        self.listen("other")
        # Its maker may be asked about it, and is.
        subprocess.run(
            ["timeout", "5", "mamctl", "owner", "--set", "", "--unmanaged", files.path("mapped")],
            capture_output=True,
            env={**self.workspace.environment, "XDG_RUNTIME_DIR": str(self.runtime)})
        wait_until(lambda: b"io.mamd" in self.heard_bytes())
        self.heard.unlink()
        result = self.ctl("unlock", VICTIMS_NAME, "--workspace", "other")
        self.assert_refused(result)


if __name__ == "__main__":
    unittest.main()
