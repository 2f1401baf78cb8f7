"""What lies below the file systems: memory, or the machine's own ext4."""
import pathlib
import shutil
import subprocess

from subject import must


class Memory:
    """A tmpfs of a place's own."""

    name = "tmpfs"

    def __init__(self, directory):
        self.mount_point = directory / "store"

    def start(self):
        self.mount_point.mkdir(parents=True)
        must(["mount", "-t", "tmpfs", "-o", "size=90%", "bench", self.mount_point])

    def mount(self):
        """It is there until it is closed, as nothing else keeps its files."""

    def close(self):
        subprocess.run(["umount", "-l", self.mount_point], capture_output=True)


class Disk:
    """A directory on a disk: another layer, an image say, would be measured too."""

    name = "ext4"

    def __init__(self, directory):
        self.mount_point = directory / "store"

    def start(self):
        self.mount_point.mkdir(parents=True)

    def mount(self):
        """It always is."""

    def close(self):
        shutil.rmtree(self.mount_point, ignore_errors=True)


STORES = {store.name: store for store in (Memory, Disk)}


def kind_of(directory):
    """The type of the file system that a directory is on."""
    found = subprocess.run(["stat", "-f", "-c", "%T", directory], capture_output=True, text=True, check=True)
    return found.stdout.strip().replace("ext2/ext3", "ext4")


def forget():
    """Drops what the kernel keeps of all file systems, when it is on their stores."""
    subprocess.run(["sync"], check=True)
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("3\n")
