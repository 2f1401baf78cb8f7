"""What a recorder wrote down, and what of it a disk may hold after a power cut.

The model. A cut at record N: all calls before N had returned.

- Names, sizes, holes, modes, attributes (metadata) reach the disk in the order in which they were
made: those before some M <= N are there. A sync of an inode forces M beyond the last metadata
change of that inode. - Data reach the disk page by page (4 KiB), in any order: a page holds any of
its versions since the inode's last sync, or what it held then. What was written to a page that a
later truncation or hole took away does not come back once that is durable, and what was written to
it after one that is not durable yet is not there either: blocks taken anew are not known to the old
metadata. But the zeros that a truncation puts behind a new end inside a page are data.

So a size may be durable before the data that it counts. That is harsher than ext4's ordered mode
for writes, and just what it does for ftruncate(2) after a write that has no blocks yet. "Prefix": M
= N, and every page has its last version.
"""
import bisect
import collections
import os
import shutil
import stat
import struct

PAGE = 4096
KINDS = (
    "MKNOD MKDIR SYMLINK LINK RENAME UNLINK RMDIR WRITE TRUNCATE FALLOCATE CHMOD CHOWN TIMES "
    "SETXATTR REMOVEXATTR FSYNC "
    "FSYNCDIR MARK").split()
HEAD = struct.Struct("<IIQqqqq")
ROOT = 1
KEEP_SIZE, PUNCH_HOLE = 1, 2
NOREPLACE, EXCHANGE = 1, 2


def latest(history, index):
    """The last of [(index, value)] at or before `index`; None if there is none."""
    place = bisect.bisect_right(history, index, key=lambda event: event[0])
    return history[place - 1][1] if place else None


class Inode:
    """Histories: lists of (record, value), in order."""

    def __init__(self, number, kind):
        self.number, self.kind = number, kind
        self.sizes, self.modes, self.owners, self.attributes = [], [], [], []
        # a value is 4096 bytes, or None: no block any more
        self.pages = collections.defaultdict(list)
        self.names = collections.defaultdict(list)  # of a directory: name -> inode or None
        self.syncs, self.changes = [], []  # record numbers; changes: of metadata
        self.target = b""


class Recording:
    def __init__(self, path):
        self.inodes = {ROOT: Inode(ROOT, stat.S_IFDIR)}
        self.inodes[ROOT].modes.append((-1, 0o755))
        self.marks, self.forced = [], []  # (record, text); (record, least M from then on)
        self.count = 0
        data = path.read_bytes()
        offset = 0
        while offset < len(data):
            kind, length, inode, *numbers = HEAD.unpack_from(data, offset)
            offset += HEAD.size
            self.take(KINDS[kind], inode, numbers, data[offset : offset + length])
            offset += length

    def take(self, kind, inode, numbers, payload):
        if kind == "WRITE":
            # Page by page: a cut may fall between any two of them.
            at, done = numbers[0], 0
            while done < len(payload):
                part = payload[done : done + PAGE - (at + done) % PAGE]
                self.write(inode, at + done, part)
                done += len(part)
                self.count += 1
        else:
            getattr(self, "take_" + kind.lower())(inode, numbers, payload)
            self.count += 1

    def changed(self, *inodes):
        for inode in inodes:
            if inode is not None:
                self.inodes[inode].changes.append(self.count)

    # Names

    def name(self, directory, name, inode):
        """Sets a name; returns what it was before."""
        history = self.inodes[directory].names[name]
        before = history[-1][1] if history else None
        history.append((self.count, inode))
        return before

    def make(self, inode, numbers, payload):
        parent, mode, user, group = numbers
        name, *rest = payload.split(b"\0")
        new = self.inodes[inode] = Inode(inode, stat.S_IFMT(mode))
        new.modes.append((self.count, stat.S_IMODE(mode)))
        new.owners.append((self.count, (user, group)))
        new.sizes.append((self.count, 0))
        new.attributes.append((self.count, {}))
        new.target = rest[0]
        self.name(parent, name, inode)
        self.changed(inode, parent)

    take_mknod = take_mkdir = take_symlink = make

    def take_link(self, inode, numbers, payload):
        self.name(numbers[0], payload[:-1], inode)
        self.changed(inode, numbers[0])

    def take_rename(self, _, numbers, payload):
        old, new, flags, _ = numbers
        old_name, new_name = payload.split(b"\0")[:2]
        moved = self.name(old, old_name, None)
        replaced = self.name(new, new_name, moved)
        if flags & EXCHANGE:
            self.inodes[old].names[old_name][-1] = (self.count, replaced)
        self.changed(old, new, moved, replaced)

    def remove(self, _, numbers, payload):
        self.changed(numbers[0], self.name(numbers[0], payload[:-1], None))

    take_unlink = take_rmdir = remove

    # Content

    def size(self, inode):
        return self.inodes[inode].sizes[-1][1]

    def page(self, inode, page):
        history = self.inodes[inode].pages[page]
        return (history[-1][1] if history else None) or bytes(PAGE)

    def resize(self, inode, size):
        self.inodes[inode].sizes.append((self.count, size))

    def write(self, inode, offset, data):
        page, start = divmod(offset, PAGE)
        old = self.page(inode, page)
        self.inodes[inode].pages[page].append(
            (self.count, old[:start] + data + old[start + len(data) :]))
        if offset + len(data) > self.size(inode):
            self.resize(inode, offset + len(data))
            self.changed(inode)

    def zero(self, inode, start, end):
        """Whole pages lose their blocks; of others the bytes become zeros, which is data, where
        there is a block."""
        for page, history in self.inodes[inode].pages.items():
            first, last = max(start - page * PAGE, 0), min(end - page * PAGE, PAGE)
            if first >= last or history[-1][1] is None:
                continue
            old = history[-1][1]
            new = None if last - first == PAGE else old[:first] + bytes(last - first) + old[last:]
            history.append((self.count, new))

    def take_truncate(self, inode, numbers, _):
        if numbers[0] < self.size(inode):
            self.zero(inode, numbers[0], self.size(inode) + PAGE)
        self.resize(inode, numbers[0])
        self.changed(inode)

    def take_fallocate(self, inode, numbers, _):
        mode, offset, count, _ = numbers
        if mode & PUNCH_HOLE:
            self.zero(inode, offset, offset + count)
        elif not mode & KEEP_SIZE and offset + count > self.size(inode):
            self.resize(inode, offset + count)
        self.changed(inode)

    # Attributes

    def take_chmod(self, inode, numbers, _):
        self.inodes[inode].modes.append((self.count, numbers[0]))
        self.changed(inode)

    def take_chown(self, inode, numbers, _):
        old = self.inodes[inode].owners[-1][1]
        new = tuple(before if now in (-1, 2**32 - 1) else now for now, before in zip(numbers, old))
        self.inodes[inode].owners.append((self.count, new))
        self.changed(inode)

    def take_times(self, inode, _, __):
        self.changed(inode)

    def take_setxattr(self, inode, _, payload):
        name, _, value = payload.partition(b"\0")
        self.attribute(inode, lambda all: all.update({name: value}))

    def take_removexattr(self, inode, _, payload):
        self.attribute(inode, lambda all: all.pop(payload[:-1], None))

    def attribute(self, inode, change):
        history = self.inodes[inode].attributes
        new = dict(history[-1][1]) if history else {}
        change(new)
        history.append((self.count, new))
        self.changed(inode)

    # Syncs and marks

    def take_fsync(self, inode, _, __):
        node = self.inodes[inode]
        node.syncs.append(self.count)
        before = self.forced[-1][1] if self.forced else 0
        self.forced.append((self.count, max(before, node.changes[-1] + 1 if node.changes else 0)))

    take_fsyncdir = take_fsync

    def take_mark(self, _, __, payload):
        self.marks.append((self.count, payload.decode()))

    def forget_syncs(self):
        """As if the disk had been told nothing."""
        self.forced = []
        for inode in self.inodes.values():
            inode.syncs = []

    def least_metadata(self, cut):
        """The smallest M for a cut."""
        return latest(self.forced, cut - 1) or 0

    def after(self, cut, metadata, choose):
        return Disk(self, cut, metadata, choose)


class Disk:
    """What one power cut leaves: a recording, the cut N, the metadata's M, and a choice among a
    page's versions."""

    def __init__(self, recording, cut, metadata, choose):
        self.recording, self.cut, self.metadata, self.choose = recording, cut, metadata, choose

    def content(self, inode):
        """(size, {page: bytes}) of a file."""
        size = latest(inode.sizes, self.metadata - 1) or 0
        place = bisect.bisect_left(inode.syncs, self.cut)
        synced = inode.syncs[place - 1] if place else -1
        pages = {}
        for page, history in inode.pages.items():
            if page * PAGE < size:
                data = self.choose(inode, page, self.versions(history, synced))
                if data is not None:
                    pages[page] = data[: size - page * PAGE]
        return size, pages

    def versions(self, history, synced):
        """What a page may hold: the oldest first. None: zeros."""
        found = [None]
        for index, data in history:
            if index >= self.cut:
                break
            if data is None:
                if index >= self.metadata:
                    break
                found = [None]
            elif index <= synced:
                found = [data]
            else:
                found.append(data)
        return found

    def put_away(self, target):
        shutil.rmtree(target, ignore_errors=True)

    def write_out(self, target):
        """Makes the tree in an empty directory."""
        self.links = {}
        os.makedirs(target, exist_ok=True)
        self.fill(self.recording.inodes[ROOT], os.fsencode(target))

    def fill(self, directory, path):
        for name, history in directory.names.items():
            number = latest(history, self.metadata - 1)
            if number is not None:
                self.make(number, os.path.join(path, name))

    def make(self, number, path):
        inode = self.recording.inodes[number]
        if number in self.links:
            os.link(self.links[number], path, follow_symlinks=False)
            return
        self.links[number] = path
        if inode.kind == stat.S_IFLNK:
            os.symlink(inode.target, path)
            return
        if inode.kind == stat.S_IFDIR:
            os.mkdir(path)
            self.fill(inode, path)
        elif inode.kind == stat.S_IFREG:
            self.make_file(inode, path)
        else:
            os.mknod(path, inode.kind | 0o600)
        self.dress(inode, path)

    def make_file(self, inode, path):
        size, pages = self.content(inode)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            for page, data in pages.items():
                os.pwrite(descriptor, data, page * PAGE)
            os.ftruncate(descriptor, size)
        finally:
            os.close(descriptor)

    def dress(self, inode, path):
        user, group = latest(inode.owners, self.metadata - 1)
        if (user, group) != (os.geteuid(), os.getegid()):
            os.chown(path, user, group)
        os.chmod(path, latest(inode.modes, self.metadata - 1))
        for name, value in (latest(inode.attributes, self.metadata - 1) or {}).items():
            os.setxattr(path, name, value)
