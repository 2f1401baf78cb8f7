"""Directories with many entries, and reading one while entries come and go. MAMD_LONG=1: a million
entries, with figures."""
import ctypes
import os
import time

from running import libc
from workspace import LONG, WorkspaceCase

COUNT = 1_000_000 if LONG else 1_500

libc.fdopendir.restype = libc.readdir.restype = ctypes.c_void_p
libc.fdopendir.argtypes = [ctypes.c_int]
for function in ("readdir", "telldir", "rewinddir", "closedir"):
    getattr(libc, function).argtypes = [ctypes.c_void_p]
libc.telldir.restype = ctypes.c_long
libc.seekdir.argtypes = [ctypes.c_void_p, ctypes.c_long]


class Stream:
    """readdir(3) and its like; names are bytes."""

    def __init__(self, path):
        self.raw = libc.fdopendir(os.open(path, os.O_RDONLY | os.O_DIRECTORY))

    def next(self):
        """(name, inode) of the next entry; None at the end."""
        entry = libc.readdir(self.raw)
        if not entry:
            return None
        return ctypes.string_at(entry + 19), ctypes.c_uint64.from_address(entry).value

    def rest(self):
        return list(iter(self.next, None))

    def tell(self):
        return libc.telldir(self.raw)

    def seek(self, place):
        libc.seekdir(self.raw, place)

    def close(self):
        libc.closedir(self.raw)


class Positions(WorkspaceCase):
    def fill(self, count):
        """With names so long that readdir(3) asks the kernel for every 150 of them."""
        names = [b"entry-%05d-%s" % (number, b"x" * 180) for number in range(count)]
        for name in names:
            os.close(
                os.open(os.path.join(os.fsencode(self.directory), name), os.O_CREAT | os.O_WRONLY))
        return names

    def open(self):
        stream = Stream(self.directory)
        self.addCleanup(stream.close)
        return stream

    def test_every_place_can_be_returned_to(self):
        names = self.fill(600)
        stream, places = self.open(), []
        while True:
            place = stream.tell()
            entry = stream.next()
            if not entry:
                break
            places.append((place, entry))
        self.assertEqual(sorted(name for _, (name, _) in places), sorted([b".", b"..", *names]))
        for place, entry in places[::-7]:
            stream.seek(place)
            self.assertEqual(stream.next(), entry)
        stream.seek(places[300][0])
        self.assertEqual(stream.rest(), [entry for _, entry in places[300:]])

    def test_what_stays_is_seen_once_while_others_come_and_go(self):
        names = self.fill(800)
        stays, goes = names[::2], names[1::2]
        stream, seen = self.open(), []
        for step in range(400):
            entry = stream.next()
            seen.append(entry[0])
            os.unlink(os.path.join(os.fsencode(self.directory), goes[step]))
            os.close(os.open(self.directory / f"new-{step}", os.O_CREAT | os.O_WRONLY))
            if step == 200:
                stream.seek(stream.tell())
        seen += [name for name, _ in stream.rest()]
        for name in stays:
            self.assertEqual(seen.count(name), 1, name)
        stream.seek(0)
        libc.rewinddir(stream.raw)
        again = [name for name, _ in stream.rest()]
        self.assertEqual(
            sorted(again),
            sorted([b".", b"..", *stays, *(b"new-%d" % step for step in range(400))]))

    def test_a_position_survives_the_removal_of_its_entry(self):
        names = self.fill(400)
        stream = self.open()
        for _ in range(200):
            stream.next()
        place = stream.tell()
        entry = stream.next()
        rest = stream.rest()
        os.unlink(os.path.join(os.fsencode(self.directory), entry[0]))
        stream.seek(place)
        self.assertEqual([item for item in stream.rest() if item != entry], rest)
        self.assertEqual(len(names), 400)

    def test_numbers_are_those_of_stat(self):
        self.fill(100)
        for name, number in self.open().rest():
            if name not in (b".", b".."):
                self.assertEqual(
                    os.stat(os.path.join(os.fsencode(self.directory), name)).st_ino, number)

    def test_names_of_any_bytes(self):
        every = [byte for byte in range(1, 256) if byte != ord("/")]
        names = [bytes([byte]) * 255 for byte in every if byte != ord(".")]
        names += [bytes(every[start:] + every[:start]) + b"." for start in range(0, 254, 17)]
        folder = os.fsencode(self.directory)
        for name in names:
            with open(os.path.join(folder, name), "wb") as file:
                file.write(name)
        self.assertEqual(sorted(os.listdir(folder)), sorted(names))
        self.assertEqual(
            sorted(os.listdir(os.fsencode(self.backing_of(self.directory)))), sorted(names))
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                self.assertEqual(file.read(), name)
            os.rename(os.path.join(folder, name), os.path.join(folder, name[::-1]))
        self.assertEqual(sorted(os.listdir(folder)), sorted(name[::-1] for name in names))

    def test_two_streams_do_not_share_a_position(self):
        self.fill(300)
        one, two = self.open(), self.open()
        first = [one.next() for _ in range(200)]
        self.assertEqual([two.next() for _ in range(200)], first)

    def test_a_removed_directory_is_empty(self):
        folder = self.directory / "folder"
        folder.mkdir()
        stream = Stream(folder)
        folder.rmdir()
        self.assertEqual([entry for entry in stream.rest() if entry[0] not in (b".", b"..")], [])
        stream.close()


class ManyEntries(WorkspaceCase):
    def test_many_entries(self):
        here, there = self.directory, self.workspace.root / "plain"
        there.mkdir()
        mounted, bare = self.steps(here), self.steps(there)
        for step, seconds in mounted.items():
            print(
                f"{COUNT} entries, {step}: {seconds:.1f} s; on the bare file system "
                f"{bare[step]:.1f} s", flush=True)

    def steps(self, directory):
        """Seconds for each."""
        names = {f"entry-{number:07}" for number in range(COUNT)}
        spent, start = {}, time.monotonic()

        def done(step):
            nonlocal start
            spent[step], start = time.monotonic() - start, time.monotonic()

        before = os.getcwd()
        os.chdir(directory)
        try:
            for name in sorted(names):
                os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            done("create")
            self.assertEqual(set(os.listdir(".")), names)
            done("list")
            for name in names:
                self.assertEqual(os.stat(name).st_size, 0)
            done("stat all")
            with os.scandir(".") as entries:
                self.assertEqual(sum(entry.stat().st_size == 0 for entry in entries), COUNT)
            done("list with attributes")
            self.assertFalse(os.path.exists("entry-none"))
            for name in names:
                os.unlink(name)
            done("remove")
            self.assertEqual(os.listdir("."), [])
        finally:
            os.chdir(before)
        return spent
