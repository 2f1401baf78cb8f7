"""Random file calls as they are made below one directory: a method for each call of the plan."""
import collections
import contextlib
import ctypes
import errno
import fcntl
import hashlib
import mmap
import os
import stat
import struct

from posix_place import shape
from random_model import EXCHANGE
from running import call
from workspace import pattern

HERE, FOLLOW = -100, 0x400  # AT_FDCWD and AT_SYMLINK_FOLLOW of <fcntl.h>


def digest(data):
    return (len(data), hashlib.sha256(data).hexdigest()[:16])


def aligned(data):
    memory = mmap.mmap(-1, len(data))
    memory[:] = data
    return memory


class RandomPlace:
    """`open`: slot to descriptor. What a call returns is the same on each file system."""

    def __init__(self, root):
        self.root, self.files = os.fspath(root), {}
        self.tried, self.succeeded = collections.Counter(), collections.Counter()

    def outcome(self, step):
        name, *arguments = step
        self.tried[name] += 1
        try:
            done = getattr(self, "do_" + name)(*arguments)
            self.succeeded[name] += 1
            return done
        except OSError as problem:
            return errno.errorcode.get(problem.errno, problem.errno)

    def close_all(self):
        for slot in list(self.files):
            with contextlib.suppress(OSError):
                self.do_close(slot)

    def at(self, name):
        return os.path.join(self.root, name)

    def file(self, slot):
        if slot not in self.files:
            raise OSError(errno.EBADF, "nothing is open there")
        return self.files[slot]

    @contextlib.contextmanager
    def direct(self, name, flags):
        descriptor = os.open(self.at(name), flags | os.O_DIRECT)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    # Open files

    def keep(self, slot, path, flags, mode):
        descriptor = os.open(path, flags, mode)
        if slot in self.files:
            os.close(self.files[slot])
        self.files[slot] = descriptor

    def do_open(self, slot, name, flags, mode):
        self.keep(slot, self.at(name), flags, mode)

    def do_temporary(self, slot, directory, flags, mode):
        self.keep(slot, self.at(directory), os.O_TMPFILE | os.O_RDWR | flags, mode)

    def do_give_name(self, slot, name):
        path = b"/proc/self/fd/%d" % self.file(slot)
        call("linkat", HERE, path, HERE, os.fsencode(self.at(name)), FOLLOW)

    def do_close(self, slot):
        os.close(self.files.pop(slot, -1))

    def do_flock(self, slot, operation):
        fcntl.flock(self.file(slot), operation | fcntl.LOCK_NB)

    def do_lock_range(self, slot, kind, offset, length):
        """Of the open file, not of the process: the open files of a plan meet each other's."""
        fcntl.fcntl(self.file(slot), fcntl.F_OFD_SETLK, struct.pack(
            "hhqqi", kind, os.SEEK_SET, offset, length, 0))

    def do_look_open(self, slot):
        return shape(os.fstat(self.file(slot)))

    # Content

    def do_write(self, slot, length, seed):
        return os.write(self.file(slot), pattern(length, seed))

    def do_pwrite(self, slot, offset, length, seed):
        return os.pwrite(self.file(slot), pattern(length, seed), offset)

    def do_direct_write(self, name, offset, length, seed):
        with self.direct(name, os.O_WRONLY) as descriptor:
            return os.pwritev(descriptor, [aligned(pattern(length, seed))], offset)

    def do_store(self, slot, offset, length, seed):
        with self.mapped(slot) as memory:
            end = min(offset + length, len(memory))
            if offset < end:
                memory[offset:end] = pattern(end - offset, seed)
            if seed % 2:
                memory.flush()

    def do_replace(self, name, length, seed):
        """As an editor saves."""
        new = self.at(name) + ".new"
        with open(new, "wb") as file:
            file.write(pattern(length, seed))
        try:
            os.rename(new, self.at(name))
        except OSError:
            os.unlink(new)
            raise

    def do_read(self, slot, offset, length):
        return digest(os.pread(self.file(slot), length, offset))

    def do_direct_read(self, name, offset, length):
        with self.direct(name, os.O_RDONLY) as descriptor:
            memory = mmap.mmap(-1, length)
            return digest(memory[:os.preadv(descriptor, [memory], offset)])

    def do_read_mapped(self, slot, offset, length):
        with self.mapped(slot, mmap.PROT_READ) as memory:
            return digest(memory[offset:offset + length])

    @contextlib.contextmanager
    def mapped(self, slot, protection=mmap.PROT_READ | mmap.PROT_WRITE):
        size = os.fstat(self.file(slot)).st_size
        if not size or not stat.S_ISREG(os.fstat(self.file(slot)).st_mode):
            raise OSError(errno.EINVAL, "nothing to map")
        with mmap.mmap(self.file(slot), size, prot=protection) as memory:
            yield memory

    def do_seek(self, slot, offset, whence):
        """Whether what is passed over as a hole is zeros: where holes are is the file system's
        own affair, and so are positions in a directory."""
        file = self.file(slot)
        if stat.S_ISDIR(os.fstat(file).st_mode):
            return True
        position = os.lseek(file, 0, os.SEEK_CUR)
        try:
            found = os.lseek(file, offset, whence)
        except OSError as problem:
            if problem.errno != errno.ENXIO or whence == os.SEEK_HOLE:
                raise
            found = os.fstat(file).st_size
        finally:
            os.lseek(file, position, os.SEEK_SET)
        if whence == os.SEEK_HOLE:
            return True
        with open(f"/proc/self/fd/{file}", "rb") as again:
            return not any(os.pread(again.fileno(), max(0, found - offset), offset))

    def do_truncate(self, name, size):
        os.truncate(self.at(name), size)

    def do_ftruncate(self, slot, size):
        os.ftruncate(self.file(slot), size)

    def do_allocate(self, slot, mode, offset, length):
        call("fallocate", self.file(slot), mode, ctypes.c_int64(offset), ctypes.c_int64(length))

    def do_copy(self, source, target, start, place, length):
        done = 0
        while done < length:
            count = os.copy_file_range(
                self.file(source), self.file(target), length - done, start + done, place + done)
            if not count:
                break
            done += count
        return done

    def do_fsync(self, slot):
        os.fsync(self.file(slot))

    def do_fdatasync(self, slot):
        os.fdatasync(self.file(slot))

    # Names

    def do_rename(self, old, new, bits):
        call("renameat2", HERE, os.fsencode(self.at(old)), HERE, os.fsencode(self.at(new)), bits)

    def do_rename_directory(self, names, bits):
        self.do_rename(*names, bits)

    def do_exchange(self, one, other):
        self.do_rename(one, other, EXCHANGE)

    def do_link(self, old, new):
        os.link(self.at(old), self.at(new), follow_symlinks=False)

    def do_symlink(self, target, name):
        os.symlink(target, self.at(name))

    def do_read_link(self, name):
        return os.readlink(self.at(name))

    def do_unlink(self, name):
        os.unlink(self.at(name))

    def do_mkdir(self, name, mode):
        os.mkdir(self.at(name), mode)

    def do_rmdir(self, name):
        os.rmdir(self.at(name))

    def do_list(self, name):
        return sorted(os.listdir(self.at(name)))

    # Attributes

    def do_look(self, name):
        return shape(os.lstat(self.at(name)))

    def do_chmod(self, name, mode):
        if os.path.isdir(self.at(name)):
            mode |= 0o700
        os.chmod(self.at(name), mode)

    def do_fchmod(self, slot, mode):
        if stat.S_ISDIR(os.fstat(self.file(slot)).st_mode):
            mode |= 0o700
        os.fchmod(self.file(slot), mode)

    def do_chown(self, name, number):
        """An ordinary user may give a file only to itself."""
        user, group = (number, number) if os.getuid() == 0 else (-1, os.getgid())
        os.chown(self.at(name), user, group, follow_symlinks=False)

    def do_set_times(self, name, read, written):
        os.utime(self.at(name), ns=(read << 30, written << 30), follow_symlinks=False)
        return os.lstat(self.at(name)).st_mtime_ns

    def do_set_attribute(self, name, attribute, flags, length):
        os.setxattr(self.at(name), attribute, pattern(length % 700, length), flags)

    def do_set_open_attribute(self, slot, attribute, length):
        os.setxattr(self.file(slot), attribute, pattern(length % 700, length))

    def do_get_attribute(self, attributed):
        name, attribute = attributed
        return digest(os.getxattr(self.at(name), attribute))

    def do_remove_attribute(self, attributed):
        name, attribute = attributed
        os.removexattr(self.at(name), attribute)

    def do_list_attributes(self, name):
        return sorted(each for each in os.listxattr(self.at(name)) if each.startswith("user."))
