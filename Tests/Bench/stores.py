"""What lies below the file systems: memory, or an ext4 on the machine's disk."""
import pathlib
import subprocess

import places
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


class Disk(places.Volume):
    """An ext4 of a place's own, in an image. On the machine's own one the files that one place has
    deleted, and the disk is told to discard, stop the others for seconds."""

    name = "ext4"

    def mount(self):
        super().mount()
        # Its pages would otherwise be kept twice.
        device = run("losetup", "-j", self.image, "-n", "-O", "NAME")
        run("losetup", "--direct-io=on", device)


STORES = {store.name: store for store in (Memory, Disk)}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def store(place):
    """Has what was written to a place stored; not what others wrote on this machine, which can be
    much."""
    subprocess.run(["sync", "-f", place.files], check=True)
    subprocess.run(["sync", "-f", place.volume.mount_point], check=True)


def forget(place):
    """The kernel drops what it keeps of all file systems."""
    store(place)
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("3\n")
