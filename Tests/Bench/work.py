"""Building and running what is measured."""
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = "usr/share/doc/libfuse3-dev/examples/passthrough_ll.c"
# As Debian installs it, or as scripts/setup has unpacked it.
EXAMPLES = [f"/{EXAMPLE}", f"{HERE}/../../.build/bench/{EXAMPLE}"]

# Seconds. What takes longer is no figure, so that one slow place does not keep all others.
LONGEST = 120


class Failure(Exception):
    """A workload did not do what it should; the text says what."""


def build(directory):
    """work.c, and libfuse's example where it is to be found; mamd as it is now, as somebody may
    build it anew meanwhile."""
    for program in filter(None, map(shutil.which, ("mamd", "mamctl"))):
        shutil.copy(program, directory)
    compiled(
        directory / "work",
        ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", f"{HERE}/work.c"])
    example = next(filter(os.path.exists, EXAMPLES), None)
    if example:
        flags = subprocess.run(
            ["pkg-config", "fuse3", "--cflags", "--libs"], capture_output=True, text=True,
            check=True).stdout.split()
        compiled(directory / "passthrough_ll", ["cc", "-O2", example, *flags])
    os.environ["PATH"] = f"{directory}:{os.environ['PATH']}"


def compiled(program, command):
    result = subprocess.run([*command, "-o", program], capture_output=True, text=True)
    if result.returncode != 0:
        raise Failure(f"{' '.join(command)}: {result.stderr[-2000:]}")


def work(name, *words, timeout=LONGEST):
    """One workload of work.c: seconds, and how many were done."""
    answer = json.loads(run(["work", name, *map(str, words)], timeout)[0])
    return answer["seconds"], answer["count"]


def run(command, timeout=LONGEST, input=None):
    """What a program printed, and the seconds to its end."""
    start = time.perf_counter()
    try:
        result = subprocess.run(
            command, input=input, capture_output=True, text=True, errors="replace", timeout=timeout,
            env={**os.environ, "LC_ALL": "C"},
            **({} if input is not None else {"stdin": subprocess.DEVNULL}))
    except subprocess.TimeoutExpired:
        raise Failure(f"{command[0]}: no end after {timeout} s") from None
    seconds = time.perf_counter() - start
    if result.returncode != 0:
        raise Failure(
            f"{' '.join(map(str, command[:2]))}: status {result.returncode}: "
            f"{last_line(result.stderr)}")
    return result.stdout, seconds


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1] if lines else "it said nothing"


@functools.cache
def code_of(path):
    """The files that a program consists of."""
    said = subprocess.run(["ldd", path], capture_output=True, text=True).stdout
    return [path, *re.findall(r"(/\S+) \(0x", said)]


def warm(programs):
    """Reads the programs again that a cold start had the kernel forget: the disk that they are on
    is not measured."""
    for path in {path for program in programs for path in code_of(shutil.which(program))}:
        pathlib.Path(path).read_bytes()


def demand(condition, text):
    if not condition:
        raise Failure(text)
