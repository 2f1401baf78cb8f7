"""What an operation on the mount asks of an ext4 below it: each system call has a budget (adr
101)."""
import collections
import functools
import operator
import os
import re
import subprocess
import sys
import unittest

from disk_image import CACHED_MEBIBYTES, DiskCase
from ordinary_user import NOBODY
from running import daemons
from tracing import recording

# Other tests make the kernel forget everything.
ALONE = True

COUNT, ROUNDS = 40, 3
# What comes once in a while, such as a line of the audit log, is rounded away.
LINE = re.compile(r"\d+ +(?P<name>\w+)\((?P<rest>.*)")
# No calls to the store: memory, the transport, the mount's flags each second.
OTHERS = re.compile(r"mmap|poll|ppoll|epoll_\w+|ioctl|io_uring_\w+")
ELSEWHERE = re.compile(r"/dev/fuse>|/mountinfo\b")
# By the C library, the kernel and what strace knows.
NAMES = {"fstat": "newfstatat", "getxattr": "getxattrat", "syscall_0x1d0": "getxattrat"}

NEW = {
    "openat": 1, "fsetxattr": 1, "pwrite64": 2, "name_to_handle_at": 1, "openat2": 1,
    "sync_file_range": 1, "ftruncate": 1, "utimensat": 1, "close": 1}
FOUND = {"newfstatat": 2, "openat2": 1, "pread64": 1, "name_to_handle_at": 1}
AS_CALLER = {
    "setfsuid": 2, "setfsgid": 2, "capset": 1, "prctl": 2, "geteuid": 1, "getegid": 1}


def together(*budgets):
    return dict(sum(map(collections.Counter, budgets), collections.Counter()))


# The kernel asks for a directory's attributes after each change of its names.
CREATE = together(NEW, {"newfstatat": 4})
STAT = FOUND
STAT_KNOWN = {"newfstatat": 1}
READ = together(FOUND, {"newfstatat": 1, "pread64": 4, "fcntl": 3, "close": 1})
OVERWRITE = together(FOUND, {
    "openat": 1, "newfstatat": 3, "pread64": 1, "fgetxattr": 3, "ftruncate": 2, "pwrite64": 2,
    "sync_file_range": 1, "utimensat": 1, "close": 1})
SAVE = together(NEW, FOUND, {
    "newfstatat": 8, "fsync": 1, "renameat": 1, "utimensat": 1, "close": 1})
UNLINK = together(FOUND, {"newfstatat": 2, "unlinkat": 1, "close": 1})
# Of a user without an account: the content is plain, so there is neither attribute nor block.
CREATE_AS_NOBODY = together(AS_CALLER, {
    "openat": 1, "pwrite64": 2, "newfstatat": 5, "name_to_handle_at": 1, "openat2": 1,
    "utimensat": 1, "close": 1, "getxattrat": 2})
RENAME_AS_NOBODY = together(FOUND, {
    "newfstatat": 4, "renameat": 1, "getxattrat": 3, "utimensat": 1})


def written(path, flags):
    file = os.open(path, flags, 0o600)
    os.write(file, bytes(4096))
    return file


def create(path):
    os.close(written(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))


def read(path):
    file = os.open(path, os.O_RDONLY)
    os.read(file, 4096)
    os.close(file)


def overwrite(path):
    os.close(written(path, os.O_WRONLY | os.O_TRUNC))


def save(path):
    """As editors do."""
    file = written(path.with_suffix(".new"), os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    os.fsync(file)
    os.close(file)
    os.rename(path.with_suffix(".new"), path)


def link(path):
    os.link(path, path.with_suffix(".link"))


def stat_link(path):
    os.stat(path.with_suffix(".link"))


def files(folder):
    return [folder / f"file{number}" for number in range(COUNT)]


def all_of(operation):
    def act(folder):
        for path in files(folder):
            operation(path)

    return act


def as_nobody(operation, folder):
    subprocess.run(
        [sys.executable, "-B", "-c",
         "import pathlib, sys\n"
         "for path in map(pathlib.Path, sys.argv[2:]):\n"
         "    if sys.argv[1] == 'create': path.write_bytes(bytes(4096))\n"
         "    else: path.rename(path.with_suffix('.moved'))\n",
         operation, *files(folder)],
        check=True, user=NOBODY, group=NOBODY, extra_groups=[])


def calls_in(record):
    """Per file, by name."""
    found = collections.Counter()
    for line in record.read_text(errors="replace").splitlines():
        match = LINE.match(line)
        if match and not OTHERS.fullmatch(match["name"]) and not ELSEWHERE.search(match["rest"]):
            found[NAMES.get(match["name"], match["name"])] += 1
    return +collections.Counter({name: round(count / COUNT) for name, count in found.items()})


@unittest.skipUnless(os.uname().machine == "x86_64", "other processors have other calls")
class Store(DiskCase):
    mebibytes = CACHED_MEBIBYTES

    def setUp(self):
        super().setUp()
        self.folders = [self.workspace.path(f"folder{number}") for number in range(ROUNDS)]
        for folder in self.folders:
            folder.mkdir()

    def calls(self, act, before):
        """The least of the rounds, since what else happens only adds calls; of a daemon that knows
        no file but from before."""
        self.workspace.unmount()
        self.workspace.mount()
        self.workspace.unlock()
        (daemon,) = daemons(str(self.workspace.root))
        record, rounds = self.workspace.root / "calls", []
        for folder in self.folders:
            folder.stat()
            before(folder)
            with recording(daemon, "%file,%desc,%creds", record, "-y"):
                act(folder)
            rounds.append(calls_in(record))
        return functools.reduce(operator.and_, rounds)

    def assert_within(self, budget, act, before=lambda folder: None):
        found = self.calls(act, before)
        over = {
            name: f"{count} of {budget.get(name, 0)}" for name, count in found.items()
            if count > budget.get(name, 0)}
        self.assertEqual(over, {}, found)

    def test_each_operation(self):
        for operation, budget in (
                (create, CREATE), (os.stat, STAT), (read, READ), (overwrite, OVERWRITE),
                (save, SAVE), (os.unlink, UNLINK)):
            with self.subTest(operation=operation.__name__):
                self.assert_within(budget, all_of(operation))

    def test_a_name_that_leads_to_a_known_file(self):
        for folder in self.folders:
            all_of(create)(folder)
            all_of(link)(folder)
        self.assert_within(STAT_KNOWN, all_of(stat_link), before=all_of(os.stat))

    def test_those_of_another_user(self):
        for place in (self.workspace.root, self.workspace.backing):
            place.chmod(0o755)
        for folder in self.folders:
            folder.chmod(0o777)
        for operation, budget in (("create", CREATE_AS_NOBODY), ("rename", RENAME_AS_NOBODY)):
            with self.subTest(operation=operation):
                self.assert_within(budget, functools.partial(as_nobody, operation))


if __name__ == "__main__":
    unittest.main()
