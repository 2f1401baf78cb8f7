"""More files and directories than the daemon may have descriptors."""
import os
import pathlib
import subprocess
import unittest

import older_kernel
from workspace import Workspace

LIMIT, FOLDERS, FILES = 600, 30, 30
# With that capability root's daemon takes as many as there are.
LIMITED = (
    ("setpriv", "--inh-caps=-sys_resource", "--bounding-set=-sys_resource", "--")
    if os.getuid() == 0 else ())
KNOWS_PRUNING = tuple(map(int, older_kernel.version().split(".")[:2])) >= (6, 18)


class FewDescriptors(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace().init()
        self.addCleanup(self.workspace.close)
        subprocess.run(
            ["prlimit", f"--nofile={LIMIT}:{LIMIT}", *LIMITED,
             "mamctl", "mount", self.workspace.backing, self.workspace.mount_point],
            stdin=subprocess.DEVNULL, check=True, timeout=90, env=self.workspace.environment)
        pid = self.workspace.daemon()
        limits = pathlib.Path(f"/proc/{pid}/limits").read_text()
        self.assertRegex(limits, rf"(?m)^Max open files +{LIMIT} +{LIMIT} ")
        self.workspace.register()

    def make_all(self, make):
        for folder in range(FOLDERS):
            self.workspace.path(f"folder-{folder}").mkdir()
            for number in range(FILES):
                make(self.workspace.path(f"folder-{folder}", f"entry-{number}"))

    def look_at_all(self):
        count = 0
        for directory, folders, names in os.walk(self.workspace.mount_point):
            for name in folders + names:
                os.lstat(os.path.join(directory, name))
                count += 1
        self.assertEqual(count, FOLDERS * (FILES + 1))

    def test_files(self):
        self.make_all(lambda path: path.write_bytes(b"content"))
        self.look_at_all()
        with open(self.workspace.path("folder-0", "entry-0"), "r+b", buffering=0) as held:
            self.look_at_all()
            held.write(b"CON")
        self.assertEqual(self.workspace.path("folder-0", "entry-0").read_bytes(), b"CONtent")

    def test_links_and_fifos(self):
        self.make_all(
            lambda path: path.symlink_to("somewhere") if path.name[-1] in "02468"
            else os.mkfifo(path))
        self.look_at_all()

    @unittest.skipUnless(
        KNOWS_PRUNING, "the kernel cannot be asked to forget directories before Linux 6.18")
    def test_directories(self):
        self.make_all(lambda path: path.mkdir())
        deep = self.workspace.path("folder-0", "entry-0")
        before = os.getcwd()
        os.chdir(deep)
        try:
            self.look_at_all()
            self.look_at_all()
            # A working directory stays.
            self.assertEqual(os.getcwd(), os.fspath(deep))
            (deep / "new").write_bytes(b"x")
            self.assertEqual(os.listdir("."), ["new"])
            os.unlink("new")
        finally:
            os.chdir(before)
