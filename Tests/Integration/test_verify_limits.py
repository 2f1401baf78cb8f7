"""`verify`, wipes and recovery with few descriptors and on a slow disk, and a check that may write
nothing."""
import concurrent.futures
import os
import shutil
import signal
import subprocess
import unittest

from tracing import injecting, tasks
from verifying import PLAIN, VerifyCase, changed, zeroed
from running import has_ended
from workspace import BLOCK, BOB, CLOSED, FIRST, PAYLOAD, REFUSED, pattern, tree_digest, wait_until

NEEDS = ("strace",)

FEW = ["sh", "-c", 'ulimit -n 400; exec "$@"', "sh"]
if os.getuid() == 0:
    # Root could raise the limit again.
    FEW = ["setpriv", "--bounding-set=-sys_resource", *FEW]


class FewDescriptors(VerifyCase):
    def setUp(self):
        super().setUp()
        for number in range(600):
            place = self.disk(f"wide/{number}")
            place.mkdir(parents=True)
            (place / "file").write_bytes(self.good)

    def test_a_check_of_more_directories(self):
        result = self.workspace.ctl(
            "verify", self.backing_of(self.directory), prefix=FEW, status=CLOSED)
        self.assertIn("601 files", result.stdout)
        self.assertIn("nothing wrong", result.stdout)

    def test_a_wipe_in_more_directories(self):
        self.workspace.ctl("mount", self.workspace.backing, self.workspace.mount_point, prefix=FEW)
        self.workspace.register(BOB)
        names = [self.directory / "wide" / str(number) / "theirs" for number in range(0, 600, 50)]
        for name in names:
            self.workspace.write_as(BOB, name, "theirs")
        self.workspace.serving("wipe", BOB, "--confirm", BOB)
        self.assertEqual([name for name in names if self.backing_of(name).exists()], [])


@unittest.skipUnless(os.getuid() == 0, "the daemon lets nobody but root trace it")
class SlowDisk(VerifyCase):
    def test_nobody_is_told_the_size_from_before_a_cut(self):
        """The recovery's own thread cuts files while the kernel looks them up by their other
        names."""
        self.mount()
        pid = self.workspace.daemon()
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: has_ended(pid))
        self.workspace.ctl("unmount", self.workspace.mount_point, status=None)
        names = [f"file-{number}" for number in range(4)]
        for name in names:
            self.lay(**{name: zeroed(self.good, 5, 5)})
            os.link(self.disk(name), self.disk(f"other-{name}"))
        whole = PLAIN[:FIRST + 4 * PAYLOAD]
        daemon = subprocess.Popen(
            ["strace", "-qq", "-f", "-o", "/dev/null", "-e", "trace=ftruncate", "-e",
             "inject=ftruncate:delay_enter=300000", "mamd", "-f", self.workspace.backing,
             self.workspace.mount_point],
            stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.workspace.environment)
        self.addCleanup(daemon.wait)
        wait_until(self.workspace.mount_point.is_mount)
        paths = [self.directory / each for name in names for each in (name, f"other-{name}")]
        with concurrent.futures.ThreadPoolExecutor(len(paths)) as threads:
            sizes = list(threads.map(lambda path: path.stat().st_size, paths))
        self.assertEqual(sizes, [len(whole)] * len(paths))
        self.workspace.unlock()
        for name in names:
            with open(self.directory / f"other-{name}", "ab") as file:
                file.write(b"more")
            self.assertEqual((self.directory / name).read_bytes(), whole + b"more")

    def test_a_check_that_is_broken_off_repairs_nothing(self):
        """Its tail alone would be cut; with the damage behind the first pieces the file is to be
        moved as it is."""
        self.mount()
        path = self.write(self.directory / "large", pattern(40 << 20))
        self.workspace.unmount()
        data = self.disk("large").read_bytes()
        end = len(data) // BLOCK - 1
        data = changed(zeroed(data, end, end), len(data) - 9 * BLOCK, b"damage")
        self.lay(large=data)
        self.mount()
        pid, reads = self.workspace.daemon(), self.workspace.root / "reads"
        with injecting(pid, "pread64", "delay_enter=300000", path=reads):
            check = subprocess.Popen(
                ["mamctl", "verify", "--repair", path], stdout=subprocess.DEVNULL,
                env=self.workspace.environment)
            wait_until(lambda: len(reads.read_text().splitlines()) > 8, message="it reads nothing")
            self.assertIsNone(check.poll())
            check.kill()
            check.wait()
            wait_until(lambda: not self.checks(pid), message="the check goes on")
        self.workspace.unmount()
        self.assertTrue(self.disk("large").read_bytes() == data)

    def checks(self, pid):
        """The daemon's threads that work for a client."""
        return tasks(pid, "control-client") + tasks(pid, "verify")


class NothingWritten(VerifyCase):
    def everything(self):
        places = (
            self.workspace.backing, self.workspace.root / "state_home",
            self.workspace.root / "config_home")
        return tree_digest(*places), sorted(path for place in places for path in place.rglob("*"))

    def test_a_check_without_repair_makes_nothing(self):
        shutil.rmtree(self.workspace.on_disk(".mamd", "work"))
        self.workspace.on_disk(".mamd", "lock").unlink()
        for gone in ("classes", None):
            if gone:
                shutil.rmtree(self.workspace.state / gone)
            else:
                self.workspace.state.rename(self.workspace.root / "away")
            before = self.everything()
            self.assertEqual(len(self.verify("locked", status=CLOSED)), 0 if gone else 1)
            self.assertEqual(self.everything(), before)
        (self.workspace.root / "away").rename(self.workspace.state)

    def test_what_needs_a_mount_is_refused(self):
        daemon = subprocess.Popen(
            ["mamd", "-f", "-o", "ro", "--no-mount", self.workspace.backing],
            stderr=subprocess.DEVNULL, env=self.workspace.environment)
        try:
            wait_until(self.workspace.socket.exists)
            before = self.everything()
            for verb in (
                    ["account", "register", BOB],
                    ["account", "passphrase", "--new-passfile", self.workspace.passfile]):
                result = self.workspace.serving(
                    " ".join(verb[:2]), *verb[2:], "--passfile", self.workspace.passfile,
                    status=REFUSED)
                self.assertIn("needs a mount", result.stderr)
            self.workspace.unlock()
            self.workspace.lock()
            self.assertEqual(self.everything(), before)
        finally:
            daemon.terminate()
            daemon.wait()
