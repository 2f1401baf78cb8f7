"""The desktop's indexer keeps no text of a workspace's files: the real tracker-miner-fs."""
import os
import pathlib
import shutil
import subprocess
import unittest

from workspace import ANN, Workspace, wait_until

NEEDS = ("dbus", "libglib2.0-bin", "tracker", "tracker-miner-fs")
MINER = pathlib.Path("/usr/libexec/tracker-miner-fs-3")
IGNORED = ("org.freedesktop.Tracker3.Miner.Files", "ignored-directories")
INSIDE, OUTSIDE = "Zwetschgenkuchen", "Apfelstrudel"


def missing():
    programs = [name for name in ("dbus-daemon", "gsettings", "tracker3") if not shutil.which(name)]
    absent = [*programs, *([] if MINER.exists() else [str(MINER)])]
    return f"not installed: {', '.join(absent)}" if absent else ""


@unittest.skipIf(missing(), missing())
class Indexers(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace(settings={"LockOn": {"IdleSeconds": 0}})
        self.addCleanup(self.workspace.close)
        self.home = self.workspace.root
        # It leaves the directory for temporary files out, where the tests have theirs.
        self.workspace.environment |= {
            "GSETTINGS_BACKEND": "keyfile", "TMPDIR": str(self.home / "none"),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
            "XDG_DATA_HOME": str(self.home / ".local" / "share")}
        self.start_bus()

    def start_bus(self):
        socket = self.home / "bus"
        self.start("dbus-daemon", "--session", "--nofork", f"--address=unix:path={socket}")
        wait_until(socket.exists, message="no session bus")
        self.workspace.environment["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={socket}"

    def start(self, *words):
        process = subprocess.Popen(
            words, env=self.workspace.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)

    def run_in_session(self, *words):
        return subprocess.run(
            words, env=self.workspace.environment, capture_output=True, text=True,
            timeout=60).stdout

    def index(self, *folders):
        """Has it index these folders, as it does Documents."""
        self.run_in_session(
            "gsettings", "set", IGNORED[0], "index-recursive-directories",
            str([str(folder) for folder in folders]))
        self.start(MINER, "--initial-sleep", "0")

    def finds(self, word):
        return word in self.run_in_session("tracker3", "search", "--disable-color", word)

    def test_it_keeps_no_text_of_a_mount(self):
        outside = self.home / "outside"
        outside.mkdir()
        # Of two folders the second is looked at last.
        (outside / "table.txt").write_text(f"{OUTSIDE} on the table\n")
        self.workspace.init().mount().register()
        self.workspace.write_as(ANN, self.workspace.path("oven.txt"), f"{INSIDE} in the oven\n")
        self.index(self.workspace.mount_point, outside)
        wait_until(lambda: self.finds(OUTSIDE), message="this indexer finds nothing")
        self.assertFalse(self.finds(INSIDE))
        kept = subprocess.run(
            ["grep", "-rl", INSIDE, self.home / ".cache"], capture_output=True, text=True).stdout
        self.assertEqual(kept, "")

    def test_the_persons_own_list_stays(self):
        self.run_in_session("gsettings", "set", *IGNORED, "['po', '[ab]*']")
        self.workspace.init().mount()
        wanted = f"['po', '[ab]*', '{self.workspace.mount_point}']"
        self.assertEqual(self.run_in_session("gsettings", "get", *IGNORED).strip(), wanted)
        self.workspace.unmount()
        self.workspace.mount()
        self.assertEqual(self.run_in_session("gsettings", "get", *IGNORED).strip(), wanted)

    def test_odd_names_and_an_empty_list(self):
        self.run_in_session("gsettings", "set", *IGNORED, "[]")
        self.workspace.mount_point = self.home / "Ann's \\ \"Work\""
        self.workspace.mount_point.mkdir(mode=0o700)
        self.workspace.init().mount()
        told = self.run_in_session("gsettings", "get", *IGNORED).strip()
        self.assertIn("Ann's \\\\ \\\"Work\\\"", told)
        self.workspace.unmount()
        self.workspace.mount()
        self.assertEqual(self.run_in_session("gsettings", "get", *IGNORED).strip(), told)

    def test_setup_tells_it_and_baloo(self):
        programs = self.home / "programs"
        programs.mkdir()
        (programs / "balooctl").write_text(f"#!/bin/sh\necho \"$*\" >>'{self.home}/told'\n")
        (programs / "balooctl").chmod(0o755)
        self.workspace.environment["PATH"] = f"{programs}:{os.environ['PATH']}"
        place = self.home / "Work"
        self.addCleanup(self.workspace.ctl, "unmount", place, status=None)
        self.workspace.ctl(
            "setup", place, ANN, "--backing", self.home / ".work", "--name", self.workspace.name,
            "--passfile", self.workspace.passfile, "--no-recovery", "--no-service")
        self.assertIn(f"'{place}'", self.run_in_session("gsettings", "get", *IGNORED))
        self.assertEqual(
            (self.home / "told").read_text(), f"config add excludeFolders {place}\n")

    def test_what_cannot_be_told_is_said(self):
        self.workspace.environment["GSETTINGS_BACKEND"] = "memory"
        self.workspace.init().mount()
        self.assertIn(
            f"will keep the text of files in {self.workspace.mount_point}",
            self.workspace.log.read_text())


if __name__ == "__main__":
    unittest.main()
