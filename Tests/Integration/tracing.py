"""The daemon's system calls made slow, or made to fail, by strace(1)."""
import collections
import contextlib
import pathlib
import re
import subprocess

from workspace import wait_until

NEEDS = ("strace",)


def tasks(pid, name=None):
    """The thread numbers of a process, all or those of a name; none of one that is gone."""
    found = []
    try:
        listed = list(pathlib.Path(f"/proc/{pid}/task").iterdir())
    except (FileNotFoundError, ProcessLookupError):
        return found
    for task in listed:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if name is None or (task / "comm").read_text().strip() == name:
                found.append(int(task.name))
    return found


def is_traced(pid, name=None, task=None):
    """By all its threads, those of a name, or one; true of one that is gone."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for number in [task] if task else tasks(pid, name):
            if "TracerPid:\t0\n" in pathlib.Path(f"/proc/{pid}/task/{number}/status").read_text():
                return False
    return True


@contextlib.contextmanager
def strace(*options):
    tracer = subprocess.Popen(["strace", "-qq", *options], stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        tracer.terminate()
        try:
            tracer.wait(timeout=2)
        except subprocess.TimeoutExpired:
            # What it traces was killed, and is kept from its end.
            tracer.kill()
            tracer.wait()


@contextlib.contextmanager
def injecting(pid, calls, fault, thread_name=None, path="/dev/null"):
    """All calls of these names have the fault, as strace's --inject has it: of the whole process,
    or of the threads that have this name now. Each is a line in the file, as soon as it is made."""
    if thread_name:
        whom = [word for number in tasks(pid, thread_name) for word in ("-p", str(number))]
    else:
        whom = ["-f", "-p", str(pid)]
    with strace(*whom, "-o", path, "-e", f"trace={calls}", "-e", f"inject={calls}:{fault}"):
        wait_until(lambda: is_traced(pid, thread_name), message="strace does not attach")
        yield


def calls_by_thread(record):
    """The names of the calls in such a file, in the order in which each thread made them."""
    threads = collections.defaultdict(list)
    for line in record.read_text().splitlines():
        if call := re.match(r"(\d+) +(\w+)\(", line):
            threads[call[1]].append(call[2])
    return list(threads.values())


def killing(calls):
    """The fault that kills at the last of these calls, which one thread makes: strace counts by
    thread and by name."""
    return f"inject={calls[-1]}:signal=SIGKILL:when={calls.count(calls[-1])}"


@contextlib.contextmanager
def recording(pid, calls, path, *options):
    """The calls of these names that a process makes, one a line, into a file that is whole at the
    end."""
    with strace("-f", "-p", str(pid), "-o", path, "-e", f"trace={calls}", *options):
        wait_until(lambda: is_traced(pid), message="strace does not attach")
        yield
