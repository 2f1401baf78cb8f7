"""Places that change under a mount: a directory above it is renamed, the backing directory is
deleted."""
import errno
import json
import os
import shutil
import subprocess

from workspace import ANN, DAMAGED, NOT_FOUND, WorkspaceCase, pattern, wait_until


class Above(WorkspaceCase):
    """A directory above the mount point has another name."""
    mounted = False

    def setUp(self):
        super().setUp()
        before, self.after = self.workspace.root / "before", self.workspace.root / "after"
        before.mkdir()
        self.workspace.mount_point = before / "mount"
        self.workspace.mount_point.mkdir()
        self.workspace.mount().register()
        self.file = self.workspace.path("file")
        self.file.write_bytes(pattern(20_000))
        before.rename(self.after)
        self.workspace.mount_point = self.after / "mount"
        self.file = self.workspace.path("file")

    def test_all_goes_on_by_the_new_path(self):
        self.assertEqual(self.workspace.status()["mountPoint"], str(self.workspace.mount_point))
        self.assertEqual(self.workspace.owner(self.file), ANN)
        for place in (self.workspace.mount_point, self.file):
            self.workspace.ctl("verify", place)
        self.workspace.ctl("protect", "--owner", "", "--unmanaged", self.file)
        self.assertEqual(self.workspace.on_disk("file").read_bytes()[-100:], pattern(20_000)[-100:])
        self.workspace.ctl("protect", "--owner", ANN, self.file)
        with open(self.file, "rb") as held:
            self.assertEqual(held.read(), pattern(20_000))
            self.workspace.lock()
            with self.refused(errno.ENOKEY):
                os.pread(held.fileno(), 10, 0)
        self.workspace.unlock()
        # Another directory at the old path changes nothing.
        (self.after.with_name("before") / "mount").mkdir(parents=True)
        self.workspace.ctl("verify", self.workspace.mount_point)
        self.workspace.lock()
        with self.refused(errno.ENOKEY):
            self.file.read_bytes()
        self.workspace.unmount()


class Deleted(WorkspaceCase):
    mounted = False

    def setUp(self):
        super().setUp()
        self.workspace.mount().register()
        self.write(self.workspace.path("file"), pattern(10_000))

    def test_it_is_told_everywhere(self):
        watch = subprocess.Popen(
            ["timeout", "60", "mamctl", "watch", "--json", "--workspace", "work"],
            stdout=subprocess.PIPE, text=True, env=self.workspace.environment)
        self.addCleanup(watch.communicate)
        self.addCleanup(watch.kill)
        watch.stdout.readline()
        shutil.rmtree(self.workspace.backing)
        self.assertTrue(any('"backing-gone"' in line for line in watch.stdout))
        said = self.workspace.ctl("verify", self.workspace.mount_point, status=DAMAGED).stdout
        self.assertIn("the backing directory was deleted while it is mounted", said)
        self.workspace.serving("verify", status=DAMAGED)
        said = self.workspace.ctl("status", status=DAMAGED).stdout
        self.assertIn("the backing directory: what is written now is lost", said)
        self.assertIn(f"mamctl unmount {self.workspace.mount_point}", said)
        self.assertIs(
            json.loads(self.workspace.ctl("status", "--json", status=DAMAGED).stdout)[0][
                "backingGone"], True)
        self.assertIn("was deleted while it is mounted", self.workspace.daemon_log.read_text())
        self.workspace.unmount()


class OwnDirectory(WorkspaceCase):
    """The workspace's own directory in the backing directory is deleted."""

    def test_it_is_not_the_files(self):
        """Nobody is told that files are lost, or to remove their keys."""
        self.write(self.workspace.path("file"), pattern(10_000))
        shutil.rmtree(self.workspace.backing / ".mamd")
        self.write(self.workspace.path("later"), pattern(5_000))
        wait_until(lambda: ".mamd was deleted while it is mounted: files are as they were"
                   in self.workspace.daemon_log.read_text())
        found = self.workspace.ctl("verify", self.workspace.mount_point, status=DAMAGED).stdout
        self.assertIn("files are as they were", found)
        for said in (found, self.workspace.ctl("status").stdout,
                     self.workspace.daemon_log.read_text()):
            self.assertNotIn("lost", said)
        self.workspace.unmount()
        refused = self.workspace.ctl(
            "mount", self.workspace.backing, self.workspace.mount_point, status=NOT_FOUND).stderr
        status = self.workspace.ctl("status", status=None)
        for said in refused, status.stdout + status.stderr:
            self.assertIn(f"mamctl mount --name work {self.workspace.backing}", said)
            self.assertNotIn("workspace remove", said)
        self.workspace.mount("--name", "work")
        self.workspace.unlock()
        self.assertEqual(self.workspace.path("file").read_bytes(), pattern(10_000))
        self.assertEqual(self.workspace.path("later").read_bytes(), pattern(5_000))
        self.workspace.unmount()
