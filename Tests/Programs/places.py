"""Where the programs are run: ext4 as it is, mamd, and other encrypting file systems, each on an
ext4 of its own."""
import os
import pathlib
import signal
import subprocess

from mounted import Mounted
from subject import must
from running import daemons
from workspace import PASSPHRASE, Workspace

# The image takes what is written, not that.
IMAGE_SIZE = 32 << 30


class Volume:
    """An ext4 in an image, on a loop device. `features`: options of mkfs.ext4."""

    features: tuple[str, ...] = ()

    def __init__(self, directory):
        self.image, self.mount_point = directory / "image", directory / "ext4"

    def start(self):
        self.mount_point.mkdir(parents=True)
        with open(self.image, "wb") as file:
            file.truncate(IMAGE_SIZE)
        must(["mkfs.ext4", "-q", "-F", "-b", "4096", *self.features, self.image])
        self.mount()

    def mount(self):
        must(["mount", "-o", "loop", self.image, self.mount_point])

    def close(self):
        subprocess.run(["umount", "-l", self.mount_point], capture_output=True)
        self.image.unlink(missing_ok=True)


class Place:
    """A file system for programs to work in. `files`: the directory; `has_daemon`: it can be
    killed."""

    name: str
    programs: tuple[str, ...] = ()
    has_daemon = True
    files: pathlib.Path

    def __init__(self, directory, volume=None):
        self.directory, self.volume = directory, volume or Volume(directory)

    def start(self):
        self.directory.mkdir(mode=0o755)
        self.volume.start()

    def let_in(self, user):
        """Another user may work here from now on."""

    def exposed(self, directory):
        """Files that lie below in the clear and should not."""
        return []

    def remount(self):
        """Nothing may be cached or unsaved afterwards."""
        raise NotImplementedError

    def kill(self):
        """The daemon dies without a warning."""
        raise NotImplementedError

    def come_back(self):
        """Mounts again after that."""
        raise NotImplementedError

    def close(self):
        self.volume.close()


class Ext4(Place):
    name = "ext4"
    programs = ("mkfs.ext4",)
    has_daemon = False

    def start(self):
        super().start()
        self.files = self.volume.mount_point

    def remount(self):
        must(["umount", self.volume.mount_point])
        self.volume.mount()


class Mamd(Place):
    """All files belong to a managed account of the user that makes them, and are sealed."""

    name = "mamd"
    programs = ("mamd", "mamctl")
    mount_options: tuple[str, ...] = ()

    def start(self):
        super().start()
        self.workspace = Workspace()
        self.workspace.backing = self.volume.mount_point / "backing"
        self.workspace.backing.mkdir()
        # Other users go through these to the mount, and to the socket.
        for path in (
                self.workspace.root, self.workspace.root / "runtime_dir",
                self.workspace.mount_point):
            path.chmod(0o755)
        self.workspace.init().mount(*self.mount_options).register(extra=["--no-passphrase"])
        (self.workspace.root / "runtime_dir" / "mamd").chmod(0o755)
        self.files = self.workspace.mount_point
        self.users = {"root"}

    def let_in(self, user):
        if user not in self.users:
            self.workspace.serving(
                "account register", f"{user}@contoso.com", "--no-passphrase",
                prefix=("setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"))
            self.users.add(user)

    def exposed(self, directory):
        below = self.workspace.on_disk(directory.relative_to(self.files))
        files = (
            path for path in below.rglob("*") if not path.is_symlink() and path.is_file()
            and path.stat().st_size)
        return [path.name for path in files if not self.workspace.is_managed_on_disk(path)]

    def remount(self):
        self.workspace.unmount()
        self.come_back()

    def kill(self):
        for pid in daemons(str(self.workspace.root)):
            os.kill(pid, signal.SIGKILL)

    def come_back(self):
        self.workspace.mount(*self.mount_options)

    def close(self):
        if hasattr(self, "workspace"):
            self.workspace.close()
        super().close()


class Peer(Place):
    """One that unmounting locks, and whose daemon runs in the foreground."""

    serve: list
    create = None

    def start(self):
        super().start()
        self.mounted = Mounted(self.volume.mount_point / "mounted", self.serve, self.create)
        self.make()
        self.files = self.mounted.mount_point

    def make(self):
        self.mounted.start()

    def remount(self):
        self.mounted.end()
        self.mounted.mount()

    def kill(self):
        self.mounted.kill()

    def come_back(self):
        self.remount()

    def close(self):
        if hasattr(self, "mounted"):
            self.mounted.end()
        super().close()


class Gocryptfs(Peer):
    name = "gocryptfs"
    programs = ("gocryptfs", "fusermount3")
    create, serve = ["gocryptfs", "-init", "-q", "-scryptn", "10"], [
        "gocryptfs", "-fg", "-q", "-allow_other", "-acl"]


class Securefs(Peer):
    name = "securefs"
    programs = ("securefs", "fusermount3")
    serve = ["securefs", "mount", "--pass", PASSPHRASE, "-o", "allow_other"]

    def make(self):
        # It takes its passphrase only from the command line.
        for path in (self.mounted.backing, self.mounted.mount_point):
            path.mkdir(parents=True)
        self.mounted.passfile.touch()
        must(["securefs", "create", "--pass", PASSPHRASE, "--rounds", "1", self.mounted.backing])
        self.mounted.mount()


PLACES = {place.name: place for place in (Ext4, Mamd, Gocryptfs, Securefs)}
