"""The operations of test_matrix.py: what a program does with a file or directory, and how one sees
that it worked."""
import ctypes
import errno
import mmap
import os
import signal
import stat

import workspace
from running import call
from workspace import CLOSED, DONE, pattern

CONTENT = pattern(20_000)
NEW = b"written in this state"
PLACE = 9_000  # in the middle of a page that is not the first


class Sigbus(Exception):
    pass


def in_a_child(action, handle):
    """Starts a child that waits for a word, acts, and ends. Returns what says the word and waits
    for the end.

    The child keeps no other handle open: a file of class B is closed when its test closes it."""
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        status = 99
        try:
            kept = sorted({here, handle})
            for low, high in zip([2, *kept], [*kept, 10_000]):
                os.closerange(low + 1, high)
            status = action(handle, lambda: os.read(here, 1)) or 0
        finally:
            os._exit(status)
    os.close(here)

    def go():
        os.write(there, b"!")
        os.close(there)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGBUS:
            raise Sigbus
        if status != 0:
            raise AssertionError(f"the child ended with {status:#x}")

    return go


def touch(mapping):
    return 0 if mapping[PLACE] == CONTENT[PLACE] else 98


def store(mapping):
    mapping[PLACE : PLACE + len(NEW)] = NEW


def old_mapping(action):
    def run(handle, wait):
        with mmap.mmap(handle, 0) as mapping:
            mapping[PLACE]
            wait()
            return action(mapping)
    return run


def new_mapping(action):
    def run(handle, wait):
        wait()
        with mmap.mmap(handle, 0) as mapping:
            return action(mapping)
    return run


class Cell:
    """A fresh file of one class, and one operation on it. `content` is what the file must hold
    after the next unlock."""

    def __init__(self, space, folder, operation, needs, letter):
        self.space, self.operation, self.letter = space, operation, letter
        self.folder = folder / f"{operation} {needs}"
        self.path = self.folder / "file"
        self.content, self.handle, self.child = CONTENT, None, None

    # Before and after

    def prepare(self, needs, is_restarted):
        self.folder.mkdir()
        self.path.write_bytes(CONTENT)
        (self.folder / "neighbour").write_bytes(b"neighbour")
        if needs == "file" or is_restarted:
            return
        self.handle = os.open(self.path, os.O_RDWR)
        os.pread(self.handle, len(CONTENT), 0)
        if needs == "mapping":
            self.child = in_a_child(
                old_mapping(getattr(self, self.operation + "_action")), self.handle)

    def still_works(self):
        """After the next unlock: the handle, and the content."""
        if self.handle is not None:
            expected = CONTENT if self.content is None else self.content
            assert os.pread(
                self.handle, 1 << 20, 0) == expected, "other content through the old handle"
            os.pwrite(self.handle, b"!", 0)
            assert os.pread(self.handle, 1 << 20, 0) == b"!" + expected[
                1:], "no write through the old handle"
            if self.content is not None:
                self.content = b"!" + expected[1:]
            os.close(self.handle)
        if self.content is not None:
            assert self.path.read_bytes() == self.content, "other content"

    # Opening

    def open_to_read(self):
        with open(self.path, "rb") as file:
            assert file.read() == CONTENT

    def open_to_write(self):
        self.write_and_close(os.open(self.path, os.O_WRONLY))

    def open_to_read_and_write(self):
        self.write_and_close(os.open(self.path, os.O_RDWR))

    def write_and_close(self, handle):
        os.pwrite(handle, NEW, PLACE)
        os.close(handle)
        self.written()

    def written(self):
        self.content = CONTENT[:PLACE] + NEW + CONTENT[PLACE + len(NEW) :]

    def execute(self):
        """What the file holds is no program: when the kernel says so, it has read it."""
        self.path.chmod(0o755)
        try:
            os.posix_spawn(self.path, ["program"], {})
        except OSError as problem:
            if problem.errno != errno.ENOEXEC:
                raise

    def open_truncating(self):
        os.close(os.open(self.path, os.O_WRONLY | os.O_TRUNC))
        self.content = b""

    def open_beside_a_handle(self):
        os.close(os.open(self.path, os.O_RDWR))

    def open_truncating_beside_a_handle(self):
        self.open_truncating()

    def truncate(self):
        os.truncate(self.path, 5_000)
        self.content = CONTENT[:5_000]

    # A handle from before

    def read(self):
        os.lseek(self.handle, 0, os.SEEK_SET)
        assert os.read(self.handle, 100) == CONTENT[:100]

    def pread(self):
        assert os.pread(self.handle, 1 << 20, 0) == CONTENT

    def write(self):
        os.lseek(self.handle, PLACE, os.SEEK_SET)
        os.write(self.handle, NEW)
        self.written()

    def pwrite(self):
        os.pwrite(self.handle, NEW, PLACE)
        self.written()

    def pwrite_at_the_end(self):
        os.pwrite(self.handle, NEW, len(CONTENT))
        self.content = CONTENT + NEW

    def ftruncate(self):
        os.ftruncate(self.handle, 5_000)
        self.content = CONTENT[:5_000]

    def fallocate(self):
        call("fallocate", self.handle, 0, ctypes.c_long(0), ctypes.c_long(30_000))
        self.content = CONTENT + bytes(10_000)

    def fallocate_a_hole(self):
        call("fallocate", self.handle, 3, ctypes.c_long(4_096), ctypes.c_long(4_096))
        self.content = CONTENT[:4_096] + bytes(4_096) + CONTENT[8_192:]

    def fstat(self):
        assert os.fstat(self.handle).st_size == len(CONTENT)

    # Mappings

    touch_a_mapping_action = staticmethod(touch)
    store_into_a_mapping_action = staticmethod(store)

    def touch_a_mapping(self):
        self.child()

    def store_into_a_mapping(self):
        self.child()
        self.written()

    def touch_a_new_mapping(self):
        in_a_child(new_mapping(touch), self.handle)()

    def store_into_a_new_mapping(self):
        in_a_child(new_mapping(store), self.handle)()
        self.written()

    # Making files

    def create(self):
        path = self.folder / "new"
        handle = self.whole_or_nothing(
            path, lambda: os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        os.write(handle, CONTENT)
        assert os.pread(handle, 1 << 20, 0) == CONTENT, "other content through its own handle"
        os.close(handle)
        self.path = path

    def mknod(self):
        path = self.folder / "new"
        self.whole_or_nothing(path, lambda: os.mknod(path, stat.S_IFREG | 0o600))
        assert path.stat().st_size == 0
        self.path, self.content = path, b""

    def whole_or_nothing(self, path, make):
        try:
            return make()
        except OSError:
            behind = self.space.on_disk(path.relative_to(self.space.mount_point))
            assert not os.path.lexists(path) and not behind.exists(), "something was left behind"
            raise

    def create_and_open_again(self):
        self.create()
        self.open_to_read()

    # Attributes

    def stat(self):
        assert self.path.stat().st_size == len(CONTENT)

    def chmod(self):
        self.path.chmod(0o640)
        assert self.path.stat().st_mode & 0o7777 == 0o640

    def chown(self):
        owner = (1, 2) if os.getuid() == 0 else (os.getuid(), os.getgid())
        os.chown(self.path, *owner)
        assert (self.path.stat().st_uid, self.path.stat().st_gid) == owner

    def utimes(self):
        os.utime(self.path, ns=(1_000_000_000, 2_000_000_000))
        assert self.path.stat().st_mtime_ns == 2_000_000_000

    def setxattr(self):
        os.setxattr(self.path, "user.x", b"value")
        assert os.getxattr(self.path, "user.x") == b"value"

    def getxattr_of_protection(self):
        self.has_class(self.letter)
        assert os.getxattr(self.path, "user.mam.owner") == workspace.ANN.encode()
        assert os.getxattr(self.path, "user.mam.state")

    def has_class(self, letter):
        assert os.getxattr(self.path, "user.mam.class") == letter.encode()

    # Names and directories

    def list_directory(self):
        assert sorted(os.listdir(self.folder)) == ["file", "neighbour"]

    def open_directory(self):
        handle = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        os.fsync(handle)
        os.close(handle)

    def mkdir(self):
        (self.folder / "new").mkdir()
        assert os.getxattr(self.folder / "new", "user.mam.class") == self.letter.encode()

    def rmdir(self):
        (self.folder / "new").mkdir()
        (self.folder / "new").rmdir()
        assert not (self.folder / "new").exists()

    def unlink(self):
        self.path.unlink()
        assert os.listdir(self.folder) == ["neighbour"]
        self.content = None

    def unlink_an_open_file(self):
        self.unlink()

    def rename(self):
        self.path = self.path.rename(self.folder / "other")
        assert sorted(os.listdir(self.folder)) == ["neighbour", "other"]

    def rename_over_another(self):
        self.path = self.path.rename(self.folder / "neighbour")
        assert os.listdir(self.folder) == ["neighbour"]

    def link(self):
        os.link(self.path, self.folder / "other")
        self.path = self.folder / "other"
        assert self.path.stat().st_nlink == 2

    # Classes

    def ctl(self, *arguments):
        result = self.space.ctl(*arguments, status=(DONE, CLOSED))
        if result.returncode == CLOSED:
            raise OSError(errno.ENOKEY, "the window is closed")
        return result.stdout

    def class_of(self, path):
        return self.ctl("class", path).split("\t")[0]

    def mamctl_class(self):
        assert self.class_of(self.path) == self.letter

    def mamctl_class_of_directory(self):
        assert self.class_of(self.folder) == self.letter

    def mamctl_info(self):
        assert self.space.info(self.path)["class"] == self.letter

    def set_class(self, letter):
        self.ctl("class", "--set", letter, self.path)
        self.has_class("D" if letter == "policy" else letter)

    def set_class_to_A(self):
        self.set_class("A")

    def set_class_to_B(self):
        self.set_class("B")

    def set_class_to_C(self):
        self.set_class("C")

    def set_class_to_D(self):
        self.set_class("D")

    def set_class_to_policy(self):
        self.set_class("policy")

    def set_class_of_directory(self, letter):
        """New children have it after the next unlock; those that are there stay."""
        self.ctl("class", "--set", letter, self.folder)
        assert self.class_of(self.folder) == ("-" if letter == "policy" else letter)
        self.has_class(self.letter)

    def set_class_of_directory_to_A(self):
        self.set_class_of_directory("A")

    def set_class_of_directory_to_B(self):
        self.set_class_of_directory("B")

    def set_class_of_directory_to_C(self):
        self.set_class_of_directory("C")

    def set_class_of_directory_to_D(self):
        self.set_class_of_directory("D")

    def set_class_of_directory_to_policy(self):
        self.set_class_of_directory("policy")
