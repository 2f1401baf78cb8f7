"""What the kernel itself encrypts, without a daemon: ext4 with fscrypt, and ext4 on dm-crypt."""
import fcntl
import os
import pathlib
import shutil
import struct
import subprocess

import places
from filesystems import Bare
from stores import Disk, run
from subject import must

# <linux/fscrypt.h>
ADD_KEY, SET_POLICY = 0xC0506617, 0x800C6613
BY_IDENTIFIER, VERSION, AES_256_XTS, AES_256_CTS, PAD_32 = 2, 2, 1, 4, 3
KEY = bytes(range(64))


class Anchor(Bare):
    """Its own pages are plain, so that only the disk could show that it encrypts: `files` are in
    the clear while it is open."""

    must_work = False
    kind: type[places.Volume]

    def start(self):
        # A tmpfs can have neither.
        if not isinstance(self.volume, Disk):
            raise RuntimeError(f"not on {self.volume.name}")
        self.volume = self.kind(self.directory)
        super().start()


class EncryptedDisk(Disk):
    features = ("-O", "encrypt")


class Fscrypt(Anchor):
    """AES-256-XTS, and AES-256-CBC-CTS for names, as fscrypt(8) has it by default."""

    name = "fscrypt"
    kind = EncryptedDisk

    def start(self):
        super().start()
        directory = os.open(self.files, os.O_RDONLY | os.O_DIRECTORY)
        try:
            asked = bytearray(struct.pack("I4x32xII32x", BY_IDENTIFIER, len(KEY), 0) + KEY)
            fcntl.ioctl(directory, ADD_KEY, asked)
            fcntl.ioctl(directory, SET_POLICY, struct.pack(
                "BBBB4x16s", VERSION, AES_256_XTS, AES_256_CTS, PAD_32, bytes(asked[8:24])))
        finally:
            os.close(directory)


class CryptDisk(Disk):
    """The image's loop device, below cryptsetup's default cipher."""

    def start(self):
        self.mount_point.mkdir(parents=True)
        with open(self.image, "wb") as file:
            file.truncate(places.IMAGE_SIZE)
        self.mapped = f"bench-{os.getpid()}"
        device = run("losetup", "--direct-io=on", "--find", "--show", self.image)
        self.device = device
        subprocess.run([
            "cryptsetup", "open", "--type", "plain", "--cipher", "aes-xts-plain64", "--key-size",
            "512", "--key-file", "-", device, self.mapped], input=KEY, check=True)
        must(["mkfs.ext4", "-q", "-F", "-b", "4096", f"/dev/mapper/{self.mapped}"])
        must(["mount", f"/dev/mapper/{self.mapped}", self.mount_point])

    def close(self):
        super().close()
        if hasattr(self, "mapped"):
            subprocess.run(["cryptsetup", "close", self.mapped], capture_output=True)
        if hasattr(self, "device"):
            subprocess.run(["losetup", "--detach", self.device], capture_output=True)


class Dmcrypt(Anchor):
    name = "dm-crypt"
    kind = CryptDisk

    def start(self):
        if "device-mapper" not in pathlib.Path("/proc/misc").read_text().split():
            raise RuntimeError("this kernel has no device-mapper")
        if not shutil.which("cryptsetup"):
            raise RuntimeError("not installed: cryptsetup")
        super().start()


ANCHORS = {kind.name: kind for kind in (Fscrypt, Dmcrypt)}
