#!/usr/bin/env python3
"""What is lost on a full disk (docs/adr/0074-room-for-what-was-taken.md): writers fill what is left
of an ext4 in an image; then the mount, and so the kernel's cache of it, goes, and the disk has room
again; and each looks for what was acknowledged. Root only.

    scripts/measure full [--mebibytes 60] [--left 2] [--writers 'wal*8,logger'] [--count 1]
                         [--on ext4,gocryptfs,mamd] [--beside] [--cut]

With --cut the power fails instead: the daemon is killed, and of the disk only what reached the
image is left. Only writers that sync then have anything acknowledged that counts.
"""
import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Integration"))

import filling
import filling_programs
from disk_image import DiskImage, run
from running import has_ended
from workspace import Workspace, wait_until


def cut_power(disk):
    copy = disk.image.with_name("copy")
    shutil.copy(disk.image, copy)
    run("umount", "-l", disk.path)
    copy.replace(disk.image)
    disk.mount(disk.image, disk.path)


class Ext4:
    def __init__(self, disk, _):
        self.disk, self.files = disk, disk.path

    def let_in(self, _):
        """Its owners and modes say who may."""

    def again(self):
        run("umount", self.disk.path)
        self.disk.mount(self.disk.image, self.disk.path)

    def cut(self):
        cut_power(self.disk)

    def close(self):
        """Nothing of its own."""


class Gocryptfs:
    def __init__(self, disk, root):
        self.back, self.files, self.word = disk.path / "back", root / "mount", root / "word"
        self.word.write_text("word\n")
        for directory in (self.back, self.files):
            directory.mkdir()
        run("gocryptfs", "-q", "-init", "-scryptn", "10", "-passfile", self.word, self.back)
        self.mount()

    def mount(self):
        run("gocryptfs", "-q", "-allow_other", "-passfile", self.word, self.back, self.files)

    def let_in(self, _):
        """The mount is for all."""

    def again(self):
        self.close()
        self.mount()

    def close(self):
        run("umount", self.files)


class Mamd:
    def __init__(self, disk, _):
        self.disk = disk
        self.workspace = Workspace()
        self.workspace.backing = disk.path / "backing"
        self.workspace.backing.mkdir()
        self.workspace.init().mount().register()
        self.files = self.workspace.mount_point

    def let_in(self, user):
        for path in (self.workspace.root, *self.workspace.socket.parents[:2]):
            path.chmod(0o711)
        self.workspace.serving(
            "account register", f"{user}@contoso.com", "--no-passphrase",
            prefix=("setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"))

    def again(self):
        self.workspace.remount()

    def cut(self):
        daemon = self.workspace.daemon()
        os.kill(daemon, signal.SIGKILL)
        wait_until(lambda: has_ended(daemon))
        run("fusermount3", "-u", "-z", self.files)
        cut_power(self.disk)
        self.workspace.mount()
        self.workspace.unlock()

    def close(self):
        self.workspace.unmount()
        self.workspace.close()


SUBJECTS = {"ext4": Ext4, "gocryptfs": Gocryptfs, "mamd": Mamd}
WRITERS = {
    kind.name: kind
    for kind in (*filling.DATABASES, *filling.STREAMS, *filling_programs.PROGRAMS)}


def kinds_of(text):
    """Pairs of a kind and how many of it, of "wal*8,cp"."""
    for name in text.split(","):
        name, _, count = name.partition("*")
        yield WRITERS[name], int(count or 1)


def prepare(place, writers):
    """Those that are programs."""
    if any(isinstance(writer, filling_programs.Postgres) for writer in writers):
        place.let_in(filling_programs.USER)
    for writer in writers:
        if isinstance(writer, filling_programs.Program):
            writer.prepare()


def run_all(writers):
    threads = [threading.Thread(target=writer.run) for writer in writers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def measure(subject, kinds, asked):
    root = pathlib.Path(tempfile.mkdtemp(prefix="measure-full-"))
    root.chmod(0o711)
    disk = DiskImage(root, asked.mebibytes)
    try:
        place = SUBJECTS[subject](disk, root)
        try:
            writers = [kind(place.files, number, asked.most << 20)
                       for kind, count in kinds for number in range(count * asked.count)]
            if asked.early:
                for writer in writers:
                    writer.path.touch()
            prepare(place, writers)
            filler = disk.path / "filler"
            if asked.beside:
                filling.take_all_but(4 * asked.left << 20, filler)
                others = [filling.Stream(disk.path, 99, asked.mebibytes << 20)]
            else:
                filling.take_all_but(asked.left << 20, filler)
                others = []
            run_all([*others, *writers])
            place.cut() if asked.cut else place.again()
            for path in (filler, *(other.path for other in others)):
                path.unlink(missing_ok=True)
            for writer in writers:
                lost = writer.lost()
                print(f"{subject:10} {writer.path.name:12} {writer.acknowledged:>12}"
                      f" lost {lost!s:>10}  {writer.told}", flush=True)
        finally:
            place.close()
    finally:
        subprocess.run(["umount", "-l", disk.path], check=False)
        shutil.rmtree(root)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--mebibytes", type=int, default=60)
    options.add_argument("--left", type=int, default=2)
    options.add_argument("--most", type=int, default=40, help="MiB of a writer")
    options.add_argument("--count", type=int, default=1, help="writers of each kind at once")
    options.add_argument("--writers", default="wal", help="of each its name, or name*count")
    options.add_argument("--on", default="ext4,mamd")
    options.add_argument("--early", action="store_true")
    options.add_argument("--beside", action="store_true", help="a foreign program fills the disk")
    options.add_argument("--cut", action="store_true", help="a power cut, in place of an end")
    asked = options.parse_args()
    kinds = list(kinds_of(asked.writers))
    subjects = asked.on.split(",")
    if asked.cut and not all(hasattr(SUBJECTS[subject], "cut") for subject in subjects):
        options.error("--cut is for ext4 and mamd")
    for subject in subjects:
        measure(subject, kinds, asked)


if __name__ == "__main__":
    main()
