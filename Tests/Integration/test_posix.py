"""The mount beside the machine's ordinary file system: the same steps must come to the same."""
import os
import subprocess
import tempfile
import unittest

import posix_callers
import posix_creation
import posix_paths
import posix_permissions
import posix_times
from posix_exceptions import EXCEPTIONS, IN_MEMORY, unexpected
from posix_place import Place, differences, shown
from workspace import LONG, WorkspaceCase

SCENARIOS = {
    "paths": posix_paths.run,
    "modes_of_files": posix_permissions.modes_of_files,
    "modes_of_directories": posix_permissions.modes_of_directories,
    "sticky_directories": posix_permissions.sticky,
    "ownership": posix_permissions.ownership,
    "set_id_bits": posix_permissions.set_id_bits,
    "capabilities": posix_permissions.capabilities,
    "group_inheritance": posix_permissions.group_inheritance,
    "creation": posix_creation.creation,
    "access_lists": posix_creation.access_lists,
    "times": posix_times.run,
    "callers": posix_callers.run,
}


def file_system(path):
    """The type of the file system that has it, as in /proc/mounts."""
    return subprocess.run(
        ["stat", "--file-system", "--format=%T", path], check=True, capture_output=True,
        text=True).stdout.strip()


class Differential(WorkspaceCase):
    """As root by several users on one mount; as another user by that one on a mount of its own."""

    def compare(self, name):
        root = self.workspace.root
        exceptions = IN_MEMORY if file_system(root) == "tmpfs" else EXCEPTIONS
        reference = root / self._testMethodName
        reference.mkdir()
        for path in (root, self.workspace.mount_point, self.directory, reference):
            os.chmod(path, 0o755)
        here, there = Place(self.directory), Place(reference)
        old = os.umask(0o022)
        try:
            for place in (here, there):
                SCENARIOS[name](place)
        finally:
            os.umask(old)
        found = list(differences(here, there))
        left, unused = unexpected(exceptions.get(name, {}), found)
        for label, one, other in left:
            with self.subTest(label):
                self.fail(shown(one, other))
        if os.getuid() == 0 and exceptions is EXCEPTIONS:
            self.assertEqual(unused, [], "no exceptions any more")
        print(
            f"{name}: {len(there.results)} outcomes, {len(found)} other ones on the mount",
            flush=True)


for name in SCENARIOS:
    setattr(Differential, "test_" + name, lambda self, name=name: self.compare(name))


class Exceptions(unittest.TestCase):
    """They excuse what they are meant for, and nothing beside it."""

    def test_only_what_differs_is_excused(self):
        def file(mode, size=7):
            return ((b"./folder/file", (mode, 1, 2001, 3000, size, None), None),)

        chown = "chown to itself of a file of mode 6755, by ann, after it"
        for scenario, label, here, there, is_excused in (
            ("ownership", chown, file("106755"), file("100755"), True),
            ("ownership", chown, file("102755"), file("100755"), True),
            ("ownership", chown, file("104755"), file("102755"), False),
            ("ownership", chown, file("100755"), file("106755"), False),
            ("ownership", chown, file("106775"), file("100755"), False),
            ("ownership", chown, file("106755"), file("100755", 8), False),
            ("ownership", chown, (), file("100755"), False),
            ("ownership", chown, None, file("100755"), False),
            ("times", "store through a mapping", (None, "file: mc"), (None, "file: amc"), True),
            ("times", "store through a mapping", (None, "file: "), (None, "file: amc"), False),
            ("times", "store through a mapping", ("EIO", "file: mc"), (None, "file: amc"), False),
        ):
            with self.subTest(label, here=here, there=there):
                left, _ = unexpected(EXCEPTIONS[scenario], [(label, here, there)])
                self.assertEqual(left == [], is_excused)


class OnTmpfs(Differential):
    """The same where the backing directory is in memory."""

    @classmethod
    def setUpClass(cls):
        tempfile.tempdir = "/dev/shm"
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        tempfile.tempdir = None


def load_tests(loader, standard_tests, pattern):
    cases = (Exceptions, Differential, OnTmpfs) if LONG and os.path.ismount("/dev/shm") else (
        Exceptions, Differential)
    return unittest.TestSuite(map(loader.loadTestsFromTestCase, cases))
