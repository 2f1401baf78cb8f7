"""What a run of the tests has started: its daemons and mounts, and how to be rid of them."""
import contextlib
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

NEW_MOUNTS = 0x00020000  # CLONE_NEWNS of <linux/sched.h>

libc = ctypes.CDLL(None, use_errno=True)

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
        if kind.startswith("fuse") and prefix in fields[4]:
            found.append(fields[4])
    return list(reversed(found))


def go_apart():
    """Into a mount name space without other tests' mounts: some programs look at all that there
    are, and a name space that is made meanwhile would keep ours busy with its copies of them."""
    call("unshare", NEW_MOUNTS)
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    for mount in mounts("/mamd-test-"):
        if PREFIX not in mount:
            subprocess.run(["umount", "-l", mount], capture_output=True)


def daemons(prefix):
    """Process ids of the mamd processes that name such a path in their arguments."""
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if words[0].endswith(b"mamd") and any(
                        prefix.encode() in word for word in words[1:]):
                    yield int(entry.name)


def parent(pid):
    """The process id of its parent; 0 if it has ended."""
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


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
    for pid in list(daemons(prefix)):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    for path in pathlib.Path(tempfile.gettempdir()).glob(prefix + "*"):
        if not mounts(str(path)):
            shutil.rmtree(path, ignore_errors=True)


def remove_dead_runs():
    """Removes what runs that no longer live left behind."""
    for path in pathlib.Path(tempfile.gettempdir()).glob("mamd-test-*-*"):
        pid = path.name.split("-")[2]
        if pid.isdigit() and has_ended(pid):
            remove_leftovers(f"mamd-test-{pid}-")
