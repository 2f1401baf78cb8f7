"""What POSIX asks of open files: appending, sharing, mapping, direct and synchronous writes,
ranges, names."""
import errno
import mmap
import os
import stat
import unittest

from children import in_children
from posix_calls import COLLAPSE, EXCHANGE, INSERT, PUNCH, ZERO, allocate, rename2
from posix_permissions import CAPABILITY, NET_RAW
from workspace import PERSONAL, WorkspaceCase, pattern

KINDS = ("managed", "unmanaged", "foreign")


class OpenFiles(WorkspaceCase):
    def make(self, kind, content=b""):
        path = self.directory / kind
        if kind == "managed":
            self.write(path, content)
        elif kind == "unmanaged":
            self.workspace.write_as(PERSONAL, path, "")
            with open(path, "r+b") as file:
                file.write(content)
        else:
            self.backing_of(path).write_bytes(content or b"-")
        return path

    @unittest.skipUnless(os.geteuid() == 0, "only root gives capabilities")
    def test_capabilities_given_before_the_first_write_go_with_it(self):
        path = self.directory / "program"
        with path.open("wb", buffering=0) as file:
            os.setxattr(path, CAPABILITY, NET_RAW)
            file.write(b"x")
        self.assertNotIn(CAPABILITY, os.listxattr(path))
        self.assertNotIn(CAPABILITY, os.listxattr(self.backing_of(path)))

    def test_appends_of_many_processes_neither_tear_nor_overwrite(self):
        for kind in KINDS:
            path = self.make(kind)
            os.truncate(path, 0)

            def append(number):
                with open(path, "ab", buffering=0) as file:
                    for line in range(300):
                        file.write(
                            b"%d:%06d:" % (number, line) + bytes([65 + number]) * (line % 90)
                            + b"\n")

            self.assertEqual(in_children(6, append), [0] * 6)
            found = {number: [] for number in range(6)}
            for line in path.read_bytes().splitlines():
                number, count, rest = line.split(b":")
                found[int(number)].append(int(count))
                self.assertEqual(rest, bytes([65 + int(number)]) * (int(count) % 90))
            self.assertEqual(found, {number: list(range(300)) for number in range(6)})

    def test_one_of_many_creates_exclusively(self):
        for attempt in range(20):
            path = self.directory / f"one-{attempt}"

            def create(number):
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))

            with open(os.devnull, "w") as null:
                saved = os.dup(2)
                os.dup2(null.fileno(), 2)
                results = in_children(5, create)
                os.dup2(saved, 2)
                os.close(saved)
            self.assertEqual(sorted(results), [0, 1, 1, 1, 1])

    def test_direct_and_cached_handles_see_each_other(self):
        for kind in KINDS:
            path = self.make(kind, pattern(40_960))
            memory = mmap.mmap(-1, 8_192)
            direct, cached = os.open(path, os.O_RDWR | os.O_DIRECT), os.open(path, os.O_RDWR)
            expected = bytearray(pattern(40_960))
            for offset in (0, 4_096, 16_384, 36_864):
                os.pwrite(cached, b"cached", offset + 100)
                expected[offset + 100 : offset + 106] = b"cached"
                self.assertEqual(os.preadv(direct, [memory], offset), min(8_192, 40_960 - offset))
                self.assertEqual(memory[:4_096], expected[offset : offset + 4_096])
                memory[:] = bytes([offset >> 12]) * 8_192
                os.pwritev(direct, [memory], offset)
                expected[offset : offset + 8_192] = memory[:]
                self.assertEqual(os.pread(cached, 8_192, offset), memory[:])
            os.close(direct)
            os.close(cached)
            self.assertEqual(path.read_bytes(), expected)

    def test_a_synchronous_write_is_on_disk_when_it_returns(self):
        for flag in (os.O_SYNC, os.O_DSYNC):
            path = self.directory / str(flag)
            descriptor = os.open(path, os.O_CREAT | os.O_RDWR | flag)
            os.write(descriptor, pattern(9_000))
            self.assertEqual(self.workspace.decode(self.backing_of(path)), pattern(9_000))
            os.close(descriptor)

    def test_mappings_and_handles_see_each_other(self):
        for kind in KINDS:
            path = self.make(kind, pattern(30_000))
            with open(path, "r+b", buffering=0) as file, open(path, "r+b", buffering=0) as other, \
                    mmap.mmap(file.fileno(), 0) as shared, mmap.mmap(other.fileno(), 0) as second, \
                    mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) as private:
                shared[5_000:5_006] = b"shared"
                private[6_000:6_007] = b"private"
                os.pwrite(other.fileno(), b"written", 7_000)
                for view in (second[:], os.pread(other.fileno(), 30_000, 0), shared[:]):
                    self.assertEqual(view[5_000:5_006], b"shared")
                    self.assertEqual(view[6_000:6_007], pattern(30_000)[6_000:6_007])
                    self.assertEqual(view[7_000:7_007], b"written")
                self.assertEqual(private[6_000:6_007], b"private")
                os.ftruncate(file.fileno(), 20_000)
                os.ftruncate(file.fileno(), 30_000)
                self.assertEqual(shared[20_000:], bytes(10_000))
            self.assertEqual(path.read_bytes()[20_000:], bytes(10_000))

    def test_a_mapping_outlives_its_handle_and_its_name(self):
        path = self.write(self.directory / "file", bytes(10_000))
        with open(path, "r+b") as file:
            mapping = mmap.mmap(file.fileno(), 0)
        kept = self.directory / "kept"
        os.link(path, kept)
        os.unlink(path)
        mapping[9_000:9_005] = b"after"
        mapping.close()
        self.assertEqual(kept.read_bytes(), bytes(9_000) + b"after" + bytes(995))

    def test_rename_over_an_open_file_and_exchange_under_handles(self):
        one, two = self.write(self.directory / "one", b"1" * 9_000), self.write(
            self.directory / "two", b"2" * 5_000)
        with open(one, "r+b", buffering=0) as first, open(two, "r+b", buffering=0) as second:
            rename2(one, two, EXCHANGE)
            os.pwrite(first.fileno(), b"first", 0)
            os.pwrite(second.fileno(), b"second", 0)
            self.assertEqual((one.read_bytes()[:6], two.read_bytes()[:5]), (b"second", b"first"))
            os.rename(one, two)
            os.pwrite(first.fileno(), b"gone", 0)
            self.assertEqual(os.fstat(first.fileno()).st_nlink, 0)
            self.assertEqual(os.pread(first.fileno(), 9_000, 0), b"gonet" + b"1" * 8_995)
        self.assertEqual(two.read_bytes(), b"second" + b"2" * 4_994)
        self.assertFalse(one.exists())

    def test_ranges_are_punched_and_zeroed_and_never_collapsed(self):
        path = self.directory / "file"
        expected = bytearray(pattern(50_000))
        with open(path, "w+b", buffering=0) as file:
            file.write(expected)
            for mode in (COLLAPSE, INSERT, COLLAPSE | INSERT, 0x40, PUNCH & ~1):
                with self.refused(errno.EOPNOTSUPP):
                    allocate(file.fileno(), mode, 4_096, 8_192)
                self.assertEqual(path.read_bytes(), expected)
            allocate(file.fileno(), ZERO | 1, 45_000, 20_000)
            expected[45_000:] = bytes(5_000)
            self.assertEqual(path.read_bytes(), expected)
            allocate(file.fileno(), ZERO, 45_000, 20_000)
            self.assertEqual(path.read_bytes(), expected + bytes(15_000))
            for offset, count in ((-1, 10), (0, 0), (0, -1), (1 << 62, 1 << 62)):
                with self.refused(errno.EINVAL, errno.EFBIG):
                    allocate(file.fileno(), 0, offset, count)
            self.assertEqual(path.read_bytes(), expected + bytes(15_000))

    def test_hard_links_are_one_file(self):
        one, two = self.write(self.directory / "one", b"x"), self.directory / "two"
        os.link(one, two)
        with open(one, "ab", buffering=0) as file:
            file.write(pattern(5_000))
            os.chmod(two, 0o604)
            for path in (one, two):
                status = path.stat()
                self.assertEqual(
                    (status.st_size, status.st_nlink, stat.S_IMODE(status.st_mode)),
                    (5_001, 2, 0o604))
            self.assertEqual(two.read_bytes(), b"x" + pattern(5_000))
        self.assertEqual(self.workspace.owner(one), self.workspace.owner(two))
