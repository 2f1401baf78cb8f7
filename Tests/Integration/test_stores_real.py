"""What docs/SYSTEMS.md says of each file system below, on those that this machine can have."""
import contextlib
import os
import pathlib
import random
import shutil
import stat
import subprocess
import unittest

from disk_image import run
from running import daemons
from workspace import ANN, DONE, NO, Workspace, pattern, wait_until

NEEDS = (
    "bindfs", "btrfs-progs", "dosfstools", "e2fsprogs", "exfat-fuse", "exfatprogs", "fusefat",
    "git", "mergerfs", "ntfs-3g", "openssh-sftp-server", "sshfs", "unionfs-fuse/", "xfsprogs")

SFTP_SERVER = "/usr/lib/openssh/sftp-server"
AUTHOR = {
    f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Ann"), ("EMAIL", ANN))}


def has_driver(kind):
    return any(
        line.split()[-1] == kind for line in pathlib.Path("/proc/filesystems").open())


@unittest.skipUnless(os.getuid() == 0, "only root mounts file systems")
class Real(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        self.below = self.workspace.root / "below"
        self.store = self.workspace.root / "store"
        self.below.mkdir()
        self.store.mkdir()
        self.workspace.backing = self.store / "backing"
        self.contents = {}

    # Stores

    def attach(self, *command):
        """Mounts the store, or skips the test."""
        if not shutil.which(command[0]):
            self.skipTest(f"{command[0]} is not installed")
        done = subprocess.run(command, capture_output=True, text=True, timeout=90)
        if done.returncode != 0 or not os.path.ismount(self.store):
            self.skipTest(f"{' '.join(map(str, command))}: {done.stderr}{done.stdout}")
        self.addCleanup(subprocess.run, ["umount", "-l", self.store])

    def disk(self, *make, mebibytes=320):
        image = self.workspace.root / "image"
        with open(image, "wb") as file:
            file.truncate(mebibytes << 20)
        if not shutil.which(make[0]):
            self.skipTest(f"{make[0]} is not installed")
        run(*make, image)
        return image

    def device(self, *make):
        """A disk for a program that takes nothing but a device."""
        done = subprocess.run(
            ["losetup", "--find", "--show", self.disk(*make)], capture_output=True, text=True)
        if done.returncode != 0:
            self.skipTest(f"this machine has no loop devices: {done.stderr}")
        self.addCleanup(run, "losetup", "--detach", done.stdout.strip())
        return done.stdout.strip()

    def loop(self, kind, *make):
        if not has_driver(kind):
            self.skipTest(f"this kernel has no {kind}")
        self.attach("mount", "-o", "loop", self.disk(*make), self.store)

    # Workspaces

    def init(self, *options, status=DONE):
        return self.workspace.ctl(
            "init", self.workspace.backing, "--name", self.workspace.name, "--settings",
            self.workspace.settings, *options, status=status).stderr

    def begin(self):
        said = self.init()
        # Before the store itself goes.
        self.addCleanup(subprocess.run, ["umount", "-l", self.workspace.mount_point])
        self.workspace.mount().register()
        return said

    def end(self):
        """Not by Workspace.unmount(), which waits for the store's mount, too."""
        self.workspace.ctl("unmount", self.workspace.mount_point)
        wait_until(lambda: not list(daemons(str(self.workspace.root))))

    def refuse(self, why, *options):
        self.assertIn(why, self.init(*options, status=NO))
        self.assertEqual(os.listdir(self.store), [])

    # What is kept

    def check(self):
        for name, content in self.contents.items():
            self.assertEqual(self.workspace.path(name).read_bytes(), content, name)
        self.assertEqual(sorted(self.names()), sorted(self.contents))

    def names(self):
        """But those by which libfuse keeps what is removed and still open."""
        return [
            name for name in os.listdir(self.workspace.mount_point)
            if name != "project" and not name.startswith(".fuse_hidden")]

    def keep(self, name, content):
        self.workspace.path(name).write_bytes(content)
        self.contents[name] = content

    def protect(self, name, owner):
        self.workspace.ctl("protect", "--owner", owner, "--unmanaged", self.workspace.path(name))
        on_disk = self.workspace.on_disk(name)
        self.assertEqual(self.workspace.is_managed_on_disk(on_disk), owner != "")

    def use(self):
        """Files are made, replaced, removed and given from one to the other, each beside others
        that are open, so that a number that comes again meets one that is known."""
        with contextlib.ExitStack() as held:
            self.use_beside(held)
        numbers = [self.workspace.path(name).stat().st_ino for name in self.contents]
        self.assertEqual(len(set(numbers)), len(numbers))

    def use_beside(self, held):
        choose = random.Random(1)
        for round in range(30):
            self.keep(f"file{round}", pattern(3000 + 700 * round, round))
            if round % 4:
                held.enter_context(self.workspace.path(f"file{round}").open("rb"))
            name = choose.choice(sorted(self.contents))
            if round % 3 == 0:
                self.protect(name, "" if round % 2 else ANN)
            elif round % 3 == 1:
                self.keep("new", pattern(9000, 1000 + round))
                self.workspace.path("new").rename(self.workspace.path(name))
                self.contents[name] = self.contents.pop("new")
            else:
                self.workspace.path(name).unlink()
                del self.contents[name]
            self.check()

    def give_often(self):
        """A file that is given from one to the other has another number each time, of which the
        kernel may still show a former one, and which a new file may get."""
        self.keep("given", pattern(9000))
        before = {}
        for round, owner in enumerate(("", ANN) * 3):
            self.protect("given", owner)
            for name, is_managed in before.items():
                on_disk = self.workspace.on_disk(name)
                self.assertEqual(self.workspace.is_managed_on_disk(on_disk), is_managed, name)
            name = f"beside{round}"
            self.keep(name, pattern(5000, round))
            before[name] = self.workspace.is_managed_on_disk(self.workspace.on_disk(name))
        self.check()

    def use_git(self):
        """git links its objects into place, or renames them where no link can be made."""
        project = self.workspace.path("project")

        def git(*arguments):
            done = subprocess.run(
                ["git", "-C", project, *arguments], capture_output=True, text=True,
                env={**self.workspace.environment, **AUTHOR}, timeout=90)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

        project.mkdir()
        git("init", "-q")
        for commit in range(6):
            for number in range(8):
                (project / f"{number}.txt").write_text(f"{commit} {number}\n" * 50)
            git("add", ".")
            git("commit", "-qm", f"commit {commit}")
        git("fsck", "--strict", "--full")
        git("gc", "-q")
        git("fsck", "--strict", "--full")
        self.assertEqual(git("status", "--porcelain"), "")

    def link(self):
        """Whether a file can have two names; they then are one file."""
        one, two = self.workspace.path("one"), self.workspace.path("two")
        one.write_bytes(pattern(5000))
        try:
            os.link(one, two)
        except PermissionError:
            one.unlink()
            return False
        with one.open("r+b") as file:
            file.write(b"changed")
            file.truncate(20_000)
        self.assertEqual(two.read_bytes(), one.read_bytes())
        self.assertEqual((two.stat().st_nlink, two.stat().st_size), (2, 20_000))
        self.assertEqual(two.stat().st_ino, one.stat().st_ino)
        one.unlink()
        self.assertEqual(two.stat().st_nlink, 1)
        self.assertEqual(two.read_bytes()[:12], b"changed" + pattern(5000)[7:12])
        two.unlink()
        return True

    def works(self, links=True):
        said = self.begin()
        self.use()
        self.give_often()
        self.use_git()
        self.assertEqual(self.link(), links)
        self.end()
        self.workspace.mount()
        self.workspace.unlock()
        self.check()
        self.workspace.ctl("verify", self.workspace.mount_point)
        return said


class Disks(Real):
    def test_ext4(self):
        self.loop("ext4", "mkfs.ext4", "-q", "-b", "4096")
        self.assertEqual(self.works(), "")

    def test_xfs(self):
        self.loop("xfs", "mkfs.xfs", "-q")
        self.assertEqual(self.works(), "")

    def test_btrfs(self):
        self.loop("btrfs", "mkfs.btrfs", "-q")
        self.assertEqual(self.works(), "")

    def test_tmpfs(self):
        self.attach("mount", "-t", "tmpfs", "none", self.store)
        self.assertEqual(self.works(), "")

    def test_overlay(self):
        layers = [self.below / name for name in ("lower", "upper", "inner")]
        run("mount", "-t", "tmpfs", "none", self.below)
        self.addCleanup(subprocess.run, ["umount", "-l", self.below])
        for layer in layers:
            layer.mkdir()
        self.attach(
            "mount", "-t", "overlay", "-o",
            "lowerdir={},upperdir={},workdir={}".format(*layers), "none", self.store)
        self.works()

    def test_ntfs(self):
        self.attach("ntfs-3g", self.disk("mkfs.ntfs", "-q", "-F"), self.store)
        self.works(links=False)

    def test_ntfs_without_case(self):
        self.attach(
            "lowntfs-3g", "-o", "ignore_case", self.disk("mkfs.ntfs", "-q", "-F"), self.store)
        self.refuse("does not distinguish B from b")

    def test_exfat(self):
        self.attach("mount.exfat-fuse", self.device("mkfs.exfat"), self.store)
        self.refuse("does not distinguish B from b")

    def test_vfat(self):
        self.attach("fusefat", "-o", "rw+", self.disk("mkfs.vfat", "-F", "32"), self.store)
        self.refuse("has blocks of 1024 bytes")
        self.refuse("does not distinguish B from b", "--small-blocks")

    def test_exfat_with_a_workspace_is_read(self):
        self.workspace.backing = self.below / "backing"
        self.begin()
        self.keep("file", pattern(20_000))
        self.end()
        self.attach("mount.exfat-fuse", self.device("mkfs.exfat"), self.store)
        run("cp", "-r", self.workspace.backing, self.store)
        self.workspace.backing = self.store / "backing"
        self.workspace.mount("--name", self.workspace.name, status=NO)
        self.assertIn("does not distinguish B from b", self.workspace.log.read_text())
        self.workspace.mount("--name", self.workspace.name, "-o", "ro")
        self.workspace.unlock()
        self.check()


class Above(Real):
    """Programs that show another directory."""

    def test_bindfs(self):
        self.attach("bindfs", self.below, self.store)
        said = self.works(links=False)
        for lack in ("files with two names", "cannot exchange two names", "makes no holes"):
            self.assertIn(lack, said)
            self.assertIn(lack, self.workspace.daemon_log.read_text())

    def test_mergerfs(self):
        self.attach("mergerfs", self.below, self.store)
        self.works(links=False)

    @unittest.skipUnless(shutil.which("unionfs"), "this Debian has no unionfs-fuse: 12 has")
    def test_unionfs(self):
        self.attach("unionfs", f"{self.below}=RW", self.store)
        self.works(links=False)

    def test_sshfs(self):
        server = self.workspace.root / "server"
        server.write_text(f"#!/bin/sh\nexec {SFTP_SERVER}\n")
        server.chmod(stat.S_IRWXU)
        self.attach(
            "sshfs", "-o", f"ssh_command={server}", f"machine:{self.below}", self.store)
        self.works(links=False)
