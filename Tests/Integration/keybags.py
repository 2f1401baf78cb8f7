"""Keybags with given class keys, written from docs/FORMAT.md, section 3: for files that this device
did not make."""
import os
import struct
import zlib

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

NEEDS = ("python3-cryptography",)


def derive(secret, salt, info):
    return HKDF(SHA256(), 32, salt, info).derive(secret)


def add_account(state, name, given):
    """An account without a passphrase. `given`: class 1 to 4 to (key id, key); others are
    random."""
    device_secret = (state / "device-secret").read_bytes()
    account = os.urandom(16)
    keys = {number: given.get(number, (os.urandom(16), os.urandom(32))) for number in range(1, 5)}
    public = X25519PrivateKey.from_private_bytes(keys[2][1]).public_key().public_bytes(
        Encoding.Raw, PublicFormat.Raw)
    fields = struct.pack(
        "<8sHBBI16sQQHHIQ", b"\x89MAMK\r\n\x1a", 1, 0, 0, os.geteuid(), account, 1, 1, len(name), 0,
        0, 0)
    fields += name.encode().ljust(512, b"\0") + bytes(64) + bytes(16) + public
    fields += b"".join(keys[number][0] for number in range(1, 5))
    assert len(fields) == 752
    wrapping = {
        number: derive(device_secret, account, b"mamd keybag account without passphrase v1")
        for number in keys}
    wrapping[4] = derive(device_secret, account, b"mamd keybag device v1")
    wrapped = b""
    for number in range(1, 5):
        nonce = os.urandom(16)
        wrapped += nonce + AESGCM(wrapping[number]).encrypt(
            nonce, keys[number][1], fields + bytes([number]))
    body = fields + wrapped + bytes(12)
    keybag = body + zlib.crc32(body).to_bytes(4, "little")
    for suffix in ("", ".copy"):
        path = state / "keybags" / f"{account.hex()}.keybag{suffix}"
        path.write_bytes(keybag)
        path.chmod(0o600)
    return account.hex()
