"""Real programs that fill a disk: what they acknowledge is the status 0 of one that has ended, or a
commit. As the writers of Tests/Integration/filling.py."""
import collections
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
        """Where others have left too little for all of it, what write(2) took has to be there."""
        got = self.path / "all"
        self.acknowledged = got.stat().st_size if got.exists() else 0
        try:
            if self.acknowledged:
                run("cmp", "-n", str(self.acknowledged), got, self.all)
                self.go_on(got)
        except Failed as problem:
            return f"all: {problem}"
        finally:
            shutil.rmtree(self.outside)
        return 0

    def go_on(self, got):
        try:
            self.download()
        except Failed as problem:
            if "(23)" not in str(problem):  # there still is no room
                raise
        else:
            run("cmp", got, self.all)


class Postgres(Program):
    """Rows, each in a transaction of its own."""

    name, row = "postgresql", 60_000
    # Wide enough for a page of its own; `number` is anything.
    bytes_of = "decode(repeat(md5({}::text), 1875), 'hex')"

    def prepare(self):
        super().prepare()
        for path in (self.path, self.outside):
            shutil.chown(path, USER, USER)
        self.program(
            "initdb", "-D", self.path / "data", "--auth=trust", "--no-instructions", "-k")
        self.start()
        self.ask("create table rows (writer integer, number integer, bytes bytea)")
        self.ask("alter table rows alter bytes set storage external")

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
            self.insert()
        finally:
            # A full disk stops some servers by itself.
            with contextlib.suppress(OSError):
                self.program("pg_ctl", "-D", self.path / "data", "-w", "-m", "immediate", "stop")

    def insert(self):
        while self.acknowledged < self.most // self.row:
            number = self.acknowledged
            self.ask(f"insert into rows values (0, {number}, {self.bytes_of.format(number)})")
            self.acknowledged += 1

    def acknowledged_of(self):
        """Writer to how many rows."""
        return {0: self.acknowledged}

    def lost(self):
        """By writer: another one's rows make up for none. A row may be more than acknowledged."""
        try:
            self.start()
            found = self.found_of()
            self.program("pg_ctl", "-D", self.path / "data", "-w", "-m", "fast", "stop")
            return sum(max(0, count - found.get(writer, 0))
                       for writer, count in self.acknowledged_of().items())
        except Failed as problem:
            with contextlib.suppress(Failed):
                self.program("pg_ctl", "-D", self.path / "data", "-w", "-m", "immediate", "stop")
            return f"all: {problem}"
        finally:
            shutil.rmtree(self.outside, ignore_errors=True)

    def found_of(self):
        """As `acknowledged_of`: rows that are whole."""
        rows = self.ask(
            f"select writer, count(*) from rows where bytes = {self.bytes_of.format('number')}"
            " group by writer")
        return dict(map(int, line.split("|")) for line in rows.split())


class Pgbench(Postgres):
    """Eight sessions at once, whose commits it records."""

    name, sessions = "pgbench", 8

    def insert(self):
        script = self.outside / "script"
        script.write_text(
            "\\set number random(1, 1000000000)\n"
            f"insert into rows values (:client_id, :number, {self.bytes_of.format(':number')});\n")
        try:
            self.program(
                "pgbench", "-n", "-h", self.outside, "-c", str(self.sessions), "-f", script, "-t",
                str(self.most // self.row // self.sessions), "-l", "--log-prefix",
                self.outside / "commits", "postgres")
        finally:
            self.acknowledged = sum(self.acknowledged_of().values())

    def acknowledged_of(self):
        return collections.Counter(
            int(line.split()[0]) for log in self.outside.glob("commits*")
            for line in log.read_text().splitlines())


PROGRAMS = (Copy, Rsync, Tar, Git, Curl, Postgres, Pgbench)
