"""File systems for which locking is unmounting: gocryptfs, and one more to see whether it is
alone."""
from mounted import Mounted
from subject import Subject


class FusePeer(Subject):
    """`mounted` is the file system that is measured."""

    mounted: Mounted

    def start(self):
        self.mounted.start()
        self.files = self.mounted.mount_point

    def ways(self):
        return {
            "`fusermount3 -u`": self.mounted.unmount,
            "`fusermount3 -u -z`": lambda: self.mounted.unmount("-z"),
            "`kill -9` of its daemon": self.mounted.kill,
        }

    def open_again(self):
        self.mounted.end()
        self.mounted.mount()

    def unlocks(self):
        return {f"{self.name}: mount, its default cost": self.mounted.as_unlock()}

    def close(self):
        self.mounted.end()


class Gocryptfs(FusePeer):
    name = "gocryptfs"
    programs = ("gocryptfs", "fusermount3")

    def __init__(self, directory):
        serve, create = ["gocryptfs", "-fg", "-q"], ["gocryptfs", "-init", "-q"]
        self.mounted = Mounted(directory / "default", serve, create)
        self.cheap = Mounted(directory / "cheap", serve, [*create, "-scryptn", "10"])

    def start(self):
        super().start()
        self.cheap.start()

    def unlocks(self):
        cheap = {"gocryptfs: mount, `-scryptn 10` (hardly any derivation)": self.cheap.as_unlock()}
        return {**super().unlocks(), **cheap}

    def close(self):
        super().close()
        self.cheap.end()


class Encfs(FusePeer):
    name = "encfs"
    programs = ("encfs", "fusermount3")

    def __init__(self, directory):
        self.mounted = Mounted(directory, ["encfs", "-f", "--standard", "--stdinpass"])
