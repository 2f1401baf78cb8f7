"""Root's daemon, a mount for all, two people with accounts, and an attacker.

An attack is a test: it is refused, or it is bounded (`bounds.py`).
"""
import contextlib
import os
import pathlib
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Integration"))

from socket_client import Client, Refusal
from running import daemons
from workspace import PASSPHRASE, Workspace, wait_until

__all__ = [
    "Client", "Refusal", "HostileCase", "VICTIM", "ATTACKER", "STRANGER", "VICTIMS_NAME",
    "ATTACKERS_NAME", "as_user", "command_as", "home_of", "in_background", "kill", "restart",
    "wait_until"]

PROGRAMS = pathlib.Path(__file__).with_name("programs")

# Uids: two with an account each, and one without. A user has limits and keyrings, so each process
# of tests has users of its own, far above those of people.
VICTIM = 1_000_000 + 3 * os.getpid()
ATTACKER, STRANGER = VICTIM + 1, VICTIM + 2
VICTIMS_NAME, ATTACKERS_NAME = "vic@contoso.com", "mallory@contoso.com"

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


def open_to_all(workspace):
    """The mount and the socket, with a home for each."""
    folder = workspace.socket.parent
    for place in (workspace.root, folder.parent, folder):
        os.chmod(place, 0o755)
    os.chmod(workspace.mount_point, 0o1777)
    for uid in (VICTIM, ATTACKER, STRANGER):
        home = home_of(workspace, uid)
        home.mkdir(mode=0o700)
        os.chown(home, uid, uid)


def home_of(workspace, uid):
    return workspace.path(f"home{uid}")


def restart(workspace, accounts, prepare=lambda: None):
    """Kills the daemon, returns the seconds until the next one serves, unlocks the accounts.

    `prepare`: what is done to the backing directory in between.
    """
    kill(workspace)
    prepare()
    start = time.monotonic()
    workspace.mount()
    took = time.monotonic() - start
    for name, uid in accounts.items():
        with Client(workspace.socket, uid) as client:
            client.call("Workspace.Unlock", account=name, passphrase=PASSPHRASE)
    return took


def kill(workspace):
    os.kill(workspace.daemon(), 9)
    wait_until(
        lambda: not list(daemons(str(workspace.root))), message="the killed daemon does not die")


@unittest.skipUnless(
    os.getuid() == 0, "attacks root's daemon as other users, which only root can arrange")
class HostileCase(unittest.TestCase):
    """A workspace of root's with the default policy, as docs/ADMIN.md shows it, shared by the
    class."""

    settings = {}
    accounts = ((VICTIMS_NAME, VICTIM), (ATTACKERS_NAME, ATTACKER))
    passphrase = PASSPHRASE

    @classmethod
    def setUpClass(cls):
        cls.workspace = Workspace(name="hostile", settings=cls.all_settings())
        try:
            cls.serve(cls.workspace, cls.accounts)
        except BaseException:
            cls.tearDownClass()
            raise

    @classmethod
    def all_settings(cls):
        """One managed account each, as on a machine that several people use."""
        return {"MultiManagedIdentities": False, "AccountUsers": dict(cls.accounts), **cls.settings}

    @classmethod
    def serve(cls, workspace, accounts):
        """For all, with these people's accounts."""
        cls.prepare(workspace)
        workspace.init().mount()
        open_to_all(workspace)
        for name, uid in accounts:
            with Client(workspace.socket, uid) as client:
                client.call("Workspace.RegisterAccount", name=name, passphrase=PASSPHRASE)

    @classmethod
    def prepare(cls, workspace):
        """Before `mamctl init`: for a class with another backing directory, say."""

    @classmethod
    def tearDownClass(cls):
        cls.workspace.close()

    # People

    def client(self, uid):
        client = Client(self.workspace.socket, uid)
        self.addCleanup(client.close)
        return client

    def home(self, uid, *parts):
        return home_of(self.workspace, uid).joinpath(*parts)

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
        """As `restart`, of the attacked daemon."""
        return restart(self.workspace, dict(self.accounts), prepare)
