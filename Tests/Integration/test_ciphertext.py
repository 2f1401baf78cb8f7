"""What lies in the backing directory: sealed, of the documented size, and readable by another
decoder."""
import os

from workspace import BLOCK, HEADER, WorkspaceCase, pattern, sealed_size

EDGES = [0, 1, 100, 3039, 3040, 3041, 7103, 7104, 7105, 11167, 11168, 11169, 65536, 1_000_000]


class OnDisk(WorkspaceCase):
    def test_known_plain_text_is_nowhere_in_the_backing_directory(self):
        known = b"a sentence that nobody must find on the disk"
        self.write(self.directory / "file", known * 5_000)
        found = []
        for directory, _, names in os.walk(self.workspace.root):
            if not directory.startswith(str(self.workspace.mount_point)):
                for name in names:
                    path = os.path.join(directory, name)
                    if os.path.isfile(path) and known[:16] in open(path, "rb").read():
                        found.append(path)
        self.assertEqual(found, [])

    def test_equal_content_is_sealed_differently(self):
        one = self.backing_of(self.write(self.directory / "one", b"x" * 20_000)).read_bytes()
        two = self.backing_of(self.write(self.directory / "two", b"x" * 20_000)).read_bytes()
        blocks = [
            data[start : start + BLOCK] for data in (one, two)
            for start in range(HEADER, 20_000, BLOCK)]
        self.assertEqual(len(set(blocks)), len(blocks))

    def test_rewriting_a_block_takes_a_new_nonce(self):
        path = self.write(self.directory / "file", b"x" * 10_000)
        before = self.backing_of(path).read_bytes()
        with open(path, "r+b") as file:
            file.seek(4_000)
            file.write(b"x")
        after = self.backing_of(path).read_bytes()
        self.assertNotEqual(before[4096:4112], after[4096:4112])
        self.assertNotEqual(before[4128:8192], after[4128:8192])
        self.assertEqual(before[8192:12288], after[8192:12288])

    def test_size_on_disk_is_the_documented_arithmetic(self):
        for size in EDGES:
            path = self.write(self.directory / str(size), pattern(size))
            self.assertEqual(self.backing_of(path).stat().st_size, sealed_size(size), size)
            self.assertEqual(path.stat().st_size, size)

    def test_a_small_file_takes_one_block(self):
        path = self.write(self.directory / "file", b"hello")
        self.assertLessEqual(self.backing_of(path).stat().st_blocks * 512, 2 * BLOCK)


class SecondDecoder(WorkspaceCase):
    """Tests/decoder.py knows only docs/FORMAT.md."""

    def agree(self, path, expected):
        self.assertEqual(path.read_bytes(), expected)
        self.assertEqual(self.workspace.decode(self.backing_of(path)), expected)

    def test_agrees_around_every_block_edge(self):
        for size in EDGES:
            with self.subTest(size=size):
                self.agree(self.write(self.directory / str(size), pattern(size)), pattern(size))

    def test_agrees_after_growing_byte_by_byte_over_an_edge(self):
        path, data = self.directory / "file", pattern(7_200)
        with open(path, "wb", buffering=0) as file:
            file.write(data[:3_000])
            for position in [*range(3_000, 3_080), *range(3_080, 7_080, 400), *range(7_080, 7_130)]:
                size = os.fstat(file.fileno()).st_size
                file.write(data[size : position + 1])
                os.fsync(file.fileno())
                if position in (3_039, 3_040, 3_041, 7_103, 7_104, 7_105):
                    self.agree(path, data[: position + 1])
        self.agree(path, data[:7_130])

    def test_agrees_after_shrinking(self):
        data = pattern(20_000)
        path = self.write(self.directory / "file", data)
        for size in (19_999, 11_168, 7_105, 7_104, 3_041, 3_040, 1, 0):
            with open(path, "r+b") as file:
                os.ftruncate(file.fileno(), size)
                os.fsync(file.fileno())
            self.agree(path, data[:size])
            self.assertEqual(self.backing_of(path).stat().st_size, sealed_size(size))

    def test_agrees_on_a_sparse_file(self):
        path = self.directory / "file"
        with open(path, "wb") as file:
            for offset in (0, 100_000, 1_000_000):
                file.seek(offset)
                file.write(b"data")
            file.truncate(1_500_000)
            file.flush()
            os.fsync(file.fileno())
        expected = bytearray(1_500_000)
        for offset in (0, 100_000, 1_000_000):
            expected[offset : offset + 4] = b"data"
        self.agree(path, bytes(expected))

    def test_agrees_after_random_changes(self):
        import random

        source = random.Random(7)
        expected = bytearray()
        path = self.write(self.directory / "file", b"")
        with open(path, "r+b", buffering=0) as file:
            for number in range(300):
                offset, length = source.randrange(60_000), source.randrange(1, 9_000)
                if number % 10 == 9:
                    os.ftruncate(file.fileno(), offset)
                    expected = expected[:offset].ljust(offset, b"\0")
                else:
                    data = pattern(length, seed=number)
                    os.pwrite(file.fileno(), data, offset)
                    expected = expected.ljust(offset, b"\0")
                    expected[offset : offset + length] = data
                if number % 30 == 0:
                    os.fsync(file.fileno())
                    self.agree(path, bytes(expected))
            os.fsync(file.fileno())
        self.agree(path, bytes(expected))

    def test_header_of_a_managed_file(self):
        import json
        import subprocess

        path = self.write(self.directory / "file", b"hello")
        output = subprocess.run(
            ["/usr/bin/python3", "Tests/decoder.py", "--info", self.backing_of(path)],
            capture_output=True, check=True,
            cwd=os.path.dirname(os.path.dirname(os.path.dirname(__file__)))).stdout
        header, info = json.loads(output), self.workspace.info(path)
        self.assertEqual((header["plainSize"], header["blocks"]), (5, 1))
        self.assertEqual(header["owner"], info["owner"])
        self.assertEqual(header["class"], info["class"])
