#!/usr/bin/python3
"""A second reader of protected files, written from docs/FORMAT.md alone.

    decoder.py --state STATEDIR [--passfile F] FILE
                            the plain content, to standard output
    decoder.py --info FILE  the header as JSON; needs no key
    decoder.py --state STATEDIR --stream FILE
                            the plain content of a stream (section 6)
    decoder.py --export EXPORT --passfile F FILE
                            the same with exported keys (section 7), for a machine that is lost
    decoder.py --export RECORD --recovery-key KEY [--passfile F] FILE
    decoder.py --vectors DIR
                            checks every DIR/*.vector and *.stream; 1 if an outcome differs

It shares no code with mamd, and refuses whatever FORMAT.md does not allow: exit status 7 and a
reason. Other statuses: 0 done, 1 no key on this device, 2 usage, 3 no such file, 4 foreign or
empty, 12 wrong passphrase.

Needs python3-cryptography; python3-argon2 only for accounts with a passphrase.
"""
import argparse
import base64
import io
import json
import pathlib
import struct
import sys
import zlib

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

HEADER = 1024
BLOCK = 4096
FIRST_PAYLOAD = BLOCK - HEADER - 32  # nonce and tag
PAYLOAD = BLOCK - 32
FILE_MAGIC = b"\x89MAMF\r\n\x1a"
STREAM_MAGIC = b"\x89MAMS\r\n\x1a"
KEYBAG_MAGIC = b"\x89MAMK\r\n\x1a"
EXPORT_MAGIC = b"\x89MAME\r\n\x1a"
RECOVERY_KEY_MAGIC = b"\x89MAMO\r\n\x1a"


class Refused(Exception):
    """Ends the program with a status and a reason, which begins with one word for what the file
    is."""

    def __init__(self, status, reason):
        super().__init__(reason)
        self.status, self.kind = status, reason.split(":")[0]


def require(condition, reason):
    if not condition:
        raise Refused(7, f"damaged: {reason}")


def text(data, offset, capacity, length, what):
    """A padded UTF-8 field."""
    require(length <= capacity, f"length of the {what} is {length}")
    require(
        not any(data[offset + length : offset + capacity]), f"padding of the {what} is not zero")
    stored = data[offset : offset + length]
    require(
        not any(byte < 0x20 or byte == 0x7F for byte in stored), f"control character in the {what}")
    found = stored.decode("utf-8", "replace")
    require(found.encode() == stored, f"the {what} is not UTF-8")
    return found


def checksum(data):
    return zlib.crc32(data).to_bytes(4, "little")


def unseal(key, nonce, sealed, tag, associated):
    """None when it does not open."""
    try:
        return AESGCM(key).decrypt(nonce, sealed + tag, associated)
    except InvalidTag:
        return None


def derive(secret, salt, info):
    return HKDF(SHA256(), 32, salt, info).derive(secret)


def known_version(data):
    """Of a file or a stream, before anything else that follows the magic is looked at."""
    version = int.from_bytes(data[8:10], "little") if len(data) >= 10 else 1
    if version > 1:
        raise Refused(7, f"newer: version {version}; this reader knows version 1")
    return version


class Header:
    def __init__(self, data):
        """Section 1: classifies the first 1024 bytes, and refuses every broken rule."""
        if not data:
            raise Refused(4, "empty: not yet created")
        if len(data) < 4 or not data.startswith(FILE_MAGIC[: len(data)]):
            require(
                len(data) < HEADER or data[1020:] != checksum(FILE_MAGIC + data[8:1020]),
                "the magic")
            raise Refused(4, "foreign: no header")
        self.version = known_version(data)
        require(len(data) >= HEADER, "cut within the header")
        self.covered, self.wrap = data[:672], data[672:736]
        require(self.version == 1, "version 0")
        require(data[1020:] == checksum(data[:1020]), "checksum of the header")
        flags, self.file_class, asked, exposed = data[10], data[11], data[12], data[13]
        require(flags & ~3 == 0, "unknown flag")
        self.managed, self.sparse = bool(flags & 1), bool(flags & 2)
        self.file_id, self.key_id = data[16:32], data[32:48]
        name, object_id = struct.unpack_from("<HH", data, 48)
        self.owner = text(data, 64, 512, name, "owner's name")
        self.object_id = text(data, 576, 64, object_id, "owner's object id")
        self.ephemeral = data[640:672]
        for start, end in ((14, 16), (52, 64), (736, 1020)):
            require(not any(data[start:end]), f"bytes {start} to {end - 1} are not zero")
        require(asked <= (4 if self.managed else 0), f"class {asked} asked for")
        require(exposed <= self.managed, "an exposed key where none can be")
        require(
            self.file_class == 2 or not any(self.ephemeral),
            "public key in a file that is not of class B")
        require(
            self.file_class in (range(1, 5) if self.managed else (0,)), f"class {self.file_class}")
        if not self.managed:
            require(
                flags == 0 and not any(self.key_id + data[672:736]),
                "flag or key in an unmanaged file")

    def describe(self, size):
        blocks, used = divide(size) if self.managed else (None, None)
        return {
            "version": self.version, "managed": self.managed, "sparse": self.sparse,
            "class": "ABCD"[self.file_class - 1] if self.managed else None,
            "fileId": self.file_id.hex(), "keyId": self.key_id.hex() if self.managed else None,
            "owner": self.owner, "ownerObjectId": self.object_id,
            "blocks": blocks,
            "plainSize": plain_size(blocks, used) if self.managed else size - HEADER,
        }


def divide(size):
    """Section 1.2: st_size is 4096 n + r."""
    blocks, used = divmod(size, BLOCK)
    require(blocks >= 1, "cut within the first block")
    require(used <= (FIRST_PAYLOAD if blocks == 1 else PAYLOAD), f"no file has a size of {size}")
    return blocks, used


def plain_size(blocks, used):
    return used if blocks == 1 else FIRST_PAYLOAD + PAYLOAD * (blocks - 2) + used


def stretch(passphrase, salt, passes, memory):
    """What Argon2id makes of a passphrase."""
    try:
        from argon2.low_level import Type, hash_secret_raw
    except ImportError:
        raise Refused(
            1, "python3-argon2 is missing: only what has no passphrase can be read") from None
    require(passes >= 1 and 8192 <= memory < 1 << 42 and memory % 1024 == 0, "Argon2id cost")
    return hash_secret_raw(passphrase, salt, passes, memory // 1024, 1, 32, Type.ID)


def public_half(private):
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes(
        Encoding.Raw, PublicFormat.Raw)


def agree(private, public, ephemeral, info):
    """Section 1.3: the key that both sides of an X25519 agreement reach."""
    try:
        shared = X25519PrivateKey.from_private_bytes(private).exchange(
            X25519PublicKey.from_public_bytes(ephemeral))
    except ValueError:
        raise Refused(7, "damaged: the ephemeral public key leads to zeros") from None
    return derive(shared, ephemeral + public, info)


class Keybag:
    """Section 3: the class keys of one account."""

    def __init__(self, data, device_secret):
        require(len(data) >= 1024, f"a keybag of {len(data)} bytes")
        require(data[:8] == KEYBAG_MAGIC, "magic of the keybag")
        require(data[-4:] == checksum(data[:-4]), "checksum of the keybag")
        self.others = data[1020:-4]
        kinds = slot_kinds(data)
        self.retired, self.joined = other_keys(data, data[1008], kinds)
        self.slots, self.seals = slots(self.others, kinds)
        self.bytes, self.device_secret = data, device_secret
        flags = 0 if self.slots else 1
        require(data[10] & ~flags == 0 and not any(data[1010:1020]), "zero field of the keybag")
        self.has_passphrase = bool(data[10] & 1)
        self.account_id = data[16:32]
        self.generation, _, name, object_id, self.passes, self.memory = struct.unpack_from(
            "<QQHHIQ", data, 32)
        require(self.generation >= 1, "generation 0")
        self.name = text(data, 64, 512, name, "account's name")
        text(data, 576, 64, object_id, "account's object id")
        self.salt, self.public = data[640:656], data[656:688]
        if not self.has_passphrase:
            require(
                self.passes == 0 and self.memory == 0 and not any(self.salt),
                "Argon2id without a passphrase")
        self.key_ids = [data[688 + 16 * i : 704 + 16 * i] for i in range(4)]
        self.class_d = self.open_class(
            4, derive(device_secret, self.account_id, b"mamd keybag device v1"))
        require(self.class_d is not None, "the keybag belongs to another device, or was forged")

    def open_class(self, number, key):
        stored = self.bytes[752 + 64 * (number - 1) : 816 + 64 * (number - 1)]
        return unseal(
            key, stored[:16], stored[16:48], stored[48:],
            self.bytes[:752] + self.others + bytes([number]))

    def account_key(self, passphrase):
        if self.slots and passphrase is not None:
            return self.slots_key(passphrase)
        if not self.has_passphrase and not self.slots:
            return derive(
                self.device_secret, self.account_id, b"mamd keybag account without passphrase v1")
        if passphrase is None:
            raise Refused(1, f"{self.name} has a passphrase: give --passfile")
        stretched = stretch(passphrase, self.salt, self.passes, self.memory)
        return derive(
            stretched + self.device_secret, self.account_id, b"mamd keybag account v1")

    def slots_key(self, secret):
        """Section 3.3. Knows no words: a recovery passphrase is its 16 bytes. Asks no chip."""
        for slot in self.slots:
            if slot[0] != 3 and public_half(self.slot_private_key(slot, secret)) == slot[64:96]:
                return derive(
                    self.slot_account_key(slot, secret) + self.device_secret, self.account_id,
                    b"mamd keybag slots v1")
        raise Refused(12, f"wrong passphrase of {self.name}")

    def slot_account_key(self, slot, secret):
        return self.account_key_by(slot, self.slot_private_key(slot, secret))

    def account_key_by(self, slot, private):
        key = agree(private, slot[64:96], slot[96:128], b"mamd key slot seal v1")
        account_key = unseal(
            key, slot[128:144], slot[144:176], slot[176:],
            self.account_id + slot[:128] + self.seals.get(slot[16:20], b""))
        require(account_key is not None, "the account key of a slot")
        return account_key

    def slot_private_key(self, slot, secret):
        return self.private_key_by(self.slot_stretched(slot, secret))

    def private_key_by(self, stretched):
        return derive(stretched + self.device_secret, self.account_id, b"mamd key slot v1")

    def chip_pin(self, slot, pin):
        """The authValue that stands for a PIN."""
        return derive(
            self.slot_stretched(slot, pin) + self.device_secret, self.account_id,
            b"mamd key slot chip pin v1")

    def chip_private_key(self, slot, pin, sealed):
        """`sealed`: what the chip has opened."""
        return self.private_key_by(derive(
            sealed + self.slot_stretched(slot, pin), self.account_id, b"mamd key slot chip v1"))

    @staticmethod
    def slot_stretched(slot, secret):
        passes, memory = struct.unpack_from("<IQ", slot, 4)
        return stretch(secret, slot[32:48], passes, memory)

    def class_key(self, number, passphrase):
        key = self.class_d if number == 4 else self.open_class(number, self.account_key(passphrase))
        if key is None:
            raise Refused(
                12, f"wrong passphrase of {self.name}" if self.has_passphrase
                else "damaged: class key")
        return key

    def file_key(self, header, passphrase):
        return file_key(self, header, lambda number: self.class_key(number, passphrase))

    def knows(self, key_id):
        return key_id in self.key_ids or key_id in self.joined or retired_set(
            self.retired, key_id) is not None


def slot_kinds(data):
    """Of a keybag's slots, in their order."""
    start = 1020 + 272 * data[1008] + 80 * data[11]
    return list(data[start : start + 192 * data[1009] : 192])


def slots(others, kinds):
    """Section 3.3: the end of what follows a keybag's fixed fields, with what a chip has sealed by
    its slot's id."""
    require(len(kinds) <= 8, "number of slots")
    end = len(others) - 1024 * kinds.count(3)
    found = [others[at : at + 192] for at in range(end - 192 * len(kinds), end, 192)]
    for slot in found:
        passes, memory, number, zero, _ = struct.unpack_from("<IQIIq", slot, 4)
        has_no_pin = slot[0] == 3 and not any(slot[4:16] + slot[32:48])
        require(
            slot[0] in (1, 2, 3) and not any(slot[1:4] + slot[48:64]) and zero == 0 and number != 0
            and (has_no_pin or (1 <= passes <= 100 and 8 << 10 <= memory <= 4 << 30))
            and slot[31] < 0x80, "field of a slot")
    require(len({slot[16:20] for slot in found}) == len(kinds), "ids of slots")
    ids = [slot[16:20] for slot in found if slot[0] == 3]
    seals = {number: others[end + 1024 * at :][:1024] for at, number in enumerate(ids)}
    for seal in seals.values():
        check_seal(seal)
    return found, seals


def check_seal(seal):
    """What a chip has sealed: a public and a private part, which only the chip reads."""
    length, pcrs = struct.unpack_from("<HI", seal)
    end = 40
    for _ in range(2):
        (count,) = struct.unpack_from("<H", seal, end)
        require(1 <= count <= 448, "part of what a chip has sealed")
        end += 2 + count
    require(
        length == end - 2 and pcrs < 1 << 24 and not any(seal[end:]), "what a chip has sealed")


def other_keys(data, retired, kinds=()):
    """Sections 3.1 and 3.2: what follows the fixed fields of a keybag or of an export."""
    slots_length = 192 * len(kinds) + 1024 * list(kinds).count(3)
    others, joined = data[1020 : len(data) - 4 - slots_length], data[11]
    version = (5 if 3 in kinds else 4) if kinds else 3 if joined else 2 if retired else 1
    require(
        data[8:10] == struct.pack("<H", version) and max(retired, joined) <= 32,
        "version, or number of other keys")
    require(len(others) == 272 * retired + 80 * joined, "length of the other keys")
    keys = [others[start : start + 80] for start in range(272 * retired, len(others), 80)]
    return others[: 272 * retired], {key[:16]: key[16:] for key in keys}


def retired_set(sets, key_id):
    for start in range(0, len(sets), 272):
        found = sets[start : start + 272]
        if key_id in (found[:16], found[16:32], found[32:48]):
            return found
    return None


def file_key(keys, header, class_key):
    """With a class key, or with the retired one that the header names."""
    key, public, stored = class_key(header.file_class), keys.public, retired_set(
        keys.retired, header.key_id)
    joined = keys.joined.get(header.key_id)
    if joined is not None:
        require(header.file_class == 4, "the key id is that of another class")
        under = derive(key, keys.account_id, b"mamd joined class key v1")
        key = unseal(
            under, joined[:16], joined[16:48], joined[48:], keys.account_id + header.key_id + b"\4")
        require(key is not None, "a joined key does not open")
    elif stored is None:
        require(
            keys.key_ids.index(header.key_id) + 1 == header.file_class,
            "the key id is that of another class")
    else:
        number, public = header.file_class, stored[48:80]
        require(
            stored[16 * number - 16 : 16 * number] == header.key_id,
            "the key id is that of another class")
        wrap = stored[16 + 64 * number : 80 + 64 * number]
        under = derive(key, keys.account_id, b"mamd retired class key v1")
        key = unseal(
            under, wrap[:16], wrap[16:48], wrap[48:],
            keys.account_id + stored[:80] + bytes([number]))
        require(key is not None, "a retired key does not open")
    return unwrap_file_key(header, key, public)


def unwrap_file_key(header, key, public_b):
    """Section 1.3."""
    if header.file_class == 2:
        require(public_half(key) == public_b, "the public key of class B is not the private one's")
        key = agree(key, public_b, header.ephemeral, b"mamd file key B v1")
    wrap = header.wrap
    found = unseal(key, wrap[:16], wrap[16:48], wrap[48:], header.covered)
    require(found is not None, "the header's key wrap does not open")
    return found


class Export:
    """Section 7: exported keys. Has what `Keybag` has for reading files."""

    def __init__(self, data, recovery_key, passphrase):
        require(data[:8] == EXPORT_MAGIC, "magic of the export")
        require(len(data) >= 1024, "length of the export")
        require(data[-4:] == checksum(data[:-4]), "checksum of the export")
        self.retired, self.joined = other_keys(data, data[992])
        kind = data[10]
        self.account_id, self.public, ephemeral = data[16:32], data[656:688], data[784:816]
        self.key_ids = [data[688 + 16 * i : 704 + 16 * i] for i in range(4)]
        written, _, name, object_id, passes, memory = struct.unpack_from("<QQHHIQ", data, 32)
        text(data, 64, 512, name, "account's name"), text(
            data, 576, 64, object_id, "account's object id")
        unused = {1: [(752, 816)], 2: [(52, 64), (640, 656)]}.get(kind)
        require(unused is not None, f"kind {kind}")
        for start, end in [(12, 16), (40, 48), (993, 1020), *unused]:
            require(
                not any(data[start:end]), f"bytes {start} to {end - 1} of the export are not zero")
        require(
            written < 1 << 63 and any(self.account_id) and len({*self.key_ids, bytes(16)}) == 5,
            "ids of the export")
        if kind == 1:
            if passphrase is None:
                raise Refused(1, "the export is sealed under a passphrase: give --passfile")
            key = derive(
                stretch(passphrase, data[640:656], passes, memory), self.account_id,
                b"mamd key export passphrase v1")
        else:
            if recovery_key is None or recovery_key.public != data[752:784]:
                raise Refused(
                    1, "the record is sealed to a recovery key: give that with --recovery-key")
            key = agree(
                recovery_key.private(passphrase), recovery_key.public, ephemeral,
                b"mamd key export recovery v1")
        keys = unseal(key, data[816:832], data[832:960], data[960:976], data[:832] + data[1020:-4])
        if keys is None:
            raise Refused(12, "wrong passphrase of the export") if kind == 1 else Refused(
                7, "damaged: keys of the record")
        self.keys = [keys[32 * i : 32 * i + 32] for i in range(4)]
        check = derive(self.keys[3], self.account_id, data[:976])[:16]
        require(
            check == data[976:992] and public_half(self.keys[1]) == self.public,
            "check of the export")

    def file_key(self, header, _passphrase):
        return file_key(self, header, lambda number: self.keys[number - 1])

    knows = Keybag.knows


class RecoveryKey:
    """Section 8: the private half of an organisation's recovery key."""

    def __init__(self, data):
        require(
            data[:8] == RECOVERY_KEY_MAGIC and len(data) == 160 and data[8:10] == b"\1\0",
            "a recovery key")
        require(data[156:] == checksum(data[:156]), "checksum of the recovery key")
        require(
            data[10] <= 1 and not any(data[11:12] + data[24:32] + data[144:156]),
            "zero field of the recovery key")
        self.data, self.is_sealed, self.public = data, data[10] == 1, data[48:80]
        if not self.is_sealed:
            require(
                not any(data[12:24] + data[32:48] + data[80:96] + data[128:144]),
                "a passphrase's field")

    def private(self, passphrase):
        data, found = self.data, self.data[96:128]
        if self.is_sealed:
            if passphrase is None:
                raise Refused(1, "the recovery key has a passphrase: give --passfile")
            passes, memory = struct.unpack_from("<IQ", data, 12)
            key = derive(
                stretch(passphrase, data[32:48], passes, memory), self.public,
                b"mamd recovery key v1")
            found = unseal(key, data[80:96], data[96:128], data[128:144], data[:80])
            if found is None:
                raise Refused(12, "wrong passphrase of the recovery key")
        require(public_half(found) == self.public, "halves of the recovery key")
        return found


CHUNK = 65536


class StreamHeader:
    """Section 6. Has what `Keybag.file_key` asks of a file's header."""

    def __init__(self, data):
        if len(data) < 4 or data[:8] != STREAM_MAGIC[: len(data)]:
            raise Refused(4, "foreign: no header")
        self.version = known_version(data)
        require(len(data) >= 32, "cut within the header")
        self.managed, self.file_class = data[10] == 1, data[11]
        require(data[10] in (0, 1), "unknown flag")
        require(
            self.file_class in (range(1, 5) if self.managed else (0,)), f"class {self.file_class}")
        name, object_id = struct.unpack_from("<HH", data, 12)
        require(name <= 512 and object_id <= 64, "length of a name")
        key = 32 + name + object_id
        wrap = key + (48 if self.file_class == 2 else 16)
        self.length = (wrap + 64 if self.managed else key) + 4
        require(len(data) >= self.length, "cut within the header")
        header = data[: self.length]
        require(header[-4:] == checksum(header[:-4]), "checksum of the header")
        require(self.version == 1, "version 0")
        self.owner = text(header, 32, name, name, "owner's name")
        self.object_id = text(header, 32 + name, object_id, object_id, "owner's object id")
        self.file_id, self.key_id = header[16:32], header[key : key + 16]
        self.ephemeral = header[key + 16 : wrap]
        self.covered, self.wrap = header[:wrap], header[wrap:-4]

    def open(self, key, data):
        """The plain bytes of the chunks that open, and the index of the first that does not."""
        plain, chunks = b"", [
            data[at : at + CHUNK + 16] for at in range(self.length, len(data), CHUNK + 16)]
        for index, chunk in enumerate(chunks or [b""]):
            nonce = struct.pack("<QQ", index, index >= len(chunks) - 1)
            associated = self.file_id + struct.pack("<QH6x", index, self.version)
            found = unseal(key, nonce, chunk[:-16], chunk[-16:], associated) if len(
                chunk) > 16 else None
            if found is None:
                return plain, index
            plain += found
        return plain, None


def stream_content(data, bags, passphrase):
    header = StreamHeader(data)
    if not header.managed:
        return data[header.length :]
    for keybag in bags:
        if keybag.knows(header.key_id):
            plain, damaged = header.open(keybag.file_key(header, passphrase), data)
            require(damaged is None, f"chunk {damaged} does not open")
            return plain
    raise Refused(1, f"no account here has the key {header.key_id.hex()} of {header.owner}")


def keybags(state):
    """The newest verified copy of every account's keybag."""
    device_secret = (state / "device-secret").read_bytes()
    require(len(device_secret) == 32, "device secret")
    newest = {}
    for path in sorted((state / "keybags").glob("*.keybag*")):
        try:
            keybag = Keybag(path.read_bytes(), device_secret)
        except Refused as problem:
            print(f"decoder: {path}: {problem}", file=sys.stderr)
            continue
        if keybag.generation > getattr(newest.get(keybag.account_id), "generation", 0):
            newest[keybag.account_id] = keybag
    return newest.values()


def open_block(header, key, file, index, blocks, used):
    """Section 1.2: the plain bytes of one block, as a strict reader takes it."""
    last = index == blocks - 1
    file.seek(index * BLOCK)
    block = file.read(BLOCK)
    require(len(block) == BLOCK, "the file became shorter")
    sealed = block[HEADER:] if index == 0 else block
    if index > 0 and not last and header.sparse and not any(block):
        return bytes(PAYLOAD)
    associated = header.file_id + struct.pack("<QH6x", index, header.version)
    payload = unseal(key, sealed[:16], sealed[32:], sealed[16:32], associated)
    require(payload is not None, f"block {index} does not open")
    (end,) = struct.unpack_from("<H", sealed, 14)
    if end != (1 + used if last else 0):
        raise Refused(
            7, f"wrong-end: block {index} says {end}, and the size says otherwise: interrupted or "
            f"cut")
    # What is behind `used` may be anything after a crash: it is not looked at.
    return payload[:used] if last else payload


def content(header, file, size, bags, passphrase):
    if not header.managed:
        file.seek(HEADER)
        yield from iter(lambda: file.read(1 << 20), b"")
        return
    blocks, used = divide(size)
    for keybag in bags:
        if keybag.knows(header.key_id):
            key = keybag.file_key(header, passphrase)
            yield from (
                open_block(header, key, file, index, blocks, used) for index in range(blocks))
            return
    raise Refused(1, f"no account here has the key {header.key_id.hex()} of {header.owner}")


def plain_bytes(fields, start, count):
    zeros = [range(*map(int, part.split("-"))) for part in fields.get("zeros", "").split()]
    return bytes(
        0 if any(i in r for r in zeros) else (i * 7 + i // 251) % 256
        for i in range(start, start + count))


def judge(fields, data):
    """What a vector's file turns out to be, in the words of its `expect`, `step` and `blocks`."""
    try:
        step = "header"
        header = Header(data[:HEADER])
        step = "size"
        found = header.describe(len(data))
        step = "key"
        keys = [
            bytes.fromhex(fields.get(key, ""))
            for key in ("class-key", "class-private", "class-public")]
        file_key = unwrap_file_key(header, keys[0] or keys[1], keys[2]) if header.managed else None
    except Refused as problem:
        return f"damaged {step}" if problem.kind == "damaged" else problem.kind
    facts = {
        "owner": "owner", "object-id": "ownerObjectId", "class": "class", "file-id": "fileId",
        "key-id": "keyId"}
    others = [key for key, fact in facts.items() if found[fact] != fields.get(key)]
    if others or found["sparse"] != ("sparse" in fields) or found["plainSize"] != int(
            fields["plain-size"]):
        return f"another header: {found}"
    if not header.managed:
        return "unmanaged" if data[HEADER:] == plain_bytes(
            fields, 0, found["plainSize"]) else "other content"
    failures = []
    for index in range(found["blocks"]):
        try:
            payload = open_block(header, file_key, io.BytesIO(data), index, *divide(len(data)))
            if payload != plain_bytes(fields, plain_size(index + 1, 0), len(payload)):
                return f"other content in block {index}"
        except Refused as problem:
            failures.append(f"{index}={problem.kind}")
    return " ".join([failures[0].split("=")[1], "blocks", *failures]) if failures else "ok"


def judge_stream(fields, data):
    """The same of a stream: `blocks` is the chunk that is refused, `plain-size` what comes out."""
    try:
        step = "header"
        header = StreamHeader(data)
        step = "key"
        keys = [
            bytes.fromhex(fields.get(key, ""))
            for key in ("class-key", "class-private", "class-public")]
        file_key = unwrap_file_key(header, keys[0] or keys[1], keys[2]) if header.managed else None
    except Refused as problem:
        return f"damaged {step}" if problem.kind == "damaged" else problem.kind
    facts = [header.owner, header.object_id, header.file_id.hex()]
    facts += ["ABCD"[header.file_class - 1], header.key_id.hex()] if header.managed else [
        None, None]
    if facts != [fields.get(key) for key in ("owner", "object-id", "file-id", "class", "key-id")]:
        return f"another header: {facts}"
    plain, damaged = header.open(file_key, data) if header.managed else (
        data[header.length :], None)
    if plain != plain_bytes(fields, 0, int(fields["plain-size"])):
        return f"other content: {len(plain)} bytes"
    if damaged is not None:
        return f"damaged blocks {damaged}"
    return "ok" if header.managed else "unmanaged"


def run_vectors(directory):
    """Reads all vectors; the README.md there names their keys. True if one fails."""
    paths, failures = sorted([*directory.glob("*.vector"), *directory.glob("*.stream")]), 0
    for path in paths:
        head, _, body = path.read_text("utf-8").partition("\n---\n")
        fields = {
            key: value.removeprefix(" ") for key, _,
            value in (line.partition(":") for line in head.split("\n"))}
        data = base64.b64decode(body) + bytes(int(fields.get("hole", 0)))
        found = judge_stream(fields, data) if path.suffix == ".stream" else judge(fields, data)
        expected = " ".join(fields[key] for key in ("expect", "step", "blocks") if key in fields)
        if found != expected:
            failures += 1
            print(f"{path.stem}: expected {expected}; found {found}")
    print(f"{len(paths)} vectors, {failures} failures")
    return failures > 0 or not paths


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--info", action="store_true", help="print the header as JSON")
    parser.add_argument("--state", type=pathlib.Path, help="state directory of the workspace")
    parser.add_argument("--passfile", type=pathlib.Path)
    parser.add_argument("--export", type=pathlib.Path, help="exported keys, or a recovery record")
    parser.add_argument("--recovery-key", type=pathlib.Path)
    parser.add_argument("--stream", action="store_true", help="the file is a stream")
    parser.add_argument("--vectors", type=pathlib.Path, metavar="DIR", help="check test vectors")
    parser.add_argument("file", type=pathlib.Path, nargs="?")
    options = parser.parse_args()
    if options.vectors:
        sys.exit(run_vectors(options.vectors))
    if options.file is None:
        parser.error("FILE is missing")
    passphrase = options.passfile.read_bytes().removesuffix(b"\n") if options.passfile else None
    bags = keybags(options.state) if options.state else ()
    if options.export:
        recovery_key = RecoveryKey(
            options.recovery_key.read_bytes()) if options.recovery_key else None
        bags = [Export(options.export.read_bytes(), recovery_key, passphrase)]
    if options.stream:
        sys.stdout.buffer.write(stream_content(options.file.read_bytes(), bags, passphrase))
        return
    with open(options.file, "rb") as file:
        size = options.file.stat().st_size
        header = Header(file.read(HEADER))
        if options.info:
            print(json.dumps(header.describe(size)))
        elif not options.state and not options.export and header.managed:
            parser.error("--state or --export is needed to read a managed file")
        else:
            sys.stdout.buffer.writelines(content(header, file, size, bags, passphrase))


if __name__ == "__main__":
    try:
        main()
    except Refused as problem:
        print(f"decoder: {sys.argv[-1]}: {problem}", file=sys.stderr)
        sys.exit(problem.status)
    except FileNotFoundError as problem:
        print(f"decoder: {problem}", file=sys.stderr)
        sys.exit(3)
