"""Searches the disk for a phrase that may not be there: in plain, in UTF-16, compressed, and in
members of archives."""
import bz2
import gzip
import io
import lzma
import os
import pathlib
import re
import stat
import zipfile
import zlib

# What the kernel makes up, and what programs without a file system keep.
SKIPPED = {"proc", "sysfs", "cgroup2", "devpts", "devtmpfs", "mqueue", "bpf", "tracefs", "debugfs"}
LARGE, DEEP = 256 << 20, 3


def file_systems(without):
    """Where file systems are mounted that keep files, without those beneath `without`."""
    found = {}
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        fields = line.split(" ")
        place, kind = fields[4], fields[fields.index("-") + 1]
        if kind not in SKIPPED and not kind.startswith("fuse") and os.path.isdir(place):
            found.setdefault(device_of(place), place)
    found.pop(None, None)
    return [place for place in found.values() if without not in pathlib.Path(place).parents]


def device_of(place):
    try:
        return os.stat(place).st_dev
    except OSError:
        return None


def changed_files(since, places):
    """Files whose content, owner or name changed since then; each place without what is mounted
    beneath it."""
    for place in places:
        # Other programs' mounts come and go.
        if (device := device_of(place)) is None:
            continue
        directories = [place]
        while directories:
            try:
                entries = list(os.scandir(directories.pop()))
            except OSError:
                continue
            for entry in entries:
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                if not stat.S_ISDIR(status.st_mode):
                    if max(status.st_ctime, status.st_mtime) >= since:
                        yield entry.path
                elif status.st_dev == device:
                    directories.append(entry.path)


class Phrase:
    def __init__(self, text):
        words = [text, text[::-1]]
        self.forms = [
            word.encode(form) for word in words for form in ("utf-8", "utf-16-le", "utf-16-be")]

    def is_in(self, data, depth=0):
        """Whether the bytes have it, as they are or unpacked."""
        if any(form in data for form in self.forms):
            return True
        return depth < DEEP and any(self.is_in(part, depth + 1) for part in unpacked(data))

    def is_in_file(self, path):
        """In its name, its content or the target of a link."""
        if self.is_in(os.fsencode(path)):
            return True
        try:
            if os.path.islink(path):
                return self.is_in(os.fsencode(os.readlink(path)))
            # No device, no FIFO to wait at.
            if not os.path.isfile(path):
                return False
            with open(path, "rb") as file:
                return self.is_in(file.read(LARGE))
        except OSError:
            return False


def unpacked(data):
    """What archives and compressed files of the usual kinds have in them, and streams of zlib as
    git's objects and PDF have them."""
    if data[:4] == b"PK\3\4":
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                yield from (archive.read(name) for name in archive.namelist())
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error, OSError):
            pass
    for start, unpack in ((b"\x1f\x8b", gzip.decompress), (b"BZh", bz2.decompress),
                          (b"\xfd7zXZ", lzma.decompress)):
        if data.startswith(start):
            try:
                yield unpack(data)
            except (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error):
                pass
    if data[:5] == b"%PDF-" or data[:4] == b"PACK":
        starts = [found.start() for found in re.finditer(rb"\x78[\x01\x5e\x9c\xda]", data)]
    else:
        starts = [0] if data[:1] == b"\x78" else []
    for start in starts[:10_000]:
        try:
            yield zlib.decompressobj().decompress(data[start:], LARGE)
        except zlib.error:
            pass


def find(phrase, since, without):
    """The files with the phrase, on all file systems, of those that changed since then. `without`:
    the workspace's mount point."""
    phrase = Phrase(phrase)
    return sorted(
        path for path in changed_files(since, file_systems(without)) if phrase.is_in_file(path))
