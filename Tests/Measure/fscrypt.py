"""The kernel's own encryption of directories on ext4, by the program fscrypt."""
import json
import os
import pathlib

from subject import Subject, Unlock, must, timed

# Where fscrypt looks, and nowhere else.
CONFIGURATION = pathlib.Path("/etc/fscrypt.conf")
SETTINGS = {
    "source": "raw_key",
    "hash_costs": {"time": "1", "memory": "131072", "parallelism": "1"},
    "options": {
        "padding": "32", "contents": "AES_256_XTS", "filenames": "AES_256_CTS",
        "policy_version": "2"},
}
# The image takes what is written, not that.
IMAGE_SIZE = 64 << 30


class Fscrypt(Subject):
    name = "fscrypt"
    programs = ("fscrypt", "mkfs.ext4", "mount")
    needs_root = True

    def __init__(self, directory):
        self.mount_point = directory / "mount"
        self.files = self.mount_point / "files"
        self.image, self.key = directory / "image", directory / "key"
        self.wrote_configuration = False

    def start(self):
        self.mount_point.mkdir(parents=True)
        with open(self.image, "wb") as file:
            file.truncate(IMAGE_SIZE)
        must(["mkfs.ext4", "-q", "-b", "4096", "-O", "encrypt", self.image])
        must(["mount", "-o", "loop", self.image, self.mount_point])
        if not CONFIGURATION.exists():
            CONFIGURATION.write_text(json.dumps(SETTINGS))
            self.wrote_configuration = True
        must(["fscrypt", "setup", "--quiet", self.mount_point])
        self.files.mkdir()
        self.key.write_bytes(os.urandom(32))
        must(
            ["fscrypt", "encrypt", self.files, "--source=raw_key", "--name=measured",
            f"--key={self.key}", "--quiet"])

    def ways(self):
        return {"`fscrypt lock`": self.lock}

    def lock(self):
        return timed(["fscrypt", "lock", self.files])

    def unlock(self):
        must(["fscrypt", "unlock", self.files, f"--key={self.key}", "--quiet"])

    def open_again(self):
        # Unlocking is refused while it is unlocked, and that it is locked only in part counts as
        # locked.
        self.lock()
        self.unlock()

    def unlocks(self):
        return {"`fscrypt unlock`, raw key": Unlock(self.files, self.lock, self.unlock)}

    def close(self):
        if os.path.ismount(self.mount_point):
            must(["umount", self.mount_point])
        if self.wrote_configuration:
            CONFIGURATION.unlink()
