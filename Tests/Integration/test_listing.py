"""Large directories, listed with attributes by several programs at once: what each is told, and
what the daemon keeps of it."""
import contextlib
import errno
import mmap
import os
import pathlib
import random
import shutil
import signal
import subprocess
import threading
import time
import unittest

from disk_image import DiskCase
from tracing import recording, tasks
from running import daemons, mounts
from workspace import ANN, WorkspaceCase, kept_known, make_the_kernel_forget, wait_until

COUNT = 3_000
SEVERAL = len(os.sched_getaffinity(0)) > 1
FIND = (
    "find", ".", "-ignore_readdir_race", "-mindepth", "1", "-maxdepth", "1", "-printf",
    r"%f %i %s %y\n")


def size_of(number):
    return number * 7 % 5_000


class Listings(WorkspaceCase):
    """Of one directory; nothing of it is known when a test begins."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.directory = cls.workspace.path("large")
        cls.directory.mkdir()
        for number in range(COUNT):
            (cls.directory / f"file-{number:04}").write_bytes(bytes(size_of(number)))
        for number in range(20):
            (cls.directory / f"folder-{number}").mkdir()
            (cls.directory / f"link-{number}").symlink_to("x" * number or "y")
        cls.expected = cls.told_by_the_backing()

    def setUp(self):
        self.workspace.remount()

    @classmethod
    def told_by_the_backing(cls):
        """Name, number, size and kind of each, as find prints them; sizes are those that were
        written."""
        found = set()
        for entry in os.scandir(cls.workspace.on_disk("large")):
            kind = "d" if entry.is_dir(
                follow_symlinks=False) else "l" if entry.is_symlink() else "f"
            size = size_of(int(entry.name[5:])) if kind == "f" else entry.stat(
                follow_symlinks=False).st_size
            found.add(f"{entry.name} {entry.inode()} {size} {kind}")
        return found

    def start(self):
        client = subprocess.Popen(FIND, cwd=self.directory, stdout=subprocess.PIPE, text=True)
        self.addCleanup(client.kill)
        return client

    def daemon(self):
        pid = self.workspace.daemon()
        return pathlib.Path(f"/proc/{pid}")

    def threads(self, name):
        return tasks(self.workspace.daemon(), name)

    def check(self, lines):
        """Each that stays was told once, and right; what else was told came or went meanwhile."""
        self.assertEqual(len(lines), len(set(lines)))
        told = {line for line in lines if not line.startswith("gone-")}
        self.assertEqual(told, self.expected)

    def test_each_is_told_as_it_is(self):
        with self.start() as client:
            self.check(client.stdout.read().splitlines())
        for line in random.Random(1).sample(sorted(self.expected), 200):
            name, number, size, _ = line.split(" ")
            status = os.lstat(self.directory / name)
            self.assertEqual((status.st_ino, status.st_size), (int(number), int(size)))

    @unittest.skipUnless(SEVERAL, "one processor: there is nobody to share with")
    def test_a_helper_comes_with_the_first_large_listing(self):
        os.listdir(self.workspace.mount_point)
        self.assertEqual(self.threads("helper"), [])
        os.listdir(self.directory)
        # A thread names itself.
        wait_until(lambda: self.threads("helper"), message="no helper comes")
        (helper,) = self.threads("helper")
        self.assertEqual(
            os.sched_getaffinity(helper), os.sched_getaffinity(self.workspace.daemon()))

    def test_two_clients_while_others_come_and_go(self):
        ends = threading.Event()

        def come_and_go(number):
            folder = self.directory
            while not ends.is_set():
                for one in range(40):
                    (folder / f"gone-{number}-{one}").write_bytes(b"x" * one)
                for one in range(40):
                    (folder / f"gone-{number}-{one}").unlink()

        others = [threading.Thread(target=come_and_go, args=(number,)) for number in range(2)]
        for other in others:
            other.start()
        try:
            for _ in range(6):
                if os.getuid() == 0:
                    make_the_kernel_forget()
                clients = [self.start() for _ in range(2)]
                for client in clients:
                    with client:
                        lines = client.stdout.read().splitlines()
                    self.assertEqual(client.returncode, 0)
                    # One of these may be told twice: it went, and came again behind the place of
                    # the reader.
                    self.check([line for line in lines if not line.startswith("gone-")])
        finally:
            ends.set()
            for other in others:
                other.join()
        with self.start() as client:
            self.check(client.stdout.read().splitlines())

    def test_clients_that_are_killed(self):
        chance = random.Random(2)
        for _ in range(25):
            clients = [self.start() for _ in range(3)]
            time.sleep(chance.random() * 0.03)
            for client in clients:
                client.kill()
                client.communicate()
            if os.getuid() == 0:
                make_the_kernel_forget()
        with self.start() as client:
            self.check(client.stdout.read().splitlines())

    @unittest.skipUnless(os.getuid() == 0, "only root can have the kernel forget")
    def test_what_the_kernel_forgets_the_daemon_does_not_keep(self):
        def descriptors():
            return len(list((self.daemon() / "fd").iterdir()))

        before = descriptors()
        for _ in range(3):
            clients = [self.start() for _ in range(2)]
            clients[0].kill()
            for client in clients:
                client.communicate()
        def is_known():
            os.listdir(self.directory)
            return descriptors() > COUNT

        # Others may make the kernel forget, too.
        wait_until(is_known, message="the daemon keeps nothing of a listing")

        def is_forgotten():
            make_the_kernel_forget()
            return descriptors() < before + 20

        wait_until(is_forgotten, message="the daemon keeps what the kernel has forgotten")

    def test_unmounted_in_the_middle(self):
        chance = random.Random(3)
        for _ in range(4):
            ends = threading.Event()

            def list_on():
                while not ends.is_set():
                    try:
                        with os.scandir(self.directory) as entries:
                            for entry in entries:
                                entry.stat(follow_symlinks=False)
                    except OSError:
                        # Nothing is mounted there.
                        time.sleep(0.001)

            clients = [threading.Thread(target=list_on) for _ in range(2)]
            for client in clients:
                client.start()
            try:
                time.sleep(0.02 + chance.random() * 0.05)
                os.kill(int(self.daemon().name), signal.SIGTERM)
                wait_until(
                    lambda: not list(daemons(str(self.workspace.root))),
                    message="mamd does not end")
                wait_until(lambda: not mounts(str(self.workspace.root)), message="still mounted")
            finally:
                ends.set()
                for client in clients:
                    client.join()
            self.workspace.mount()
            self.workspace.unlock()
            with self.start() as client:
                self.check(client.stdout.read().splitlines())


class HeadersFromDisk(DiskCase):
    """On a file system with a disk below it, which does more when it is asked for more at once."""

    count = 100

    def setUp(self):
        super().setUp()
        for number in range(self.count):
            self.path(number).write_bytes(bytes([number]) * number)

    def path(self, number):
        return self.workspace.mount_point / f"file-{number}"

    def unnote(self):
        """As if all came from a copy that lost attributes."""
        for number in range(self.count):
            os.removexattr(self.workspace.backing / f"file-{number}", "user.mam.sealed")

    def recording(self):
        self.trace = self.workspace.root / "calls"
        return recording(self.workspace.daemon(), "fadvise64,pread64", self.trace)

    def check_list(self):
        found = {
            entry.name: entry.stat().st_size
            for entry in os.scandir(self.workspace.mount_point)}
        self.assertEqual(found, {f"file-{number}": number for number in range(self.count)})

    def check_content(self, numbers):
        for number in numbers:
            self.assertEqual(self.path(number).read_bytes(), bytes([number]) * number)

    def test_all_are_asked_for_before_the_first_is_waited_for(self):
        self.workspace.unmount()
        self.unnote()
        self.workspace.mount().unlock()
        with self.recording():
            self.check_list()
        # Some kernels ask for few entries at a time.
        reads = "".join(
            "r" if "pread64" in line else "." for line in self.trace.read_text().splitlines())
        self.assertGreater(max(map(len, reads.split("r"))), 15, reads)

    def test_of_sealed_files_none_is_read_before_it_is_opened(self):
        # What another test has the kernel forget during the listing is looked up, and read.
        found = []
        self.assertTrue(any(self.are_read_ahead(found) for _ in range(10)), found)
        self.check_content(range(self.count))

    def are_read_ahead(self, found):
        self.workspace.remount()
        with contextlib.ExitStack() as known:
            with self.recording():
                self.check_list()
                known.enter_context(kept_known(*map(self.path, range(self.count))))
            listing = self.trace.read_text().count("(")
            # Each that is opened first: itself, and 4, 8, 16 and 32 others.
            with self.recording():
                self.check_content([50, 3, 80, 21])
            ahead = self.trace.read_text().count("fadvise64(")
        found.append((listing, ahead))
        return listing == 0 and 30 <= ahead <= 64

    def test_who_owns_a_listed_file_is_read_once_it_is_asked(self):
        def asked():
            return [os.getxattr(self.path(7), f"user.mam.{name}")
                    for name in ("owner", "class", "state")]

        before = asked()
        self.assertEqual(before[0], ANN.encode())
        self.workspace.remount()
        self.check_list()
        self.assertEqual(asked(), before)

    def test_who_owns_a_file_with_a_wrong_note_is_told_each_time(self):
        root, backing = self.workspace.mount_point, self.workspace.backing
        (root / "plain").write_bytes(b"plain" * 1_000)
        self.workspace.ctl("owner", "--set", "me@example.org", "--unmanaged", root / "plain")
        self.workspace.unmount()
        os.setxattr(backing / "plain", "user.mam.sealed", b"1")
        self.workspace.mount().unlock()
        os.listdir(root)
        told = [self.workspace.owner(root / "plain") for _ in range(3)]
        self.assertEqual(told, ["me@example.org"] * 3)

    def test_a_wrong_note_loses_no_byte(self):
        """The kernel keeps the first size that it is told."""
        content, root = os.urandom(5_000), self.workspace.mount_point
        expected = {
            "copied": content, "appended": content + b"more", "cut": content[:4_990],
            "mapped": b"M" + content[1:]}
        for name in expected:
            (root / name).write_bytes(content)
            self.workspace.ctl("owner", "--set", "me@example.org", "--unmanaged", root / name)
        self.workspace.unmount()
        for name in expected:
            os.setxattr(self.workspace.backing / name, "user.mam.sealed", b"1")
        self.workspace.mount().unlock()
        with os.scandir(root) as entries:
            sizes = {entry.name: entry.stat().st_size for entry in entries}
        self.assertNotEqual(sizes["copied"], len(content))
        shutil.copy(root / "copied", self.workspace.root / "copy")
        self.assertEqual((self.workspace.root / "copy").read_bytes(), content)
        with open(root / "appended", "ab") as file:
            file.write(b"more")
        os.truncate(root / "cut", 4_990)
        with open(root / "mapped", "r+b") as file, mmap.mmap(file.fileno(), 0) as pages:
            self.assertEqual(bytes(pages), content)
            pages[0] = ord("M")
        for _ in range(2):
            for name, whole in expected.items():
                self.assertEqual((root / name).read_bytes(), whole, name)
            self.workspace.remount()

    def test_what_opens_once_its_note_is_removed_has_its_size(self):
        """As `info` says for a plain file whose note is wrong."""
        content, path = os.urandom(5_000), self.workspace.mount_point / "plain"
        place = self.workspace.backing / "plain"
        self.workspace.unmount()
        place.write_bytes(content)
        os.setxattr(place, "user.mam.sealed", b"1")
        self.workspace.mount().unlock()
        os.listdir(self.workspace.mount_point)
        with self.assertRaises(OSError) as caught:
            path.read_bytes()
        self.assertEqual(caught.exception.errno, errno.EBADMSG)
        os.removexattr(place, "user.mam.sealed")
        with open(path, "ab") as file:
            file.write(b"more")
        self.assertEqual(path.read_bytes(), content + b"more")
