"""A mount point that is shut while nothing is mounted: programs that write at the wrong moment."""
import json
import os
import signal
import stat
import subprocess
import time
import unittest

from ordinary_user import NOBODY
from running import daemons, mounts
from workspace import NO, PROGRAMS, Workspace, wait_until

NEEDS = ("e2fsprogs", "git", "rsync")


class Shut(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace().init()
        self.addCleanup(self.workspace.close)
        self.place = self.workspace.mount_point
        # Root's tests leave nothing immutable behind.
        self.addCleanup(self.open_by_hand)

    def open_by_hand(self):
        if os.getuid() == 0 and not mounts(str(self.place)):
            subprocess.run(["chattr", "-i", self.place], check=False, capture_output=True)

    def shut(self):
        """Mounted and unmounted again."""
        self.workspace.mount("-o", "shut")
        self.workspace.unmount()

    def content(self):
        """What is in the directory that the mount covers. It is not mounted."""
        self.assertEqual(mounts(str(self.place)), [])
        if os.getuid() == 0:
            return os.listdir(self.place)
        mode = self.place.stat().st_mode
        self.place.chmod(0o700)
        try:
            return os.listdir(self.place)
        finally:
            self.place.chmod(stat.S_IMODE(mode))

    def check_no_shut(self):
        """Gives the mount point its mode again."""
        self.workspace.mount("-o", "no_shut")
        self.workspace.unmount()
        self.assertEqual(self.mode(), 0o750)

    def mode(self):
        return stat.S_IMODE(self.place.stat().st_mode)

    def kill(self):
        os.kill(self.workspace.daemon(), signal.SIGKILL)

    def attempts(self):
        """Programs that change something here, all of which must fail."""
        source = self.workspace.root / "source"
        source.mkdir(exist_ok=True)
        (source / "letter").write_text("secret")
        return (
            ["sh", "-c", 'echo secret > "$1/file"', "sh", self.place],
            ["cp", "-r", source, self.place], ["cp", "-r", f"{source}/.", self.place],
            ["mkdir", "-p", self.place / "a" / "b"], ["mv", source / "letter", self.place],
            ["rsync", "-a", f"{source}/", f"{self.place}/"],
            ["rsync", "-a", "--inplace", source, self.place],
            ["tar", "-C", self.place, "-xf", self.archive(source)],
            ["git", "init", self.place / "repository"])

    def archive(self, source):
        path = self.workspace.root / "archive.tar"
        subprocess.run(["tar", "-C", source, "-cf", path, "."], check=True)
        return path

    def refuse_all(self):
        for command in self.attempts():
            result = subprocess.run(
                list(map(os.fspath, command)), capture_output=True, text=True, timeout=60)
            self.assertNotEqual(result.returncode, 0, command)
        source = self.workspace.root / "source"
        self.assertEqual((source / "letter").read_text(), "secret")

    def test_programs_leave_nothing_after_an_unmount(self):
        self.shut()
        self.refuse_all()
        self.assertEqual((self.content(), self.mode()), ([], 0))
        self.workspace.mount()
        self.assertEqual(os.listdir(self.place), [])

    def test_programs_leave_nothing_after_a_crash(self):
        self.workspace.mount("-o", "shut")
        for unmount in (False, True):
            self.kill()
            wait_until(lambda: not list(daemons(str(self.workspace.root))))
            if unmount:
                subprocess.run(["fusermount3", "-u", "-z", self.place], check=True)
            self.refuse_all()
            if unmount:
                self.assertEqual((self.content(), self.mode()), ([], 0))
            self.workspace.mount()
        self.assertEqual(os.listdir(self.place), [])

    @unittest.skipIf(os.getuid() == 0, "root may read any directory")
    def test_a_copy_of_it_loses_nothing(self):
        """What is unreadable is no reason to delete; an empty directory would be."""
        self.workspace.mount("-o", "shut")
        (self.place / "letter").write_text("kept")
        copy = self.workspace.root / "copy"
        command = ["rsync", "-rt", "--delete", f"{self.place}/", f"{copy}/"]
        subprocess.run(command, check=True)
        self.workspace.unmount()
        self.assertNotEqual(subprocess.run(command, capture_output=True).returncode, 0)
        self.assertNotEqual(
            subprocess.run(
                ["rsync", "-rt", "--delete", self.place, f"{copy}/"],
                capture_output=True).returncode, 0)
        self.assertEqual((copy / "letter").read_text(), "kept")

    def test_writers_that_never_rest(self):
        """Through mounts, unmounts and crashes."""
        self.shut()
        stop, tries = self.workspace.root / "stop", self.workspace.root / "tries"
        writer = subprocess.Popen(
            ["/usr/bin/python3", PROGRAMS / "save_on.py", self.place, stop, tries])
        self.addCleanup(writer.wait)
        self.addCleanup(writer.kill)
        wait_until(tries.exists)
        starts = []
        for end in (self.unmount_between_writes, self.crash) * 5:
            begin = time.time()
            self.workspace.mount()
            starts.append((begin, time.time()))
            end()
            enough = tries.stat().st_size + 100
            wait_until(lambda: tries.stat().st_size >= enough, message="nothing is tried")
        stop.touch()
        writer.wait(60)
        attempts = tries.stat().st_size
        found = self.content()
        print(f"uid {os.getuid()}: {attempts} attempts, {len(found)} outside", flush=True)
        if os.getuid() == 0:
            self.assertEqual(found, [])
        if found:
            # fusermount3 needs the right to write, for as long as it takes to mount.
            self.assertIn("the mount hides", self.workspace.log.read_text())
            self.place.chmod(0o700)
            for name in found:
                made = (self.place / name).stat().st_ctime
                self.assertTrue(any(a - 0.02 < made < b for a, b in starts), (name, made, starts))

    def unmount_between_writes(self):
        """While a program has a file open, there is no unmount."""
        wait_until(
            lambda: self.workspace.ctl("unmount", self.place, status=None).returncode == 0)

    def crash(self):
        self.kill()
        wait_until(lambda: not list(daemons(str(self.workspace.root))))
        # A writer may be in it: as a person would end it.
        subprocess.run(["fusermount3", "-u", "-z", self.place], check=True)

    def test_it_is_itself_again(self):
        self.place.chmod(0o750)
        self.shut()
        said = self.workspace.ctl("workspace", "list").stdout
        self.assertRegex(said, f"work +not mounted, shut +{self.place}")
        said = self.workspace.ctl("status", status=None).stdout
        self.assertIn(f"shut  {self.place} until it is mounted", said)
        (told,) = json.loads(
            self.workspace.ctl("workspace", "list", "--json").stdout)
        self.assertEqual(told["state"], "not mounted, shut")
        # The next mount remembers it, and one that says so ends it.
        self.workspace.mount()
        self.workspace.unmount()
        self.assertEqual(self.mode(), 0)
        self.check_no_shut()
        (self.place / "file").touch()
        (self.place / "file").unlink()
        # So does the workspace's end.
        self.shut()
        self.assertEqual(self.mode(), 0)
        said = self.workspace.ctl(
            "workspace", "remove", "work", "--confirm", "work").stdout
        self.assertIn(f"an ordinary directory again: {self.place}\n", said)
        self.assertEqual(self.mode(), 0o750)
        self.place.rmdir()

    def test_a_former_place_that_cannot_be_opened(self):
        """Its mode is remembered until it can, and another mount does not forget it."""
        above = self.workspace.root / "above"
        above.mkdir()
        former = self.workspace.mount_point = above / "place"
        former.mkdir(mode=0o750)
        self.shut()
        other = self.workspace.root / "above-too"
        above.rename(other)
        above.symlink_to(other)
        if os.getuid() == 0:
            os.lchown(above, NOBODY, NOBODY)  # root follows no link of others'
        else:
            other.chmod(0)
        self.workspace.mount_point = self.place
        self.workspace.mount("-o", "shut", status=NO)
        self.assertIn(f"the former mount point {former} cannot be opened", self.said())
        self.workspace.mount("-o", "no_shut")
        self.assertIn(f"the former mount point {former} cannot be opened", self.said())
        self.workspace.unmount()
        other.chmod(0o700)
        above.unlink()
        other.rename(above)
        self.workspace.mount("-o", "no_shut")
        self.workspace.unmount()
        self.assertEqual(stat.S_IMODE(former.stat().st_mode), 0o750)

    def said(self):
        """What mounts have said since the last time."""
        text = self.workspace.log.read_text()
        self.workspace.log.write_text("")
        return text

    @unittest.skipIf(os.getuid() == 0, "root mounts there")
    def test_a_directory_of_mode_0_that_nobody_knows(self):
        self.place.chmod(0)
        self.workspace.mount(status=NO)
        self.assertIn("mount with -o shut, or run: chmod 700", self.said())
        self.workspace.mount("-o", "shut")

    @unittest.skipIf(os.getuid() == 0, "root's is immutable, and cannot be moved")
    def test_it_is_known_where_its_owner_moves_it(self):
        self.place.chmod(0o750)
        self.shut()
        self.place = self.workspace.mount_point = self.place.rename(
            self.workspace.root / "moved")
        for _ in range(2):
            self.workspace.mount()
            self.workspace.unmount()
            self.assertEqual(self.mode(), 0)
        self.check_no_shut()

    def test_what_others_use_stays_as_it_is(self):
        self.place.chmod(0o1777)
        self.workspace.mount("-o", "shut")
        self.assertIn(
            f"{self.place} stays open to programs while nothing is mounted: everybody may write"
            " to it", self.workspace.log.read_text())
        self.workspace.unmount()
        self.assertEqual(self.mode(), 0o1777)

    def test_another_place_frees_the_former_one(self):
        self.shut()
        other = self.workspace.root / "other"
        other.mkdir(mode=0o700)
        (former, self.workspace.mount_point) = (self.place, other)
        self.workspace.mount("-o", "shut")
        self.assertEqual(stat.S_IMODE(former.stat().st_mode), 0o700)
        self.workspace.unmount()
        self.assertEqual(stat.S_IMODE(other.stat().st_mode), 0)
        self.place = other

    def test_a_lost_record_is_no_lost_directory(self):
        self.shut()
        (self.workspace.state / "mount-point.json").unlink()
        self.workspace.mount("-o", "shut")
        self.workspace.mount(status=1)  # it is mounted
        self.workspace.unmount()
        self.workspace.mount("-o", "no_shut")
        self.workspace.unmount()
        self.assertEqual(self.mode(), 0o700)
