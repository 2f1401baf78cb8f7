"""Finds dead-locks: a thread that sleeps without end in one place of the kernel, or workers that
get nowhere."""
import contextlib
import pathlib
import time

PROC = pathlib.Path("/proc")
STUCK_SECONDS, NO_PROGRESS_SECONDS = 60, 120


def read(path):
    try:
        return path.read_text(errors="replace").strip()
    except OSError as problem:
        return f"({problem.strerror})"


def threads(pids):
    for pid in pids:
        with contextlib.suppress(OSError):  # it has ended
            yield from list((PROC / str(pid) / "task").iterdir())


def state_of(thread):
    return read(thread / "stat").rpartition(")")[2].strip()[:1]


def children_of(pids):
    """These processes and those that they started."""
    found = list(pids)
    for pid in found:
        for thread in threads([pid]):
            found += [int(word) for word in read(thread / "children").split() if word.isdigit()]
    return found


def describe(pids):
    """Where every thread is: state, place in the kernel, its stack and its system call."""
    lines = []
    for thread in threads(children_of(pids)):
        lines.append(
            f"{thread}: {read(thread / 'comm')} {state_of(thread)} {read(thread / 'wchan')}")
        lines += [f"    {name}: {read(thread / name)}" for name in ("stat", "syscall", "stack")]
    return "\n".join(lines)


class Watchdog:
    def __init__(self, shared, workers):
        self.shared, self.workers = shared, workers
        self.asleep = {}  # thread → ((place, how often it ran), since)
        self.progress, self.progress_since, self.phase = None, {}, None

    def problem(self, pids):
        """What is wrong, in words; nil most of the time. To be asked every second or so."""
        return self.sleeping_thread(pids) or self.idle_worker()

    def sleeping_thread(self, pids):
        now, asleep = time.monotonic(), {}
        for thread in threads(children_of(pids)):
            if state_of(thread) == "D":
                # One that ran in between only came back to the same place.
                where, since = (read(thread / "wchan"), read(thread / "schedstat")), now
                if self.asleep.get(thread, ("", 0))[0] == where:
                    since = self.asleep[thread][1]
                asleep[thread] = (where, since)
        self.asleep = asleep
        for thread, ((place, _), since) in asleep.items():
            if now - since > STUCK_SECONDS:
                return f"{thread} is in {place} for {now - since:.0f} s"
        return None

    def idle_worker(self):
        """Only while everything is unlocked: the clock starts anew with every lock."""
        now, progress, phase = (
            time.monotonic(), self.shared.progress(), self.shared.unlocked_phase())
        if phase is None or phase != self.phase:
            self.phase, self.progress_since = phase, {}
        for index in range(self.workers):
            if index not in self.progress_since or progress[index] != self.progress[index]:
                self.progress_since[index] = now
        self.progress = progress
        for index, since in self.progress_since.items():
            if phase is not None and now - since > NO_PROGRESS_SECONDS:
                return (
                    f"worker {index} did nothing for {now - since:.0f} s while everything is "
                    f"unlocked")
        return None
