"""A workspace for one test class: its own directories, its own daemon, removed at the end."""
import contextlib
import errno
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import json_output
import older_kernel
from running import PREFIX, daemons, mounts, parent, remove_leftovers
from socket_client import Client

NEEDS = ("python3-argon2", "python3-cryptography")

ROOT = pathlib.Path(__file__).resolve().parents[2]
DECODER = ROOT / "Tests" / "decoder.py"
# What tests run in processes of their own, and files that they fill in.
PROGRAMS = ROOT / "Tests" / "Integration" / "programs"
DATA = ROOT / "Tests" / "Integration" / "data"
LONG = os.environ.get("MAMD_LONG") == "1"
# Of each mount, such as io_uring: `scripts/dev ring`.
MOUNT_OPTIONS = os.environ.get("MAMD_TEST_OPTIONS", "")

# A shell's job in the background ignores it, and so would all that is started here.
signal.signal(signal.SIGINT, signal.default_int_handler)

ANN = "ann@contoso.com"
BOB = "bob@contoso.com"
PERSONAL = "ann.personal@example.org"
PASSPHRASE = "correct horse battery staple"

# Key derivation as cheap as it goes: these tests are not about its cost.
# Several accounts of one user: most tests are about files, and ANN and BOB are one person's.
SETTINGS = {"KeyDerivation": {"Passes": 1, "MemoryMiB": 8}, "MultiManagedIdentities": True}

# Exit statuses of mamctl.
DONE, NO, USAGE, NOT_FOUND, NOT_MANAGED, CLOSED, REFUSED, DAMAGED, UNREACHABLE, UNREADABLE = range(
    10)
WRONG_PASSPHRASE = 12

HEADER, BLOCK, FIRST, PAYLOAD = 1024, 4096, 3040, 4064
MAGIC = b"\x89MAMF\r\n\x1a"

# Runs a command with so many ancestors more: sh -c FAMILY FAMILY COUNT COMMAND…
FAMILY = 'n=$1; shift; if [ "$n" -gt 0 ]; then sh -c "$0" "$0" $((n - 1)) "$@"; exit; fi; exec "$@"'


def sealed_size(plain):
    """What st_size a managed file of so many plain bytes has: FORMAT.md, section 1.2."""
    if plain <= FIRST:
        return BLOCK + plain
    more, used = divmod(plain - FIRST - 1, PAYLOAD)
    return BLOCK * (more + 2) + used + 1


def pattern(length, seed=0):
    """Bytes that look random, are the same every time, and cost little."""
    import random

    return random.Random(seed).randbytes(length)


def wait_until(condition, seconds=180.0, message="waited in vain"):
    """The time only ends a hang: a loaded machine must keep it. A message that tells what is there
    at the end is a function."""
    start = time.monotonic()
    while not condition():
        waited = time.monotonic() - start
        if waited > seconds:
            raise AssertionError(message() if callable(message) else message)
        # To ask may take a program and its daemon: who waits for long asks less often.
        time.sleep(min(max(0.02, waited / 10), 0.2))


def wait_for_room(place, size):
    """Until a file system has so many bytes free: the daemon hears after unlink(2) has returned
    that it may close the file."""
    def has_room():
        state = os.statvfs(place)
        return state.f_bavail * state.f_frsize >= size

    wait_until(has_room, message=f"no room for {size} bytes in {place}")


def make_the_kernel_forget():
    """Names and inodes that nobody uses, of all file systems."""
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("2")


@contextlib.contextmanager
def kept_known(*paths):
    """Else the kernel may forget a file, and the daemon with it, as when another program drops the
    kernel's caches."""
    descriptors = [os.open(path, os.O_PATH | os.O_NOFOLLOW) for path in paths]
    try:
        yield
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


class Workspace:
    """A backing directory, a mount point and the XDG directories beside them."""

    def __init__(self, name="work", settings=None, policy=None):
        self.name = name
        self.root = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.backing, self.mount_point = self.root / "backing", self.root / "mount"
        self.log = self.root / "mount.log"
        self.passfile = self.secret("passphrase", PASSPHRASE)
        # No bus, but for the tests that bring one: the machine's would lock when its user's screen
        # does.
        self.environment = {
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent", **os.environ, "LC_ALL": "C",
            "HOME": str(self.root), **older_kernel.environment(ROOT / ".build")}
        for variable in ("CONFIG_HOME", "STATE_HOME", "RUNTIME_DIR"):
            directory = self.root / variable.lower()
            directory.mkdir(mode=0o700)
            self.environment["XDG_" + variable] = str(directory)
        for directory in (self.backing, self.mount_point):
            directory.mkdir(mode=0o700)
        self.settings = self.root / "settings.json"
        self.settings.write_text(json.dumps({**SETTINGS, **(settings or {})}))
        self.policy = policy

    # Places

    @property
    def state(self):
        return self.root / "state_home" / "mamd" / self.name

    @property
    def policies(self):
        return self.root / "config_home" / "mamd" / self.name / "policies"

    @property
    def daemon_log(self):
        """Where the daemon writes on a machine without a journal."""
        return self.state / "mamd.log"

    @property
    def socket(self):
        return self.root / "runtime_dir" / "mamd" / f"{self.name}.sock"

    def path(self, *parts):
        return self.mount_point.joinpath(*parts)

    def on_disk(self, *parts):
        return self.backing.joinpath(*parts)

    def secret(self, name, value):
        path = self.root / name
        path.write_text(value + "\n")
        path.chmod(0o600)
        return path

    # Programs

    def ctl(self, *arguments, status=DONE, input=None, environment=None, prefix=(), timeout=300):
        """Runs mamctl and checks its exit status. `status` may be a tuple, or None for any."""
        command = [*prefix, "mamctl", *map(os.fspath, arguments)]
        result = subprocess.run(
            command, capture_output=True, input=input, timeout=timeout,
            env=environment or self.environment)
        result.stdout = result.stdout.decode(errors="surrogateescape")
        result.stderr = result.stderr.decode(errors="surrogateescape")
        allowed = status if isinstance(status, tuple) else (status,)
        if status is not None and result.returncode not in allowed:
            raise AssertionError(
                f"{' '.join(command)}: status {result.returncode}, expected {status}\n"
                f"{result.stdout}{result.stderr}")
        words = [os.fspath(word) for word in arguments]
        options = words[: words.index("--")] if "--" in words else words
        if "--json" in options and not prefix:
            json_output.check(words, result.stdout)
        return result

    def serving(self, verb, *arguments, **options):
        """A verb that talks to this workspace's daemon."""
        verb = verb.split(" ")
        return self.ctl(*verb, *arguments, "--workspace", self.name, **options)

    def status(self):
        (status,) = json.loads(self.serving("status", "--json").stdout)
        return status

    def init(self):
        self.ctl("init", self.backing, "--name", self.name, "--settings", self.settings)
        (document,) = self.policies.iterdir()
        # The default but for the PIN: tests that are not about passphrases may do without, or try
        # many.
        document.write_text(
            json.dumps(self.policy or {**json.loads(document.read_text()), "pinRequired": False}))
        return self

    def mount(self, *options, status=DONE, prefix=()):
        if MOUNT_OPTIONS and "-o" in options:
            place = options.index("-o") + 1
            options = (*options[:place], f"{MOUNT_OPTIONS},{options[place]}", *options[place + 1:])
        elif MOUNT_OPTIONS:
            options = (*options, "-o", MOUNT_OPTIONS)
        # Into files: a daemon that keeps standard error open must not keep us waiting.
        with open(self.log, "ab") as log:
            result = subprocess.run(
                [*prefix, "mamctl", "mount", self.backing, self.mount_point, *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=90, env=self.environment)
        if result.returncode != status:
            raise AssertionError(
                f"mount: status {result.returncode}\n{self.log.read_text(errors='replace')}")
        if status == DONE and not os.path.ismount(self.mount_point):
            raise AssertionError("mamctl mount said done, and nothing is mounted")
        return self

    def unmount(self):
        self.ctl("unmount", self.mount_point)
        self.await_end()

    def await_end(self):
        """Of the mount and of its daemon."""
        wait_until(lambda: not mounts(str(self.root)), message="still mounted after unmount")
        wait_until(
            lambda: not list(daemons(str(self.root))), message="mamd still runs after unmount")

    def remount(self):
        self.unmount()
        self.mount()
        self.unlock()

    def register(self, account=ANN, passfile=None, extra=()):
        how = ["--passfile", passfile or self.passfile]
        self.serving("account register", account, *(extra or how))
        return self

    def daemon(self):
        """Its process id; not that of what traces it, nor of a program that it is just starting."""
        found = list(daemons(str(self.root)))
        (pid,) = (pid for pid in found if parent(pid) not in (*found, None))
        return pid

    def lock(self, account=ANN):
        self.serving("lock", account, "--now")

    def unlock(self, account=ANN, passfile=None, status=DONE):
        return self.serving(
            "unlock", account, "--passfile", passfile or self.passfile, status=status)

    def run_as(self, identity, *command, check=True):
        result = subprocess.run(
            ["mamctl", "run", "--workspace", self.name, "--identity", identity, "--unmanaged", "--",
             *map(os.fspath, command)],
            capture_output=True, timeout=90, env=self.environment)
        if check and result.returncode != 0:
            raise AssertionError(f"run as {identity}: {command}: {result.stdout}{result.stderr}")
        return result

    def write_as(self, identity, path, text):
        self.run_as(identity, "sh", "-c", 'printf %s "$1" > "$2"', "sh", text, path)

    def write_contained(self, path, content, account=ANN):
        """By a contained program of the account's: where it is required, no other makes files."""
        source = self.root / f"source-{time.monotonic_ns()}"
        source.write_bytes(content)
        done = subprocess.run(
            ["mamctl", "run", "--workspace", self.name, "--contained", "--account", account, "--",
             "cp", source, path],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            timeout=90, env=self.environment)
        source.unlink()
        if done.returncode != 0:
            raise AssertionError(f"no contained program of {account}'s wrote {path}")
        return path

    def close(self):
        remove_leftovers(self.root.name)

    def await_closed(self):
        """Until the daemon has no file open: the kernel tells of a close after close(2)
        returned."""
        with Client(self.socket) as client:
            wait_until(
                lambda: client.call("Workspace.Status")["openFiles"] == 0,
                message="a closed file stays open")

    # Questions

    def owner(self, path):
        """The owner as `mamctl owner` prints it."""
        line = self.ctl("owner", path, status=(DONE, NOT_MANAGED)).stdout
        return line.split("\t")[0]

    def info(self, path, status=DONE):
        answer = json.loads(self.ctl("info", "--json", path, status=status).stdout)
        while "owner" not in answer:
            answer = answer[0] if isinstance(answer, list) else next(iter(answer.values()))
        return answer

    def account(self, name=ANN):
        """One account as `mamctl account list --json` tells it."""
        def search(value):
            if isinstance(value, dict) and value.get("name") == name:
                return value
            inner = value.values() if isinstance(value, dict) else value if isinstance(
                value, list) else ()
            return next(filter(None, map(search, inner)), None)

        return search(json.loads(self.serving("account list", "--json").stdout))

    def is_managed_on_disk(self, path):
        data = path.read_bytes()
        return data[:8] == MAGIC and data[10] & 1 == 1

    def decode(self, path, status=0):
        """What the second decoder reads from a backing file. Here: a process of its own for each
        would mostly load its libraries."""
        sys.path.append(str(DECODER.parent))
        try:
            import decoder
        finally:
            sys.path.pop()
        content, found, said = b"", DONE, ""
        try:
            passphrase = pathlib.Path(self.passfile).read_bytes().removesuffix(b"\n")
            with open(path, "rb") as file:
                header = decoder.Header(file.read(HEADER))
                content = b"".join(decoder.content(
                    header, file, os.path.getsize(path), decoder.keybags(self.state), passphrase))
        except decoder.Refused as problem:
            found, said = problem.status, str(problem)
        if found != status:
            raise AssertionError(f"decoder: status {found}: {said}")
        return content


class WorkspaceCase(unittest.TestCase):
    """A mounted workspace with unlocked managed accounts, one unless the class names more, shared
    by the class."""

    settings = None
    policy = None
    mounted = True
    accounts = (ANN,)

    @classmethod
    def setUpClass(cls):
        cls.workspace = Workspace(settings=cls.settings, policy=cls.policy)
        try:
            cls.before_init()
            cls.workspace.init()
            if cls.mounted:
                cls.workspace.mount()
                for account in cls.accounts:
                    cls.workspace.register(account)
        except BaseException:
            cls.tearDownClass()
            raise

    @classmethod
    def before_init(cls):
        """Before the workspace is made."""

    @classmethod
    def tearDownClass(cls):
        cls.workspace.close()

    def setUp(self):
        # A directory of its own for each test, by its name.
        if self.mounted:
            self.directory = self.workspace.path(self._testMethodName)
            self.directory.mkdir()

    def run(self, result=None):
        before = len(result.failures) + len(result.errors)
        super().run(result)
        if len(result.failures) + len(result.errors) > before:
            logs = [log for log in (self.workspace.log, self.workspace.daemon_log) if log.exists()]
            text = "".join(log.read_text(errors="replace")[-4000:] for log in logs)
            if text:
                print(
                    f"--- daemon's log, at the failure of {self.id()}:\n{text}---", file=sys.stderr)

    def backing_of(self, path):
        return self.workspace.on_disk(os.path.relpath(path, self.workspace.mount_point))

    def write(self, path, data, durable=True):
        with open(path, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        return path

    @contextlib.contextmanager
    def refused(self, *numbers):
        """The block must fail with one of these errno values."""
        with self.assertRaises(OSError) as caught:
            yield
        names = [errno.errorcode[number] for number in numbers]
        self.assertIn(errno.errorcode.get(caught.exception.errno), names)


def tree_digest(*roots):
    """Every name, size, mode and content below some directories, as one comparable value."""
    import hashlib

    found = {}
    for root in roots:
        for directory, _, names in os.walk(root):
            for name in names:
                path = os.path.join(directory, name)
                status = os.lstat(path)
                content = b""
                if os.path.isfile(path) and not os.path.islink(path):
                    with open(path, "rb") as file:
                        content = file.read()
                found[path] = (status.st_mode, status.st_size, hashlib.sha256(content).hexdigest())
    return found
