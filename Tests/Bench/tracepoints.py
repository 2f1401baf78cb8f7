"""How often something happened in the kernel, on all processors, by its tracepoints."""
import ctypes
import functools
import os
import pathlib
import struct
import subprocess

TRACING = pathlib.Path("/sys/kernel/tracing")
# perf_event_open(2), which libc does not offer.
CALLS = {"x86_64": 298, "aarch64": 241}
TRACEPOINT = 2  # PERF_TYPE_TRACEPOINT
CLOSE_ON_EXEC = 8  # PERF_FLAG_FD_CLOEXEC

libc = ctypes.CDLL(None, use_errno=True)


def happened(name):
    """A number that grows by one each time; None where the kernel does not tell."""
    files = counters(name)
    if not files:
        return None
    return sum(int.from_bytes(os.read(file, 8), "little") for file in files)


@functools.cache
def counters(name):
    """A file for each processor. They stay open: to count takes them, and costs 0.1 us."""
    if not (TRACING / "events").exists():
        subprocess.run(["mount", "-t", "tracefs", "none", TRACING], capture_output=True)
    try:
        number = int((TRACING / "events" / name / "id").read_text())
        return [opened(number, processor) for processor in range(os.cpu_count())]
    except (OSError, KeyError):
        return []


def opened(number, processor):
    # struct perf_event_attr in its first version: the type, its own size, which tracepoint.
    attributes = struct.pack("IIQ48x", TRACEPOINT, 64, number)
    file = libc.syscall(
        CALLS[os.uname().machine], attributes, -1, processor, -1, CLOSE_ON_EXEC)
    if file < 0:
        raise OSError(ctypes.get_errno(), "perf_event_open")
    return file
