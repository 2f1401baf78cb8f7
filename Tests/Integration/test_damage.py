"""Every change of a managed file on disk is found, and nothing is changed on the way.

The damaged copies are laid into the backing directory while nothing is mounted, then read through
the mount. MAMD_LONG=1: every bit of header and seals, which DamageTests and HeaderTests try, too.
"""
import errno
import io
import json
import os
import random
import struct
import sys
import zlib

from verifying import changed
from workspace import (
    BLOCK, CLOSED, DAMAGED, DECODER, HEADER, LONG, PASSPHRASE, USAGE, WorkspaceCase, pattern)

sys.path.append(str(DECODER.parent))
import decoder

PLAIN = pattern(20_000)  # block 0 and five more; the last holds 704 bytes


class Damage(WorkspaceCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        workspace = cls.workspace
        for name, data in (("good", PLAIN), ("other", PLAIN), ("small", b"hello")):
            workspace.path(name).write_bytes(data)
        workspace.unmount()
        cls.good, cls.other, cls.small = (
            workspace.on_disk(name).read_bytes() for name in ("good", "other", "small"))
        workspace.mount().unlock()

    def lay(self, variants):
        """Puts damaged files into the backing directory, and mounts again."""
        self.workspace.unmount()
        for name, data in variants.items():
            self.backing_of(self.directory / name).write_bytes(data)
        self.workspace.mount().unlock()

    def outcome(self, path, plain):
        """What reading a damaged file gives: an errno's name, or what was seen."""
        try:
            data = path.read_bytes()
        except OSError as problem:
            return errno.errorcode[problem.errno]
        if data == plain:
            return "the plain content"
        return "a part of it" if plain.startswith(data) else "raw" if data[
            1:4] == b"MAM" else "other bytes"

    def check(self, variants, plain, expected=("EBADMSG",)):
        """All variants must end as expected, and still be on disk as they were laid."""
        self.lay(variants)
        outcomes = {}
        for name in variants:
            outcomes.setdefault(self.outcome(self.directory / name, plain), []).append(name)
            (self.directory / name).stat()
        wrong = {
            outcome: names[:10] for outcome, names in outcomes.items() if outcome not in expected}
        self.assertEqual(wrong, {}, {outcome: len(names) for outcome, names in outcomes.items()})
        self.assertEqual(set(variants) - self.found(), set(), "verify does not find these")
        self.workspace.unmount()
        for name, data in variants.items():
            self.assertEqual(self.backing_of(self.directory / name).read_bytes(), data, name)
        self.workspace.mount().unlock()
        print(f"{self._testMethodName}: {len(variants)} variants, "
              f"{ {outcome: len(names) for outcome, names in outcomes.items()} }")

    def found(self):
        """The files in this test's directory that `verify` has something to say about."""
        result = self.workspace.ctl("verify", self.directory, "--json", status=(CLOSED, DAMAGED))
        return {
            finding["path"].rpartition("/")[2] for finding in json.loads(result.stdout)["findings"]}

    @staticmethod
    def flip(data, bit):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        return bytes(changed)

    @staticmethod
    def bits(start, end):
        """Of these bytes: one of each, first, second, and so on."""
        return range(8 * start, 8 * end) if LONG else [8 * at + at % 8 for at in range(start, end)]

    def test_every_byte_of_the_header(self):
        variants = {
            f"bit-{bit}": self.flip(self.small, bit) for bit in [64, *self.bits(10, HEADER)]}
        self.check(variants, b"hello")

    def test_every_bit_of_the_magic(self):
        # The rest of the header tells that only the magic is damaged: the file does not pass for a
        # foreign one.
        variants = {f"bit-{bit}": self.flip(self.small, bit) for bit in range(64)}
        self.check(variants, b"hello")

    def test_a_newer_version_is_refused(self):
        variants = {f"bit-{bit}": self.flip(self.small, bit) for bit in range(65, 80)}
        for name in variants:
            self.assertNotEqual(variants[name][8:10], b"\1\0")
        self.check(variants, b"hello", expected=("ENOTSUP",))
        # What is wrong is this program: nothing of the file, nor of the command line.
        newer = changed(self.small, 8, b"\2\0")
        newer = changed(newer, 1020, struct.pack("<I", zlib.crc32(newer[:1020])))
        self.lay({"newer": newer})
        for path in (self.directory / "newer", self.backing_of(self.directory / "newer")):
            self.assertEqual(self.workspace.info(path, status=USAGE)["state"], "newer")
            for verb in ("decrypt", "is-encrypted", "class"):
                said = self.workspace.ctl(verb, path, status=USAGE).stderr
                self.assertIn("it has format version 2", said)
                self.assertNotIn("damaged", said)

    def test_bits_of_every_part_of_a_block(self):
        source = random.Random(5)
        variants = {}
        for block in range(len(self.good) // BLOCK):
            start, end = HEADER if block == 0 else block * BLOCK, (block + 1) * BLOCK
            bits = [*self.bits(start, start + 32), *self.bits(end - 1, end)]  # nonce and tag, whole
            bits += source.sample(range(8 * (start + 32), 8 * end), 2_000 if LONG else 50)
            variants.update({f"bit-{bit}": self.flip(self.good, bit) for bit in bits})
        self.check(variants, PLAIN)

    def test_the_trailing_bytes_are_not_read(self):
        blocks = len(self.good) // BLOCK * BLOCK
        changed = self.good[:blocks] + b"x" * (len(self.good) - blocks)
        self.lay({"file": changed})
        self.assertEqual((self.directory / "file").read_bytes(), PLAIN)

    def blocks(self, data):
        """Where the sealed parts are: of block 0 without its header."""
        return [
            (HEADER if block == 0 else block * BLOCK, (block + 1) * BLOCK)
            for block in range(len(data) // BLOCK)]

    def test_swapped_blocks_of_the_same_file(self):
        variants = {}
        places = self.blocks(self.good)
        for one in range(1, len(places)):
            for two in range(one + 1, len(places)):
                data = bytearray(self.good)
                (a, b), (c, d) = places[one], places[two]
                data[a:b], data[c:d] = self.good[c:d], self.good[a:b]
                variants[f"swap-{one}-{two}"] = bytes(data)
        for block in range(1, len(places)):  # the shorter block 0 with the start of each other, too
            data = bytearray(self.good)
            data[HEADER:BLOCK] = self.good[block * BLOCK : (block + 1) * BLOCK - HEADER]
            variants[f"into-0-{block}"] = bytes(data)
        self.check(variants, PLAIN)

    def test_blocks_of_another_file(self):
        variants = {}
        for block, (start, end) in enumerate(self.blocks(self.good)):
            data = bytearray(self.good)
            data[start:end] = self.other[start:end]
            variants[f"other-{block}"] = bytes(data)
        variants["header"] = self.other[:HEADER] + self.good[HEADER:]
        self.check(variants, PLAIN)

    def test_zeroed_blocks(self):
        variants = {}
        for block, (start, end) in enumerate(self.blocks(self.good)):
            variants[f"zero-{block}"] = self.good[:start] + bytes(end - start) + self.good[end:]
        variants["header"] = bytes(HEADER) + self.good[HEADER:]
        foreign = variants.pop("header")
        # The last block alone is what a crash leaves: its tail may be cut, never invented.
        last = variants.pop(f"zero-{len(self.good) // BLOCK - 1}")
        self.check(variants, PLAIN)
        self.check({"last": last}, PLAIN, expected=("EBADMSG", "a part of it"))
        self.lay({"foreign": foreign})
        self.assertEqual((self.directory / "foreign").read_bytes(), foreign)

    def test_cut_lengths_are_found_by_decrypt(self):
        lengths = [*range(4, 20), 100, 1023, 1024, 1025, 1056, 2000, 4095, 4096, 4097]
        for block in range(1, len(self.good) // BLOCK):
            edge = block * BLOCK
            lengths += [
                edge - 1, edge, edge + 1, edge + 700, edge + 2_000, edge + 4_064, edge + 4_065]
        lengths += [
            len(self.good) - 1, len(self.good) - 700, len(self.good) + 1, len(self.good) + 4_096]
        for length in lengths:
            with self.subTest(length=length):
                cut, opened = self.workspace.root / "cut", self.workspace.root / "opened"
                cut.write_bytes(self.good[:length].ljust(length, b"\0"))
                result = self.workspace.serving("decrypt", cut, "-o", opened, status=DAMAGED)
                self.assertIn("cut", result.stderr)
                self.assertFalse(opened.exists())
                self.assertEqual(cut.read_bytes(), self.good[:length].ljust(length, b"\0"))

    def test_cut_lengths_are_refused_in_the_mount(self):
        variants = {
            f"cut-{length}": self.good[:length] for length in range(1024, len(self.good), 97)}
        self.check(variants, PLAIN)

    def test_samples_are_found_by_decrypt(self):
        source = random.Random(6)
        blocks = len(self.good) // BLOCK * BLOCK
        for bit in source.sample(range(80, blocks * 8), 40):
            with self.subTest(bit=bit):
                changed, opened = self.workspace.root / "changed", self.workspace.root / "opened"
                changed.write_bytes(self.flip(self.good, bit))
                result = self.workspace.serving("decrypt", changed, "-o", opened, status=DAMAGED)
                self.assertIn("changed", result.stderr)
                self.assertFalse(opened.exists())

    def test_the_second_decoder_finds_the_same(self):
        source = random.Random(8)
        blocks = len(self.good) // BLOCK * BLOCK
        bags = decoder.keybags(self.workspace.state)

        def decode(data):
            header = decoder.Header(data[:HEADER])
            return b"".join(decoder.content(
                header, io.BytesIO(data), len(data), bags, PASSPHRASE.encode()))

        self.assertEqual(decode(self.good), PLAIN)
        for bit in source.sample(range(64, blocks * 8), 30):
            with self.subTest(bit=bit), self.assertRaises(decoder.Refused) as refused:
                decode(self.flip(self.good, bit))
            self.assertEqual(refused.exception.status, 7)

    def test_one_damaged_block_leaves_the_others_readable(self):
        self.lay({"file": self.flip(self.good, (2 * BLOCK + 100) * 8)})
        with open(self.directory / "file", "rb", buffering=0) as file:
            handle = file.fileno()
            with self.refused(errno.EBADMSG):
                os.pread(handle, 10, 3_040 + 4_064 + 10)

    def test_damaged_files_are_named_and_can_be_removed(self):
        path = self.directory / "file"
        self.lay({"file": self.flip(self.small, 8 * 700)})
        self.assertEqual(self.workspace.info(path, status=(0, 4, DAMAGED)).get("state"), "damaged")
        path.unlink()
        self.assertFalse(path.exists())
