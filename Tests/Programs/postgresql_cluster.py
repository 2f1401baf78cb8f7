"""A PostgreSQL server of the checks' own: its data lies at the place, its socket and log
outside."""
import os
import pathlib
import shutil
import signal
import subprocess

from check import Failure, as_user
from workspace import wait_until

USER = "postgres"
PROGRAMS = pathlib.Path("/usr/lib/postgresql/15/bin")
SETTINGS = "-c listen_addresses= -c max_wal_size=128MB -c checkpoint_timeout=30s"


class Cluster:
    def __init__(self, work):
        if not PROGRAMS.is_dir():
            raise Failure(f"{PROGRAMS} is not there")
        self.work, self.data = work, work.directory / "data"
        work.place.let_in(USER)
        for path in (work.directory, work.outside):
            shutil.chown(path, USER, USER)
        self.program(
            "initdb", "-D", self.data, "--auth=trust", "--data-checksums", "--no-instructions")

    def program(self, name, *arguments, **options):
        return self.work.run(
            PROGRAMS / name, *arguments, user=USER, cwd=self.work.outside, **options)

    def start(self):
        self.program(
            "pg_ctl", "-D", self.data, "-l", self.work.outside / "log", "-w", "-t", "120",
            "-o", f"{SETTINGS} -k {self.work.outside}", "start")
        self.pid = int((self.data / "postmaster.pid").read_text().split()[0])

    def stop(self):
        self.program("pg_ctl", "-D", self.data, "-w", "-m", "fast", "stop")

    def kill(self):
        """The server and all its processes, at once."""
        children = pathlib.Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        for pid in (self.pid, *map(int, children)):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        wait_until(
            lambda: not any(os.path.exists(f"/proc/{pid}") for pid in (self.pid, *children)), 60)

    # Clients

    def client(self, name, *arguments, **options):
        return self.program(name, "-h", self.work.outside, *arguments, **options)

    def client_in_background(self, name, *arguments):
        return self.work.start(
            PROGRAMS / name, "-h", self.work.outside, *arguments, user=USER, cwd=self.work.outside)

    def ask(self, text):
        return self.client("psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", text, "postgres").strip()

    def committer(self):
        """A client that inserts the numbers it is told, each in a transaction, and answers each
        when it is committed."""
        return subprocess.Popen(
            [*as_user(USER), PROGRAMS / "psql", "-qAtX", "-h", self.work.outside, "postgres"],
            cwd=self.work.outside,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            bufsize=1)
