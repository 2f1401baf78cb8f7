"""Real programs that fill a disk: what they acknowledge is the status 0 of one that has ended, or a
commit. As the writers of Tests/Integration/filling.py."""
import contextlib
import pathlib
import shutil
import subprocess
import tempfile

from filling import Writer
from workspace import pattern

PIECE = 1 << 20
POSTGRES = pathlib.Path("/usr/lib/postgresql/15/bin")
USER = "postgres"


class Failed(OSError):
    """A program has ended with another status than 0."""


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, **options)
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines() or [f"status {done.returncode}"]
        raise Failed(lines[-1][-100:])
    return done.stdout


class Program(Writer):
    """`step` after `step`, each for one piece; pieces are counted."""

    def prepare(self):
        """While the disk has room. `outside`: another disk."""
        self.path.mkdir()
        self.outside = pathlib.Path(tempfile.mkdtemp(prefix="measure-full-"))

    def write(self):
        while self.acknowledged < self.most // PIECE:
            self.step(self.acknowledged)
            self.acknowledged += 1

    def step(self, number):
        raise NotImplementedError

    def piece(self, number):
        return pattern(PIECE, number)

    def source(self, number):
        path = self.outside / f"piece{number}"
        path.write_bytes(self.piece(number))
        return path

    def lost(self):
        """How many of the acknowledged pieces are not there, or not whole."""
        shutil.rmtree(self.outside, ignore_errors=True)
        return sum(self.found(number) != self.piece(number) for number in range(self.acknowledged))

    def found(self, number):
        with contextlib.suppress(OSError):
            return (self.path / f"piece{number}").read_bytes()


class Copy(Program):
    name = "cp"

    def step(self, number):
        source = self.source(number)
        run("cp", source, self.path)
        source.unlink()


class Rsync(Program):
    name = "rsync"

    def step(self, number):
        source = self.source(number)
        run("rsync", "-a", source, f"{self.path}/")
        source.unlink()


class Tar(Program):
    name = "tar"

    def step(self, number):
        source = self.source(number)
        run("tar", "-cf", self.outside / "archive", "-C", self.outside, source.name)
        run("tar", "-xf", self.outside / "archive", "-C", self.path)
        source.unlink()


class Git(Program):
    name = "git"

    def prepare(self):
        super().prepare()
        self.git("init", "-q")

    def git(self, *arguments):
        return run(
            "git", "-c", "user.name=Ann", "-c", "user.email=ann@contoso.com", "-c", "gc.auto=0",
            "-C", self.path, *arguments)

    def step(self, number):
        (self.path / f"piece{number}").write_bytes(self.piece(number))
        self.git("add", ".")
        self.git("commit", "-qm", str(number))

    def lost(self):
        if self.acknowledged == 0:
            return 0
        try:
            self.git("fsck", "--strict", "--full")
            return self.acknowledged - int(self.git("rev-list", "--count", "HEAD"))
        except Failed as problem:
            return f"all: {problem}"
        finally:
            super().lost()


class Curl(Program):
    """One download of all pieces: when the disk has room again, it goes on where it was."""

    name = "curl"

    def write(self):
        self.all = self.outside / "all"
        with open(self.all, "wb") as file:
            for number in range(self.most // PIECE):
                file.write(self.piece(number))
        self.download()

    def download(self):
        run("curl", "-sS", "-C", "-", "-o", self.path / "all", f"file://{self.all}")

    def lost(self):
        self.acknowledged = (self.path / "all").stat().st_size
        try:
            self.download()
            same = run("cmp", self.path / "all", self.all) == ""
        except Failed as problem:
            return f"all: {problem}"
        finally:
            shutil.rmtree(self.outside)
        return 0 if same else "all"


class Postgres(Program):
    """Rows, each in a transaction of its own."""

    name, row = "postgresql", 60_000

    def prepare(self):
        super().prepare()
        for path in (self.path, self.outside):
            shutil.chown(path, USER, USER)
        self.program("initdb", "-D", self.path / "data", "--auth=trust", "--no-instructions", "-N")
        self.start()
        self.ask("create table rows (number integer, bytes bytea)")

    def program(self, name, *arguments):
        return run(
            "setpriv", f"--reuid={USER}", f"--regid={USER}", "--init-groups", POSTGRES / name,
            *arguments, cwd=self.outside)

    def start(self):
        self.program(
            "pg_ctl", "-D", self.path / "data", "-l", self.outside / "log", "-w", "-t", "120", "-o",
            f"-c listen_addresses= -c max_wal_size=32MB -k {self.outside}", "start")

    def ask(self, text):
        return self.program(
            "psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-h", self.outside, "-c", text, "postgres")

    def write(self):
        try:
            while self.acknowledged < self.most // self.row:
                self.ask(f"insert into rows values ({self.acknowledged}, "
                         f"decode('{pattern(self.row, self.acknowledged).hex()}', 'hex'))")
                self.acknowledged += 1
        finally:
            # A full disk stops some servers by itself.
            with contextlib.suppress(OSError):
                self.program("pg_ctl", "-D", self.path / "data", "-w", "-m", "immediate", "stop")

    def lost(self):
        try:
            self.start()
            found = int(self.ask("select count(*) from rows"))
            self.program("pg_ctl", "-D", self.path / "data", "-w", "-m", "fast", "stop")
        except Failed as problem:
            return f"all: {problem}"
        return self.acknowledged - found


PROGRAMS = (Copy, Rsync, Tar, Git, Curl, Postgres)
