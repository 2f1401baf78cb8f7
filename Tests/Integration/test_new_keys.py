"""New file keys where a class becomes stricter, and new class keys with a first passphrase: killed
anywhere, and what the disk keeps."""
import collections
import contextlib
import errno
import os
import signal
import subprocess
import time
import unittest

from disk_image import DiskCase, DiskImage
from test_classes import OPEN_POLICY, set_policy
from tracing import calls_by_thread, is_traced, killing
from workspace import (
    ANN, DONE, LONG, UNREACHABLE, Workspace, pattern, wait_for_room, wait_until)

NEEDS = ("strace",)

# All that changes something on disk.
CALLS = "pwrite64,fsync,fdatasync,renameat,renameat2,unlinkat"


def header(path):
    with open(path, "rb") as file:
        return file.read(1024)


class Case(unittest.TestCase):
    def setUp(self):
        self.space = Workspace(settings=OPEN_POLICY).init()
        self.addCleanup(self.space.close)
        set_policy(self.space, "useDeviceSettings")
        self.prepare()
        self.space.mount()

    def prepare(self):
        """Before the mount."""

    def put(self, name, data):
        path = self.space.path(name)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        return path

    def passphrase(self, *options, status=DONE):
        return self.space.serving("account passphrase", ANN, *options, status=status)

    def keybags(self):
        return sorted((self.space.state / "keybags").iterdir())

    def under_strace(self, options, command):
        """Runs a command while the daemon is traced; its status. The daemon is gone afterwards if
        that is not 0."""
        pid = self.space.daemon()
        tracer = subprocess.Popen(
            ["strace", "-qq", "-f", "-p", str(pid), *options], stderr=subprocess.PIPE)
        status = None
        try:
            wait_until(lambda: is_traced(pid), message="strace does not attach")
            status = command()
        finally:
            tracer.terminate() if status == 0 else tracer.kill()
            tracer.communicate()
        return status


@unittest.skipUnless(os.getuid() == 0, "the daemon lets nobody but root trace it")
class Killed(Case):
    def set_passphrase(self):
        return self.passphrase(
            "--new-passfile", self.space.passfile, status=(DONE, UNREACHABLE)).returncode

    def remove_passphrase(self):
        self.passphrase("--passfile", self.space.passfile, "--no-passphrase")

    def test_a_first_passphrase_at_each_call_that_changes_the_disk(self):
        self.space.register(extra=["--no-passphrase"])
        self.put("A", b"old")
        self.space.ctl("class", "--set", "A", self.space.path("A"))
        trace = self.space.root / "trace"
        self.assertEqual(
            self.under_strace(("-o", trace, "-e", f"trace={CALLS}"), self.set_passphrase), 0)
        # The thread that serves the call: the exchanges of the two copies, and what they replaced
        # overwritten.
        (calls,) = (
            calls for calls in calls_by_thread(trace)
            if calls.count("renameat2") == 2 and calls[0] == "pwrite64")
        self.assertGreaterEqual(calls.count("unlinkat"), 2)
        points = range(14) if LONG else range(0, 14, 2)
        outcomes = collections.Counter()
        for point in points:
            self.remove_passphrase() if self.space.account()["hasPassphrase"] else None
            path = self.put(f"point {point}", b"before")
            status = self.under_strace(
                ("-o", "/dev/null", "-e", f"trace={calls[point]}", "-e",
                 killing(calls[: point + 1])),
                self.set_passphrase)
            self.assertNotEqual(status, 0, f"not killed at {point}, {calls[point]}")
            wait_until(lambda: not self.running(), message="the daemon lives")
            self.space.mount()
            has = self.space.account()["hasPassphrase"]
            outcomes["new" if has else "old"] += 1
            self.space.unlock() if has else None
            self.assertEqual(
                (self.space.path("A").read_bytes(), path.read_bytes()), (b"old", b"before"), point)
            one, two = (place.read_bytes() for place in self.keybags())
            self.assertEqual(one, two)
        self.assertTrue(outcomes["new"] and outcomes["old"], outcomes)

    def running(self):
        with contextlib.suppress(ValueError):
            return self.space.daemon()

    def test_a_pass_that_seals_files_anew(self):
        self.space.register()
        data = {
            f"folder {number % 3}/file {number}": pattern(9_000, seed=number)
            for number in range(40)}
        places = [
            self.space.on_disk(self.put(name, content).relative_to(self.space.mount_point))
            for name, content in data.items()]
        self.space.unmount()
        before = {place: header(place)[16:32] for place in places}
        set_policy(self.space, "whenDeviceLocked")
        for call, count in (
                ("renameat2", 1), ("pwrite64", 60), ("fsync", 12), ("unlinkat", 5),
                ("renameat2", 2)):
            self.space.mount()
            status = self.under_strace(
                ("-o", "/dev/null", "-e", f"trace={call}", "-e",
                f"inject={call}:signal=SIGKILL:when={count}"),
                self.unlock_until_killed)
            self.assertNotEqual(status, 0, f"not killed at {call} {count}")
            wait_until(lambda: not self.running(), message="the daemon lives")
        self.space.mount().unlock()
        wait_until(
            lambda: all(header(place)[16:32] != before[place] for place in places),
            message="not all are sealed anew")
        wait_until(
            lambda: not list((self.space.backing / ".mamd" / "work").iterdir()),
            message="a copy is left")
        for name, content in data.items():
            self.assertEqual(self.space.path(name).read_bytes(), content)
            self.assertEqual(os.getxattr(self.space.path(name), "user.mam.class"), b"A")

    def test_a_class_that_was_set_before_the_content_was_sealed_anew(self):
        """The next start finds the file, which nobody opens."""
        self.space.register()
        path = self.put("file", pattern(9_000))
        place = self.space.on_disk("file")
        self.assertEqual(self.space.info(path)["class"], "D")
        status = self.under_strace(
            ("-o", "/dev/null", "-e", "trace=renameat2",
             "-e", "inject=renameat2:signal=SIGKILL:when=1"),
            lambda: self.space.ctl("class", "--set", "A", path, status=None).returncode)
        self.assertNotEqual(status, 0)
        wait_until(lambda: not self.running(), message="the daemon lives")
        self.assertEqual((header(place)[11], header(place)[13]), (1, 1))
        self.space.mount().unlock()
        wait_until(lambda: header(place)[13] == 0, message="not sealed anew")
        self.assertEqual(path.read_bytes(), pattern(9_000))

    def test_a_daemon_that_is_stopped_before_the_content_was_sealed_anew(self):
        """Class C stays open meanwhile: only the end itself keeps the file from its new key."""
        self.space.register()
        path = self.put("file", pattern(8 << 20))
        place = self.space.on_disk("file")
        os.sync()
        self.assertEqual(self.space.info(path)["class"], "D")

        def stop():
            work = self.space.backing / ".mamd" / "work"
            with subprocess.Popen(
                    ["mamctl", "class", "--set", "C", path], env=self.space.environment,
                    stderr=subprocess.DEVNULL) as running:
                wait_until(lambda: list(work.iterdir()), message="nothing is copied")
                os.kill(self.space.daemon(), signal.SIGTERM)
                # Without its tracer the copy would be done at once.
                wait_until(lambda: not self.running(), message="the daemon does not end")
                return running.wait()

        delay = (
            "-o", "/dev/null", "-e", "trace=pwrite64", "-e", "inject=pwrite64:delay_enter=500000")
        self.assertNotEqual(self.under_strace(delay, stop), 0)
        self.assertEqual((header(place)[11], header(place)[13]), (3, 1))
        self.space.mount().unlock()
        wait_until(lambda: header(place)[13] == 0, message="not sealed anew")
        self.assertEqual(path.read_bytes(), pattern(8 << 20))

    def test_a_file_that_is_being_sealed_while_the_account_gets_its_first_passphrase(self):
        self.space.register(extra=["--no-passphrase"])
        self.space.ctl("class", "--set", "A", self.space.mount_point)
        data = pattern(12 << 20)
        place = self.space.on_disk("large")
        place.write_bytes(data)
        old = self.keybags()[0].read_bytes()[688:752]
        with contextlib.ExitStack() as stack:

            def protect():
                work = self.space.backing / ".mamd" / "work"
                running = stack.enter_context(subprocess.Popen(
                    ["mamctl", "protect", self.space.path("large"), "--owner", ANN],
                    env=self.space.environment, stdout=subprocess.DEVNULL))
                wait_until(lambda: list(work.iterdir()), message="nothing is copied")
                self.passphrase("--new-passfile", self.space.passfile)
                self.assertIsNone(running.poll(), "it was sealed too early: this test cannot fail")
                return running.wait()

            # Each step of the copy takes a while.
            delay = (
                "-o", "/dev/null", "-e", "trace=pwrite64",
                "-e", "inject=pwrite64:delay_enter=50000")
            self.assertEqual(self.under_strace(delay, protect), 0)
        keys = self.keybags()[0].read_bytes()[688:752]
        self.assertNotEqual(keys[:48], old[:48])
        current = [keys[at:at + 16] for at in range(0, 64, 16)]
        wait_until(lambda: header(place)[32:48] in current, message="it has a retired key")
        wait_until(lambda: header(place)[13] == 0, message="not sealed anew")
        self.assertEqual(self.space.path("large").read_bytes(), data)

    def unlock_until_killed(self):
        self.space.serving("unlock", ANN, "--passfile", self.space.passfile, status=None)
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            if not self.running():
                return 1
            time.sleep(0.02)
        return 0


class Pass(Case):
    def test_a_damaged_file_is_named_and_does_not_keep_the_pass_from_its_end(self):
        self.space.register()
        paths = [self.put(f"file {number}", pattern(20_000, seed=number)) for number in range(3)]
        self.space.unmount()
        places = [self.space.on_disk(path.name) for path in paths]
        before = [header(place)[16:32] for place in places]
        with open(places[1], "r+b") as file:
            file.seek(3 * 4096 + 100)
            file.write(b"damage")
        set_policy(self.space, "whenDeviceLocked")
        self.space.mount().unlock()
        log = self.space.daemon_log.read_text
        wait_until(lambda: "have their class: policy A" in log(), message="the pass does not end")
        self.assertEqual(log().count(f"file 1, a file of {ANN}, keeps its key from before: "), 1)
        self.assertNotIn("to be tried again at the next unlock", log())
        self.assertEqual((header(places[1])[11], header(places[1])[13]), (1, 1))
        for number in (0, 2):
            self.assertNotEqual(header(places[number])[16:32], before[number])
            self.assertEqual(header(places[number])[13], 0)
        # Of the rules that the files have by now there is a record: no unlock begins another pass.
        wait_until(lambda: list((self.space.state / "classes").iterdir()))

    def test_all_files_are_closed_before_the_first_is_sealed_anew(self):
        """And what cannot be sealed anew is told once, and tried again."""
        self.space.register()
        paths = [self.put(f"file {number}", pattern(5_000, seed=number)) for number in range(10)]
        os.link(paths[3], self.space.path("second"))
        self.space.unmount()
        places = [self.space.on_disk(path.name) for path in paths]
        before = [header(place)[16:32] for place in places]
        set_policy(self.space, "whenDeviceLocked")
        self.space.mount().unlock()
        others = [place for place in places if place.name != "file 3"]
        wait_until(
            lambda: all(header(place)[16:32] not in before for place in others),
            message="not sealed anew")
        told = "to be tried again at the next unlock: 1: "
        wait_until(lambda: told in self.space.daemon_log.read_text(), message="nobody is told")
        self.assertEqual((header(places[3])[11], header(places[3])[13]), (1, 1))
        self.assertIn("sealed anew", self.space.info(paths[3])["reason"])
        os.unlink(self.space.path("second"))
        self.space.lock()
        for path in paths:
            with self.assertRaises(OSError) as caught:
                path.read_bytes()
            self.assertEqual(caught.exception.errno, errno.ENOKEY)
        self.space.unlock()
        wait_until(lambda: header(places[3])[13] == 0, message="not tried again")
        for number, path in enumerate(paths):
            self.assertEqual(path.read_bytes(), pattern(5_000, seed=number))

    def test_files_that_are_written_meanwhile_lose_nothing(self):
        self.space.register()
        paths = [self.put(f"file {number}", b"") for number in range(8)]
        with contextlib.ExitStack() as stack:
            held = [stack.enter_context(open(path, "r+b", buffering=0)) for path in paths]
            for round in range(60):
                for file in held:
                    file.write(round.to_bytes(2, "big") * 2000)
                if round == 20:
                    set_policy(self.space, "whenDeviceLocked")
        expected = b"".join(round.to_bytes(2, "big") * 2000 for round in range(60))
        wait_until(
            lambda: {self.space.info(path)["class"] for path in paths} == {"A"},
            message="not class A")
        wait_until(
            lambda: all(header(self.space.on_disk(path.name))[13] == 0 for path in paths),
            message="not sealed anew")
        for path in paths:
            self.assertEqual(path.read_bytes(), expected)
        self.space.remount()
        for path in paths:
            self.assertEqual(path.read_bytes(), expected)


class NoRoom(DiskCase):
    mebibytes = 24

    def prepare(self):
        self.workspace.settings.write_text(
            self.workspace.settings.read_text().replace(
                "{", '{"DeviceDefaultProtectionLevel": "NSFileProtectionNone", ', 1))

    def test_a_file_that_has_no_room_for_a_copy_is_closed_and_sealed_later(self):
        workspace = self.workspace
        workspace.unmount()
        set_policy(workspace, "useDeviceSettings")
        workspace.mount().unlock()
        path, ballast = workspace.path("large"), workspace.path("ballast")
        path.write_bytes(pattern(5 << 20))
        ballast.write_bytes(bytes(6 << 20))
        self.assertEqual(workspace.info(path)["class"], "D")
        workspace.ctl("class", "--set", "A", path)
        place = workspace.on_disk("large")
        self.assertEqual((header(place)[11], header(place)[13]), (1, 1))
        self.assertEqual(path.read_bytes(), pattern(5 << 20))
        # Somebody else's writes find the room that they had.
        workspace.path("small").write_bytes(bytes(1 << 20))
        ballast.unlink()
        wait_for_room(workspace.backing, 10 << 20)
        os.sync()
        workspace.ctl("class", "--set", "A", path)
        self.assertEqual((header(place)[11], header(place)[13]), (1, 0))
        self.assertEqual(path.read_bytes(), pattern(5 << 20))


@unittest.skipUnless(os.getuid() == 0, "mounts a disk image, which only root can")
class Forensic(Case):
    """The state directory lies on a disk of its own, and that is looked at as a thief would."""

    def prepare(self):
        # Data past the journal, as on every machine.
        self.disk = DiskImage(self.space.root, 16)
        self.addCleanup(self.disk.close)
        inner = self.disk.path / "state"
        subprocess.run(["cp", "-a", self.space.state, inner], check=True)
        subprocess.run(["rm", "-rf", self.space.state], check=True)
        self.space.state.mkdir(mode=0o700)
        subprocess.run(["mount", "--bind", inner, self.space.state], check=True)
        self.addCleanup(lambda: subprocess.run(["umount", "-l", self.space.state], check=True))

    def image(self):
        os.sync()
        return self.disk.image.read_bytes()

    def secrets(self):
        """What opens an old keybag: its wrapped keys and its salt."""
        keybag = self.keybags()[0].read_bytes()
        wrapped = [keybag[start:start + 64] for start in range(752, 944, 64)]
        return [part for part in (keybag[640:656], *wrapped) if any(part)]

    def check(self, *change):
        old = self.secrets()
        image = self.image()
        self.assertGreaterEqual(len(old), 3)
        self.assertTrue(all(part in image for part in old), "this test cannot fail")
        self.passphrase(*change)
        image = self.image()
        self.assertTrue(all(part in image for part in self.secrets()))
        self.assertEqual([part.hex() for part in old if part in image], [])

    def test_a_keybag_without_a_passphrase_is_not_on_the_disk_after_one_was_added(self):
        self.space.register(extra=["--no-passphrase"])
        self.check("--new-passfile", self.space.passfile)

    def test_a_keybag_of_the_last_passphrase_is_not_on_the_disk(self):
        self.space.register()
        self.check(
            "--passfile", self.space.passfile, "--new-passfile",
            self.space.secret("next", "another one"))


del DiskCase
