"""Measures what refused opens cost, and how soon a listener is told of one.

    measure_refusals.py [--seconds N] [--programs N] [--times N] [--pause S]

First several programs open files of a locked account, as fast as they are refused. Then a new
program opens one of them, again and again after a pause, while a listener follows the audit. The
programs measured are those in PATH; to compare two builds, run them in turns.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Integration"))

from socket_client import Client
from workspace import ANN, Workspace



def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def flood(workspace, files, options):
    """Refused opens in a second, and microseconds of the daemon for each."""
    pid = workspace.status()["pid"]
    before, begin = processor_seconds(pid), time.monotonic()
    programs = [
        subprocess.Popen(
            [sys.executable, HERE / "refused_opens.py", str(options.seconds), *map(str, files)],
            stdout=subprocess.PIPE, text=True)
        for _ in range(options.programs)]
    count = sum(int(each.communicate()[0]) for each in programs)
    seconds = time.monotonic() - begin
    return count / seconds, (processor_seconds(pid) - before) / count * 1e6


def follow(workspace):
    listener = Client(workspace.socket)
    listener.send("Audit.List", more=True, event="refused", limit=0, follow=True)
    time.sleep(0.5)
    return listener


def delays(workspace, file, options):
    """Milliseconds from the open to the record, of a program of its own each time."""
    found = []
    with follow(workspace) as listener:
        for _ in range(options.times):
            time.sleep(options.pause)
            begin = time.monotonic()
            if os.fork() == 0:
                try:
                    open(file)
                except OSError:
                    os._exit(0)
                os._exit(1)
            listener.receive()
            found.append((time.monotonic() - begin) * 1000)
            if os.wait()[1]:
                raise SystemExit("it was not refused")
    return sorted(found)


def main():
    parser = argparse.ArgumentParser(description="what refused opens cost")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--programs", type=int, default=2)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--pause", type=float, default=0.5)
    options = parser.parse_args()
    workspace = Workspace(settings={"LockGraceSeconds": 0})
    try:
        workspace.init().mount().register()
        files = [workspace.path(f"file{number}") for number in range(20)]
        for file in files:
            workspace.write_as(ANN, file, "content")
        workspace.await_closed()
        workspace.lock()
        rate, cost = flood(workspace, files, options)
        # Equal refusals end being counted together after ten seconds.
        time.sleep(12)
        took = delays(workspace, files[0], options)
        print(
            f"load {os.getloadavg()[0]:.1f}: {rate:.0f} refused opens a second, {cost:.1f} µs of"
            f" the daemon each; told after {statistics.median(took):.0f} ms (median),"
            f" {took[-1]:.0f} ms (most)", flush=True)
    finally:
        workspace.close()


main()
