"""Trees that are made to be walked through: too deep, too wide, full of odd things, and changed on
the way."""
import contextlib
import errno
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import threading
import unittest

from bounds import FACTOR, BoundedCase, Pair, late_calls, seconds_of, slowness
from hostile import (
    ATTACKER, ATTACKERS_NAME, STRANGER, VICTIM, VICTIMS_NAME, Client, as_user, command_as, home_of,
    in_background, kill, wait_until)
from tracing import injecting, tasks
from workspace import MAGIC

# Far beyond what a path can name; a full path for each level would be 3 GB.
DEPTH = int(os.environ.get("MAMD_TEST_DEPTH", "5000"))
WIDTH = 100_000
NAME = "d" * 250
STRANGERS_NAME = "stranger@contoso.com"


def make_deep(top, depth, name=NAME):
    """Nested directories, each made in the one before: no path is ever named. Returns a descriptor
    of the last."""
    place = os.open(top, os.O_PATH)
    for _ in range(depth):
        os.mkdir(name, dir_fd=place)
        below = os.open(name, os.O_PATH, dir_fd=place)
        os.close(place)
        place = below
    return place


def remove_deep(top):
    """What no path leads to can be moved to where one does."""
    if not os.path.isdir(top):
        return
    for number in range(DEPTH + 1):
        names = [entry.name for entry in os.scandir(top) if entry.is_dir(follow_symlinks=False)]
        if not names:
            break
        for index, name in enumerate(names):
            for entry in list(os.scandir(os.path.join(top, name))):
                os.rename(entry.path, os.path.join(top, f"{number}.{index}.{entry.name[:20]}"))
            os.rmdir(os.path.join(top, name))
    shutil.rmtree(top)


def make_links(directory, names):
    """Links by the thousand, to another empty file each time: names are what counts."""
    place = os.open(directory, os.O_PATH)
    for number, name in enumerate(names):
        if number % 10_000 == 0:
            first = name
            os.close(os.open(name, os.O_CREAT, 0o644, dir_fd=place))
        else:
            os.link(first, name, src_dir_fd=place, dst_dir_fd=place)
    os.close(place)


def as_owner(uid, function, *arguments):
    """Runs a function with that user's rights on files, in this process: descriptors stay."""
    os.seteuid(uid)
    try:
        return function(*arguments)
    finally:
        os.seteuid(0)


class WalkCase(BoundedCase):
    def place(self, uid=ATTACKER):
        """Of a user's home, as it lies in the backing directory."""
        return self.workspace.on_disk(f"home{uid}", self._testMethodName)

    def counted(self, uid):
        """The sums of a census, and the last reply as a whole."""
        with Client(self.workspace.socket, uid) as client:
            client.send("Report.Census", more=True)
            told = ""
            while '"sums"' not in told:
                told = json.dumps(client.receive())
                self.assertNotIn('"error"', told)
        return told

    def check(self):
        """What root's check says of the whole tree, a line each."""
        result = self.workspace.serving("verify", status=None, timeout=90)
        self.assertIn(result.returncode, (0, 7), result.stderr)
        return result.stdout.splitlines()

    def await_recovery(self):
        wait_until(
            lambda: not tasks(self.workspace.daemon(), "recovery"),
            message="recovery does not end")



class Deep(WalkCase):
    """A tree of one user's that is deeper than any path."""

    accounts = (*BoundedCase.accounts, (STRANGERS_NAME, STRANGER))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # As a program with a moving working directory would, but sooner.
        home = os.open(cls.workspace.on_disk(f"home{ATTACKER}"), os.O_PATH)
        cls.deep = cls.workspace.on_disk(f"home{ATTACKER}", "deep")
        def make():
            os.mkdir("deep", dir_fd=home)
            return make_deep(f"/proc/self/fd/{home}/deep", DEPTH)
        cls.bottom = as_owner(ATTACKER, make)
        os.close(home)
        with open(
                os.open("damaged", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=cls.bottom),
                "wb") as file:
            file.write(MAGIC + bytes(900))

    @classmethod
    def tearDownClass(cls):
        with contextlib.suppress(AttributeError):
            os.close(cls.bottom)
            remove_deep(cls.deep)
        super().tearDownClass()

    def test_a_census_goes_to_the_bottom(self):
        self.assertIn('"directories"', self.counted(0))
        self.assertIn(f'"directories":{DEPTH + 4}', self.counted(0).replace(" ", ""))
        self.assert_small()

    def test_censuses_keep_no_other_user_waiting(self):
        with in_background(ATTACKER, "count_files", self.workspace.socket, count=3):
            self.assert_bounded()
        self.assert_small()

    def test_a_check_finds_what_is_at_the_bottom_and_shortens_its_name(self):
        (line,) = (line for line in self.check() if "damaged" in line)
        self.assertIn("…", line)
        self.assertLess(len(line), 6000)
        self.assert_small()

    def test_no_start_is_delayed_and_no_recovery_dies(self):
        for _ in range(2):
            self.assert_starts_soon()
            self.await_recovery()
            self.assert_small()

    def test_it_is_protected_to_the_bottom(self):
        os.close(os.open("plain", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=self.bottom))
        os.write(file := os.open("plain", os.O_WRONLY, dir_fd=self.bottom), b"content")
        os.close(file)
        os.chown("plain", ATTACKER, ATTACKER, dir_fd=self.bottom)
        place = os.open(self.home(ATTACKER, "deep"), os.O_PATH)
        with Client(self.workspace.socket, ATTACKER) as client:
            found = client.call(
                "Protection.Protect", descriptors=[place], fileDescriptor=0, owner=ATTACKERS_NAME)
        os.close(place)
        self.assertEqual(found["summary"]["changed"], 1, found)
        file = os.open("plain", os.O_RDONLY, dir_fd=self.bottom)
        self.assertEqual(os.read(file, 8), MAGIC)
        os.close(file)
        os.unlink("plain", dir_fd=self.bottom)
        self.assert_small()

    def test_the_wipe_of_another_account_comes_to_its_end(self):
        with Client(self.workspace.socket, STRANGER) as client:
            path = self.write_as(STRANGER, self.home(STRANGER, "file"), b"mine")
            self.assertTrue(
                client.call("Workspace.Wipe", account=STRANGERS_NAME, confirmed=True)["complete"])
            # For the tests that come after it.
            client.call(
                "Workspace.RegisterAccount", name=STRANGERS_NAME, passphrase=self.passphrase)
        self.assertFalse(path.exists())
        self.assert_small()

    def test_directories_that_are_moved_under_a_walk_end_no_daemon(self):
        """Where the walk has let go of them: the way up from below is another one then."""
        place = os.open(self.deep, os.O_PATH)
        for _ in range(DEPTH // 2):
            below = os.open(NAME, os.O_PATH, dir_fd=place)
            os.close(place)
            place = below
        os.mkdir("one", dir_fd=place)
        os.rename(NAME, "one/" + NAME, src_dir_fd=place, dst_dir_fd=place)
        try:
            with in_background(0, "move_aside", f"/proc/{os.getpid()}/fd/{place}"):
                for _ in range(3):
                    self.assertIn('"directories"', self.counted(0))
        finally:
            for name in ("one", "two"):
                with contextlib.suppress(FileNotFoundError):
                    os.rename(f"{name}/{NAME}", NAME, src_dir_fd=place, dst_dir_fd=place)
                    os.rmdir(name, dir_fd=place)
            os.close(place)
        self.assertEqual(
            self.read_as(VICTIM, self.write_as(VICTIM, self.home(VICTIM, "after"), b"all is well")),
            b"all is well")
        self.assert_small()

    def test_made_through_the_mount_it_costs_no_more(self):
        def make():
            os.close(make_deep(self.home(ATTACKER), 1000, name="m" * 250))
        self.assertEqual(as_user(ATTACKER, make), 0)
        self.assert_bounded()
        self.assert_small()
        remove_deep(self.workspace.on_disk(f"home{ATTACKER}", "m" * 250))


class Wide(WalkCase):
    """Directories with more names than anybody needs."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.wide = cls.workspace.on_disk(f"home{ATTACKER}", "wide")
        cls.wide.mkdir()
        make_links(cls.wide, map(str, range(WIDTH)))
        os.chown(cls.wide, ATTACKER, ATTACKER)

    def test_a_start_does_not_wait_for_them(self):
        late = None
        for _ in range(3):
            self.assert_starts_soon()
            late = late_calls([self.victims_calls()], seconds=1.0)
            if not late:
                break
        self.assertFalse(late)
        self.await_recovery()
        self.assert_small()

    def test_each_file_counts_once_however_many_names_it_has(self):
        self.assertIn('"total"', self.counted(0))
        files = re.search(r'"total":\{[^}]*"files":(\d+)', self.counted(0).replace(" ", ""))
        self.assertLess(int(files[1]), WIDTH // 100)
        self.assert_small()

    def test_a_census_ends_with_its_caller(self):
        for uid in (0, ATTACKER):
            with self.walk_that_ends_with_its_caller(uid) as client:
                client.send("Report.Census", more=True)

    def test_a_check_ends_with_its_caller(self):
        with self.walk_that_ends_with_its_caller(0) as client:
            client.send("Workspace.Verify", more=True)

    def test_what_is_protected_for_a_caller_ends_with_it(self):
        place = os.open(self.home(ATTACKER, "wide"), os.O_PATH)
        self.addCleanup(os.close, place)
        with self.walk_that_ends_with_its_caller(ATTACKER) as client:
            client.send("Protection.Protect", [place], fileDescriptor=0, owner=ATTACKERS_NAME)

    @contextlib.contextmanager
    def walk_that_ends_with_its_caller(self, uid):
        """The block begins a walk, which reads names so slowly that it would take half a minute;
        its caller hangs up once it is under way."""
        daemon, calls = self.workspace.daemon(), self.workspace.root / "calls"
        wait_until(lambda: not self.walks(daemon), message="an earlier walk goes on")
        with injecting(daemon, "getdents64", "delay_enter=500000", path=calls):
            with Client(self.workspace.socket, uid) as client:
                yield client
                wait_until(
                    lambda: len(calls.read_text().splitlines()) > 3, message="nothing is read")
                self.assertTrue(self.walks(daemon))
            wait_until(
                lambda: not self.walks(daemon), message="it goes on though nobody waits for it")

    def walks(self, daemon):
        """The daemon's threads that work for a client."""
        return tasks(daemon, "control-client") + tasks(daemon, "verify")


class Odd(WalkCase):
    """What a sync service, or a mistake, may put into the backing directory."""

    def test_things_that_are_no_files_hold_nothing_up(self):
        place = self.workspace.on_disk("odd")
        place.mkdir()
        self.addCleanup(shutil.rmtree, place)
        os.mkfifo(place / "pipe")
        os.mknod(place / "terminal", stat.S_IFCHR | 0o666, os.makedev(5, 0))
        os.mknod(place / "disk", stat.S_IFBLK | 0o666, os.makedev(7, 99))
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(place / "socket"))
        os.symlink("loop", place / "loop")
        os.symlink(".", place / "here")
        os.symlink("/proc/self/root", place / "out")
        os.mkdir(os.fsencode(place) + b"/\xff\xfe \n\x1b[2J")
        os.close(os.open(os.fsencode(place) + b"/\xff\xfe \n\x1b[2J/\x80", os.O_CREAT))
        self.assert_starts_soon()
        self.await_recovery()
        self.check()
        self.assertIn('"others":7', self.counted(0).replace(" ", ""))
        self.assert_small()

    def test_sizes_that_lie(self):
        """A managed header before terabytes of nothing: as after a crash, all of it would be the
        unfinished end."""
        sample = self.write_as(VICTIM, self.home(VICTIM, "sample"), bytes(9000))
        data = self.workspace.on_disk(f"home{VICTIM}", "sample").read_bytes()
        place = self.workspace.on_disk("lies")
        place.mkdir()
        self.addCleanup(shutil.rmtree, place)
        for number, size in enumerate((1 << 40, (1 << 43) - 4096, 4096, 1025, 10_000)):
            (place / str(number)).write_bytes(data)
            os.truncate(place / str(number), size)
        (place / "foreign").touch()
        os.truncate(place / "foreign", 1 << 43)
        self.assert_starts_soon()
        self.await_recovery()
        self.check()
        self.assertEqual(self.read_as(VICTIM, sample), bytes(9000))
        self.assert_small()

    def test_leftovers_by_the_thousand_in_the_workspace_s_own_directory(self):
        work, recovery = self.workspace.on_disk(".mamd", "work"), self.workspace.on_disk(
            ".mamd", "recovery")
        account = self.workspace.account(VICTIMS_NAME)["id"]

        def fill():
            recovery.mkdir(exist_ok=True)
            make_links(work, (f"convert-{number}" for number in range(20_000)))
            make_links(recovery, (f"{account}.{number}.keys" for number in range(20_000)))
        self.assert_starts_soon(fill)
        self.await_recovery()
        self.assertEqual(list(work.iterdir()), [])
        self.assert_small()
        shutil.rmtree(recovery)

    def test_a_lock_file_that_names_another_daemon(self):
        """That of a killed daemon is waited for; any other program may be called mamd."""
        other = self.workspace.root / "other" / "mamd"
        other.parent.mkdir()
        shutil.copy("/bin/sleep", other)
        for uid in (0, ATTACKER):
            with self.subTest(uid=uid):
                child = subprocess.Popen(
                    ["setpriv", f"--reuid={uid}", "--clear-groups", str(other), "100"])
                self.addCleanup(child.wait)
                self.addCleanup(child.kill)
                text = f"process {child.pid}, at /nowhere\n"
                lock = self.workspace.on_disk(".mamd", "lock")
                self.assert_starts_soon(lambda: lock.write_text(text))


class KilledWipe(WalkCase):
    """A wipe that a crash has interrupted goes on behind the mount; its keys are gone before."""

    def test_a_start_does_not_wait_for_its_walk(self):
        many = self.workspace.on_disk("many")
        many.mkdir()
        make_links(many, map(str, range(30_000)))
        path = self.write_as(ATTACKER, self.home(ATTACKER, "file"), b"mine")
        identity = self.workspace.account(ATTACKERS_NAME)["id"]
        with Client(self.workspace.socket, ATTACKER) as client:
            client.send("Workspace.Wipe", account=ATTACKERS_NAME, confirmed=True)
            record = self.workspace.state / "wipes" / identity
            wait_until(record.exists, message="no wipe was decided")
            keybags = self.workspace.state / "keybags"
            wait_until(lambda: not list(keybags.glob(identity + "*")), message="the keys are there")
            kill(self.workspace)
        took = seconds_of(self.workspace.mount)
        self.assertLess(took, max(1.0, FACTOR * self.restart_control()))
        # Of what is not removed yet nothing is given out.
        self.assertIn(self.read_as(ATTACKER, path), (errno.ENOENT, errno.EKEYREVOKED))
        wait_until(
            lambda: not record.exists(), message="the wipe does not come to its end")
        self.assertFalse(self.workspace.on_disk(f"home{ATTACKER}", "file").exists())
        # A look-up that was under way at its removal leaves the kernel the name for a minute.
        wait_until(lambda: not path.exists(), message="the kernel keeps the name")
        with Client(self.workspace.socket, VICTIM) as client:
            client.call("Workspace.Unlock", account=VICTIMS_NAME, passphrase=self.passphrase)
        self.assert_small()


class Conversions(WalkCase):
    """A file is written anew for another owner, and others change names meanwhile."""

    # What takes longer to convert than a rename may.
    MIB = int(os.environ.get("MAMD_TEST_MIB", "192"))

    def setUp(self):
        self.path = self.home(ATTACKER, self._testMethodName)
        # Here: a change of the user for a moment is one for all threads.
        self.attacker = self.client(ATTACKER)
        self.attacker.socket.settimeout(120)

    def fill(self, path, mib):
        subprocess.run(command_as(ATTACKER, "fill", path, str(mib)), check=True)
        self.addCleanup(os.unlink, path)

    def convert(self):
        """There and back: sealed to plain, and plain to sealed."""
        for method, owner in (("DecryptFile", {}), ("EncryptFile", {"owner": ATTACKERS_NAME})):
            place = os.open(self.path, os.O_PATH)
            self.attacker.call(
                f"Protection.{method}", descriptors=[place], fileDescriptor=0, **owner)
            os.close(place)

    def slowest_renames(self, action):
        """While something is done; but one, which may meet a busy machine."""
        with contextlib.ExitStack() as stack:
            renamers = [
                stack.enter_context(in_background(
                    VICTIM, "time_renames", home_of(each, VICTIM) / "renamed"))[0]
                for each in (self.workspace, self.control)]
            took = seconds_of(action)
            self.slowness = max(1.0, slowness())
            for renamer in renamers:
                renamer.terminate()
            late = [list(map(float, renamer.stdout.read().split())) for renamer in renamers]
        if "MAMD_TEST_MIB" in os.environ:
            print(f"{self.MIB} MiB; in {took:.1f} s the slowest renames: {late}")
        return Pair(*(sorted(each)[-2] for each in late))

    def assert_renames_are_quick(self, seconds):
        slowest = self.slowest_renames(self.convert)
        self.assertLess(slowest.attacked, max(seconds * self.slowness, FACTOR * slowest.control))

    def test_renames_elsewhere_do_not_wait(self):
        self.fill(self.path, self.MIB)
        self.assert_renames_are_quick(seconds=0.25)

    def test_nor_do_they_for_a_file_that_is_written_all_the_time(self):
        self.fill(self.path, self.MIB)
        with in_background(ATTACKER, "write_anywhere", self.path):
            # They queue behind what the kernel writes back, whatever the file's size: 64 requests.
            self.assert_renames_are_quick(seconds=1.5)

    def test_what_is_written_meanwhile_is_there_and_synced_bytes_are_on_the_disk(self):
        mib, kept = 64, []
        self.fill(self.path, mib)

        def write(number):
            with open(self.path, "r+b", buffering=0) as file:
                while not done.is_set():
                    offset = (number + 4 * len(kept)) * 40_961 % (mib << 20)
                    text = b"%d at %d " % (number, offset)
                    os.pwrite(file.fileno(), text, offset)
                    os.fsync(file.fileno())
                    kept.append((offset, text))
        done = threading.Event()
        writer = threading.Thread(target=write, args=(1,))
        writer.start()
        self.convert()
        done.set()
        writer.join()
        last = dict(kept)
        self.assertTrue(last)
        with Client(self.workspace.socket, ATTACKER) as client:
            client.call("Workspace.Lock", account=ATTACKERS_NAME, now=True)
            client.call("Workspace.Unlock", account=ATTACKERS_NAME, passphrase=self.passphrase)
        with open(self.path, "rb", buffering=0) as file:
            for offset, text in last.items():
                self.assertEqual(os.pread(file.fileno(), len(text), offset), text)

    def test_its_readers_keep_no_thread_from_others(self):
        converter = threading.Thread(target=self.convert)
        # What readers cost is not what is asked: the control has as many.
        elsewhere = home_of(self.control, ATTACKER) / "read"
        for path in (self.path, elsewhere):
            self.fill(path, 64)
        with (
            in_background(ATTACKER, "read_directly", self.path, count=2),
            in_background(ATTACKER, "read_directly", elsewhere, count=2),
        ):
            converter.start()
            self.assert_bounded()
            converter.join()


if __name__ == "__main__":
    unittest.main()
