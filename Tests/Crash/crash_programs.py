"""The programs that are put to the test, as black boxes: a backing directory in, a mount out."""
import json
import os
import pathlib
import shutil
import subprocess
import time

import workspace
from model import PAGE
from mamd_workload import ManagedWorkload, owner_faults
from workload import Workload, punch, punch_is_zeros

BACKING, STATE = "backing", "state"


class Found:
    """A file's content as a mount shows it."""

    def __init__(self, path):
        self.pages, self.errors = {}, {}
        descriptor = os.open(path, os.O_RDONLY)
        try:
            self.size = os.fstat(descriptor).st_size
            for start in range(0, self.size, 1 << 20):
                self.read(descriptor, start, 1 << 20)
        finally:
            os.close(descriptor)

    def read(self, descriptor, start, count):
        """Page by page from where it fails: a read that meets an error ends before it."""
        end = min(start + count, self.size)
        while start < end:
            try:
                data = os.pread(descriptor, count, start)
                if not data:
                    raise OSError(0, "the file ends early")
            except OSError as problem:
                if count == PAGE:
                    self.errors[start // PAGE] = problem.strerror
                    start += PAGE
                count = PAGE
                continue
            self.take(start, data)
            # A part of a page is read again.
            start = end if start + len(data) >= end else start + max(PAGE, len(data) // PAGE * PAGE)

    def take(self, start, data):
        if data.count(0) == len(data):
            return
        for page in range(0, len(data), PAGE):
            self.pages[(start + page) // PAGE] = data[page : page + PAGE]


class Program:
    """One instance: its own place, with a disk in it, which may be replaced while nothing is
    mounted."""

    workload = Workload
    # What a file begins with when its beginning reached the disk: never zeros alone.
    header_byte_count = 0
    is_repaired = False
    # Paths of what a repair moved away because it had no beginning.
    moved = frozenset()

    def __init__(self, place):
        self.place = pathlib.Path(place)
        self.disk, self.mount = self.place / "disk", self.place / "mount"
        self.mount.mkdir(parents=True)

    @property
    def backing(self):
        return self.disk / BACKING

    def edges(self, page):
        """Where the program's blocks begin inside a page."""
        return ()

    def save(self, place):
        """What it keeps outside of its disk."""
        place.mkdir()

    def restore(self, place):
        pass

    def is_unmade(self, path):
        """True if a file has a size, and nothing of its beginning."""
        return self.begins_with_zeros(self.backing / path.lstrip("/"))

    def begins_with_zeros(self, path):
        with open(path, "rb") as file:
            return not any(file.read(self.header_byte_count))

    def repair(self):
        """What its manual says to do after a power cut; returns faults."""
        return []

    def final_faults(self):
        """What it says of all files in the end."""
        return []

    def unlock(self, model, done, last):
        """Opens what needs a passphrase; returns faults."""
        return []

    def label_faults(self, node, path, done, last):
        """What is wrong with a file besides its content."""
        return []


class Mamd(Program):
    name = "mamd"
    workload = ManagedWorkload
    header_byte_count = workspace.HEADER
    punch = staticmethod(punch)
    label_faults = staticmethod(owner_faults)

    def __init__(self, place):
        super().__init__(place)
        self.workspace = workspace.Workspace()
        shutil.rmtree(self.workspace.backing)
        self.workspace.backing, self.workspace.mount_point = self.backing, self.mount
        self.workspace.environment["XDG_STATE_HOME"] = str(self.disk / STATE)

    @property
    def configuration(self):
        return self.workspace.root / "config_home"

    def save(self, place):
        shutil.copytree(self.configuration, place)

    def restore(self, place):
        """The settings say where the backing directory is: here it is another one."""
        shutil.copytree(place, self.configuration, dirs_exist_ok=True)
        record = self.configuration / "mamd" / self.workspace.name / "workspace.json"
        record.write_text(
            json.dumps({**json.loads(record.read_text()), "backingDirectory": str(self.backing)}))

    def create(self):
        self.backing.mkdir()
        self.workspace.init().mount().register(workspace.ANN, extra=["--no-passphrase"])

    def start(self):
        self.workspace.mount()

    def unlock(self, model, done, last):
        """With one of the passphrases that an account may have; the newest first."""
        faults = []
        for label, history in model.labels.labels.items():
            words, is_safe = model.said(label, done, last), any(step in done for step, _ in history)
            opened = self.opens(label.split()[-1], words[::-1])
            if is_safe and not opened:
                faults.append(("account", f"the {label} is none of {words}"))
        return faults

    def verify(self, *options):
        place = self.mount if os.path.ismount(self.mount) else self.backing
        return self.workspace.ctl("verify", place, "--json", *options, status=None)

    def repair(self):
        """Without the accounts that need a passphrase it may have to leave something, and is asked
        again."""
        findings = self.findings("--repair")
        self.is_repaired = all(
            finding["outcome"] in ("repaired", "incomplete", "quarantined") for finding in findings)
        self.moved |= {
            f"/{finding['path']}" for finding in findings if self.is_without_beginning(finding)}
        return [
            ("given up", str(finding)) for finding in findings
            if (finding["outcome"] == "quarantined" and f"/{finding['path']}" not in self.moved)
            or finding["problem"] == "blocks"]

    def is_without_beginning(self, finding):
        """It was moved away, and only its size and its attributes had reached the disk."""
        return (finding["problem"] == "header" and finding["outcome"] == "quarantined"
                and self.begins_with_zeros(self.backing / finding["action"]))

    def is_unmade(self, path):
        return path in self.moved or super().is_unmade(path)

    def findings(self, *options):
        return json.loads(self.verify(*options).stdout)["findings"]

    def final_faults(self):
        return [("verify", f"{finding}") for finding in self.findings()]

    def opens(self, account, words):
        for number, word in enumerate(words):
            if number > 0:
                time.sleep(1.1)  # the delay after a wrong one
            passfile = self.workspace.secret(word, word)
            if self.workspace.unlock(account, passfile, status=None).returncode == workspace.DONE:
                return True
        return False

    def stop(self):
        self.workspace.unmount()

    def close(self):
        self.workspace.close()

    def edges(self, page):
        """Sealed blocks, and the pages of the backing file behind the header of a file that is not
        sealed."""
        start = page * PAGE
        block = max(0, (start - workspace.FIRST - 1) // workspace.PAYLOAD)
        sealed = (
            workspace.FIRST + number * workspace.PAYLOAD - start
            for number in range(block, block + 3))
        return [edge for edge in (*sealed, PAGE - workspace.HEADER) if 0 < edge < PAGE]


class Peer(Program):
    """Another encrypting file system, for comparison: of its files only what its mount shows is
    known."""

    punch = staticmethod(punch_is_zeros)

    def make(self):
        raise NotImplementedError

    def start(self):
        raise NotImplementedError

    def run(self, *words):
        result = subprocess.run(words, capture_output=True, text=True, errors="replace")
        if result.returncode != 0:
            raise OSError(
                f"{words[0]}: status {result.returncode}: {result.stdout} {result.stderr}")

    def create(self):
        self.backing.mkdir()
        self.make()
        # What it made there is old when the work begins.
        for path in [*self.backing.rglob("*"), self.backing]:
            descriptor = os.open(path, os.O_RDONLY)
            os.fsync(descriptor)
            os.close(descriptor)
        self.start()

    def stop(self):
        subprocess.run(["fusermount3", "-u", self.mount], check=True)

    def close(self):
        if os.path.ismount(self.mount):
            self.stop()

    def is_unmade(self, path):
        # Its names on the disk are its own affair. What nobody synced may be in any state.
        return True


class Gocryptfs(Peer):
    name = "gocryptfs"

    def __init__(self, place):
        super().__init__(place)
        self.passfile = self.place / "passphrase"
        self.passfile.write_text("x\n")

    def make(self):
        self.run(
            "gocryptfs", "-q", "-passfile", self.passfile, "-init", "-scryptn", "10", self.backing)

    def start(self):
        self.run("gocryptfs", "-q", "-passfile", self.passfile, self.backing, self.mount)


class Securefs(Peer):
    name = "securefs"
    password = ("--pass", "x")

    def make(self):
        self.run("securefs", "create", *self.password, "-r", "1", self.backing)

    def start(self):
        self.run("securefs", "mount", "-b", *self.password, self.backing, self.mount)
        workspace.wait_until(lambda: os.path.ismount(self.mount), message="securefs does not mount")


PROGRAMS = {program.name: program for program in (Mamd, Gocryptfs, Securefs)}
