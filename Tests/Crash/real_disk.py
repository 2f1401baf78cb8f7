"""Power cuts of a real file system: its disk is a file that the recorder shows, on a loop device.

What the file system sends to its disk is recorded, page by page, and so is each flush. A cut leaves
either all pages written before it (in order), or of each page any version since the last flush, as
a disk with a cache of its own does (in any order). Mounting what is left runs the file system's own
recovery.
"""
import bisect
import os
import pathlib
import subprocess

from recorder import Recorder
from recording import HEAD, KINDS, PAGE, PUNCH_HOLE

ZERO_RANGE = 16
MEBIBYTES = {"ext4": 96, "xfs": 320}
MAKE = {
    "ext4": ["mkfs.ext4", "-q", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0"],
    "xfs": ["mkfs.xfs", "-q", "-b", "size=4096"]}
# Metadata are committed every second, not every five: more states in the same time.
OPTIONS = {"ext4": "loop,commit=1", "xfs": "loop,nouuid"}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise OSError(f"{command[0]}: status {done.returncode}: {done.stdout}{done.stderr}")


def pages_of(file):
    """{page: bytes} of what is not zeros."""
    found = {}
    with open(file, "rb") as image:
        for page in range(os.fstat(image.fileno()).st_size // PAGE):
            data = image.read(PAGE)
            if data.count(0) != PAGE:
                found[page] = data
    return found


class DiskRecorder:
    """A file system of this kind at MOUNT; what reaches its disk is in LOG."""

    def __init__(self, kind, place, mount, log):
        source, under = place / "source", place / "under"
        source.mkdir()
        image = source / "image"
        with open(image, "wb") as file:
            file.truncate(MEBIBYTES[kind] << 20)
        run(*MAKE[kind], image)
        self.kind, self.base, self.mount = kind, pages_of(image), pathlib.Path(mount)
        self.recorder = Recorder(source, under, log)
        self.mount.mkdir(parents=True, exist_ok=True)
        run("mount", "-t", kind, "-o", OPTIONS[kind], under / "image", self.mount)
        self.mark = self.recorder.mark

    def stop(self):
        run("umount", self.mount)
        self.recorder.stop()


class DiskRecording:
    """What came to one disk: a page's versions, flushes and marks, by number."""

    def __init__(self, kind, base, path):
        self.kind, self.base = kind, base
        self.pages, self.syncs, self.marks, self.count = {}, [], [], 0
        data, offset = path.read_bytes(), 0
        while offset < len(data):
            word, length, _, *numbers = HEAD.unpack_from(data, offset)
            offset += HEAD.size
            self.take(KINDS[word], numbers, data[offset : offset + length])
            offset += length

    def take(self, word, numbers, payload):
        if word == "WRITE":
            self.write(numbers[0], payload)
        elif word == "FALLOCATE" and numbers[0] & (PUNCH_HOLE | ZERO_RANGE):
            self.write(numbers[1], bytes(numbers[2]))
        elif word == "FSYNC":
            self.syncs.append(self.count)
            self.count += 1
        elif word == "MARK":
            self.marks.append((self.count, payload.decode()))
            self.count += 1

    def write(self, at, data):
        """The kernel's requests are of sectors, and of a part of a page where it likes."""
        while data:
            page, start = divmod(at, PAGE)
            part, data = data[: PAGE - start], data[PAGE - start :]
            history = self.pages.setdefault(page, [(-1, self.base.get(page, bytes(PAGE)))])
            old = history[-1][1]
            history.append((self.count, old[:start] + part + old[start + len(part) :]))
            at += len(part)
            self.count += 1

    def least_metadata(self, cut):
        """The file system's metadata are pages as others are."""
        return cut

    def forget_syncs(self):
        self.syncs = []

    def after(self, cut, _, choose):
        return DiskAfter(self, cut, choose)


class DiskAfter:
    """What one cut leaves. `choose`: of (the disk, page, versions since the flush) the one."""

    def __init__(self, recording, cut, choose):
        self.recording, self.cut, self.metadata, self.choose = recording, cut, cut, choose
        # Of the inode that a page belongs to: there is one.
        self.number = 0

    def pages(self):
        syncs = self.recording.syncs
        place = bisect.bisect_left(syncs, self.cut)
        flushed = syncs[place - 1] if place else -1
        for page, history in self.recording.pages.items():
            known = bisect.bisect_left(history, self.cut, key=lambda event: event[0])
            old = bisect.bisect_right(history, flushed, hi=known, key=lambda event: event[0])
            versions = [data for _, data in history[max(old - 1, 0) : known]]
            yield page, self.choose(self, page, versions)

    def write_out(self, target):
        """Makes the disk beside an empty directory, and mounts it there."""
        target.mkdir(parents=True, exist_ok=True)
        with open(self.image(target), "wb") as image:
            image.truncate(MEBIBYTES[self.recording.kind] << 20)
            for page, data in {**self.recording.base, **dict(self.pages())}.items():
                image.seek(page * PAGE)
                image.write(data)
        kind = self.recording.kind
        run("mount", "-t", kind, "-o", OPTIONS[kind], self.image(target), target)

    def put_away(self, target):
        # Of a point that failed something may still be at work there.
        if os.path.ismount(target):
            subprocess.run(["umount", "-l", target], check=True)
        self.image(target).unlink(missing_ok=True)

    def image(self, target):
        return target.with_name(target.name + ".image")
