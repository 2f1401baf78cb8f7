"""The mount's tree: directories, names, links, attributes, and where it stands."""
import errno
import os
import stat
import subprocess
import unittest

from running import call
from workspace import ANN, PERSONAL, Workspace, WorkspaceCase


class Attributes(WorkspaceCase):
    def test_extended_attributes(self):
        path = self.write(self.directory / "file", b"x")
        os.setxattr(path, "user.one", b"1")
        os.setxattr(path, "user.binary", bytes(range(256)))
        self.assertEqual(os.getxattr(path, "user.binary"), bytes(range(256)))
        self.assertTrue({"user.one", "user.binary"} <= set(os.listxattr(path)))
        with self.refused(errno.EEXIST):
            os.setxattr(path, "user.one", b"2", os.XATTR_CREATE)
        os.removexattr(path, "user.one")
        with self.refused(errno.ENODATA):
            os.getxattr(path, "user.one")

    def test_an_extended_attribute_on_a_directory(self):
        os.setxattr(self.directory, "user.note", b"folder")
        self.assertEqual(os.getxattr(self.directory, "user.note"), b"folder")

    def test_virtual_attributes_tell_the_owner(self):
        path = self.write(self.directory / "file", b"x")
        self.assertEqual(os.getxattr(path, "user.mam.owner").rstrip(b"\0"), b"ann@contoso.com")
        self.assertIn(os.getxattr(path, "user.mam.class").rstrip(b"\0"), [b"A", b"B", b"C", b"D"])
        self.assertEqual(os.getxattr(path, "user.mam.state").rstrip(b"\0"), b"available")

    def test_virtual_attributes_cannot_be_changed(self):
        path = self.write(self.directory / "file", b"x")
        with self.assertRaises(OSError):
            os.setxattr(path, "user.mam.owner", b"eve@example.org")
        with self.assertRaises(OSError):
            os.removexattr(path, "user.mam.owner")
        self.assertEqual(os.getxattr(path, "user.mam.owner").rstrip(b"\0"), b"ann@contoso.com")


class Tree(WorkspaceCase):
    def test_mkdir_and_rmdir(self):
        folder = self.directory / "folder"
        folder.mkdir()
        self.write(folder / "file", b"x")
        with self.refused(errno.ENOTEMPTY):
            folder.rmdir()
        (folder / "file").unlink()
        folder.rmdir()
        self.assertFalse(folder.exists())

    def test_missing_names(self):
        with self.refused(errno.ENOENT):
            os.stat(self.directory / "missing")
        with self.refused(errno.ENOENT):
            os.unlink(self.directory / "missing")
        with self.refused(errno.ENOTDIR):
            os.listdir(self.write(self.directory / "file", b"x"))
        with self.refused(errno.EISDIR):
            os.open(self.directory, os.O_WRONLY)

    def test_hard_links_share_the_content(self):
        one = self.write(self.directory / "one", b"first")
        two = self.directory / "two"
        os.link(one, two)
        self.assertEqual(one.stat().st_nlink, 2)
        self.assertEqual(one.stat().st_ino, two.stat().st_ino)
        self.write(two, b"second content")
        self.assertEqual(one.read_bytes(), b"second content")
        one.unlink()
        self.assertEqual(two.read_bytes(), b"second content")
        self.assertEqual(two.stat().st_nlink, 1)

    def test_symbolic_links(self):
        self.write(self.directory / "file", b"content")
        link = self.directory / "link"
        for target in ("file", "/nowhere/at/all", "x" * 1000):
            os.symlink(target, link)
            self.assertEqual(os.readlink(link), target)
            self.assertEqual(os.lstat(link).st_size, len(target))
            link.unlink()
        os.symlink("file", link)
        self.assertEqual(link.read_bytes(), b"content")

    def test_fifo(self):
        path = self.directory / "fifo"
        os.mkfifo(path)
        self.assertTrue(stat.S_ISFIFO(path.stat().st_mode))
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        writer = os.open(path, os.O_WRONLY)
        os.write(writer, b"through")
        self.assertEqual(os.read(reader, 100), b"through")
        os.close(reader)
        os.close(writer)

    def test_socket(self):
        import socket

        os.chdir(self.directory)  # the path of a socket is short
        try:
            with socket.socket(socket.AF_UNIX) as server:
                server.bind("socket")
            self.assertTrue(stat.S_ISSOCK(os.stat("socket").st_mode))
        finally:
            os.chdir("/")

    def test_rename_of_an_open_file(self):
        path = self.directory / "before"
        with open(path, "wb", buffering=0) as file:
            file.write(b"one ")
            os.rename(path, self.directory / "after")
            file.write(b"two")
        self.assertEqual((self.directory / "after").read_bytes(), b"one two")

    def test_rename_of_a_directory_above_an_open_file(self):
        (self.directory / "a" / "b").mkdir(parents=True)
        with open(self.directory / "a" / "b" / "file", "w+b", buffering=0) as file:
            file.write(b"one ")
            os.rename(self.directory / "a", self.directory / "c")
            (self.directory / "a").mkdir()
            file.write(b"two")
            self.assertEqual(os.pread(file.fileno(), 100, 0), b"one two")
        self.assertEqual((self.directory / "c" / "b" / "file").read_bytes(), b"one two")
        self.assertEqual(list((self.directory / "a").iterdir()), [])

    def test_rename_replaces(self):
        one, two = self.directory / "one", self.directory / "two"
        self.write(one, b"new")
        self.write(two, b"old")
        with open(two, "rb") as held:
            os.rename(one, two)
            self.assertEqual(held.read(), b"old")
        self.assertEqual(two.read_bytes(), b"new")

    def rename2(self, one, two, flags):
        call("renameat2", -100, os.fsencode(one), -100, os.fsencode(two), flags)

    def test_rename_without_replacing(self):
        one, two = self.write(self.directory / "one", b"1"), self.write(
            self.directory / "two", b"2")
        with self.refused(errno.EEXIST):
            self.rename2(one, two, 1)
        self.assertEqual((one.read_bytes(), two.read_bytes()), (b"1", b"2"))
        self.rename2(one, self.directory / "three", 1)
        self.assertEqual((self.directory / "three").read_bytes(), b"1")

    def test_rename_exchanges(self):
        one = self.write(self.directory / "one", b"1" * 10_000)
        two = self.write(self.directory / "two", b"2")
        self.rename2(one, two, 2)
        self.assertEqual((one.read_bytes(), two.read_bytes()), (b"2", b"1" * 10_000))

    def test_ten_thousand_entries(self):
        names = {f"entry-{number:05}" for number in range(10_000)}
        for name in names:
            os.close(os.open(self.directory / name, os.O_CREAT | os.O_WRONLY))
        self.assertEqual(set(os.listdir(self.directory)), names)
        with os.scandir(self.directory) as entries:
            self.assertEqual({entry.name for entry in entries if entry.is_file()}, names)
        # Removing while reading must not lose entries.
        with os.scandir(self.directory) as entries:
            for entry in entries:
                os.unlink(entry.path)
        self.assertEqual(os.listdir(self.directory), [])

    def test_names_are_bytes(self):
        directory = os.fsencode(self.directory)
        names = [
            b"\xff\xfe invalid \x80", b"n" * 255, "ä日本😀".encode(), b" ", b"-rf",
            b"new\nline", b"tab\t\"'\\$*"]
        for name in names:
            with open(directory + b"/" + name, "wb") as file:
                file.write(name)
        self.assertEqual(sorted(os.listdir(directory)), sorted(names))
        self.workspace.remount()
        for name in names:
            with open(directory + b"/" + name, "rb") as file:
                self.assertEqual(file.read(), name)

    def test_names_longer_than_255_bytes_are_refused(self):
        with self.refused(errno.ENAMETOOLONG):
            os.open(self.directory / ("n" * 256), os.O_CREAT | os.O_WRONLY)

    def test_deep_tree(self):
        path = self.directory
        for level in range(60):
            path = path / f"level-{level}"
        path.mkdir(parents=True)
        self.write(path / "file", b"deep")
        self.assertEqual((path / "file").read_bytes(), b"deep")

    def test_dot_mamd_is_hidden(self):
        self.assertTrue(self.workspace.on_disk(".mamd").is_dir())
        self.assertNotIn(".mamd", os.listdir(self.workspace.mount_point))
        hidden = self.workspace.path(".mamd")
        with self.refused(errno.ENOENT):
            os.stat(hidden)
        for attempt in (lambda: os.mkdir(hidden), lambda: os.rename(self.directory, hidden)):
            with self.assertRaises(OSError):
                attempt()
        self.assertTrue(self.directory.exists())

class Places(unittest.TestCase):
    def test_backing_directory_and_mount_point_are_bytes(self):
        workspace = Workspace()
        self.addCleanup(workspace.close)
        for place in ("backing", "mount_point"):
            setattr(workspace, place, workspace.root / os.fsdecode(place.encode() + b" \xff"))
            getattr(workspace, place).mkdir()
        workspace.init().mount().register()
        path = workspace.path("file")
        workspace.write_as(PERSONAL, path, "content")
        workspace.ctl("owner", "--set", ANN, path)
        self.assertEqual(workspace.owner(path), ANN)
        self.assertEqual(path.read_bytes(), b"content")
        workspace.unmount()
        self.assertEqual(os.listdir(workspace.mount_point), [])

    @unittest.skipUnless(os.getuid() == 0, "makes a mount name space, which only root can")
    def test_a_mount_that_another_name_space_keeps_ends_too(self):
        space = Workspace().init()
        self.addCleanup(space.close)
        space.mount().register()
        space.path("file").write_bytes(b"content")
        keeper = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c", "echo ready; read line"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(keeper.communicate)
        self.assertEqual(keeper.stdout.readline(), "ready\n")
        space.unmount()
        space.mount().unlock()
        self.assertEqual(space.path("file").read_bytes(), b"content")
