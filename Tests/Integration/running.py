"""What a run of the tests has started: its daemons and mounts, and how to be rid of them."""
import contextlib
import ctypes
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

NEW_MOUNTS = 0x00020000  # CLONE_NEWNS of <linux/sched.h>

libc = ctypes.CDLL(None, use_errno=True)

# What a person's session or a service has set, and programs would follow.
FOLLOWED = re.compile(
    r"(DBUS|XDG|LC|LISTEN)_.*|LANG|LANGUAGE|(WAYLAND_)?DISPLAY|(NOTIFY|WAYLAND)_SOCKET|NO_COLOR"
    r"|(CREDENTIALS|STATE)_DIRECTORY|MAMCTL_ORGANIZATION|TEXTDOMAINDIR|CUPS_SERVER|COLUMNS|LINES")
# A socket's path has 107 bytes, of which the tests' own names need up to 80.
LONGEST_PLACE = 24


def settle():
    """The same surroundings, whoever starts the tests and from where. Not for a program of theirs,
    which is given its own."""
    if os.environ.get("SETTLED_FOR_TESTS"):
        return
    os.environ["SETTLED_FOR_TESTS"] = "1"
    os.umask(0o022)
    for name in filter(FOLLOWED.fullmatch, list(os.environ)):
        del os.environ[name]
    os.environ.update(LC_ALL="C.UTF-8", TERM="xterm")
    place = pathlib.Path(tempfile.gettempdir()).resolve()
    is_open = all(part.stat().st_mode & 1 for part in (place, *place.parents))
    fits = is_open and len(str(place)) <= LONGEST_PLACE
    tempfile.tempdir = os.environ["TMPDIR"] = str(place) if fits else "/tmp"


settle()

# All that these tests create has the runner's process id in its name, so that what a killed run
# left behind can be told from what a running one uses.
PREFIX = os.environ.get("MAMD_TEST_PREFIX", f"mamd-test-{os.getpid()}-")


def call(name, *arguments):
    """A libc function that Python does not offer; raises OSError."""
    result = getattr(libc, name)(*arguments)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def mounts(prefix):
    """The fuse mounts whose path has the prefix, last mounted first."""
    found = []
    for line in pathlib.Path("/proc/self/mountinfo").read_text(
            errors="surrogateescape").splitlines():
        fields = line.split(" ")
        kind = fields[fields.index("-") + 1]
        # Spaces and their like are written as octal numbers.
        path = re.sub(r"\\(\d{3})", lambda octal: chr(int(octal[1], 8)), fields[4])
        if kind.startswith("fuse") and prefix in path:
            found.append(path)
    return list(reversed(found))


def go_apart():
    """Into a mount name space without other tests' mounts: some programs look at all that there
    are, and a name space that is made meanwhile would keep ours busy with its copies of them."""
    call("unshare", NEW_MOUNTS)
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    for mount in mounts("/mamd-test-"):
        if PREFIX not in mount:
            subprocess.run(["umount", "-l", mount], capture_output=True)


def open_files(pid):
    """What the process has open, as the kernel names it. It may close some meanwhile."""
    found = []
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.append(os.readlink(link))
    return found


def daemons(prefix):
    """Process ids of the mamd processes that name such a path in their arguments."""
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if words[0].endswith(b"mamd") and any(
                        prefix.encode() in word for word in words[1:]):
                    yield int(entry.name)


def strays(prefix):
    """Process ids of what tests with the prefix started, daemons or not: it is in their
    environment. Only root sees other users' processes."""
    for pid, name in prefixes():
        if name.startswith(prefix):
            yield pid


def prefixes():
    """Each process id of what tests have started, and their prefix."""
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                for word in (entry / "environ").read_bytes().split(b"\0"):
                    if word.startswith(b"MAMD_TEST_PREFIX="):
                        yield int(entry.name), os.fsdecode(word.partition(b"=")[2])


def parent(pid):
    """The process id of its parent; None if it has ended."""
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return None


def has_ended(pid):
    """Also if nobody has asked for its status yet: a machine's process 1 may take a second."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state == "Z" and len(os.listdir(f"/proc/{pid}/task")) == 1
    except (FileNotFoundError, ProcessLookupError):
        return True


def remove_leftovers(prefix):
    """Ends and unmounts what was started under the prefix. Safe when there is nothing."""
    for mount in mounts(prefix):
        subprocess.run(["fusermount3", "-u", "-z", mount], capture_output=True)
    killed = []
    for pid in {*daemons(prefix), *strays(prefix)}:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)
    # Until then they write, and hold what the next test asks for.
    end = time.monotonic() + 30
    while not all(map(has_ended, killed)) and time.monotonic() < end:
        time.sleep(0.01)
    for path in directories(prefix + "*"):
        if not mounts(str(path)):
            remove_tree(path)
            if path.exists():
                # A mount point that is shut is immutable, too.
                subprocess.run(["chattr", "-R", "-f", "-i", path], capture_output=True)
                remove_tree(path)


def remove_tree(path):
    """Also one that is deeper than Python's shutil.rmtree can go."""
    subprocess.run(["rm", "-rf", "--one-file-system", path], capture_output=True)


def directories(names):
    """Where tests have theirs: some in memory, wherever the others are."""
    for place in {tempfile.gettempdir(), "/dev/shm"}:
        yield from pathlib.Path(place).glob(names)


def remove_dead_runs():
    """Removes what runs that no longer live left behind: directories, and processes."""
    names = {path.name for path in directories("mamd-test-*-*")}
    # In another name space for processes the runner's number is another.
    names.update(name for pid, name in prefixes() if is_among_ours(pid))
    for pid in {name.split("-")[2] for name in names if name.count("-") > 2}:
        if pid.isdigit() and has_ended(pid):
            remove_leftovers(f"mamd-test-{pid}-")


def is_among_ours(pid):
    try:
        return os.readlink(f"/proc/{pid}/ns/pid") == os.readlink("/proc/self/ns/pid")
    except OSError:
        return False
