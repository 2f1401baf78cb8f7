"""Root's daemon, a mount for all, two people with accounts, and an attacker.

An attack is a test: it is refused, or it is bounded. Bounded means that meanwhile the victim's
`open`, `stat`, `fsync`, `lock` and `unlock` stay within three times their quiet time, or 100 ms,
whichever is more.
"""
import contextlib
import os
import pathlib
import statistics
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Integration"))

from socket_client import Client, Refusal
from running import daemons
from workspace import Workspace, wait_until

__all__ = [
    "Client", "Refusal", "HostileCase", "FACTOR", "VICTIM", "ATTACKER", "STRANGER", "VICTIMS_NAME",
    "ATTACKERS_NAME", "as_user", "command_as", "in_background", "wait_until"]

PROGRAMS = pathlib.Path(__file__).with_name("programs")

# Uids: two with an account each, and one without. A user has limits and keyrings, so each process
# of tests has users of its own, far above those of people.
VICTIM = 1_000_000 + 3 * os.getpid()
ATTACKER, STRANGER = VICTIM + 1, VICTIM + 2
VICTIMS_NAME, ATTACKERS_NAME = "vic@contoso.com", "mallory@contoso.com"

# What a victim's call may take while somebody attacks.
FACTOR, SECONDS = 3.0, 0.100
# Resident memory of the daemon, whatever is done to it.
MEMORY_MIB = 256


def as_user(uid, function, *arguments):
    """Runs a function in a child process of that user, with no group of root's; returns its exit
    status."""
    child = os.fork()
    if child == 0:
        status = 70
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            status = int(function(*arguments) or 0)
        except BaseException as problem:  # the child must not run the tests on
            print(f"as uid {uid}: {problem!r}", file=sys.stderr)
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def command_as(uid, name, *arguments):
    """One of `programs`, of that user's. It is read here: the user need not reach these tests."""
    text = (PROGRAMS / f"{name}.py").read_text()
    return [
        "setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", sys.executable, "-B", "-c",
        text, *map(os.fspath, arguments)]


@contextlib.contextmanager
def in_background(uid, name, *arguments, count=1):
    """Programs of that user that run until the block ends. Each prints a line when it has
    begun."""
    command = command_as(uid, name, *arguments)
    children = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        for _ in range(count)]
    try:
        for child in children:
            if not child.stdout.readline():
                raise AssertionError(f"{name} did not begin")
        yield children
    finally:
        for child in children:
            child.kill()
        for child in children:
            child.stdout.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(60)


@unittest.skipUnless(
    os.getuid() == 0, "attacks root's daemon as other users, which only root can arrange")
class HostileCase(unittest.TestCase):
    """A workspace of root's with the default policy, as docs/ADMIN.md shows it, shared by the
    class."""

    settings = {}
    accounts = ((VICTIMS_NAME, VICTIM), (ATTACKERS_NAME, ATTACKER))

    @classmethod
    def setUpClass(cls):
        cls.workspace = Workspace(name="hostile", settings=cls.all_settings())
        try:
            cls.prepare()
            cls.workspace.init()
            start = time.monotonic()
            cls.workspace.mount()
            cls.first_start = time.monotonic() - start
            cls.open_to_all()
            cls.passphrase = cls.workspace.passfile.read_text().strip()
            for name, uid in cls.accounts:
                with Client(cls.workspace.socket, uid) as client:
                    client.call("Workspace.RegisterAccount", name=name, passphrase=cls.passphrase)
        except BaseException:
            cls.tearDownClass()
            raise

    @classmethod
    def all_settings(cls):
        """One managed account each, as on a machine that several people use."""
        return {"MultiManagedIdentities": False, "AccountUsers": dict(cls.accounts), **cls.settings}

    @classmethod
    def prepare(cls):
        """Before `mamctl init`: for a class with another backing directory, say."""

    @classmethod
    def open_to_all(cls):
        folder = cls.workspace.socket.parent
        for place in (cls.workspace.root, folder.parent, folder):
            os.chmod(place, 0o755)
        os.chmod(cls.workspace.mount_point, 0o1777)
        for uid in (VICTIM, ATTACKER, STRANGER):
            home = cls.workspace.path(f"home{uid}")
            home.mkdir(mode=0o700)
            os.chown(home, uid, uid)

    @classmethod
    def tearDownClass(cls):
        cls.workspace.close()

    # People

    def client(self, uid):
        client = Client(self.workspace.socket, uid)
        self.addCleanup(client.close)
        return client

    def home(self, uid, *parts):
        return self.workspace.path(f"home{uid}", *parts)

    def write_as(self, uid, path, data):
        """A program of that user's writes a file; with its default identity, so its account's if it
        has one."""
        def write():
            with open(path, "wb") as file:
                file.write(data)
                os.fsync(file.fileno())
        self.assertEqual(as_user(uid, write), 0, f"uid {uid} could not write {path}")
        return path

    def read_as(self, uid, path):
        """What that user reads, or the errno that refuses it."""
        reader, writer = os.pipe()

        def read():
            try:
                with open(path, "rb") as file:
                    os.write(writer, b"+" + file.read(60_000))
            except OSError as problem:
                os.write(writer, b"-%d" % problem.errno)
        as_user(uid, read)
        os.close(writer)
        with open(reader, "rb") as pipe:
            answer = pipe.read()
        return answer[1:] if answer[:1] == b"+" else int(answer[1:] or 0)

    # What is bounded

    def daemon_memory_mib(self):
        """The largest resident size that the daemon ever had."""
        status = pathlib.Path(f"/proc/{self.workspace.daemon()}/status").read_text()
        (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1024

    def daemon_seconds(self):
        """Of a processor, which the daemon has had: a busy machine takes no more of them."""
        text = pathlib.Path(f"/proc/{self.workspace.daemon()}/stat").read_text()
        user, system = map(int, text.rpartition(")")[2].split()[11:13])
        return (user + system) / os.sysconf("SC_CLK_TCK")

    def assert_small(self):
        self.assertLess(self.daemon_memory_mib(), MEMORY_MIB, "the daemon's memory")

    def restart(self, prepare=lambda: None):
        """Kills the daemon, returns the seconds until the next one serves, unlocks the accounts.

        `prepare`: what is done to the backing directory in between.
        """
        os.kill(self.workspace.daemon(), 9)
        wait_until(
            lambda: not list(daemons(str(self.workspace.root))),
            message="the killed daemon does not die")
        prepare()
        start = time.monotonic()
        self.workspace.mount()
        took = time.monotonic() - start
        for name, uid in self.accounts:
            with Client(self.workspace.socket, uid) as client:
                client.call("Workspace.Unlock", account=name, passphrase=self.passphrase)
        return took

    def assert_starts_soon(self, prepare=lambda: None):
        """The next daemon serves within a second, or three times what the first one took. One start
        in three will do: the machine may be busy, and what delays them delays each."""
        took = []
        while not took or min(took) >= max(1.0, FACTOR * self.first_start):
            self.assertLess(len(took), 3, f"starts took {took} s; the first {self.first_start:.2f}")
            took.append(self.restart(prepare))

    def victims_calls(self):
        """Seconds that each call of the victim's takes, one of each."""
        place = self.home(VICTIM, f"timed-{os.getpid()}-{threading.get_ident()}")
        found = {}

        def timed(name, action):
            start = time.monotonic()
            action()
            found[name] = time.monotonic() - start

        result = subprocess.run(
            command_as(VICTIM, "time_calls", place), capture_output=True, text=True, timeout=60)
        if result.returncode != 0:
            raise AssertionError(f"the victim's calls failed: {result.stderr}")
        found.update(zip(("open", "stat", "fsync"), map(float, result.stdout.split())))
        with Client(self.workspace.socket, VICTIM) as client:
            timed("lock", lambda: client.call("Workspace.Lock", account=VICTIMS_NAME, now=True))
            timed("unlock", lambda: client.call(
                "Workspace.Unlock", account=VICTIMS_NAME, passphrase=self.passphrase))
        return found

    def quiet_times(self, count=3):
        return self._medians(count)

    def _medians(self, count):
        runs = [self.victims_calls() for _ in range(count)]
        return {name: statistics.median(run[name] for run in runs) for name in runs[0]}

    def assert_bounded(self, quiet, count=3, but=()):
        """What the victim's calls take now, beside what they took when all was quiet. An attack
        goes on, and makes them late each time; a busy machine does not."""
        late = []
        while not late or late[-1]:
            self.assertLess(len(late), 3, f"held up by another user: {late}")
            late.append({
                name: f"{seconds * 1000:.0f} ms; quiet {quiet[name] * 1000:.0f} ms"
                for name, seconds in self._medians(count).items()
                if name not in but and seconds > max(FACTOR * quiet[name], SECONDS)})
