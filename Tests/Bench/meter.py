"""What a step costs the whole machine: processor time of all tasks, and context switches."""
import dataclasses
import glob
import re
import resource


@dataclasses.dataclass(frozen=True)
class Cost:
    """Of one operation. `processor`: microseconds."""

    processor: float
    switches: float


class Meter:
    """Starts counting when it is made."""

    def __init__(self):
        self.tasks, self.children, self.switches = running(), ended(), switches()

    def cost(self, count):
        """Of each of `count` operations since then."""
        now = running()
        nanoseconds = sum(time - self.tasks.get(task, 0) for task, time in now.items())
        return Cost(
            (nanoseconds / 1e3 + (ended() - self.children) * 1e6) / count,
            (switches() - self.switches) / count)


def running():
    """Nanoseconds on a processor of each task that there is, the kernel's too."""
    times = {}
    for path in glob.iglob("/proc/[0-9]*/task/*/schedstat"):
        try:
            with open(path) as file:
                times[path] = int(file.read().split()[0])
        except (FileNotFoundError, ProcessLookupError):
            continue
    return times


def ended():
    """Seconds of this program's children that have come to an end."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def switches():
    with open("/proc/stat") as file:
        return int(re.search(r"^ctxt (\d+)", file.read(), re.MULTILINE)[1])
