"""What is measured: mamd, its peers with their defaults, libfuse's passthrough_ll and the store
alone."""
import json
import os
import subprocess

import places
from mounted import Mounted
from subject import must
from workspace import PASSPHRASE

MARK = b"what nobody should find below the mount"


class Measured:
    """What the comparison needs to know of each. `seals`: content must not be found in the store,
    below `below`."""

    seals = True
    must_work = False
    most_rounds = 99


class Bare(Measured, places.Place):
    """The store itself."""

    name = "bare"
    has_daemon = False
    seals = False
    must_work = True

    def start(self):
        super().start()
        self.files = self.below = self.volume.mount_point / "files"
        self.files.mkdir()

    def remount(self):
        """Nothing of its own stands between."""

    def come_back(self):
        """Nothing can go away."""


class Mamd(Measured, places.Mamd):
    """Without io_uring: the kernel's switch must not decide what is compared."""

    must_work = True
    mount_options = ("-o", "no_io_uring")

    def start(self):
        super().start()
        self.below = self.workspace.backing


class Ringed(Mamd):
    """A mount does without io_uring where it cannot be had, and that would be measured twice."""

    name = "mamd+ring"
    mount_options = ("-o", "io_uring")

    def start(self):
        super().start()
        said = subprocess.run(
            ["mamctl", "status", "--json", "--workspace", self.workspace.name], capture_output=True,
            env=self.workspace.environment, check=True).stdout
        (status,) = json.loads(said)
        if status.get("transport") != "io_uring":
            raise RuntimeError(
                f"not through io_uring: "
                f"{status.get('transportNote') or 'mamd knows nothing of it'}")


class Peer(Measured, places.Peer):
    """With its defaults, but for what only costs time when it is mounted, and in the foreground."""

    def start(self):
        super().start()
        self.below = self.mounted.backing

    def remount(self):
        # Not the lazy one first: that is no sign that all is written.
        self.mounted.unmount()
        super().remount()


class Gocryptfs(Peer):
    name = "gocryptfs"
    programs = ("gocryptfs", "fusermount3")
    create, serve = ["gocryptfs", "-init", "-q", "-scryptn", "10"], ["gocryptfs", "-fg", "-q"]


class Securefs(Peer, places.Securefs):
    serve = ["securefs", "mount", "--pass", PASSPHRASE]


class Encfs(Peer):
    name = "encfs"
    programs = ("encfs", "fusermount3")
    serve = ["encfs", "-f", "--standard", "--stdinpass"]


class Cryfs(Peer):
    """Its key derivation, which cannot be made cheaper, takes seconds at each mount: one round must
    do."""

    name = "cryfs"
    programs = ("cryfs", "fusermount3")
    serve = ["cryfs", "-f"]
    most_rounds = 1

    def make(self):
        # It asks, looks for updates and keeps what it knows of a file system at home, if it is not
        # told.
        os.environ.update(
            CRYFS_FRONTEND="noninteractive", CRYFS_NO_UPDATE_CHECK="true",
            CRYFS_LOCAL_STATE_DIR=str(self.directory / "state"))
        super().make()


class Passing(Mounted):
    def command(self):
        return [*self.serve, f"source={self.backing},writeback,cache=always", self.mount_point]


class Passthrough(Peer):
    """It gathers writes and keeps pages, as our mount does: options of its own, for a store that
    nobody else uses."""

    name = "passthrough_ll"
    programs = ("passthrough_ll", "fusermount3")
    serve = ["passthrough_ll", "-f", "-o"]
    seals = False

    def make(self):
        self.mounted = Passing(self.volume.mount_point / "mounted", self.serve)
        super().make()


FILE_SYSTEMS = {
    kind.name: kind for kind in (Mamd, Gocryptfs, Securefs, Encfs, Cryfs, Passthrough, Bare)}


CIPHERS = ("openssl", "avx", "vaes")


def with_options(options):
    """mamd once more, mounted with more options."""
    every = ",".join((*Mamd.mount_options[1:], options))
    return type("Variant", (Mamd,), {"name": f"mamd+{options}", "mount_options": ("-o", every)})


def with_cipher(kind, cipher):
    """The same with one of mamd's ciphers, whichever is fastest here."""
    options = ",".join([f"cipher={cipher}", *kind.mount_options[1:]])
    return type(kind.__name__, (kind,), {"mount_options": ("-o", options)})


def check_sealed(place):
    """A file's content is to be found in the store exactly where it should be."""
    path = place.files / "mark"
    path.write_bytes(MARK * 1000)
    place.remount()
    must(["sync", "-f", place.below])
    found = subprocess.run(["grep", "-rqF", MARK, place.below]).returncode == 0
    if path.read_bytes() != MARK * 1000:
        raise RuntimeError(f"{place.name}: what was written is not what is read")
    if found == place.seals:
        raise RuntimeError(
            f"{place.name}: content {'lies in the clear' if found else 'is nowhere'} below")
    path.unlink()
